/* Every element type as a format of bits, and the exact conversion of one element: its bits are read
 * as a number, which is then rounded once to bits of the other type. Slow; what the loops, tables and
 * steps of the other files do faster has the same result. */
#ifndef OPMILL_CAST_FORMATS_H
#define OPMILL_CAST_FORMATS_H

#include <stdbool.h>
#include <stdint.h>

/* What decides a conversion beside the two types. */
typedef struct cast_options {
    bool saturate;
    bool fnuz_infinity_is_nan;
    enum { CAST_UP, CAST_DOWN, CAST_NEAREST } rounding; /* to float8e8m0 */
} cast_options;

/* The bits of an element of type `from` as those of an element of type `to`; neither is string or
 * complex. */
uint64_t opmill_cast_bits(uint64_t bits, int32_t from, int32_t to, const cast_options *options);

/* A floating number without its fraction, modulo 2^64; 0 for infinities and NaN. */
uint64_t opmill_cast_low_bits(double number);

#endif
