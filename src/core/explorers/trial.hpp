// Trials of new actions: a model cannot predict that an unseen action is good.
#pragma once

#include "contracts.hpp"

namespace warmcb {

// Until it has been learned `length` times, a new action gets `share` of the rounds; all new actions together get at
// most half. They get more only if the explorer gives them more. The limit rises with the number of costs that have
// arrived, as costs may be late. After that the action has a bonus, which decreases until it has been learned ten times
// as often.
struct Trial {
    uint32_t length;
    double share;
    std::vector<uint8_t> added;     // for each action: whether it was added later
    std::vector<uint32_t> learned;  // for each added action: how often it was learned
    std::vector<uint64_t> from, to;  // for each added action: the rounds of its trial

    static constexpr uint64_t not_over = std::numeric_limits<uint64_t>::max();

    Trial(std::size_t actions, uint32_t length, double share)
        : length(length), share(share), added(actions), learned(actions), from(actions), to(actions) {}

    bool ran() const { return !added.empty() && added.back(); }  // new actions are the last ones
    // now: the number of learned rounds.
    void add_action(uint64_t now) {
        added.push_back(1);
        learned.push_back(0);
        from.push_back(now);
        to.push_back(not_over);
    }
    void count(std::size_t action, uint64_t now) {
        if (ran() && added[action] && ++learned[action] == length) to[action] = now;
    }

    bool tries(std::size_t action) const { return added[action] && learned[action] < length; }

    // The bonus that is subtracted from its scores, in unit costs. Without it bad luck in some contexts would last: an
    // action that looks bad is not played, and so its score is not corrected.
    float doubt(std::size_t action) const {
        const uint32_t enough = 10 * length;
        if (!added[action] || tries(action) || learned[action] >= enough) return 0;
        const auto deviations = [](uint32_t n) { return 3 / std::sqrt(static_cast<double>(n)); };
        return static_cast<float>(deviations(learned[action]) - deviations(enough));
    }

    // An upper bound on 1/p in this round, if that of the explorer alone is `bound`.
    double widened(double bound, uint64_t round) const {
        if (!ran()) return bound;
        std::size_t tried = 0;
        for (std::size_t a = 0; a < added.size(); ++a) tried += added[a] && from[a] <= round && round <= to[a];
        if (tried == 0) return bound;
        const double least = together(tried);
        return std::max(bound / (1 - least), static_cast<double>(tried) / least);
    }

    // Gives new actions their share. Returns the probability that the explorer gave them beyond the limit. The caller
    // shares it among the other actions, as the explorer would if no new action were allowed.
    double mix(const Opinions& opinions, double* probabilities) const {
        if (!ran()) return 0;
        const auto tried = [&](std::size_t a) { return tries(a) && opinions.allowed(a); };
        std::size_t count = 0;
        uint32_t fewest = length;
        double wanted = 0;  // the share that the explorer gives them
        for (std::size_t a = 0; a < opinions.actions; ++a) {
            if (!tried(a)) continue;
            ++count;
            fewest = std::min(fewest, learned[a]);
            wanted += probabilities[a];
        }
        if (count == 0 || count == opinions.count_allowed()) return 0;  // no other allowed action could get the rest
        const double least = together(count), most = least + (1 - least) * fewest / length;
        const double given = std::clamp(wanted, least, most);
        const double kept = wanted < given ? (1 - given) / (1 - wanted) : 1;
        for (std::size_t a = 0; a < opinions.actions; ++a) {
            if (tried(a)) probabilities[a] = given / static_cast<double>(count);
            else probabilities[a] *= kept;
        }
        return std::max(wanted - given, 0.0);
    }

private:
    double together(std::size_t count) const { return std::min(static_cast<double>(count) * share, 0.5); }
};

}  // namespace warmcb
