/* Elements to the numbers that are computed with, and back. */
#ifndef OPMILL_RESIZE_CONVERT_H
#define OPMILL_RESIZE_CONVERT_H

#include "families/resize/passes.h"

/* float16 and bfloat16 to floats, integers to doubles. */
void opmill_resize_read(const resize_functions *functions, int32_t type, const void *from, void *to,
                        int64_t count);

/* The numbers as elements: 16-bit floats rounded; integers cut off at the point and held between
 * the limits of the type, 0 for NaN. A sum that comes within 2^-20 of a whole number counts as that
 * number, so that rounding errors of the weights do not show. */
void opmill_resize_write(const resize_functions *functions, int32_t type, const void *from,
                         void *to, int64_t count);

/* An element of a type, of at most 16 bytes, with the value. */
void opmill_resize_element(int32_t type, double value, void *to);

#endif
