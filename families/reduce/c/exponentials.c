/* Sums of exponentials, of integers as doubles. */
#define FINDER opmill_reduce_exponentials
#define LANE_COUNT 32
#define EXPONENTIALS 1
#define REALS 2
#define REAL_PART SOURCE
#define REAL_MAP(x) (x)
#define REAL_COMBINE(a, b) ((a) + (b))
#define REAL_IDENTITY 0
#define WRAPPING 0
#define ORDERED 0
#include "families/reduce/sets.h"
