// At most ε/K for each action, the less the worse it looks: an action that no eligible lane puts within `gap` of its best
// gets ε/K/(1 + sharpness·√t·gap), but never less than `floor` of ε/K. What a lane would play has its full share, so that
// lanes can be compared. From round `patience` on, ε itself falls like t^(−1/3), the rate that a horizon would ask for.
#pragma once

#include "contracts.hpp"

namespace warmcb {

class InverseGap : public Explorer {
public:
    InverseGap(double sharpness, double floor, double patience) : sharpness(sharpness), floor(floor), patience(patience) {}

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
