/* RotaryEmbedding: token by token, so that all heads share a row of the tables. */
#include "families/rotary_embedding/kernel.h"

#include "runtime/call/bounds.h"
#include "runtime/numbers/elements.h"
#include "runtime/platform/parallel.h"
#include "runtime/elementwise/rotation.h"

enum { MIN_TASK_ELEMENTS = 16 * 1024 };

typedef struct rotary_job {
    const opmill_tensor *x;
    const opmill_tensor *cosine;
    const opmill_tensor *sine;
    const opmill_tensor *positions; /* NULL where the tables have a row for each token */
    opmill_tensor *y;
    const opmill_rotary_embedding_plan *plan;
    int64_t tokens; /* of all batches */
    int64_t share;  /* of them, for a task */
    int32_t bytes;  /* of an element */
    bool follows;   /* the one position is that of the first token, the others follow */
} rotary_job;

static void run_token(const rotary_job *job, int64_t token) {
    const opmill_rotary_embedding_plan *const plan = job->plan;
    const int64_t length = plan->length, size = plan->size, heads = plan->heads;
    const int64_t batch = token / length, position = token % length;
    const bool separate = plan->separate != 0;
    const int64_t head =
        separate ? (batch * heads * length + position) * size : token * heads * size;
    const int64_t stride = separate ? length * size : size;
    const int64_t last = job->cosine->dims[0] - (job->follows ? length : 1);
    const int64_t row =
        job->positions == NULL
            ? token
            : opmill_bounds_read(job->positions, job->follows ? 0 : token, 0, last) +
                  (job->follows ? position : 0);
    const opmill_rotation rotation = {
        job->cosine->data, job->sine->data,  job->x->type, heads, size,
        plan->pairs,       plan->interleaved};
    opmill_rotate(&rotation, row, (const char *)job->x->data + head * job->bytes, stride,
                  (char *)job->y->data + head * job->bytes, stride);
}

static void run_task(void *state, int64_t task, int32_t worker) {
    const rotary_job *const job = state;
    const int64_t first = task * job->share;
    const int64_t end = job->tokens - first < job->share ? job->tokens : first + job->share;
    (void)worker;
    for (int64_t token = first; token < end; token++) {
        run_token(job, token);
    }
}

int opmill_rotary_embedding_compute(const opmill_tensor *X, const opmill_tensor *cos_cache,
                                    const opmill_tensor *sin_cache,
                                    const opmill_tensor *position_ids, opmill_tensor *Y,
                                    const opmill_rotary_embedding_plan *plan,
                                    opmill_context *context) {
    rotary_job job = {X, cos_cache, sin_cache, position_ids, Y, plan, 0, 1, 0, false};
    const int64_t width = plan->heads * plan->size;
    job.follows = position_ids != NULL && position_ids->rank == 1;
    if (position_ids != NULL &&
        !opmill_bounds_check(position_ids, "position_ids", 0,
                             cos_cache->dims[0] - (job.follows ? plan->length : 1), context)) {
        return OPMILL_ERROR_CALL;
    }
    job.tokens = X->dims[0] * plan->length;
    job.bytes = opmill_type_bytes(X->type);
    if (job.tokens == 0 || width == 0) {
        return OPMILL_OK;
    }
    job.share = width < MIN_TASK_ELEMENTS ? MIN_TASK_ELEMENTS / width : 1;
    const int64_t tasks = (job.tokens - 1) / job.share + 1;
    opmill_parallel(tasks, tasks > 1 ? context->threads : 1, run_task, &job);
    return OPMILL_OK;
}
