/* Plans and runs copies that keep or repeat axes: merges levels, selects byte shuffles, short runs
 * or memory copies for the innermost one, and splits large outputs into tasks. */
#include "runtime/copy/copy.h"

#include <string.h>

#include "runtime/copy/copy_blocks.h"
#include "runtime/platform/isa.h"
#include "runtime/platform/parallel.h"
#include "runtime/platform/platform.h"
#include "runtime/platform/stream.h"

enum {
    SMALL_BYTES = 1024,            /* outputs up to here are written without a plan */
    CHUNK_BYTES = 16 * 1024,       /* written once and copied while it is in L1 */
    LONE_CHUNK_BYTES = 256 * 1024, /* written once and not copied */
    STREAM_CHUNK_BYTES = 1024,     /* the same around the caches: made while others are underway */
    LONG_RUN_BYTES = 4096,         /* a run from here on is copied from where it is */
    LINE_BYTES = 64,
    MIN_PROGRAM_BYTES = 64,
    LONGEST_PROGRAM_RUN = OPMILL_PROGRAM_BYTES / 3,
    MIN_FILL_BYTES = 256,       /* an element's repeats from here on are filled without a program */
    THREAD_BYTES = 1024 * 1024, /* the least that is worth a thread of its own */
    TASKS_A_THREAD = 8,
    STREAM_BYTES = 64 * 1024 * 1024 /* outputs from here on go around the caches */
};

/* A call, cut into chunks of the input, each of which goes to one or more places of the output.
 * Chunks lie in `cut`: some positions of that level, or (`in_repeat`) some repeats of one position;
 * cut == count: some bytes of the innermost run. */
typedef struct copy_job {
    opmill_copy_writer writer;
    const uint8_t *in;
    uint8_t *out;
    int64_t step;   /* positions, repeats or bytes in a chunk */
    int64_t pieces; /* chunks in one such axis; the last may be shorter */
    int64_t copies; /* places that a chunk goes to */
    int64_t units;  /* chunks times copies */
    int64_t tasks;
    int32_t cut;
    bool in_repeat;
    bool stream;
} copy_job;

typedef struct copy_position {
    int64_t in;
    int64_t out;
    int64_t size; /* positions, repeats or bytes */
} copy_position;

static int64_t min_of(int64_t a, int64_t b) { return a < b ? a : b; }

static int64_t max_of(int64_t a, int64_t b) { return a > b ? a : b; }

/* Takes one axis of `size` off an index: its position there, and what is left of the index. */
static int64_t take(int64_t *index, int64_t size) {
    int64_t at = 0;
    if (size > 1) {
        at = *index % size;
        *index /= size;
    }
    return at;
}

static copy_position chunk_position(const copy_job *job, int64_t chunk) {
    const opmill_copy *copy = job->writer.copy;
    copy_position position = {0, 0, job->step};
    int32_t level = job->cut;
    if (!job->in_repeat) {
        int64_t at = take(&chunk, job->pieces) * job->step;
        if (job->cut == copy->count) {
            position = (copy_position){at, at, min_of(job->step, copy->run - at)};
        } else {
            const opmill_copy_level *here = &copy->levels[job->cut];
            position.in = at * here->in_bytes;
            position.out = at * here->repeat * here->out_bytes;
            position.size = min_of(job->step, here->keep - at);
        }
        level--;
    }
    for (; level >= 0; level--) {
        const opmill_copy_level *here = &copy->levels[level];
        int64_t at = take(&chunk, here->keep);
        position.in += at * here->in_bytes;
        position.out += at * here->repeat * here->out_bytes;
    }
    return position;
}

static copy_position copy_position_of(const copy_job *job, int64_t index) {
    const opmill_copy *copy = job->writer.copy;
    copy_position position = {0, 0, job->step};
    if (job->in_repeat) {
        const opmill_copy_level *here = &copy->levels[job->cut];
        int64_t at = take(&index, job->pieces) * job->step;
        position.out = at * here->out_bytes;
        position.size = min_of(job->step, here->repeat - at);
    }
    for (int32_t level = job->cut - 1; level >= 0; level--) {
        const opmill_copy_level *here = &copy->levels[level];
        position.out += take(&index, here->repeat) * here->out_bytes;
    }
    return position;
}

/* Writes a chunk's `bytes` of output. */
static void write_chunk(const copy_job *job, const copy_position *chunk, uint8_t *out,
                        int64_t bytes, const uint8_t *out_end) {
    const uint8_t *in = job->in + chunk->in;
    if (job->in_repeat) {
        opmill_copy_row(&job->writer, job->cut, out, in, bytes, out_end);
    } else {
        opmill_copy_rows(&job->writer, job->cut, out, in, chunk->size, out_end);
    }
}

/* What a task that goes around the caches writes with. */
typedef struct copy_stream {
    opmill_stream stream;
    uint8_t stage[OPMILL_ON_STACK(CHUNK_BYTES, 0) + OPMILL_MOVE_BYTES];
} copy_stream;

/* One chunk to `copies` of its places, from the `first` on. */
static void copy_chunk(const copy_job *job, int64_t chunk_index, int64_t first, int64_t copies,
                       copy_stream *around) {
    const opmill_copy *copy = job->writer.copy;
    copy_position chunk = chunk_position(job, chunk_index);
    bool is_run = job->cut == copy->count;
    int64_t unit = is_run ? 1 : copy->levels[job->cut].out_bytes;
    const uint8_t *ready = is_run ? job->in + chunk.in : NULL;
    int64_t ready_bytes = is_run ? chunk.size : 0;
    if (!is_run && !job->in_repeat) {
        unit *= copy->levels[job->cut].repeat;
    }
    for (int64_t i = first; i < first + copies; i++) {
        copy_position position = copy_position_of(job, i);
        uint8_t *out = job->out + chunk.out + position.out;
        int64_t bytes = (job->in_repeat ? position.size : chunk.size) * unit;
        if (job->stream) {
            if (bytes > ready_bytes) {
                write_chunk(job, &chunk, around->stage, bytes,
                            around->stage + sizeof around->stage);
                ready = around->stage;
                ready_bytes = bytes;
            }
            opmill_stream_write(&around->stream, out, ready, (size_t)bytes);
        } else if (bytes > ready_bytes) {
            write_chunk(job, &chunk, out, bytes, out + bytes);
            ready = out;
            ready_bytes = bytes;
        } else {
            memcpy(out, ready, (size_t)bytes);
        }
    }
}

static void run_task(void *state, int64_t task, int32_t worker) {
    const copy_job *job = state;
    copy_stream around;
    int64_t share = job->units / job->tasks;
    int64_t extra = job->units % job->tasks;
    int64_t unit = task * share + min_of(task, extra);
    int64_t end = unit + share + (task < extra);
    (void)worker;
    opmill_stream_begin(&around.stream, job->writer.mover);
    while (unit < end) {
        int64_t first = unit % job->copies;
        int64_t copies = min_of(job->copies - first, end - unit);
        copy_chunk(job, unit / job->copies, first, copies, &around);
        unit += copies;
    }
    if (job->stream) {
        opmill_stream_end(&around.stream);
    }
}

/* Block sizes of all levels. Returns the bytes of the output. */
static int64_t measure(opmill_copy *copy) {
    if (copy->count > 0 && copy->levels[copy->count - 1].repeat == 1) {
        copy->run *= copy->levels[--copy->count].keep;
    }
    int64_t block = copy->run;
    int64_t out_bytes = copy->run;
    for (int32_t i = copy->count - 1; i >= 0; i--) {
        opmill_copy_level *level = &copy->levels[i];
        level->in_bytes = block;
        level->out_bytes = out_bytes;
        block *= level->keep;
        out_bytes *= level->keep * level->repeat;
    }
    return out_bytes;
}

static int64_t in_bytes(const opmill_copy *copy) {
    return copy->count > 0 ? copy->levels[0].keep * copy->levels[0].in_bytes : copy->run;
}

/* The innermost level whose positions, all together, are more than `bytes`; -1 if none is. */
static int32_t level_above(const opmill_copy *copy, int64_t bytes) {
    int32_t i = copy->count - 1;
    while (i >= 0 &&
           copy->levels[i].keep * copy->levels[i].repeat * copy->levels[i].out_bytes <= bytes) {
        i--;
    }
    return i;
}

/* So many blocks or fewer that together end with a cache line, so that copies of them begin with
 * one where they do; or the requested number where none do. */
static int64_t whole_lines(int64_t count, int64_t bytes) {
    int64_t blocks = LINE_BYTES;
    while (blocks > 1 && blocks / 2 * bytes % LINE_BYTES == 0) {
        blocks /= 2;
    }
    return count < blocks ? count : count - count % blocks;
}

static void plan_program(copy_job *job, opmill_program *program, int64_t total) {
    const opmill_copy *copy = job->writer.copy;
    opmill_copy_level nest[OPMILL_MAX_RANK];
    int64_t bytes = max_of(MIN_PROGRAM_BYTES, min_of(OPMILL_PROGRAM_BYTES, total / 512));
    int32_t leaf = level_above(copy, bytes);
    int64_t row;
    if (job->writer.mover->window == 0 || leaf < 0 || copy->run > LONGEST_PROGRAM_RUN ||
        copy->levels[leaf].out_bytes > bytes ||
        (leaf == copy->count - 1 && opmill_copy_fills(copy->run) &&
         copy->levels[leaf].repeat * copy->run >= MIN_FILL_BYTES)) {
        return;
    }
    memcpy(nest, copy->levels + leaf, (size_t)(copy->count - leaf) * sizeof nest[0]);
    row = nest[0].repeat * nest[0].out_bytes;
    job->writer.leaf_rows = row <= bytes;
    if (job->writer.leaf_rows) {
        nest[0].keep = bytes / row;
    } else {
        nest[0].keep = 1;
        nest[0].repeat = whole_lines(bytes / nest[0].out_bytes, nest[0].out_bytes);
    }
    if (opmill_program_build(program, job->writer.mover, nest, copy->count - leaf, copy->run)) {
        job->writer.program = program;
        job->writer.leaf = leaf;
    }
}

static void plan_chunks(copy_job *job) {
    const opmill_copy *copy = job->writer.copy;
    int64_t chunks = 1;
    int32_t cut = copy->run >= LONG_RUN_BYTES ? copy->count : level_above(copy, CHUNK_BYTES);
    if (cut < 0) {
        cut = 0;
    }
    job->cut = cut;
    job->in_repeat = false;
    job->copies = 1;
    for (int32_t i = 0; i < cut; i++) {
        chunks *= copy->levels[i].keep;
        job->copies *= copy->levels[i].repeat;
    }
    if (cut == copy->count) {
        int64_t bytes = job->copies == 1 ? LONE_CHUNK_BYTES : CHUNK_BYTES;
        job->step = min_of(copy->run, bytes);
        job->pieces = (copy->run - 1) / job->step + 1;
        chunks *= job->pieces;
    } else {
        const opmill_copy_level *here = &copy->levels[cut];
        int64_t row = here->repeat * here->out_bytes;
        if (row <= CHUNK_BYTES) {
            int64_t bytes = CHUNK_BYTES;
            if (job->copies == 1) {
                bytes = job->stream ? max_of(row, STREAM_CHUNK_BYTES) : LONE_CHUNK_BYTES;
            }
            job->step = min_of(here->keep, bytes / row);
            job->pieces = (here->keep - 1) / job->step + 1;
            chunks *= job->pieces;
        } else {
            job->in_repeat = true;
            job->step = min_of(here->repeat, CHUNK_BYTES / here->out_bytes);
            job->pieces = (here->repeat - 1) / job->step + 1;
            job->copies *= job->pieces;
            chunks *= here->keep;
        }
    }
    job->units = chunks * job->copies;
}

static bool is_small(const opmill_copy *copy, int64_t total) {
    return total <= SMALL_BYTES || (copy->count == 0 && total <= LONE_CHUNK_BYTES);
}

/* Plans an output that is not small; returns the threads that it is worth. */
static int32_t plan(copy_job *job, opmill_copy *copy, opmill_program *program, int64_t total,
                    const opmill_context *context) {
    job->writer.copy = copy;
    job->writer.program = NULL;
    job->writer.leaf = copy->count - 1;
    job->writer.mover = opmill_mover_for(opmill_isa_select(context->isa));
    job->stream = job->writer.mover->lines != NULL && total >= STREAM_BYTES;
    plan_program(job, program, total);
    plan_chunks(job);
    const int32_t threads = (int32_t)max_of(1, min_of(context->threads, total / THREAD_BYTES));
    job->tasks = threads == 1 ? 1 : min_of(job->units, (int64_t)threads * TASKS_A_THREAD);
    return threads;
}

static void copy_large(opmill_copy *copy, const void *input, void *output, int64_t total,
                       const opmill_context *context) {
    copy_job job;
    opmill_program program;
    const int32_t threads = plan(&job, copy, &program, total, context);
    job.in = input;
    job.out = output;
    job.writer.in_end = job.in + in_bytes(copy);
    opmill_parallel(job.tasks, threads, run_task, &job);
}

/* An output so small that planning does not pay off. */
static void copy_small(const opmill_copy *copy, const void *input, void *output, int64_t total) {
    opmill_copy_writer writer = {.copy = copy, .leaf = copy->count - 1};
    uint8_t *const out = output;
    if (copy->count == 0) {
        memcpy(output, input, (size_t)total);
        return;
    }
    writer.in_end = (const uint8_t *)input + in_bytes(copy);
    opmill_copy_rows(&writer, 0, out, input, copy->levels[0].keep, out + total);
}

void opmill_copy_run(opmill_copy *copy, const void *input, void *output,
                     const opmill_context *context) {
    if (copy->empty) {
        return;
    }
    const int64_t total = measure(copy);
    if (is_small(copy, total)) {
        copy_small(copy, input, output, total);
    } else {
        copy_large(copy, input, output, total, context);
    }
}

/* How a plan moves its innermost runs. */
static const char *way(const copy_job *job) {
    const opmill_copy *const copy = job->writer.copy;
    if (job->cut == copy->count) {
        return job->stream ? "runs+stream" : "runs";
    }
    if (job->writer.program != NULL) {
        return job->stream ? "shuffle+stream" : "shuffle";
    }
    if (opmill_copy_fills(copy->run)) {
        return job->stream ? "fill+stream" : "fill";
    }
    return job->stream ? "repeat+stream" : "repeat";
}

void opmill_copy_choose(opmill_copy *copy, const opmill_context *context, opmill_choice *choice) {
    *choice = (opmill_choice){"empty", OPMILL_ISA_PLAIN, 1};
    if (copy->empty) {
        return;
    }
    const int64_t total = measure(copy);
    if (is_small(copy, total)) {
        choice->variant = copy->count == 0 ? "memcpy" : "small";
        return;
    }
    copy_job job;
    opmill_program program;
    choice->threads = plan(&job, copy, &program, total, context);
    choice->variant = way(&job);
    if (job.stream || job.writer.program != NULL) {
        choice->isa = job.writer.mover->isa;
    }
}
