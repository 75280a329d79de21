/* Compress: the bools become offsets, block by block, which are applied to each row of the input.
 */
#include "families/compress/kernel.h"

#include "runtime/numbers/elements.h"
#include "runtime/call/message.h"
#include "runtime/numbers/integers.h"
#include "runtime/platform/parallel.h"
#include "runtime/platform/platform.h"
#include "runtime/copy/slices.h"

enum {
    MIN_THREAD_BYTES = 256 * 1024, /* of the output, for a thread of its own */
    TASKS_PER_THREAD = 4,
    BLOCK = OPMILL_ON_STACK(1024, 128) /* offsets that are found at a time */
};

typedef struct compress_job {
    const uint8_t *in;
    uint8_t *out;
    const uint8_t *condition;
    int64_t length;   /* of the condition, as far as the axis goes */
    int64_t rows;     /* the positions of the axes before the axis */
    int64_t in_bytes; /* of a row */
    int64_t slice;    /* bytes that a bool selects */
    int64_t count;    /* of slices that are selected in a row */
    int32_t threads;
    int64_t tasks;
} compress_job;

/* A call that selects `count` slices of each row. */
static void describe(compress_job *job, const opmill_tensor *input, int64_t count,
                     const opmill_compress_plan *plan, const opmill_context *context) {
    const int32_t axis = (int32_t)plan->axis;
    job->rows = 1;
    job->slice = opmill_type_bytes(input->type);
    if (!plan->flat) {
        for (int32_t i = 0; i < axis; i++) {
            job->rows *= input->dims[i];
        }
        for (int32_t i = axis + 1; i < input->rank; i++) {
            job->slice *= input->dims[i];
        }
    }
    job->in_bytes = plan->size * job->slice;
    job->length = opmill_min(plan->length, plan->size);
    job->count = count;
    const int64_t total = job->rows * count * job->slice;
    job->threads = (int32_t)opmill_max(opmill_min(context->threads, total / MIN_THREAD_BYTES), 1);
    job->threads = (int32_t)opmill_max(opmill_min(job->threads, job->rows), 1);
    job->tasks = job->threads == 1
                     ? opmill_min(total, 1)
                     : opmill_min(job->rows, (int64_t)job->threads * TASKS_PER_THREAD);
}

int opmill_compress_measure(const opmill_tensor *input, const opmill_tensor *condition,
                            opmill_shape *output, const opmill_compress_plan *plan,
                            opmill_context *context) {
    const uint8_t *const bools = condition->data;
    const int64_t length = opmill_min(plan->length, plan->size);
    int64_t count = 0;
    (void)input;
    for (int64_t i = 0; i < length; i++) {
        count += bools[i] != 0;
    }
    for (int64_t i = length; i < plan->length; i++) {
        if (bools[i] != 0) {
            opmill_message message = opmill_contents_begin(context);
            opmill_put_text(&message, "condition[");
            opmill_put_int(&message, i);
            opmill_put_text(&message, "] is true, expected false from index ");
            opmill_put_int(&message, plan->size);
            opmill_put_text(&message, " on");
            return OPMILL_ERROR_CALL;
        }
    }
    output->dims[plan->axis] = count;
    return OPMILL_OK;
}

/* Rows `first` to `end`. Offsets are found once for all of them. No more slices are written than
 * the output has, should another thread have changed the condition since it was measured. */
static void move_rows(const compress_job *job, int64_t first, int64_t end) {
    int64_t offsets[BLOCK];
    int64_t done = 0;
    for (int64_t i = 0; i < job->length && done < job->count;) {
        const int64_t capacity = opmill_min(BLOCK, job->count - done);
        int64_t found = 0;
        for (; i < job->length && found < capacity; i++) {
            offsets[found] = i;
            found += job->condition[i] != 0;
        }
        for (int64_t row = first; row < end; row++) {
            opmill_move_slices(job->out + (row * job->count + done) * job->slice,
                               job->in + row * job->in_bytes, offsets, found, job->slice);
        }
        done += found;
    }
}

static void run_task(void *state, int64_t task, int32_t worker) {
    const compress_job *const job = state;
    const int64_t share = job->rows / job->tasks, extra = job->rows % job->tasks;
    const int64_t first = task * share + opmill_min(task, extra);
    (void)worker;
    move_rows(job, first, first + share + (task < extra));
}

int opmill_compress_compute(const opmill_tensor *input, const opmill_tensor *condition,
                            opmill_tensor *output, const opmill_compress_plan *plan,
                            opmill_context *context) {
    compress_job job;
    describe(&job, input, output->dims[plan->axis], plan, context);
    job.in = input->data;
    job.out = output->data;
    job.condition = condition->data;
    if (job.tasks > 0) {
        opmill_parallel(job.tasks, job.threads, run_task, &job);
    }
    return OPMILL_OK;
}

void opmill_compress_choose(const opmill_tensor *input, const opmill_tensor *condition,
                            const opmill_shape *output, const opmill_compress_plan *plan,
                            const opmill_context *context, opmill_choice *choice) {
    (void)condition;
    compress_job job;
    describe(&job, input, output->dims[plan->axis], plan, context);
    const char *const variant = job.tasks == 0 ? "empty" : job.slice <= 16 ? "elements" : "slices";
    *choice = (opmill_choice){variant, OPMILL_ISA_PLAIN, job.threads};
}
