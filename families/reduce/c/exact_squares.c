/* Sums of squares of integers: exact below 2^128, else 2^128 - 1. */
#define FINDER opmill_reduce_exact_squares
#define LANE_COUNT 32
#define EXPONENTIALS 0
#define REALS 0
#define WRAPPING 0
#define ORDERED 1
#define ORDERED_PART opmill_wide
#define ORDERED_WHOLE opmill_wide
#define ORDERED_MEMBER wide
#define ORDERED_KIND OPMILL_REDUCE_WIDE
#define ORDERED_MAP(x) opmill_wide_square(MAGNITUDE(x))
#define ORDERED_COMBINE(a, b) opmill_wide_sum_at_most(a, b)
#define ORDERED_IDENTITY opmill_wide_of_unsigned(0)
#define ORDERED_WHOLE_OF(part) (part)
#define ORDERED_JOIN(a, b) opmill_wide_sum_at_most(a, b)
#include "families/reduce/sets.h"
