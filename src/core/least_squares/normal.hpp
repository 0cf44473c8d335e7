// Quantiles of the normal distribution.
#pragma once

#include <cmath>

namespace warmcb {

// Acklam's rational approximation, exact to nine digits, for 0 < p < 1.
inline double normal_quantile(double p) {
    constexpr double a[] = {-3.969683028665376e+01, 2.209460984245205e+02,  -2.759285104469687e+02,
                            1.383577518672690e+02,  -3.066479806614716e+01, 2.506628277459239e+00};
    constexpr double b[] = {-5.447609879822406e+01, 1.615858368580409e+02,  -1.556989798598866e+02,
                            6.680131188771972e+01,  -1.328068155288572e+01, 1.0};
    constexpr double c[] = {-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
                            -2.549732539343734e+00, 4.374664141464968e+00,  2.938163982698783e+00};
    constexpr double d[] = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00, 3.754408661907416e+00,
                            1.0};
    constexpr double tail = 0.02425;
    const auto polynomial = [](const auto& coefficients, double x) {
        double sum = 0;
        for (const double coefficient : coefficients) sum = sum * x + coefficient;
        return sum;
    };
    if (p > 1 - tail) return -normal_quantile(1 - p);
    if (p < tail) {
        const double q = std::sqrt(-2 * std::log(p));
        return polynomial(c, q) / polynomial(d, q);
    }
    const double q = p - 0.5;
    return q * polynomial(a, q * q) / polynomial(b, q * q);
}

}  // namespace warmcb
