/* Concat in little code and memory, for microcontrollers. */
#ifndef OPMILL_CONCAT_COMPACT_H
#define OPMILL_CONCAT_COMPACT_H

#include "families/concat/plan.h"

/* The result of opmill_concat_compute, of elements of whole bytes. */
int opmill_concat_compact(const opmill_tensor *const *inputs, int32_t inputs_count,
                          opmill_tensor *y, const opmill_concat_plan *plan,
                          opmill_context *context);

#endif
