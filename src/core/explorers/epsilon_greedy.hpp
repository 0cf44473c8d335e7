// ε-greedy exploration: all allowed actions share ε, and those with the lowest score share the rest.
#pragma once

#include "contracts.hpp"

namespace warmcb {

class EpsilonGreedy : public Explorer {
public:
    double largest_weight(std::size_t allowed, double epsilon, uint64_t, bool) const override {
        return static_cast<double>(allowed) / std::max(epsilon, 1e-9);
    }

    void distribution(const Opinions& opinions, double* probabilities) const override {
        const float* scores = opinions.scores + opinions.in_charge;
        const std::size_t actions = opinions.actions, stride = opinions.lanes;
        const float lowest = opinions.lowest(opinions.in_charge);
        std::size_t equals = 0, allowed = 0;
        for (std::size_t a = 0; a < actions; ++a) {
            equals += scores[a * stride] <= lowest;
            allowed += scores[a * stride] < not_allowed;
        }
        const double epsilon = allowed == 1 ? 0 : opinions.epsilon;
        const double explore = epsilon / static_cast<double>(allowed),
                     exploit = (1 - epsilon) / static_cast<double>(equals);
        // products instead of a branch, which the processor could not predict
        for (std::size_t a = 0; a < actions; ++a) {
            const float score = scores[a * stride];
            probabilities[a] = (score < not_allowed) * explore + (score <= lowest) * exploit;
        }
    }
};

}  // namespace warmcb
