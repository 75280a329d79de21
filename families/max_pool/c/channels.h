/* The kernel for images whose channels lie side by side, of integers of 8 bits: the elements of a
 * window are rows of channels, which vectors compare. Every call with the channels as the last axis
 * is one for it. */
#ifndef OPMILL_MAX_POOL_CHANNELS_H
#define OPMILL_MAX_POOL_CHANNELS_H

#include "functions.h"
#include "problem.h"

/* The rows of windows from `from` to `to` - 1, counted through all images. `functions` may be
 * NULL. */
void opmill_max_pool_channels(const max_pool_problem *problem, const max_pool_functions *functions,
                              int64_t from, int64_t to);

#endif
