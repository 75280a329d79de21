/* MatMulNBits: columns of the product in groups, whose weights become floats that a product of
 * floats takes, or for few rows in registers, where dots.h has a function for that. Each task has
 * groups of its own, so that a result does not depend on the number of threads. */
#include "families/matmul_nbits/kernel.h"

#include <string.h>

#include "runtime/call/message.h"
#include "runtime/call/workspace.h"
#include "runtime/numbers/reals.h"
#include "runtime/platform/isa.h"
#include "runtime/platform/parallel.h"
#include "runtime/product/product.h"

#include "families/matmul_nbits/dots.h"
#include "families/matmul_nbits/weights.h"

enum {
    FEW_ROWS = 4,                 /* which read the weights of a group once */
    FEW_ROWS_WEIGHTS = 16 * 1024, /* of a group, which stay in the nearest cache that has room */
    WEIGHTS = 256 * 1024,
    MIN_COLUMNS = 8, /* of a group */
    MAX_COLUMNS = 128,
    MIN_THREAD_PRODUCTS = 64 * 1024
};

typedef struct job {
    const opmill_tensor *a, *b, *scales, *zeros, *bias;
    const opmill_tensor *y;
    const int32_t *groups; /* the block of each element of a row, or NULL */
    bool has_groups;
    opmill_nbits_widen *widen;
    opmill_nbits_dots *dots;                      /* or NULL */
    int64_t columns, bits, block, blocks, padded; /* the elements of all blocks of a row */
    int64_t width;                                /* of a group of columns */
    int64_t threads;
    opmill_matrix_product product;
    opmill_product_layout whole, last; /* of a group, and of the last one, which may be narrower */
    float *numbers; /* the elements of A, where they are no floats or dots want another order */
    float *weights; /* of each thread */
    char *rest;     /* what the product needs, for each thread */
    size_t rest_bytes;
} job;

/* The floats of a thread: the weights of a group, zero points and scales of a row, or of those that
 * are computed together. */
static int64_t float_count(const job *job) {
    return job->dots != NULL ? NBITS_COLUMNS * 2 * job->blocks
                             : job->width * job->padded + 2 * job->blocks;
}

static int code_at(const uint8_t *row, int64_t k, int64_t bits) {
    return row[k * bits / 8] >> k * bits % 8 & ((1 << bits) - 1);
}

/* The zero points of a row's blocks. */
static void fetch_zeros(const job *job, int64_t column, float *to) {
    const opmill_tensor *const zeros = job->zeros;
    const int64_t bits = job->bits, blocks = job->blocks;
    if (zeros == NULL) {
        for (int64_t i = 0; i < blocks; i++) {
            to[i] = (float)(1 << (bits - 1));
        }
    } else if (zeros->type == OPMILL_UINT8) {
        const uint8_t *const codes =
            (const uint8_t *)zeros->data + column * ((blocks * bits - 1) / 8 + 1);
        for (int64_t i = 0; i < blocks && bits == 4; i++) { /* a loop that compilers vectorise */
            to[i] = (float)(codes[i / 2] >> (i % 2 * 4) & 15);
        }
        for (int64_t i = 0; i < blocks && bits != 4; i++) {
            to[i] = (float)code_at(codes, i, bits);
        }
    } else {
        for (int64_t i = 0; i < blocks; i++) {
            to[i] = (float)opmill_real_at(zeros->data, zeros->type, column * blocks + i);
        }
    }
}

/* The scales of a row's blocks. */
static void fetch_scales(const job *job, int64_t column, float *to) {
    const opmill_tensor *const scales = job->scales;
    if (scales->type == OPMILL_FLOAT) {
        memcpy(to, (const float *)scales->data + column * job->blocks,
               (size_t)job->blocks * sizeof(float));
        return;
    }
    for (int64_t i = 0; i < job->blocks; i++) {
        to[i] = (float)opmill_real_at(scales->data, scales->type, column * job->blocks + i);
    }
}

/* The weights of a column; those of the last block that are behind the depth are not used. The zero
 * points are there already where all columns have the same ones. */
static void fetch_weights(const job *job, int64_t column, float *zeros, float *scales, float *to) {
    const uint8_t *const codes =
        (const uint8_t *)job->b->data + column * (job->padded * job->bits / 8);
    if (job->zeros != NULL) {
        fetch_zeros(job, column, zeros);
    }
    fetch_scales(job, column, scales);
    if (job->groups == NULL) {
        const nbits_row row = {codes, job->blocks, job->block, zeros, scales};
        job->widen(&row, to);
        return;
    }
    for (int64_t k = 0; k < job->product.k; k++) {
        const int64_t block = job->groups[k];
        to[k] = ((float)code_at(codes, k, job->bits) - zeros[block]) * scales[block];
    }
}

/* Stores `count` sums of each row, from a column on. */
static void put_sums(const job *job, int64_t column, int64_t count, const float *sums) {
    for (int64_t r = 0; r < job->product.m; r++) {
        for (int64_t i = 0; i < count; i++) {
            const int64_t at = r * job->columns + column + i;
            float number = sums[r * NBITS_COLUMNS + i];
            if (job->bias != NULL) {
                number += (float)opmill_real_at(job->bias->data, job->bias->type, column + i);
            }
            if (job->y->type == OPMILL_FLOAT) {
                ((float *)job->y->data)[at] = number;
            } else {
                opmill_real_put(job->y->data, job->y->type, at, (double)number);
            }
        }
    }
}

static void run_dots(void *state, int64_t task, int32_t worker) {
    const job *const job = state;
    const nbits_factors factors = {job->numbers, job->product.m, job->product.k};
    const int64_t left = job->columns - task * job->width;
    const int64_t end = left < job->width ? job->columns : (task + 1) * job->width;
    float *const zeros = job->weights + worker * float_count(job);
    float *const scales = zeros + NBITS_COLUMNS * job->blocks;
    if (job->zeros == NULL) {
        fetch_zeros(job, 0, zeros);
    }
    for (int64_t column = task * job->width; column < end; column += NBITS_COLUMNS) {
        const int64_t count = end - column < NBITS_COLUMNS ? end - column : NBITS_COLUMNS;
        float sums[NBITS_ROWS * NBITS_COLUMNS];
        nbits_row rows[NBITS_COLUMNS];
        for (int64_t i = 0; i < NBITS_COLUMNS; i++) { /* the last one fills up */
            const int64_t own = column + (i < count ? i : count - 1);
            nbits_row *const row = &rows[i];
            *row = (nbits_row){.blocks = job->blocks, .block = job->block, .zeros = zeros};
            row->codes = (const uint8_t *)job->b->data + own * (job->padded / 2);
            if (job->zeros != NULL) {
                row->zeros = zeros + i * job->blocks;
                fetch_zeros(job, own, zeros + i * job->blocks);
            }
            row->scales = scales + i * job->blocks;
            fetch_scales(job, own, scales + i * job->blocks);
        }
        job->dots(&factors, rows, sums);
        put_sums(job, column, count, sums);
    }
}

static void run_task(void *state, int64_t task, int32_t worker) {
    const job *const job = state;
    const int64_t column = task * job->width;
    const int64_t left = job->columns - column;
    const int64_t width = left < job->width ? left : job->width;
    float *const weights = job->weights + worker * float_count(job);
    float *const zeros = weights + job->width * job->padded, *const scales = zeros + job->blocks;
    opmill_matrix_product product = job->product;
    opmill_product_layout layout = width < job->width ? job->last : job->whole;
    const int64_t bytes = opmill_type_bytes(product.c_type);
    if (job->zeros == NULL) {
        fetch_zeros(job, column, zeros);
    }
    for (int64_t i = 0; i < width; i++) {
        fetch_weights(job, column + i, zeros, scales, weights + i * job->padded);
    }
    product.n = width;
    product.b = weights;
    product.c = (char *)product.c + column * bytes;
    if (product.bias != NULL) {
        product.bias = (const char *)product.bias + column * bytes;
    }
    layout.product = &product;
    opmill_product_run(&layout, job->rest + (size_t)worker * job->rest_bytes);
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

/* The products of groups. */
static void lay_out_products(job *job, const opmill_context *context) {
    opmill_matrix_product *const product = &job->product;
    opmill_context alone = *context;
    alone.threads = 1;
    product->n = (job->columns - 1) % job->width + 1;
    opmill_product_lay_out(&job->last, product, &alone);
    job->rest_bytes = opmill_product_workspace(&job->last);
    if (job->columns >= job->width) {
        product->n = job->width;
        opmill_product_lay_out(&job->whole, product, &alone);
        const size_t bytes = opmill_product_workspace(&job->whole);
        job->rest_bytes = bytes > job->rest_bytes ? bytes : job->rest_bytes;
    }
    job->rest_bytes = (job->rest_bytes + OPMILL_WORKSPACE_ALIGNMENT - 1) /
                      OPMILL_WORKSPACE_ALIGNMENT * OPMILL_WORKSPACE_ALIGNMENT;
}

/* Sizes, groups and the product of each; false where the product has no element. Data may be
 * missing. */
static bool describe(job *job, int32_t y_type, const opmill_matmul_nbits_plan *plan,
                     const opmill_context *context) {
    static const char missing = 0; /* placeholder until data are known */
    opmill_matrix_product *const product = &job->product;
    product->m = 1;
    for (int32_t i = 0; i < job->a->rank - 1; i++) {
        product->m *= job->a->dims[i];
    }
    job->columns = job->b->dims[0];
    job->bits = plan->bits;
    job->block = plan->block_size;
    job->blocks = plan->blocks;
    job->padded = job->block * job->blocks;
    if (product->m == 0 || job->columns == 0) {
        return false;
    }
    job->widen = opmill_nbits_widen_of(job->bits, opmill_isa_select(context->isa));
    job->width = (product->m <= FEW_ROWS ? FEW_ROWS_WEIGHTS : WEIGHTS) / job->padded;
    job->width = job->width > MAX_COLUMNS ? MAX_COLUMNS : job->width;
    if (job->width < MIN_COLUMNS) { /* but where a row alone is long */
        job->width = job->padded <= WEIGHTS ? MIN_COLUMNS : 1;
    }
    job->width = job->width < job->columns ? job->width : job->columns;
    product->k = job->a->dims[job->a->rank - 1];
    if (job->bits == 4 && product->m <= NBITS_ROWS && product->k % NBITS_GROUP == 0 &&
        !job->has_groups) {
        job->dots = opmill_nbits_dots_of(opmill_isa_select(context->isa));
    }
    product->type = product->a_type = product->b_type = OPMILL_FLOAT;
    product->c_type = y_type;
    product->a_row = product->k;
    product->a_column = 1;
    product->b_row = 1;
    product->b_column = job->padded;
    product->c_row = job->columns;
    product->batches = 1;
    product->alpha = product->beta = 1;
    if (job->bias != NULL) {
        product->bias = job->bias->data != NULL ? job->bias->data : &missing;
        product->bias_column = 1;
    }
    if (job->dots == NULL) {
        lay_out_products(job, context);
    }
    const int64_t useful = (int64_t)((double)product->m * (double)job->columns *
                                     (double)product->k / MIN_THREAD_PRODUCTS);
    int64_t threads = (job->columns - 1) / job->width + 1;
    threads = threads < useful ? threads : useful;
    threads = threads < context->threads ? threads : context->threads;
    job->threads = threads > 1 ? threads : 1;
    return true;
}

/* The elements of A that become floats. */
static uint64_t number_count(const job *job) {
    const bool is_moved = job->dots != NULL || job->a->type != OPMILL_FLOAT;
    return is_moved ? (uint64_t)job->product.m * (uint64_t)job->product.k : 0;
}

size_t opmill_matmul_nbits_workspace_bytes(
    const opmill_tensor *a, const opmill_tensor *b, const opmill_tensor *scales,
    const opmill_tensor *zero_points, const opmill_tensor *g_idx, const opmill_tensor *bias,
    const opmill_shape *y, const opmill_matmul_nbits_plan *plan, const opmill_context *context) {
    job job = {.a = a, .b = b, .bias = bias, .has_groups = g_idx != NULL};
    (void)scales;
    (void)zero_points;
    if (!describe(&job, y->type, plan, context)) {
        return 0;
    }
    const uint64_t weights = (uint64_t)float_count(&job) * sizeof(float);
    const uint64_t numbers = number_count(&job) * sizeof(float);
    return opmill_workspace_size((uint64_t)job.threads * (weights + job.rest_bytes) + numbers);
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
    job.has_groups = g_idx != NULL;
    job.groups = g_idx == NULL ? NULL : g_idx->data;
    if (!describe(&job, y->type, plan, context)) {
        return OPMILL_OK;
    }
    char *const workspace = opmill_workspace_begin(context->workspace);
    job.rest = workspace;
    job.weights = (float *)(void *)(workspace + (size_t)job.threads * job.rest_bytes);
    job.numbers = job.weights + job.threads * float_count(&job);
    job.product.a = a->data;
    job.product.c = y->data;
    const int64_t numbers = (int64_t)number_count(&job);
    if (numbers > 0) {
        for (int64_t i = 0; i < numbers; i++) {
            const int64_t to = job.dots != NULL ? opmill_nbits_position(i) : i;
            job.numbers[to] = (float)opmill_real_at(a->data, a->type, i);
        }
        job.product.a = job.numbers;
    }
    opmill_parallel((job.columns - 1) / job.width + 1, (int32_t)job.threads,
                    job.dots != NULL ? run_dots : run_task, &job);
    return OPMILL_OK;
}
