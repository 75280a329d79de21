/* Arithmetic of the elementary functions: bits of numbers, selection without branches, powers
 * of two, and pairs of doubles whose unevaluated sum carries about 100 bits.
 *
 * Results must have the same bits on every machine, so nothing here may be contracted into fused
 * operations or computed in wider registers: the pragmas below see to that, and the options in
 * CMakeLists.txt: for gcc -ffp-contract=off, which -std=c11 implies, and on s390x
 * -fexcess-precision=fast; for 32-bit x86 -msse2 -mfpmath=sse.
 * Functions have no branches, so that compilers vectorise the loops that contain them. */
#ifndef OPMILL_MATH_ARITHMETIC_H
#define OPMILL_MATH_ARITHMETIC_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "runtime/numbers/half.h"
#include "runtime/platform/platform.h"

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__) && defined(__i386__)
#pragma GCC target("sse2,fpmath=sse")
#elif defined(_MSC_VER)
#pragma fp_contract(off)
#endif

/* Elements that one pass of several computes before the next: they stay in the first-level cache.
 */
enum { OPMILL_MATH_BLOCK = OPMILL_ON_STACK(512, 24) };

/* An unevaluated sum; |low| is at most about half a unit in the last place of high. */
typedef struct opmill_pair {
    double high;
    double low;
} opmill_pair;

OPMILL_INLINE uint64_t opmill_bits(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

OPMILL_INLINE double opmill_double(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

#define OPMILL_SIGN_BIT (UINT64_C(1) << 63)

OPMILL_INLINE double opmill_magnitude(double x) {
    return opmill_double(opmill_bits(x) & ~OPMILL_SIGN_BIT);
}

/* The magnitude of x with the sign of `sign`. */
OPMILL_INLINE double opmill_with_sign(double x, double sign) {
    return opmill_double((opmill_bits(x) & ~OPMILL_SIGN_BIT) |
                         (opmill_bits(sign) & OPMILL_SIGN_BIT));
}

/* x between bounds; a NaN stays. */
OPMILL_INLINE double opmill_clamp(double x, double low, double high) {
    x = x < low ? low : x;
    return x > high ? high : x;
}

/* Added to a number below 2^51, this leaves its nearest integer in the low bits of the sum. */
#define OPMILL_ROUNDER 0x1.8p52

#define OPMILL_ROUNDER_FLOAT 0x1.8p23f

/* The nearest integer to x, below 2^51. */
OPMILL_INLINE double opmill_nearest(double x) { return (x + OPMILL_ROUNDER) - OPMILL_ROUNDER; }

/* 2^k for an integer k from -1022 to 1023. */
OPMILL_INLINE double opmill_power_of_two(double k) {
    return opmill_double((opmill_bits(k + OPMILL_ROUNDER) + 1023) << 52);
}

/* x 2^k for an integer k from -2044 to 2046, rounded once if x is normal. */
OPMILL_INLINE double opmill_scale(double x, double k) {
    const double half = opmill_nearest(0.5 * k);
    return x * opmill_power_of_two(half) * opmill_power_of_two(k - half);
}

/* The exact sum of two numbers, of which the first is the larger in magnitude, or zero. */
OPMILL_INLINE opmill_pair opmill_sum_ordered(double a, double b) {
    opmill_pair sum;
    sum.high = a + b;
    sum.low = b - (sum.high - a);
    return sum;
}

/* The exact sum of any two numbers. */
OPMILL_INLINE opmill_pair opmill_sum(double a, double b) {
    opmill_pair sum;
    double of_b;
    sum.high = a + b;
    of_b = sum.high - a;
    sum.low = (a - (sum.high - of_b)) + (b - of_b);
    return sum;
}

/* The leading 26 bits of x. */
OPMILL_INLINE double opmill_head(double x) {
    return opmill_double(opmill_bits(x) & ~((UINT64_C(1) << 27) - 1));
}

/* The product of two numbers, to 2^-105 of it. */
OPMILL_INLINE opmill_pair opmill_product(double a, double b) {
    const double a_head = opmill_head(a);
    const double b_head = opmill_head(b);
    const double a_tail = a - a_head;
    const double b_tail = b - b_head;
    opmill_pair product;
    product.high = a * b;
    product.low =
        ((a_head * b_head - product.high) + a_head * b_tail + a_tail * b_head) + a_tail * b_tail;
    return product;
}

/* The product of two pairs, to about 2^-100 of it. */
OPMILL_INLINE opmill_pair opmill_product_of_pairs(opmill_pair a, opmill_pair b) {
    opmill_pair product = opmill_product(a.high, b.high);
    product.low += a.high * b.low + a.low * b.high;
    return opmill_sum_ordered(product.high, product.low);
}

/* The quotient of two pairs, to about 2^-77 of it: 26 bits of it, whose products with both halves
 * of the divisor are exact, and what they leave. The reciprocal of b is a normal number. */
OPMILL_INLINE opmill_pair opmill_quotient(opmill_pair a, opmill_pair b) {
    const double reciprocal = 1 / b.high;
    const double quotient = opmill_head(a.high * reciprocal);
    const double b_head = opmill_head(b.high);
    const double b_tail = b.high - b_head;
    const double rest =
        ((a.high - quotient * b_head) - quotient * b_tail) + (a.low - quotient * b.low);
    return opmill_sum_ordered(quotient, rest * reciprocal);
}

/* The square root of a pair to about 2^-100 of it; of 0, exactly 0. */
OPMILL_INLINE opmill_pair opmill_root(opmill_pair a) {
    const double root = sqrt(a.high);
    const opmill_pair back = opmill_product(root, root);
    const double rest = ((a.high - back.high) - back.low) + a.low;
    return opmill_sum_ordered(root, root > 0 ? rest / (root + root) : 0);
}

#endif
