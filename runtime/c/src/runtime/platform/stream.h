/* Writing around the caches, where an output is so large that they would not keep it.
 *
 * That is fast in whole lines only: a line that is written in two pieces is read from memory first.
 * So what is left of a piece beyond its last whole line is held back until the next piece, which
 * begins where it ended as a rule, brings the rest. */
#ifndef OPMILL_STREAM_H
#define OPMILL_STREAM_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/copy/copy_program.h"

/* What a thread writes, piece after piece. */
typedef struct opmill_stream {
    const opmill_mover *mover; /* one that has `lines`, if anything is written */
    uint8_t *to;               /* destination of the buffered bytes */
    size_t pending;            /* fewer than a line, and they begin one */
    uint8_t line[OPMILL_LINE_BYTES];
} opmill_stream;

void opmill_stream_begin(opmill_stream *stream, const opmill_mover *mover);

/* Copies `bytes` to `to`: all of it is there after `opmill_stream_end`. */
void opmill_stream_write(opmill_stream *stream, void *to, const void *from, size_t bytes);

/* Writes the buffered bytes. Then other threads may read. */
void opmill_stream_end(opmill_stream *stream);

#endif
