// The units of features: standardised values, and normal scores of ranks.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels/kernels.hpp"
#include "least_squares/normal.hpp"

namespace warmcb {

// Dense rows: z = (x − centre)·inverse, clipped to ±largest, and the normal quantile of the rank of x, interpolated
// between `knots` of the sample. Both come from the first examples and are then fixed, as a trained model needs
// coordinates that do not change. If the values of a feature leave its range for good, it gets new units from its
// latest rows, and the model keeps its weights, as after a change from metres to feet. If a feature leaves its range
// again and again, its units cover all its earlier ranges.
//
// Wide rows are only scaled, by the root mean square of each feature: zeros stay zeros.
class FeatureUnits {
public:
    struct Options {
        double largest;  // standard deviations: z is clipped here
        double wild;     // standard deviations: values are clipped here when the deviations are computed
    };
    static constexpr std::size_t knots_of_each = 32;
    // the number of rows after which features are checked; new units come from these rows
    static constexpr std::size_t window = 50;
    static constexpr std::size_t most_places = 16;

    FeatureUnits(std::size_t features, bool centres, Options options)
        : options(options), centre(features), inverse(features), varied(features),
          knots(centres ? features * knots_of_each : 0) {}

    Options options;
    std::vector<double> centre, inverse;  // inverse 0: constant so far
    std::vector<uint8_t> varied;          // whether it has had at least three different values
    std::vector<float> knots;             // quantiles of the sample, for each feature
    std::vector<float> recent;            // the rows since the last check
    std::vector<uint16_t> beyond;         // how many of them were beyond three standard deviations
    std::vector<std::vector<float>> places;  // for each feature, the rows that its units were computed from
    uint64_t renewals = 0;

    std::size_t features() const { return centre.size(); }

    // The units from the first examples, for dense rows.
    void fit(const std::vector<std::vector<float>>& rows) {
        std::vector<float> sample(rows.size());
        for (std::size_t j = 0; j < features(); ++j) {
            std::transform(rows.begin(), rows.end(), sample.begin(), [&](const auto& row) { return row[j]; });
            fit(j, sample);
        }
    }

    // The same for wide rows.
    void fit_scales(const std::vector<Row>& rows) {
        std::vector<double> squares(features()), peaks(features());
        for (const Row& row : rows)
            for (std::size_t k = 0; k < row.size; ++k) {
                squares[row.index[k]] += static_cast<double>(row.value[k]) * row.value[k];
                peaks[row.index[k]] = std::max(peaks[row.index[k]], static_cast<double>(std::fabs(row.value[k])));
            }
        for (std::size_t j = 0; j < features(); ++j)
            if (peaks[j] > 0)
                inverse[j] =
                    1 / std::max(std::sqrt(squares[j] / static_cast<double>(rows.size())), peaks[j] / options.largest);
    }

    // A feature that varies for the first time gets a unit. Its earlier z were 0, and remain valid.
    void notice(std::size_t j, float x) {
        if (inverse[j] == 0 && x != centre[j]) inverse[j] = first_value / std::fabs(x - centre[j]);
    }

    // Counts a dense row after the first examples, and renews the units of features that have left their range.
    void watch(const float* x) {
        recent.insert(recent.end(), x, x + features());
        beyond.resize(features());
        for (std::size_t j = 0; j < features(); ++j) beyond[j] += is_beyond(j, x[j]);
        if (recent.size() < window * features()) return;
        places.resize(features());
        for (std::size_t j = 0; j < features(); ++j) {
            if (3 * beyond[j] <= window) continue;
            std::size_t first = 0;  // the earlier rows are outside of the present range
            while (first + 1 < window && !is_beyond(j, recent[first * features() + j])) ++first;
            std::vector<float>& of_feature = places[j];
            for (std::size_t i = first; i < window; ++i) of_feature.push_back(recent[i * features() + j]);
            if (of_feature.size() > most_places * window)
                of_feature.erase(of_feature.begin(), of_feature.end() - most_places * window);
            std::vector<float> sample = of_feature;
            fit(j, sample);
            ++renewals;
        }
        recent.clear();
        std::fill(beyond.begin(), beyond.end(), uint16_t(0));
    }

    float z(std::size_t j, double x) const {
        return static_cast<float>(std::clamp((x - centre[j]) * inverse[j], -options.largest, options.largest));
    }

    // The normal score of the rank of x. Equal values get the middle of their ranks. Outside of the sample the score
    // continues linearly, in standard deviations.
    float score(std::size_t j, float x) const {
        const float *first = knots.data() + j * knots_of_each, *end = first + knots_of_each;
        if (*first == end[-1]) return std::clamp(z(j, x), levels().front(), levels().back());
        std::size_t below = 0;  // by counting: the branches of a binary search cannot be predicted
        for (const float* knot = first; knot < end; ++knot) below += *knot < x;
        const float* low = first + below;
        if (low == end)
            return std::min(levels().back() + beyond_knot(j, x, end[-1]), static_cast<float>(options.largest));
        if (low == first && x < *first)
            return std::max(levels().front() + beyond_knot(j, x, *first), static_cast<float>(-options.largest));
        const std::size_t i = low - first;
        if (*low == x) return (levels()[i] + levels()[std::upper_bound(low, end, x) - first - 1]) / 2;
        const double between = (static_cast<double>(x) - low[-1]) / (static_cast<double>(*low) - low[-1]);
        return levels()[i - 1] + static_cast<float>(between) * (levels()[i] - levels()[i - 1]);
    }

private:
    static constexpr double first_value = 3;    // the z of the first value of a feature that appears late
    static constexpr std::size_t discrete = 16;  // features with fewer values have knots at the values

    bool is_beyond(std::size_t j, float x) const { return std::fabs((x - centre[j]) * inverse[j]) > 3; }

    float beyond_knot(std::size_t j, float x, float knot) const {
        return static_cast<float>((static_cast<double>(x) - static_cast<double>(knot)) * inverse[j]);
    }

    static const std::vector<float>& levels() {
        static const auto levels = [] {
            std::vector<float> quantiles(knots_of_each);
            for (std::size_t k = 0; k < knots_of_each; ++k)
                quantiles[k] = static_cast<float>(normal_quantile((static_cast<double>(k) + 0.5) / knots_of_each));
            return quantiles;
        }();
        return levels;
    }

    void fit(std::size_t j, std::vector<float>& sample) {
        std::sort(sample.begin(), sample.end());
        const auto n = static_cast<double>(sample.size());
        std::size_t values = 1;
        for (std::size_t i = 1; i < sample.size(); ++i) values += sample[i] != sample[i - 1];
        varied[j] = values > 2;
        float* quantiles = knots.data() + j * knots_of_each;
        for (std::size_t k = 0; k < knots_of_each; ++k) {
            const double place = std::clamp((static_cast<double>(k) + 0.5) / knots_of_each * n - 0.5, 0.0, n - 1);
            const auto below = static_cast<std::size_t>(place), above = std::min(below + 1, sample.size() - 1);
            const double between = place - static_cast<double>(below), low = sample[below], high = sample[above];
            // Just below −1, on the way from −1e16, the sum is rounded to 0: the limit keeps the knots in order.
            quantiles[k] = values > discrete ? static_cast<float>(std::min(low + between * (high - low), high))
                                             : sample[between < 0.5 ? below : above];
        }
        if (values == 1) {
            centre[j] = sample[0];
            inverse[j] = 0;
            return;
        }
        // The bulk of the sample decides which values are outliers.
        const auto at = [&](double share) {
            return static_cast<double>(sample[static_cast<std::size_t>(share * (n - 1))]);
        };
        const double spread = (at(0.84) - at(0.16)) / 2;
        const double reach = spread > 0 ? options.wild * spread : std::numeric_limits<double>::infinity();
        double sum = 0, squares = 0;
        for (const float x : sample) sum += std::clamp<double>(x, at(0.5) - reach, at(0.5) + reach);
        const double mean = sum / n;
        for (const float x : sample) {
            const double from_mean = std::clamp<double>(x, at(0.5) - reach, at(0.5) + reach) - mean;
            squares += from_mean * from_mean;
        }
        const double deviation = std::sqrt(squares / n);
        // A rare value is not clipped if the feature has no other information, as in one-hot columns.
        const double farthest =
            varied[j] ? 0 : std::max(std::fabs(sample.front() - mean), std::fabs(sample.back() - mean));
        centre[j] = mean;
        inverse[j] = 1 / std::max(deviation, farthest / options.largest);
    }
};

}  // namespace warmcb
