/* Executes the tasks that strided_copy.c has planned: copies rows, strided elements, transposed
 * tiles and elements below a byte. Declared in strided_job.h. */
#include "runtime/copy/strided_job.h"

#include <string.h>

#include "runtime/platform/stream.h"

enum {
    LINE_BYTES = 64,
    MAX_SHORT_ROW = 512 /* longer ones are left to memcpy */
};

static int64_t min_of(int64_t a, int64_t b) { return a < b ? a : b; }

/* A position on the axes around the blocks, and where it is in input and output. */
typedef struct strided_location {
    int64_t index[OPMILL_MAX_RANK];
    int64_t in;
    int64_t out;
} strided_location;

static void location_begin(strided_location *location, const opmill_strided_job *job,
                           int64_t position) {
    location->in = job->first;
    location->out = 0;
    for (int32_t i = job->count - 1; i >= 0; i--) {
        location->index[i] = position % job->levels[i].size;
        position /= job->levels[i].size;
        location->in += location->index[i] * job->levels[i].in;
        location->out += location->index[i] * job->levels[i].out;
    }
}

static void location_next(strided_location *location, const opmill_strided_job *job) {
    for (int32_t i = job->count - 1; i >= 0; i--) {
        const opmill_strided_level *const level = &job->levels[i];
        location->in += level->in;
        location->out += level->out;
        if (++location->index[i] < level->size) {
            return;
        }
        location->in -= level->size * level->in;
        location->out -= level->size * level->out;
        location->index[i] = 0;
    }
}

/* Lines of a block, `bytes` long each. */
typedef struct strided_lines {
    uint8_t *out;
    const uint8_t *in;
    int64_t count;
    int64_t bytes;
} strided_lines;

/* Each line as two moves of a known size, which overlap where the line is shorter than both. */
#define MOVE_ENDS(size)                                                                            \
    for (int64_t i = 0; i < lines->count; i++) {                                                   \
        const uint8_t *const in = lines->in + i * job->outer.in;                                   \
        uint8_t *const out = lines->out + i * job->outer.out;                                      \
        uint8_t first[size], last[size];                                                           \
        memcpy(first, in, size);                                                                   \
        memcpy(last, in + lines->bytes - size, size);                                              \
        memcpy(out, first, size);                                                                  \
        memcpy(out + lines->bytes - size, last, size);                                             \
    }

static void move_rows(const opmill_strided_job *job, const strided_lines *lines,
                      opmill_stream *stream) {
    if (job->stream) {
        for (int64_t i = 0; i < lines->count; i++) {
            opmill_stream_write(stream, lines->out + i * job->outer.out,
                                lines->in + i * job->outer.in, (size_t)lines->bytes);
        }
    } else if (job->mover->rows != NULL && lines->bytes >= job->mover->min_row &&
               lines->bytes <= MAX_SHORT_ROW) {
        job->mover->rows(lines->out, job->outer.out, lines->in, job->outer.in, lines->bytes,
                         lines->count);
    } else if (lines->bytes > 64 || lines->bytes < 2) {
        for (int64_t i = 0; i < lines->count; i++) {
            memcpy(lines->out + i * job->outer.out, lines->in + i * job->outer.in,
                   (size_t)lines->bytes);
        }
    } else if (lines->bytes < 4) {
        MOVE_ENDS(2)
    } else if (lines->bytes < 8) {
        MOVE_ENDS(4)
    } else if (lines->bytes < 16) {
        MOVE_ENDS(8)
    } else if (lines->bytes < 32) {
        MOVE_ENDS(16)
    } else {
        MOVE_ENDS(32)
    }
}

typedef struct strided_16 {
    uint64_t halves[2];
} strided_16;

/* The elements of lines, some distance apart in the input. The usual distances are known to the
 * compiler, which vectorises them: every second one, and backward. */
#define DEFINE_MOVE_STEPS(BITS, element)                                                           \
    static void move_steps_##BITS(const opmill_strided_job *job, const strided_lines *lines) {            \
        const int64_t size = (int64_t)sizeof(element), count = lines->bytes / size;                \
        const int64_t step = job->inner.in;                                                        \
        for (int64_t k = 0; k < lines->count; k++) {                                               \
            const uint8_t *const in = lines->in + k * job->outer.in;                               \
            uint8_t *const out = lines->out + k * job->outer.out;                                  \
            if (step == 2 * size) {                                                                \
                for (int64_t i = 0; i < count; i++) {                                              \
                    memcpy(out + i * size, in + 2 * i * size, sizeof(element));                    \
                }                                                                                  \
            } else if (step == -size) {                                                            \
                for (int64_t i = 0; i < count; i++) {                                              \
                    memcpy(out + i * size, in - i * size, sizeof(element));                        \
                }                                                                                  \
            } else {                                                                               \
                int64_t i = 0;                                                                     \
                for (; i < count - 3; i += 4) {                                                    \
                    element four[4];                                                               \
                    memcpy(&four[0], in + i * step, sizeof(element));                              \
                    memcpy(&four[1], in + (i + 1) * step, sizeof(element));                        \
                    memcpy(&four[2], in + (i + 2) * step, sizeof(element));                        \
                    memcpy(&four[3], in + (i + 3) * step, sizeof(element));                        \
                    memcpy(out + i * size, four, sizeof four);                                     \
                }                                                                                  \
                for (; i < count; i++) {                                                           \
                    memcpy(out + i * size, in + i * step, sizeof(element));                        \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }

DEFINE_MOVE_STEPS(8, uint8_t)
DEFINE_MOVE_STEPS(16, uint16_t)
DEFINE_MOVE_STEPS(32, uint32_t)
DEFINE_MOVE_STEPS(64, uint64_t)
DEFINE_MOVE_STEPS(128, strided_16)

static void move_steps(const opmill_strided_job *job, const strided_lines *lines) {
    switch (job->item) {
    case 1:
        move_steps_8(job, lines);
        break;
    case 2:
        move_steps_16(job, lines);
        break;
    case 4:
        move_steps_32(job, lines);
        break;
    case 8:
        move_steps_64(job, lines);
        break;
    default:
        move_steps_128(job, lines);
        break;
    }
}

/* Writes whole lines around the caches, and what is beside them as usual. */
static void write_around(const opmill_mover *mover, uint8_t *out, const uint8_t *in, size_t bytes) {
    const size_t before = (size_t)(-(uintptr_t)out % LINE_BYTES);
    if (bytes < before + LINE_BYTES) {
        memcpy(out, in, bytes);
        return;
    }
    const size_t lines = (bytes - before) / LINE_BYTES;
    const size_t after = before + lines * LINE_BYTES;
    memcpy(out, in, before);
    mover->lines(out + before, in + before, lines);
    memcpy(out + after, in + after, bytes - after);
}

/* A block on its way around the caches where the transposer does not write lines: on the stack,
 * where no two lines compete for one set of a cache, and from there in runs. */
static void stage_tiles(const opmill_strided_job *job, const opmill_matrices *block, int32_t slot) {
    _Alignas(LINE_BYTES) uint8_t stage[OPMILL_STRIDED_STAGE_BYTES];
    const int64_t run = block->rows * job->item;
    opmill_matrices staged = *block;
    staged.out = stage;
    staged.out_step = run;
    job->transposer->run[slot](&staged);
    for (int64_t i = 0; i < block->columns; i++) {
        write_around(job->mover, block->out + i * block->out_step, stage + i * run, (size_t)run);
    }
}

/* A block of `columns` of the input, each of which becomes a run of `rows` elements. */
static void move_tiles(const opmill_strided_job *job, uint8_t *out, const uint8_t *in, int64_t rows,
                       int64_t columns) {
    static const int8_t SLOTS[] = {[1] = 0, [2] = 1, [4] = 2, [8] = 3, [16] = 4};
    const opmill_matrices matrices = {out,  in,      job->inner.out, job->outer.in,
                                      rows, columns, job->tiles};
    if (job->tiles == OPMILL_TILES_STAGED) {
        stage_tiles(job, &matrices, SLOTS[job->item]);
    } else {
        job->transposer->run[SLOTS[job->item]](&matrices);
    }
}

static void move_units(const opmill_strided_job *job, int64_t first, int64_t end) {
    const int64_t pieces = job->outer_pieces * job->inner_pieces;
    strided_location location;
    opmill_stream stream;
    opmill_stream_begin(&stream, job->mover);
    location_begin(&location, job, first / pieces);
    int64_t piece = first % pieces;
    for (int64_t unit = first; unit < end; unit++) {
        const int64_t i = piece / job->inner_pieces * job->outer_step;
        const int64_t j = piece % job->inner_pieces * job->inner_step;
        const int64_t outer = min_of(job->outer_step, job->outer.size - i);
        const int64_t inner = min_of(job->inner_step, job->inner.size - j);
        const strided_lines lines = {job->out + location.out + i * job->outer.out +
                                         j * job->inner.out,
                                     job->in + location.in + i * job->outer.in + j * job->inner.in,
                                     outer, inner * job->item};
        if (job->strategy == OPMILL_BY_ROWS) {
            move_rows(job, &lines, &stream);
        } else if (job->strategy == OPMILL_BY_STEPS) {
            move_steps(job, &lines);
        } else {
            move_tiles(job, lines.out, lines.in, outer, inner);
        }
        if (++piece == pieces) {
            piece = 0;
            location_next(&location, job);
        }
    }
    if (job->stream) {
        opmill_stream_end(&stream);
    }
}

/* Bytes `first` to `end` of an output whose elements are below a byte; the lowest bits of a byte
 * are the first element, and what follows the last one is 0. */
static void move_bits(const opmill_strided_job *job, int64_t first, int64_t end) {
    const int64_t each = 8 / job->bits;
    const unsigned mask = (1u << job->bits) - 1u;
    strided_location location;
    location_begin(&location, job, first * each);
    for (int64_t byte = first; byte < end; byte++) {
        const int64_t here = min_of(each, job->elements - byte * each);
        unsigned packed = 0;
        for (int64_t i = 0; i < here; i++) {
            const unsigned from = (unsigned)(location.in % each) * (unsigned)job->bits;
            packed |= (((unsigned)job->in[location.in / each] >> from) & mask) << (i * job->bits);
            location_next(&location, job);
        }
        job->out[byte] = (uint8_t)packed;
    }
}

void opmill_strided_move(const opmill_strided_job *job, int64_t first, int64_t end) {
    if (job->strategy == OPMILL_BY_BITS) {
        move_bits(job, first, end);
    } else {
        move_units(job, first, end);
    }
}
