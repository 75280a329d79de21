/* Decimal numbers of a text as doubles and as integers, each from the exact value of the digits.
 *
 * A number is an optional sign, digits with at most one point before, between or behind them, and
 * an optional exponent: 1, -.5, +2., 1e-5. The words inf, +inf, -inf and nan are numbers in any
 * case. Nothing else is: no spaces, no hexadecimal digits. */
#ifndef OPMILL_DECIMAL_READING_H
#define OPMILL_DECIMAL_READING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A text as its parts. */
typedef struct opmill_decimal {
    const char *digits; /* the first one that is not 0, or where the number ends */
    const char *end;    /* behind the last digit; a point may be between them */
    int64_t exponent;   /* the number is 0.d1d2d3... * 10^exponent */
    bool negative;
    bool is_infinite;
    bool is_nan;
} opmill_decimal;

/* True if a text of so many bytes is a number. */
bool opmill_decimal_read(const char *text, size_t size, opmill_decimal *number);

static inline bool opmill_decimal_is_zero(const opmill_decimal *number) {
    return !number->is_infinite && !number->is_nan && number->digits == number->end;
}

/* The bits of the nearest double, of two the even one. */
uint64_t opmill_decimal_nearest(const opmill_decimal *number);

/* The bits of a double from which a narrower format is rounded as from the number itself: the
 * double that is nearest to it in the direction of 0, with the last bit set where that is less. An
 * infinity only for the word. */
uint64_t opmill_decimal_odd(const opmill_decimal *number);

/* The integer part modulo 2^64, in two's complement; 0 for the words. */
uint64_t opmill_decimal_whole(const opmill_decimal *number);

#endif
