/* Resizes one axis of a contiguous tensor of three: what is outward, the axis, what is inward. */
#ifndef OPMILL_RESIZE_PASSES_H
#define OPMILL_RESIZE_PASSES_H

#include "families/resize/axis.h"

/* What is computed with: floats, doubles, or elements of so many bytes that are copied. */
typedef enum resize_kind { RESIZE_FLOAT, RESIZE_DOUBLE, RESIZE_BYTES } resize_kind;

typedef struct resize_pass {
    const resize_axis *axis;
    int64_t outer, inner;
    resize_kind kind;
    int64_t bytes;       /* of an element */
    const void *columns; /* where `inner` is 1: the weights by tap, in the type of the kind */
} resize_pass;

/* Computes rows of the result, each as long as the axis or, where `inner` is more than 1, as
 * `inner`: rows from `row` on. */
typedef void resize_rows(const resize_pass *pass, const void *from, void *to, int64_t row,
                         int64_t count);

typedef struct resize_functions {
    resize_rows *floats, *doubles;
    void (*widen[2])(const uint16_t *from, float *to, int64_t count); /* float16 and bfloat16 */
    void (*narrow[2])(const float *from, uint16_t *to, int64_t count);
} resize_functions;

const resize_functions *opmill_resize_functions(int32_t isa);

void opmill_resize_copy_rows(const resize_pass *pass, const void *from, void *to, int64_t row,
                             int64_t count);

/* The rows that a pass has. */
static inline int64_t opmill_resize_row_count(const resize_pass *pass) {
    return pass->inner == 1 ? pass->outer : pass->outer * pass->axis->count;
}

#endif
