/* Plans strided copies: merges axes, decides between one run, rows, strided elements and transposed
 * tiles, and splits the output into tasks. strided_moves.c executes the plan. */
#include "runtime/copy/strided_copy.h"

#include "runtime/copy/copy.h"
#include "runtime/numbers/elements.h"
#include "runtime/platform/isa.h"
#include "runtime/platform/parallel.h"
#include "runtime/copy/strided_job.h"

enum {
    CHUNK_BYTES = 16 * 1024,     /* of the output, that a unit of work writes: half of a small L1 */
    BLOCK_COLUMN_BYTES = 256,    /* of the input, that a block of tiles reads from each row */
    FAR_BYTES = 2 * 1024 * 1024, /* outputs of tiles from here on leave the caches of a core */
    FAR_BLOCK_BYTES = 256 * 1024,
    FAR_COLUMN_BYTES = 2048, /* of the input, that such a block reads from each row */
    LINE_BYTES = 64,
    STREAM_COLUMN_BYTES = 512,             /* the same around the caches */
    STREAM_TILES_BYTES = 12 * 1024 * 1024, /* outputs of tiles from here on do */
    STREAM_RUN_BYTES = 256,                /* shorter runs do not go around the caches */
    STREAM_BYTES = 32 * 1024 * 1024,       /* outputs from here on go around the caches */
    THREAD_BYTES = 256 * 1024, /* Minimum number of bytes before another thread pays off */
    TASKS_A_THREAD = 4
};

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
static opmill_strided_level take_level(opmill_strided_job *job) {
    return job->count > 0 ? job->levels[--job->count] : (opmill_strided_level){1, 0, 0};
}

static void count_units(opmill_strided_job *job) {
    job->outer_pieces = (job->outer.size - 1) / job->outer_step + 1;
    job->inner_pieces = (job->inner.size - 1) / job->inner_step + 1;
    job->units = job->outer_pieces * job->inner_pieces;
    for (int32_t i = 0; i < job->count; i++) {
        job->units *= job->levels[i].size;
    }
}

/* Cuts the two axes into blocks of `bytes`, of which the inner axis has `inner_bytes` at most. */
static void cut_blocks(opmill_strided_job *job, int64_t bytes, int64_t inner_bytes) {
    const int64_t area = max_of(1, bytes / job->item);
    job->inner_step = max_of(1, min_of(job->inner.size, inner_bytes / job->item));
    job->outer_step = max_of(1, min_of(job->outer.size, area / job->inner_step));
    job->inner_step = max_of(1, min_of(job->inner.size, area / job->outer_step));
    count_units(job);
}

/* Tiles, where an axis other than the innermost of the output is the innermost of the input. The
 * output's is then `outer`, the input's `inner`. */
static bool plan_tiles(opmill_strided_job *job) {
    for (int32_t i = 0; i < job->count; i++) {
        if (job->levels[i].in == job->item) {
            job->strategy = OPMILL_BY_TILES;
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

/* Decides how tiles are written, and cuts them into blocks. */
static void cut_tiles(opmill_strided_job *job) {
    const int64_t run = job->outer.size * job->item;
    job->stream =
        job->mover->lines != NULL && job->total >= STREAM_TILES_BYTES && run >= STREAM_RUN_BYTES;
    if (job->stream) {
        const bool has_lines = job->transposer->writes_around && job->item <= 8 &&
                               (uintptr_t)job->out % LINE_BYTES == 0 && run % LINE_BYTES == 0;
        job->tiles = has_lines ? OPMILL_TILES_AROUND : OPMILL_TILES_STAGED;
    } else {
        const bool has_tiles = job->transposer != &opmill_transposer_plain && job->item <= 8 &&
                               run >= LINE_BYTES && job->inner.size * job->item >= LINE_BYTES;
        job->tiles = has_tiles && job->total >= FAR_BYTES ? OPMILL_TILES_FAR : OPMILL_TILES_NEAR;
    }
    switch (job->tiles) {
    case OPMILL_TILES_NEAR:
        cut_blocks(job, CHUNK_BYTES, BLOCK_COLUMN_BYTES);
        break;
    case OPMILL_TILES_STAGED:
        cut_blocks(job, OPMILL_STRIDED_STAGE_BYTES, STREAM_COLUMN_BYTES);
        break;
    default:
        cut_blocks(job, FAR_BLOCK_BYTES, FAR_COLUMN_BYTES);
        if (job->outer_step < job->outer.size) { /* each block's runs end where lines may */
            job->outer_step -= job->outer_step * job->item % LINE_BYTES / job->item;
            count_units(job);
        }
        break;
    }
}

/* True if all of the output is one run of the input, which begins a byte. */
static bool is_run(const opmill_strided_copy *copy) {
    const int32_t bits = opmill_type_bits(copy->type);
    return (copy->count == 0 || (copy->count == 1 && copy->levels[0].in == 1)) &&
           (bits >= 8 || copy->first % (8 / bits) == 0);
}

/* The bytes of an output that is not empty, and its elements. */
static void measure(opmill_strided_job *job, const opmill_strided_copy *copy) {
    const int32_t bits = opmill_type_bits(copy->type);
    job->elements = 1;
    for (int32_t i = 0; i < copy->count; i++) {
        job->elements *= copy->levels[i].size;
    }
    job->total = bits < 8 ? (job->elements - 1) / (8 / bits) + 1 : job->elements * (bits / 8);
}

/* Plans an output that is measured and no single run; returns the threads that it is worth. */
static int32_t plan(opmill_strided_job *job, opmill_strided_copy *copy,
                    const opmill_context *context) {
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
        job->strategy = OPMILL_BY_BITS;
        job->units = job->total;
    } else {
        if (job->levels[job->count - 1].in == bytes) {
            job->item *= take_level(job).size;
        }
        if (!is_element(job->item)) {
            job->strategy = OPMILL_BY_ROWS;
            job->inner = (opmill_strided_level){job->item, 1, 1};
            job->stream = large && job->item >= STREAM_RUN_BYTES;
            job->item = 1;
            job->outer = take_level(job);
            cut_blocks(job, CHUNK_BYTES, CHUNK_BYTES);
        } else {
            job->inner = take_level(job);
            if (plan_tiles(job)) {
                cut_tiles(job);
            } else {
                job->strategy = OPMILL_BY_STEPS;
                job->outer = take_level(job);
                cut_blocks(job, CHUNK_BYTES, CHUNK_BYTES);
            }
        }
    }
    const int32_t threads = (int32_t)max_of(1, min_of(context->threads, job->total / THREAD_BYTES));
    job->tasks = threads == 1 ? 1 : min_of(job->units, (int64_t)threads * TASKS_A_THREAD);
    return threads;
}

static void run_task(void *state, int64_t task, int32_t worker) {
    const opmill_strided_job *const job = state;
    const int64_t share = job->units / job->tasks;
    const int64_t extra = job->units % job->tasks;
    const int64_t first = task * share + min_of(task, extra);
    const int64_t end = first + share + (task < extra);
    (void)worker;
    opmill_strided_move(job, first, end);
}

/* The bytes from the first element on, and no bits of what follows the last one. */
static void describe_run(opmill_copy *copy, const opmill_strided_job *job) {
    opmill_copy_begin(copy, job->total);
    opmill_copy_keep(copy, 1);
}

static void copy_run(const opmill_strided_job *job, const opmill_strided_copy *strided,
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
    opmill_strided_job job;
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
    static const char *const NAMES[][2] = {[OPMILL_BY_ROWS] = {"rows", "rows+stream"},
                                           [OPMILL_BY_STEPS] = {"steps", "steps"},
                                           [OPMILL_BY_TILES] = {"tiles", "tiles+stream"},
                                           [OPMILL_BY_BITS] = {"bits", "bits"}};
    opmill_strided_job job;
    job.out = NULL;
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
    if (job.strategy == OPMILL_BY_TILES) {
        choice->isa = job.transposer->isa;
    } else if (job.stream) {
        choice->isa = job.mover->isa;
    }
}
