// Optimism: actions that were rarely played lately may be better than they look.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

namespace warmcb {

// The scores of an action are lowered by strength/(1 + n) unit costs. n counts how often the action was learned, with a
// weight that halves every `half_life` rounds; it starts at 1. For actions that are played now and then the bonus is
// negligible. An action that was not played for long is tried again. The noise of the costs does not matter: even if
// the action that is played always costs the same, others may have become cheaper.
struct Optimism {
    double strength, half_life;
    std::vector<double> counts;  // for each action: n, when it was last learned
    std::vector<uint64_t> last;  // the round in which that was
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
