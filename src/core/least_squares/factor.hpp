// The covariance of one regressor's weights as U·diag(d)·Uᵀ (Bierman, 1977).
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/kernels.hpp"
#include "least_squares/terms.hpp"

namespace warmcb {

// How a lane forgets: its weights walk at random, so that variances grow by `step` a round; or its examples fade, so that
// variances double in a `half_life`. 0: not at all.
struct Forgetting {
    double step = 0, half_life = 0;

    static Forgetting by_walking(double half_life) {
        return {half_life > 0 ? std::pow(std::log(2) / half_life, 2) : 0.0, 0.0};
    }
    bool any() const { return step > 0 || half_life > 0; }

    // What a variance has become after so many rounds, never more than at first.
    float grown(float variance, double rounds, float prior) const {
        const auto walked = static_cast<float>(step * rounds);
        const auto doubled = static_cast<float>(half_life > 0 ? std::exp2(rounds / half_life) : 1.0);
        return std::min(variance * doubled + walked, prior);
    }
};

// U is upper triangular with ones on its diagonal; an example changes U and d in place. The product stays positive
// whatever the rounding: floats do for millions of examples where the plain inverse would drift.
//
// `whole`: exact. Otherwise 16 terms share a triangle, and between triangles covariances are dropped.
class Factor {
public:
    Factor(const std::vector<float>& prior, bool whole)
        : variances(padded(prior.size())), tiles(tiles_of(blocks_of(prior.size()), whole) * tile * tile), whole_(whole) {
        std::copy(prior.begin(), prior.end(), variances.begin());
    }

    std::vector<float> variances, tiles;  // d, and U above its diagonal
    uint64_t walked = 0;                  // the round up to which its weights have walked

    static std::size_t blocks_of(std::size_t terms) { return padded(terms) / tile; }

    // Weights that may have changed since the last example are less certain now, but never less than before the first one.
    void walk(const Forgetting& forgetting, uint64_t now, const std::vector<float>& prior) {
        const auto rounds = static_cast<double>(now > walked ? now - walked : 0);
        walked = now;
        if (rounds == 0 || !forgetting.any()) return;
        for (std::size_t j = 0; j < prior.size(); ++j) variances[j] = forgetting.grown(variances[j], rounds, prior[j]);
    }

    // Takes in an example, and gives what a unit of residual adds to the weights of each of the nested models: of those that
    // use only the first `sizes` terms. One factor serves them all: its first rows and columns are the factor of the model
    // that has no other terms. norms: for each model 1 + h·φᵀPφ.
    void absorb(const float* inputs, const std::vector<uint32_t>& touched, float importance, const std::vector<std::size_t>& sizes,
                const Kernels& kernels, float* gains, float* norms) {
        kernels.absorb({inputs, tiles.data(), variances.data(), touched.data(), touched.size(), whole_, importance, sizes.data(),
                        sizes.size(), gains, variances.size(), norms});
    }

private:
    bool whole_;

    static std::size_t tiles_of(std::size_t blocks, bool whole) { return whole ? blocks * (blocks + 1) / 2 : blocks; }
};

}  // namespace warmcb
