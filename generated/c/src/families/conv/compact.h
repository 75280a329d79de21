/* Convolution in little code and memory, for microcontrollers: no workspace, no copies. */
#ifndef OPMILL_CONV_COMPACT_H
#define OPMILL_CONV_COMPACT_H

#include <stdbool.h>

#include "opmill/types.h"
#include "runtime/compact/compact_axis.h"

typedef struct opmill_conv_compact_plan {
    opmill_compact_axis rows, columns;
    int32_t items, groups, channels, maps; /* channels and maps of one group */
    bool bias_first;                       /* whether sums begin with the bias, or end with it */
    bool is_padded;
} opmill_conv_compact_plan;

/* The result of opmill_conv_compute, in the bits of OPMILL_ISA_PLAIN, of floats with one or two
 * spatial axes. There may be no bias and no limits. */
void opmill_conv_compact(const void *x, const void *w, const void *bias, void *y,
                         const opmill_conv_compact_plan *plan, const opmill_limits *limits);

#endif
