// The hot loops, one table of functions for each instruction set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warmcb {

// The non-zero features of one example; the intercept is the last of them.
struct Row {
    const uint32_t* index;
    const float* value;
    std::size_t size;
    uint64_t identity = 0;  // the identity of the described action (identities.hpp); 0 for none
};

// An example for one action, and the action's part of the model. In both tables a row belongs to a feature.
struct Update {
    Row row;
    float* weights;           // per feature: a weight for each lane
    float* scales;            // per feature: for each lane G/s², then for each lane 1/s (0: feature not seen yet)
    std::size_t weight_stride, scale_stride, lanes;
    bool far;                 // whether the tables are too large for the caches
    double* total_weight;     // T, for each lane
    double* total_norm;       // N, for each lane
    const float* prediction;  // p, for each lane
    const float* importance;  // h, for each lane
    float cost, learning_rate;
    float* scratch;           // row.size · lanes
};

// An example for the covariance of one regressor (factor.hpp). Inputs, variances and gains are padded to whole tiles.
struct Absorb {
    const float* inputs;
    float* tiles;             // U above its diagonal
    float* variances;         // d
    const uint32_t* touched;  // the blocks with inputs that are not 0, ascending
    std::size_t count;        // of them
    bool whole;               // whether blocks have covariances with each other, so that all of them are touched
    float importance;         // h
    const std::size_t* sizes;  // the numbers of terms of the nested models, ascending; the last model uses all
    std::size_t models;        // how many there are
    float* gains;              // out: for each model, what a unit of residual adds to its weights
    std::size_t stride;        // the distance between the gains of two models
    float* norms;              // out: for each model 1 + h·φᵀPφ, with the covariance P before the example
};

// A bend for the actions of one offer: the part of the context in its angle is known.
struct OfferedBend {
    float angle;
    uint32_t features[3];
    float weights[3];  // 0: no feature
};

// The scores of the actions of one offer, with the context folded into all weights (mixed_model.hpp).
struct PairScores {
    std::size_t stride, features, lanes;  // stride: the number of actions, padded to a multiple of 16
    const float *z, *normal;              // features × stride: standardised, and as normal scores
    const float *constant, *linear, *squared;  // for each lane; features × lanes; the same for z²/2
    const OfferedBend* bends;
    std::size_t n_bends;
    const float* bend_weights;  // bends × lanes
    // The prediction of the labels: a polynomial in z; then its weights, and those of its products with normal scores
    // (features × lanes).
    bool translates;
    float said_constant, said_inverse;
    const float *said_linear, *said_squared;
    const float *said_weights, *said_products;
    float* scores;  // out: lanes × stride
};

// Larger tables are not expected to stay in the caches of one core.
constexpr std::size_t cached_bytes = 1 << 20;

// 1/p, limited so that weights and scores stay finite.
inline double inverse_propensity(double probability) { return 1.0 / (probability > 1e-20 ? probability : 1e-20); }

// √2·cos of an angle in turns r, |r| ≤ ½, is √2 times this polynomial of r², the highest power first.
constexpr float cosine_coefficients[] = {-21.0711056f, 58.7904921f,  -85.2716215f,
                                         64.9286574f,  -19.7389804f, 0.99999921f};

struct Kernels {
    const char* name;
    // scores[c] = Σ_j row_j · weights[j, c]; `far` is as in Update.
    void (*predict)(Row row, const float* weights, std::size_t columns, bool far, float* scores);
    void (*update)(const Update& update);
    void (*absorb)(const Absorb& absorb);
    void (*score_pairs)(const PairScores& pairs);
    // For each lane the first action with the lowest score.
    void (*greedy)(const float* scores, std::size_t actions, std::size_t lanes, int32_t* greedy);
};

// The instruction sets that were compiled and run on this machine, the fastest first.
const std::vector<const Kernels*>& available_kernels();

}  // namespace warmcb
