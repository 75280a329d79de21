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

OPMILL_INLINE double opmill_pow_double(double x, double y) {
    const opmill_pair log_x = opmill_log_pair(opmill_magnitude(x));
    opmill_pair t = opmill_product(y, log_x.high);
    opmill_scaled e;
    t.low += y * log_x.low;
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

OPMILL_INLINE float opmill_pow_float(float x, float y) {
    const double a = (double)opmill_float_of_bits(opmill_float_bits(x) & 0x7fffffffu);
    const double power = opmill_exp_short((double)y * opmill_log_normal_float(a, a - 1));
    return opmill_pow_edges_float(x, y, (float)power);
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
