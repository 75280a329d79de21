/* Elements of any numeric type as numbers, and numbers as elements, by the definition of each
 * format: in the arithmetic of doubles, for the references. */
#ifndef OPMILL_TEST_FORMATS_H
#define OPMILL_TEST_FORMATS_H

#include <stdbool.h>
#include <stdint.h>

#include "opmill/types.h"

/* An element: its sign, and its size as a double and, of an integer, as one. Of a NaN, the size is
 * NaN and the payload a fraction from 0 to 1. */
typedef struct element {
    bool negative, is_whole;
    double size, payload;
    uint64_t whole;
} element;

/* The bits of element i, which may be packed. */
uint64_t pattern_at(const opmill_tensor *x, int64_t i);

element read_element(const opmill_tensor *x, int64_t i);

/* The same as a double, to the nearest. */
double number_at(const opmill_tensor *x, int64_t i);

element element_of(double number);

/* The bits of the nearest element of a type: `saturate` and `round_mode` are Cast's, and with
 * `is_infinity_nan` the types that end in "fnuz" have NaN for an infinity even then. */
uint64_t bits_of_element(const element *from, int32_t type, bool saturate, const char *round_mode,
                         bool is_infinity_nan);

#endif
