// The selector of the paper (Algorithm 1, line 7): a lane is charged cost/p if its greedy action was played.
#pragma once

#include "contracts.hpp"

namespace warmcb {

class ProgressiveValidation : public Selector {
public:
    explicit ProgressiveValidation(std::size_t lanes) : sums(lanes) {}

    std::vector<double> sums;
    uint64_t rounds = 0;
    std::size_t first = 0;  // lanes before this one are not eligible

    void admit(std::size_t from) { first = from; }

    // New lanes start with the charge of the lane in charge.
    ProgressiveValidation with_lanes(const std::vector<std::size_t>& origins) const {
        ProgressiveValidation changed(origins.size());
        for (std::size_t lane = 0; lane < origins.size(); ++lane)
            changed.sums[lane] = sums[origins[lane] == from_nothing ? best() : origins[lane]];
        changed.rounds = rounds;
        changed.first = first == 0 ? 0 : origins.size() - 1;
        return changed;
    }

    std::size_t lanes() const override { return sums.size(); }

    // The first eligible lane with the lowest sum.
    std::size_t best() const override { return std::min_element(sums.begin() + first, sums.end()) - sums.begin(); }
    void mark_eligible(uint8_t* marks, std::size_t lanes) const override {
        for (std::size_t lane = 0; lane < lanes; ++lane) marks[lane] = lane >= first;
    }
    double score(std::size_t lane) const { return sums[lane] / static_cast<double>(std::max<uint64_t>(rounds, 1)); }

    void add(const Outcome& round) override {
        const double score = round.cost * inverse_propensity(round.probability);
        for (std::size_t lane = 0; lane < sums.size(); ++lane) sums[lane] += round.played(lane) ? score : 0.0;
        ++rounds;
    }
};

}  // namespace warmcb
