/* Combination of an element of the output with an update: the update replaces it, or both
 * are combined. Integers wrap around; of bools a sum and a maximum are "or", a product and a
 * minimum "and". float16 and bfloat16 are combined in float and rounded after every update. NaN
 * wins over every number, and of two equal numbers max and min give the update, which tells zeros
 * apart. */
#ifndef OPMILL_SCATTER_H
#define OPMILL_SCATTER_H

#include <stdbool.h>
#include <stdint.h>

#include "opmill/types.h"

typedef struct opmill_scatter {
    /* Update j goes to element j * step + offsets[j] * stride, one after the other. */
    void (*elements)(void *out, int64_t step, int64_t stride, const int64_t *offsets,
                     const void *updates, int64_t count);

    /* Update j goes to element j. */
    void (*row)(void *out, const void *updates, int64_t count);
} opmill_scatter;

/* The functions for an element type and one of "none", "add", "mul", "max" and "min", as the rules
 * accept them: strings are not combined, and complex numbers have neither maximum nor minimum. */
opmill_scatter opmill_scatter_of(int32_t type, const char *reduction);

#endif
