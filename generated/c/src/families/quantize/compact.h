/* QuantizeLinear in little code and memory, for microcontrollers. */
#ifndef OPMILL_QUANTIZE_COMPACT_H
#define OPMILL_QUANTIZE_COMPACT_H

#include "families/quantize/plan.h"
#include "runtime/quantized/compact.h"

typedef struct opmill_quantize_one_compact_plan {
    int32_t count;
    opmill_compact_scale y;
} opmill_quantize_one_compact_plan;

/* The result of opmill_quantize_compute, in the same bits, of floats with one constant scale. */
void opmill_quantize_one_compact(const void *x, void *y,
                                 const opmill_quantize_one_compact_plan *plan);

/* The result of opmill_quantize_compute, in the same bits, of floats with one scale or one for each
 * index of an axis, where y is of 8-bit integers. */
int opmill_quantize_compact(const opmill_tensor *x, const opmill_tensor *y_scale,
                            const opmill_tensor *y_zero, opmill_tensor *y,
                            const opmill_quantize_plan *plan, opmill_context *context);

#endif
