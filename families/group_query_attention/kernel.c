/* GroupQueryAttention: queries and new keys are rotated into scratch memory, where they are; the
 * rest is in runtime/attention, which reads tensors in which queries, keys and values lie side by
 * side where they are. */
#include "families/group_query_attention/kernel.h"

#include "runtime/attention/blocks.h"
#include "runtime/call/bounds.h"
#include "runtime/numbers/elements.h"
#include "runtime/platform/parallel.h"
#include "runtime/elementwise/rotation.h"
#include "runtime/call/workspace.h"

enum { MIN_TASK_ELEMENTS = 16 * 1024 };

typedef struct rotation_job {
    const opmill_group_query_attention_plan *plan;
    const opmill_tensor *seqlens_k, *position_ids;
    opmill_rotation rotation; /* of the heads of queries */
    const char *query, *key;
    char *rotated_query, *rotated_key;
    int64_t query_step, key_step; /* from a token to the next, in elements */
    int64_t rows;                 /* of the tables */
    int64_t tokens, share;        /* of all batch entries, of a task */
    int64_t bytes;                /* of an element */
} rotation_job;

static uint64_t times(uint64_t a, uint64_t b) {
    return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

static bool starts(const opmill_group_query_attention_plan *plan) {
    return plan->length == plan->total;
}

static int64_t token_step(const opmill_group_query_attention_plan *plan) {
    const int64_t heads = plan->kv_heads * (plan->packed ? plan->group + 2 : plan->group);
    return heads * plan->size;
}

static opmill_attention_problem problem_of(const opmill_group_query_attention_plan *plan) {
    const int64_t heads = plan->kv_heads, size = plan->size;
    const int64_t step = plan->packed ? token_step(plan) : heads * size;
    const int64_t *const bias = plan->bias_steps.values;
    return (opmill_attention_problem){
        .kv_heads = heads,
        .group = plan->group,
        .length = plan->length,
        .fresh = plan->fresh,
        .past = plan->total - plan->fresh,
        .past_rows = plan->past_rows,
        .present_rows = plan->present_rows,
        .size = size,
        .value_size = size,
        .query_step = plan->rotates ? plan->group * heads * size : token_step(plan),
        .key_step = plan->rotates ? heads * size : step,
        .value_step = step,
        .has_scale = plan->scale != 0,
        .scale = plan->scale,
        .caps = plan->cap > 0,
        .cap = plan->cap,
        .causal = plan->causal,
        .starts = starts(plan),
        .left = plan->window > 0 ? plan->window - 1 : -1,
        .right = -1,
        .mask_steps = {bias[0], bias[1], bias[2]},
        .mask_length = plan->total,
        .has_sink = plan->smooth,
        .mode = plan->scores == 1 ? OPMILL_ATTENTION_BIASED : OPMILL_ATTENTION_WEIGHTS,
    };
}

/* The bytes of rotated queries, or of rotated keys. */
static uint64_t rotated_bytes(const opmill_group_query_attention_plan *plan,
                              const opmill_tensor *query, int64_t tokens, int64_t heads) {
    const uint64_t vectors = times(times((uint64_t)query->dims[0], (uint64_t)tokens),
                                   times((uint64_t)heads, (uint64_t)plan->size));
    const uint64_t bytes = times(vectors, (uint64_t)opmill_type_bytes(query->type));
    return !plan->rotates || bytes > UINT64_MAX / 4
               ? (plan->rotates ? UINT64_MAX / 4 : 0)
               : (bytes + OPMILL_WORKSPACE_ALIGNMENT - 1) / OPMILL_WORKSPACE_ALIGNMENT *
                     OPMILL_WORKSPACE_ALIGNMENT;
}

/* The row of the tables for a token. */
static int64_t row_of(const rotation_job *job, int64_t token) {
    const int64_t length = job->plan->length, batch = token / length, index = token % length;
    if (job->position_ids != NULL) {
        return starts(job->plan)
                   ? opmill_bounds_read(job->position_ids, 0, 0, job->rows - length) + index
                   : opmill_bounds_read(job->position_ids, token, 0, job->rows - 1);
    }
    if (starts(job->plan)) {
        return index;
    }
    return opmill_bounds_read(job->seqlens_k, batch, length - 1, job->plan->total - 1) + 1 -
           length + index;
}

static void run_task(void *state, int64_t task, int32_t worker) {
    const rotation_job *const job = state;
    const opmill_group_query_attention_plan *const plan = job->plan;
    const int64_t first = task * job->share, size = plan->size;
    const int64_t end = job->tokens - first < job->share ? job->tokens : first + job->share;
    opmill_rotation keys = job->rotation;
    keys.heads = plan->kv_heads;
    (void)worker;
    for (int64_t token = first; token < end; token++) {
        const int64_t row = row_of(job, token);
        opmill_rotate(&job->rotation, row, job->query + token * job->query_step * job->bytes, size,
                      job->rotated_query + token * job->rotation.heads * size * job->bytes, size);
        if (plan->fresh > 0) {
            opmill_rotate(&keys, row, job->key + token * job->key_step * job->bytes, size,
                          job->rotated_key + token * keys.heads * size * job->bytes, size);
        }
    }
}

static void rotate_all(rotation_job *job, const opmill_context *context) {
    const opmill_group_query_attention_plan *const plan = job->plan;
    const int64_t width = (plan->group + 1) * plan->kv_heads * plan->size;
    job->share = width < MIN_TASK_ELEMENTS && width > 0 ? MIN_TASK_ELEMENTS / width : 1;
    if (job->tokens > 0) {
        const int64_t tasks = (job->tokens - 1) / job->share + 1;
        opmill_parallel(tasks, tasks > 1 ? context->threads : 1, run_task, job);
    }
}

/* True if lengths and positions are in range; else the first that is not is reported. */
static bool check(const opmill_tensor *seqlens_k, const opmill_tensor *position_ids, int64_t rows,
                  const opmill_group_query_attention_plan *plan, opmill_context *context) {
    static const int64_t ONE[] = {1, 1};
    if (!opmill_bounds_check(seqlens_k, "seqlens_k", starts(plan) ? 0 : plan->length - 1,
                             plan->total - 1, context)) {
        return false;
    }
    if (!plan->rotates || position_ids == NULL || position_ids->dims[0] == 0) {
        return true;
    }
    if (starts(plan)) { /* the others follow the first one */
        const opmill_tensor first = {position_ids->data, ONE, 2, position_ids->type};
        return opmill_bounds_check(&first, "position_ids", 0, rows - plan->length, context);
    }
    return opmill_bounds_check(position_ids, "position_ids", 0, rows - 1, context);
}

int opmill_group_query_attention_compute(
    const opmill_tensor *query, const opmill_tensor *key, const opmill_tensor *value,
    const opmill_tensor *past_key, const opmill_tensor *past_value, const opmill_tensor *seqlens_k,
    const opmill_tensor *cos_cache, const opmill_tensor *sin_cache,
    const opmill_tensor *position_ids, const opmill_tensor *attention_bias,
    const opmill_tensor *head_sink, opmill_tensor *output, opmill_tensor *present_key,
    opmill_tensor *present_value, opmill_tensor *output_qk,
    const opmill_group_query_attention_plan *plan, opmill_context *context) {
    const int64_t heads = plan->group * plan->kv_heads, bytes = opmill_type_bytes(query->type);
    const int64_t rows = plan->rotates ? cos_cache->dims[0] : 0;
    if (!check(seqlens_k, position_ids, rows, plan, context)) {
        return OPMILL_ERROR_CALL;
    }
    opmill_tensor q = *query, k = key != NULL ? *key : *query, v = value != NULL ? *value : *query;
    if (plan->packed && query->data != NULL) {
        k.data = (char *)query->data + heads * plan->size * bytes;
        v.data = (char *)k.data + plan->kv_heads * plan->size * bytes;
    }
    char *memory = opmill_workspace_begin(context->workspace);
    if (plan->rotates) {
        rotation_job job = {.plan = plan,
                            .seqlens_k = seqlens_k,
                            .position_ids = position_ids,
                            .rotation = {cos_cache->data, sin_cache->data, query->type, heads,
                                         plan->size, plan->pairs, plan->interleaved},
                            .query = query->data,
                            .key = k.data,
                            .rotated_query = memory,
                            .query_step = token_step(plan),
                            .key_step = problem_of(plan).value_step,
                            .rows = rows,
                            .tokens = query->dims[0] * plan->length,
                            .bytes = bytes};
        if (memory != NULL) {
            q.data = memory;
            memory += rotated_bytes(plan, query, plan->length, heads);
            k.data = job.rotated_key = memory;
            memory += rotated_bytes(plan, query, plan->fresh, plan->kv_heads);
            rotate_all(&job, context);
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
                                              .qk_matmul_output =
                                                  plan->scores != 0 ? output_qk : NULL,
                                              .last_keys = seqlens_k,
                                              .sinks = head_sink};
    opmill_attention_problem problem = problem_of(plan);
    problem.has_sink = plan->smooth || head_sink != NULL;
    opmill_attention_run(&tensors, &problem, context, memory);
    return OPMILL_OK;
}

size_t opmill_group_query_attention_workspace_bytes(
    const opmill_tensor *query, const opmill_tensor *key, const opmill_tensor *value,
    const opmill_tensor *past_key, const opmill_tensor *past_value, const opmill_tensor *seqlens_k,
    const opmill_tensor *cos_cache, const opmill_tensor *sin_cache,
    const opmill_tensor *position_ids, const opmill_tensor *attention_bias,
    const opmill_tensor *head_sink, const opmill_shape *output, const opmill_shape *present_key,
    const opmill_shape *present_value, const opmill_shape *output_qk,
    const opmill_group_query_attention_plan *plan, const opmill_context *context) {
    const opmill_attention_tensors tensors = {
        .Q = query, .K = query, .V = query, .last_keys = seqlens_k};
    opmill_attention_problem problem = problem_of(plan);
    problem.has_sink = plan->smooth || head_sink != NULL;
    (void)key;
    (void)value;
    (void)past_key;
    (void)past_value;
    (void)cos_cache;
    (void)sin_cache;
    (void)position_ids;
    (void)attention_bias;
    (void)output;
    (void)present_key;
    (void)present_value;
    const uint64_t rotated =
        rotated_bytes(plan, query, plan->length, plan->group * plan->kv_heads) +
        rotated_bytes(plan, query, plan->fresh, plan->kv_heads);
    const size_t rest = opmill_attention_workspace(&tensors, output_qk != NULL, &problem, context);
    return opmill_workspace_size(rotated + rest);
}
