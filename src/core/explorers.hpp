// From scores to the distribution that is played, and from the distribution to an action.
#pragma once

#include <cstddef>

#include "philox.hpp"

namespace warmcb {

// ε spread over all actions, the rest over the lowest-scored: equals share it.
struct EpsilonGreedy {
    double epsilon;

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
