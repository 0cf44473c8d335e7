// New actions are tried out: what nobody has seen cannot win by predictions alone.
#pragma once

#include "contracts.hpp"

namespace warmcb {

// Until it has been learned `length` times, an action that was added shares `share` of the rounds with other new ones.
struct Trial {
    uint32_t length;
    double share;
    std::vector<uint32_t> left;  // for each action: how often it is still to be learned

    bool ran = false;  // whether any action was ever added

    void add_action() {
        left.push_back(length);
        ran = true;
    }
    void count(std::size_t action) { left[action] -= left[action] > 0; }

    // No probability becomes smaller than by this factor.
    double widening() const { return ran ? 1 / (1 - share) : 1; }

    // Actions that are not allowed have probability 0, and keep it: `opinions` tell which they are.
    void mix(const Opinions& opinions, double* probabilities) const {
        if (!ran) return;
        const auto tried = [&](std::size_t a) { return left[a] > 0 && opinions.allowed(a); };
        std::size_t count = 0;
        for (std::size_t a = 0; a < opinions.actions; ++a) count += tried(a);
        if (count == 0 || opinions.count_allowed() == count) return;  // nothing to compare with: the explorer does it
        for (std::size_t a = 0; a < opinions.actions; ++a)
            probabilities[a] = (1 - share) * probabilities[a] + (tried(a) ? share / static_cast<double>(count) : 0.0);
    }
};

}  // namespace warmcb
