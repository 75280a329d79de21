/* Runs a binary loop with broadcasting, in parallel. Long runs are computed in place; operands of
 * short runs are first copied side by side into blocks. */
#include "runtime/elementwise/elementwise_binary.h"

#include <string.h>

#include "runtime/copy/copy_movers.h"
#include "runtime/elementwise/elementwise_shares.h"
#include "runtime/platform/parallel.h"
#include "runtime/platform/platform.h"
#include "runtime/platform/stream.h"

enum {
    SHORT_RUN = 64, /* elements: for shorter runs, overhead dominates */
    ROW_BYTES =
        OPMILL_ON_STACK(4 * 1024, 512), /* of the rows of an operand that are laid side by side */
    MIN_ROWS = 4,
    MAX_ELEMENT_BYTES = 8
};

static int64_t min_of(int64_t a, int64_t b) { return a < b ? a : b; }

typedef struct binary_job {
    const opmill_binary *binary;
    const opmill_binary_level *levels; /* one at least */
    int32_t level_count;
    const opmill_mover *mover;
    const char *a;
    const char *b;
    char *to;
    int64_t count;     /* of all elements */
    int64_t run;       /* elements of the innermost level */
    int64_t row_count; /* rows that are laid side by side at most; 0 where runs are long */
    opmill_shares shares;
    /* Elements from one position of a level to the next, 0 where the input is broadcast. */
    int64_t a_steps[OPMILL_MAX_RANK];
    int64_t b_steps[OPMILL_MAX_RANK];
} binary_job;

/* The position of a task: an index into all levels but the innermost, and what it means. */
typedef struct binary_position {
    int64_t index[OPMILL_MAX_RANK];
    int64_t a;
    int64_t b;
} binary_position;

/* Computes elements from `at` on, of operands that are adjacent elements or one for all. */
static void compute(const binary_job *job, const char *a, bool a_is_one, const char *b,
                    bool b_is_one, int64_t at, int64_t count, opmill_stream *stream) {
    const opmill_binary *const binary = job->binary;
    char *const to = job->to + at * binary->to_bytes;
    if (!job->shares.stream) {
        binary->loop(a, a_is_one, b, b_is_one, to, count, binary->operands);
        return;
    }
    union {
        char bytes[OPMILL_STAGE_BYTES];
        double aligned;
    } stage;
    const int64_t max_count = OPMILL_STAGE_BYTES / binary->to_bytes;
    for (int64_t done = 0; done < count; done += max_count) {
        const int64_t now = min_of(max_count, count - done);
        binary->loop(a + (a_is_one ? 0 : done * binary->from_bytes), a_is_one,
                     b + (b_is_one ? 0 : done * binary->from_bytes), b_is_one, stage.bytes, now,
                     binary->operands);
        opmill_stream_write(stream, to + done * binary->to_bytes, stage.bytes,
                            (size_t)(now * binary->to_bytes));
    }
}

/* The place of run number `run`. */
static binary_position position_of(const binary_job *job, int64_t run) {
    binary_position position;
    position.a = position.b = 0;
    for (int32_t i = job->level_count - 2; i >= 0; i--) {
        if (run == 0) { /* of the first task; divisions take long beside a small call */
            position.index[i] = 0;
            continue;
        }
        position.index[i] = run % job->levels[i].size;
        run /= job->levels[i].size;
        position.a += position.index[i] * job->a_steps[i];
        position.b += position.index[i] * job->b_steps[i];
    }
    return position;
}

/* So many runs further on, which do not pass the end of the innermost level but one. */
static void advance(const binary_job *job, binary_position *position, int64_t runs) {
    int32_t i = job->level_count - 2;
    if (i < 0) {
        return;
    }
    position->index[i] += runs;
    position->a += runs * job->a_steps[i];
    position->b += runs * job->b_steps[i];
    for (; i > 0 && position->index[i] == job->levels[i].size; i--) {
        position->index[i] = 0;
        position->a += job->a_steps[i - 1] - job->levels[i].size * job->a_steps[i];
        position->b += job->b_steps[i - 1] - job->levels[i].size * job->b_steps[i];
        position->index[i - 1]++;
    }
}

/* Runs where they are, from element `at` to `end`, which may lie within runs. */
static void runs_task(const binary_job *job, int64_t at, int64_t end, opmill_stream *stream) {
    const opmill_binary_level *const inner = &job->levels[job->level_count - 1];
    const int64_t bytes = job->binary->from_bytes;
    binary_position position = position_of(job, at > 0 ? at / job->run : 0);
    int64_t begin = at > 0 ? at % job->run : 0;
    while (at < end) {
        const int64_t count = min_of(job->run - begin, end - at);
        compute(job, job->a + (position.a + (inner->in_a ? begin : 0)) * bytes, !inner->in_a,
                job->b + (position.b + (inner->in_b ? begin : 0)) * bytes, !inner->in_b, at, count,
                stream);
        at += count;
        begin = 0;
        advance(job, &position, 1);
    }
}

/* Lays `rows` runs of an operand side by side: the same run again and again, or each time one
 * element of the operand for a whole run. */
static void lay(char *to, const char *from, bool in_rows, int64_t run, int64_t rows,
                int64_t bytes) {
    if (!in_rows) {
        for (int64_t row = 0; row < rows; row++) {
            memcpy(to + row * run * bytes, from, (size_t)(run * bytes));
        }
        return;
    }
#define SPREAD(type)                                           \
    for (int64_t row = 0; row < rows; row++) {                 \
        const type element = ((const type *)(const void *)from)[row]; \
        type *const position = (type *)(void *)to + row * run;    \
        for (int64_t i = 0; i < run; i++) {                    \
            position[i] = element;                                \
        }                                                      \
    }
    switch (bytes) {
    case 1:
        SPREAD(uint8_t)
        break;
    case 2:
        SPREAD(uint16_t)
        break;
    case 4:
        SPREAD(uint32_t)
        break;
    default:
        SPREAD(uint64_t)
        break;
    }
#undef SPREAD
}

/* Short runs: an operand that is not adjacent over several of them is laid out so first. */
static void rows_task(const binary_job *job, int64_t at, int64_t end, opmill_stream *stream) {
    const opmill_binary *const binary = job->binary;
    const opmill_binary_level *const inner = &job->levels[job->level_count - 1];
    const opmill_binary_level *const outer = inner - 1;
    const int64_t bytes = binary->from_bytes;
    union {
        char bytes[ROW_BYTES];
        uint64_t aligned;
    } a_rows, b_rows;
    binary_position position = position_of(job, at / job->run);
    const char *a_laid = NULL, *b_laid = NULL; /* whose run lies in the rows, again and again */
    int64_t a_count = 0, b_count = 0;
    while (at < end) {
        const int64_t left = outer->size - position.index[job->level_count - 2];
        const int64_t rows = min_of(min_of(job->row_count, left), (end - at) / job->run);
        const char *a = job->a + position.a * bytes, *b = job->b + position.b * bytes;
        if (!(inner->in_a && outer->in_a)) {
            if (!inner->in_a || a_laid != a || a_count < rows) {
                lay(a_rows.bytes, a, !inner->in_a, job->run, rows, bytes);
                a_laid = inner->in_a ? a : NULL;
                a_count = rows;
            }
            a = a_rows.bytes;
        }
        if (!(inner->in_b && outer->in_b)) {
            if (!inner->in_b || b_laid != b || b_count < rows) {
                lay(b_rows.bytes, b, !inner->in_b, job->run, rows, bytes);
                b_laid = inner->in_b ? b : NULL;
                b_count = rows;
            }
            b = b_rows.bytes;
        }
        compute(job, a, false, b, false, at, rows * job->run, stream);
        at += rows * job->run;
        advance(job, &position, rows);
    }
}

static void run_task(void *state, int64_t task, int32_t worker) {
    const binary_job *const job = state;
    const int64_t first = task * job->shares.step;
    const int64_t end = min_of(first + job->shares.step, job->count);
    opmill_stream stream;
    (void)worker;
    opmill_stream_begin(&stream, job->mover);
    if (job->row_count > 0) {
        rows_task(job, first, end, &stream);
    } else {
        runs_task(job, first, end, &stream);
    }
    if (job->shares.stream) {
        opmill_stream_end(&stream);
    }
}

/* Fills in all but the addresses. The structures are large, so that none is cleared or copied. */
static void plan(binary_job *job, const opmill_binary *binary, const opmill_context *context) {
    static const opmill_binary_level ONE = {1, true, true}; /* of a single element */
    const int32_t count = binary->count > 0 ? binary->count : 1;
    int64_t a_size = 1, b_size = 1;
    job->binary = binary;
    job->levels = binary->count > 0 ? binary->levels : &ONE;
    job->level_count = count;
    job->mover = opmill_mover_for(binary->isa);
    job->count = 1;
    for (int32_t i = count - 1; i >= 0; i--) {
        const opmill_binary_level *const level = &job->levels[i];
        job->a_steps[i] = level->in_a ? a_size : 0;
        job->b_steps[i] = level->in_b ? b_size : 0;
        a_size *= level->in_a ? level->size : 1;
        b_size *= level->in_b ? level->size : 1;
        job->count *= level->size;
    }
    job->run = job->levels[count - 1].size;
    job->row_count = 0;
    if (count > 1 && job->run < SHORT_RUN && job->levels[count - 2].size >= MIN_ROWS) {
        job->row_count = ROW_BYTES / MAX_ELEMENT_BYTES / job->run;
    }
    job->shares = opmill_share(job->count, binary->to_bytes, job->row_count > 0 ? job->run : 1,
                               job->mover->lines != NULL, context);
}

void opmill_binary_run(const opmill_binary *binary, const void *a, const void *b, void *to,
                       const opmill_context *context) {
    binary_job job;
    if (binary->empty) {
        return;
    }
    job.a = a;
    job.b = b;
    job.to = to;
    plan(&job, binary, context);
    opmill_parallel(job.shares.tasks, job.shares.threads, run_task, &job);
}

void opmill_binary_choose(const opmill_binary *binary, const opmill_context *context,
                          opmill_choice *choice) {
    *choice = (opmill_choice){"empty", OPMILL_ISA_PLAIN, 1};
    if (binary->empty) {
        return;
    }
    binary_job job;
    plan(&job, binary, context);
    const char *const runs = job.shares.stream ? "runs+stream" : "runs";
    const char *const rows = job.shares.stream ? "rows+stream" : "rows";
    *choice = (opmill_choice){job.row_count > 0 ? rows : runs, binary->isa, job.shares.threads};
}
