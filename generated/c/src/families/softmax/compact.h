/* Softmax in little code and memory, for microcontrollers. */
#ifndef OPMILL_SOFTMAX_COMPACT_H
#define OPMILL_SOFTMAX_COMPACT_H

#include <stdint.h>

typedef struct opmill_softmax_compact_plan {
    int32_t lines, length;
} opmill_softmax_compact_plan;

/* The result of opmill_softmax_softmax_compute, in the same bits, of lines of adjacent floats. */
void opmill_softmax_compact(const void *x, void *y, const opmill_softmax_compact_plan *plan);

/* The same for lines of at most 1,024 elements: no arithmetic in double, for processors without. */
void opmill_softmax_compact_short(const void *x, void *y, const opmill_softmax_compact_plan *plan);

#endif
