// Effects of identities: how much a single described action differs from what its features predict.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "contracts.hpp"
#include "least_squares/factor.hpp"

namespace warmcb {

// An effect is an additional weight of a model, in its own block (factor.hpp). It starts at 0 with the variance
// 1/ridge, and its covariances with other weights are dropped. Effects that were rarely learned are small. If there are
// more than `most`, the older half of them is dropped.
class Identities {
public:
    struct Options {
        double ridge;
        std::size_t most;
    };
    struct Identity {
        std::vector<float> effects;    // models × lanes
        std::vector<float> variances;  // of each lane
        uint64_t last = 0;             // the round in which it was learned last
    };

    Identities(std::size_t models, std::size_t lanes, Options options)
        : options(options), models_(models), lanes_(lanes) {}

    Options options;
    std::unordered_map<uint64_t, Identity> known;

    std::size_t models() const { return models_; }
    std::size_t lanes() const { return lanes_; }
    float prior() const { return static_cast<float>(1 / options.ridge); }

    const Identity* find(uint64_t identity) const {
        const auto found = identity == 0 ? known.end() : known.find(identity);
        return found == known.end() ? nullptr : &found->second;
    }

    // An effect that is about to be learned in round `now`. Its variances have grown like those of other weights.
    Identity& meet(uint64_t identity, const std::vector<Forgetting>& forgetting, uint64_t now) {
        if (known.size() >= options.most && !known.contains(identity)) let_go();
        Identity& one = known[identity];
        if (one.effects.empty()) one = fresh();
        const auto rounds = static_cast<double>(now > one.last ? now - one.last : 0);
        for (std::size_t lane = 0; lane < lanes_; ++lane)
            one.variances[lane] = forgetting[lane].grown(one.variances[lane], rounds, prior());
        one.last = std::max(one.last, now);
        return one;
    }

    void restart(std::size_t lane) {
        for (auto& [_, one] : known) {
            for (std::size_t model = 0; model < models_; ++model) one.effects[model * lanes_ + lane] = 0;
            one.variances[lane] = prior();
        }
    }
    void copy(std::size_t from, std::size_t to) {
        for (auto& [_, one] : known) {
            for (std::size_t model = 0; model < models_; ++model)
                one.effects[model * lanes_ + to] = one.effects[model * lanes_ + from];
            one.variances[to] = one.variances[from];
        }
    }
    void rescale(std::size_t lane, double a) {
        for (auto& [_, one] : known)
            for (std::size_t model = 0; model < models_; ++model)
                one.effects[model * lanes_ + lane] *= static_cast<float>(a);
    }

    Identities with_lanes(const std::vector<std::size_t>& origins) const {
        Identities changed(models_, origins.size(), options);
        for (const auto& [identity, one] : known) {
            Identity& other = changed.known[identity] = changed.fresh();
            other.last = one.last;
            for (std::size_t lane = 0; lane < origins.size(); ++lane) {
                if (origins[lane] == from_nothing) continue;
                for (std::size_t model = 0; model < models_; ++model)
                    other.effects[model * origins.size() + lane] = one.effects[model * lanes_ + origins[lane]];
                other.variances[lane] = one.variances[origins[lane]];
            }
        }
        return changed;
    }

    Identity fresh() const { return {std::vector<float>(models_ * lanes_), std::vector<float>(lanes_, prior()), 0}; }

private:
    std::size_t models_, lanes_;

    void let_go() {
        // by age, then by name, as the order of the table is arbitrary
        std::vector<std::pair<uint64_t, uint64_t>> ages;
        for (const auto& [identity, one] : known) ages.emplace_back(one.last, identity);
        const auto middle = ages.begin() + static_cast<std::ptrdiff_t>(ages.size() / 2 + ages.size() % 2);
        std::nth_element(ages.begin(), middle, ages.end());
        for (auto old = ages.begin(); old != middle; ++old) known.erase(old->second);
    }
};

}  // namespace warmcb
