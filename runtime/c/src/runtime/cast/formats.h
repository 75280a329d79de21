/* Every element type as a format of bits, and the exact conversion of one element: its bits are
 * read as a number, which is then rounded once to bits of the other type. Slow; what the loops,
 * tables and steps of the other files do faster has the same result. */
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

/* A floating format of eight bits or less with numbers of both signs, for the loop from float.
 * Unless stated otherwise, patterns are those of positive values. */
typedef struct cast_small {
    int32_t shift;        /* by which a float's fraction is longer */
    int32_t min_exponent; /* the exponent field of the smallest normal number as a float */
    uint32_t sign;        /* its bit */
    uint32_t max;         /* the largest number */
    uint32_t beyond;      /* what a larger one becomes */
    uint32_t infinity;    /* what it becomes */
    uint32_t nan;         /* and NaN, which keeps the bits of `payload` */
    uint32_t payload;
    uint32_t zero_sign; /* all ones where zero has a sign */
    uint32_t nan_sign;  /* and where NaN has */
} cast_small;

/* Tells what the loop needs to know of `to`; false where it is not such a format. */
bool opmill_cast_small_of(int32_t to, const cast_options *options, cast_small *small);

#endif
