// The covariance of a least-squares solution as U·diag(d)·Uᵀ, for every lane (Bierman, 1977).
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "kernels.hpp"

namespace warmcb {

// U is upper triangular with ones on its diagonal; an example changes U and d in place. The product stays positive
// whatever the rounding: floats do for millions of examples where the plain inverse would drift.
//
// `block` inputs share one triangle, and between triangles covariances are dropped: one block is exact least squares, blocks
// of one input keep a variance for each.
class Factor {
public:
    Factor(std::size_t inputs, std::size_t lanes, std::size_t block, float variance)
        : lanes_(lanes), block_(block), variances(inputs * lanes, variance), columns(columns_of(inputs) * lanes) {}

    // Takes in an example and gives what a unit of residual adds to the weights: gain, inputs × lanes, all of whose
    // entries outside of the touched blocks are left alone.
    //
    // inputs: dense; touched: the blocks with inputs that are not 0, ascending.
    void absorb(const float* inputs, const std::vector<uint32_t>& touched, const float* importance, const Kernels& kernels,
                float* gain) {
        std::vector<float>& alpha = alpha_;
        alpha.assign(lanes_, 1.0f);
        for (const uint32_t k : touched) {
            const std::size_t first = k * block_, size = size_of(k);
            kernels.absorb({inputs + first, size, columns.data() + k * triangle(block_) * lanes_,
                            variances.data() + first * lanes_, lanes_, importance, alpha.data(), gain + first * lanes_});
        }
        for (std::size_t lane = 0; lane < lanes_; ++lane) alpha[lane] = importance[lane] / alpha[lane];
        for (const uint32_t k : touched)
            for (std::size_t j = k * block_; j < k * block_ + size_of(k); ++j)
                for (std::size_t lane = 0; lane < lanes_; ++lane) gain[j * lanes_ + lane] *= alpha[lane];
    }

    // An input more, uncorrelated so far.
    void grow(float variance) {
        columns.resize(columns_of(inputs() + 1) * lanes_);
        variances.resize(variances.size() + lanes_, variance);
    }

    // An input as on the first day.
    void forget(std::size_t input, float variance) {
        const std::size_t first = input / block_ * block_, end = std::min(first + block_, inputs());
        std::fill_n(variances.begin() + input * lanes_, lanes_, variance);
        std::fill_n(column_of(input), (input - first) * lanes_, 0.0f);
        for (std::size_t j = input + 1; j < end; ++j) std::fill_n(column_of(j) + (input - first) * lanes_, lanes_, 0.0f);
    }

    // Follows the weights into other coordinates: weights' = M·weights with an upper triangular M. apply(v, first, count)
    // does that to the inputs first … first+count−1 of v, count × lanes; diagonal[j] = M_jj.
    template <class Apply> void change(Apply&& apply, const std::vector<double>& diagonal) {
        std::vector<float> column(std::min(block_, inputs()) * lanes_);
        for (std::size_t j = 0; j < inputs(); ++j) {
            const std::size_t first = j / block_ * block_, above = j - first;
            float* stored = column_of(j);
            std::copy(stored, stored + above * lanes_, column.data());
            std::fill_n(column.data() + above * lanes_, lanes_, 1.0f);
            apply(column.data(), first, above + 1);
            for (std::size_t i = 0; i < above * lanes_; ++i) stored[i] = static_cast<float>(column[i] / diagonal[j]);
            for (std::size_t lane = 0; lane < lanes_; ++lane)
                variances[j * lanes_ + lane] *= static_cast<float>(diagonal[j] * diagonal[j]);
        }
    }

    std::size_t inputs() const { return variances.size() / lanes_; }

private:
    std::size_t lanes_, block_;
    std::vector<float> alpha_;

    static std::size_t triangle(std::size_t size) { return size * (size - (size > 0)) / 2; }
    float* column_of(std::size_t j) {
        return columns.data() + (j / block_ * triangle(block_) + triangle(j % block_)) * lanes_;
    }
    std::size_t size_of(std::size_t k) const { return std::min(block_, inputs() - k * block_); }
    std::size_t columns_of(std::size_t inputs) const {
        return inputs / block_ * triangle(block_) + triangle(inputs % block_);
    }

public:
    std::vector<float> variances, columns;  // d, and U above its diagonal, column by column
};

}  // namespace warmcb
