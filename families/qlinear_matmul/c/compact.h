/* QLinearMatMul in little code and memory, for microcontrollers: no workspace, no copies.
 *
 * The result of opmill_qlinear_matmul_compute, in the same bits, where b is one matrix, all rows of
 * a have one scale, and y is of 8-bit integers. The names end with the types of a and b. */
#ifndef OPMILL_QLINEAR_MATMUL_COMPACT_H
#define OPMILL_QLINEAR_MATMUL_COMPACT_H

#include "families/qlinear_matmul/plan.h"

typedef int opmill_qlinear_matmul_compact(const opmill_tensor *a, const opmill_tensor *a_scale,
                                          const opmill_tensor *a_zero, const opmill_tensor *b,
                                          const opmill_tensor *b_scale, const opmill_tensor *b_zero,
                                          const opmill_tensor *y_scale, const opmill_tensor *y_zero,
                                          opmill_tensor *y, const opmill_qlinear_matmul_plan *plan,
                                          opmill_context *context);

opmill_qlinear_matmul_compact opmill_qlinear_matmul_compact_int8_int8;
opmill_qlinear_matmul_compact opmill_qlinear_matmul_compact_uint8_int8;
opmill_qlinear_matmul_compact opmill_qlinear_matmul_compact_int8_uint8;
opmill_qlinear_matmul_compact opmill_qlinear_matmul_compact_uint8_uint8;

#endif
