// Compiled once for each instruction set: WARMCB_ISA is its name, WARMCB_WIDTH its number of floats in a register.
#include "kernels.hpp"

#include <cfloat>

#include "simd.hpp"

namespace warmcb {
namespace {

constexpr int register_width = WARMCB_WIDTH;
constexpr int lane_width = register_width < 8 ? register_width : 8;  // |Λ| = 8 is the common case

// Below this nothing is learned: with smallest_feature it keeps every step finite.
constexpr float smallest_squares = 1e-16f;

// Covers [begin, end) by pieces of W, then W/2, …, then 1 elements: each a size known at compile time.
template <int W, class Piece> inline void in_pieces(std::size_t begin, std::size_t end, Piece&& piece) {
    for (; begin + W <= end; begin += W) piece.template operator()<W>(begin);
    if constexpr (W > 1)
        if (begin < end) in_pieces<W / 2>(begin, end, piece);
}

template <int W> inline void predict_piece(Row row, const float* weights, std::size_t columns, float* scores) {
    constexpr int width = W < register_width ? W : register_width;
    constexpr int parts = W / width;
    Floats<width> sum[parts] = {};
    for (std::size_t j = 0; j < row.size; ++j) {
        const float* from = weights + row.index[j] * columns;
        for (int part = 0; part < parts; ++part) sum[part] += row.value[j] * load<width>(from + part * width);
    }
    // A feature far beyond what was seen before may overflow: scores stay finite all the same.
    const auto largest = all<Floats<width>>(FLT_MAX);
    for (int part = 0; part < parts; ++part) store(scores + part * width, min(max(sum[part], -largest), largest));
}

void predict(Row row, const float* weights, std::size_t columns, bool far, float* scores) {
    constexpr std::size_t cache_line = 64 / sizeof(float);
    if (far)
        for (std::size_t j = 0; j < row.size; ++j)
            for (std::size_t c = 0; c < columns; c += cache_line) __builtin_prefetch(weights + row.index[j] * columns + c);
    in_pieces<8 * register_width>(0, columns, [&]<int W>(std::size_t first) {
        predict_piece<W>(row, weights + first, columns, scores + first);
    });
}

// One adaptive, normalized, importance-weight-aware step of squared loss. Numbers in brackets: the steps in docs/learner.md.
//
// The textbook form keeps G_j = Σ h·g²·x_j² and s_j = max |x_j|. Kept here are G_j/s_j² and 1/s_j: a feature's step is then
// one square root and one division, and no finite feature, however large or small, overflows.
template <int W> inline void update_piece(const Update u, std::size_t lane) {
    using F = Floats<W>;
    using D = Doubles<W>;
    const F zero = {}, one = all<F>(1.0f);
    const F importance = load<W>(u.importance + lane);
    const F residual = u.cost - min(max(load<W>(u.prediction + lane), zero), one);
    const Ints<W> active = (importance > zero) & (residual != zero);
    if (!any(active)) return;
    const F squared_gradient = active ? importance * (4.0f * residual * residual) : zero;

    F norm = zero, sensitivity = zero;
    for (std::size_t j = 0; j < u.row.size; ++j) {
        const float x = u.row.value[j];
        float* squares_at = u.scales + u.row.index[j] * u.scale_stride + lane;
        float* inverse_scale_at = squares_at + u.lanes;
        F squares = load<W>(squares_at);
        F inverse_scale = load<W>(inverse_scale_at);
        F z = x * inverse_scale;
        // A little slack: x · (1/x) may be rounded above 1.
        const Ints<W> grown = active & ((z > 1.000001f) | (z < -1.000001f) | (inverse_scale == zero));
        if (any(grown)) {  // (2)
            const F fresh = all<F>(1.0f / std::fabs(x));
            const F ratio = (grown & (inverse_scale > zero)) ? fresh / inverse_scale : one;
            inverse_scale = grown ? fresh : inverse_scale;
            store(inverse_scale_at, inverse_scale);
            float* weights = u.weights + u.row.index[j] * u.weight_stride + lane;
            store(weights, load<W>(weights) * ratio);
            squares = squares * (ratio * ratio);
            z = x * inverse_scale;
        }
        z = active ? z : zero;
        squares += squared_gradient * (z * z);  // (1)
        store(squares_at, squares);
        const F step = z / square_root(max(squares, all<F>(smallest_squares)));  // (4)
        norm += z * z;
        sensitivity += z * step;
        store(u.scratch + j * W, step * inverse_scale);
    }

    const D weight = convert<D>(active ? importance : zero);  // (3)
    const D total_weight = load<W>(u.total_weight + lane) + weight;
    const D total_norm = load<W>(u.total_norm + lane) + weight * convert<D>(norm);
    store(u.total_weight + lane, total_weight);
    store(u.total_norm + lane, total_norm);
    const F average = square_root(active ? convert<F>(total_weight / total_norm) : one);

    const F q = max(sensitivity * average, all<F>(FLT_MIN));  // (5)
    const F rate = u.learning_rate * importance;
    const F move = rate * q < 1e-6f ? 2.0f * rate : one_minus_exp<W>(2.0f * rate * q) / q;
    const F change = active ? residual * move * average : zero;
    for (std::size_t j = 0; j < u.row.size; ++j) {  // (6)
        float* weights = u.weights + u.row.index[j] * u.weight_stride + lane;
        const F before = load<W>(weights);
        store(weights, active ? before + change * load<W>(u.scratch + j * W) : before);
    }
}

void update(const Update& u) {
    if (u.far)
        for (std::size_t j = 0; j < u.row.size; ++j) __builtin_prefetch(u.scales + u.row.index[j] * u.scale_stride, 1);
    in_pieces<lane_width>(0, u.lanes, [&]<int W>(std::size_t lane) { update_piece<W>(u, lane); });
}

// Bierman's update of U·diag(d)·Uᵀ, with a weight h instead of a variance 1/h: a lane of no weight is left as it is.
template <int W> inline void absorb_piece(const Absorb u, std::size_t lane) {
    using F = Floats<W>;
    const F importance = load<W>(u.importance + lane);
    F alpha = load<W>(u.alpha + lane);
    float* column = u.columns + lane;
    float* gain = u.gain + lane;
    for (std::size_t j = 0; j < u.size; ++j) {
        F sum[4] = {};  // four chains of additions: one would wait for itself
        std::size_t i = 0;
        for (; i + 4 <= j; i += 4)
            for (int part = 0; part < 4; ++part) sum[part] += u.inputs[i + part] * load<W>(column + (i + part) * u.lanes);
        for (; i < j; ++i) sum[0] += u.inputs[i] * load<W>(column + i * u.lanes);
        const F f = u.inputs[j] + ((sum[0] + sum[1]) + (sum[2] + sum[3]));
        float* variance = u.variances + j * u.lanes + lane;
        const F v = load<W>(variance) * f;
        const F next = alpha + importance * (f * v);
        const F step = -(importance * f) / alpha;
        store(variance, load<W>(variance) * (alpha / next));
        for (i = 0; i < j; ++i) {
            const F covariance = load<W>(column + i * u.lanes), b = load<W>(gain + i * u.lanes);
            store(column + i * u.lanes, covariance + b * step);
            store(gain + i * u.lanes, b + covariance * v);
        }
        store(gain + j * u.lanes, v);
        alpha = next;
        column += j * u.lanes;
    }
    store(u.alpha + lane, alpha);
}

void absorb(const Absorb& u) {
    in_pieces<lane_width>(0, u.lanes, [&]<int W>(std::size_t lane) { absorb_piece<W>(u, lane); });
}

void greedy(const float* scores, std::size_t actions, std::size_t lanes, int32_t* greedy) {
    in_pieces<lane_width>(0, lanes, [&]<int W>(std::size_t lane) {
        Floats<W> lowest = load<W>(scores + lane);
        Ints<W> best = {};
        for (std::size_t a = 1; a < actions; ++a) {
            const Floats<W> score = load<W>(scores + a * lanes + lane);
            const Ints<W> lower = score < lowest;
            lowest = lower ? score : lowest;
            best = lower ? all<Ints<W>>(static_cast<int32_t>(a)) : best;
        }
        store(greedy + lane, best);
    });
}

}  // namespace

#define WARMCB_QUOTED(name) WARMCB_QUOTE(name)
#define WARMCB_QUOTE(name) #name
extern const Kernels WARMCB_ISA;
const Kernels WARMCB_ISA = {WARMCB_QUOTED(WARMCB_ISA), predict, update, absorb, greedy};

}  // namespace warmcb
