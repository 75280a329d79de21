/* Relu in little code and memory, for microcontrollers. */
#ifndef OPMILL_ELEMENTWISE_COMPACT_H
#define OPMILL_ELEMENTWISE_COMPACT_H

#include "families/elementwise/plan.h"

/* What opmill_elementwise_relu_compute computes, in the same bits, of floats. */
int opmill_relu_compact(const opmill_tensor *x, opmill_tensor *y,
                        const opmill_elementwise_plan *plan, opmill_context *context);

#endif
