/* Sums; of integers modulo 2^32 and 2^64, and as doubles. */
#define FINDER opmill_reduce_sums
#define LANE_COUNT 32
#define EXPONENTIALS 0
#define REALS 2
#define REAL_PART SOURCE
#define REAL_MAP(x) (x)
#define REAL_COMBINE(a, b) ((a) + (b))
#define REAL_IDENTITY 0
#define REAL_OVERFLOWS
#define WRAPPING 1
#define WRAPPING_MAP(x) (x)
#define WRAPPING_COMBINE(a, b) ((a) + (b))
#define WRAPPING_IDENTITY 0
#define ORDERED 0
#include "families/reduce/sets.h"
