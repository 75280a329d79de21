/* Conversions of many elements at a time between the types that processors know, built for several
 * instruction sets. A loop converts as opmill_cast_bits does, to the last bit. */
#ifndef OPMILL_CAST_LOOPS_H
#define OPMILL_CAST_LOOPS_H

#include <stdint.h>

#include "formats.h"
#include "opmill/types.h"

/* Converts `count` elements, which are aligned for their types. */
typedef void cast_loop(void *out, const void *in, int64_t count);

enum { CAST_TYPES = OPMILL_BFLOAT16 + 1 }; /* later types have no loops */

typedef struct cast_loops {
    int32_t isa;                                /* of enum opmill_isa */
    cast_loop *between[CAST_TYPES][CAST_TYPES]; /* by types from and to; NULL where there is none */
    /* From wider types to float, cut off and then odd where they do not fit: such a float is still
     * rounded right when it is rounded again, to a type with two bits less at least. */
    cast_loop *to_odd[CAST_TYPES];
    /* From float to a pattern of eight bits or less, in a byte. */
    void (*to_small)(void *out, const float *in, int64_t count, const cast_small *small);
} cast_loops;

extern const cast_loops opmill_cast_loops_plain;
extern const cast_loops opmill_cast_loops_avx2;
extern const cast_loops opmill_cast_loops_avx512;

/* The loops for the widest of the instruction sets that a context allows. */
const cast_loops *opmill_cast_loops_for(int32_t isa);

/* The patterns of packed elements of `bits` bits, the first of which begins a byte, in a byte each.
 */
void opmill_cast_unpack(uint8_t *out, const uint8_t *in, int64_t count, int32_t bits);

/* The same back. What is left over of the last byte is 0. */
void opmill_cast_pack(uint8_t *out, const uint8_t *in, int64_t count, int32_t bits);

#endif
