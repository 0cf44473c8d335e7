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
    uint64_t identity = 0;  // of the action that it describes (identities.hpp); 0: none
};

// One regression example for one action, and that action's part of the model. In both tables a feature is a row.
struct Update {
    Row row;
    float* weights;           // per feature: a weight for each lane
    float* scales;            // per feature: for each lane G/s², then for each lane 1/s (0: feature not seen yet)
    std::size_t weight_stride, scale_stride, lanes;
    bool far;                 // the tables are too large for the caches
    double* total_weight;     // T, for each lane
    double* total_norm;       // N, for each lane
    const float* prediction;  // p, for each lane
    const float* importance;  // h, for each lane
    float cost, learning_rate;
    float* scratch;           // row.size · lanes
};

// One example for the covariance of one regressor (factor.hpp). Inputs, variances and gain are in whole tiles.
struct Absorb {
    const float* inputs;
    float* tiles;             // U above its diagonal
    float* variances;         // d
    const uint32_t* touched;  // the blocks with inputs that are not 0, ascending
    std::size_t count;        // of them
    bool whole;               // blocks hang together: all of them are touched
    float importance;         // h
    const std::size_t* sizes;  // of the models that use the first so many terms, ascending; the last uses all
    std::size_t models;        // how many there are
    float* gains;              // out: for each of them what a unit of residual adds to its weights
    std::size_t stride;        // from one model's gains to the next
    float* norms;              // out: for each of them 1 + h·φᵀPφ, P being the covariance before
};

// A bend as the actions of one offer see it: what the context adds to its angle is known.
struct OfferedBend {
    float angle;
    uint32_t features[3];
    float weights[3];  // 0: one feature fewer
};

// What lanes expect of the actions of one offer, where the context is folded into all weights (mixed_model.hpp).
struct PairScores {
    std::size_t stride, features, lanes;  // stride: actions in whole registers of 16
    const float *z, *normal;              // features × stride: in deviations, and as normal scores
    const float *constant, *linear, *squared;  // for each lane; features × lanes; the same for z²/2
    const OfferedBend* bends;
    std::size_t n_bends;
    const float* bend_weights;  // bends × lanes
    // What labels say: a polynomial of z, then its weights: alone, and of its products with normal scores (features × lanes).
    bool translates;
    float said_constant, said_inverse;
    const float *said_linear, *said_squared;
    const float *said_weights, *said_products;
    float* scores;  // out: lanes × stride
};

// Beyond this size a table is not expected to stay in the caches of one core.
constexpr std::size_t cached_bytes = 1 << 20;

// 1/p, for a p that may be next to nothing: weights and scores must stay finite.
inline double inverse_propensity(double probability) { return 1.0 / (probability > 1e-20 ? probability : 1e-20); }

// √2·cos of an angle in turns r, |r| ≤ ½, is √2 times this polynomial of r², the highest power first.
constexpr float cosine_coefficients[] = {-21.0711056f, 58.7904921f, -85.2716215f, 64.9286574f, -19.7389804f, 0.99999921f};

struct Kernels {
    const char* name;
    // scores[c] = Σ_j row_j · weights[j, c]; `far`: as in Update.
    void (*predict)(Row row, const float* weights, std::size_t columns, bool far, float* scores);
    void (*update)(const Update& update);
    void (*absorb)(const Absorb& absorb);
    void (*score_pairs)(const PairScores& pairs);
    // The lowest-scored action of each lane, the first among equals.
    void (*greedy)(const float* scores, std::size_t actions, std::size_t lanes, int32_t* greedy);
};

// Compiled in and runnable on this machine, the fastest first.
const std::vector<const Kernels*>& available_kernels();

}  // namespace warmcb
