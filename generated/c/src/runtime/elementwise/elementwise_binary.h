/* The engine of what is computed of two inputs, element by element, with broadcasting: axes on
 * which both inputs do the same are joined, and what is left is cut into runs in which each input
 * advances or is broadcast. elementwise.h is the same for one input.
 *
 *     opmill_binary binary;
 *     opmill_binary_begin(&binary, loop, plan, isa, 4, 4);   four bytes an element, in and out
 *     opmill_binary_axis(&binary, 64, true, false);    64 positions of A, for each of which B ...
 *     opmill_binary_axis(&binary, 56, true, true);     ... gives the same 56
 *     opmill_binary_run(&binary, a, b, out, context);
 *
 * Nothing is allocated; a call takes about 30 kB of stack on each thread. */
#ifndef OPMILL_ELEMENTWISE_BINARY_H
#define OPMILL_ELEMENTWISE_BINARY_H

#include <stdbool.h>
#include <stdint.h>

#include "opmill/types.h"

/* Computes `count` elements of `to`. An operand has as many, or one for all of them. Nothing
 * overlaps. */
typedef void opmill_binary_loop(const void *a, bool a_is_one, const void *b, bool b_is_one,
                                void *to, int64_t count, const void *operands);

/* Positions along one axis, or several that were joined, and which inputs have them. */
typedef struct opmill_binary_level {
    int64_t size;
    bool in_a;
    bool in_b;
} opmill_binary_level;

typedef struct opmill_binary {
    opmill_binary_loop *loop;
    const void *operands; /* what the loop receives besides the elements */
    int32_t isa;          /* what the loop is built for, of enum opmill_isa */
    int32_t from_bytes;
    int32_t to_bytes;
    bool empty;    /* some axis has no positions */
    int32_t count; /* of levels, outermost first */
    opmill_binary_level levels[OPMILL_MAX_RANK];
} opmill_binary;

static inline void opmill_binary_begin(opmill_binary *binary, opmill_binary_loop *loop,
                                       const void *operands, int32_t isa, int32_t from_bytes,
                                       int32_t to_bytes) {
    binary->loop = loop;
    binary->operands = operands;
    binary->isa = isa;
    binary->from_bytes = from_bytes;
    binary->to_bytes = to_bytes;
    binary->empty = false;
    binary->count = 0;
}

/* The next axis inward has `size` positions; an input that has not as many has one. */
static inline void opmill_binary_axis(opmill_binary *binary, int64_t size, bool in_a, bool in_b) {
    opmill_binary_level *last = &binary->levels[binary->count - (binary->count > 0)];
    if (size == 0) {
        binary->empty = true;
    } else if (size > 1 && !binary->empty) {
        if (binary->count > 0 && last->in_a == in_a && last->in_b == in_b) {
            last->size *= size;
        } else {
            binary->levels[binary->count++] = (opmill_binary_level){size, in_a, in_b};
        }
    }
}

/* Writes the output with context->threads. */
void opmill_binary_run(const opmill_binary *binary, const void *a, const void *b, void *to,
                       const opmill_context *context);

/* Tells how opmill_binary_run would do it, in the same context. What `kernel` says:
 *
 *     empty   there is nothing to write
 *     runs    runs of adjacent elements, read where they are
 *     rows    short runs, of which many are laid side by side before they are computed
 *
 * with "+stream" where the output is so large that it goes around the caches. */
void opmill_binary_choose(const opmill_binary *binary, const opmill_context *context,
                          opmill_choice *choice);

#endif
