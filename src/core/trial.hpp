// New actions are tried out: what nobody has seen cannot win by predictions alone.
#pragma once

#include "contracts.hpp"

namespace warmcb {

// Until it has been learned `length` times, an action that was added gets `share` of the rounds, together with other new
// ones; and more only if the predictions say so and as costs come in, as they may be late. After that it gets the benefit
// of the doubt, less and less until it has been learned ten times as often: where it might be the best, it is taken for it.
struct Trial {
    uint32_t length;
    double share;
    std::vector<uint8_t> added;     // for each action: whether it came later than the others
    std::vector<uint32_t> learned;  // for each action that was added: how often it was learned

    bool ran() const { return !added.empty() && added.back(); }  // new actions are the last ones
    void add_action() {
        added.push_back(1);
        learned.push_back(0);
    }
    void count(std::size_t action) { learned[action] += added[action]; }

    bool tries(std::size_t action) const { return added[action] && learned[action] < length; }

    // What its scores are lowered by, on the scale of costs from 0 to 1. Less would leave it where bad luck has put it: an
    // action that is the best by 0.1, with costs of 0 and 1, would be played in 70 % of the rounds instead of 85 %.
    float doubt(std::size_t action) const {
        const uint32_t enough = 10 * length;
        if (!added[action] || tries(action) || learned[action] >= enough) return 0;
        const auto deviations = [](uint32_t n) { return 3 / std::sqrt(static_cast<double>(n)); };
        return static_cast<float>(deviations(learned[action]) - deviations(enough));
    }

    // No probability becomes smaller than by this factor.
    double widening() const { return ran() ? 1 / (1 - share) : 1; }

    // Actions that are not allowed have probability 0, and keep it: `opinions` tell which they are.
    void mix(const Opinions& opinions, double* probabilities) const {
        if (!ran()) return;
        const auto tried = [&](std::size_t a) { return tries(a) && opinions.allowed(a); };
        std::size_t count = 0;
        uint32_t least = length;
        double wanted = 0;  // what the explorer gives them
        for (std::size_t a = 0; a < opinions.actions; ++a) {
            if (!tried(a)) continue;
            ++count;
            least = std::min(least, learned[a]);
            wanted += probabilities[a];
        }
        const std::size_t others = opinions.count_allowed() - count;
        if (count == 0 || others == 0) return;  // nothing to compare with: the explorer does it
        const double most = share + (1 - share) * least / length, given = std::clamp(wanted, share, most);
        for (std::size_t a = 0; a < opinions.actions; ++a) {
            if (tried(a)) probabilities[a] = given / static_cast<double>(count);
            else if (wanted < 1) probabilities[a] *= (1 - given) / (1 - wanted);
            else if (opinions.allowed(a)) probabilities[a] = (1 - given) / static_cast<double>(others);
        }
    }
};

}  // namespace warmcb
