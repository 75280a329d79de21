/* Sums and products in little code and memory, for microcontrollers. */
#ifndef OPMILL_ELEMENTWISE_BINARY_COMPACT_H
#define OPMILL_ELEMENTWISE_BINARY_COMPACT_H

#include "families/elementwise_binary/plan.h"
#include "runtime/quantized/compact.h"

/* The results of the kernels of Add, Sub, Mul, in the same bits, of floats, where a and b have the
 * shape of y or one element. */
int opmill_add_compact(const opmill_tensor *a, const opmill_tensor *b, opmill_tensor *y,
                       const opmill_elementwise_binary_plan *plan, opmill_context *context);
int opmill_sub_compact(const opmill_tensor *a, const opmill_tensor *b, opmill_tensor *y,
                       const opmill_elementwise_binary_plan *plan, opmill_context *context);
int opmill_mul_compact(const opmill_tensor *a, const opmill_tensor *b, opmill_tensor *y,
                       const opmill_elementwise_binary_plan *plan, opmill_context *context);

typedef struct opmill_add_quantized_compact_plan {
    int32_t count;
    opmill_compact_scale a, b, y;
} opmill_add_quantized_compact_plan;

/* DequantizeLinear of a and of b, Add, limits and QuantizeLinear in one. a, b and y have one shape
 * and are of 8-bit integers. There may be no limits. */
void opmill_add_quantized_compact(const void *a, const void *b, void *y,
                                  const opmill_add_quantized_compact_plan *plan,
                                  const opmill_limits *limits);

#endif
