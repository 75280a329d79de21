/* CausalConvWithState: channel by channel, in blocks that the sums of all elements of a kernel go
 * to before the next. Computed in float. */
#include "families/causal_conv/kernel.h"

#include <string.h>

#include "runtime/numbers/elements.h"
#include "runtime/numbers/halves.h"
#include "runtime/platform/isa.h"
#include "runtime/math/math.h"
#include "runtime/platform/parallel.h"
#include "runtime/platform/platform.h"
#include "runtime/numbers/reals.h"

enum {
    BLOCK = OPMILL_ON_STACK(512, 128), /* elements of the output that are computed together */
    MIN_TASK_PRODUCTS = 16 * 1024
};

typedef struct causal_job {
    const opmill_tensor *input, *weight, *bias, *past;
    opmill_tensor *output, *present;
    int64_t channels, length, size;
    int64_t lines, share;         /* channels of all batch entries, and those of a task */
    int64_t bytes;                /* of an element */
    opmill_parameter_loop *swish; /* or NULL */
} causal_job;

static void widen(int32_t type, const void *from, int64_t first, float *to, int64_t count) {
    if (type == OPMILL_FLOAT) {
        memcpy(to, (const float *)from + first, (size_t)count * sizeof *to);
    } else if (type == OPMILL_FLOAT16) {
        opmill_float16_widen_baseline((const uint16_t *)from + first, to, (int)count);
    } else {
        opmill_bfloat16_widen_baseline((const uint16_t *)from + first, to, (int)count);
    }
}

static void narrow(int32_t type, const float *from, void *to, int64_t first, int64_t count) {
    if (type == OPMILL_FLOAT) {
        memcpy((float *)to + first, from, (size_t)count * sizeof *from);
    } else if (type == OPMILL_FLOAT16) {
        opmill_float16_narrow_baseline(from, (uint16_t *)to + first, (int)count);
    } else {
        opmill_bfloat16_narrow_baseline(from, (uint16_t *)to + first, (int)count);
    }
}

/* Elements of the state and the input behind it, from `start` on: where they are, or in `space`. */
static const float *fetch(const causal_job *job, int64_t line, int64_t start, int64_t count,
                          float *space) {
    const int64_t state = job->size - 1, type = job->input->type;
    const int64_t before = start >= state ? 0 : state - start < count ? state - start : count;
    const int64_t first = line * job->length + start + before - state;
    if (before == 0 && type == OPMILL_FLOAT) {
        return (const float *)job->input->data + first;
    }
    if (before > 0 && job->past != NULL) {
        widen((int32_t)type, job->past->data, line * state + start, space, before);
    } else if (before > 0) {
        memset(space, 0, (size_t)before * sizeof *space);
    }
    if (before < count) {
        widen((int32_t)type, job->input->data, first, space + before, count - before);
    }
    return space;
}

static void add_products(float weight, const float *restrict x, float *restrict sums,
                         int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        sums[i] += weight * x[i];
    }
}

static void run_line(const causal_job *job, int64_t line) {
    const int64_t channel = line % job->channels;
    const int32_t type = job->input->type;
    const float bias =
        job->bias != NULL ? (float)opmill_real_at(job->bias->data, type, channel) : 0;
    float sums[BLOCK], space[BLOCK];
    for (int64_t begin = 0; begin < job->length; begin += BLOCK) {
        const int64_t count = job->length - begin < BLOCK ? job->length - begin : BLOCK;
        for (int64_t i = 0; i < count; i++) {
            sums[i] = bias;
        }
        for (int64_t k = 0; k < job->size; k++) {
            const float weight =
                (float)opmill_real_at(job->weight->data, type, channel * job->size + k);
            add_products(weight, fetch(job, line, begin + k, count, space), sums, count);
        }
        const float *result = sums;
        if (job->swish != NULL) {
            job->swish(sums, space, count, 1, 1);
            result = space;
        }
        narrow(type, result, job->output->data, line * job->length + begin, count);
    }
}

/* The last elements, bit for bit. */
static void keep_state(const causal_job *job, int64_t line) {
    const int64_t state = job->size - 1;
    const int64_t past_length = job->length < state ? state - job->length : 0;
    char *const to = (char *)job->present->data + line * state * job->bytes;
    if (past_length > 0 && job->past != NULL) {
        memcpy(to,
               (const char *)job->past->data + (line * state + state - past_length) * job->bytes,
               (size_t)(past_length * job->bytes));
    } else if (past_length > 0) {
        memset(to, 0, (size_t)(past_length * job->bytes));
    }
    if (past_length < state) {
        const int64_t first = (line + 1) * job->length - (state - past_length);
        memcpy(to + past_length * job->bytes, (const char *)job->input->data + first * job->bytes,
               (size_t)((state - past_length) * job->bytes));
    }
}

static void run_task(void *state, int64_t task, int32_t worker) {
    const causal_job *const job = state;
    const int64_t first = task * job->share;
    const int64_t end = job->lines - first < job->share ? job->lines : first + job->share;
    (void)worker;
    for (int64_t line = first; line < end; line++) {
        run_line(job, line);
        if (job->size > 1) {
            keep_state(job, line);
        }
    }
}

int opmill_causal_conv_compute(const opmill_tensor *input, const opmill_tensor *weight,
                               const opmill_tensor *bias, const opmill_tensor *past_state,
                               opmill_tensor *output, opmill_tensor *present_state,
                               const opmill_causal_conv_plan *plan, opmill_context *context) {
    causal_job job = {.input = input,
                      .weight = weight,
                      .bias = bias,
                      .past = past_state,
                      .output = output,
                      .present = present_state,
                      .channels = input->dims[1],
                      .length = input->dims[2],
                      .size = plan->size};
    job.bytes = opmill_type_bytes(input->type);
    if (input->dims[0] == 0 || job.channels == 0 || (job.length == 0 && job.size == 1)) {
        return OPMILL_OK;
    }
    if (plan->activates) {
        job.swish = opmill_math_swish(OPMILL_FLOAT, opmill_isa_select(context->isa));
    }
    job.lines = input->dims[0] * job.channels;
    const double products = (double)job.length * (double)job.size + (double)job.size;
    job.share = products < MIN_TASK_PRODUCTS ? (int64_t)(MIN_TASK_PRODUCTS / products) : 1;
    const int64_t tasks = (job.lines - 1) / job.share + 1;
    opmill_parallel(tasks, tasks > 1 ? context->threads : 1, run_task, &job);
    return OPMILL_OK;
}
