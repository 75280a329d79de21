/* Products, of floats in double; of integers modulo 2^32 and 2^64. */
#define FINDER opmill_reduce_products
#define LANE_COUNT 32
#define EXPONENTIALS 0
#define REALS 1
#define REAL_PART double
#define REAL_MAP(x) ((double)(x))
#define REAL_COMBINE(a, b) ((a) * (b))
#define REAL_IDENTITY 1
#define WRAPPING 1
#define WRAPPING_MAP(x) (x)
#define WRAPPING_COMBINE(a, b) ((a) * (b))
#define WRAPPING_IDENTITY 1
#define ORDERED 0
#include "families/reduce/sets.h"
