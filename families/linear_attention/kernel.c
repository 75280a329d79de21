/* LinearAttention: a block of columns of the state of a head is a task, which takes all tokens one
 * after the other. Between tokens the block lies in the workspace; the first token reads the past
 * and the last one writes the present state where they are, if these are float. */
#include "families/linear_attention/kernel.h"

#include <math.h>
#include <string.h>

#include "families/linear_attention/step.h"
#include "runtime/cast/loops.h"
#include "runtime/numbers/elements.h"
#include "runtime/platform/isa.h"
#include "runtime/math/math.h"
#include "runtime/platform/parallel.h"
#include "runtime/call/workspace.h"

enum {
    BLOCK = 64, /* columns: with 128 rows, 32 KiB */
    MIN_THREAD_PRODUCTS = 64 * 1024
};

typedef opmill_linear_attention_plan plan_type;

typedef struct linear_job {
    const opmill_tensor *query, *key, *value, *past, *decay, *beta;
    opmill_tensor *output, *present;
    const plan_type *plan;
    const cast_loops *loops;
    opmill_linear_step *step;
    opmill_math_loop *exp;
    int32_t type, state_type;
    int64_t tokens, blocks, tasks;
    float scale;
    int32_t threads;
    char *memory;
    /* Offsets in the part of the workspace that a thread has. */
    uint64_t state, factors, logarithms, numbers, results;
    uint64_t worker_bytes;
} linear_job;

static uint64_t times(uint64_t a, uint64_t b) {
    return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

/* Offset of an array of a * b floats behind all others; a sum that overflows stays too large. */
static uint64_t reserve(linear_job *job, int64_t a, int64_t b) {
    const uint64_t at = job->worker_bytes;
    const uint64_t size = times(times((uint64_t)a, (uint64_t)b), sizeof(float));
    const uint64_t limit = UINT64_MAX - (uint64_t)OPMILL_WORKSPACE_ALIGNMENT * 2;
    job->worker_bytes = size > limit - at
                            ? limit
                            : (at + size + OPMILL_WORKSPACE_ALIGNMENT - 1) /
                                  OPMILL_WORKSPACE_ALIGNMENT * OPMILL_WORKSPACE_ALIGNMENT;
    return at;
}

static opmill_linear_step *step_for(int32_t isa) {
    switch (isa) {
#if OPMILL_X86_64
    case OPMILL_ISA_AVX512:
        return opmill_linear_step_avx512;
    case OPMILL_ISA_AVX2:
        return opmill_linear_step_avx2;
#endif
#if OPMILL_GNU
    case OPMILL_ISA_NEON:
    case OPMILL_ISA_BASELINE:
        return opmill_linear_step_baseline;
#endif
    default:
        return opmill_linear_step_plain;
    }
}

/* False where there is neither a token nor a state. */
static bool lay_out(linear_job *job, const opmill_tensor *query, int32_t state_type,
                    const plan_type *plan, const opmill_context *context) {
    const int32_t isa = opmill_isa_select(context->isa);
    const double batch = (double)query->dims[0];
    memset(job, 0, sizeof *job);
    job->plan = plan;
    job->loops = opmill_cast_loops_for(context->isa);
    job->step = step_for(isa);
    job->exp = opmill_math_exp(OPMILL_FLOAT, isa);
    job->type = query->type;
    job->state_type = state_type;
    job->tokens = query->dims[1];
    job->scale = (float)(plan->has_scale ? plan->scale : 1 / sqrt((double)plan->size));
    if (query->dims[0] == 0 || plan->value_size == 0 || (job->tokens == 0 && plan->size == 0)) {
        return false;
    }
    job->blocks = (plan->value_size - 1) / BLOCK + 1;
    job->tasks = query->dims[0] * plan->heads * job->blocks;
    if (job->tokens > 0) {
        const bool is_float = job->type == OPMILL_FLOAT;
        job->state = reserve(job, plan->size, BLOCK);
        job->factors = reserve(job, plan->size > 0 ? plan->size : 1, 1);
        job->logarithms = reserve(job, is_float ? 0 : plan->size > 0 ? plan->size : 1, 1);
        job->numbers = reserve(job, is_float ? 0 : plan->group + 1, plan->size);
        job->results = reserve(job, is_float ? 0 : plan->group + 1, BLOCK);
    }
    job->threads = 1;
    if (batch * (double)plan->heads * (double)plan->size * (double)plan->value_size *
                ((double)job->tokens + 1) >=
            MIN_THREAD_PRODUCTS &&
        context->threads > 1) {
        job->threads = job->tasks < context->threads ? (int32_t)job->tasks : context->threads;
        job->threads = opmill_parallel_threads(job->threads);
    }
    return true;
}

static void convert(const linear_job *job, const void *from, int32_t from_type, void *to,
                    int32_t to_type, int64_t count) {
    if (from_type == to_type) {
        memcpy(to, from, (size_t)(count * opmill_type_bytes(to_type)));
    } else if (count > 0) {
        job->loops->between[from_type][to_type](to, from, count);
    }
}

/* Numbers of an input as floats: where they are, or in `space`. An input without elements may have
 * no memory, to which nothing can be added. */
static const float *fetch(const linear_job *job, const opmill_tensor *from, int64_t first,
                          int64_t count, float *space) {
    if (count == 0) {
        return space;
    }
    if (from->type == OPMILL_FLOAT) {
        return (const float *)from->data + first;
    }
    convert(job, (const uint16_t *)from->data + first, from->type, space, OPMILL_FLOAT, count);
    return space;
}

/* A block of a tensor of states, row by row, from or to the workspace. */
static void move_block(const linear_job *job, const opmill_tensor *states, int64_t first,
                       int64_t columns, float *space, bool stores) {
    const int64_t bytes = opmill_type_bytes(job->state_type);
    for (int64_t row = 0; row < job->plan->size; row++) {
        char *const at = (char *)states->data + (first + row * job->plan->value_size) * bytes;
        if (stores) {
            convert(job, space + row * BLOCK, OPMILL_FLOAT, at, job->state_type, columns);
        } else {
            convert(job, at, job->state_type, space + row * BLOCK, OPMILL_FLOAT, columns);
        }
    }
}

/* The states of a block where there are no tokens, bit for bit. */
static void keep_block(const linear_job *job, int64_t first, int64_t columns) {
    const int64_t bytes = opmill_type_bytes(job->state_type);
    for (int64_t row = 0; row < job->plan->size; row++) {
        const int64_t at = (first + row * job->plan->value_size) * bytes;
        if (job->past != NULL) {
            memcpy((char *)job->present->data + at, (const char *)job->past->data + at,
                   (size_t)(columns * bytes));
        } else {
            memset((char *)job->present->data + at, 0, (size_t)(columns * bytes));
        }
    }
}

/* One token: `at` is its number among those of all batch entries. */
static void run_token(const linear_job *job, opmill_linear_token *token, int64_t at, int64_t head,
                      int64_t column, char *memory) {
    const plan_type *const plan = job->plan;
    const int64_t position = at * plan->heads + head, group = plan->group;
    float *const numbers = (float *)(void *)(memory + job->numbers);
    float *const results = (float *)(void *)(memory + job->results);
    const int64_t first = position * group * plan->value_size + column;
    token->key = fetch(job, job->key, position * plan->size, plan->size, numbers);
    token->query = fetch(job, job->query, position * group * plan->size, group * plan->size,
                         numbers + plan->size);
    token->value =
        fetch(job, job->value, position * plan->value_size + column, token->columns, results);
    if (job->decay != NULL) {
        const int64_t count = plan->decays_rows ? plan->size : 1;
        float *const factors = (float *)(void *)(memory + job->factors);
        job->exp(fetch(job, job->decay, position * count, count,
                       (float *)(void *)(memory + job->logarithms)),
                 factors, count);
        token->factors = factors;
        token->factors_step = plan->decays_rows ? 1 : 0;
    }
    if (job->beta != NULL) {
        float space;
        token->beta = *fetch(job, job->beta, plan->shares_beta ? at : position, 1, &space);
        token->corrects = true;
    }
    if (job->type == OPMILL_FLOAT) {
        token->result = (float *)job->output->data + first;
        token->result_step = plan->value_size;
        job->step(token);
        return;
    }
    token->result = results + BLOCK;
    token->result_step = BLOCK;
    job->step(token);
    for (int64_t i = 0; i < group; i++) {
        convert(job, token->result + i * BLOCK, OPMILL_FLOAT,
                (uint16_t *)job->output->data + first + i * plan->value_size, job->type,
                token->columns);
    }
}

static void run_task(void *state, int64_t task, int32_t worker) {
    const linear_job *const job = state;
    const plan_type *const plan = job->plan;
    const int64_t position = task / job->blocks, column = task % job->blocks * BLOCK;
    const int64_t batch = position / plan->heads, head = position % plan->heads;
    const int64_t left = plan->value_size - column, columns = left < BLOCK ? left : BLOCK;
    const int64_t first = position * plan->size * plan->value_size + column;
    const bool is_float = job->state_type == OPMILL_FLOAT, in_place = is_float && plan->size > 0;
    if (job->tokens == 0) {
        keep_block(job, first, columns);
        return;
    }
    char *const memory = job->memory + (uint64_t)worker * job->worker_bytes;
    float *const space = (float *)(void *)(memory + job->state);
    opmill_linear_token token = {
        .rows = plan->size, .columns = columns, .queries = plan->group, .scale = job->scale};
    if (job->past == NULL) {
        memset(space, 0, (size_t)plan->size * BLOCK * sizeof *space);
    } else if (!is_float) {
        move_block(job, job->past, first, columns, space, false);
    }
    for (int64_t t = 0; t < job->tokens; t++) {
        const bool from_past = t == 0 && in_place && job->past != NULL;
        const bool to_present = t == job->tokens - 1 && in_place;
        token.from = from_past ? (const float *)job->past->data + first : space;
        token.from_step = from_past ? plan->value_size : BLOCK;
        token.to = to_present ? (float *)job->present->data + first : space;
        token.to_step = to_present ? plan->value_size : BLOCK;
        run_token(job, &token, batch * job->tokens + t, head, column, memory);
    }
    if (!is_float) {
        move_block(job, job->present, first, columns, space, true);
    }
}

int opmill_linear_attention_compute(const opmill_tensor *query, const opmill_tensor *key,
                                    const opmill_tensor *value, const opmill_tensor *past_state,
                                    const opmill_tensor *decay, const opmill_tensor *beta,
                                    opmill_tensor *output, opmill_tensor *present_state,
                                    const plan_type *plan, opmill_context *context) {
    linear_job job;
    if (!lay_out(&job, query, present_state->type, plan, context)) {
        return OPMILL_OK;
    }
    job.query = query;
    job.key = key;
    job.value = value;
    job.past = past_state;
    job.decay = decay;
    job.beta = beta;
    job.output = output;
    job.present = present_state;
    job.memory = opmill_workspace_begin(context->workspace);
    opmill_parallel(job.tasks, job.threads, run_task, &job);
    return OPMILL_OK;
}

size_t opmill_linear_attention_workspace_bytes(
    const opmill_tensor *query, const opmill_tensor *key, const opmill_tensor *value,
    const opmill_tensor *past_state, const opmill_tensor *decay, const opmill_tensor *beta,
    const opmill_shape *output, const opmill_shape *present_state, const plan_type *plan,
    const opmill_context *context) {
    linear_job job;
    (void)key;
    (void)value;
    (void)past_state;
    (void)decay;
    (void)beta;
    (void)output;
    (void)present_state;
    if (!lay_out(&job, query, OPMILL_FLOAT, plan, context)) {
        return 0;
    }
    return opmill_workspace_size(times(job.worker_bytes, (uint64_t)job.threads));
}
