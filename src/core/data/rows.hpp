// Examples for learners: rows of a dense or CSR matrix, and their costs.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/kernels.hpp"

namespace warmcb {

// Smaller features count as zero: their weights would be too large for a float.
constexpr float smallest_feature = 1e-30f;

// Without a branch, so that the compiler can check several values at once.
inline bool all_finite(const float* values, std::size_t count) {
    constexpr uint32_t exponent = 0x7f800000;  // all of these bits are set in a number that is not finite
    uint32_t bad = 0;
    for (std::size_t i = 0; i < count; ++i) bad |= (std::bit_cast<uint32_t>(values[i]) & exponent) == exponent;
    return !bad;
}

// A matrix of n rows and d features: a view of memory that the caller keeps alive, or its own single row.
class Rows {
public:
    Rows(std::shared_ptr<const float[]> row, std::size_t features)
        : own_(std::move(row)), values_(own_.get()), rows_(1), features_(features) {}

    // Row i; valid as long as these rows.
    Rows row(std::size_t i) const {
        if (starts_) return Rows(values_, indices_, starts_ + i, 1, features_);
        return Rows(values_ + i * features_, 1, features_);
    }
    Rows(const float* values, std::size_t rows, std::size_t features)
        : values_(values), rows_(rows), features_(features) {}
    Rows(const float* values, const int32_t* indices, const int64_t* starts, std::size_t rows, std::size_t features)
        : values_(values), indices_(indices), starts_(starts), rows_(rows), features_(features) {}

    std::size_t size() const { return rows_; }
    std::size_t features() const { return features_; }

    // The first value that is not finite.
    struct Place {
        int64_t row, column;
        float value;
    };
    std::optional<Place> first_bad() const {
        const int64_t stored = starts_ ? starts_[rows_] : static_cast<int64_t>(rows_ * features_);
        if (const int64_t begin = starts_ ? starts_[0] : 0;
            all_finite(values_ + begin, static_cast<std::size_t>(stored - begin)))
            return std::nullopt;
        for (int64_t i = starts_ ? starts_[0] : 0; i < stored; ++i) {
            if (std::isfinite(values_[i])) continue;
            if (!starts_)
                return Place{i / static_cast<int64_t>(features_), i % static_cast<int64_t>(features_), values_[i]};
            const int64_t* next_row = std::upper_bound(starts_, starts_ + rows_ + 1, i);
            return Place{next_row - starts_ - 1, indices_[i], values_[i]};
        }
        return std::nullopt;
    }

    // Row i without zeros, and with the intercept after the last feature. Valid until the buffer is used again.
    struct Buffer {
        std::vector<uint32_t> index;
        std::vector<float> value;
    };
    Row gather(std::size_t i, Buffer& buffer) const {
        const int64_t begin = starts_ ? starts_[i] : static_cast<int64_t>(i * features_);
        const int64_t count = starts_ ? starts_[i + 1] - begin : static_cast<int64_t>(features_);
        if (buffer.index.size() <= static_cast<std::size_t>(count)) {
            buffer.index.resize(count + 1);
            buffer.value.resize(count + 1);
        }
        std::size_t size = 0;
        for (int64_t k = 0; k < count; ++k) {
            const float x = values_[begin + k];
            buffer.index[size] = indices_ ? static_cast<uint32_t>(indices_[begin + k]) : static_cast<uint32_t>(k);
            buffer.value[size] = x;
            size += std::fabs(x) >= smallest_feature;
        }
        buffer.index[size] = static_cast<uint32_t>(features_);
        buffer.value[size] = 1.0f;
        return {buffer.index.data(), buffer.value.data(), size + 1};
    }

private:
    std::shared_ptr<const float[]> own_;
    const float* values_;
    const int32_t* indices_ = nullptr;  // null: dense
    const int64_t* starts_ = nullptr;
    std::size_t rows_, features_;
};

// The cost of each action in each row: a matrix, or labels, for which the right action costs 0 and all others 1.
// Unknown costs are NaN.
class Costs {
public:
    Costs(const int32_t* labels, std::size_t rows) : labels_(labels), rows_(rows) {}
    Costs(const double* matrix, std::size_t rows, std::size_t actions)
        : matrix_(matrix), rows_(rows), actions_(actions),
          has_gaps_(std::any_of(matrix, matrix + rows * actions, [](double cost) { return std::isnan(cost); })) {}

    std::size_t size() const { return rows_; }
    bool fits(std::size_t actions) const { return labels_ || actions == actions_; }

    double operator()(std::size_t row, std::size_t action) const {
        if (labels_) return labels_[row] == static_cast<int32_t>(action) ? 0.0 : 1.0;
        return matrix_[row * actions_ + action];
    }

    // All costs of a row. The buffer is used if they have to be computed.
    const double* row(std::size_t i, std::size_t actions, double* buffer) const {
        if (!labels_) return matrix_ + i * actions_;
        for (std::size_t a = 0; a < actions; ++a) buffer[a] = (*this)(i, a);
        return buffer;
    }

    // Which costs of a row are known; null if all are.
    const uint8_t* known(std::size_t i, std::size_t actions, uint8_t* buffer) const {
        if (!has_gaps_) return nullptr;
        for (std::size_t a = 0; a < actions; ++a) buffer[a] = !std::isnan((*this)(i, a));
        return buffer;
    }

private:
    const int32_t* labels_ = nullptr;
    const double* matrix_ = nullptr;
    std::size_t rows_, actions_ = 0;
    bool has_gaps_ = false;
};

}  // namespace warmcb
