/* Writes a contiguous part of an output recursively, from the outermost level to the innermost one,
 * and repeats what it has written by copying it. */
#include "runtime/copy/copy_blocks.h"

#include <string.h>

enum {
    PIECE = 64,         /* bytes that are written by elements or runs, without a call */
    REPEAT_BLOCK = 4096 /* bytes up to which a repeated block doubles: it stays in L1 */
};

/* Repeats the first `done` bytes until there are `total`. */
static void repeat(uint8_t *out, int64_t done, int64_t total) {
    int64_t block = done;
    while (done < total) {
        int64_t next = total - done < block ? total - done : block;
        memcpy(out + done, out, (size_t)next);
        done += next;
        if (block < REPEAT_BLOCK) {
            block = done;
        }
    }
}

/* Elements of one type, each `times` times: by the piece, the last of which may lie over the one
 * before; what is less than a piece, one by one. */
#define REPEAT_ELEMENTS(type)                                             \
    for (int64_t k = 0; k < keep; k++) {                                  \
        int64_t done = 0;                                                 \
        type element;                                                     \
        memcpy(&element, in, sizeof element);                             \
        if (times * run >= PIECE) {                                       \
            type piece[PIECE / sizeof(type)];                             \
            for (size_t i = 0; i < PIECE / sizeof(type); i++) {           \
                piece[i] = element;                                       \
            }                                                             \
            for (; times * run - done > PIECE; done += PIECE) {           \
                memcpy(out + done, piece, PIECE);                         \
            }                                                             \
            memcpy(out + times * run - PIECE, piece, PIECE);              \
            done = times * run;                                           \
        }                                                                 \
        for (; done < times * run; done += run) {                         \
            memcpy(out + done, &element, sizeof element);                 \
        }                                                                 \
        in += run;                                                        \
        out += times * run;                                               \
    }

typedef struct pair {
    uint64_t parts[2];
} pair;

/* A run of a few bytes, where 16 bytes too many may be loaded and stored. */
static void repeat_short(uint8_t *out, const uint8_t *in, int64_t times, int64_t run) {
    int64_t done = 0;
    for (int64_t b = 0; b < times && done < PIECE; b++) {
        for (int64_t i = 0; i < run; i += (int64_t)sizeof(pair)) {
            memcpy(out + done + i, in + i, sizeof(pair));
        }
        done += run;
    }
    repeat(out, done, times * run);
}

bool opmill_copy_fills(int64_t run) {
    return run == 1 || run == 2 || run == 4 || run == 8 || run == 16;
}

/* The innermost level without a program: each of `keep` runs `times` times. */
static void repeat_runs(const opmill_copy_writer *writer, uint8_t *out, const uint8_t *in,
                        int64_t keep, int64_t times, const uint8_t *out_end) {
    int64_t run = writer->copy->run;
    switch (run) {
    case 1:
        if (times >= PIECE) {
            for (int64_t k = 0; k < keep; k++) {
                memset(out + k * times, in[k], (size_t)times);
            }
            return;
        }
        REPEAT_ELEMENTS(uint8_t)
        return;
    case 2:
        REPEAT_ELEMENTS(uint16_t)
        return;
    case 4:
        REPEAT_ELEMENTS(uint32_t)
        return;
    case 8:
        REPEAT_ELEMENTS(uint64_t)
        return;
    case 16:
        REPEAT_ELEMENTS(pair)
        return;
    default:
        for (int64_t k = 0; k < keep; k++) {
            if (run <= PIECE && writer->in_end - in >= run + (int64_t)sizeof(pair) &&
                out_end - out >= times * run + (int64_t)sizeof(pair)) {
                repeat_short(out, in, times, run);
            } else {
                memcpy(out, in, (size_t)run);
                repeat(out, run, times * run);
            }
            out += times * run;
            in += run;
        }
    }
}

void opmill_copy_row(const opmill_copy_writer *writer, int32_t level, uint8_t *out,
                     const uint8_t *in, int64_t bytes, const uint8_t *out_end) {
    const opmill_copy *copy = writer->copy;
    int64_t block = copy->levels[level].out_bytes;
    if (level == writer->leaf && writer->program != NULL) {
        block = writer->program->out_bytes < bytes ? writer->program->out_bytes : bytes;
        opmill_program_run(writer->program, writer->mover, out, in, block, out_end, writer->in_end);
    } else if (level + 1 < copy->count) {
        opmill_copy_rows(writer, level + 1, out, in, copy->levels[level + 1].keep, out_end);
    } else {
        repeat_runs(writer, out, in, 1, bytes / block, out_end);
        return;
    }
    repeat(out, block, bytes);
}

void opmill_copy_rows(const opmill_copy_writer *writer, int32_t level, uint8_t *out,
                      const uint8_t *in, int64_t keep, const uint8_t *out_end) {
    const opmill_copy_level *here = &writer->copy->levels[level];
    int64_t row = here->repeat * here->out_bytes;
    if (level == writer->leaf && writer->program == NULL) {
        repeat_runs(writer, out, in, keep, here->repeat, out_end);
    } else if (level == writer->leaf && writer->leaf_rows) {
        opmill_program_run(writer->program, writer->mover, out, in, keep * row, out_end,
                           writer->in_end);
    } else {
        for (int64_t k = 0; k < keep; k++) {
            opmill_copy_row(writer, level, out, in, row, out_end);
            out += row;
            in += here->in_bytes;
        }
    }
}
