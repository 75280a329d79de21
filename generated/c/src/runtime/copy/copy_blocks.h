/* Writing a contiguous part of a copy's output, level by level. */
#ifndef OPMILL_COPY_BLOCKS_H
#define OPMILL_COPY_BLOCKS_H

#include "runtime/copy/copy.h"
#include "runtime/copy/copy_program.h"

/* Parameters of writing a block. At level `leaf` loops end: a program takes over, or whole runs are
 * copied. */
typedef struct opmill_copy_writer {
    const opmill_copy *copy;
    const uint8_t *in_end;
    const opmill_mover *mover;
    const opmill_program *program; /* NULL: copy whole runs; `leaf` is then the innermost level */
    int32_t leaf;
    bool leaf_rows; /* the program holds whole positions of the leaf; else a part of one */
} opmill_copy_writer;

/* Writes the first `keep` positions of a level, each with its repeats. The bytes from there to
 * `out_end` may be overwritten. */
void opmill_copy_rows(const opmill_copy_writer *writer, int32_t level, uint8_t *out,
                      const uint8_t *in, int64_t keep, const uint8_t *out_end);

/* Writes the first `bytes` of one position of a level: whole repeats of its block. */
void opmill_copy_row(const opmill_copy_writer *writer, int32_t level, uint8_t *out,
                     const uint8_t *in, int64_t bytes, const uint8_t *out_end);

/* True if runs of so many bytes are repeated as single elements. */
bool opmill_copy_fills(int64_t run);

#endif
