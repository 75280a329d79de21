/* Stacks: results of the runs of a graph along a new axis of one tensor. */
#ifndef OPMILL_GRAPH_STACK_H
#define OPMILL_GRAPH_STACK_H

#include "runtime/graphs/runs.h"

/* The results at one position of some runs. */
typedef struct opmill_stack {
    const opmill_runs *runs;
    const opmill_graph_results *first; /* of the first of these runs; NULL where there is none */
    int64_t count;                     /* of these runs */
    int32_t output;                    /* the position among the results of each */
    int64_t axis;                      /* of the tensor; one below 0 counts from the end */
    const char *axis_name;             /* what messages call it */
    int64_t axis_index;                /* its index there, in brackets */
    bool reversed;                     /* whether the last run is the first along the axis */
} opmill_stack;

/* The type and the shape. Of no run they are those that the graph declares. Refuses results that
 * are not tensors of one type and shape, and an axis that the tensor does not have. */
int opmill_stack_shape(const opmill_stack *stack, opmill_shape *shape);

/* Writes the elements of a tensor of that type and shape. */
void opmill_stack_write(const opmill_stack *stack, void *data);

/* Copies elements of a type, from one position to another one; a packed element that is beside them
 * remains as it is. */
void opmill_copy_elements(void *to, int64_t to_at, const void *from, int64_t from_at, int64_t count,
                          int32_t type);

/* Copies the elements of a tensor. Bits after the last one become 0. */
void opmill_copy_tensor(void *to, const opmill_tensor *from);

/* Type and shape of a value: OPMILL_UNDEFINED of an absent one. */
void opmill_value_shape(const opmill_tensor *value, opmill_shape *shape);

/* The number of elements of some dims. */
int64_t opmill_count_of(const int64_t *dims, int32_t rank);

#endif
