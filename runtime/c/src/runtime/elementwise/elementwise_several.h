/* The engine of what is computed of any number of inputs, element by element, with broadcasting as
 * NumPy does it. elementwise_binary.h is the same for two inputs that share a type.
 *
 *     opmill_several several;
 *     opmill_several_begin(&several, compute, plan, isa, inputs, 3, dims, rank, 4);
 *     opmill_several_run(&several, out, context);
 *
 * The output is computed in pieces that fit into L1. For each piece `compute` reads the inputs one
 * after the other: each as adjacent elements, copied side by side where they are not, or as one
 * element for all. Nothing is allocated; a call takes about 40 kB of stack on each thread,
 * and 2 kB in standard C. */
#ifndef OPMILL_ELEMENTWISE_SEVERAL_H
#define OPMILL_ELEMENTWISE_SEVERAL_H

#include <stdbool.h>
#include <stdint.h>

#include "opmill/types.h"
#include "runtime/platform/platform.h"

enum {
    /* Of the output, or of the widest input. */
    OPMILL_PIECE_BYTES = OPMILL_ON_STACK(8 * 1024, 256),
    OPMILL_PIECE_SLOTS = 3 /* inputs that can be read at the same time */
};

typedef struct opmill_several_piece opmill_several_piece;

/* Computes the `count` elements of a piece. `to` overlaps no input. */
typedef void opmill_several_compute(opmill_several_piece *piece, void *to, int64_t count,
                                    const void *plan);

/* Positions along one axis of the output, or along several adjacent ones that every input has, or
 * lacks, together. */
typedef struct opmill_several_level {
    int64_t size;
    int32_t axis; /* one of them */
} opmill_several_level;

typedef struct opmill_several {
    opmill_several_compute *compute;
    const void *plan; /* what `compute` receives besides the piece */
    const opmill_tensor *const *inputs;
    int32_t isa;  /* what `compute` is built for, of enum opmill_isa */
    int32_t rank; /* of the output */
    int32_t to_bytes;
    int32_t piece_count; /* the maximum number of elements of a piece */
    bool empty;          /* some axis has no positions */
    int32_t count;       /* of levels, outermost first; one at least */
    opmill_several_level levels[OPMILL_MAX_RANK];
} opmill_several;

/* As many elements as a piece has, or one for all of them. */
typedef struct opmill_several_operand {
    const void *data;
    bool is_one;
} opmill_several_operand;

/* Describes a call; `dims` are those of the output, to which every input broadcasts. */
void opmill_several_begin(opmill_several *several, opmill_several_compute *compute,
                          const void *plan, int32_t isa, const opmill_tensor *const *inputs,
                          int32_t input_count, const int64_t *dims, int32_t rank, int32_t to_bytes);

/* The elements of input number `input` for the piece. They stay valid until the slot, of 0 to
 * OPMILL_PIECE_SLOTS - 1, is read into again. */
opmill_several_operand opmill_several_read(opmill_several_piece *piece, int32_t input,
                                           int32_t slot);

/* Writes the output with context->threads. */
void opmill_several_run(const opmill_several *several, void *to, const opmill_context *context);

/* Tells how opmill_several_run would do it, in the same context. What `kernel` says:
 *
 *     empty    there is nothing to write
 *     runs     runs of adjacent elements, read where they are
 *     rows     short runs, of which many are laid side by side before they are computed
 *
 * with "+stream" where the output is so large that it goes around the caches. */
void opmill_several_choose(const opmill_several *several, const opmill_context *context,
                           opmill_choice *choice);

#endif
