/* MatMulNBits: columns of the product in groups, each of whose weights become floats a chunk at a
 * time, for some rows of A.
 *
 * A chunk is summed in float in a fixed number of lanes, chunks are summed in double, so that a
 * result does not depend on the instruction set or on the number of threads. */
#include "families/matmul_nbits/kernel.h"

#include <string.h>

#include "runtime/call/message.h"
#include "runtime/platform/parallel.h"
#include "runtime/numbers/reals.h"
#include "runtime/call/workspace.h"

enum {
    CHUNK = 256, /* a multiple of each size of a block */
    LANES = 16,
    ROWS = 8,
    COLUMNS = 8,
    MIN_THREAD_PRODUCTS = 64 * 1024
};

/* The floats and sums of a thread. */
typedef struct space {
    double sums[ROWS][COLUMNS];
    float numbers[ROWS][CHUNK], weights[CHUNK];
} space;

typedef struct job {
    const opmill_tensor *a, *b, *scales, *zeros, *bias;
    const opmill_tensor *y;
    const int32_t *groups; /* of each element of a row, or NULL */
    int64_t rows, columns, depth, bits, block, blocks;
    int64_t share; /* columns of a task */
    int64_t threads;
    space *spaces; /* of each thread */
} job;

static int code_at(const uint8_t *row, int64_t k, int64_t bits) {
    return row[k * bits / 8] >> k * bits % 8 & ((1 << bits) - 1);
}

static float zero_at(const job *job, int64_t column, int64_t block) {
    if (job->zeros == NULL) {
        return (float)(1 << (job->bits - 1));
    }
    if (job->zeros->type == OPMILL_UINT8) {
        const int64_t bytes = (job->blocks * job->bits - 1) / 8 + 1;
        return (float)code_at((const uint8_t *)job->zeros->data + column * bytes, block, job->bits);
    }
    return (float)opmill_real_at(job->zeros->data, job->zeros->type, column * job->blocks + block);
}

/* Weights of a column from element `first` on, which begins a block. */
static void fetch_weights(const job *job, int64_t column, int64_t first, int64_t count, float *to) {
    const int64_t row_bytes = job->blocks * job->block * job->bits / 8;
    const uint8_t *const codes = (const uint8_t *)job->b->data + column * row_bytes;
    float zero = 0, scale = 0;
    for (int64_t i = 0; i < count; i++) {
        const int64_t k = first + i;
        if (job->groups != NULL || i % job->block == 0) {
            const int64_t block = job->groups != NULL ? job->groups[k] : k / job->block;
            zero = zero_at(job, column, block);
            scale = (float)opmill_real_at(job->scales->data, job->scales->type,
                                          column * job->blocks + block);
        }
        to[i] = ((float)code_at(codes, k, job->bits) - zero) * scale;
    }
}

static float dot(const float *a, const float *b, int64_t count) {
    float lanes[LANES] = {0};
    int64_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        for (int k = 0; k < LANES; k++) {
            lanes[k] += a[i + k] * b[i + k];
        }
    }
    for (int k = 0; i < count; i++, k++) {
        lanes[k] += a[i] * b[i];
    }
    for (int half = LANES / 2; half > 0; half /= 2) {
        for (int k = 0; k < half; k++) {
            lanes[k] += lanes[k + half];
        }
    }
    return lanes[0];
}

/* Some rows and columns of the product. */
static void run_tile(const job *job, space *space, int64_t row, int64_t rows, int64_t column,
                     int64_t columns) {
    double (*const sums)[COLUMNS] = space->sums;
    float (*const numbers)[CHUNK] = space->numbers, *const weights = space->weights;
    memset(sums, 0, sizeof space->sums);
    for (int64_t first = 0; first < job->depth; first += CHUNK) {
        const int64_t count = job->depth - first < CHUNK ? job->depth - first : CHUNK;
        for (int64_t i = 0; i < rows; i++) {
            const int64_t at = (row + i) * job->depth + first;
            if (job->a->type == OPMILL_FLOAT) {
                memcpy(numbers[i], (const float *)job->a->data + at, (size_t)count * sizeof(float));
                continue;
            }
            for (int64_t k = 0; k < count; k++) {
                numbers[i][k] = (float)opmill_real_at(job->a->data, job->a->type, at + k);
            }
        }
        for (int64_t j = 0; j < columns; j++) {
            fetch_weights(job, column + j, first, count, weights);
            for (int64_t i = 0; i < rows; i++) {
                sums[i][j] += (double)dot(numbers[i], weights, count);
            }
        }
    }
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; j < columns; j++) {
            double sum = sums[i][j];
            if (job->bias != NULL) {
                sum += opmill_real_at(job->bias->data, job->bias->type, column + j);
            }
            opmill_real_put(job->y->data, job->y->type, (row + i) * job->columns + column + j, sum);
        }
    }
}

static void run_task(void *state, int64_t task, int32_t worker) {
    const job *const job = state;
    const int64_t begin = task * job->share;
    const int64_t end = job->columns - begin < job->share ? job->columns : begin + job->share;
    for (int64_t column = begin; column < end; column += COLUMNS) {
        const int64_t columns = end - column < COLUMNS ? end - column : COLUMNS;
        for (int64_t row = 0; row < job->rows; row += ROWS) {
            const int64_t rows = job->rows - row < ROWS ? job->rows - row : ROWS;
            run_tile(job, &job->spaces[worker], row, rows, column, columns);
        }
    }
}

/* Each group is a block. */
static bool check_groups(const opmill_tensor *g_idx, int64_t blocks, opmill_context *context) {
    const int32_t *const groups = g_idx->data;
    for (int64_t i = 0; i < g_idx->dims[0]; i++) {
        if (groups[i] < 0 || groups[i] >= blocks) {
            opmill_message message = opmill_contents_begin(context);
            opmill_put_text(&message, "g_idx[");
            opmill_put_int(&message, i);
            opmill_put_text(&message, "] is ");
            opmill_put_int(&message, groups[i]);
            opmill_put_text(&message, ", expected 0 to ");
            opmill_put_int(&message, blocks - 1);
            return false;
        }
    }
    return true;
}

/* Sizes and shares; false where the product has no element. */
static bool describe(job *job, const opmill_tensor *a, const opmill_tensor *b,
                     const opmill_matmul_nbits_plan *plan, const opmill_context *context) {
    job->rows = 1;
    for (int32_t i = 0; i < a->rank - 1; i++) {
        job->rows *= a->dims[i];
    }
    job->columns = b->dims[0];
    job->depth = a->dims[a->rank - 1];
    job->bits = plan->bits;
    job->block = plan->block_size;
    job->blocks = plan->blocks;
    if (job->rows == 0 || job->columns == 0) {
        return false;
    }
    int64_t threads = job->columns / COLUMNS;
    const int64_t useful = (int64_t)((double)job->rows * (double)job->columns * (double)job->depth /
                                     MIN_THREAD_PRODUCTS);
    threads = threads < useful ? threads : useful;
    threads = threads < context->threads ? threads : context->threads;
    job->threads = threads > 1 ? threads : 1;
    job->share = ((job->columns - 1) / job->threads / COLUMNS + 1) * COLUMNS;
    return true;
}

size_t opmill_matmul_nbits_workspace_bytes(
    const opmill_tensor *a, const opmill_tensor *b, const opmill_tensor *scales,
    const opmill_tensor *zero_points, const opmill_tensor *g_idx, const opmill_tensor *bias,
    const opmill_shape *y, const opmill_matmul_nbits_plan *plan, const opmill_context *context) {
    job job;
    (void)scales;
    (void)zero_points;
    (void)g_idx;
    (void)bias;
    (void)y;
    if (!describe(&job, a, b, plan, context)) {
        return 0;
    }
    return opmill_workspace_size((uint64_t)job.threads * sizeof(space));
}

int opmill_matmul_nbits_compute(const opmill_tensor *a, const opmill_tensor *b,
                                const opmill_tensor *scales, const opmill_tensor *zero_points,
                                const opmill_tensor *g_idx, const opmill_tensor *bias,
                                opmill_tensor *y, const opmill_matmul_nbits_plan *plan,
                                opmill_context *context) {
    job job = {.a = a, .b = b, .scales = scales, .zeros = zero_points, .bias = bias, .y = y};
    if (g_idx != NULL && !check_groups(g_idx, plan->blocks, context)) {
        return OPMILL_ERROR_CALL;
    }
    job.groups = g_idx == NULL ? NULL : g_idx->data;
    if (!describe(&job, a, b, plan, context)) {
        return OPMILL_OK;
    }
    job.spaces = opmill_workspace_begin(context->workspace);
    opmill_parallel((job.columns - 1) / job.share + 1, (int32_t)job.threads, run_task, &job);
    return OPMILL_OK;
}
