/* The kernel for few inputs and many weights, as in the first layers of a generator.
 *
 * Here the weights decide: each is used once an input position, so packing them, or reading them
 * in another order than they lie in, would cost more than it gives. Vectors run along W's
 * contiguous (map, tap) axis; the products of all input positions with some channels' weights are
 * added up in a column buffer [position][map][tap] that stays in the cache, and W is read once, in
 * order, as a few parallel streams. The columns are added into the outputs at the end.
 *
 * It is the one for at most 64 input positions, batch and all spatial axes together, or 256 of
 * images with very short rows, where there are enough channels and weights. Nothing is padded: only
 * inputs and weights are multiplied.
 */
#ifndef OPMILL_CONV_TRANSPOSE_SMALL_INPUT_H
#define OPMILL_CONV_TRANSPOSE_SMALL_INPUT_H

#include "functions.h"
#include "problem.h"

enum {
    /* Channels whose products are summed up in registers. Their weights are read as so many
     * streams: beyond 32 of which processors lose sight of what is read next. Measured. */
    SMALL_INPUT_CHANNELS = 28,
    /* Vectors of a tile. */
    SMALL_INPUT_VECTORS = 3
};

typedef struct small_input_layout {
    const conv_transpose_problem *problem;
    const conv_transpose_functions *functions;
    int32_t threads;
    int64_t positions; /* of all batch items */
    int64_t maps;      /* of a task */
    int64_t type_bytes;
    int64_t pitch; /* elements of the columns of a position */
    size_t pixels_bytes;
    size_t scratch_bytes; /* of a thread */
    size_t bytes;
} small_input_layout;

/* Lays a call out; false where this kernel is not the one. */
bool opmill_conv_transpose_small_input_layout(small_input_layout *layout,
                                              const conv_transpose_problem *problem,
                                              const conv_transpose_functions *functions,
                                              int32_t threads);

void opmill_conv_transpose_small_input(const small_input_layout *layout, void *workspace);

#endif
