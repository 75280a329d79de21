/* The copy engine: outputs that are made of the input's elements alone, each kept in its order or
 * repeated. Expand, Tile and their like describe the output, outermost axis first, and the engine
 * writes it:
 *
 *     opmill_copy copy;
 *     opmill_copy_begin(&copy, 4);     four bytes an element
 *     opmill_copy_keep(&copy, 64);     64 positions of the input ...
 *     opmill_copy_repeat(&copy, 56);   ... and the contents of each of them, 56 times
 *     opmill_copy_run(&copy, input, output, context);
 *
 * Elements are moved as bytes and never computed with. Input and output do not overlap; neither
 * needs any alignment. A call takes about 30 kB of stack on each thread. */
#ifndef OPMILL_COPY_H
#define OPMILL_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "opmill/types.h"

/* Adjacent axes of one kind are merged, so that what is left alternates: `keep` positions of the
 * input follow each other, and the block that each of them stands for is written `repeat` times. */
typedef struct opmill_copy_level {
    int64_t keep;
    int64_t repeat;
    int64_t in_bytes;  /* of the block in the input */
    int64_t out_bytes; /* of the block in the output, written once */
} opmill_copy_level;

typedef struct opmill_copy {
    int64_t run;   /* bytes that always stay together: the innermost block */
    bool empty;    /* some axis has no positions */
    int32_t count; /* of levels, outermost first */
    /* All levels but the first keep two positions or more, and sizes fit an int64. */
    opmill_copy_level levels[OPMILL_MAX_RANK];
} opmill_copy;

static inline void opmill_copy_begin(opmill_copy *copy, int64_t element_bytes) {
    copy->run = element_bytes;
    copy->empty = false;
    copy->count = 0;
}

/* The next axis inward has `size` positions, as the input has. */
static inline void opmill_copy_keep(opmill_copy *copy, int64_t size) {
    opmill_copy_level *last = &copy->levels[copy->count - (copy->count > 0)];
    if (size == 0) {
        copy->empty = true;
    } else if (size > 1 && !copy->empty) {
        if (copy->count > 0 && last->repeat == 1) {
            last->keep *= size;
        } else {
            copy->levels[copy->count].keep = size;
            copy->levels[copy->count++].repeat = 1;
        }
    }
}

/* The next axis inward writes `times` times what lies further inward. */
static inline void opmill_copy_repeat(opmill_copy *copy, int64_t times) {
    if (times == 0) {
        copy->empty = true;
    } else if (times > 1 && !copy->empty) {
        if (copy->count == 0) {
            copy->levels[0].keep = 1;
            copy->levels[copy->count++].repeat = times;
        } else {
            copy->levels[copy->count - 1].repeat *= times;
        }
    }
}

/* Writes the output, with context->threads and context->isa, which is one that opmill_isa_select
 * accepts. Changes `copy`. */
void opmill_copy_run(opmill_copy *copy, const void *input, void *output,
                     const opmill_context *context);

/* Tells how opmill_copy_run would do it, in the same context. Changes `copy`. What `kernel` says:
 *
 *     empty      there is nothing to write
 *     memcpy     the output is the input
 *     small      up to 1 KiB, written in nested loops
 *     shuffle    blocks of short runs by a list of byte shuffles (copy_program.h)
 *     fill       elements, each repeated in registers
 *     repeat     short runs, doubled within the output
 *     runs       long runs, copied from where they are
 *
 * with "+stream" where the output is so large that it goes around the caches. */
void opmill_copy_choose(opmill_copy *copy, const opmill_context *context, opmill_choice *choice);

#endif
