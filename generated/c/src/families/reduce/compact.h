/* Means in little code and memory, for microcontrollers. */
#ifndef OPMILL_REDUCE_COMPACT_H
#define OPMILL_REDUCE_COMPACT_H

#include "families/reduce/plan.h"

/* The result of opmill_reduce_mean_compute, in the same bits, of floats where the last axes are
 * reduced and no others. */
int opmill_reduce_mean_compact(const opmill_tensor *x, opmill_tensor *y,
                               const opmill_reduce_plan *plan, opmill_context *context);

/* The same of the product of x less its zero point and its scale, quantized: DequantizeLinear, the
 * mean, limits and QuantizeLinear in one. x and y are of 8-bit integers. */
int opmill_reduce_mean_quantized(const opmill_tensor *x, const opmill_tensor *x_scale,
                                 const opmill_tensor *x_zero, const opmill_tensor *y_scale,
                                 const opmill_tensor *y_zero, opmill_tensor *y,
                                 const opmill_reduce_plan *plan, opmill_context *context);

/* The same without arithmetic in double, for means of at most 1,024 elements whose scale is at most
 * 1e30, so that sums are finite. */
int opmill_reduce_mean_quantized_short(const opmill_tensor *x, const opmill_tensor *x_scale,
                                       const opmill_tensor *x_zero, const opmill_tensor *y_scale,
                                       const opmill_tensor *y_zero, opmill_tensor *y,
                                       const opmill_reduce_plan *plan, opmill_context *context);

#endif
