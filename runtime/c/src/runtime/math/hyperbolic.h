/* sinh, cosh, tanh and their inverses. */
#ifndef OPMILL_MATH_HYPERBOLIC_H
#define OPMILL_MATH_HYPERBOLIC_H

#include "runtime/math/exponential.h"
#include "runtime/math/logarithm.h"

/* exp(a) / 2 as a pair, for a from 0; infinite beyond the largest double. */
OPMILL_INLINE opmill_pair opmill_half_exp(double a) {
    const opmill_scaled e = opmill_exp_scaled(opmill_clamp(a, 0, 800), 0);
    opmill_pair half;
    half.high = opmill_scale(e.m.high, e.k - 1);
    half.low = e.m.low * opmill_power_of_two(opmill_clamp(e.k - 1, 0, 1023));
    return half;
}

/* sinh(a) = exp(a) / 2 - (1/4) / (exp(a) / 2); below 1, where that cancels, a polynomial of a^2. */
OPMILL_INLINE double opmill_sinh_of_parts(double x, opmill_pair half, double polynomial) {
    const double a = opmill_magnitude(x);
    const double large = half.high + (half.low - 0.25 / half.high);
    const double small = a + a * (a * a) * polynomial;
    const double y = a < 1 ? small : large;
    return a < 0x1p-28 ? x : opmill_with_sign(y, x);
}

OPMILL_INLINE double opmill_sinh_double(double x) {
    const double a = opmill_magnitude(x);
    return opmill_sinh_of_parts(x, opmill_half_exp(a), opmill_poly_sinh_long(a * a));
}

OPMILL_INLINE double opmill_cosh_double(double x) {
    const opmill_pair half = opmill_half_exp(opmill_magnitude(x));
    return half.high + (half.low + 0.25 / half.high);
}

/* tanh(a) = 1 - 2 / (1 + exp(2 a)); below 5/8, where that cancels, a - a^3 P(a^2) / Q(a^2). */
OPMILL_INLINE double opmill_tanh_of_exp(double x, double e) {
    const double a = opmill_magnitude(x);
    const double z = a * a;
    const int small = a < 0.625;
    const double above = small ? z * opmill_poly_tanh_above_long(z) : 2;
    const double below = small ? opmill_poly_tanh_below_long(z) : 1 + e;
    const double factor = small ? a : 1;
    return opmill_with_sign(factor - factor * (above / below), x);
}

OPMILL_INLINE double opmill_tanh_double(double x) {
    const double a = opmill_clamp(opmill_magnitude(x), 0, 22);
    return opmill_tanh_of_exp(x, opmill_exp_usual_double(2 * a));
}

/* asinh(a) = log(1 + a + a^2 / (1 + sqrt(1 + a^2))); log(2 a) for large a. */
OPMILL_INLINE double opmill_asinh_double(double x) {
    const double a = opmill_magnitude(x);
    const int large = a > 0x1p200;
    const double b = large ? 0 : a;
    opmill_pair sum = opmill_sum(b, b * b / (1 + sqrt(1 + b * b)));
    double y;
    sum.high = large ? a * 0x1p-100 : sum.high;
    y = opmill_log1p_of_pair(sum, large ? 101 : 0);
    y = a < INFINITY ? y : a;
    return a < 0x1p-28 ? x : opmill_with_sign(y, x);
}

/* acosh(1 + t) = log(1 + t + sqrt(t (2 + t))); log(2 x) for large x. */
OPMILL_INLINE double opmill_acosh_double(double x) {
    const int large = x > 0x1p200;
    const opmill_pair t = opmill_sum(large ? 1 : x, -1);
    opmill_pair t2 = opmill_sum(t.high, 2);
    opmill_pair root, sum;
    double y;
    t2.low += t.low;
    root = opmill_root(opmill_product_of_pairs(t, t2));
    sum = opmill_sum(t.high, root.high);
    sum.low += t.low + root.low;
    sum.high = large ? x * 0x1p-100 : sum.high;
    sum.low = large ? 0 : sum.low;
    y = opmill_log1p_of_pair(sum, large ? 101 : 0);
    y = x > 1 ? y : 0;
    y = x < 1 ? NAN : y;
    return x < INFINITY ? y : x;
}

/* atanh(a) = log(1 + 2 a / (1 - a)) / 2. */
OPMILL_INLINE double opmill_atanh_double(double x) {
    const double a = opmill_magnitude(x);
    const opmill_pair twice = {2 * a, 0};
    const opmill_pair quotient = opmill_quotient(twice, opmill_sum_ordered(1, -a));
    double y = 0.5 * opmill_log1p_of_pair(quotient, 0);
    y = a < 1 ? y : INFINITY;
    y = a > 1 ? NAN : y;
    return a < 0x1p-28 ? x : opmill_with_sign(y, x);
}

/* The same for results in float: doubles have bits enough for all but the smallest arguments, and
 * range enough for all. tanh is in hyperbolic.c. */

OPMILL_INLINE double opmill_sinh_float(double x) {
    const double e = opmill_expm1_float(opmill_magnitude(x));
    return opmill_with_sign(0.5 * (e + e / (e + 1)), x);
}

OPMILL_INLINE double opmill_cosh_float(double x) {
    const double e = opmill_exp_short(opmill_magnitude(x));
    return 0.5 * (e + 1 / e);
}

OPMILL_INLINE double opmill_asinh_float(double x) {
    const double a = opmill_magnitude(x);
    const double y = opmill_log1p_float(a + a * a / (1 + sqrt(1 + a * a)));
    return opmill_with_sign(a < INFINITY ? y : a, x);
}

OPMILL_INLINE double opmill_acosh_float(double x) {
    const double t = x - 1;
    const double y = opmill_log1p_float(t + sqrt(t * (t + 2)));
    return x < 1 ? NAN : y;
}

OPMILL_INLINE double opmill_atanh_float(double x) {
    const double a = opmill_magnitude(x);
    return opmill_with_sign(0.5 * opmill_log1p_float(2 * a / (1 - a)), x);
}

#endif
