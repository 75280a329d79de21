/* float16 and bfloat16, one value at a time, to float and back: to the nearest, ties to even.
 *
 * NaNs keep their sign and as much of their payload as fits. Those that a conversion has to remake
 * (all but bfloat16 to float) come out quiet, as processors do it, so that both paths below give
 * the same bits. */
#ifndef OPMILL_HALF_H
#define OPMILL_HALF_H

#include <stdint.h>
#include <string.h>

#include "runtime/platform/platform.h"

#if OPMILL_GNU && defined(__F16C__)
#include <immintrin.h>
#endif

static inline uint32_t opmill_float_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float opmill_float_of_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The conversions of float16 in standard C. */
static inline float opmill_float16_to_float_standard(uint16_t half) {
    uint32_t sign = (uint32_t)(half & 0x8000u) << 16;
    uint32_t exponent = (half >> 10) & 31u;
    uint32_t fraction = half & 0x3ffu;
    if (exponent == 31) { /* infinity, or a NaN, made quiet */
        uint32_t quiet = fraction != 0 ? 0x400000u : 0;
        return opmill_float_of_bits(sign | 0x7f800000u | quiet | fraction << 13);
    }
    if (exponent == 0) { /* zero or subnormal: a multiple of 2^-24, which a float holds exactly */
        uint32_t bits = opmill_float_bits((float)fraction * 0x1p-24f);
        return opmill_float_of_bits(sign | bits);
    }
    return opmill_float_of_bits(sign | (exponent + 112) << 23 | fraction << 13);
}

static inline uint16_t opmill_float_to_float16_standard(float value) {
    uint32_t bits = opmill_float_bits(value);
    uint32_t sign = bits >> 16 & 0x8000u;
    uint32_t exponent;
    uint32_t shift;
    uint32_t result;
    uint32_t rest;
    bits &= 0x7fffffffu;
    if (bits > 0x7f800000u) {
        return (uint16_t)(sign | 0x7e00u | (bits >> 13 & 0x3ffu));
    }
    if (bits >= 0x477ff000u) { /* 65520: halfway from the largest float16 to the next step */
        return (uint16_t)(sign | 0x7c00u);
    }
    exponent = bits >> 23;
    if (exponent >= 113) { /* normal: rounding may carry into the exponent, which is right */
        shift = 13;
        bits -= (uint32_t)112 << 23;
    } else if (exponent >= 102) { /* subnormal, in steps of 2^-24 */
        shift = 126 - exponent;
        bits = (bits & 0x7fffffu) | 0x800000u;
    } else { /* below half the smallest subnormal */
        return (uint16_t)sign;
    }
    result = bits >> shift;
    rest = (bits & ((1u << shift) - 1)) << (32 - shift);
    result += rest > 0x80000000u || (rest == 0x80000000u && (result & 1u) != 0);
    return (uint16_t)(sign | result);
}

#if OPMILL_NEON && defined(__FLT16_MAX__)
__extension__ typedef _Float16 opmill_float16; /* ISO C has none */
#endif

static inline float opmill_float16_to_float(uint16_t half) {
#if OPMILL_GNU && defined(__F16C__)
    return _cvtsh_ss(half);
#elif OPMILL_NEON && defined(__FLT16_MAX__)
    opmill_float16 value;
    memcpy(&value, &half, sizeof value);
    return (float)value;
#else
    return opmill_float16_to_float_standard(half);
#endif
}

static inline uint16_t opmill_float_to_float16(float value) {
#if OPMILL_GNU && defined(__F16C__)
    return (uint16_t)_cvtss_sh(value, 0 /* to nearest, ties to even */);
#elif OPMILL_NEON && defined(__FLT16_MAX__)
    opmill_float16 rounded = (opmill_float16)value;
    uint16_t half;
    memcpy(&half, &rounded, sizeof half);
    return half;
#else
    return opmill_float_to_float16_standard(value);
#endif
}

/* A bfloat16 is the upper half of a float. Standard C is the only path: the processors' own
 * instruction takes subnormals for zero. */
static inline float opmill_bfloat16_to_float(uint16_t half) {
    return opmill_float_of_bits((uint32_t)half << 16);
}

static inline uint16_t opmill_float_to_bfloat16(float value) {
    uint32_t bits = opmill_float_bits(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u) {
        return (uint16_t)(bits >> 16 | 0x40u);
    }
    return (uint16_t)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

#endif
