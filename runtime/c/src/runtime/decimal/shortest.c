/* Computes and writes the shortest decimal digits that identify a float or an integer. Scales the
 * rounding interval by a power of ten and selects the multiple in it that is nearest to the
 * number. */
#include "runtime/decimal/shortest.h"

#include <string.h>

#include "runtime/decimal/exact.h"
#include "runtime/decimal/powers.h"

/* A positive number significand * 2^exponent, and whether the next lower one is only half as far
 * away as the next higher one. */
typedef struct binary {
    uint64_t significand;
    int32_t exponent;
    bool is_near_below;
} binary;

/* factor * 10^-power * 2^exponent, whose fraction is replaced by one bit: 1 where it is not 0. So
 * the result compares with even integers as the exact number does. */
static uint64_t rounded_to_odd(const opmill_wide *ten, uint64_t factor, int32_t power,
                               int32_t exponent) {
    /* ten is 10^-power / 2^(log2 - 127); 2^exponent * 10^-power is in [1, 40 / 3). */
    const int32_t shift = exponent + opmill_decimal_log2(-power) + 1;
    const opmill_wide product = opmill_wide_times(ten->high, ten->middle, factor << shift);
    if (opmill_decimal_is_exact(-power)) {
        return product.high | ((product.middle | product.low) != 0);
    }
    /* `ten` is cut off, and so is the product: what is missing is less than 2^64 in its last word.
     */
    if (product.middle != UINT64_MAX) {
        return product.high | 1;
    }
    opmill_exact number;
    bool is_cut;
    opmill_exact_set(&number, factor);
    const uint64_t whole = opmill_exact_scaled(&number, -power, exponent, &is_cut);
    return whole | is_cut;
}

static int32_t count_digits(uint64_t digits) {
    int32_t count = 1;
    for (; digits >= 10000; digits /= 10000) {
        count += 4;
    }
    return count + (digits >= 10) + (digits >= 100) + (digits >= 1000);
}

static opmill_shortest number_of(uint64_t digits, int32_t exponent, bool negative) {
    while (digits != 0 && digits % 10 == 0) {
        digits /= 10;
        exponent++;
    }
    return (opmill_shortest){NULL, digits, digits == 0 ? 0 : exponent, count_digits(digits),
                             negative};
}

/* The interval of numbers that are nearest to `given` contains at least one multiple of 10^power,
 * and at most one of 10^(power + 1). All is compared in quarters of 10^power. */
static opmill_shortest shortest_of(const binary *given, bool negative) {
    /* floor(log10(2^e)), or of 3/4 * 2^e, which is the interval's length */
    const int32_t power = given->is_near_below
                              ? (int32_t)((given->exponent * INT64_C(1262611) - 524031) >> 22)
                              : (int32_t)((given->exponent * INT64_C(1262611)) >> 22);
    const opmill_wide ten = opmill_decimal_power(-power);
    const uint64_t quarters = 4 * given->significand;
    const uint64_t lowest = quarters - (given->is_near_below ? 1 : 2);
    const uint64_t value = rounded_to_odd(&ten, quarters, power, given->exponent);
    const uint64_t from = rounded_to_odd(&ten, lowest, power, given->exponent);
    const uint64_t to = rounded_to_odd(&ten, quarters + 2, power, given->exponent);
    const uint64_t is_open = given->significand & 1; /* ties are rounded to even numbers */
    const uint64_t below = value / 4, above = below + 1, tens = below / 10 * 10;
    if (below >= 10) {
        const bool low = from + is_open <= 4 * tens, high = 4 * (tens + 10) + is_open <= to;
        if (low != high) {
            return number_of(low ? tens : tens + 10, power, negative);
        }
    }
    const bool low = from + is_open <= 4 * below, high = 4 * above + is_open <= to;
    const uint64_t middle = 2 * (below + above);
    const bool is_nearer_below = value < middle || (value == middle && below % 2 == 0);
    return number_of((low != high ? low : is_nearer_below) ? below : above, power, negative);
}

static opmill_shortest word_of(const char *word) {
    return (opmill_shortest){word, 0, 0, (int32_t)strlen(word), false};
}

opmill_shortest opmill_shortest_double(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const bool negative = bits >> 63 != 0;
    const int32_t field = (int32_t)(bits >> 52 & 0x7FF);
    const uint64_t fraction = bits & (UINT64_MAX >> 12);
    if (field == 0x7FF) {
        return word_of(fraction != 0 ? "NaN" : negative ? "-INF" : "INF");
    }
    if (field == 0 && fraction == 0) {
        return number_of(0, 0, negative);
    }
    const binary given = {field == 0 ? fraction : fraction | UINT64_C(1) << 52,
                          (field == 0 ? 1 : field) - 1075, fraction == 0 && field > 1};
    return shortest_of(&given, negative);
}

opmill_shortest opmill_shortest_float(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    const bool negative = bits >> 31 != 0;
    const int32_t field = (int32_t)(bits >> 23 & 0xFF);
    const uint32_t fraction = bits & (UINT32_MAX >> 9);
    if (field == 0xFF) {
        return word_of(fraction != 0 ? "NaN" : negative ? "-INF" : "INF");
    }
    if (field == 0 && fraction == 0) {
        return number_of(0, 0, negative);
    }
    const binary given = {field == 0 ? fraction : fraction | UINT32_C(1) << 23,
                          (field == 0 ? 1 : field) - 150, fraction == 0 && field > 1};
    return shortest_of(&given, negative);
}

opmill_shortest opmill_shortest_unsigned(uint64_t value) {
    return (opmill_shortest){NULL, value, 0, count_digits(value), false};
}

opmill_shortest opmill_shortest_signed(int64_t value) {
    const bool negative = value < 0;
    const uint64_t size = negative ? 0 - (uint64_t)value : (uint64_t)value;
    return (opmill_shortest){NULL, size, 0, count_digits(size), negative};
}

/* Where the point is: behind so many digits, or in front of zeros where it is 0 or negative. */
static int32_t point_of(const opmill_shortest *number) {
    return number->digit_count + number->exponent;
}

size_t opmill_shortest_size(const opmill_shortest *number) {
    const int32_t point = point_of(number);
    if (number->word != NULL) {
        return (size_t)number->digit_count;
    }
    const int32_t size = number->exponent >= 0 ? point
                         : point > 0           ? number->digit_count + 1
                                               : number->digit_count + 2 - point;
    return (size_t)size + number->negative;
}

/* Writes the last `count` digits of a number. */
static void write_digits(char *to, uint64_t digits, int32_t count) {
    for (int32_t i = count - 1; i >= 0; i--, digits /= 10) {
        to[i] = (char)('0' + digits % 10);
    }
}

char *opmill_shortest_write(const opmill_shortest *number, char *to) {
    const int32_t point = point_of(number), count = number->digit_count;
    if (number->word != NULL) {
        memcpy(to, number->word, (size_t)count);
        return to + count;
    }
    if (number->negative) {
        *to++ = '-';
    }
    if (number->exponent >= 0) {
        write_digits(to, number->digits, count);
        memset(to + count, '0', (size_t)number->exponent);
        return to + point;
    }
    if (point > 0) {
        write_digits(to + 1, number->digits, count);
        memmove(to, to + 1, (size_t)point);
        to[point] = '.';
        return to + count + 1;
    }
    memset(to, '0', (size_t)(2 - point));
    to[1] = '.';
    write_digits(to + 2 - point, number->digits, count);
    return to + 2 - point + count;
}
