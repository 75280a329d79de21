/* Sums and products of tensors that are broadcast, in little code and memory, for microcontrollers.
 */
#ifndef OPMILL_ELEMENTWISE_BINARY_COMPACT_BROADCAST_H
#define OPMILL_ELEMENTWISE_BINARY_COMPACT_BROADCAST_H

#include "families/elementwise_binary/plan.h"

/* The results of the kernels of Add, Sub, Mul, in the same bits, of floats and ranks up to 8.
 */
typedef int opmill_binary_broadcast(const opmill_tensor *a, const opmill_tensor *b,
                                    opmill_tensor *y, const opmill_elementwise_binary_plan *plan,
                                    opmill_context *context);

opmill_binary_broadcast opmill_add_broadcast;
opmill_binary_broadcast opmill_sub_broadcast;
opmill_binary_broadcast opmill_mul_broadcast;

#endif
