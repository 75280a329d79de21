/* p-norms: the p-th root of the sum of the p-th powers of magnitudes, in double. */
#define FINDER opmill_pool_norms
#define NORMS 1
#include "families/pool/sets.h"
