/* The loops, which compilers turn into vectors. The file that includes this one defines CAST_LOOPS,
 * the name of the table, and CAST_ISA, and may define CAST_HALVES, the name of two loops of its own
 * between float16 and float: CAST_HALVES(name) is the loop's name. */

#define LOOP(name, from, to, result) \
    static void name(void *out, const void *in, int64_t count) { \
        const from *restrict x = in; \
        to *restrict y = out; \
        for (int64_t i = 0; i < count; i++) { \
            y[i] = result; \
        } \
    }

/* From an integer: the low bits, whatever the sign of the result; bool; and the nearest float. */
#define INTEGER(from, type) \
    LOOP(from##_to_bool, type, uint8_t, (uint8_t)(x[i] != 0)) \
    LOOP(from##_to_8, type, uint8_t, (uint8_t)x[i]) \
    LOOP(from##_to_16, type, uint16_t, (uint16_t)x[i]) \
    LOOP(from##_to_32, type, uint32_t, (uint32_t)x[i]) \
    LOOP(from##_to_64, type, uint64_t, (uint64_t)x[i]) \
    LOOP(from##_to_float, type, float, (float)x[i]) \
    LOOP(from##_to_double, type, double, (double)x[i])

INTEGER(u8, uint8_t)
INTEGER(i8, int8_t)
INTEGER(u16, uint16_t)
INTEGER(i16, int16_t)
INTEGER(u32, uint32_t)
INTEGER(i32, int32_t)
INTEGER(u64, uint64_t)
INTEGER(i64, int64_t)

enum { BLOCK = 512 };

/* The low bits of a floating number without its fraction, worked out of its bits: 0 for infinities
 * and NaN. A branch or a division here would keep compilers from vectors. */
#define LOW_BITS(name, word, width, fraction, bias) \
    static inline word name(word bits) { \
        const int##width##_t power = \
            (int##width##_t)(bits >> (fraction) & ((bias) * 2 + 1)) - (bias) - (fraction); \
        const word size = (bits & (((word)1 << (fraction)) - 1)) | (word)1 << (fraction); \
        const word left = (word)(power < 0 ? 0 : power > (width) - 1 ? (width) - 1 : power); \
        const word right = (word)(power > 0 ? 0 : power < 1 - (width) ? (width) - 1 : -power); \
        const word in_range = power < (width) ? size : 0; \
        const word whole = in_range >> right << left; \
        return bits >> ((width) - 1) != 0 ? 0 - whole : whole; \
    }

LOW_BITS(float_low_bits, uint32_t, 32, 23, 127)
LOW_BITS(double_low_bits, uint64_t, 64, 52, 1023)

/* From a float to the low bits of an integer. Numbers below `limit`, as most are, `through` holds,
 * and the processor converts them to it; a block with any other is worked out of the bits. */
#define TRUNCATE(name, from, word, bits_of, to, through, limit, low_bits) \
    static void name(void *out, const void *in, int64_t count) { \
        const word magnitudes = (word)-1 >> 1, max = bits_of(limit) - 1; \
        for (int64_t start = 0; start < count; start += BLOCK) { \
            const int64_t length = count - start < BLOCK ? count - start : BLOCK; \
            const from *restrict x = (const from *)in + start; \
            to *restrict y = (to *)out + start; \
            word beyond = 0; \
            for (int64_t i = 0; i < length; i++) { \
                beyond |= max - (bits_of(x[i]) & magnitudes); /* its highest bit, if too large */ \
            } \
            if (beyond <= magnitudes) { \
                for (int64_t i = 0; i < length; i++) { \
                    y[i] = (to)(through)x[i]; \
                } \
                continue; \
            } \
            for (int64_t i = 0; i < length; i++) { \
                y[i] = (to)low_bits(x[i]); \
            } \
        } \
    }

#define FLOAT_LOW(number) float_low_bits(opmill_float_bits(number))
#define DOUBLE_LOW(number) double_low_bits(double_bits((double)(number)))

#define REAL(from, type, word, bits_of, limit31, limit63, LOW) \
    LOOP(from##_to_bool, type, uint8_t, (uint8_t)(x[i] != 0)) \
    TRUNCATE(from##_to_8, type, word, bits_of, uint8_t, int32_t, limit31, LOW) \
    TRUNCATE(from##_to_16, type, word, bits_of, uint16_t, int32_t, limit31, LOW) \
    TRUNCATE(from##_to_32, type, word, bits_of, uint32_t, int32_t, limit31, LOW) \
    TRUNCATE(from##_to_64, type, word, bits_of, uint64_t, int64_t, limit63, DOUBLE_LOW)

static inline uint64_t double_bits(double number) {
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

REAL(float, float, uint32_t, opmill_float_bits, 0x1p31f, 0x1p63f, FLOAT_LOW)
REAL(double, double, uint64_t, double_bits, 0x1p31, 0x1p63, DOUBLE_LOW)
LOOP(float_to_double, float, double, (double)x[i])
LOOP(double_to_float, double, float, (float)x[i])

/* The same number, but that a NaN is quiet, as processors make it where they convert. */
static inline float quiet(float number) {
    const uint32_t bits = opmill_float_bits(number);
    return opmill_float_of_bits(bits | ((bits & 0x7fffffffu) > 0x7f800000u ? 0x400000u : 0u));
}

/* The 16-bit floats, from float and to it. */
LOOP(bfloat16_to_float, uint16_t, float, quiet(opmill_bfloat16_to_float(x[i])))
LOOP(float_to_bfloat16, float, uint16_t, opmill_float_to_bfloat16(x[i]))
#ifndef CAST_HALVES
#define CAST_HALVES(name) name
LOOP(float16_to_float, uint16_t, float, opmill_float16_to_float(x[i]))
LOOP(float_to_float16, float, uint16_t, opmill_float_to_float16(x[i]))
#endif

/* A double as float: where it does not fit, cut off and odd. A NaN stays one. */
static inline float odd(double number) {
    const float near = (float)number;
    const double exact = (double)near;
    const uint32_t away = fabs(exact) > fabs(number), inexact = exact != number;
    return number == number ? opmill_float_of_bits((opmill_float_bits(near) - away) | inexact)
                            : near;
}

LOOP(i32_to_odd, int32_t, float, odd((double)x[i]))
LOOP(u32_to_odd, uint32_t, float, odd((double)x[i]))
LOOP(double_to_odd, double, float, odd(x[i]))

/* A fraction is shifted out to the nearest, ties to even, further below the smallest normal number;
 * what is beyond 25 bits is nothing. A carry out of the fraction makes the exponent one more, as it
 * should. */
static inline uint32_t small_bits(uint32_t bits, const cast_small *small) {
    const uint32_t magnitude = bits & 0x7fffffffu;
    const int32_t above =
        (int32_t)(magnitude >> 23) - small->min_exponent; /* the smallest normal number */
    const int32_t below = above < 0 ? -above : 0, shift = small->shift + below;
    const uint32_t count = (uint32_t)(shift < 25 ? shift : 25);
    const uint32_t size = (magnitude & 0x7fffffu) | 0x800000u;
    const uint32_t odd_bit = size >> count & 1;
    const uint32_t rounded = (size + (1u << (count - 1)) - 1 + odd_bit) >> count;
    const uint32_t field = (uint32_t)(above > 0 ? above : 0);
    const uint32_t encoded = (field << (23 - small->shift)) + rounded;
    const uint32_t number = encoded > small->max ? small->beyond : encoded;
    const uint32_t finite = magnitude == 0x7f800000u ? small->infinity : number;
    const uint32_t nan = small->nan | (magnitude >> small->shift & small->payload);
    const bool is_nan = magnitude > 0x7f800000u;
    const uint32_t result = is_nan ? nan : finite;
    const uint32_t signs =
        (is_nan ? small->nan_sign : ~0u) & (result == 0 ? small->zero_sign : ~0u);
    return result | (bits >> 31 != 0 ? small->sign & signs : 0);
}

static void float_to_small(void *out, const float *in, int64_t count, const cast_small *small) {
    const float *restrict x = in;
    uint8_t *restrict y = out;
    const cast_small format = *small;
    for (int64_t i = 0; i < count; i++) {
        y[i] = (uint8_t)small_bits(opmill_float_bits(x[i]), &format);
    }
}

/* The entries of a row for bool and integers, the same for both signs. */
#define WHOLE(from) \
    [OPMILL_BOOL] = from##_to_bool, [OPMILL_UINT8] = from##_to_8, [OPMILL_INT8] = from##_to_8, \
    [OPMILL_UINT16] = from##_to_16, [OPMILL_INT16] = from##_to_16, \
    [OPMILL_UINT32] = from##_to_32, [OPMILL_INT32] = from##_to_32, \
    [OPMILL_UINT64] = from##_to_64, [OPMILL_INT64] = from##_to_64
#define FROM_INTEGER(from) \
    {WHOLE(from), [OPMILL_FLOAT] = from##_to_float, [OPMILL_DOUBLE] = from##_to_double}

const cast_loops CAST_LOOPS = {
    .isa = CAST_ISA,
    .between =
        {
            [OPMILL_BOOL] = FROM_INTEGER(u8),
            [OPMILL_UINT8] = FROM_INTEGER(u8),
            [OPMILL_INT8] = FROM_INTEGER(i8),
            [OPMILL_UINT16] = FROM_INTEGER(u16),
            [OPMILL_INT16] = FROM_INTEGER(i16),
            [OPMILL_UINT32] = FROM_INTEGER(u32),
            [OPMILL_INT32] = FROM_INTEGER(i32),
            [OPMILL_UINT64] = FROM_INTEGER(u64),
            [OPMILL_INT64] = FROM_INTEGER(i64),
            [OPMILL_FLOAT] = {WHOLE(float), [OPMILL_DOUBLE] = float_to_double,
                              [OPMILL_FLOAT16] = CAST_HALVES(float_to_float16),
                              [OPMILL_BFLOAT16] = float_to_bfloat16},
            [OPMILL_DOUBLE] = {WHOLE(double), [OPMILL_FLOAT] = double_to_float},
            [OPMILL_FLOAT16] = {[OPMILL_FLOAT] = CAST_HALVES(float16_to_float)},
            [OPMILL_BFLOAT16] = {[OPMILL_FLOAT] = bfloat16_to_float},
        },
    .to_odd = {[OPMILL_INT32] = i32_to_odd,
               [OPMILL_UINT32] = u32_to_odd,
               [OPMILL_DOUBLE] = double_to_odd},
    .to_small = float_to_small,
};
