/* pow(x, y) = exp(y log|x|), with the sign and the special cases of IEEE 754. */
#ifndef OPMILL_MATH_POWER_H
#define OPMILL_MATH_POWER_H

#include "runtime/math/exponential.h"
#include "runtime/math/logarithm.h"
#include "runtime/math/nan.h"

/* True for an integer: from 2^52 on, every double is one. */
OPMILL_INLINE int opmill_is_integer(double magnitude) {
    return magnitude >= 0x1p52 || (magnitude + 0x1p52) - 0x1p52 == magnitude;
}

/* pow(x, y), where `power` is pow(|x|, y) for x and y that are finite and not zero;
 * not for NaNs, x = 1 and y = 0. */
OPMILL_INLINE double opmill_pow_edges(double x, double y, double power) {
    const double a = opmill_magnitude(x);
    const double b = opmill_magnitude(y);
    const int integer = opmill_is_integer(b);
    const int odd = integer & !opmill_is_integer(0.5 * b);
    const int negative = (int)(opmill_bits(x) >> 63);
    const int grows = (a > 1) == (y > 0);
    double z = power;
    z = ((a == 0) | (a == INFINITY) | (b == INFINITY)) ? (grows ? INFINITY : 0) : z;
    z = (negative & !integer & (a != 0) & (a != INFINITY)) ? NAN : z;
    z = (negative & odd) ? -z : z;
    return ((x == -1) & (b == INFINITY)) ? 1 : z;
}

/* y log(x). */
OPMILL_INLINE opmill_pair opmill_pow_product(double y, opmill_pair log_x) {
    opmill_pair t = opmill_product(y, log_x.high);
    t.low += y * log_x.low;
    return t;
}

OPMILL_INLINE double opmill_pow_double(double x, double y) {
    opmill_pair t = opmill_pow_product(y, opmill_log_pair(opmill_magnitude(x)));
    opmill_scaled e;
    t.low = opmill_magnitude(t.high) < 1000 ? t.low : 0;
    t.high = opmill_clamp(t.high, -1000, 1000);
    e = opmill_exp_scaled(t.high, t.low);
    return opmill_pow_edges(x, y, opmill_scale(e.m.high, e.k));
}

/* The same in float. */

OPMILL_INLINE int opmill_is_integer_float(float magnitude) {
    return magnitude >= 0x1p23f || (magnitude + 0x1p23f) - 0x1p23f == magnitude;
}

OPMILL_INLINE float opmill_pow_edges_float(float x, float y, float power) {
    const float a = opmill_float_of_bits(opmill_float_bits(x) & 0x7fffffffu);
    const float b = opmill_float_of_bits(opmill_float_bits(y) & 0x7fffffffu);
    const int integer = opmill_is_integer_float(b);
    const int odd = integer & !opmill_is_integer_float(0.5f * b);
    const int negative = (int)(opmill_float_bits(x) >> 31);
    const int grows = (a > 1) == (y > 0);
    float z = power;
    z = ((a == 0) | (a == INFINITY) | (b == INFINITY)) ? (grows ? INFINITY : 0) : z;
    z = (negative & !integer & (a != 0) & (a != INFINITY)) ? NAN : z;
    z = (negative & odd) ? -z : z;
    return ((x == -1) & (b == INFINITY)) ? 1 : z;
}

/* In three parts, of which each is a pass of its own over a block: the logarithm to base 2 and its
 * product with y need double, the rest does not. */

/* A positive normal x as 2^k (1 + f), and 1 / (2 + f). */
typedef struct opmill_split_float {
    float f;
    float k;
    float reciprocal;
} opmill_split_float;

OPMILL_INLINE opmill_split_float opmill_pow_split(float x, float less) {
    const uint32_t bits_of_half_root = 0x3f3504f3u;
    const uint32_t offset = opmill_float_bits(x) - bits_of_half_root;
    /* The exponent, biased by 256, fills the low bits of 2^23. */
    const uint32_t biased = (offset + (256u << 23)) >> 23;
    opmill_split_float split;
    split.k = opmill_float_of_bits(biased | 0x4b000000u) - (0x1p23f + 256 + less);
    split.f = opmill_float_of_bits((offset & 0x007fffffu) + bits_of_half_root) - 1;
    split.reciprocal = 1 / (2 + split.f);
    return split;
}

/* y log2(2^k (1 + f)): s = f / (2 + f) is f times the reciprocal, made better once. */
OPMILL_INLINE double opmill_pow_exponent(double f, double k, double reciprocal, double y) {
    const double about = f * reciprocal;
    const double s = about + reciprocal * (f - about * (2 + f));
    return y * (k + s * opmill_poly_log2_short(s * s));
}

/* A power 2^n exp(u), n in the low bits of `shifted`. */
typedef struct opmill_power_parts {
    float u;
    uint32_t shifted;
} opmill_power_parts;

OPMILL_INLINE opmill_power_parts opmill_pow_parts(double t) {
    const double shifted = t + OPMILL_ROUNDER;
    opmill_power_parts parts;
    parts.u = (float)((t - (shifted - OPMILL_ROUNDER)) * OPMILL_LN2);
    parts.shifted = (uint32_t)opmill_bits(shifted);
    return parts;
}

/* Before the last sum the error is below half a unit in the last place: powers that are floats are
 * exact. 2^n is applied in two factors, of which each is normal. */
OPMILL_INLINE float opmill_pow_of_parts(opmill_power_parts parts) {
    const float u = parts.u;
    const float first = 1 + u;
    const float lost = u - (first - 1);
    const float y = first + (lost + u * u * opmill_poly_exp_of_rest_float(u));
    int32_t n = (int32_t)parts.shifted;
    n = n < -160 ? -160 : n; /* where the power is 0 or infinite */
    n = n > 160 ? 160 : n;
    const uint32_t power = (uint32_t)n + 256;
    const uint32_t half = power >> 1;
    return y * opmill_float_of_bits((half - 1) << 23) *
           opmill_float_of_bits((power - half - 1) << 23);
}

/* True if an element needs more than these parts: x is not a positive normal number, or y is so
 * large that the exponent may not be an int32. */
OPMILL_INLINE uint32_t opmill_pow_is_unusual(uint32_t x, uint32_t y) {
    return ((x - 0x00800000u) >= 0x7f000000u) | ((y & 0x7fffffffu) >= 0x49800000u); /* 2^20 */
}

/* Exponents that networks have, with results of their own: those of the products, quotients and
 * square roots, wherever the exponent is. Whether y is one of them. */
OPMILL_INLINE int opmill_pow_is_simple_float(float y) {
    return (y == 2) | (y == 0.5f) | (y == 3) | (y == -1) | (y == -0.5f) | (y == -2) | (y == 4) |
           (y == 1);
}

OPMILL_INLINE float opmill_pow_simple_float(float x, float y) {
    const double wide = (double)x, square = wide * wide;
    return y == 2       ? x * x
           : y == 0.5f  ? (x == -INFINITY ? INFINITY : sqrtf(x) + 0) /* of -0 too, 0 */
           : y == 3     ? (float)(square * wide)
           : y == -1    ? 1 / x
           : y == -0.5f ? (x == -INFINITY ? 0 : (float)(1 / (sqrt(wide) + 0)))
           : y == -2    ? (float)(1 / square)
           : y == 4     ? (float)(square * square)
                        : x;
}

OPMILL_INLINE int opmill_pow_is_simple_double(double y) {
    return (y == 2) | (y == 0.5) | (y == -1) | (y == 1);
}

OPMILL_INLINE double opmill_pow_simple_double(double x, double y) {
    return y == 2     ? x * x
           : y == 0.5 ? (x == -INFINITY ? INFINITY : sqrt(x) + 0)
           : y == -1  ? 1 / x
                      : x;
}

/* Other exponents. */
OPMILL_INLINE float opmill_pow_float(float x, float y) {
    const float a = opmill_float_of_bits(opmill_float_bits(x) & 0x7fffffffu);
    const int subnormal = a < 0x1p-126f;
    const opmill_split_float split =
        opmill_pow_split(subnormal ? a * 0x1p25f : a, subnormal ? 25 : 0);
    const double t =
        opmill_pow_exponent((double)split.f, (double)split.k, (double)split.reciprocal, (double)y);
    const opmill_power_parts parts = opmill_pow_parts(opmill_clamp(t, -0x1p20, 0x1p20));
    return opmill_pow_edges_float(x, y, opmill_pow_of_parts(parts));
}

/* The same from bits to bits. A NaN of x passes, else that of y; pow(1, y) and pow(x, 0) are 1. */

OPMILL_INLINE uint32_t opmill_pow_float_bits(uint32_t x, uint32_t y) {
    const float z = opmill_pow_float(opmill_float_of_bits(x), opmill_float_of_bits(y));
    const uint32_t of_y = opmill_result_float(y, z);
    const int one = (x == 0x3f800000u) | ((y & 0x7fffffffu) == 0);
    return one ? 0x3f800000u : (x & 0x7fffffffu) > 0x7f800000u ? x | 0x00400000u : of_y;
}

OPMILL_INLINE uint64_t opmill_pow_double_bits(uint64_t x, uint64_t y) {
    const uint64_t bits_of_one = UINT64_C(0x3ff0000000000000);
    const double z = opmill_pow_double(opmill_double(x), opmill_double(y));
    const uint64_t of_y = opmill_result_double(y, z);
    const int one = (x == bits_of_one) | ((y & ~OPMILL_SIGN_BIT) == 0);
    return one ? bits_of_one
           : (x & ~OPMILL_SIGN_BIT) > UINT64_C(0x7ff0000000000000)
               ? x | UINT64_C(0x0008000000000000)
               : of_y;
}

#endif
