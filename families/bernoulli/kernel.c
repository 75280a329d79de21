/* Bernoulli: uniform random numbers below the probabilities. All of these are checked before a
 * result is written. */
#include "families/bernoulli/kernel.h"

#include "families/bernoulli/chances.h"
#include "runtime/numbers/elements.h"
#include "runtime/elementwise/elementwise_shares.h"
#include "runtime/platform/isa.h"
#include "runtime/call/message.h"
#include "runtime/platform/parallel.h"
#include "runtime/numbers/random_numbers.h"
#include "runtime/numbers/reals.h"

typedef struct bernoulli_job {
    bernoulli_chances chances;
    bernoulli_loops loops;
    int64_t count;
    opmill_shares shares;
} bernoulli_job;

/* The pattern of 1 in an element type; integers and bool are as they are. */
static uint64_t one_of(int32_t type) {
    switch (type) {
    case OPMILL_FLOAT:
        return UINT32_C(0x3f800000);
    case OPMILL_DOUBLE:
        return UINT64_C(0x3ff0000000000000);
    case OPMILL_FLOAT16:
        return 0x3c00;
    case OPMILL_BFLOAT16:
        return 0x3f80;
    default:
        return 1;
    }
}

static int32_t run_at(int64_t at, int64_t end) {
    return (int32_t)(end - at < OPMILL_RANDOM_RUN ? end - at : OPMILL_RANDOM_RUN);
}

static void run_task(void *state, int64_t task, int32_t worker) {
    const bernoulli_job *const job = state;
    const int64_t begin = task * job->shares.step;
    const int64_t left = job->count - begin;
    const int64_t end = begin + (left < job->shares.step ? left : job->shares.step);
    (void)worker;
    for (int64_t at = begin; at < end; at += OPMILL_RANDOM_RUN) {
        job->loops.compute(&job->chances, at, run_at(at, end));
    }
}

/* The first element from `at` on that is no probability. */
static void report(const opmill_tensor *input, int64_t at, opmill_context *context) {
    int64_t index[OPMILL_MAX_RANK];
    double p = opmill_real_at(input->data, input->type, at);
    while (p >= 0 && p <= 1) {
        at++;
        p = opmill_real_at(input->data, input->type, at);
    }
    for (int32_t i = input->rank; i-- > 0;) {
        index[i] = at % input->dims[i];
        at /= input->dims[i];
    }
    opmill_message message = opmill_contents_begin(context);
    opmill_put_text(&message, "input");
    if (input->rank > 0) {
        opmill_put_ints(&message, index, input->rank);
    }
    opmill_put_text(&message, " is ");
    opmill_put_float(&message, p);
    opmill_put_text(&message, ", expected 0 to 1");
}

int opmill_bernoulli_compute(const opmill_tensor *input, opmill_tensor *output,
                             const opmill_bernoulli_plan *plan, opmill_context *context) {
    bernoulli_job job = {0};
    job.count = 1;
    for (int32_t i = 0; i < input->rank; i++) {
        job.count *= input->dims[i];
    }
    if (job.count == 0) {
        return OPMILL_OK;
    }
    job.chances.key = opmill_random_key(plan->seed);
    job.chances.from = input->data;
    job.chances.to = output->data;
    job.chances.from_type = input->type;
    job.chances.from_bytes = opmill_type_bytes(input->type);
    job.chances.to_bytes = opmill_type_bytes(output->type);
    job.chances.one = one_of(output->type);
    job.loops = opmill_bernoulli_loops(opmill_isa_select(context->isa));
    for (int64_t at = 0; at < job.count; at += OPMILL_RANDOM_RUN) {
        if (!job.loops.check(&job.chances, at, run_at(at, job.count))) {
            report(input, at, context);
            return OPMILL_ERROR_CALL;
        }
    }
    job.shares = opmill_share(job.count, job.chances.to_bytes, OPMILL_RANDOM_RUN, false, context);
    opmill_parallel(job.shares.tasks, job.shares.threads, run_task, &job);
    return OPMILL_OK;
}
