// From scores to the distribution that is played, and from the distribution to an action.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "philox.hpp"

namespace warmcb {

// What the lanes say of each action, and whom to listen to.
struct Opinions {
    const float* scores;     // actions × lanes
    std::size_t actions, lanes;
    const int32_t* greedy;   // for each lane
    const uint8_t* eligible;  // for each lane
    std::size_t in_charge;
};

// ε spread over all actions, the rest over the lowest-scored: equals share it.
struct EpsilonGreedy {
    double epsilon;

    double largest_weight(std::size_t actions, uint64_t, bool) const {
        return static_cast<double>(actions) / std::max(epsilon, 1e-9);
    }

    void distribution(const Opinions& opinions, uint64_t, double* probabilities) const {
        this->probabilities(opinions.scores + opinions.in_charge, opinions.actions, opinions.lanes, probabilities);
    }

    void probabilities(const float* scores, std::size_t actions, std::size_t stride, double* probabilities) const {
        float lowest = scores[0];
        for (std::size_t a = 1; a < actions; ++a) lowest = scores[a * stride] < lowest ? scores[a * stride] : lowest;
        std::size_t equals = 0;
        for (std::size_t a = 0; a < actions; ++a) equals += scores[a * stride] == lowest;
        const double explore = epsilon / static_cast<double>(actions);
        const double exploit = (1 - epsilon) / static_cast<double>(equals);
        for (std::size_t a = 0; a < actions; ++a) probabilities[a] = explore + (scores[a * stride] == lowest ? exploit : 0.0);
    }
};

// At most ε/K for each action, the less the worse it looks: an action that no eligible lane puts within `gap` of its best
// gets ε/K/(1 + sharpness·√t·gap), but never less than a floor. What a lane would play has its full share, so that lanes
// can be compared. ε itself falls like t^(−1/3), the rate that a horizon would ask for.
struct InverseGap {
    double epsilon;

    static constexpr double sharpness = 10, floor = 0.1, patience = 100;

    double share(std::size_t actions, uint64_t round) const {
        const double now = std::min(1.0, std::cbrt(patience / static_cast<double>(round + 1)));
        return epsilon * now / static_cast<double>(actions);
    }

    // The largest 1/p of the actions that eligible lanes want, or of any.
    double largest_weight(std::size_t actions, uint64_t round, bool of_eligible) const {
        return 1 / std::max(share(actions, round) * (of_eligible ? 1 : floor), 1e-9);
    }

    void distribution(const Opinions& opinions, uint64_t round, double* probabilities) const {
        const double most = share(opinions.actions, round), steepness = sharpness * std::sqrt(static_cast<double>(round + 1));
        const auto score = [&](std::size_t action, std::size_t lane) { return opinions.scores[action * opinions.lanes + lane]; };
        const float lowest = score(static_cast<std::size_t>(opinions.greedy[opinions.in_charge]), opinions.in_charge);
        double rest = 1;
        std::size_t equals = 0;
        for (std::size_t a = 0; a < opinions.actions; ++a) {
            if (score(a, opinions.in_charge) == lowest) {
                ++equals;
                continue;
            }
            float gap = 1;
            for (std::size_t lane = 0; lane < opinions.lanes; ++lane)
                if (opinions.eligible[lane])
                    gap = std::min(gap, score(a, lane) - score(static_cast<std::size_t>(opinions.greedy[lane]), lane));
            probabilities[a] = most * std::max(floor, 1 / (1 + steepness * gap));
            rest -= probabilities[a];
        }
        for (std::size_t a = 0; a < opinions.actions; ++a)
            if (score(a, opinions.in_charge) == lowest) probabilities[a] = rest / static_cast<double>(equals);
    }
};

inline std::size_t draw(const double* probabilities, std::size_t actions, double uniform) {
    std::size_t last_possible = 0;
    for (std::size_t a = 0; a < actions; ++a) {
        if (probabilities[a] > 0) last_possible = a;
        uniform -= probabilities[a];
        if (uniform < 0) return a;
    }
    return last_possible;  // the sum of the probabilities was rounded below 1
}

}  // namespace warmcb
