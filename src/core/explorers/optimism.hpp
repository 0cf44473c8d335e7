// The benefit of the doubt: what has rarely been tried lately may be better than it looks.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

namespace warmcb {

// An action's scores are lowered by `strength` unit costs, divided by 1 + n, n being how often it was learned, where rounds
// fade with `half_life`; it starts with 1. For actions that are played now and then that is next to nothing; one that has
// not been played for long is tried again, as it may have turned good. Noise is no part of it: where the action that is played always costs
// the same, others may still cost less.
struct Optimism {
    double strength, half_life;
    std::vector<double> counts;  // for each action: how often it was learned, as of its last time
    std::vector<uint64_t> last;  // when that was
    uint64_t rounds = 0;

    Optimism(std::size_t actions, double strength, double half_life)
        : strength(strength), half_life(half_life), counts(actions, 1.0), last(actions) {}

    bool has_any() const { return strength > 0 && rounds > 0; }

    float bonus(std::size_t action) const {
        return static_cast<float>(strength / (1 + count(action)));
    }

    void add_action() {
        counts.push_back(1);
        last.push_back(rounds);
    }

    void add(std::size_t action) {
        if (strength == 0) return;
        ++rounds;
        counts[action] = count(action) + 1;
        last[action] = rounds;
    }

private:
    double count(std::size_t action) const {
        return counts[action] * std::exp2(-static_cast<double>(rounds - last[action]) / half_life);
    }
};

}  // namespace warmcb
