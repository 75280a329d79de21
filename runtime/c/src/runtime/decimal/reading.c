/* Parses decimal numbers and rounds them to doubles or integers. 128-bit powers of ten decide
 * almost all numbers; exact.h decides the others. */
#include "runtime/decimal/reading.h"

#include <string.h>

#include "runtime/decimal/exact.h"
#include "runtime/decimal/powers.h"

enum {
    WORD_DIGITS = 19, /* that a uint64_t always holds */
    MAX_DIGITS = 768, /* of a double, or of the middle between two; more only tell that there are */
    MIN_POINT = -323, /* 0.1 * 10^-323 is less than half of the lowest double */
    MAX_POINT = 309,  /* 0.1 * 10^310 is beyond the largest one */
    LOWEST_BIT = -1074, /* the exponent of the last bit of the lowest doubles */
    FRACTION_BITS = 52
};

static const int64_t MAX_EXPONENT = INT64_C(1) << 60;

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool is_word(const char *text, size_t size, const char *word) {
    for (size_t i = 0; i < size; i++) {
        const char c = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] - 'A' + 'a') : text[i];
        if (word[i] == '\0' || c != word[i]) {
            return false;
        }
    }
    return word[size] == '\0';
}

static bool read_word(const char *text, size_t size, opmill_decimal *number) {
    const bool has_sign = size > 0 && (text[0] == '-' || text[0] == '+');
    number->is_infinite = is_word(text + has_sign, size - has_sign, "inf");
    number->is_nan = is_word(text, size, "nan");
    return number->is_infinite || number->is_nan;
}

/* The digits behind an "e" with a sign or without; false where there are none or something else. */
static bool read_exponent(const char *at, const char *end, int64_t *exponent) {
    const bool negative = at < end && *at == '-';
    int64_t value = 0;
    at += at < end && (*at == '-' || *at == '+');
    if (at == end) {
        return false;
    }
    for (; at < end; at++) {
        if (!is_digit(*at)) {
            return false;
        }
        value = value < MAX_EXPONENT / 16 ? 10 * value + (*at - '0') : value;
    }
    *exponent = negative ? -value : value;
    return true;
}

bool opmill_decimal_read(const char *text, size_t size, opmill_decimal *number) {
    const char *const end = text + size;
    const char *at = text;
    *number = (opmill_decimal){NULL, NULL, 0, size > 0 && text[0] == '-', false, false};
    at += size > 0 && (*at == '-' || *at == '+');
    const char *const first = at;
    const char *point = NULL;
    for (; at < end && (is_digit(*at) || (*at == '.' && point == NULL)); at++) {
        if (*at == '.') {
            point = at;
        } else if (*at != '0' && number->digits == NULL) {
            number->digits = at;
        }
    }
    if (at - first <= (point != NULL)) {
        return at == first && read_word(text, size, number);
    }
    const char *const behind = at;
    int64_t exponent = 0;
    if (at < end && ((*at != 'e' && *at != 'E') || !read_exponent(at + 1, end, &exponent))) {
        return false;
    }
    number->digits = number->digits != NULL ? number->digits : behind;
    number->end = behind;
    const char *const middle = point != NULL ? point : behind;
    number->exponent = exponent + (middle - number->digits) + (number->digits > middle);
    return true;
}

/* The first digits, at most WORD_DIGITS, as an integer. */
typedef struct leading {
    uint64_t value;
    int32_t count;
    bool has_more; /* whether one of those behind is not 0 */
} leading;

static leading leading_of(const opmill_decimal *number) {
    leading found = {0, 0, false};
    const char *at = number->digits;
    for (; at < number->end && found.count < WORD_DIGITS; at++) {
        if (*at != '.') {
            found.value = 10 * found.value + (uint64_t)(*at - '0');
            found.count++;
        }
    }
    for (; at < number->end && !found.has_more; at++) {
        found.has_more = *at != '.' && *at != '0';
    }
    return found;
}

/* A number cut off: bits * 2^exponent, and whether something is missing. */
typedef struct cut {
    uint64_t bits;
    int32_t exponent;
    bool is_cut;
} cut;

/* From all digits. */
static OPMILL_COLD cut cut_exactly(const opmill_decimal *number, int32_t exponent) {
    opmill_exact exact;
    cut found = {0, exponent, false};
    int32_t count = 0;
    bool has_more = false;
    opmill_exact_set(&exact, 0);
    for (const char *at = number->digits; at < number->end; at++) {
        if (*at == '.') {
            continue;
        }
        if (count < MAX_DIGITS) {
            opmill_exact_multiply(&exact, 10, (uint32_t)(*at - '0'));
            count++;
        } else {
            has_more = has_more || *at != '0';
        }
    }
    found.bits =
        opmill_exact_scaled(&exact, (int32_t)number->exponent - count, -exponent, &found.is_cut);
    found.is_cut = found.is_cut || has_more;
    return found;
}

/* True if bits * 2^exponent * 10^power is an integer of 64 bits, and which; `power` is 0 to 27. */
static bool is_product(uint64_t bits, int32_t exponent, int32_t power, uint64_t value) {
    uint64_t high, low = bits;
    while (low % 2 == 0) {
        low /= 2;
        exponent++;
    }
    for (int32_t i = 0; i < power; i++) {
        high = opmill_times(low, 5, &low);
        if (high != 0) {
            return false;
        }
    }
    exponent += power;
    return exponent >= 0 && exponent < 64 && value >> exponent == low &&
           value == value >> exponent << exponent;
}

/* The number in the direction of 0 in 54 bits or, where it is low, so many that the last one is
 * half of a double's. It is not 0, and not far beyond the range of doubles. */
static cut cut_off(const opmill_decimal *number) {
    const leading first = leading_of(number);
    const int32_t power = (int32_t)number->exponent - first.count;
    const int32_t zeros = opmill_leading_zeros(first.value);
    const opmill_wide ten = opmill_decimal_power(power);
    const opmill_wide product = opmill_wide_times(ten.high, ten.middle, first.value << zeros);
    /* product.high * 2^exponent, in 63 or 64 bits */
    const int32_t exponent = opmill_decimal_log2(power) - 127 + 128 - zeros;
    const int32_t bits = 64 - opmill_leading_zeros(product.high);
    int32_t shift = bits - FRACTION_BITS - 2;
    if (exponent + shift < LOWEST_BIT - 1) {
        shift = LOWEST_BIT - 1 - exponent;
    }
    if (shift >= 64) {
        return (cut){0, LOWEST_BIT - 1, true};
    }
    /* What is missing of the first digits, of the power and of the product is less than that. */
    const uint64_t error = first.has_more ? (UINT64_C(1) << zeros) + 2 : 1;
    const uint64_t mask = (UINT64_C(1) << shift) - 1;
    cut found = {product.high >> shift, exponent + shift, true};
    if (!first.has_more && opmill_decimal_is_exact(power)) {
        found.is_cut = ((product.high & mask) | product.middle | product.low) != 0;
        return found;
    }
    const bool may_carry = first.has_more
                               ? (product.high & mask) + error > mask
                               : (product.high & mask) == mask && product.middle == UINT64_MAX;
    if (!may_carry) {
        return found;
    }
    if (!first.has_more && power < 0 && power >= -27 &&
        is_product(found.bits + 1, found.exponent, -power, first.value)) {
        return (cut){found.bits + 1, found.exponent, false};
    }
    return cut_exactly(number, found.exponent);
}

/* The double's bits without its sign, cut off; what remains is in `half` and `is_cut`. */
static uint64_t cut_double(const opmill_decimal *number, bool *half, bool *is_cut) {
    *half = *is_cut = true;
    if (number->exponent > MAX_POINT) {
        return UINT64_C(0x7FEFFFFFFFFFFFFF);
    }
    if (number->exponent < MIN_POINT) {
        *half = false;
        return 0;
    }
    cut found = cut_off(number);
    if (found.bits >> (FRACTION_BITS + 2) != 0) { /* by a carry */
        found.is_cut = found.is_cut || (found.bits & 1) != 0;
        found.bits >>= 1;
        found.exponent++;
    }
    *half = (found.bits & 1) != 0;
    *is_cut = found.is_cut;
    const uint64_t significand = found.bits >> 1;
    const int32_t field = found.exponent + 1 - LOWEST_BIT + 1;
    if (significand >> FRACTION_BITS == 0) {
        return significand; /* below the normal numbers */
    }
    if (field >= 0x7FF) {
        *half = *is_cut = true;
        return UINT64_C(0x7FEFFFFFFFFFFFFF);
    }
    return (significand & (UINT64_MAX >> 12)) | (uint64_t)field << FRACTION_BITS;
}

/* The bits of what is no finite number other than 0; false for all others. */
static bool special_bits(const opmill_decimal *number, uint64_t *bits) {
    const uint64_t sign = (uint64_t)number->negative << 63;
    if (number->is_nan) {
        *bits = UINT64_C(0x7FF8000000000000);
    } else if (number->is_infinite) {
        *bits = UINT64_C(0x7FF0000000000000) | sign;
    } else {
        *bits = sign;
        return opmill_decimal_is_zero(number);
    }
    return true;
}

uint64_t opmill_decimal_nearest(const opmill_decimal *number) {
    uint64_t bits;
    bool half, is_cut;
    if (special_bits(number, &bits)) {
        return bits;
    }
    const uint64_t size = cut_double(number, &half, &is_cut);
    const bool rounds_up = half && (is_cut || size % 2 != 0);
    return bits | (size + rounds_up); /* beyond the largest number is infinity */
}

uint64_t opmill_decimal_odd(const opmill_decimal *number) {
    uint64_t bits;
    bool half, is_cut;
    if (special_bits(number, &bits)) {
        return bits;
    }
    const uint64_t size = cut_double(number, &half, &is_cut);
    return bits | size | (half || is_cut);
}

uint64_t opmill_decimal_whole(const opmill_decimal *number) {
    uint64_t value = 0;
    int64_t left = number->exponent;
    if (number->is_infinite || number->is_nan || left <= 0) {
        return 0;
    }
    for (const char *at = number->digits; at < number->end && left > 0; at++) {
        if (*at != '.') {
            value = 10 * value + (uint64_t)(*at - '0');
            left--;
        }
    }
    for (int32_t i = 0; left > 0 && i < 64; i++, left--) {
        value *= 10; /* 10^64 is a multiple of 2^64 */
    }
    return number->negative ? 0 - value : value;
}
