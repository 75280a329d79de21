/* Softmax, LogSoftmax and Hardmax of adjacent lines or columns, for every instruction set:
 * what the operators of these names and attention share. */
#ifndef OPMILL_SOFTMAX_LOOPS_H
#define OPMILL_SOFTMAX_LOOPS_H

#include <stdint.h>

#include "opmill/types.h"
#include "runtime/platform/platform.h"

typedef enum opmill_softmax_function {
    OPMILL_SOFTMAX_HARDMAX,
    OPMILL_SOFTMAX_LOG_SOFTMAX,
    OPMILL_SOFTMAX_SOFTMAX,
    OPMILL_SOFTMAX_FUNCTIONS
} opmill_softmax_function;

enum {
    OPMILL_SOFTMAX_COLUMNS =
        OPMILL_ON_STACK(256, 24), /* the maximum number of columns that a loop takes */
    OPMILL_SOFTMAX_BATCH =
        OPMILL_ON_STACK(2048, 64), /* the maximum number of elements of rows computed together */
    OPMILL_SOFTMAX_SHORT = OPMILL_ON_STACK(1024, 64), /* the maximum length of one of these */
    OPMILL_SOFTMAX_ROWS = 16                          /* the maximum number of these rows */
};

/* Adjacent lines of `length` adjacent elements, at least 1. */
typedef void opmill_softmax_rows(const void *from, void *to, int64_t length, int64_t rows);

/* `width` adjacent columns, whose elements are `step` apart. */
typedef void opmill_softmax_columns(const void *from, void *to, int64_t length, int64_t step,
                                    int64_t width);

typedef struct opmill_softmax_loops {
    opmill_softmax_rows *rows[OPMILL_SOFTMAX_FUNCTIONS];
    opmill_softmax_columns *columns[OPMILL_SOFTMAX_FUNCTIONS];
} opmill_softmax_loops;

/* The loops for an element type and a level of enum opmill_isa. */
const opmill_softmax_loops *opmill_softmax_loops_of(int32_t type, int32_t isa);

#endif
