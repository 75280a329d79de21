/* DeformConv: the elements that the kernels take, interpolated, as the columns of a matrix; then a
 * product of matrices for a block of positions and a group. */
#include "families/deform_conv/kernel.h"

#include <string.h>

#include "families/deform_conv/gather.h"
#include "runtime/numbers/integers.h"
#include "runtime/platform/parallel.h"
#include "runtime/product/operands.h"
#include "runtime/product/product.h"
#include "runtime/call/workspace.h"

enum { BLOCK_ELEMENTS = 1 << 17, MIN_BLOCK = 64 };

typedef struct deform_problem {
    opmill_matrix_product product;
    deform_source source;
    int64_t group_channels, block;
    int64_t table_bytes, columns_bytes;
    int32_t threads;
} deform_problem;

static int64_t aligned(int64_t bytes) {
    const int64_t unit = OPMILL_WORKSPACE_ALIGNMENT;
    return (bytes + unit - 1) / unit * unit;
}

/* Describes the product of a block; false where the output is empty. Data may be missing. */
static bool describe(deform_problem *problem, const opmill_tensor *x, const opmill_tensor *w,
                     const opmill_tensor *offset, const opmill_tensor *bias,
                     const opmill_tensor *mask, const int64_t *y_dims,
                     const opmill_deform_conv_plan *plan, const opmill_context *context) {
    static const char missing = 0; /* placeholder until data are known */
    deform_source *const source = &problem->source;
    opmill_matrix_product *const product = &problem->product;
    memset(problem, 0, sizeof *problem);
    source->x = x;
    source->offset = offset;
    source->mask = mask;
    source->axes = x->rank - 2;
    source->offset_groups = plan->offset_group;
    source->taps = source->positions = source->pixels = 1;
    for (int32_t i = source->axes - 1; i >= 0; i--) {
        source->sizes[i] = x->dims[2 + i];
        source->kernel[i] = w->dims[2 + i];
        source->out[i] = y_dims[2 + i];
        source->steps[i] = source->pixels;
        source->taps *= w->dims[2 + i];
        source->positions *= y_dims[2 + i];
        source->pixels *= x->dims[2 + i];
    }
    if (y_dims[0] == 0 || y_dims[1] == 0 || source->positions == 0) {
        return false;
    }
    source->strides = plan->strides.values;
    source->dilations = plan->dilations.values;
    source->begin = plan->begin.values;
    source->wide = x->type == OPMILL_DOUBLE;
    problem->group_channels = w->dims[1];
    product->m = y_dims[1] / plan->group;
    product->k = w->dims[1] * source->taps;
    problem->block = opmill_min(source->positions,
                                opmill_max(BLOCK_ELEMENTS / opmill_max(product->k, 1), MIN_BLOCK));
    product->n = problem->block;
    product->type = opmill_product_sums(x->type);
    product->a_type = product->c_type = x->type;
    product->b_type = source->wide ? OPMILL_DOUBLE : OPMILL_FLOAT;
    product->a_row = product->k;
    product->a_column = 1;
    product->b_row = problem->block;
    product->b_column = 1;
    product->c_row = source->positions;
    product->batches = 1;
    product->alpha = 1;
    if (bias != NULL) {
        product->beta = 1;
        product->bias = bias->data != NULL ? bias->data : &missing;
        product->bias_row = 1;
    }
    const int64_t bytes = source->wide ? (int64_t)sizeof(double) : (int64_t)sizeof(float);
    problem->table_bytes = aligned(problem->block * (int64_t)sizeof(int64_t)) +
                           aligned(problem->block * (int64_t)sizeof(double));
    problem->columns_bytes = aligned(product->k * problem->block * bytes);
    problem->threads =
        (int32_t)opmill_min(opmill_max(context->threads, 1), source->taps * plan->offset_group);
    return true;
}

typedef struct fill_job {
    const deform_problem *problem;
    char *memory; /* tables, one for each worker */
    void *columns;
    int64_t n, first_channel, first, count; /* channels of a group, positions of a block */
    int64_t first_group;                    /* of offsets */
} fill_job;

/* A task is an element of the kernels and a group of offsets. */
static void fill_task(void *state, int64_t task, int32_t worker) {
    const fill_job *const job = state;
    const deform_problem *const problem = job->problem;
    const int64_t width = problem->source.x->dims[1] / problem->source.offset_groups;
    const int64_t tap = task % problem->source.taps,
                  group = job->first_group + task / problem->source.taps;
    char *const table = job->memory + worker * problem->table_bytes;
    const deform_part part = {
        .n = job->n,
        .group = group,
        .tap = tap,
        .begin = opmill_max(group * width, job->first_channel),
        .end = opmill_min((group + 1) * width, job->first_channel + problem->group_channels),
        .first = job->first,
        .count = job->count,
        .pitch = problem->block,
        .offsets = (int64_t *)(void *)table,
        .weights = (double *)(void *)(table + aligned(problem->block * (int64_t)sizeof(int64_t))),
    };
    opmill_deform_gather(&problem->source, &part, job->first_channel, job->columns);
}

static void run_block(deform_problem *problem, const opmill_product_layout *layout, fill_job *job) {
    const int64_t width = problem->source.x->dims[1] / problem->source.offset_groups;
    if (problem->product.k > 0) {
        const int64_t last = job->first_channel + problem->group_channels - 1;
        job->first_group = job->first_channel / width;
        opmill_parallel((last / width - job->first_group + 1) * problem->source.taps,
                        problem->threads, fill_task, job);
    }
    opmill_product_run(layout, job->memory + problem->threads * problem->table_bytes +
                                   problem->columns_bytes);
}

size_t opmill_deform_conv_workspace_bytes(const opmill_tensor *X, const opmill_tensor *W,
                                          const opmill_tensor *offset, const opmill_tensor *B,
                                          const opmill_tensor *mask, const opmill_shape *Y,
                                          const opmill_deform_conv_plan *plan,
                                          const opmill_context *context) {
    deform_problem problem;
    opmill_product_layout layout;
    if (!describe(&problem, X, W, offset, B, mask, Y->dims, plan, context)) {
        return 0;
    }
    size_t max_bytes = 0;
    for (int i = 0; i < 2; i++) { /* a whole block, and what is left of the positions */
        problem.product.n = i == 0 ? problem.block : problem.source.positions % problem.block;
        if (problem.product.n > 0) {
            opmill_product_lay_out(&layout, &problem.product, context);
            const size_t bytes = opmill_product_workspace(&layout);
            max_bytes = bytes > max_bytes ? bytes : max_bytes;
        }
    }
    return opmill_workspace_size(
        (uint64_t)(problem.threads * problem.table_bytes + problem.columns_bytes) + max_bytes);
}

int opmill_deform_conv_compute(const opmill_tensor *X, const opmill_tensor *W,
                               const opmill_tensor *offset, const opmill_tensor *B,
                               const opmill_tensor *mask, opmill_tensor *Y,
                               const opmill_deform_conv_plan *plan, opmill_context *context) {
    deform_problem problem;
    if (!describe(&problem, X, W, offset, B, mask, Y->dims, plan, context)) {
        return OPMILL_OK;
    }
    char *const memory = opmill_workspace_begin(context->workspace);
    fill_job job = {.problem = &problem, .memory = memory};
    job.columns = memory + problem.threads * problem.table_bytes;
    problem.product.b = job.columns;
    const int64_t bytes = X->type == OPMILL_DOUBLE ? 8 : X->type == OPMILL_FLOAT ? 4 : 2;
    const char *const bias = problem.product.bias;
    for (int64_t first = 0; first < problem.source.positions; first += problem.block) {
        opmill_product_layout layout;
        problem.product.n = opmill_min(problem.block, problem.source.positions - first);
        job.first = first;
        job.count = problem.product.n;
        opmill_product_lay_out(&layout, &problem.product, context);
        for (int64_t i = 0; i < Y->dims[0] * plan->group; i++) {
            const int64_t group = i % plan->group, map = group * problem.product.m;
            job.n = i / plan->group;
            job.first_channel = group * problem.group_channels;
            problem.product.a = (const char *)W->data + map * problem.product.k * bytes;
            problem.product.bias = bias != NULL ? bias + map * bytes : NULL;
            problem.product.c =
                (char *)Y->data +
                ((job.n * Y->dims[1] + map) * problem.source.positions + first) * bytes;
            run_block(&problem, &layout, &job);
        }
    }
    return OPMILL_OK;
}
