/* Decodes elements of every numeric type to numbers and encodes them with rounding, from a table of
 * the formats' bits and biases. */
#include "formats.h"

#include <math.h>
#include <string.h>

typedef enum sort { WHOLE, TRUTH, IEEE, ONE_NAN, NO_ZERO_SIGN, NO_NAN, POWERS } sort;

/* A type: bits; of a float, bits of its fraction and the bias of its exponent. */
static const struct {
    sort sort;
    int bits, fraction, bias;
    bool is_signed;
} TYPES[] = {
    [OPMILL_FLOAT] = {IEEE, 32, 23, 127, true},
    [OPMILL_UINT8] = {WHOLE, 8, 0, 0, false},
    [OPMILL_INT8] = {WHOLE, 8, 0, 0, true},
    [OPMILL_UINT16] = {WHOLE, 16, 0, 0, false},
    [OPMILL_INT16] = {WHOLE, 16, 0, 0, true},
    [OPMILL_INT32] = {WHOLE, 32, 0, 0, true},
    [OPMILL_INT64] = {WHOLE, 64, 0, 0, true},
    [OPMILL_BOOL] = {TRUTH, 8, 0, 0, false},
    [OPMILL_FLOAT16] = {IEEE, 16, 10, 15, true},
    [OPMILL_DOUBLE] = {IEEE, 64, 52, 1023, true},
    [OPMILL_UINT32] = {WHOLE, 32, 0, 0, false},
    [OPMILL_UINT64] = {WHOLE, 64, 0, 0, false},
    [OPMILL_BFLOAT16] = {IEEE, 16, 7, 127, true},
    [OPMILL_FLOAT8E4M3FN] = {ONE_NAN, 8, 3, 7, true},
    [OPMILL_FLOAT8E4M3FNUZ] = {NO_ZERO_SIGN, 8, 3, 8, true},
    [OPMILL_FLOAT8E5M2] = {IEEE, 8, 2, 15, true},
    [OPMILL_FLOAT8E5M2FNUZ] = {NO_ZERO_SIGN, 8, 2, 16, true},
    [OPMILL_UINT4] = {WHOLE, 4, 0, 0, false},
    [OPMILL_INT4] = {WHOLE, 4, 0, 0, true},
    [OPMILL_FLOAT4E2M1] = {NO_NAN, 4, 1, 1, true},
    [OPMILL_FLOAT8E8M0] = {POWERS, 8, 0, 127, false},
    [OPMILL_UINT2] = {WHOLE, 2, 0, 0, false},
    [OPMILL_INT2] = {WHOLE, 2, 0, 0, true},
    [OPMILL_FLOAT6E2M3] = {NO_NAN, 6, 3, 1, true},
    [OPMILL_FLOAT6E3M2] = {NO_NAN, 6, 2, 3, true},
};

uint64_t pattern_at(const opmill_tensor *x, int64_t i) {
    const int bits = TYPES[x->type].bits;
    uint64_t pattern = 0;
    switch (bits) {
    case 8:
        return ((const uint8_t *)x->data)[i];
    case 16:
        return ((const uint16_t *)x->data)[i];
    case 32:
        return ((const uint32_t *)x->data)[i];
    case 64:
        return ((const uint64_t *)x->data)[i];
    default:
        break; /* packed */
    }
    for (int bit = 0; bit < bits; bit++) {
        const int64_t at = i * bits + bit;
        pattern |= (uint64_t)(((const uint8_t *)x->data)[at / 8] >> at % 8 & 1) << bit;
    }
    return pattern;
}

static element read_whole(uint64_t pattern, int32_t type) {
    element read = {.is_whole = true, .whole = pattern};
    if (TYPES[type].is_signed && pattern >> (TYPES[type].bits - 1) != 0) {
        const uint64_t one_more = TYPES[type].bits < 64 ? UINT64_C(1) << TYPES[type].bits : 0;
        read.negative = true;
        read.whole = one_more - pattern;
    }
    read.size = (double)read.whole;
    return read;
}

static element read_float(uint64_t pattern, int32_t type) {
    const int fraction = TYPES[type].fraction, bits = TYPES[type].bits;
    const uint64_t sign = TYPES[type].is_signed ? UINT64_C(1) << (bits - 1) : 0;
    const uint64_t steps = UINT64_C(1) << fraction, low = pattern & (steps - 1);
    const uint64_t field = (pattern & ~sign) >> fraction;
    const uint64_t largest = (UINT64_C(1) << (bits - fraction - (sign != 0))) - 1;
    element read = {.negative = (pattern & sign) != 0};
    const bool is_nan = TYPES[type].sort == IEEE      ? field == largest && low != 0
                        : TYPES[type].sort == ONE_NAN ? field == largest && low == steps - 1
                        : TYPES[type].sort == POWERS  ? field == largest
                                                      : pattern == sign;
    if (is_nan && TYPES[type].sort != NO_NAN &&
        (TYPES[type].sort != NO_ZERO_SIGN || pattern != 0)) {
        read.size = NAN;
        read.payload = TYPES[type].sort == IEEE ? (double)low / (double)steps : 0;
        read.negative = read.negative && TYPES[type].sort != NO_ZERO_SIGN;
        return read;
    }
    if (TYPES[type].sort == IEEE && field == largest) {
        read.size = INFINITY;
        return read;
    }
    const uint64_t whole = field > 0 || TYPES[type].sort == POWERS ? low + steps : low;
    const int exponent = field > 0 || TYPES[type].sort == POWERS ? (int)field : 1;
    read.size = ldexp((double)whole, exponent - TYPES[type].bias - fraction);
    return read;
}

static uint64_t write_whole(const element *from, int bits) {
    uint64_t low = from->whole;
    if (!from->is_whole) {
        low = isfinite(from->size) ? (uint64_t)fmod(trunc(from->size), 0x1p64) : 0;
    }
    low = from->negative ? 0 - low : low;
    return bits < 64 ? low & ((UINT64_C(1) << bits) - 1) : low;
}

/* The size to be rounded: of an integer with more bits than a double has, the lowest ones are one
 * bit, which marks the omitted ones. To a double, C itself has rounded. */
static double size_of(const element *from, int32_t type) {
    if (!from->is_whole || from->whole >> 53 == 0 || type == OPMILL_DOUBLE) {
        return from->size;
    }
    return ldexp((double)(from->whole >> 11 | ((from->whole & 2047) != 0)), 11);
}

static uint64_t write_power(const element *from, bool saturate, const char *round_mode) {
    const double size = size_of(from, OPMILL_FLOAT8E8M0);
    const bool below = size < 0x1p-127, beyond = size > 0x1p127;
    if (isnan(size) || (from->negative && size != 0) || (!saturate && (below || beyond))) {
        return 0xff;
    }
    if (below || beyond) {
        return below ? 0 : 0xfe;
    }
    int power = ilogb(size);
    const double low = ldexp(1, power);
    power += strcmp(round_mode, "up") == 0        ? size > low
             : strcmp(round_mode, "nearest") == 0 ? size >= low * 1.5
                                                  : 0;
    return power > 127 ? 0xfe : (uint64_t)(power + 127);
}

/* The nearest multiple of the format's unit there, ties to the even one, as a pattern; the numbers
 * of a format follow each other as their patterns do. */
static uint64_t nearest(double size, int32_t type) {
    const int fraction = TYPES[type].fraction, min_exponent = 1 - TYPES[type].bias;
    const int exponent = size == 0 || ilogb(size) < min_exponent ? min_exponent : ilogb(size);
    const double units = ldexp(size, fraction - exponent);
    double whole = floor(units);
    if (units - whole > 0.5 || (units - whole == 0.5 && fmod(whole, 2) != 0)) {
        whole += 1;
    }
    return ((uint64_t)(exponent - min_exponent) << fraction) + (uint64_t)whole;
}

static uint64_t write_float(const element *from, int32_t type, bool saturate,
                            bool is_infinity_nan) {
    const int fraction = TYPES[type].fraction, bits = TYPES[type].bits;
    const uint64_t all = (UINT64_C(1) << (bits - 1)) - 1, steps = UINT64_C(1) << fraction;
    const uint64_t sign = from->negative ? all + 1 : 0;
    const uint64_t infinity = all - (steps - 1);
    uint64_t largest = all, beyond = sign | all, nan = sign | all;
    switch (TYPES[type].sort) {
    case IEEE:
        largest = infinity - 1;
        beyond = sign | infinity;
        nan = sign | infinity | steps >> 1 | (uint64_t)(from->payload * (double)steps);
        break;
    case ONE_NAN:
        largest = all - 1;
        break;
    case NO_ZERO_SIGN:
        beyond = nan = all + 1;
        break;
    default:
        nan = 0;
        break;
    }
    if (isnan(from->size)) {
        return nan;
    }
    const bool is_limited = bits < 8 || (bits == 8 && saturate);
    if (isinf(from->size)) {
        return is_limited && !(TYPES[type].sort == NO_ZERO_SIGN && is_infinity_nan) ? sign | largest
                                                                                    : beyond;
    }
    const uint64_t number = nearest(size_of(from, type), type);
    if (number > largest) {
        return is_limited ? sign | largest : beyond;
    }
    return number == 0 && TYPES[type].sort == NO_ZERO_SIGN ? 0 : sign | number;
}

element read_element(const opmill_tensor *x, int64_t i) {
    const uint64_t pattern = pattern_at(x, i);
    const sort sort = TYPES[x->type].sort;
    return sort == WHOLE || sort == TRUTH ? read_whole(pattern, x->type)
                                          : read_float(pattern, x->type);
}

double number_at(const opmill_tensor *x, int64_t i) {
    const element read = read_element(x, i);
    return read.negative ? -read.size : read.size;
}

element element_of(double number) {
    return (element){.negative = signbit(number) != 0, .size = fabs(number)};
}

uint64_t bits_of_element(const element *from, int32_t type, bool saturate, const char *round_mode,
                         bool is_infinity_nan) {
    switch (TYPES[type].sort) {
    case WHOLE:
        return write_whole(from, TYPES[type].bits);
    case TRUTH:
        return from->size != 0;
    case POWERS:
        return write_power(from, saturate, round_mode);
    default:
        return write_float(from, type, saturate, is_infinity_nan);
    }
}
