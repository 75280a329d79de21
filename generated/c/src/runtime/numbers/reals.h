/* Single elements of the floating types as doubles, for what is computed one element at a time. */
#ifndef OPMILL_REALS_H
#define OPMILL_REALS_H

#include <stdint.h>

#include "opmill/types.h"
#include "runtime/numbers/half.h"

/* Element `i` of an array of a floating type. */
static inline double opmill_real_at(const void *data, int32_t type, int64_t i) {
    switch (type) {
    case OPMILL_FLOAT:
        return (double)((const float *)data)[i];
    case OPMILL_DOUBLE:
        return ((const double *)data)[i];
    case OPMILL_FLOAT16:
        return (double)opmill_float16_to_float_standard(((const uint16_t *)data)[i]);
    default:
        return (double)opmill_bfloat16_to_float(((const uint16_t *)data)[i]);
    }
}

/* Stores a number as element `i`; the 16-bit types round it to float first. */
static inline void opmill_real_put(void *data, int32_t type, int64_t i, double x) {
    switch (type) {
    case OPMILL_FLOAT:
        ((float *)data)[i] = (float)x;
        break;
    case OPMILL_DOUBLE:
        ((double *)data)[i] = x;
        break;
    case OPMILL_FLOAT16:
        ((uint16_t *)data)[i] = opmill_float_to_float16_standard((float)x);
        break;
    default:
        ((uint16_t *)data)[i] = opmill_float_to_bfloat16((float)x);
        break;
    }
}

/* The number as an element of a floating type would hold it. */
static inline double opmill_real_of_type(double x, int32_t type) {
    double element;
    opmill_real_put(&element, type, 0, x);
    return opmill_real_at(&element, type, 0);
}

#endif
