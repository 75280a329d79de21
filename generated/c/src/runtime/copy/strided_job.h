/* A planned call of the strided copy: strided_copy.c decides it, strided_moves.c carries it out. */
#ifndef OPMILL_STRIDED_JOB_H
#define OPMILL_STRIDED_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/copy/copy_program.h"
#include "runtime/platform/platform.h"
#include "runtime/copy/strided_copy.h"
#include "runtime/copy/transposers.h"

/* Of a block on its way around the caches; in standard C there is no such way. */
enum { OPMILL_STRIDED_STAGE_BYTES = OPMILL_ON_STACK(64 * 1024, 64) };

typedef enum opmill_strided_strategy {
    OPMILL_BY_ROWS,
    OPMILL_BY_STEPS,
    OPMILL_BY_TILES,
    OPMILL_BY_BITS
} opmill_strided_strategy;

/* A call, planned. A unit of work is a block of the two axes that `outer` and `inner` name: lines
 * of the output and their items, or, for tiles, columns of the input and their rows. */
typedef struct opmill_strided_job {
    const uint8_t *in;
    uint8_t *out;
    int64_t total;    /* bytes of the output */
    int64_t elements; /* of the output */
    int64_t first;    /* where the input begins, as the strides count */
    int32_t bits;     /* of an element below a byte that is moved by itself, else 0 */
    opmill_strided_strategy strategy;
    bool stream;
    opmill_tiles tiles; /* how, by tiles */
    const opmill_transposer *transposer;
    const opmill_mover *mover;
    int64_t item; /* bytes that stay together: an element, or 1 in rows */
    opmill_strided_level outer;
    opmill_strided_level inner;
    int64_t outer_step; /* positions in a unit */
    int64_t inner_step;
    int64_t outer_pieces;
    int64_t inner_pieces;
    int32_t count; /* of the axes around them, outermost first */
    opmill_strided_level levels[OPMILL_MAX_RANK];
    int64_t units;
    int64_t tasks;
} opmill_strided_job;

/* Writes the units `first` to `end` of the output; by bits, its bytes. */
void opmill_strided_move(const opmill_strided_job *job, int64_t first, int64_t end);

#endif
