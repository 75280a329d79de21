/* Activations in little code and memory, for microcontrollers. */
#ifndef OPMILL_ELEMENTWISE_COMPACT_H
#define OPMILL_ELEMENTWISE_COMPACT_H

#include "families/elementwise/plan.h"

/* What opmill_elementwise_relu_compute and those of the other names compute, in the same bits, of
 * floats. */
typedef int opmill_unary_compact(const opmill_tensor *x, opmill_tensor *y,
                                 const opmill_elementwise_plan *plan, opmill_context *context);

opmill_unary_compact opmill_abs_compact;
opmill_unary_compact opmill_hard_sigmoid_compact;
opmill_unary_compact opmill_hard_swish_compact;
opmill_unary_compact opmill_leaky_relu_compact;
opmill_unary_compact opmill_neg_compact;
opmill_unary_compact opmill_relu_compact;

#endif
