/* Means of windows in little code and memory, for microcontrollers. */
#ifndef OPMILL_POOL_COMPACT_H
#define OPMILL_POOL_COMPACT_H

#include "families/pool/plan.h"

/* The result of opmill_pool_mean_compute, in the bits of OPMILL_ISA_PLAIN, of floats with one or
 * two spatial axes and windows of at most 128 elements. */
int opmill_pool_mean_compact(const opmill_tensor *x, opmill_tensor *y, const opmill_pool_plan *plan,
                             opmill_context *context);

/* The same of the product of x less its zero point and its scale, quantized: DequantizeLinear, the
 * means, limits and QuantizeLinear in one. x and y are of 8-bit integers, and the scale of x is at
 * most 1e30. */
int opmill_pool_mean_quantized(const opmill_tensor *x, const opmill_tensor *x_scale,
                               const opmill_tensor *x_zero, const opmill_tensor *y_scale,
                               const opmill_tensor *y_zero, opmill_tensor *y,
                               const opmill_pool_plan *plan, opmill_context *context);

#endif
