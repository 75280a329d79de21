/* Converts one element between any two types: decodes its bits to significand and exponent, then
 * rounds once to the target format. The reference for the faster loops. */
#include "formats.h"

#include <string.h>

#include "opmill/types.h"
#include "runtime/platform/platform.h"

typedef enum kind {
    UNSIGNED, /* integers */
    SIGNED,
    BOOL,
    IEEE,    /* floats with infinities and NaNs of the largest exponent */
    ONE_NAN, /* the largest pattern is NaN, of either sign */
    FNUZ,    /* the pattern of -0 is NaN */
    NO_NAN,  /* numbers alone */
    POWERS   /* float8e8m0: exponents alone, and NaN for the largest pattern */
} kind;

typedef struct format {
    uint8_t kind;
    uint8_t bits;
    uint8_t fraction; /* bits of it */
    int16_t bias;     /* of the exponent */
} format;

static const format FORMATS[] = {
    [OPMILL_FLOAT] = {IEEE, 32, 23, 127},       [OPMILL_UINT8] = {UNSIGNED, 8, 0, 0},
    [OPMILL_INT8] = {SIGNED, 8, 0, 0},          [OPMILL_UINT16] = {UNSIGNED, 16, 0, 0},
    [OPMILL_INT16] = {SIGNED, 16, 0, 0},        [OPMILL_INT32] = {SIGNED, 32, 0, 0},
    [OPMILL_INT64] = {SIGNED, 64, 0, 0},        [OPMILL_BOOL] = {BOOL, 8, 0, 0},
    [OPMILL_FLOAT16] = {IEEE, 16, 10, 15},      [OPMILL_DOUBLE] = {IEEE, 64, 52, 1023},
    [OPMILL_UINT32] = {UNSIGNED, 32, 0, 0},     [OPMILL_UINT64] = {UNSIGNED, 64, 0, 0},
    [OPMILL_BFLOAT16] = {IEEE, 16, 7, 127},     [OPMILL_FLOAT8E4M3FN] = {ONE_NAN, 8, 3, 7},
    [OPMILL_FLOAT8E4M3FNUZ] = {FNUZ, 8, 3, 8},  [OPMILL_FLOAT8E5M2] = {IEEE, 8, 2, 15},
    [OPMILL_FLOAT8E5M2FNUZ] = {FNUZ, 8, 2, 16}, [OPMILL_UINT4] = {UNSIGNED, 4, 0, 0},
    [OPMILL_INT4] = {SIGNED, 4, 0, 0},          [OPMILL_FLOAT4E2M1] = {NO_NAN, 4, 1, 1},
    [OPMILL_FLOAT8E8M0] = {POWERS, 8, 0, 127},  [OPMILL_UINT2] = {UNSIGNED, 2, 0, 0},
    [OPMILL_INT2] = {SIGNED, 2, 0, 0},          [OPMILL_FLOAT6E2M3] = {NO_NAN, 6, 3, 1},
    [OPMILL_FLOAT6E3M2] = {NO_NAN, 6, 2, 3},
};

/* size * 2^exponent; of a NaN, size is its fraction in the highest bits. */
typedef struct number {
    enum { FINITE, INFINITE, NOT_A_NUMBER } sort;
    bool negative;
    int32_t exponent;
    uint64_t size;
} number;

/* The lowest bits, so many of them. */
static uint64_t low(uint64_t bits, int32_t count) {
    return count < 64 ? bits & ((UINT64_C(1) << count) - 1) : bits;
}

static number read_integer(uint64_t bits, const format *from) {
    const bool negative = from->kind == SIGNED && bits >> (from->bits - 1) != 0;
    const uint64_t size = low(negative ? 0 - bits : bits, from->bits);
    return (number){FINITE, negative, 0, size};
}

static number read_float(uint64_t bits, const format *from) {
    const uint64_t magnitude = low(bits, from->bits - 1);
    const uint64_t fraction = low(bits, from->fraction);
    const int32_t field = (int32_t)(magnitude >> from->fraction);
    const uint64_t infinity = low(UINT64_MAX, from->bits - 1 - from->fraction) << from->fraction;
    const bool negative = magnitude != bits;
    if (from->kind == POWERS) {
        return bits == 0xff ? (number){NOT_A_NUMBER, false, 0, 0}
                            : (number){FINITE, false, (int32_t)bits - from->bias, 1};
    }
    if (from->kind == IEEE && magnitude >= infinity) {
        return (number){fraction != 0 ? NOT_A_NUMBER : INFINITE, negative, 0,
                        fraction << (64 - from->fraction)};
    }
    if (from->kind == ONE_NAN && magnitude == low(UINT64_MAX, from->bits - 1)) {
        return (number){NOT_A_NUMBER, negative, 0, 0};
    }
    if (from->kind == FNUZ && magnitude == 0 && negative) {
        return (number){NOT_A_NUMBER, false, 0, 0};
    }
    const uint64_t hidden = field > 0 ? UINT64_C(1) << from->fraction : 0;
    return (number){FINITE, negative, (field > 0 ? field : 1) - from->bias - from->fraction,
                    hidden + fraction};
}

/* Of a number other than 0, the e for which 2^e is not larger and 2^(e + 1) is. */
static int32_t exponent_of(const number *value) {
#if OPMILL_GNU
    return value->exponent + 63 - __builtin_clzll(value->size);
#else
    int32_t e = value->exponent;
    for (uint64_t rest = value->size; rest > 1; rest >>= 1) {
        e++;
    }
    return e;
#endif
}

/* size / 2^shift, to the nearest, ties to even. */
static uint64_t rounded(uint64_t size, int32_t shift) {
    if (shift <= 0) {
        return size << -shift;
    }
    if (shift > 64) {
        return 0;
    }
    const uint64_t whole = shift < 64 ? size >> shift : 0;
    const uint64_t rest = low(size, shift), half = UINT64_C(1) << (shift - 1);
    return whole + (rest > half || (rest == half && (whole & 1) != 0));
}

static uint64_t write_integer(const number *value, const format *to) {
    uint64_t whole = 0;
    if (value->sort == FINITE && value->exponent > -64 && value->exponent < 64) {
        whole =
            value->exponent < 0 ? value->size >> -value->exponent : value->size << value->exponent;
    }
    return low(value->negative ? 0 - whole : whole, to->bits);
}

static uint64_t write_power(const number *value, const format *to, const cast_options *options) {
    const uint64_t nan = 0xff, max = 0xfe;
    const bool zero = value->sort == FINITE && value->size == 0;
    if (value->sort == NOT_A_NUMBER || (value->negative && !zero)) {
        return nan;
    }
    if (zero || value->sort == INFINITE) {
        return !options->saturate ? nan : zero ? 0 : max;
    }
    const int32_t e = exponent_of(value);
    const int32_t below = e - value->exponent; /* the bits below the first */
    const uint64_t rest = low(value->size, below);
    const bool is_half = below > 0 && rest >> (below - 1) != 0;
    const int32_t power = e + (options->rounding == CAST_UP        ? rest != 0
                               : options->rounding == CAST_NEAREST ? is_half
                                                                   : 0);
    if (!options->saturate && (e < -to->bias || e > to->bias || (e == to->bias && rest != 0))) {
        return nan;
    }
    return power < -to->bias ? 0 : power > to->bias ? max : (uint64_t)(power + to->bias);
}

static uint64_t write_float(const number *value, const format *to, const cast_options *options) {
    const uint64_t all = low(UINT64_MAX, to->bits - 1); /* ones but for the sign */
    const uint64_t infinity = to->kind == IEEE ? all >> to->fraction << to->fraction : 0;
    const uint64_t max = to->kind == IEEE ? infinity - 1 : to->kind == ONE_NAN ? all - 1 : all;
    const uint64_t sign = value->negative ? UINT64_C(1) << (to->bits - 1) : 0;
    const uint64_t quiet = UINT64_C(1) << (to->fraction - 1);
    const uint64_t nan = to->kind == IEEE      ? sign | infinity | quiet
                         : to->kind == ONE_NAN ? sign | all
                         : to->kind == FNUZ    ? all + 1
                                               : 0;
    if (value->sort == NOT_A_NUMBER) {
        return to->kind == IEEE ? nan | value->size >> (64 - to->fraction) : nan;
    }
    const uint64_t beyond = to->kind == IEEE ? sign | infinity : nan;
    const bool limited = to->kind == NO_NAN || (to->bits == 8 && options->saturate);
    if (value->sort == INFINITE) {
        const bool is_nan = to->kind == FNUZ && options->fnuz_infinity_is_nan;
        return limited && !is_nan ? sign | max : beyond;
    }
    if (value->size == 0) {
        return to->kind == FNUZ ? 0 : sign;
    }
    const int32_t min_exponent = 1 - to->bias, e = exponent_of(value);
    const int32_t field =
        e > min_exponent ? e - min_exponent : 0; /* one less than a normal number's */
    const int32_t unit = min_exponent + field - to->fraction;
    const uint64_t bits =
        ((uint64_t)field << to->fraction) + rounded(value->size, unit - value->exponent);
    if (bits > max) {
        return limited ? sign | max : beyond;
    }
    return bits == 0 && to->kind == FNUZ ? 0 : sign | bits;
}

uint64_t opmill_cast_bits(uint64_t bits, int32_t from, int32_t to, const cast_options *options) {
    const format *source = &FORMATS[from], *target = &FORMATS[to];
    const number value =
        source->kind <= BOOL ? read_integer(bits, source) : read_float(bits, source);
    switch (target->kind) {
    case UNSIGNED:
    case SIGNED:
        return write_integer(&value, target);
    case BOOL:
        return value.sort != FINITE || value.size != 0;
    case POWERS:
        return write_power(&value, target, options);
    default:
        return write_float(&value, target, options);
    }
}

bool opmill_cast_small_of(int32_t to, const cast_options *options, cast_small *small) {
    const format *const target = &FORMATS[to];
    const uint64_t infinity = UINT64_C(0x7ff0000000000000), quiet = UINT64_C(1) << 51;
    cast_options saturating = *options;
    if (target->bits > 8 || target->kind < IEEE || target->kind == POWERS) {
        return false;
    }
    saturating.saturate = true;
    *small = (cast_small){
        .shift = 23 - target->fraction,
        .min_exponent = 128 - target->bias,
        .sign = UINT32_C(1) << (target->bits - 1),
        .max = (uint32_t)opmill_cast_bits(infinity - 1, OPMILL_DOUBLE, to, &saturating),
        .beyond = (uint32_t)opmill_cast_bits(infinity - 1, OPMILL_DOUBLE, to, options),
        .infinity = (uint32_t)opmill_cast_bits(infinity, OPMILL_DOUBLE, to, options),
        .nan = (uint32_t)opmill_cast_bits(infinity | quiet, OPMILL_DOUBLE, to, options),
        .payload = target->kind == IEEE ? (UINT32_C(1) << target->fraction) - 1 : 0,
        .zero_sign = target->kind == FNUZ ? 0 : UINT32_MAX,
        .nan_sign = target->kind == NO_NAN ? 0 : UINT32_MAX,
    };
    return true;
}
