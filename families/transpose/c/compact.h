/* Transpose in little code and memory, for microcontrollers. */
#ifndef OPMILL_TRANSPOSE_COMPACT_H
#define OPMILL_TRANSPOSE_COMPACT_H

#include "families/transpose/plan.h"

/* The result of opmill_transpose_compute, of elements of 1, 2, 4 or 8 bytes and ranks up to 8. The
 * names end with the bytes. */
int opmill_transpose_compact_1(const opmill_tensor *x, opmill_tensor *y,
                               const opmill_transpose_plan *plan, opmill_context *context);
int opmill_transpose_compact_2(const opmill_tensor *x, opmill_tensor *y,
                               const opmill_transpose_plan *plan, opmill_context *context);
int opmill_transpose_compact_4(const opmill_tensor *x, opmill_tensor *y,
                               const opmill_transpose_plan *plan, opmill_context *context);
int opmill_transpose_compact_8(const opmill_tensor *x, opmill_tensor *y,
                               const opmill_transpose_plan *plan, opmill_context *context);

#endif
