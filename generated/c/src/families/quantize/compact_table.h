/* A function of one quantized tensor, as a table of its 256 values. */
#ifndef OPMILL_QUANTIZE_COMPACT_TABLE_H
#define OPMILL_QUANTIZE_COMPACT_TABLE_H

#include "families/quantize/plan.h"

/* The element of the table, of 256 bytes, at the bits of each element of x. */
int opmill_quantize_compact_table(const opmill_tensor *x, const opmill_tensor *table,
                                  opmill_tensor *y, const opmill_quantize_plan *plan,
                                  opmill_context *context);

#endif
