/* Means and sums in little code and memory, for microcontrollers. */
#ifndef OPMILL_REDUCE_COMPACT_H
#define OPMILL_REDUCE_COMPACT_H

#include "runtime/quantized/compact.h"

typedef struct opmill_reduce_mean_compact_plan {
    int32_t rows, length;
} opmill_reduce_mean_compact_plan;

/* The result of opmill_reduce_mean_compute, in the same bits, of floats where the last axes are
 * reduced and no others. */
void opmill_reduce_mean_compact(const void *x, void *y,
                                const opmill_reduce_mean_compact_plan *plan);

/* The same of opmill_reduce_sum_compute. */
typedef opmill_reduce_mean_compact_plan opmill_reduce_sum_compact_plan;

void opmill_reduce_sum_compact(const void *x, void *y, const opmill_reduce_sum_compact_plan *plan);

typedef struct opmill_reduce_mean_quantized_compact_plan {
    int32_t rows, length;
    opmill_compact_scale x, y;
} opmill_reduce_mean_quantized_compact_plan;

/* The same of the product of x less its zero point and its scale, quantized: DequantizeLinear, the
 * mean, limits and QuantizeLinear in one. x and y are of 8-bit integers. There may be no limits. */
void opmill_reduce_mean_quantized_compact(const void *x, void *y,
                                          const opmill_reduce_mean_quantized_compact_plan *plan,
                                          const opmill_limits *limits);

/* The same without arithmetic in double, for means of at most 1,024 elements whose scale is at most
 * 1e30, so that sums are finite. */
void opmill_reduce_mean_quantized_compact_short(
    const void *x, void *y, const opmill_reduce_mean_quantized_compact_plan *plan,
    const opmill_limits *limits);

#endif
