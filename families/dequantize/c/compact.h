/* DequantizeLinear in little code and memory, for microcontrollers. */
#ifndef OPMILL_DEQUANTIZE_COMPACT_H
#define OPMILL_DEQUANTIZE_COMPACT_H

#include "families/dequantize/plan.h"
#include "runtime/quantized/compact.h"

typedef struct opmill_dequantize_one_compact_plan {
    int32_t count;
    opmill_compact_scale x;
} opmill_dequantize_one_compact_plan;

/* The result of opmill_dequantize_compute, in the same bits, of 8-bit integers with one constant
 * scale. */
void opmill_dequantize_one_compact(const void *x, void *y,
                                   const opmill_dequantize_one_compact_plan *plan);

/* The result of opmill_dequantize_compute, in the same bits, of 8-bit integers with one scale or
 * one for each index of an axis, where y is of floats. */
int opmill_dequantize_compact(const opmill_tensor *x, const opmill_tensor *x_scale,
                              const opmill_tensor *x_zero, opmill_tensor *y,
                              const opmill_dequantize_plan *plan, opmill_context *context);

#endif
