/* A kind of integers: its macros in the words of body.h. */
#define SOURCE ELEMENT
#define PART ORDERED_PART
#define WHOLE ORDERED_WHOLE
#define MEMBER ORDERED_MEMBER
#define MEMBER_KIND ORDERED_KIND
#ifdef TRUTHS
#define WIDEN(from, space, count) SET(truths)(from, space, count)
#define WIDENS 1
#else
#define WIDEN(from, space, count) (from)
#define WIDENS 0
#endif
#define MAP(x) ORDERED_MAP(x)
#define COMBINE(a, b) ORDERED_COMBINE(a, b)
#define IDENTITY ORDERED_IDENTITY
#define WHOLE_OF(part) ORDERED_WHOLE_OF(part)
#define JOIN(a, b) ORDERED_JOIN(a, b)
#include "families/reduce/body.h"

#undef BITS
#undef UNSIGNED
#undef LARGEST
#undef LARGEST_MEMBER
#undef LARGEST_KIND
#undef LOWEST
#undef HIGHEST
#undef WIDE_OF
#undef MAGNITUDE
