// UCB1 on costs, started from full cost vectors (the paper's Algorithm 3, in its appendix).
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace warmcb {

class LowerConfidenceBounds {
public:
    explicit LowerConfidenceBounds(std::size_t actions) : sums(actions), counts(actions) {}

    std::vector<double> sums, counts;  // of the warm start and the rounds together
    uint64_t rounds = 0;

    double bound(std::size_t action) const {
        if (counts[action] == 0) return -std::numeric_limits<double>::infinity();
        return sums[action] / counts[action] -
               2 * std::sqrt(std::log(static_cast<double>(rounds + 1)) / counts[action]);
    }

    // allowed: a mark for each action; null if all are.
    std::size_t best(const uint8_t* allowed) const {
        std::size_t best = counts.size();
        for (std::size_t a = 0; a < counts.size(); ++a)
            if ((!allowed || allowed[a]) && (best == counts.size() || bound(a) < bound(best))) best = a;
        return best;
    }

    void add(std::size_t action, double cost) {
        sums[action] += cost;
        counts[action] += 1;
        ++rounds;
    }
};

}  // namespace warmcb
