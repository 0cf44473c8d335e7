// Optimism: actions that were rarely played lately may be better than they look.
#pragma once

#include "contracts.hpp"

namespace warmcb {

// The scores of an action are lowered by strength/(1 + n) unit costs. n counts how often the action was learned, with a
// weight that halves every `half_life` rounds; it starts at 1. For actions that are played now and then the bonus is
// negligible. An action that was not played for long is tried again. The noise of the costs does not matter: even if
// the action that is played always costs the same, others may have become cheaper.
//
// If costs are late, an action that the bonus favours would be played in every round until its first cost arrives. Then
// the bonuses count in some decisions only: the action is played about 16 times until its cost is known.
struct Optimism {
    double strength, half_life;
    std::vector<double> counts;  // for each action: n, when it was last learned
    std::vector<uint64_t> last;  // the round in which that was
    uint64_t rounds = 0;
    double delay = 0;  // how many rounds are learned between a decision and its cost: the mean of about 1,000 rounds

    Optimism(std::size_t actions, double strength, double half_life)
        : strength(strength), half_life(half_life), counts(actions, 1.0), last(actions) {}

    bool has_any() const { return strength > 0 && rounds > 0; }

    // The share of the decisions in which the bonuses count.
    double share() const { return has_any() && delay > most_prompt ? most_prompt / (most_prompt + delay) : 1; }

    // An upper bound on 1/p, if that of the explorer without bonuses is `bound`.
    double widened(double bound) const { return share() < 1 ? bound / (1 - share()) : bound; }

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

    void wait(uint64_t age) {
        if (rounds > 0) delay += (static_cast<double>(age) - delay) / std::min(static_cast<double>(rounds), 1000.0);
    }

private:
    double count(std::size_t action) const {
        return counts[action] * std::exp2(-static_cast<double>(rounds - last[action]) / half_life);
    }
};

}  // namespace warmcb
