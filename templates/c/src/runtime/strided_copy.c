#include "runtime/strided_copy.h"

#include <string.h>

#include "runtime/copy.h"
#include "runtime/elements.h"
#include "runtime/isa.h"
#include "runtime/parallel.h"
#include "runtime/stream.h"
#include "runtime/transposers.h"

enum {
    CHUNK_BYTES = 16 * 1024, /* of the output, that a unit of work writes: half of a small L1 */
    LINE_BYTES = 64,
    BLOCK_COLUMN_BYTES = 256,       /* of the input, that a block of tiles reads from each row */
    STREAM_COLUMN_BYTES = 512,      /* the same around the caches */
    STREAM_BLOCK_BYTES = 64 * 1024, /* of a block that is staged on its way around the caches */
    STREAM_BAND_BYTES = 16 * 1024,  /* of its rows that are read at a time */
    STREAM_TILES_BYTES = 12 * 1024 * 1024, /* outputs of tiles from here on do */
    STREAM_RUN_BYTES = 256,                /* shorter runs do not go around the caches */
    STREAM_BYTES = 32 * 1024 * 1024,       /* outputs from here on go around the caches */
    THREAD_BYTES = 256 * 1024, /* Minimum number of bytes before another thread pays off */
    TASKS_A_THREAD = 4
};

typedef enum strided_strategy { BY_ROWS, BY_STEPS, BY_TILES, BY_BITS } strided_strategy;

/* A call, planned. A unit of work is a block of the two axes that `outer` and `inner` name: lines
 * of the output and their items, or, for tiles, columns of the input and their rows. */
typedef struct strided_job {
    const uint8_t *in;
    uint8_t *out;
    int64_t total;    /* bytes of the output */
    int64_t elements; /* of the output */
    int64_t first;    /* where the input begins, as the strides count */
    int32_t bits;     /* of an element below a byte that is moved by itself, else 0 */
    strided_strategy strategy;
    bool stream;
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
} strided_job;

static int64_t min_of(int64_t a, int64_t b) { return a < b ? a : b; }

static int64_t max_of(int64_t a, int64_t b) { return a > b ? a : b; }

static bool is_element(int64_t bytes) {
    return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16;
}

/* Elements below a byte as bytes: the innermost axis and all distances are whole bytes. */
static bool join_bits(opmill_strided_copy *copy, int64_t each) {
    const int32_t last = copy->count - 1;
    if (last < 0 || copy->levels[last].in != 1 || copy->levels[last].size % each != 0 ||
        copy->first % each != 0) {
        return false;
    }
    for (int32_t i = 0; i < last; i++) {
        if (copy->levels[i].in % each != 0) {
            return false;
        }
    }
    for (int32_t i = 0; i < last; i++) {
        copy->levels[i].in /= each;
    }
    copy->levels[last].size /= each;
    copy->first /= each;
    return true;
}

/* Takes the innermost of the axes that are left. */
static opmill_strided_level take_level(strided_job *job) {
    return job->count > 0 ? job->levels[--job->count] : (opmill_strided_level){1, 0, 0};
}

/* Cuts the two axes into blocks of `bytes`, of which the inner axis has `inner_bytes` at most. */
static void cut_blocks(strided_job *job, int64_t bytes, int64_t inner_bytes) {
    const int64_t area = max_of(1, bytes / job->item);
    job->inner_step = max_of(1, min_of(job->inner.size, inner_bytes / job->item));
    job->outer_step = max_of(1, min_of(job->outer.size, area / job->inner_step));
    job->inner_step = max_of(1, min_of(job->inner.size, area / job->outer_step));
    job->outer_pieces = (job->outer.size - 1) / job->outer_step + 1;
    job->inner_pieces = (job->inner.size - 1) / job->inner_step + 1;
    job->units = job->outer_pieces * job->inner_pieces;
    for (int32_t i = 0; i < job->count; i++) {
        job->units *= job->levels[i].size;
    }
}

/* Tiles, where an axis other than the innermost of the output is the innermost of the input. The
 * output's is then `outer`, the input's `inner`. */
static bool plan_tiles(strided_job *job) {
    for (int32_t i = 0; i < job->count; i++) {
        if (job->levels[i].in == job->item) {
            job->strategy = BY_TILES;
            job->outer = job->inner;
            job->inner = job->levels[i];
            job->count--;
            for (int32_t j = i; j < job->count; j++) {
                job->levels[j] = job->levels[j + 1];
            }
            return true;
        }
    }
    return false;
}

/* Whether all of the output is one run of the input, which begins a byte. */
static bool is_run(const opmill_strided_copy *copy) {
    const int32_t bits = opmill_type_bits(copy->type);
    return (copy->count == 0 || (copy->count == 1 && copy->levels[0].in == 1)) &&
           (bits >= 8 || copy->first % (8 / bits) == 0);
}

/* The bytes of an output that is not empty, and its elements. */
static void measure(strided_job *job, const opmill_strided_copy *copy) {
    const int32_t bits = opmill_type_bits(copy->type);
    job->elements = 1;
    for (int32_t i = 0; i < copy->count; i++) {
        job->elements *= copy->levels[i].size;
    }
    job->total = bits < 8 ? (job->elements - 1) / (8 / bits) + 1 : job->elements * (bits / 8);
}

/* Plans an output that is measured and no single run; returns the threads that it is worth. */
static int32_t plan(strided_job *job, opmill_strided_copy *copy, const opmill_context *context) {
    const int32_t isa = opmill_isa_select(context->isa);
    const int32_t bits = opmill_type_bits(copy->type);
    job->bits = bits < 8 && !join_bits(copy, 8 / bits) ? bits : 0;
    const int64_t bytes = bits < 8 ? 1 : bits / 8;
    int64_t out = bytes;
    job->first = copy->first * bytes;
    job->transposer = opmill_transposer_for(isa);
    job->mover = opmill_mover_for(isa);
    job->stream = false;
    job->item = bytes;
    job->count = copy->count;
    for (int32_t i = copy->count - 1; i >= 0; i--) {
        const opmill_strided_level *const level = &copy->levels[i];
        job->levels[i] = (opmill_strided_level){level->size, level->in * bytes, out};
        out *= copy->levels[i].size;
    }
    const bool large = job->mover->lines != NULL && job->total >= STREAM_BYTES;
    if (job->bits > 0) {
        job->strategy = BY_BITS;
        job->units = job->total;
    } else {
        if (job->levels[job->count - 1].in == bytes) {
            job->item *= take_level(job).size;
        }
        if (!is_element(job->item)) {
            job->strategy = BY_ROWS;
            job->inner = (opmill_strided_level){job->item, 1, 1};
            job->stream = large && job->item >= STREAM_RUN_BYTES;
            job->item = 1;
            job->outer = take_level(job);
            cut_blocks(job, CHUNK_BYTES, CHUNK_BYTES);
        } else {
            job->inner = take_level(job);
            if (plan_tiles(job)) {
                job->stream = job->mover->lines != NULL && job->total >= STREAM_TILES_BYTES &&
                              job->outer.size * job->item >= STREAM_RUN_BYTES;
                cut_blocks(job, job->stream ? STREAM_BLOCK_BYTES : CHUNK_BYTES,
                           job->stream ? STREAM_COLUMN_BYTES : BLOCK_COLUMN_BYTES);
            } else {
                job->strategy = BY_STEPS;
                job->outer = take_level(job);
                cut_blocks(job, CHUNK_BYTES, CHUNK_BYTES);
            }
        }
    }
    const int32_t threads = (int32_t)max_of(1, min_of(context->threads, job->total / THREAD_BYTES));
    job->tasks = threads == 1 ? 1 : min_of(job->units, (int64_t)threads * TASKS_A_THREAD);
    return threads;
}

/* A position on the axes around the blocks, and where it is in input and output. */
typedef struct strided_location {
    int64_t index[OPMILL_MAX_RANK];
    int64_t in;
    int64_t out;
} strided_location;

static void location_begin(strided_location *location, const strided_job *job, int64_t position) {
    location->in = job->first;
    location->out = 0;
    for (int32_t i = job->count - 1; i >= 0; i--) {
        location->index[i] = position % job->levels[i].size;
        position /= job->levels[i].size;
        location->in += location->index[i] * job->levels[i].in;
        location->out += location->index[i] * job->levels[i].out;
    }
}

static void location_next(strided_location *location, const strided_job *job) {
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

static void move_rows(const strided_job *job, const strided_lines *lines, opmill_stream *stream) {
    if (job->stream) {
        for (int64_t i = 0; i < lines->count; i++) {
            opmill_stream_write(stream, lines->out + i * job->outer.out,
                                lines->in + i * job->outer.in, (size_t)lines->bytes);
        }
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
    static void move_steps_##BITS(const strided_job *job, const strided_lines *lines) {            \
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
                for (int64_t i = 0; i < count; i++) {                                              \
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

static void move_steps(const strided_job *job, const strided_lines *lines) {
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

/* Prefetches the lines of the next block: processors do not predict columns. */
static void prefetch_block(const strided_job *job, const uint8_t *in, int64_t rows,
                           int64_t columns) {
#if OPMILL_GNU
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t at = 0; at < columns * job->item; at += LINE_BYTES) {
            __builtin_prefetch(in + i * job->outer.in + at, 0, 2);
        }
    }
#else
    (void)job;
    (void)in;
    (void)rows;
    (void)columns;
#endif
}

/* The same as `run` on its way around the caches: rows of the input are read as they lie in memory,
 * and runs of the output written so, many lines underway at once. Between them a block is on the
 * stack, where no two lines compete for one set of a cache. */
static void stream_tiles(const strided_job *job, const opmill_matrices *block, int32_t slot,
                         const uint8_t *ahead) {
    _Alignas(LINE_BYTES) uint8_t band[STREAM_BAND_BYTES];
    _Alignas(LINE_BYTES) uint8_t stage[STREAM_BLOCK_BYTES];
    const int64_t in_run = block->columns * job->item, out_run = block->rows * job->item;
    const int64_t height = STREAM_BAND_BYTES / in_run;
    prefetch_block(job, ahead, block->rows, block->columns);
    for (int64_t first = 0; first < block->rows; first += height) {
        const int64_t rows = min_of(height, block->rows - first);
        for (int64_t i = 0; i < rows; i++) {
            memcpy(band + i * in_run, block->in + (first + i) * block->in_step, (size_t)in_run);
        }
        const opmill_matrices matrices = {
            stage + first * job->item, band, out_run, in_run, rows, block->columns};
        job->transposer->run[slot](&matrices);
    }
    for (int64_t i = 0; i < block->columns; i++) {
        write_around(job->mover, block->out + i * block->out_step, stage + i * out_run,
                     (size_t)out_run);
    }
}

/* A block of `columns` of the input, each of which becomes a run of `rows` elements. */
static void move_tiles(const strided_job *job, uint8_t *out, const uint8_t *in, int64_t rows,
                       int64_t columns) {
    static const int8_t SLOTS[] = {[1] = 0, [2] = 1, [4] = 2, [8] = 3, [16] = 4};
    const opmill_matrices matrices = {out, in, job->inner.out, job->outer.in, rows, columns};
    if (job->stream) {
        stream_tiles(job, &matrices, SLOTS[job->item], in + columns * job->item);
    } else {
        job->transposer->run[SLOTS[job->item]](&matrices);
    }
}

static void move_units(const strided_job *job, int64_t first, int64_t end) {
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
        if (job->strategy == BY_ROWS) {
            move_rows(job, &lines, &stream);
        } else if (job->strategy == BY_STEPS) {
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
static void move_bits(const strided_job *job, int64_t first, int64_t end) {
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

static void run_task(void *state, int64_t task, int32_t worker) {
    const strided_job *const job = state;
    const int64_t share = job->units / job->tasks;
    const int64_t extra = job->units % job->tasks;
    const int64_t first = task * share + min_of(task, extra);
    const int64_t end = first + share + (task < extra);
    (void)worker;
    if (job->strategy == BY_BITS) {
        move_bits(job, first, end);
    } else {
        move_units(job, first, end);
    }
}

/* The bytes from the first element on, and no bits of what follows the last one. */
static void describe_run(opmill_copy *copy, const strided_job *job) {
    opmill_copy_begin(copy, job->total);
    opmill_copy_keep(copy, 1);
}

static void copy_run(const strided_job *job, const opmill_strided_copy *strided,
                     const opmill_context *context) {
    const int32_t bits = opmill_type_bits(strided->type);
    opmill_copy copy;
    describe_run(&copy, job);
    opmill_copy_run(&copy, job->in + strided->first * bits / 8, job->out, context);
    if (bits < 8 && job->elements % (8 / bits) != 0) {
        const unsigned used = (unsigned)(job->elements % (8 / bits)) * (unsigned)bits;
        job->out[job->total - 1] &= (uint8_t)((1u << used) - 1u);
    }
}

void opmill_strided_run(opmill_strided_copy *copy, const void *input, void *output,
                        const opmill_context *context) {
    strided_job job;
    if (copy->empty) {
        return;
    }
    job.in = input;
    job.out = output;
    measure(&job, copy);
    if (is_run(copy)) {
        copy_run(&job, copy, context);
        return;
    }
    const int32_t threads = plan(&job, copy, context);
    opmill_parallel(job.tasks, threads, run_task, &job);
}

void opmill_strided_choose(opmill_strided_copy *copy, const opmill_context *context,
                           opmill_choice *choice) {
    static const char *const NAMES[][2] = {[BY_ROWS] = {"rows", "rows+stream"},
                                           [BY_STEPS] = {"steps", "steps"},
                                           [BY_TILES] = {"tiles", "tiles+stream"},
                                           [BY_BITS] = {"bits", "bits"}};
    strided_job job;
    *choice = (opmill_choice){"empty", OPMILL_ISA_PLAIN, 1};
    if (copy->empty) {
        return;
    }
    measure(&job, copy);
    if (is_run(copy)) {
        opmill_copy run;
        describe_run(&run, &job);
        opmill_copy_choose(&run, context, choice);
        return;
    }
    choice->threads = plan(&job, copy, context);
    choice->variant = NAMES[job.strategy][job.stream];
    if (job.strategy == BY_TILES) {
        choice->isa = job.transposer->isa;
    } else if (job.stream) {
        choice->isa = job.mover->isa;
    }
}
