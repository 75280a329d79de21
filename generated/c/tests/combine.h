/* Combination of an element with an update in the references of scatters, by way of numbers. */
#ifndef OPMILL_TEST_COMBINE_H
#define OPMILL_TEST_COMBINE_H

#include <stdint.h>

#include "opmill/types.h"

/* Element `to` of the target meets element `from` of the updates; `reduction` is "none", "add",
 * "mul", "max" or "min". */
void combine_element(const opmill_tensor *target, int64_t to, const opmill_tensor *updates,
                     int64_t from, const char *reduction);

#endif
