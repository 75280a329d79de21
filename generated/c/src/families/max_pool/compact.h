/* MaxPool in little code and memory, for microcontrollers.
 *
 * The result of opmill_max_pool_compute, in the same bits, without indices, of one or two spatial
 * axes. The names end with the type of x. */
#ifndef OPMILL_MAX_POOL_COMPACT_H
#define OPMILL_MAX_POOL_COMPACT_H

#include "families/max_pool/plan.h"

typedef int opmill_max_pool_compact(const opmill_tensor *x, opmill_tensor *y,
                                    opmill_tensor *indices, const opmill_max_pool_plan *plan,
                                    opmill_context *context);

opmill_max_pool_compact opmill_max_pool_compact_float;
opmill_max_pool_compact opmill_max_pool_compact_int8;
opmill_max_pool_compact opmill_max_pool_compact_uint8;

#endif
