/* log and log1p, and the logarithms that other functions are composed of.
 *
 * x = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)); log(1 + f) = 2 s + s^3 q(s^2) with
 * s = f / (2 + f). */
#ifndef OPMILL_MATH_LOGARITHM_H
#define OPMILL_MATH_LOGARITHM_H

#include "runtime/math/arithmetic.h"
#include "runtime/math/constants.h"
#include "runtime/math/polynomials.h"

/* x as 2^k (1 + f). */
typedef struct opmill_split {
    double f;
    double k;
} opmill_split;

/* For positive normal x. */
OPMILL_INLINE opmill_split opmill_log_split_normal(double x) {
    const uint64_t bits_of_half_root = UINT64_C(0x3fe6a09e667f3bcd);
    const uint64_t offset = opmill_bits(x) - bits_of_half_root;
    /* The exponent, biased by 2048, fills the low bits of 2^52. */
    const uint64_t biased = (offset + (UINT64_C(2048) << 52)) >> 52;
    opmill_split split;
    split.k = opmill_double(biased | UINT64_C(0x4330000000000000)) - (0x1p52 + 2048);
    split.f = opmill_double((offset & UINT64_C(0x000fffffffffffff)) + bits_of_half_root) - 1;
    return split;
}

/* For positive finite x. */
OPMILL_INLINE opmill_split opmill_log_split(double x) {
    const int subnormal = x < 0x1p-1022;
    opmill_split split = opmill_log_split_normal(subnormal ? x * 0x1p54 : x);
    split.k = subnormal ? split.k - 54 : split.k;
    return split;
}

/* log(2^k (1 + f)) + low: f - f^2 / 2 + s (f^2 / 2 + s^2 q(s^2)), whose last terms are small beside
 * f, and k ln 2. */
OPMILL_INLINE double opmill_log_of_split(opmill_split x, double low) {
    const double s = x.f / (2 + x.f);
    const double z = s * s;
    const double half_square = 0.5 * x.f * x.f;
    const double rest = s * (half_square + z * opmill_poly_log_beside_twice_s_long(z));
    const double tail = half_square - (rest + (low + x.k * OPMILL_LN2_LOW));
    return x.k * OPMILL_LN2_HIGH + (x.f - tail);
}

/* Results of log at and below zero, at infinity, and of a NaN; y elsewhere. */
OPMILL_INLINE double opmill_log_edges(double x, double y) {
    y = x == 0 ? -INFINITY : y;
    y = x < 0 ? NAN : y;
    return x < INFINITY ? y : x;
}

OPMILL_INLINE double opmill_log_double(double x) {
    return opmill_log_edges(x, opmill_log_of_split(opmill_log_split(x), 0));
}

/* log(1 + x) + `k` ln 2, for x > -1 below 2^1000. */
OPMILL_INLINE double opmill_log1p_of_pair(opmill_pair x, double k) {
    const opmill_pair sum = opmill_sum(1, x.high);
    opmill_split split = opmill_log_split(sum.high);
    split.k += k;
    return opmill_log_of_split(split, (sum.low + x.low) / sum.high);
}

OPMILL_INLINE double opmill_log1p_double(double x) {
    const int large = x > 0x1p200;
    const opmill_pair pair = {large ? x * 0x1p-100 : x, 0};
    const double y = opmill_log_edges(1 + x, opmill_log1p_of_pair(pair, large ? 100 : 0));
    return opmill_magnitude(x) < 0x1p-54 ? x : y;
}

/* The logarithm to about 2^-65 of it, in three steps: s = f / (2 + f), */
OPMILL_INLINE opmill_pair opmill_log_ratio(double f) {
    const opmill_pair numerator = {f, 0};
    return opmill_quotient(numerator, opmill_sum_ordered(2, f));
}

/* the square of s, of whose leading part opmill_poly_log_tail_long is taken, */
OPMILL_INLINE opmill_pair opmill_log_square(opmill_pair s) { return opmill_product_of_pairs(s, s); }

/* and 2 s (1 + s^2 / 3 + s^4 q(s^2)) + k ln 2. */
OPMILL_INLINE opmill_pair opmill_log_of_square(opmill_pair s, double k, opmill_pair square,
                                               double polynomial) {
    const opmill_pair twice = {2 * s.high, 2 * s.low};
    const opmill_pair third = {OPMILL_THIRD_HIGH, OPMILL_THIRD_LOW};
    const opmill_pair linear = opmill_product_of_pairs(square, third);
    const double tail = square.high * square.high * polynomial;
    opmill_pair series = opmill_sum_ordered(1, linear.high);
    opmill_pair log_f, sum;
    series.low += linear.low + tail;
    log_f = opmill_product_of_pairs(twice, series);
    sum = opmill_sum_ordered(k * OPMILL_LN2_HIGH, log_f.high);
    return opmill_sum_ordered(sum.high, sum.low + (log_f.low + k * OPMILL_LN2_LOW));
}

/* log(x) of a positive finite x. */
OPMILL_INLINE opmill_pair opmill_log_pair(double x) {
    const opmill_split split = opmill_log_split(x);
    const opmill_pair s = opmill_log_ratio(split.f);
    const opmill_pair square = opmill_log_square(s);
    return opmill_log_of_square(s, split.k, square, opmill_poly_log_tail_long(square.high));
}

/* For results in float: log(x) of a positive normal double; f may be known better than x - 1. */
OPMILL_INLINE double opmill_log_normal_float(double x, double near_one) {
    const opmill_split split = opmill_log_split_normal(x);
    const double f = split.k == 0 ? near_one : split.f;
    const double s = f / (2 + f);
    return split.k * OPMILL_LN2 + (s + s + s * (s * s) * opmill_poly_log_short(s * s));
}

/* In float, of a positive normal x 2^-less: log(1 + f) = f - f^2 / 2 + f^3 p(f), and k ln 2 in two
 * parts. */
OPMILL_INLINE float opmill_log_normal_in_float(float x, float less) {
    const uint32_t bits_of_half_root = 0x3f3504f3u;
    const uint32_t offset = opmill_float_bits(x) - bits_of_half_root;
    /* The exponent, biased by 256, fills the low bits of 2^23. */
    const uint32_t biased = (offset + (256u << 23)) >> 23;
    const float k = opmill_float_of_bits(biased | 0x4b000000u) - (0x1p23f + 256 + less);
    const float f = opmill_float_of_bits((offset & 0x007fffffu) + bits_of_half_root) - 1;
    const float rest = 0.5f * f * f - f * f * f * opmill_poly_log1p_float(f);
    const float high = k * OPMILL_LN2_HIGH_FLOAT;
    const float sum = high + f;
    const float low = f - (sum - high);
    return sum + (low + (k * OPMILL_LN2_LOW_FLOAT - rest));
}

OPMILL_INLINE float opmill_log_float(float x) {
    const int subnormal = x < 0x1p-126f;
    float y = opmill_log_normal_in_float(subnormal ? x * 0x1p25f : x, subnormal ? 25 : 0);
    y = x == 0 ? -INFINITY : y;
    y = x < 0 ? NAN : y;
    return x < INFINITY ? y : x;
}

OPMILL_INLINE double opmill_log1p_float(double x) {
    const double y = opmill_log_edges(1 + x, opmill_log_normal_float(1 + x, x));
    return opmill_magnitude(x) < 0x1p-54 ? x : y;
}

#endif
