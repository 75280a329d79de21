/* Sums of integers that nothing is lost of: of 32 bits a block fits 64, everything else 128. */
#define FINDER opmill_reduce_exact_sums
#define LANE_COUNT 32
#define EXPONENTIALS 0
#define REALS 0
#define WRAPPING 0
#define ORDERED 1

#define EXACT_PART_32 LARGEST
#define EXACT_MAP_32(x) ((LARGEST)(x))
#define EXACT_COMBINE_32(a, b) ((a) + (b))
#define EXACT_IDENTITY_32 0
#define EXACT_WHOLE_OF_32(part) WIDE_OF(part)
#define EXACT_PART_64 opmill_wide
#define EXACT_MAP_64(x) WIDE_OF(x)
#define EXACT_COMBINE_64(a, b) opmill_wide_sum(a, b)
#define EXACT_IDENTITY_64 opmill_wide_of_unsigned(0)
#define EXACT_WHOLE_OF_64(part) (part)

#define PASTE(name, bits) name##_##bits
#define OF_BITS(name, bits) PASTE(name, bits)
#define ORDERED_PART OF_BITS(EXACT_PART, BITS)
#define ORDERED_WHOLE opmill_wide
#define ORDERED_MEMBER wide
#define ORDERED_KIND OPMILL_REDUCE_WIDE
#define ORDERED_MAP(x) OF_BITS(EXACT_MAP, BITS)(x)
#define ORDERED_COMBINE(a, b) OF_BITS(EXACT_COMBINE, BITS)(a, b)
#define ORDERED_IDENTITY OF_BITS(EXACT_IDENTITY, BITS)
#define ORDERED_WHOLE_OF(part) OF_BITS(EXACT_WHOLE_OF, BITS)(part)
#define ORDERED_JOIN(a, b) opmill_wide_sum(a, b)
#include "families/reduce/sets.h"
