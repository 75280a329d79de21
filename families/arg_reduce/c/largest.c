/* The largest elements. */
#define FINDER opmill_arg_largest
#define BETTER(a, b) ((a) > (b))
#define WORST(lowest, highest) (lowest)
#include "families/arg_reduce/sets.h"
