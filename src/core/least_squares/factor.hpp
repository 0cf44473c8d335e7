// The covariance of one regressor's weights as U·diag(d)·Uᵀ (Bierman, 1977).
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/kernels.hpp"
#include "least_squares/terms.hpp"

namespace warmcb {

// How a lane forgets. Its weights follow a random walk: variances grow by `step` per round. Or examples fade: variances
// double every `half_life` rounds. 0 means not at all.
struct Forgetting {
    double step = 0, half_life = 0;

    static Forgetting by_walking(double half_life) {
        return {half_life > 0 ? std::pow(std::log(2) / half_life, 2) : 0.0, 0.0};
    }
    bool any() const { return step > 0 || half_life > 0; }

    // A variance after a number of rounds. It never exceeds its initial value.
    float grown(float variance, double rounds, float prior) const {
        const auto walked = static_cast<float>(step * rounds);
        const auto doubled = static_cast<float>(half_life > 0 ? std::exp2(rounds / half_life) : 1.0);
        return std::min(variance * doubled + walked, prior);
    }
};

// U is upper triangular with ones on its diagonal. An example changes U and d in place. The product stays positive
// definite in spite of rounding, so floats suffice for millions of examples; a plain inverse would drift.
//
// `whole`: exact. Otherwise 16 terms share a triangle, and covariances between triangles are dropped.
class Factor {
public:
    Factor(const std::vector<float>& prior, bool whole)
        : variances(padded(prior.size())), tiles(tiles_of(blocks_of(prior.size()), whole) * tile * tile),
          whole_(whole) {
        std::copy(prior.begin(), prior.end(), variances.begin());
    }

    std::vector<float> variances, tiles;  // d, and U above its diagonal
    uint64_t walked = 0;                  // the round up to which the random walk is included

    static std::size_t blocks_of(std::size_t terms) { return padded(terms) / tile; }

    // Increases the variances for the rounds since the last example, up to their initial values.
    void walk(const Forgetting& forgetting, uint64_t now, const std::vector<float>& prior) {
        const auto rounds = static_cast<double>(now > walked ? now - walked : 0);
        walked = now;
        if (rounds == 0 || !forgetting.any()) return;
        for (std::size_t j = 0; j < prior.size(); ++j) variances[j] = forgetting.grown(variances[j], rounds, prior[j]);
    }

    // Learns an example, and computes the gains of the nested models, which use only the first `sizes` terms: what a
    // unit of residual adds to their weights. One factor serves all of them, as its first rows and columns are the
    // factor of the smaller model. norms: 1 + h·φᵀPφ for each model.
    void absorb(const float* inputs, const std::vector<uint32_t>& touched, float importance,
                const std::vector<std::size_t>& sizes, const Kernels& kernels, float* gains, float* norms) {
        kernels.absorb({inputs, tiles.data(), variances.data(), touched.data(), touched.size(), whole_, importance,
                        sizes.data(), sizes.size(), gains, variances.size(), norms});
    }

private:
    bool whole_;

    static std::size_t tiles_of(std::size_t blocks, bool whole) { return whole ? blocks * (blocks + 1) / 2 : blocks; }
};

}  // namespace warmcb
