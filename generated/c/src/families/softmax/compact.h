/* Softmax in little code and memory, for microcontrollers. */
#ifndef OPMILL_SOFTMAX_COMPACT_H
#define OPMILL_SOFTMAX_COMPACT_H

#include "families/softmax/plan.h"

/* The result of opmill_softmax_softmax_compute, in the same bits, of floats where the axes behind
 * `end` have one element. */
int opmill_softmax_compact(const opmill_tensor *x, opmill_tensor *y,
                           const opmill_softmax_plan *plan, opmill_context *context);

/* The same for lines of at most 1,024 elements: no arithmetic in double, for processors without. */
int opmill_softmax_compact_short(const opmill_tensor *x, opmill_tensor *y,
                                 const opmill_softmax_plan *plan, opmill_context *context);

#endif
