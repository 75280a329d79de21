/* The smallest elements. */
#define FINDER opmill_arg_smallest
#define BETTER(a, b) ((a) < (b))
#define WORST(lowest, highest) (highest)
#include "families/arg_reduce/sets.h"
