/* Sums of squares, of floats in double; of integers modulo 2^32 and 2^64. */
#define FINDER opmill_reduce_squares
#define LANE_COUNT 32
#define EXPONENTIALS 0
#define REALS 1
#define REAL_PART double
#define REAL_MAP(x) ((double)(x) * (double)(x))
#define REAL_COMBINE(a, b) ((a) + (b))
#define REAL_IDENTITY 0
#define WRAPPING 1
#define WRAPPING_MAP(x) ((x) * (x))
#define WRAPPING_COMBINE(a, b) ((a) + (b))
#define WRAPPING_IDENTITY 0
#define ORDERED 0
#include "families/reduce/sets.h"
