/* Softmax, LogSoftmax and Hardmax of all lines of a tensor.
 *
 * Seen from the axes of its lines, the tensor is matrices, one after the other: a line is a column,
 * or a run of adjacent elements where a matrix has one column. */
#ifndef OPMILL_SOFTMAX_LINES_H
#define OPMILL_SOFTMAX_LINES_H

#include <stdint.h>

#include "opmill/types.h"

typedef enum opmill_softmax_function {
    OPMILL_SOFTMAX_HARDMAX,
    OPMILL_SOFTMAX_LOG_SOFTMAX,
    OPMILL_SOFTMAX_SOFTMAX,
    OPMILL_SOFTMAX_FUNCTIONS
} opmill_softmax_function;

/* A line has the axes from `begin` to `end`. */
void opmill_softmax_run(opmill_softmax_function function, const opmill_tensor *input, int64_t begin,
                        int64_t end, void *to, const opmill_context *context);

/* Tells how that would be done: `empty`, `rows` or `columns`. */
void opmill_softmax_choose(const opmill_tensor *input, int64_t begin, int64_t end,
                           const opmill_context *context, opmill_choice *choice);

enum { OPMILL_SOFTMAX_COLUMNS = 256 }; /* the maximum number of columns that a loop takes */

/* A line of adjacent elements. */
typedef void opmill_softmax_row(const void *from, void *to, int64_t length);

/* `width` adjacent columns, whose elements are `step` apart. */
typedef void opmill_softmax_columns(const void *from, void *to, int64_t length, int64_t step,
                                    int64_t width);

typedef struct opmill_softmax_loops {
    opmill_softmax_row *row[OPMILL_SOFTMAX_FUNCTIONS];
    opmill_softmax_columns *columns[OPMILL_SOFTMAX_FUNCTIONS];
} opmill_softmax_loops;

/* The loops for an element type and a level of enum opmill_isa. */
const opmill_softmax_loops *opmill_softmax_loops_of(int32_t type, int32_t isa);

#endif
