/* Positions of the largest and smallest elements in little code, for microcontrollers. */
#ifndef OPMILL_ARG_REDUCE_COMPACT_H
#define OPMILL_ARG_REDUCE_COMPACT_H

#include <stdbool.h>
#include <stdint.h>

/* x has `rows` matrices of `length` rows of `inner` elements. */
typedef struct opmill_arg_reduce_compact_plan {
    int32_t rows, length, inner;
    bool last;
} opmill_arg_reduce_compact_plan;

typedef void opmill_arg_reduce_compact(const void *x, void *y,
                                       const opmill_arg_reduce_compact_plan *plan);

/* What opmill_arg_reduce_largest_compute and opmill_arg_reduce_smallest_compute compute. */
opmill_arg_reduce_compact opmill_arg_reduce_compact_largest_float;
opmill_arg_reduce_compact opmill_arg_reduce_compact_largest_int8;
opmill_arg_reduce_compact opmill_arg_reduce_compact_largest_uint8;
opmill_arg_reduce_compact opmill_arg_reduce_compact_smallest_float;
opmill_arg_reduce_compact opmill_arg_reduce_compact_smallest_int8;
opmill_arg_reduce_compact opmill_arg_reduce_compact_smallest_uint8;

#endif
