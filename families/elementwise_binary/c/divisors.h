/* Integers that divide: none may be 0. */
#ifndef OPMILL_ELEMENTWISE_BINARY_DIVISORS_H
#define OPMILL_ELEMENTWISE_BINARY_DIVISORS_H

#include <stdbool.h>

#include "opmill/types.h"

/* False, with the error in the context, where B holds integers and one of them is 0. */
bool opmill_check_divisors(const opmill_tensor *B, opmill_context *context);

#endif
