// Costs on a scale from about 0 to 1, whatever their unit.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

namespace warmcb {

// unit = (cost − low)/width. The range is given by the user, or estimated from the costs so far. In the first rounds it
// grows with the costs. Later it is renewed whenever the number of rounds has doubled, from the costs since the renewal
// before the last one. A cost far outside of the range extends it by a few standard deviations or twice its width at
// most, so that one sale of 10,000 does not make all other costs look equal.
class CostUnit {
public:
    static constexpr uint64_t first_rounds = 128;

    CostUnit() = default;
    CostUnit(double low, double high) : low(low), width(high - low), fixed_(true) {}

    // A cost u in the old unit is a·u + b in the new one.
    struct Change {
        double a, b;
    };

    double low = 0, width = 1;
    double lowest = 0, highest = 0;                  // since the last renewal
    double lowest_before = 0, highest_before = 0;    // between the last two
    double mean = 0, squares = 0;                    // the mean of all costs, and the sum of squared deviations from it
    uint64_t seen = 0;

    bool fixed() const { return fixed_; }
    double unit(double cost) const {
        if (seen > 0 && !spread()) return std::clamp(0.5 + (cost - lowest) / width, -far, 1 + far);
        return std::clamp((within(cost) - low) / width, -far, 1 + far);
    }
    double cost(double unit) const { return low + unit * width; }
    bool spread() const { return fixed_ || highest_before > lowest_before || highest > lowest; }

    // Whether costs can be told apart: the range is known, or not all costs were equal.
    bool varied() const { return fixed_ || squares > 0; }

    // Counts a cost before it is learned. Returns the change of the unit, if it changes.
    std::optional<Change> see(double cost) {
        cost = within(cost);
        if (seen == 0 && !fixed_) {
            lowest = highest = lowest_before = highest_before = cost;
            low = cost - width / 2;
        }
        ++seen;
        const double step = cost - mean;
        mean += step / static_cast<double>(seen);
        squares += step * (cost - mean);
        if (fixed_) return std::nullopt;
        const bool had_spread = spread(), grows = cost < lowest || cost > highest;
        lowest = std::min(lowest, cost);
        highest = std::max(highest, cost);
        if (seen <= first_rounds ? grows : (grows && !had_spread) || (seen & (seen - 1)) == 0) return renew(had_spread);
        return std::nullopt;
    }

private:
    // standard deviations; not used in the very first rounds, when they are unknown
    static constexpr double wild = 10;
    static constexpr double far = 1000;  // units

    bool fixed_ = false;

    // Outside of the range so far, a cost counts as a few standard deviations at most.
    double within(double cost) const {
        if (fixed_ || seen < 16 || !spread()) return cost;
        const double reach = std::max(wild * std::sqrt(squares / static_cast<double>(seen)), 2 * width);
        const double least = std::min({lowest, lowest_before, mean - reach}),
                     most = std::max({highest, highest_before, mean + reach});
        return std::clamp(cost, least, most);
    }

    std::optional<Change> renew(bool had_spread) {
        const double from = std::min(lowest, lowest_before), to = std::max(highest, highest_before);
        const double so_far = lowest_before;  // all earlier costs were equal
        if (seen > first_rounds) {
            lowest_before = lowest;
            highest_before = highest;
            lowest = highest = mean;
        }
        double wide = to - from;
        if (had_spread) wide = std::max(wide, width / 2);
        if (!(wide > 1e-200) || (from == low && wide == width)) return std::nullopt;
        const Change change = had_spread ? Change{width / wide, (low - from) / wide}
                                         : Change{1, (so_far - from) / wide - 0.5};
        low = from;
        width = wide;
        return change;
    }
};

}  // namespace warmcb
