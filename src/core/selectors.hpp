// Which lane is in charge.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels.hpp"

namespace warmcb {

// Algorithm 1, line 7: each lane pays cost/p whenever its greedy action is the one that was played.
class ProgressiveValidation {
public:
    explicit ProgressiveValidation(std::size_t lanes) : sums(lanes) {}

    std::vector<double> sums;
    uint64_t rounds = 0;
    std::size_t first = 0;  // lanes before this one are not eligible

    // The eligible lane with the lowest sum, the first among equals.
    std::size_t best() const { return std::min_element(sums.begin() + first, sums.end()) - sums.begin(); }

    void add(const int32_t* greedy, std::size_t action, double cost, double probability) {
        const double score = cost * inverse_propensity(probability);
        for (std::size_t lane = 0; lane < sums.size(); ++lane)
            sums[lane] += greedy[lane] == static_cast<int32_t>(action) ? score : 0.0;
        ++rounds;
    }
};

// A lane that somebody else has chosen.
struct FixedLane {
    std::size_t lane;
    std::size_t best() const { return lane; }
    void add(const int32_t*, std::size_t, double, double) {}
};

}  // namespace warmcb
