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

/* A number as k ln 2 + r. */
typedef struct opmill_exp_parts {
    opmill_pair r;
    double k;
} opmill_exp_parts;

/* x + low; |x| < 2000. */
OPMILL_INLINE opmill_exp_parts opmill_exp_split(double x, double low) {
    opmill_exp_parts parts;
    parts.k = opmill_nearest(x * OPMILL_LOG2_E);
    parts.r = opmill_sum_ordered(x - parts.k * OPMILL_LN2_HIGH, low - parts.k * OPMILL_LN2_LOW);
    return parts;
}

/* exp(k ln 2 + r) = (1 + m) 2^k with |m| <= sqrt(2) - 1, from the polynomial of r. */
OPMILL_INLINE opmill_scaled opmill_exp_of_parts(opmill_exp_parts parts, double polynomial) {
    const double r = parts.r.high;
    const double tail = parts.r.low * (1 + r) + r * r * polynomial;
    opmill_scaled result;
    result.m = opmill_sum_ordered(r, tail);
    result.k = parts.k;
    return result;
}

/* 1 + m as a pair. */
OPMILL_INLINE opmill_scaled opmill_exp_with_one(opmill_scaled result) {
    const opmill_pair sum = opmill_sum_ordered(1, result.m.high);
    result.m = opmill_sum_ordered(sum.high, sum.low + result.m.low);
    return result;
}

OPMILL_INLINE opmill_scaled opmill_exp_reduced(double x, double low) {
    const opmill_exp_parts parts = opmill_exp_split(x, low);
    return opmill_exp_of_parts(parts, opmill_poly_exp_long(parts.r.high));
}

/* exp(x + low) as m 2^k, to about 2^-58 of it; |x| < 2000. */
OPMILL_INLINE opmill_scaled opmill_exp_scaled(double x, double low) {
    return opmill_exp_with_one(opmill_exp_reduced(x, low));
}

/* exp(x) - 1 to about 2^-57 of it, for |x| <= 700, from its parts. */
OPMILL_INLINE opmill_pair opmill_expm1_of_reduced(opmill_scaled reduced) {
    const double power = opmill_power_of_two(reduced.k);
    const opmill_pair less = opmill_sum(power, -1);
    const opmill_pair sum = opmill_sum(less.high, reduced.m.high * power);
    return opmill_sum_ordered(sum.high, sum.low + (less.low + reduced.m.low * power));
}

/* exp(x + low) - 1. */
OPMILL_INLINE opmill_pair opmill_expm1_pair(double x, double low) {
    return opmill_expm1_of_reduced(opmill_exp_reduced(x, low));
}

/* exp(x) as m 2^k with a single m between 0.7 and 1.42, to 1 unit in its last place; |x| < 2000.
 * The lowest bits of `power` are k. */
typedef struct opmill_exp_single {
    double m;
    double power;
} opmill_exp_single;

OPMILL_INLINE opmill_exp_single opmill_exp_single_of(double x) {
    opmill_exp_single e;
    e.power = x * OPMILL_LOG2_E + OPMILL_ROUNDER;
    const double k = e.power - OPMILL_ROUNDER;
    const double r = (x - k * OPMILL_LN2_HIGH) - k * OPMILL_LN2_LOW;
    e.m = 1 + (r + r * r * opmill_poly_exp_beside_one_long(r));
    return e;
}

/* exp(x) for |x| <= 708, where 2^k is one normal factor. */
OPMILL_INLINE double opmill_exp_usual_double(double x) {
    const opmill_exp_single e = opmill_exp_single_of(x);
    return e.m * opmill_double((opmill_bits(e.power) + 1023) << 52);
}

/* exp(x) of any x, with the same bits. */
OPMILL_INLINE double opmill_exp_double(double x) {
    const opmill_exp_single e = opmill_exp_single_of(opmill_clamp(x, -800, 800));
    return opmill_scale(e.m, e.power - OPMILL_ROUNDER);
}

/* The sign bit is set if the magnitude of x is above a limit, or is that of a NaN. */
OPMILL_INLINE uint64_t opmill_beyond_double(uint64_t x, double limit) {
    return opmill_bits(limit) - (x & ~OPMILL_SIGN_BIT);
}

/* True if the magnitude of any of `count` numbers is above a limit, or is that of a NaN. */
OPMILL_INLINE int opmill_any_beyond_double(const uint64_t *x, double limit, int64_t count) {
    uint64_t any = 0;
    for (int64_t i = 0; i < count; i++) {
        any |= opmill_beyond_double(x[i], limit);
    }
    return any >> 63 != 0;
}

/* Pairs for a block of arguments below 2000, in passes: a long polynomial in a longer loop would
 * keep processors waiting. */
typedef struct opmill_exp_block {
    double OPMILL_LINES high[OPMILL_MATH_BLOCK];
    double OPMILL_LINES low[OPMILL_MATH_BLOCK];
    double OPMILL_LINES k[OPMILL_MATH_BLOCK];
    double OPMILL_LINES polynomial[OPMILL_MATH_BLOCK];
} opmill_exp_block;

OPMILL_INLINE void opmill_exp_block_put(opmill_exp_block *block, int64_t i,
                                        opmill_exp_parts parts) {
    block->high[i] = parts.r.high;
    block->low[i] = parts.r.low;
    block->k[i] = parts.k;
}

OPMILL_INLINE void opmill_exp_block_polynomial(opmill_exp_block *block, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        block->polynomial[i] = opmill_poly_exp_long(block->high[i]);
    }
}

/* Of factor |x|, or of x if the factor is 0. */
OPMILL_INLINE void opmill_exp_block_begin(opmill_exp_block *block, const uint64_t *x, double factor,
                                          int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        const double value = opmill_double(x[i]);
        opmill_exp_block_put(
            block, i, opmill_exp_split(factor == 0 ? value : factor * opmill_magnitude(value), 0));
    }
    opmill_exp_block_polynomial(block, count);
}

OPMILL_INLINE opmill_scaled opmill_exp_block_reduced(const opmill_exp_block *block, int64_t i) {
    const opmill_exp_parts parts = {{block->high[i], block->low[i]}, block->k[i]};
    return opmill_exp_of_parts(parts, block->polynomial[i]);
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

/* In float, x = k ln 2 + r with exp(r) from 3/4 to 3/2: there, r and the sum of the terms beside 1
 * are rounded to a quarter of a unit of the result. The bits of `scale` are 2^23 + 2^22 + 127 + k
 * as a float, which end in those of 2^k. */
typedef struct opmill_exp_float_parts {
    float r;
    float scale;
} opmill_exp_float_parts;

#define OPMILL_EXP_SCALE_FLOAT (OPMILL_ROUNDER_FLOAT + 127)

OPMILL_INLINE opmill_exp_float_parts opmill_exp_float_split(float x) {
    opmill_exp_float_parts parts;
    parts.scale = (x - OPMILL_EXP_CENTRE_FLOAT) * OPMILL_LOG2_E_FLOAT + OPMILL_EXP_SCALE_FLOAT;
    const float k = parts.scale - OPMILL_EXP_SCALE_FLOAT;
    parts.r = (x - k * OPMILL_LN2_HIGH_FLOAT) - k * OPMILL_LN2_LOW_FLOAT;
    return parts;
}

OPMILL_INLINE float opmill_exp_float_of_rest(float r) {
    return 1 + (r + r * r * opmill_poly_exp_by_quarters_float(r));
}

/* The bounds beyond which results are 0 and infinity. */
OPMILL_INLINE float opmill_exp_float_bounded(float x) {
    const float low = x < -104 ? -104 : x;
    return low > 89 ? 89 : low;
}

/* exp(x) from its parts, for x between these bounds: 2^k in two factors, of which each is normal.
 */
OPMILL_INLINE float opmill_exp_float_of_parts(opmill_exp_float_parts parts) {
    const uint32_t power = opmill_float_bits(parts.scale) - (0x4b400000u - 127);
    const uint32_t half = power >> 1;
    return opmill_exp_float_of_rest(parts.r) * opmill_float_of_bits(half << 23) *
           opmill_float_of_bits((power - half) << 23);
}

/* The same bits for |x| <= 87, where 2^k is one normal factor. */
OPMILL_INLINE float opmill_exp_float_of_usual_parts(opmill_exp_float_parts parts) {
    return opmill_exp_float_of_rest(parts.r) *
           opmill_float_of_bits(opmill_float_bits(parts.scale) << 23);
}

OPMILL_INLINE float opmill_exp_float(float x) {
    return opmill_exp_float_of_parts(opmill_exp_float_split(opmill_exp_float_bounded(x)));
}

/* The parts of a block of arguments: processors overlap more elements of two short computations
 * than of a long one. */
typedef struct opmill_exp_float_block {
    float OPMILL_LINES r[OPMILL_MATH_BLOCK];
    float OPMILL_LINES scale[OPMILL_MATH_BLOCK];
} opmill_exp_float_block;

OPMILL_INLINE void opmill_exp_float_block_put(opmill_exp_float_block *block, int64_t i,
                                              opmill_exp_float_parts parts) {
    block->r[i] = parts.r;
    block->scale[i] = parts.scale;
}

OPMILL_INLINE opmill_exp_float_parts opmill_exp_float_block_get(const opmill_exp_float_block *block,
                                                                int64_t i) {
    const opmill_exp_float_parts parts = {block->r[i], block->scale[i]};
    return parts;
}

#endif
