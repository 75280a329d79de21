/* RotaryEmbedding: token by token, so that all heads share a row of the tables. Computed in float.
 */
#include "families/rotary_embedding/kernel.h"

#include <string.h>

#include "runtime/call/bounds.h"
#include "runtime/numbers/elements.h"
#include "runtime/numbers/halves.h"
#include "runtime/platform/parallel.h"
#include "runtime/platform/platform.h"

enum {
    BLOCK = OPMILL_ON_STACK(256, 64), /* pairs that are widened at a time */
    MIN_TASK_ELEMENTS = 16 * 1024
};

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

static void rotate_halves(const float *restrict c, const float *restrict s,
                          const float *restrict x1, const float *restrict x2, float *restrict y1,
                          float *restrict y2, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        y1[i] = c[i] * x1[i] - s[i] * x2[i];
        y2[i] = s[i] * x1[i] + c[i] * x2[i];
    }
}

static void rotate_neighbours(const float *restrict c, const float *restrict s,
                              const float *restrict x, float *restrict y, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        const float first = x[2 * i], second = x[2 * i + 1];
        y[2 * i] = c[i] * first - s[i] * second;
        y[2 * i + 1] = s[i] * first + c[i] * second;
    }
}

static void widen(int32_t type, const uint16_t *from, float *to, int count) {
    if (type == OPMILL_FLOAT16) {
        opmill_float16_widen_baseline(from, to, count);
    } else {
        opmill_bfloat16_widen_baseline(from, to, count);
    }
}

static void narrow(int32_t type, const float *from, uint16_t *to, int count) {
    if (type == OPMILL_FLOAT16) {
        opmill_float16_narrow_baseline(from, to, count);
    } else {
        opmill_bfloat16_narrow_baseline(from, to, count);
    }
}

/* The pairs of one head in float. */
static void rotate_floats(const rotary_job *job, int64_t row, int64_t head) {
    const int64_t pairs = job->plan->pairs;
    const float *const x = (const float *)job->x->data + head;
    const float *const c = (const float *)job->cosine->data + row * pairs;
    const float *const s = (const float *)job->sine->data + row * pairs;
    float *const y = (float *)job->y->data + head;
    if (job->plan->interleaved != 0) {
        rotate_neighbours(c, s, x, y, pairs);
    } else {
        rotate_halves(c, s, x, x + pairs, y, y + pairs, pairs);
    }
}

/* A block of pairs of every head of a token, in one of the 16-bit types. */
static void rotate_block(const rotary_job *job, int64_t row, int64_t head, int64_t stride,
                         int64_t begin, int count) {
    const int32_t type = job->x->type;
    const int64_t pairs = job->plan->pairs;
    const bool neighbours = job->plan->interleaved != 0;
    float c[BLOCK], s[BLOCK], x[2 * BLOCK], y[2 * BLOCK];
    widen(type, (const uint16_t *)job->cosine->data + row * pairs + begin, c, count);
    widen(type, (const uint16_t *)job->sine->data + row * pairs + begin, s, count);
    for (int64_t i = 0; i < job->plan->heads; i++, head += stride) {
        const uint16_t *const from = (const uint16_t *)job->x->data + head;
        uint16_t *const to = (uint16_t *)job->y->data + head;
        if (neighbours) {
            widen(type, from + 2 * begin, x, 2 * count);
            rotate_neighbours(c, s, x, y, count);
            narrow(type, y, to + 2 * begin, 2 * count);
        } else {
            widen(type, from + begin, x, count);
            widen(type, from + pairs + begin, x + BLOCK, count);
            rotate_halves(c, s, x, x + BLOCK, y, y + BLOCK, count);
            narrow(type, y, to + begin, count);
            narrow(type, y + BLOCK, to + pairs + begin, count);
        }
    }
}

static void run_token(const rotary_job *job, int64_t token) {
    const opmill_rotary_embedding_plan *const plan = job->plan;
    const int64_t length = plan->length, size = plan->size, heads = plan->heads;
    const int64_t batch = token / length, place = token % length;
    const bool separate = plan->separate != 0;
    const int64_t head = separate ? (batch * heads * length + place) * size : token * heads * size;
    const int64_t stride = separate ? length * size : size;
    const int64_t rotated = 2 * plan->pairs;
    const int64_t last = job->cosine->dims[0] - (job->follows ? length : 1);
    const int64_t row =
        job->positions == NULL
            ? token
            : opmill_bounds_read(job->positions, job->follows ? 0 : token, 0, last) +
                  (job->follows ? place : 0);
    if (job->x->type == OPMILL_FLOAT) {
        for (int64_t i = 0; i < heads; i++) {
            rotate_floats(job, row, head + i * stride);
        }
    } else {
        for (int64_t begin = 0; begin < plan->pairs; begin += BLOCK) {
            const int64_t left = plan->pairs - begin;
            rotate_block(job, row, head, stride, begin, (int)(left < BLOCK ? left : BLOCK));
        }
    }
    for (int64_t i = 0; i < heads && rotated < size; i++) {
        const int64_t at = (head + i * stride + rotated) * job->bytes;
        memcpy((char *)job->y->data + at, (const char *)job->x->data + at,
               (size_t)(size - rotated) * (size_t)job->bytes);
    }
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
