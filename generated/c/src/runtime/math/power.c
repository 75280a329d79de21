/* pow over runs of elements. */
#include "runtime/math/power.h"

#include "opmill/isa.h"
#include "runtime/math/math.h"
#include "runtime/math/nan.h"

/* The low bits of an exponent, which are 0 in all simple ones. 16-bit floats have few others. */
#define LOW_BITS_float 0x003fffffu
#define LOW_BITS_double UINT64_C(0x000fffffffffffff)

/* The powers of those elements of a block that have a simple exponent. The places of candidates are
 * collected first, without a branch. */
#define DEFINE_SIMPLE_OF_BLOCK(kind, bits, value_of_bits)                                         \
    OPMILL_INLINE void pow_simple_of_block_##kind(const bits *restrict x, const bits *restrict y, \
                                                  bits *restrict z, int64_t count) {              \
        uint32_t OPMILL_LINES positions[OPMILL_MATH_BLOCK];                                          \
        int64_t found = 0;                                                                        \
        for (int64_t i = 0; i < count; i++) {                                                     \
            positions[found] = (uint32_t)i;                                                          \
            found += (y[i] & LOW_BITS_##kind) == 0;                                               \
        }                                                                                         \
        for (int64_t i = 0; i < found; i++) {                                                     \
            const uint32_t at = positions[i];                                                        \
            const kind exponent = value_of_bits(y[at]);                                           \
            if (opmill_pow_is_simple_##kind(exponent)) {                                          \
                z[at] = opmill_result_##kind(                                                     \
                    x[at], opmill_pow_simple_##kind(value_of_bits(x[at]), exponent));             \
            }                                                                                     \
        }                                                                                         \
    }
DEFINE_SIMPLE_OF_BLOCK(float, opmill_bits32, opmill_float_of_bits)
DEFINE_SIMPLE_OF_BLOCK(double, opmill_bits64, opmill_double)

/* The powers of a block of floats: all as if they were usual, then those that are not. */
OPMILL_INLINE void pow_block_float(const opmill_bits32 *restrict x, const opmill_bits32 *restrict y,
                                   opmill_bits32 *restrict z, int64_t count) {
    float OPMILL_LINES f[OPMILL_MATH_BLOCK], k[OPMILL_MATH_BLOCK], reciprocal[OPMILL_MATH_BLOCK];
    float OPMILL_LINES u[OPMILL_MATH_BLOCK];
    uint32_t shifted[OPMILL_MATH_BLOCK], any = 0, simple = 0;
    for (int64_t i = 0; i < count; i++) {
        const opmill_split_float split = opmill_pow_split(opmill_float_of_bits(x[i]), 0);
        f[i] = split.f;
        k[i] = split.k;
        reciprocal[i] = split.reciprocal;
    }
    for (int64_t i = 0; i < count; i++) {
        any |= opmill_pow_is_unusual(x[i], y[i]);
        simple |= (y[i] & LOW_BITS_float) == 0;
    }
    for (int64_t i = 0; i < count; i++) {
        const opmill_power_parts parts = opmill_pow_parts(opmill_pow_exponent(
            (double)f[i], (double)k[i], (double)reciprocal[i], (double)opmill_float_of_bits(y[i])));
        u[i] = parts.u;
        shifted[i] = parts.shifted;
    }
    for (int64_t i = 0; i < count; i++) {
        const opmill_power_parts parts = {u[i], shifted[i]};
        z[i] = opmill_float_bits(opmill_pow_of_parts(parts));
    }
    if (any) {
        uint32_t OPMILL_LINES positions[OPMILL_MATH_BLOCK], of_x[OPMILL_MATH_BLOCK],
            of_y[OPMILL_MATH_BLOCK];
        int64_t found = 0;
        for (int64_t i = 0; i < count; i++) {
            positions[found] = (uint32_t)i;
            of_x[found] = x[i];
            of_y[found] = y[i];
            found += opmill_pow_is_unusual(x[i], y[i]);
        }
        for (int64_t i = 0; i < found; i++) {
            of_x[i] = opmill_pow_float_bits(of_x[i], of_y[i]);
        }
        for (int64_t i = 0; i < found; i++) {
            z[positions[i]] = of_x[i];
        }
    }
    if (simple) {
        pow_simple_of_block_float(x, y, z, count);
    }
}

/* So many doubles at a time, whose passes stay in the first-level cache. */
enum { DOUBLES = OPMILL_MATH_BLOCK / 4 };

/* True if each x is a positive normal number and each power far from the ends of the range; the
 * powers are written then, with the bits of opmill_pow_double, in passes. */
OPMILL_INLINE bool pow_usual_double(const opmill_bits64 *restrict x,
                                    const opmill_bits64 *restrict y, opmill_bits64 *restrict z,
                                    int64_t count) {
    double high[DOUBLES], low[DOUBLES], k[DOUBLES];
    double square_high[DOUBLES], square_low[DOUBLES], polynomial[DOUBLES];
    opmill_exp_block block;
    uint64_t any = 0;
    for (int64_t i = 0; i < count; i++) {
        /* 2^-1022; smaller ones wrap around */
        any |= x[i] - UINT64_C(0x0010000000000000) >= UINT64_C(0x7fe0000000000000);
    }
    if (any != 0) {
        return false;
    }
    for (int64_t i = 0; i < count; i++) {
        const opmill_split split = opmill_log_split_normal(opmill_double(x[i]));
        const opmill_pair s = opmill_log_ratio(split.f);
        high[i] = s.high;
        low[i] = s.low;
        k[i] = split.k;
    }
    for (int64_t i = 0; i < count; i++) {
        const opmill_pair s = {high[i], low[i]};
        const opmill_pair square = opmill_log_square(s);
        square_high[i] = square.high;
        square_low[i] = square.low;
    }
    for (int64_t i = 0; i < count; i++) {
        polynomial[i] = opmill_poly_log_tail_long(square_high[i]);
    }
    for (int64_t i = 0; i < count; i++) {
        const opmill_pair s = {high[i], low[i]}, square = {square_high[i], square_low[i]};
        const opmill_pair log_x = opmill_log_of_square(s, k[i], square, polynomial[i]);
        const opmill_pair t = opmill_pow_product(opmill_double(y[i]), log_x);
        any |= opmill_bits(opmill_magnitude(t.high)) > opmill_bits(700);
        opmill_exp_block_put(&block, i, opmill_exp_split(t.high, t.low));
    }
    if (any != 0) {
        return false;
    }
    opmill_exp_block_polynomial(&block, count);
    for (int64_t i = 0; i < count; i++) {
        const opmill_scaled e = opmill_exp_with_one(opmill_exp_block_reduced(&block, i));
        z[i] = opmill_bits(e.m.high * opmill_power_of_two(e.k));
    }
    return true;
}

OPMILL_INLINE void pow_block_double(const opmill_bits64 *restrict x,
                                    const opmill_bits64 *restrict y, opmill_bits64 *restrict z,
                                    int64_t count) {
    uint32_t simple = 0;
    for (int64_t first = 0; first < count; first += DOUBLES) {
        const int64_t now = count - first < DOUBLES ? count - first : DOUBLES;
        if (pow_usual_double(x + first, y + first, z + first, now)) {
            continue;
        }
        for (int64_t i = first; i < first + now; i++) {
            z[i] = opmill_pow_double_bits(x[i], y[i]);
        }
    }
    for (int64_t i = 0; i < count; i++) {
        simple |= (y[i] & LOW_BITS_double) == 0;
    }
    if (simple) {
        pow_simple_of_block_double(x, y, z, count);
    }
}

/* All powers of one simple exponent, which is a constant here. */
#define DEFINE_SIMPLE(kind, bits, value_of_bits)                                           \
    OPMILL_INLINE void pow_simple_##kind(const bits *restrict x, kind y, bits *restrict z, \
                                         int64_t count) {                                  \
        for (int64_t i = 0; i < count; i++) {                                              \
            z[i] = opmill_result_##kind(x[i],                                              \
                                        opmill_pow_simple_##kind(value_of_bits(x[i]), y)); \
        }                                                                                  \
    }
DEFINE_SIMPLE(float, opmill_bits32, opmill_float_of_bits)
DEFINE_SIMPLE(double, opmill_bits64, opmill_double)

#define OF_ONE(kind, exponent)                  \
    if (value == (exponent)) {                  \
        pow_simple_##kind(x, exponent, z, count); \
        return true;                            \
    }
#define ALL_OF_float                                                                     \
    OF_ONE(float, 2)                                                                     \
    OF_ONE(float, 0.5f)                                                                  \
    OF_ONE(float, 3)                                                                     \
    OF_ONE(float, -1) OF_ONE(float, -0.5f) OF_ONE(float, -2) OF_ONE(float, 4) OF_ONE(float, 1)
#define ALL_OF_double OF_ONE(double, 2) OF_ONE(double, 0.5) OF_ONE(double, -1) OF_ONE(double, 1)

/* The loops of one instruction set. An operand that is one number for all is a block of it. */
#define DEFINE_LOOP(kind, set, bits, value_of_bits)                                             \
    static bool simple_##kind##_##set(const void *a, const void *b, void *to, int64_t count) {  \
        const bits *restrict x = a;                                                             \
        bits *restrict z = to;                                                                  \
        const kind value = value_of_bits(*(const bits *)b);                                     \
        ALL_OF_##kind return false;                                                             \
    }                                                                                           \
    static void pow_##kind##_##set(const void *a, bool a_is_one, const void *b, bool b_is_one,  \
                                   void *to, int64_t count) {                                   \
        bits OPMILL_LINES of_x[OPMILL_MATH_BLOCK], of_y[OPMILL_MATH_BLOCK];                     \
        const bits *x = a_is_one ? of_x : a, *y = b_is_one ? of_y : b;                          \
        bits *z = to;                                                                           \
        if (b_is_one && !a_is_one && simple_##kind##_##set(a, b, to, count)) {                  \
            return;                                                                             \
        }                                                                                       \
        for (int64_t i = 0; i < OPMILL_MATH_BLOCK && i < count && (a_is_one || b_is_one); i++) {             \
            of_x[i] = *(const bits *)a;                                                         \
            of_y[i] = *(const bits *)b;                                                         \
        }                                                                                       \
        for (int64_t size; count > 0; count -= size, z += size) {                               \
            size = count < OPMILL_MATH_BLOCK ? count : OPMILL_MATH_BLOCK;                       \
            pow_block_##kind(x, y, z, size);                                                    \
            x += a_is_one ? 0 : size;                                                           \
            y += b_is_one ? 0 : size;                                                           \
        }                                                                                       \
    }
#define DEFINE_LOOPS(set)                                           \
    DEFINE_LOOP(float, set, opmill_bits32, opmill_float_of_bits)    \
    DEFINE_LOOP(double, set, opmill_bits64, opmill_double)

DEFINE_LOOPS(baseline)
#if OPMILL_X86_64
OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX2)
DEFINE_LOOPS(avx2)
OPMILL_TARGET_END
OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX512)
DEFINE_LOOPS(avx512)
OPMILL_TARGET_END
#endif

opmill_math_binary_loop *opmill_math_pow(int32_t type, int32_t isa) {
    const int wide = type == OPMILL_DOUBLE;
#if OPMILL_X86_64
    if (isa == OPMILL_ISA_AVX512) {
        return wide ? pow_double_avx512 : pow_float_avx512;
    }
    if (isa == OPMILL_ISA_AVX2) {
        return wide ? pow_double_avx2 : pow_float_avx2;
    }
#endif
    (void)isa;
    return wide ? pow_double_baseline : pow_float_baseline;
}
