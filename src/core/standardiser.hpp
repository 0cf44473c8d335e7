// Features on their own scale: (x − centre) / deviation, from what has been seen so far, in one pass.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels.hpp"

namespace warmcb {

// z = (x − centre)·inverse. Running sums know the mean and the deviation; z follows them only when the number of examples
// doubles, so that a learner has to change its coordinates a few times and not always. A feature that has been constant
// so far has z = 0, and gets its scale the moment it moves: no earlier z is wrong then.
//
// Wide data are only scaled (centre 0, by the root mean square): zeros stay zeros, and cost nothing.
class Standardiser {
public:
    static constexpr float largest = 5.0f;  // |z|; one wild value does not rule a model

    Standardiser(std::size_t features, bool centres)
        : sums(features), squares(features), centre(features), inverse(features), shown(centres ? 2 * features : 0),
          varied(centres ? features : 0), centres_(centres) {}

    std::vector<double> sums, squares;    // Σx and Σx²
    std::vector<double> centre, inverse;  // inverse 0: constant so far
    std::vector<float> shown;             // the first two values of each feature
    std::vector<uint8_t> varied;          // whether it has shown a third
    uint64_t seen = 0;

    // z' = a·z + b, feature by feature; what is known of a feature whose scale was wrong by far is of no use any more.
    struct Change {
        std::vector<double> a, b;
        std::vector<uint32_t> restarted;  // ascending
    };

    // Counts an example; true when the scale shall be renewed.
    bool see(Row row) {
        ++seen;
        for (std::size_t k = 0; k < row.size; ++k) {
            const double x = row.value[k];
            sums[row.index[k]] += x;
            squares[row.index[k]] += x * x;
        }
        return seen >= 4 && std::has_single_bit(seen);
    }

    // Gives a scale to the features of a row that have none, and move for the first time; x has all features, centred
    // data only.
    void meet(const float* x) {
        for (std::size_t j = 0; j < centre.size(); ++j) {
            if (seen == 1) centre[j] = shown[2 * j] = shown[2 * j + 1] = x[j];
            if (x[j] == shown[2 * j] || x[j] == shown[2 * j + 1]) continue;
            if (shown[2 * j] == shown[2 * j + 1]) shown[2 * j + 1] = x[j];
            else varied[j] = true;
            if (inverse[j] == 0 && x[j] != centre[j]) inverse[j] = inverse_deviation(j, std::fabs(x[j] - centre[j]));
        }
    }
    void meet(Row row) {
        for (std::size_t k = 0; k < row.size; ++k)
            if (inverse[row.index[k]] == 0)
                inverse[row.index[k]] = inverse_deviation(row.index[k], std::fabs(static_cast<double>(row.value[k])));
    }

    Change renew() {
        Change change{std::vector<double>(centre.size(), 1.0), std::vector<double>(centre.size(), 0.0), {}};
        for (std::size_t j = 0; j < centre.size(); ++j) {
            if (inverse[j] == 0) continue;
            const double mean = centres_ ? sums[j] / static_cast<double>(seen) : 0.0;
            const double renewed = inverse_deviation(j, 1 / inverse[j]);
            const double a = renewed / inverse[j], b = (centre[j] - mean) * renewed;
            if (a > 1 / far && a < far && std::fabs(b) < far) {
                change.a[j] = a;
                change.b[j] = b;
            } else {
                change.restarted.push_back(static_cast<uint32_t>(j));
            }
            centre[j] = mean;
            inverse[j] = renewed;
        }
        return change;
    }

    float z(std::size_t j, double x) const {
        return std::clamp(static_cast<float>((x - centre[j]) * inverse[j]), -largest, largest);
    }

private:
    static constexpr double far = 1000;
    bool centres_;

    // 1/deviation; of a feature whose deviation is lost in rounding, 1/instead.
    double inverse_deviation(std::size_t j, double instead) const {
        const double n = static_cast<double>(seen), mean = centres_ ? sums[j] / n : 0.0;
        const double variance = squares[j] / n - mean * mean;
        return 1 / (variance > 1e-13 * mean * mean ? std::sqrt(variance) : instead);
    }
};

}  // namespace warmcb
