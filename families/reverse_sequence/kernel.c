/* ReverseSequence: what is inward of both axes stays together. */
#include "families/reverse_sequence/kernel.h"

#include "runtime/call/bounds.h"
#include "runtime/numbers/elements.h"
#include "runtime/platform/parallel.h"
#include "runtime/platform/platform.h"
#include "runtime/copy/slices.h"

enum {
    MIN_THREAD_BYTES = 256 * 1024,     /* for a thread of its own */
    BLOCK = OPMILL_ON_STACK(1024, 128) /* slices whose origins are found at a time */
};

typedef struct reverse_job {
    const opmill_tensor *lengths;
    const uint8_t *in;
    uint8_t *out;
    int64_t outer; /* positions of the first axis, one a task */
    int64_t inner; /* of the second */
    int64_t slice; /* bytes */
    bool batch_first;
    int32_t threads;
} reverse_job;

static void describe(reverse_job *job, const opmill_tensor *input,
                     const opmill_reverse_sequence_plan *plan, const opmill_context *context) {
    job->outer = input->dims[0];
    job->inner = input->dims[1];
    job->slice = opmill_type_bytes(input->type);
    for (int32_t i = 2; i < input->rank; i++) {
        job->slice *= input->dims[i];
    }
    job->batch_first = plan->batch_first != 0;
    const int64_t max_threads = job->outer * job->inner * job->slice / MIN_THREAD_BYTES;
    job->threads = context->threads < 2 || max_threads < 2 ? 1
                   : max_threads < context->threads        ? (int32_t)max_threads
                                                           : context->threads;
}

static void run_task(void *state, int64_t task, int32_t worker) {
    const reverse_job *const job = state;
    const int64_t longest = job->batch_first ? job->inner : job->outer;
    int64_t origins[BLOCK];
    int64_t length = 0;
    (void)worker;
    if (job->batch_first) {
        length = opmill_bounds_read(job->lengths, task, 0, longest);
    }
    for (int64_t first = 0; first < job->inner; first += BLOCK) {
        const int64_t count = job->inner - first < BLOCK ? job->inner - first : (int64_t)BLOCK;
        for (int64_t i = 0; i < count; i++) {
            const int64_t at = first + i;
            if (job->batch_first) {
                origins[i] = task * job->inner + (at < length ? length - 1 - at : at);
            } else {
                length = opmill_bounds_read(job->lengths, at, 0, longest);
                origins[i] = (task < length ? length - 1 - task : task) * job->inner + at;
            }
        }
        opmill_move_slices(job->out + (task * job->inner + first) * job->slice, job->in, origins,
                           count, job->slice);
    }
}

int opmill_reverse_sequence_compute(const opmill_tensor *input, const opmill_tensor *sequence_lens,
                                    opmill_tensor *Y, const opmill_reverse_sequence_plan *plan,
                                    opmill_context *context) {
    reverse_job job;
    describe(&job, input, plan, context);
    const int64_t longest = job.batch_first ? job.inner : job.outer;
    if (!opmill_bounds_check(sequence_lens, "sequence_lens", 0, longest, context)) {
        return OPMILL_ERROR_CALL;
    }
    job.lengths = sequence_lens;
    job.in = input->data;
    job.out = Y->data;
    if (job.inner > 0 && job.slice > 0) { /* else the outer axis could be of any length */
        opmill_parallel(job.outer, job.threads, run_task, &job);
    }
    return OPMILL_OK;
}

void opmill_reverse_sequence_choose(const opmill_tensor *input, const opmill_tensor *sequence_lens,
                                    const opmill_shape *Y, const opmill_reverse_sequence_plan *plan,
                                    const opmill_context *context, opmill_choice *choice) {
    reverse_job job;
    (void)sequence_lens;
    (void)Y;
    describe(&job, input, plan, context);
    *choice = (opmill_choice){"slices", OPMILL_ISA_PLAIN, job.threads};
}
