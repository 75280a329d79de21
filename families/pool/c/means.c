/* Means: the sum of a window, divided by the number of its elements. */
#define FINDER opmill_pool_means
#define NORMS 0
#include "families/pool/sets.h"
