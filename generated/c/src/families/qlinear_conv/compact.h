/* QLinearConv in little code and memory, for microcontrollers: no workspace, no copies.
 *
 * The result of opmill_qlinear_conv_compute, in the same bits, where y is of 8-bit integers and
 * has one or two spatial axes. The names end with the types of x and w. */
#ifndef OPMILL_QLINEAR_CONV_COMPACT_H
#define OPMILL_QLINEAR_CONV_COMPACT_H

#include "families/qlinear_conv/plan.h"

typedef int opmill_qlinear_conv_compact(const opmill_tensor *x, const opmill_tensor *x_scale,
                                        const opmill_tensor *x_zero, const opmill_tensor *w,
                                        const opmill_tensor *w_scale, const opmill_tensor *w_zero,
                                        const opmill_tensor *y_scale, const opmill_tensor *y_zero,
                                        const opmill_tensor *bias, opmill_tensor *y,
                                        const opmill_qlinear_conv_plan *plan,
                                        opmill_context *context);

opmill_qlinear_conv_compact opmill_qlinear_conv_compact_int8_int8;
opmill_qlinear_conv_compact opmill_qlinear_conv_compact_uint8_int8;
opmill_qlinear_conv_compact opmill_qlinear_conv_compact_int8_uint8;
opmill_qlinear_conv_compact opmill_qlinear_conv_compact_uint8_uint8;

#endif
