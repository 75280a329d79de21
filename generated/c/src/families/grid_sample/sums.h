/* Weighted sums of elements of an image, for a block of positions. */
#ifndef OPMILL_GRID_SAMPLE_SUMS_H
#define OPMILL_GRID_SAMPLE_SUMS_H

#include <stdbool.h>
#include <stdint.h>

#include "opmill/types.h"
#include "runtime/platform/platform.h"

enum {
    SAMPLE_BLOCK = OPMILL_ON_STACK(128, 64), /* positions that are computed at a time */
    SAMPLE_CHUNK = 64                        /* elements of a position that are added at a time */
};

/* Element k of position i is number `offsets[k * SAMPLE_BLOCK + i]` of the image. Both arrays of
 * weights have the same numbers. */
typedef struct sample_table {
    int64_t *offsets;
    double *doubles;
    float *floats;
    int64_t taps;
    int64_t count; /* positions */
} sample_table;

/* Adds the weighted elements to `sums`, or stores these as elements of the output; of each
 * position, number `part` of the `lanes` numbers of an element. */
typedef void sample_add(const sample_table *table, const void *image, int64_t lanes, int64_t part,
                        void *sums);
typedef void sample_store(const void *sums, void *to, int64_t lanes, int64_t part, int64_t count);

typedef struct sample_functions {
    sample_add *add;
    sample_store *store;
    int64_t lanes; /* 2 for complex numbers */
    bool wide;     /* whether sums are doubles */
} sample_functions;

/* For any type but bool and string. */
sample_functions opmill_sample_functions(int32_t type, int32_t isa);

/* Copies the element of each position, which is `zero` where the weight is 0. */
void opmill_sample_copy(const sample_table *table, const void *image, const void *zero, void *to,
                        int32_t bytes);

#endif
