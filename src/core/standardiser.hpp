// Features on their own scale: (x − centre) / deviation, from what has been seen so far, in one pass.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels.hpp"

namespace warmcb {

// z = (x − centre)·inverse, within ±largest (5), from running means and deviations. They are renewed when the number of examples has
// doubled, so that a learner has to change its coordinates a few times and not always; up to `settled_at` (64), each time from the
// examples since the last renewal alone, so that what was odd about the beginning is forgotten. Values beyond `wild`
// (10) deviations count as that: a wild one does not spoil a scale. A feature that has been constant so far has z = 0, and gets
// its scale the moment it moves: no earlier z is wrong then.
//
// Wide data are only scaled (centre 0, by the root mean square): zeros stay zeros, and cost nothing.
//
// Where a rare value is all that a feature has to say, as in one-hot columns, the unit is a fifth of it at least: it shall
// not be cut, and mean the same after a change of coordinates.
class Standardiser {
public:
    struct Options {
        double largest, wild;  // deviations: where z is cut, and as what a value counts at most
        uint64_t settled_at;   // examples; until then, units forget what came before their last renewal
    };

    Standardiser(std::size_t features, bool centres, Options options)
        : options(options), sums(features), squares(features), centre(features), inverse(features), shown(centres ? 2 * features : 0),
          varied(centres ? features : 0), peaks(centres ? 0 : features), centres_(centres) {}

    Options options;
    std::vector<double> sums, squares;    // Σx and Σx² of the examples after `counted_from`
    std::vector<double> centre, inverse;  // inverse 0: constant so far
    std::vector<float> shown;             // the first two values of each feature
    std::vector<uint8_t> varied;          // whether it has shown a third
    std::vector<float> peaks;             // of wide data: the largest |x|
    uint64_t seen = 0, counted_from = 0;

    // z' = a·z + b, feature by feature.
    struct Change {
        std::vector<double> a, b;
    };

    // Counts an example, of which x has all features, and gives a unit to those that move for the first time; true when
    // the units shall be renewed.
    bool see(const float* x) {
        ++seen;
        for (std::size_t j = 0; j < centre.size(); ++j) {
            count(j, x[j]);
            if (seen == 1) centre[j] = shown[2 * j] = shown[2 * j + 1] = x[j];
            if (x[j] == shown[2 * j] || x[j] == shown[2 * j + 1]) continue;
            if (shown[2 * j] == shown[2 * j + 1]) shown[2 * j + 1] = x[j];
            else varied[j] = true;
            if (inverse[j] == 0 && x[j] != centre[j]) inverse[j] = inverse_deviation(j, std::fabs(x[j] - centre[j]));
        }
        return renewal_is_due();
    }

    // The same for wide data.
    bool see(Row row) {
        ++seen;
        for (std::size_t k = 0; k < row.size; ++k) {
            const std::size_t j = row.index[k];
            const auto size = static_cast<float>(std::fabs(count(j, row.value[k])));
            peaks[j] = std::max(peaks[j], size);
            if (inverse[j] == 0) inverse[j] = inverse_deviation(j, size);
        }
        return renewal_is_due();
    }

    Change renew() {
        Change change{std::vector<double>(centre.size(), 1.0), std::vector<double>(centre.size(), 0.0)};
        for (std::size_t j = 0; j < centre.size(); ++j) {
            if (inverse[j] == 0) continue;
            const double mean = mean_of(j), renewed = inverse_deviation(j, 1 / inverse[j]);
            change.a[j] = renewed / inverse[j];
            change.b[j] = (centre[j] - mean) * renewed;
            centre[j] = mean;
            inverse[j] = renewed;
        }
        if (seen <= options.settled_at) {
            std::fill(sums.begin(), sums.end(), 0.0);
            std::fill(squares.begin(), squares.end(), 0.0);
            counted_from = seen;
        }
        return change;
    }

    float z(std::size_t j, double x) const {
        return static_cast<float>(std::clamp((x - centre[j]) * inverse[j], -options.largest, options.largest));
    }

private:
    bool centres_;

    double counted() const { return static_cast<double>(seen - counted_from); }
    double mean_of(std::size_t j) const { return centres_ ? sums[j] / counted() : 0.0; }

    bool renewal_is_due() const { return seen >= 4 && std::has_single_bit(seen); }

    // As what a value counts.
    double count(std::size_t j, double x) {
        if (inverse[j] != 0) x = std::clamp(x, centre[j] - options.wild / inverse[j], centre[j] + options.wild / inverse[j]);
        sums[j] += x;
        squares[j] += x * x;
        return x;
    }

    // 1/deviation; of a feature whose deviation is lost in rounding, 1/instead.
    double inverse_deviation(std::size_t j, double instead) const {
        const double mean = mean_of(j), variance = squares[j] / counted() - mean * mean;
        const double deviation = variance > 1e-13 * mean * mean ? std::sqrt(variance) : instead;
        double farthest = 0;
        if (!centres_) farthest = peaks[j];
        else if (!varied[j]) farthest = std::max(std::fabs(shown[2 * j] - mean), std::fabs(shown[2 * j + 1] - mean));
        return 1 / std::max(deviation, farthest / options.largest);
    }
};

}  // namespace warmcb
