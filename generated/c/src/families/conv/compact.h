/* Convolution in little code and memory, for microcontrollers: no workspace, no copies. */
#ifndef OPMILL_CONV_COMPACT_H
#define OPMILL_CONV_COMPACT_H

#include "families/conv/plan.h"

/* The result of opmill_conv_compute, in the bits of OPMILL_ISA_PLAIN, of floats with one or two
 * spatial axes. */
int opmill_conv_compact(const opmill_tensor *x, const opmill_tensor *w, const opmill_tensor *bias,
                        opmill_tensor *y, const opmill_conv_plan *plan, opmill_context *context);

#endif
