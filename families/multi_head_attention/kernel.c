/* MultiHeadAttention: queries, new keys and new values with their bias go into scratch memory; the
 * rest is in runtime/attention. */
#include "families/multi_head_attention/kernel.h"

#include "runtime/attention/blocks.h"
#include "runtime/call/workspace.h"
#include "runtime/numbers/elements.h"
#include "runtime/numbers/halves.h"
#include "runtime/platform/parallel.h"
#include "runtime/platform/platform.h"

enum {
    BLOCK = OPMILL_ON_STACK(256, 64), /* elements that are widened at a time */
    MIN_TASK_ELEMENTS = 16 * 1024
};

/* The vectors of a tensor, to each of which the same one is added. */
typedef struct sum_job {
    const char *from, *bias;
    char *to;
    int32_t type;
    int64_t rows, width, share; /* vectors, elements of each, vectors of a task */
} sum_job;

static uint64_t times(uint64_t a, uint64_t b) {
    return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

static void add_floats(const float *restrict from, const float *restrict bias, float *restrict to,
                       int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        to[i] = from[i] + bias[i];
    }
}

/* A vector of a 16-bit type, added in float. */
static void add_halves(int32_t type, const uint16_t *from, const uint16_t *bias, uint16_t *to,
                       int64_t count) {
    float a[BLOCK], b[BLOCK];
    for (int64_t i = 0; i < count; i += BLOCK) {
        const int some = count - i < BLOCK ? (int)(count - i) : BLOCK;
        if (type == OPMILL_FLOAT16) {
            opmill_float16_widen_baseline(from + i, a, some);
            opmill_float16_widen_baseline(bias + i, b, some);
        } else {
            opmill_bfloat16_widen_baseline(from + i, a, some);
            opmill_bfloat16_widen_baseline(bias + i, b, some);
        }
        for (int k = 0; k < some; k++) {
            a[k] += b[k];
        }
        if (type == OPMILL_FLOAT16) {
            opmill_float16_narrow_baseline(a, to + i, some);
        } else {
            opmill_bfloat16_narrow_baseline(a, to + i, some);
        }
    }
}

static void run_task(void *state, int64_t task, int32_t worker) {
    const sum_job *const job = state;
    const int64_t bytes = opmill_type_bytes(job->type), first = task * job->share;
    const int64_t end = job->rows - first < job->share ? job->rows : first + job->share;
    (void)worker;
    for (int64_t row = first; row < end; row++) {
        const void *const from = job->from + row * job->width * bytes;
        void *const to = job->to + row * job->width * bytes;
        if (job->type == OPMILL_FLOAT) {
            add_floats(from, (const float *)(const void *)job->bias, to, job->width);
        } else {
            add_halves(job->type, from, (const uint16_t *)(const void *)job->bias, to, job->width);
        }
    }
}

/* The bytes of a tensor's sums; so many that no memory has them where the count overflows. */
static uint64_t sums_bytes(const opmill_tensor *tensor) {
    uint64_t bytes = (uint64_t)opmill_type_bytes(tensor->type);
    for (int32_t i = 0; i < tensor->rank; i++) {
        bytes = times(bytes, (uint64_t)tensor->dims[i]);
    }
    if (bytes > UINT64_MAX / 8) {
        return UINT64_MAX / 8;
    }
    return (bytes + OPMILL_WORKSPACE_ALIGNMENT - 1) / OPMILL_WORKSPACE_ALIGNMENT *
           OPMILL_WORKSPACE_ALIGNMENT;
}

/* The tensor plus its part of the bias, from element `first` on, in the workspace. Returns the
 * memory behind it. */
static char *add_bias(opmill_tensor *tensor, const opmill_tensor *bias, int64_t first, char *memory,
                      const opmill_context *context) {
    sum_job job = {.from = tensor->data,
                   .bias = (const char *)bias->data + first * opmill_type_bytes(bias->type),
                   .to = memory,
                   .type = tensor->type,
                   .rows = tensor->dims[0] * tensor->dims[1],
                   .width = tensor->dims[2]};
    if (job.rows == 0 || job.width == 0) {
        return memory;
    }
    job.share = job.width < MIN_TASK_ELEMENTS ? MIN_TASK_ELEMENTS / job.width : 1;
    const int64_t tasks = (job.rows - 1) / job.share + 1;
    tensor->data = memory;
    opmill_parallel(tasks, tasks > 1 ? context->threads : 1, run_task, &job);
    return memory + sums_bytes(tensor);
}

static opmill_attention_problem problem_of(const opmill_multi_head_attention_plan *plan) {
    const int64_t heads = plan->heads;
    const int64_t *const steps = plan->bias_steps.values, *const cells = plan->mask_steps.values;
    return (opmill_attention_problem){
        .kv_heads = heads,
        .group = 1,
        .length = plan->length,
        .fresh = plan->fresh,
        .past = plan->past,
        .past_rows = plan->past_rows,
        .present_rows = plan->present_rows,
        .size = plan->size,
        .value_size = plan->value_size,
        .separate_keys = plan->apart,
        .query_step = heads * plan->size,
        .key_step = heads * plan->size,
        .value_step = heads * plan->value_size,
        .has_scale = plan->scale != 0,
        .scale = plan->scale,
        .causal = plan->causal,
        .left = -1,
        .right = -1,
        .mask_steps = {steps[0], steps[1], steps[2]},
        .mask_length = plan->past + plan->fresh,
        .key_mask_form = plan->form == 1 ? OPMILL_ATTENTION_ENDS : OPMILL_ATTENTION_CELLS,
        .key_mask_steps = {cells[0], cells[1]},
        .filter = plan->filter,
        .copies_rest = plan->past_rows > 0,
        .mode = OPMILL_ATTENTION_BIASED,
    };
}

int opmill_multi_head_attention_compute(
    const opmill_tensor *query, const opmill_tensor *key, const opmill_tensor *value,
    const opmill_tensor *bias, const opmill_tensor *key_padding_mask,
    const opmill_tensor *attention_bias, const opmill_tensor *past_key,
    const opmill_tensor *past_value, opmill_tensor *output, opmill_tensor *present_key,
    opmill_tensor *present_value, opmill_tensor *qk, const opmill_multi_head_attention_plan *plan,
    opmill_context *context) {
    const opmill_attention_problem problem = problem_of(plan);
    const int64_t width = plan->heads * plan->size;
    opmill_tensor q = *query, k = *key, v = *value;
    char *memory = opmill_workspace_begin(context->workspace);
    if (bias != NULL && memory != NULL) {
        memory = add_bias(&q, bias, 0, memory, context);
        if (!plan->apart) {
            memory = add_bias(&k, bias, width, memory, context);
            memory = add_bias(&v, bias, 2 * width, memory, context);
        }
    }
    const opmill_attention_tensors tensors = {.Q = &q,
                                              .K = &k,
                                              .V = &v,
                                              .attn_mask = attention_bias,
                                              .past_key = past_key,
                                              .past_value = past_value,
                                              .Y = output,
                                              .present_key = present_key,
                                              .present_value = present_value,
                                              .qk_matmul_output = qk,
                                              .key_mask = key_padding_mask};
    opmill_attention_run(&tensors, &problem, context, memory);
    return OPMILL_OK;
}

size_t opmill_multi_head_attention_workspace_bytes(
    const opmill_tensor *query, const opmill_tensor *key, const opmill_tensor *value,
    const opmill_tensor *bias, const opmill_tensor *key_padding_mask,
    const opmill_tensor *attention_bias, const opmill_tensor *past_key,
    const opmill_tensor *past_value, const opmill_shape *output, const opmill_shape *present_key,
    const opmill_shape *present_value, const opmill_shape *qk,
    const opmill_multi_head_attention_plan *plan, const opmill_context *context) {
    const opmill_attention_problem problem = problem_of(plan);
    const opmill_attention_tensors tensors = {.Q = query, .K = key, .V = value};
    uint64_t sums = 0;
    (void)key_padding_mask;
    (void)attention_bias;
    (void)past_key;
    (void)past_value;
    (void)output;
    (void)present_key;
    (void)present_value;
    if (bias != NULL) {
        sums = sums_bytes(query) + (plan->apart ? 0 : sums_bytes(key) + sums_bytes(value));
    }
    const size_t rest = opmill_attention_workspace(&tensors, qk != NULL, &problem, context);
    return rest == SIZE_MAX ? rest : opmill_workspace_size(sums + rest);
}
