/* Copies the strips of parts to a whole (Concat) or from a whole (Split), in blocks of rows or row
 * by row. Threads share the whole by bytes. */
#include "runtime/copy/strips.h"

#include <string.h>

#include "runtime/numbers/elements.h"
#include "runtime/platform/isa.h"
#include "runtime/platform/parallel.h"
#include "runtime/platform/stream.h"

enum {
    BLOCK_BYTES = 16 * 1024,   /* of rows that are moved part by part, so that they stay in L1 */
    STRIP_IN_ORDER = 128,      /* strips from here on, in the mean, are moved row by row */
    PARTS_IN_ORDER = 16,       /* at a time */
    STREAM_STRIP = 4096,       /* the shortest strip that is worth going around the caches */
    THREAD_BYTES = 256 * 1024, /* the least that is worth a thread of its own */
    TASK_ALIGNMENT = 4096,
    STREAM_BYTES = 64 * 1024 * 1024 /* wholes from here on go around the caches */
};

typedef struct strips_job {
    const opmill_strips *strips;
    const opmill_mover *mover; /* that goes around the caches; NULL where memcpy moves */
    bool in_order;             /* whether rows are moved one after the other, not part by part */
    int64_t bytes;             /* of the whole */
    int64_t share;             /* of the whole's bytes that a task has */
} strips_job;

static int64_t min_of(int64_t a, int64_t b) { return a < b ? a : b; }

/* Rows of strips of one part: `bytes` each, from one matrix to another. */
typedef struct rows_move {
    uint8_t *to;
    const uint8_t *from;
    int64_t to_step;
    int64_t from_step;
    int64_t bytes;
    int64_t rows;
} rows_move;

/* Each strip as one move of a size that the compiler knows. */
#define MOVE_EACH(size) \
    for (int64_t i = 0; i < move->rows; i++) { \
        memcpy(to + i * move->to_step, from + i * move->from_step, size); \
    }

/* Each strip as two moves of a known size, which overlap where the strip is shorter than both. */
#define MOVE_ENDS(size) \
    for (int64_t i = 0; i < move->rows; i++) { \
        uint8_t first[size], last[size]; \
        memcpy(first, from + i * move->from_step, size); \
        memcpy(last, from + i * move->from_step + move->bytes - size, size); \
        memcpy(to + i * move->to_step, first, size); \
        memcpy(to + i * move->to_step + move->bytes - size, last, size); \
    }

static void move_rows(const rows_move *move) {
    uint8_t *const to = move->to;
    const uint8_t *const from = move->from;
    switch (move->bytes) {
    case 1:
        MOVE_EACH(1)
        return;
    case 2:
        MOVE_EACH(2)
        return;
    case 4:
        MOVE_EACH(4)
        return;
    case 8:
        MOVE_EACH(8)
        return;
    case 16:
        MOVE_EACH(16)
        return;
    case 32:
        MOVE_EACH(32)
        return;
    case 64:
        MOVE_EACH(64)
        return;
    default:
        break;
    }
    if (move->bytes < 4) {
        MOVE_ENDS(2)
    } else if (move->bytes < 8) {
        MOVE_ENDS(4)
    } else if (move->bytes < 16) {
        MOVE_ENDS(8)
    } else if (move->bytes < 32) {
        MOVE_ENDS(16)
    } else if (move->bytes < 64) {
        MOVE_ENDS(32)
    } else {
        MOVE_EACH((size_t)move->bytes)
    }
}

/* Moves `bytes` that lie together. */
static void move_run(const strips_job *job, opmill_stream *stream, uint8_t *whole, uint8_t *part,
                     int64_t bytes) {
    uint8_t *const to = job->strips->gather ? whole : part;
    const uint8_t *const from = job->strips->gather ? part : whole;
    if (job->mover != NULL && bytes >= STREAM_STRIP) {
        opmill_stream_write(stream, to, from, (size_t)bytes);
    } else {
        memcpy(to, from, (size_t)bytes);
    }
}

static int64_t strip_bytes(const opmill_strips *strips, int32_t part) {
    return strips->parts[part]->dims[strips->axis] * strips->unit;
}

/* The bytes `first` to `last` of one row. */
static void move_in_row(const strips_job *job, opmill_stream *stream, int64_t row, int64_t first,
                        int64_t last) {
    const opmill_strips *const strips = job->strips;
    uint8_t *const whole = strips->whole + row * strips->row_bytes;
    int64_t start = 0;
    for (int32_t i = 0; i < strips->count && start < last; i++) {
        const int64_t bytes = strip_bytes(strips, i);
        const int64_t from = first > start ? first - start : 0;
        const int64_t until = min_of(bytes, last - start);
        if (from < until) {
            uint8_t *const part = (uint8_t *)strips->parts[i]->data + row * bytes;
            move_run(job, stream, whole + start + from, part + from, until - from);
        }
        start += bytes;
    }
}

/* Whole rows, a block of them part by part. */
static void move_block(const strips_job *job, int64_t row, int64_t rows) {
    const opmill_strips *const strips = job->strips;
    uint8_t *whole = strips->whole + row * strips->row_bytes;
    for (int32_t i = 0; i < strips->count; i++) {
        const int64_t bytes = strip_bytes(strips, i);
        if (bytes == 0) {
            continue;
        }
        uint8_t *const part = (uint8_t *)strips->parts[i]->data + row * bytes;
        const rows_move move =
            strips->gather ? (rows_move){whole, part, strips->row_bytes, bytes, bytes, rows}
                           : (rows_move){part, whole, bytes, strips->row_bytes, bytes, rows};
        move_rows(&move);
        whole += bytes;
    }
}

/* Whole rows, one after the other, of some parts at a time: what is not in the caches yet is read
 * and written in long streams. */
static void move_in_order(const strips_job *job, int64_t row, int64_t rows) {
    const opmill_strips *const strips = job->strips;
    uint8_t *whole = strips->whole + row * strips->row_bytes;
    for (int32_t i = 0; i < strips->count;) {
        uint8_t *parts[PARTS_IN_ORDER];
        int64_t bytes[PARTS_IN_ORDER], all = 0;
        int32_t count = 0;
        for (; i < strips->count && count < PARTS_IN_ORDER; i++) {
            bytes[count] = strip_bytes(strips, i);
            parts[count] = (uint8_t *)strips->parts[i]->data + row * bytes[count];
            all += bytes[count];
            count += bytes[count] > 0;
        }
        for (int64_t k = 0; k < rows; k++) {
            uint8_t *at = whole + k * strips->row_bytes;
            for (int32_t part = 0; part < count; part++) {
                uint8_t *const to = strips->gather ? at : parts[part];
                memcpy(to, strips->gather ? parts[part] : at, (size_t)bytes[part]);
                at += bytes[part];
                parts[part] += bytes[part];
            }
        }
        whole += all;
    }
}

/* The bytes `first` to `last` of the whole: the rest of a row, whole rows, the begin of a row. */
static void move_bytes(const strips_job *job, opmill_stream *stream, int64_t first, int64_t last) {
    const int64_t row_bytes = job->strips->row_bytes;
    const int64_t block = job->in_order ? INT64_MAX : BLOCK_BYTES / row_bytes;
    int64_t row = first / row_bytes;
    while (first < last) {
        const int64_t start = first - row * row_bytes;
        if (start > 0 || block == 0 || last - first < row_bytes) {
            const int64_t end = min_of(row_bytes, start + last - first);
            move_in_row(job, stream, row, start, end);
            first += end - start;
            row++;
        } else {
            const int64_t rows = min_of(block, (last - first) / row_bytes);
            if (job->in_order) {
                move_in_order(job, row, rows);
            } else {
                move_block(job, row, rows);
            }
            first += rows * row_bytes;
            row += rows;
        }
    }
}

static void run_task(void *state, int64_t task, int32_t worker) {
    const strips_job *const job = state;
    const int64_t first = task * job->share;
    (void)worker;
    opmill_stream stream;
    opmill_stream_begin(&stream, job->mover);
    move_bytes(job, &stream, first, min_of(first + job->share, job->bytes));
    if (job->mover != NULL) {
        opmill_stream_end(&stream);
    }
}

void opmill_strips_begin(opmill_strips *strips, const int64_t *dims, int32_t rank, int32_t type,
                         int32_t axis) {
    strips->parts = NULL;
    strips->whole = NULL;
    strips->axis = axis;
    strips->rows = 1;
    strips->unit = opmill_type_bytes(type);
    for (int32_t i = 0; i < axis; i++) {
        strips->rows *= dims[i];
    }
    for (int32_t i = axis + 1; i < rank; i++) {
        strips->unit *= dims[i];
    }
    strips->row_bytes = dims[axis] * strips->unit;
}

/* Plans a move of so many bytes; returns the threads that it is worth. */
static int32_t plan(strips_job *job, const opmill_strips *strips, const opmill_context *context) {
    const opmill_mover *const mover = opmill_mover_for(opmill_isa_select(context->isa));
    const int64_t strip = strips->count > 0 ? strips->row_bytes / strips->count : 0;
    job->strips = strips;
    job->bytes = strips->rows * strips->row_bytes;
    const bool streams = mover->lines != NULL && job->bytes >= STREAM_BYTES;
    job->mover = streams && strip >= STREAM_STRIP ? mover : NULL;
    job->in_order = job->mover == NULL && strip >= STRIP_IN_ORDER;
    const int64_t max_threads = job->bytes / THREAD_BYTES;
    const int32_t threads = (int32_t)min_of(context->threads, max_threads > 1 ? max_threads : 1);
    const int64_t tasks = threads > 1 ? threads : 1;
    job->share = (job->bytes - 1) / tasks + 1;
    if (tasks > 1) {
        job->share = (job->share / TASK_ALIGNMENT + 1) * TASK_ALIGNMENT;
    }
    return threads > 1 ? threads : 1;
}

/* True if there is nothing to move: an axis is empty. */
static bool is_empty(const opmill_strips *strips) {
    return strips->rows == 0 || strips->row_bytes == 0;
}

void opmill_strips_run(const opmill_strips *strips, const opmill_context *context) {
    strips_job job;
    if (is_empty(strips)) {
        return;
    }
    const int32_t threads = plan(&job, strips, context);
    opmill_parallel((job.bytes - 1) / job.share + 1, threads, run_task, &job);
}

void opmill_strips_choose(const opmill_strips *strips, const opmill_context *context,
                          opmill_choice *choice) {
    strips_job job;
    *choice = (opmill_choice){"empty", OPMILL_ISA_PLAIN, 1};
    if (is_empty(strips)) {
        return;
    }
    choice->threads = plan(&job, strips, context);
    choice->variant = job.mover != NULL ? "strips+stream" : "strips";
    choice->isa = job.mover != NULL ? job.mover->isa : OPMILL_ISA_PLAIN;
}
