/* The engine of optimizers: tensors, their gradients and their states give new tensors and new
 * states, element by element, computed in double in one pass over memory. A family brings the loop
 * over one run of elements.
 *
 * Nothing is allocated; a call takes about 7 kB of stack on each thread. */
#ifndef OPMILL_ELEMENTWISE_UPDATES_H
#define OPMILL_ELEMENTWISE_UPDATES_H

#include <stdint.h>

#include "opmill/types.h"

/* The maximum number of tensors of a group: a tensor, its gradient, two states. */
enum { OPMILL_UPDATE_GROUP = 4 };

/* Computes `count` elements of each result from as many of each tensor of a group. Nothing
 * overlaps. */
typedef void opmill_update_loop(const void *operands, const double *const *from, double *const *to,
                                int64_t count);

typedef struct opmill_updates {
    opmill_update_loop *loop;
    const void *operands; /* what the loop receives besides the elements */
    int32_t group;        /* the number of tensors of a group, one more than its results */
} opmill_updates;

/* Computes all groups with context->threads. Inputs are of type float or double; those of a group
 * are alike: input k, k + n, k + 2n, ... of n groups. Outputs follow in the same order. */
void opmill_updates_run(const opmill_updates *updates, const opmill_tensor *const *inputs,
                        int32_t input_count, opmill_tensor *const *outputs,
                        const opmill_context *context);

#endif
