/* The strided copy: a contiguous output whose elements are taken from the input at any strides.
 * Transpose, Slice, DepthToSpace and their like describe the output, outermost axis first, with the
 * distance that each axis has in the input:
 *
 *     opmill_strided_copy copy;
 *     opmill_strided_begin(&copy, OPMILL_FLOAT, 0);   from the first element of the input on
 *     opmill_strided_axis(&copy, 3, 1);               the 3 columns of a 2 x 3 matrix ...
 *     opmill_strided_axis(&copy, 2, 3);               ... become rows
 *     opmill_strided_run(&copy, input, output, context);
 *
 * Elements are moved as bytes and never computed with; below a byte they are moved in whole bytes
 * where the axes allow it, and what follows the last one is 0. Input and output do not overlap;
 * neither needs any alignment. */
#ifndef OPMILL_STRIDED_COPY_H
#define OPMILL_STRIDED_COPY_H

#include <stdbool.h>
#include <stdint.h>

#include "opmill/types.h"

/* Strides of the input are in elements until the copy is planned, then in bytes where elements have
 * bytes; those of the output are found by the plan. */
typedef struct opmill_strided_level {
    int64_t size;
    int64_t in;
    int64_t out;
} opmill_strided_level;

typedef struct opmill_strided_copy {
    int32_t type;  /* of enum opmill_type */
    bool empty;    /* some axis has no positions */
    int32_t count; /* of axes of 2 positions or more, outermost first, joined where they can be */
    int64_t first; /* the element of the input that becomes the first of the output */
    opmill_strided_level levels[OPMILL_MAX_RANK];
} opmill_strided_copy;

static inline void opmill_strided_begin(opmill_strided_copy *copy, int32_t type, int64_t first) {
    copy->type = type;
    copy->empty = false;
    copy->count = 0;
    copy->first = first;
}

/* The next axis inward has `size` positions, `stride` elements of the input apart: any number. */
static inline void opmill_strided_axis(opmill_strided_copy *copy, int64_t size, int64_t stride) {
    opmill_strided_level *const last = &copy->levels[copy->count - (copy->count > 0)];
    if (size == 0) {
        copy->empty = true;
    } else if (size > 1 && copy->count > 0 && last->in == stride * size) {
        last->size *= size;
        last->in = stride;
    } else if (size > 1) {
        copy->levels[copy->count++] = (opmill_strided_level){size, stride, 0};
    }
}

/* Writes the output, with context->threads and context->isa, which is one that opmill_isa_select
 * accepts. Changes `copy`. */
void opmill_strided_run(opmill_strided_copy *copy, const void *input, void *output,
                        const opmill_context *context);

/* Tells how opmill_strided_run would do it, in the same context. Changes `copy`. The variants:
 *
 *     empty     there is nothing to write
 *     rows      runs that stay together
 *     steps     single elements, some distance apart along the innermost axis
 *     tiles     blocks that are transposed
 *     bits      elements below a byte, one by one
 *
 * with "+stream" where the output is so large that it goes around the caches. An output that is one
 * run of the input goes to the copy engine, with the variants of opmill_copy_choose. */
void opmill_strided_choose(opmill_strided_copy *copy, const opmill_context *context,
                           opmill_choice *choice);

#endif
