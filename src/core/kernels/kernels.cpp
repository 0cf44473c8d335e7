// Compiled once for each instruction set: WARMCB_ISA is its name, WARMCB_WIDTH the number of floats in its registers.
#include "kernels/kernels.hpp"

#include <cfloat>
#include <iterator>
#include <utility>

#include "kernels/simd.hpp"

namespace warmcb {
namespace {

constexpr int register_width = WARMCB_WIDTH;
constexpr int lane_width = register_width < 8 ? register_width : 8;  // |Λ| = 8 is the common case

// With smaller weights nothing is learned. Together with smallest_feature it keeps every step finite.
constexpr float smallest_squares = 1e-16f;

// Covers [begin, end) with pieces of W, W/2, …, 1 elements, whose sizes are known at compile time.
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
    // A very large feature may overflow. Scores stay finite.
    const auto largest = all<Floats<width>>(FLT_MAX);
    for (int part = 0; part < parts; ++part) store(scores + part * width, min(max(sum[part], -largest), largest));
}

// Three lanes of one regressor, for described actions over many columns. In pieces of two and one, rows would be read
// twice.
void predict_three(Row row, const float* weights, float* scores) {
    float sums[3] = {};
    for (std::size_t j = 0; j < row.size; ++j) {
        const float* from = weights + row.index[j] * std::size_t(3);
        for (int c = 0; c < 3; ++c) sums[c] += row.value[j] * from[c];
    }
    for (int c = 0; c < 3; ++c) {  // finite, as in predict_piece, also after ∞ − ∞
        const float at_least = sums[c] > -FLT_MAX ? sums[c] : -FLT_MAX;
        scores[c] = at_least < FLT_MAX ? at_least : FLT_MAX;
    }
}

void predict(Row row, const float* weights, std::size_t columns, bool far, float* scores) {
    constexpr std::size_t cache_line = 64 / sizeof(float);
    if (far)
        for (std::size_t j = 0; j < row.size; ++j)
            for (std::size_t c = 0; c < columns; c += cache_line)
                __builtin_prefetch(weights + row.index[j] * columns + c);
    if (columns == 3) return predict_three(row, weights, scores);
    in_pieces<8 * register_width>(0, columns, [&]<int W>(std::size_t first) {
        predict_piece<W>(row, weights + first, columns, scores + first);
    });
}

// One adaptive, normalized, importance-weight-aware step of squared loss. Numbers in brackets: the steps in
// docs/internals/learner.md.
//
// The textbook form keeps G_j = Σ h·g²·x_j² and s_j = max |x_j|. Here G_j/s_j² and 1/s_j are kept: a step of a feature
// then needs one square root and one division, and no finite feature overflows.
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
        // With a tolerance, as x · (1/x) may be rounded above 1.
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

// Of two vectors, one after the other: each first half of 2·half numbers plus the second one.
template <int half, int... K> inline Floats<16> folded(Floats<16> a, Floats<16> b, std::integer_sequence<int, K...>) {
    return __builtin_shufflevector(a, b, (K / half * 2 * half + K % half)...) +
           __builtin_shufflevector(a, b, (K / half * 2 * half + K % half + half)...);
}
template <int half> inline void fold(Floats<16> (&v)[16]) {
    for (int i = 0; i < half; ++i) v[i] = folded<half>(v[2 * i], v[2 * i + 1], std::make_integer_sequence<int, 16>());
}

// The sums of 16 vectors, as one vector, added in one order on every machine.
inline Floats<16> sums_of(Floats<16> (&v)[16]) {
    fold<8>(v);
    fold<4>(v);
    fold<2>(v);
    fold<1>(v);
    return v[0];
}

// Bierman's update of U·diag(d)·Uᵀ, with a weight h instead of a variance 1/h. A block of 16 columns of U consists of
// tiles of 16 × 16, stored column by column; the last tile has the diagonal. Columns are processed in order. So the
// gain after the first columns is that of the model with only these terms.
void absorb(const Absorb& u) {
    constexpr std::size_t width = 16, size = width * width;
    using F = Floats<width>;
    constexpr Ints<width> places = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const float h = u.importance;
    float alphas[width + 1];
    alphas[width] = 1;
    float* const all_gain = u.gains + (u.models - 1) * u.stride;
    std::size_t model = 0;
    for (std::size_t n = 0; n < u.count; ++n) {
        const std::size_t block = u.touched[n], first = u.whole ? 0 : block;
        float* const tiles = u.tiles + (u.whole ? block * (block + 1) / 2 : block) * size;
        F products[width] = {};
        const float* from = tiles;
        for (std::size_t row = first; row <= block; ++row, from += size) {
            const F inputs = load<width>(u.inputs + row * width);
            for (std::size_t k = 0; k < width; ++k) products[k] += inputs * load<width>(from + k * width);
        }
        const F f = load<width>(u.inputs + block * width) + sums_of(products);
        const F variances = load<width>(u.variances + block * width), fv = variances * f;
        float v[width], step[width];
        store(v, fv);
        store(step, h * (f * fv));
        alphas[0] = alphas[width];
        for (std::size_t k = 0; k < width; ++k) alphas[k + 1] = alphas[k] + step[k];
        const F before = load<width>(alphas), after = load<width>(alphas + 1);
        store(step, -(h * f) / before);
        store(u.variances + block * width, variances * (before / after));
        for (; model + 1 < u.models && u.sizes[model] <= (block + 1) * width; ++model) {
            const std::size_t columns = u.sizes[model] - block * width;
            const F scale = all<F>(h / alphas[columns]);
            u.norms[model] = alphas[columns];
            const float* column = tiles;
            for (std::size_t row = first; row <= block; ++row, column += size) {
                F gain = row < block ? load<width>(all_gain + row * width) : all<F>(0.0f);
                for (std::size_t k = 0; k < columns; ++k) {
                    gain += load<width>(column + k * width) * v[k];
                    if (row == block) gain = places == static_cast<int>(k) ? all<F>(v[k]) : gain;
                }
                store(u.gains + model * u.stride + row * width, gain * scale);
            }
        }
        float* to = tiles;
        const auto move = [&](F& gain, std::size_t k) {
            const F covariances = load<width>(to + k * width);
            store(to + k * width, covariances + gain * step[k]);
            gain += covariances * v[k];
        };
        for (std::size_t row = first; row < block; ++row, to += size) {
            F gain = load<width>(all_gain + row * width);
            for (std::size_t k = 0; k < width; ++k) move(gain, k);
            store(all_gain + row * width, gain);
        }
        F gain = {};
        for (std::size_t k = 0; k < width; ++k) {
            move(gain, k);
            gain = places == static_cast<int>(k) ? all<F>(v[k]) : gain;
        }
        store(all_gain + block * width, gain);
    }
    const F scale = all<F>(h / alphas[width]);
    u.norms[u.models - 1] = alphas[width];
    for (std::size_t n = 0; n < u.count; ++n) {
        float* gain = all_gain + u.touched[n] * width;
        store(gain, load<width>(gain) * scale);
    }
}

// √2·cos of angles in turns: a polynomial, so that every machine computes the same bits.
template <class F> F root_two_cosine(F turns) {
    const F no_fraction = all<F>(12582912.0f);  // 1.5·2²³: adding it rounds to whole turns
    const F r = turns - ((turns + no_fraction) - no_fraction), x = r * r;
    F sum = all<F>(cosine_coefficients[0]);
    for (std::size_t i = 1; i < std::size(cosine_coefficients); ++i) sum = sum * x + cosine_coefficients[i];
    return 1.41421356f * sum;
}

// Sixteen actions at once, feature by feature.
void score_pairs(const PairScores& u) {
    constexpr std::size_t width = 16;
    using F = Floats<width>;
    for (std::size_t first = 0; first < u.stride; first += width) {
        const auto z = [&](std::size_t j) { return load<width>(u.z + j * u.stride + first); };
        const auto normal = [&](std::size_t j) { return load<width>(u.normal + j * u.stride + first); };
        const auto add = [&](std::size_t lane, F what) {
            float* score = u.scores + lane * u.stride + first;
            store(score, load<width>(score) + what);
        };
        for (std::size_t lane = 0; lane < u.lanes; ++lane) {
            F sum = all<F>(u.constant[lane]);
            for (std::size_t j = 0; j < u.features; ++j)
                sum += z(j) * (u.linear[j * u.lanes + lane] + z(j) * (0.5f * u.squared[j * u.lanes + lane]));
            store(u.scores + lane * u.stride + first, sum);
        }
        for (std::size_t i = 0; i < u.n_bends; ++i) {
            F angle = all<F>(u.bends[i].angle);
            for (int k = 0; k < 3; ++k)
                if (u.bends[i].weights[k] != 0) angle += u.bends[i].weights[k] * normal(u.bends[i].features[k]);
            const F bent = root_two_cosine(angle);
            for (std::size_t lane = 0; lane < u.lanes; ++lane) add(lane, u.bend_weights[i * u.lanes + lane] * bent);
        }
        if (!u.translates) continue;
        F said = all<F>(u.said_constant);
        for (std::size_t j = 0; j < u.features; ++j)
            said += z(j) * (u.said_linear[j] + z(j) * (0.5f * u.said_squared[j]));
        said = min(max(said * u.said_inverse, all<F>(-5.0f)), all<F>(5.0f));
        for (std::size_t lane = 0; lane < u.lanes; ++lane) {
            F sum = all<F>(u.said_weights[lane]);
            for (std::size_t j = 0; u.said_products && j < u.features; ++j)
                sum += u.said_products[j * u.lanes + lane] * normal(j);
            add(lane, said * sum);
        }
    }
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
const Kernels WARMCB_ISA = {WARMCB_QUOTED(WARMCB_ISA), predict, update, absorb, score_pairs, greedy};

}  // namespace warmcb
