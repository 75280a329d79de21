/* Values of int64 or int32 that must lie in a range, and that another thread may change during the
 * call. */
#ifndef OPMILL_BOUNDS_H
#define OPMILL_BOUNDS_H

#include <stdbool.h>
#include <stdint.h>

#include "opmill/types.h"

/* True if all elements lie between both ends; else the first that does not is reported in the
 * context, under the name of the input. */
bool opmill_bounds_check(const opmill_tensor *tensor, const char *name, int64_t lowest,
                         int64_t highest, opmill_context *context);

/* Element `position`, read once: what lies outside of the range by now becomes the nearer end. */
int64_t opmill_bounds_read(const opmill_tensor *tensor, int64_t position, int64_t lowest,
                           int64_t highest);

#endif
