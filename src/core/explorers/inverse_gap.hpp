// Exploration that decreases with the gap: an action whose score is `gap` above the best in every eligible lane gets
// ε/K/(1 + sharpness·√t·gap), but at least `floor`·ε/K. The action that a lane prefers gets at least ε/K, so that lanes
// can be compared. From round `patience` on, ε itself decreases like t^(−1/3), the rate of the best fixed ε for t
// rounds.
#pragma once

#include "contracts.hpp"

namespace warmcb {

class InverseGap : public Explorer {
public:
    InverseGap(double sharpness, double floor, double patience)
        : sharpness(sharpness), floor(floor), patience(patience) {}

    const double sharpness, floor, patience;

    double largest_weight(std::size_t allowed, double epsilon, uint64_t round, bool of_eligible) const override {
        return 1 / std::max(share(allowed, epsilon, round) * (of_eligible ? 1 : floor), 1e-9);
    }

    void distribution(const Opinions& opinions, double* probabilities) const override {
        const double most = share(opinions.count_allowed(), opinions.epsilon, opinions.round);
        const double steepness = sharpness * std::sqrt(static_cast<double>(opinions.round + 1));
        const float lowest = opinions.lowest(opinions.in_charge);
        double rest = 1;
        std::size_t equals = 0;
        for (std::size_t a = 0; a < opinions.actions; ++a) {
            probabilities[a] = 0;
            if (opinions.score(a, opinions.in_charge) == lowest) ++equals;
            if (!opinions.allowed(a) || opinions.score(a, opinions.in_charge) == lowest) continue;
            float gap = 1;
            for (std::size_t lane = 0; lane < opinions.lanes; ++lane)
                if (opinions.eligible[lane]) gap = std::min(gap, opinions.score(a, lane) - opinions.lowest(lane));
            probabilities[a] = most * std::max(floor, 1 / (1 + steepness * gap));
            rest -= probabilities[a];
        }
        for (std::size_t a = 0; a < opinions.actions; ++a)
            if (opinions.score(a, opinions.in_charge) == lowest) probabilities[a] = rest / static_cast<double>(equals);
    }

private:
    double share(std::size_t allowed, double epsilon, uint64_t round) const {
        const double now = std::min(1.0, std::cbrt(patience / static_cast<double>(round + 1)));
        return epsilon * now / static_cast<double>(allowed);
    }
};

}  // namespace warmcb
