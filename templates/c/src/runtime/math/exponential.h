/* exp and expm1, and the exponentials that other functions are composed of.
 *
 * x = k ln 2 + r with |r| <= ln 2 / 2; exp(r) = 1 + r + r^2 q(r). Functions for results in double
 * are named _double, functions for results in float _float. Most of these compute in double too,
 * with shorter polynomials and without pairs, and the caller rounds once; _short are parts. */
#ifndef OPMILL_MATH_EXPONENTIAL_H
#define OPMILL_MATH_EXPONENTIAL_H

#include "runtime/math/arithmetic.h"
#include "runtime/math/constants.h"
#include "runtime/math/polynomials.h"

/* A number m 2^k. */
typedef struct opmill_scaled {
    opmill_pair m;
    double k;
} opmill_scaled;

/* exp(x + low) = (1 + m) 2^k with |m| <= sqrt(2) - 1; |x| < 2000. */
OPMILL_INLINE opmill_scaled opmill_exp_reduced(double x, double low) {
    const double k = opmill_nearest(x * OPMILL_LOG2_E);
    const double high = x - k * OPMILL_LN2_HIGH;
    const opmill_pair r = opmill_sum_ordered(high, low - k * OPMILL_LN2_LOW);
    const double tail = r.low * (1 + r.high) + r.high * r.high * opmill_poly_exp_long(r.high);
    opmill_scaled result;
    result.m = opmill_sum_ordered(r.high, tail);
    result.k = k;
    return result;
}

/* exp(x + low) as m 2^k, to about 2^-58 of it; |x| < 2000. */
OPMILL_INLINE opmill_scaled opmill_exp_scaled(double x, double low) {
    opmill_scaled result = opmill_exp_reduced(x, low);
    const opmill_pair sum = opmill_sum_ordered(1, result.m.high);
    result.m = opmill_sum_ordered(sum.high, sum.low + result.m.low);
    return result;
}

/* exp(x + low) - 1 to about 2^-57 of it, for |x| <= 700. */
OPMILL_INLINE opmill_pair opmill_expm1_pair(double x, double low) {
    const opmill_scaled reduced = opmill_exp_reduced(x, low);
    const double power = opmill_power_of_two(reduced.k);
    const opmill_pair less = opmill_sum(power, -1);
    const opmill_pair sum = opmill_sum(less.high, reduced.m.high * power);
    return opmill_sum_ordered(sum.high, sum.low + (less.low + reduced.m.low * power));
}

OPMILL_INLINE double opmill_exp_double(double x) {
    const opmill_scaled e = opmill_exp_scaled(opmill_clamp(x, -800, 800), 0);
    return opmill_scale(e.m.high, e.k);
}

/* (2^k - 1) + 2^k m as a pair; above 49, the -1 does not matter. */
OPMILL_INLINE double opmill_expm1_double(double x) {
    const opmill_pair near = opmill_expm1_pair(opmill_clamp(x, -50, 50), 0);
    const double far = opmill_exp_double(x);
    const double y = x > 49 ? far : near.high;
    return opmill_magnitude(x) < 0x1p-54 ? x : y;
}

/* The same for results in float: a positive normal double for every x. */
OPMILL_INLINE double opmill_exp_short(double x) {
    const double bounded = opmill_clamp(x, -708, 708);
    const double k = opmill_nearest(bounded * OPMILL_LOG2_E);
    const double r = bounded - k * OPMILL_LN2;
    return opmill_power_of_two(k) * (1 + (r + r * r * opmill_poly_exp_short(r)));
}

/* (2^k - 1) + 2^k (exp(r) - 1). */
OPMILL_INLINE double opmill_expm1_float(double x) {
    const double bounded = opmill_clamp(x, -708, 708);
    const double k = opmill_nearest(bounded * OPMILL_LOG2_E);
    const double r = bounded - k * OPMILL_LN2;
    const double power = opmill_power_of_two(k);
    const double y = (power - 1) + power * (r + r * r * opmill_poly_exp_short(r));
    return x == 0 ? x : y;
}

/* In float, y 2^k: the low part of r keeps the error below 1 ulp. Returns 2^23 + 2^22 + k. */
OPMILL_INLINE float opmill_exp_float_parts(float x, float *y) {
    const float shifted = x * OPMILL_LOG2_E_FLOAT + OPMILL_ROUNDER_FLOAT;
    const float k = shifted - OPMILL_ROUNDER_FLOAT;
    const float high = x - k * OPMILL_LN2_HIGH_FLOAT;
    const float rest = k * OPMILL_LN2_LOW_FLOAT;
    const float r = high - rest;
    const float r_low = (high - r) - rest;
    *y = 1 + (r + (r * r * opmill_poly_exp_float(r) + r_low));
    return shifted;
}

OPMILL_INLINE float opmill_exp_float(float x) {
    float y;
    const float low = x < -104 ? -104 : x;
    const float shifted = opmill_exp_float_parts(low > 89 ? 89 : low, &y);
    /* 2^k in two factors, of which each is normal. */
    const uint32_t power = opmill_float_bits(shifted) - (0x4b400000u - 256);
    const uint32_t half = power >> 1;
    return y * opmill_float_of_bits((half - 1) << 23) *
           opmill_float_of_bits((power - half - 1) << 23);
}

/* The same bits for |x| <= 87, where 2^k is one normal factor. */
OPMILL_INLINE float opmill_exp_float_usual(float x) {
    float y;
    const float shifted = opmill_exp_float_parts(x, &y);
    return y * opmill_float_of_bits((opmill_float_bits(shifted) - (0x4b400000u - 127)) << 23);
}

#endif
