/* Sums of magnitudes; of integers modulo 2^32 and 2^64. */
#define FINDER opmill_reduce_magnitudes
#define LANE_COUNT 32
#define EXPONENTIALS 0
#define REALS 1
#define REAL_PART SOURCE
#define REAL_MAP(x) ((SOURCE)fabs(x))
#define REAL_COMBINE(a, b) ((a) + (b))
#define REAL_IDENTITY 0
#define WRAPPING 1
#define WRAPPING_MAP(x) (x)
#define WRAPPING_COMBINE(a, b) ((a) + (b))
#define WRAPPING_IDENTITY 0
#define ORDERED 3
#define ORDERED_PART UNSIGNED
#define ORDERED_WHOLE uint64_t
#define ORDERED_MEMBER integer
#define ORDERED_KIND OPMILL_REDUCE_INTEGER
#define ORDERED_MAP(x) MAGNITUDE(x)
#define ORDERED_COMBINE(a, b) ((a) + (b))
#define ORDERED_IDENTITY 0
#define ORDERED_WHOLE_OF(part) ((uint64_t)(part))
#define ORDERED_JOIN(a, b) ((a) + (b))
#include "families/reduce/sets.h"
