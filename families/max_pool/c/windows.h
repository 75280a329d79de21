/* The kernel for any call: every window is searched, element by element, in standard C. It alone
 * finds indices, and it alone looks at NaN. */
#ifndef OPMILL_MAX_POOL_WINDOWS_H
#define OPMILL_MAX_POOL_WINDOWS_H

#include "problem.h"

/* The outputs from `from` to `to` - 1, counted through all of Y. */
void opmill_max_pool_windows(const max_pool_problem *problem, int64_t from, int64_t to);

#endif
