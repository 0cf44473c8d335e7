// Vectors of W floats, written once for every instruction set.
//
// The compiler's own vector types (GCC and Clang) become AVX-512, AVX2, SSE2 or NEON code, depending on the
// options of the file. Multiplications and additions are never fused (see CMakeLists.txt), so every instruction set
// gives the same bits.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <type_traits>
#ifdef __AVX__
#include <immintrin.h>
#endif

namespace warmcb {
namespace {  // each instruction set has its own copy, which no other code may use

template <class T, int W> struct VectorOf {
    typedef T type __attribute__((vector_size(W * sizeof(T))));
};
template <class T> struct VectorOf<T, 1> {  // a plain number: compilers handle vectors of one element badly
    typedef T type;
};
template <int W> using Floats = typename VectorOf<float, W>::type;
template <int W> using Ints = typename VectorOf<int32_t, W>::type;
template <int W> using Doubles = typename VectorOf<double, W>::type;

template <int W, class T> inline typename VectorOf<T, W>::type load(const T* from) {
    typename VectorOf<T, W>::type v;
    std::memcpy(&v, from, sizeof v);
    return v;
}

template <class V, class T> inline void store(T* to, V v) { std::memcpy(to, &v, sizeof v); }

template <class V, class T> inline V all(T value) { return value - V{}; }

template <class To, class From> inline To convert(From v) {
    if constexpr (std::is_arithmetic_v<From>) return static_cast<To>(v);
    else return __builtin_convertvector(v, To);
}

template <class V> inline V max(V a, V b) { return a > b ? a : b; }
template <class V> inline V min(V a, V b) { return a < b ? a : b; }

template <class Mask> inline bool any(Mask mask) {
    if constexpr (sizeof mask < sizeof(uint64_t)) return mask != 0;
#ifdef __AVX__  // compilers do not use this instruction by themselves
    else if constexpr (sizeof mask == sizeof(__m256)) return _mm256_movemask_ps(reinterpret_cast<__m256>(mask)) != 0;
#endif
    else {
        uint64_t words[sizeof mask / sizeof(uint64_t)], found = 0;
        std::memcpy(words, &mask, sizeof mask);
        for (const uint64_t word : words) found |= word;
        return found != 0;
    }
}

template <class V> inline V square_root(V v) {
    if constexpr (std::is_arithmetic_v<V>) return std::sqrt(v);
    else {
        for (unsigned i = 0; i < sizeof v / sizeof v[0]; ++i) v[i] = std::sqrt(v[i]);
        return v;
    }
}

// 1 − exp(−a) for a ≥ 0, without cancellation for small a.
template <int W> inline Floats<W> one_minus_exp(Floats<W> a) {
    // exp(x) = 2^n · exp(r) with |r| ≤ ln(2)/2; ln(2) in two parts keeps r exact.
    const Floats<W> x = -min(a, all<Floats<W>>(80.0f));
    const Ints<W> n = convert<Ints<W>>(x * 1.44269504f - 0.5f);
    const Floats<W> whole = convert<Floats<W>>(n);
    const Floats<W> r = (x - whole * 0.693359375f) - whole * -2.12194440e-4f;
    // exp(r) − 1 by its Taylor series: the first term left out is below 6e-9.
    Floats<W> series = all<Floats<W>>(1.0f / 5040);
    for (const float coefficient : {1.0f / 720, 1.0f / 120, 1.0f / 24, 1.0f / 6, 0.5f, 1.0f})
        series = series * r + coefficient;
    const Ints<W> bits = (n + 127) << 23;
    Floats<W> power;
    std::memcpy(&power, &bits, sizeof power);
    return (1.0f - power) - power * (series * r);
}

}  // namespace
}  // namespace warmcb
