/* Strips: a tensor that is other tensors side by side. Seen from the axis along which they meet,
 * the whole is a matrix of bytes whose rows hold one strip of every part, one after the other, and
 * each part is the matrix of its own strips. Concat gathers the parts into the whole, Split
 * scatters the whole to its parts.
 *
 * Elements are moved as bytes and never computed with. Parts and whole do not overlap; neither
 * needs any alignment. There may be any number of parts: their descriptions are read where they
 * are. */
#ifndef OPMILL_STRIPS_H
#define OPMILL_STRIPS_H

#include <stdbool.h>
#include <stdint.h>

#include "opmill/types.h"

typedef struct opmill_strips {
    const opmill_tensor *const *parts; /* of one type, with the same dims but for those of `axis` */
    int32_t count;                     /* of parts */
    int32_t axis;
    bool gather;       /* whether the parts are read and the whole is written */
    int64_t rows;      /* positions of the axes before `axis` */
    int64_t unit;      /* the bytes of one position of `axis` in a row */
    int64_t row_bytes; /* of the whole */
    uint8_t *whole;
} opmill_strips;

/* Describes the strips of a whole. For `opmill_strips_choose` the parts may be NULL. */
void opmill_strips_begin(opmill_strips *strips, const int64_t *dims, int32_t rank, int32_t type,
                         int32_t axis);

/* Moves all strips, with context->threads and context->isa, which is one that opmill_isa_select
 * accepts. `parts`, `count`, `gather` and `whole` are set. */
void opmill_strips_run(const opmill_strips *strips, const opmill_context *context);

/* Tells how opmill_strips_run would do it, in the same context; of the call it reads `count` alone.
 * What `kernel` says:
 *
 *     empty            there is nothing to move
 *     strips           part by part for a block of rows, short strips in registers; or row by row
 *     strips+stream    the same, long strips around the caches, where there is very much of them */
void opmill_strips_choose(const opmill_strips *strips, const opmill_context *context,
                          opmill_choice *choice);

#endif
