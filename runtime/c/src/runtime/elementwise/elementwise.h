/* The engine of what is computed element by element: it cuts a call into runs of elements that lie
 * one after the other, shares them among threads, and writes large outputs around the caches. What
 * is computed is a loop over one run, which the families bring along, one for each element type and
 * instruction set (elementwise_loops.h).
 *
 * Nothing is allocated; a call takes about 20 kB of stack on each thread. */
#ifndef OPMILL_ELEMENTWISE_H
#define OPMILL_ELEMENTWISE_H

#include <stdint.h>

#include "opmill/types.h"
#include "runtime/platform/platform.h"

/* The bits of a float and of a double, where a result must keep them. */
#if OPMILL_GNU
typedef uint32_t __attribute__((may_alias)) opmill_bits32;
typedef uint64_t __attribute__((may_alias)) opmill_bits64;
#else
typedef uint32_t opmill_bits32;
typedef uint64_t opmill_bits64;
#endif

/* Computes `count` elements of `to` from as many of `from`, which do not overlap. */
typedef void opmill_unary_loop(const void *from, void *to, int64_t count, const void *operands);

/* A loop, what it receives besides the elements, what it is built for, and the bytes of an element
 * on each side. */
typedef struct opmill_unary {
    opmill_unary_loop *loop;
    const void *operands;
    int32_t isa; /* of enum opmill_isa */
    int32_t from_bytes;
    int32_t to_bytes;
} opmill_unary;

/* Computes `count` elements with context->threads. */
void opmill_unary_run(const opmill_unary *unary, const void *from, void *to, int64_t count,
                      const opmill_context *context);

/* Tells how opmill_unary_run would do it, in the same context: "empty"; "elements"; or
 * "elements+stream", where the output is so large that it goes around the caches. */
void opmill_unary_choose(const opmill_unary *unary, int64_t count, const opmill_context *context,
                         opmill_choice *choice);

#endif
