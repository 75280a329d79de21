/* GroupedMatMul: the selections, sorted by the matrix that they select, in blocks that share one.
 *
 * The rows of a block are copied to lie next to each other, multiplied by its matrix at once, and
 * the result is copied to the rows of the output. In which order a row is summed depends on how
 * many rows its block has. */
#include "families/grouped_matmul/kernel.h"

#include <string.h>

#include "runtime/call/bounds.h"
#include "runtime/numbers/elements.h"
#include "runtime/product/operands.h"
#include "runtime/product/product.h"
#include "runtime/call/workspace.h"

enum { BLOCK_ROWS = 128 };

/* A call: its sizes, and where in the workspace its parts begin. */
typedef struct job {
    const opmill_tensor *input, *weights, *bias;
    int64_t selections; /* of a row */
    int64_t count;      /* of all rows */
    int64_t depth, columns;
    int64_t block; /* maximum number of rows of a block */
    uint64_t element;
    uint64_t order, spare, rows, sums, products, bytes;
} job;

/* Reserves an aligned part of the workspace; a size beyond uint64 becomes UINT64_MAX, and stays. */
static uint64_t reserve(job *job, int64_t count, int64_t size, uint64_t element) {
    const uint64_t begin = job->bytes, limit = UINT64_MAX - 2 * OPMILL_WORKSPACE_ALIGNMENT;
    if (size > 0 && (uint64_t)count > (limit / element) / (uint64_t)size) {
        job->bytes = UINT64_MAX;
        return begin;
    }
    const uint64_t bytes = (uint64_t)count * (uint64_t)size * element;
    const uint64_t aligned = (bytes + OPMILL_WORKSPACE_ALIGNMENT - 1) / OPMILL_WORKSPACE_ALIGNMENT *
                             OPMILL_WORKSPACE_ALIGNMENT;
    job->bytes = aligned < UINT64_MAX - begin ? begin + aligned : UINT64_MAX;
    return begin;
}

/* Lays the workspace out, but for that of products; false where the output has no element. */
static bool describe(job *job, const opmill_tensor *input, const opmill_tensor *weights,
                     const opmill_tensor *indices, const opmill_tensor *bias) {
    memset(job, 0, sizeof *job);
    job->input = input;
    job->weights = weights;
    job->bias = bias;
    job->selections = indices->dims[1];
    job->count = opmill_product_size(indices->dims, indices->rank);
    job->depth = weights->dims[1];
    job->columns = weights->dims[2];
    job->block = job->count < BLOCK_ROWS ? job->count : BLOCK_ROWS;
    job->element = (uint64_t)opmill_type_bytes(input->type);
    if (job->count == 0 || job->columns == 0) {
        return false;
    }
    reserve(job, job->count, 1, sizeof(int64_t)); /* the selected groups, at the beginning */
    job->order = reserve(job, job->count, 1, sizeof(int64_t));
    job->spare = reserve(job, job->count, 1, sizeof(int64_t));
    job->rows = reserve(job, job->block, job->depth, job->element);
    job->sums = reserve(job, job->block, job->columns, job->element);
    job->products = job->bytes;
    return true;
}

/* The product of some rows and a matrix of the stack; its rows may be missing. */
static void describe_product(const job *job, opmill_matrix_product *product, int64_t count,
                             int64_t group, char *memory) {
    const char *const weights = job->weights->data;
    const char *const bias = job->bias != NULL ? job->bias->data : NULL;
    const int64_t matrix = group * job->depth * job->columns * (int64_t)job->element;
    const int64_t row = group * job->columns * (int64_t)job->element;
    memset(product, 0, sizeof *product);
    product->m = count;
    product->k = job->depth;
    product->n = job->columns;
    product->type = opmill_product_sums(job->input->type);
    product->a_type = product->b_type = product->c_type = job->input->type;
    product->a = memory != NULL ? memory + job->rows : NULL;
    product->b = weights != NULL ? weights + matrix : NULL;
    product->c = memory != NULL ? memory + job->sums : NULL;
    product->a_row = job->depth;
    product->a_column = 1;
    product->b_row = product->c_row = job->columns;
    product->b_column = 1;
    product->batches = 1;
    product->alpha = product->beta = 1;
    product->bias = bias != NULL ? bias + row : NULL;
    product->bias_column = 1;
}

/* The order in which positions select groups, ascending: sorted by merging, which is stable. */
static const int64_t *sort_by_group(const int64_t *groups, int64_t *order, int64_t *spare,
                                    int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        order[i] = i;
    }
    for (int64_t width = 1; width < count; width *= 2) {
        for (int64_t begin = 0; begin < count; begin += 2 * width) {
            const int64_t middle = count - begin < width ? count : begin + width;
            const int64_t end = count - middle < width ? count : middle + width;
            int64_t left = begin, right = middle;
            for (int64_t i = begin; i < end; i++) {
                const bool takes_left =
                    right == end || (left < middle && groups[order[left]] <= groups[order[right]]);
                spare[i] = takes_left ? order[left++] : order[right++];
            }
        }
        int64_t *const sorted = spare;
        spare = order;
        order = sorted;
    }
    return order;
}

/* Computes the results of positions that select the same group. */
static void run_block(const job *job, const int64_t *positions, int64_t count, int64_t group,
                      char *memory, opmill_tensor *output, const opmill_context *context) {
    const size_t row_bytes = (size_t)job->depth * (size_t)job->element;
    const size_t sum_bytes = (size_t)job->columns * (size_t)job->element;
    opmill_matrix_product product;
    opmill_product_layout layout;
    for (int64_t i = 0; i < count && row_bytes > 0; i++) {
        memcpy(memory + job->rows + (size_t)i * row_bytes,
               (const char *)job->input->data +
                   (size_t)(positions[i] / job->selections) * row_bytes,
               row_bytes);
    }
    describe_product(job, &product, count, group, memory);
    opmill_product_lay_out(&layout, &product, context);
    opmill_product_run(&layout, memory + job->products);
    for (int64_t i = 0; i < count; i++) {
        memcpy((char *)output->data + (size_t)positions[i] * sum_bytes,
               memory + job->sums + (size_t)i * sum_bytes, sum_bytes);
    }
}

size_t opmill_grouped_matmul_workspace_bytes(const opmill_tensor *input,
                                             const opmill_tensor *weights,
                                             const opmill_tensor *group_indices,
                                             const opmill_tensor *bias, const opmill_shape *output,
                                             const opmill_grouped_matmul_plan *plan,
                                             const opmill_context *context) {
    job job;
    size_t products = 0;
    (void)output;
    (void)plan;
    if (!describe(&job, input, weights, group_indices, bias)) {
        return 0;
    }
    for (int64_t rows = 1; rows <= job.block; rows++) { /* more rows may need less memory */
        opmill_matrix_product product;
        opmill_product_layout layout;
        describe_product(&job, &product, rows, 0, NULL);
        opmill_product_lay_out(&layout, &product, context);
        const size_t bytes = opmill_product_workspace(&layout);
        products = bytes > products ? bytes : products;
    }
    return opmill_workspace_size(job.bytes < UINT64_MAX - products ? job.bytes + products
                                                                   : UINT64_MAX);
}

int opmill_grouped_matmul_compute(const opmill_tensor *input, const opmill_tensor *weights,
                                  const opmill_tensor *group_indices, const opmill_tensor *bias,
                                  opmill_tensor *output, const opmill_grouped_matmul_plan *plan,
                                  opmill_context *context) {
    const int64_t last = weights->dims[0] - 1;
    job job;
    (void)plan;
    if (!opmill_bounds_check(group_indices, "group_indices", 0, last, context)) {
        return OPMILL_ERROR_CALL;
    }
    if (!describe(&job, input, weights, group_indices, bias)) {
        return OPMILL_OK;
    }
    char *const memory = opmill_workspace_begin(context->workspace);
    int64_t *const groups = (void *)memory;
    for (int64_t i = 0; i < job.count; i++) {
        groups[i] = opmill_bounds_read(group_indices, i, 0, last);
    }
    const int64_t *const order = sort_by_group(groups, (void *)(memory + job.order),
                                               (void *)(memory + job.spare), job.count);
    for (int64_t first = 0; first < job.count;) {
        const int64_t group = groups[order[first]];
        int64_t count = 1;
        while (count < job.block && count < job.count - first &&
               groups[order[first + count]] == group) {
            count++;
        }
        run_block(&job, order + first, count, group, memory, output, context);
        first += count;
    }
    return OPMILL_OK;
}
