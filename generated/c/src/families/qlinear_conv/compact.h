/* QLinearConv in little code and memory, for microcontrollers: no workspace, no copies.
 *
 * The result of opmill_qlinear_conv_compute, in the same bits, with one or two spatial axes and
 * constant scales and zero points. `factors` are the scales of x and w by that of y; there may be
 * no bias and no w_zero. The names end with the types of x and w. */
#ifndef OPMILL_QLINEAR_CONV_COMPACT_H
#define OPMILL_QLINEAR_CONV_COMPACT_H

#include "runtime/compact/compact_axis.h"

typedef struct opmill_qlinear_conv_compact_plan {
    opmill_compact_axis rows, columns;
    int32_t items, groups, channels, maps; /* channels and maps of one group */
    int32_t x_zero, y_zero, y_low;         /* zero points; the lowest number of the type of y */
    int32_t factor_step, zero_step;        /* 0 if all maps have one factor, or one w_zero */
} opmill_qlinear_conv_compact_plan;

typedef void opmill_qlinear_conv_compact(const void *x, const void *w, const void *factors,
                                         const void *bias, const void *w_zero, void *y,
                                         const opmill_qlinear_conv_compact_plan *plan);

opmill_qlinear_conv_compact opmill_qlinear_conv_compact_int8_int8;
opmill_qlinear_conv_compact opmill_qlinear_conv_compact_uint8_int8;
opmill_qlinear_conv_compact opmill_qlinear_conv_compact_int8_uint8;
opmill_qlinear_conv_compact opmill_qlinear_conv_compact_uint8_uint8;

#endif
