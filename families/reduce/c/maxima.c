/* The largest elements; NaN where there is one. */
#define FINDER opmill_reduce_maxima
#define LANE_COUNT 64
#define EXPONENTIALS 0
#define REALS 1
#define REAL_PART SOURCE
#define REAL_MAP(x) (x)
#define REAL_COMBINE(a, b) ((((b) > (a)) | ((b) != (b))) ? (b) : (a))
#define REAL_COMBINE_NUMBERS(a, b) ((b) > (a) ? (b) : (a))
#define REAL_IDENTITY -INFINITY
#define WRAPPING 0
#define ORDERED 2
#define ORDERED_PART ELEMENT
#define ORDERED_WHOLE LARGEST
#define ORDERED_MEMBER LARGEST_MEMBER
#define ORDERED_KIND LARGEST_KIND
#define ORDERED_MAP(x) (x)
#define ORDERED_COMBINE(a, b) ((b) > (a) ? (b) : (a))
#define ORDERED_IDENTITY LOWEST
#define ORDERED_WHOLE_OF(part) ((LARGEST)(part))
#define ORDERED_JOIN(a, b) ((b) > (a) ? (b) : (a))
#include "families/reduce/sets.h"
