/* Small blocks as byte shuffles.
 *
 * Where the innermost axes are short, a loop over them costs more than the bytes it moves. A
 * program is that nest of loops unrolled once for a block of the output: a list of moves, each of
 * which loads one window of the input (or two), shuffles its bytes and stores them. It is then run
 * for one block after the other. */
#ifndef OPMILL_COPY_PROGRAM_H
#define OPMILL_COPY_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/copy/copy.h"
#include "runtime/platform/platform.h"

enum {
    OPMILL_PROGRAM_BYTES = OPMILL_ON_STACK(1024, 64), /* of the output block, at most */
    OPMILL_PROGRAM_MOVES = OPMILL_ON_STACK(128, 2),
    OPMILL_MOVE_BYTES = 64, /* the widest move of all instruction sets */
    OPMILL_LINE_BYTES = 64
};

typedef struct opmill_move {
    uint16_t to;      /* where in the output block the move stores */
    uint16_t from[2]; /* where in the input block each of its windows begins */
} opmill_move;

typedef struct opmill_program {
    int32_t in_bytes;  /* of a block in the input */
    int32_t out_bytes; /* of a block in the output */
    int32_t width;     /* of one move's store; what it stores too much, the next one overwrites */
    int32_t count;     /* of moves, each of which has `width` bytes of `shuffles` */
    opmill_move moves[OPMILL_PROGRAM_MOVES];
    _Alignas(OPMILL_MOVE_BYTES) uint8_t shuffles[OPMILL_PROGRAM_MOVES * OPMILL_MOVE_BYTES / 2];
} opmill_program;

/* Functions of an instruction set that move bytes. */
typedef struct opmill_mover {
    int32_t isa;     /* of enum opmill_isa */
    int32_t window;  /* bytes that one shuffle takes from and makes: 16, 64, or 0 for no programs */
    int32_t windows; /* shuffles in a move, 1 or 2 */
    /* Runs a program for `blocks` blocks. Stores up to `width` bytes beyond the last one, and loads
     * a whole window where a block of the input is shorter. */
    void (*run)(const opmill_program *program, uint8_t *out, const uint8_t *in, int64_t blocks);
    /* Copies `count` rows of `bytes`, at least `min_row`; steps are in bytes. NULL: no such rows.
     */
    void (*rows)(uint8_t *out, int64_t out_step, const uint8_t *in, int64_t in_step, int64_t bytes,
                 int64_t count);
    int64_t min_row;
    /* Copies so many lines to where lines begin, around the caches; NULL where nothing does. */
    void (*lines)(uint8_t *out, const uint8_t *in, size_t count);
    /* Ends a sequence of `lines`, before other threads may read. */
    void (*settle)(void);
} opmill_mover;

const opmill_mover *opmill_mover_for(int32_t isa);

/* Writes the program of one block: the nest of `count` levels (at least one) around runs of `run`
 * bytes, of at most OPMILL_PROGRAM_BYTES. False where it would take too many moves. */
bool opmill_program_build(opmill_program *program, const opmill_mover *mover,
                          const opmill_copy_level *levels, int32_t count, int64_t run);

/* Writes exactly `bytes` of output, the last block perhaps in part. The bytes between them and
 * `out_end` may be overwritten; nothing is read from `in_end` on. */
void opmill_program_run(const opmill_program *program, const opmill_mover *mover, uint8_t *out,
                        const uint8_t *in, int64_t bytes, const uint8_t *out_end,
                        const uint8_t *in_end);

#endif
