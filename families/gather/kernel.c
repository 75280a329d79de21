/* Gather and GatherND: slices of data, selected by indices that opmill_indices checks and reads. */
#include "families/gather/kernel.h"

#include "runtime/numbers/elements.h"
#include "runtime/indexing/indices.h"
#include "runtime/numbers/integers.h"
#include "runtime/platform/parallel.h"
#include "runtime/copy/slices.h"

enum {
    MIN_THREAD_BYTES = 256 * 1024, /* of the output, for a thread of its own */
    TASKS_PER_THREAD = 4,
    MIN_BLOCK = 16
};

/* The output is a list of blocks: slices that tuples which follow each other select. Without
 * batches of tuples, each tuple selects a slice of every row of data. */
typedef struct gather_job {
    opmill_indices indices;
    const uint8_t *data;
    uint8_t *out;
    int64_t rows;      /* of data: the positions of the axes before those that are indexed */
    int64_t row_bytes; /* in data */
    int64_t slice;     /* bytes that a tuple selects */
    bool batched;      /* each row has tuples of its own */
    int64_t count;     /* of tuples for a row */
    int64_t block;     /* of tuples for a task */
    int64_t blocks;
    int64_t strips; /* of rows that share a block's offsets */
    int32_t threads;
} gather_job;

static int64_t product(const int64_t *dims, int32_t from, int32_t to) {
    int64_t result = 1;
    for (int32_t i = from; i < to; i++) {
        result *= dims[i];
    }
    return result;
}

static void describe(gather_job *job, const opmill_tensor *data, const opmill_tensor *indices,
                     const opmill_gather_plan *plan, const opmill_context *context) {
    const int32_t first = (int32_t)plan->first, components = (int32_t)plan->components;
    opmill_indices_begin(&job->indices, indices, data, first, components);
    job->batched = plan->batched != 0;
    job->rows = product(data->dims, 0, first);
    job->slice =
        product(data->dims, first + components, data->rank) * opmill_type_bytes(data->type);
    job->row_bytes = product(data->dims, first, first + components) * job->slice;
    job->count =
        job->batched && job->rows > 0 ? job->indices.count / job->rows : job->indices.count;
    const int64_t total = job->rows * job->count * job->slice; /* bytes */
    const int64_t all = job->indices.count;
    const int64_t threads = opmill_min(context->threads, total / MIN_THREAD_BYTES);
    job->threads = (int32_t)opmill_max(threads, 1);
    job->block = OPMILL_INDEX_BLOCK;
    job->strips = 1;
    if (job->threads > 1) {
        const int64_t tasks = (int64_t)job->threads * TASKS_PER_THREAD;
        job->strips = job->batched ? 1 : opmill_min(job->rows, tasks);
        job->block = opmill_max(MIN_BLOCK, opmill_min(job->block, all * job->strips / tasks));
    }
    job->blocks = total > 0 ? (all - 1) / job->block + 1 : 0;
}

static void run_task(void *state, int64_t task, int32_t worker) {
    const gather_job *const job = state;
    const int64_t begin = task % job->blocks * job->block;
    const int64_t end = opmill_min(begin + job->block, job->indices.count);
    const int64_t strip = task / job->blocks, strips = job->strips;
    int64_t offsets[OPMILL_INDEX_BLOCK];
    (void)worker;
    opmill_indices_read(&job->indices, begin, end - begin, offsets);
    if (!job->batched) {
        const int64_t last =
            job->rows / strips * (strip + 1) + opmill_min(strip + 1, job->rows % strips);
        int64_t row = job->rows / strips * strip + opmill_min(strip, job->rows % strips);
        for (; row < last; row++) {
            opmill_move_slices(job->out + (row * job->count + begin) * job->slice,
                               job->data + row * job->row_bytes, offsets, end - begin, job->slice);
        }
        return;
    }
    for (int64_t at = begin; at < end;) { /* the tuples of one row at a time */
        const int64_t row = at / job->count;
        const int64_t here = opmill_min((row + 1) * job->count, end) - at;
        opmill_move_slices(job->out + at * job->slice, job->data + row * job->row_bytes,
                           offsets + (at - begin), here, job->slice);
        at += here;
    }
}

int opmill_gather_compute(const opmill_tensor *data, const opmill_tensor *indices,
                          opmill_tensor *output, const opmill_gather_plan *plan,
                          opmill_context *context) {
    gather_job job;
    describe(&job, data, indices, plan, context);
    if (!opmill_indices_check(&job.indices, context)) {
        return OPMILL_ERROR_CALL;
    }
    job.data = data->data;
    job.out = output->data;
    if (job.blocks > 0) {
        opmill_parallel(job.blocks * job.strips, job.threads, run_task, &job);
    }
    return OPMILL_OK;
}

void opmill_gather_choose(const opmill_tensor *data, const opmill_tensor *indices,
                          const opmill_shape *output, const opmill_gather_plan *plan,
                          const opmill_context *context, opmill_choice *choice) {
    gather_job job;
    (void)output;
    describe(&job, data, indices, plan, context);
    const char *const variant = job.blocks == 0 ? "empty" : job.slice <= 16 ? "elements" : "slices";
    *choice = (opmill_choice){variant, OPMILL_ISA_PLAIN, job.threads};
}
