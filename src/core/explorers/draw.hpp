// From a distribution to an action.
#pragma once

#include <cstddef>

namespace warmcb {

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
