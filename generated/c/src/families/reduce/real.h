/* A kind of floats, or of integers as doubles: its macros in the words of body.h. */
#define PART REAL_PART
#define WHOLE double
#define MEMBER real
#define MEMBER_KIND OPMILL_REDUCE_REAL
#define MAP(x) REAL_MAP(x)
#define COMBINE(a, b) REAL_COMBINE(a, b)
#ifdef REAL_COMBINE_NUMBERS
#define COMBINE_NUMBERS(a, b) REAL_COMBINE_NUMBERS(a, b)
#endif
#define IDENTITY REAL_IDENTITY
#define WHOLE_OF(part) ((WHOLE)(part))
#define JOIN(a, b) REAL_COMBINE(a, b)
#ifdef REAL_OVERFLOWS
#define OVERFLOWS
#endif
#include "families/reduce/body.h"
