/* Derives the matrices of a product from the shapes of two tensors, as NumPy's matmul does:
 * strides, broadcast batch axes, and stacks merged into one matrix. Also for quantized operands
 * with zero points. */
#include "runtime/product/operands.h"

#include <string.h>

int64_t opmill_product_size(const int64_t *dims, int32_t rank) {
    int64_t size = 1;
    for (int32_t i = 0; i < rank; i++) {
        size *= dims[i];
    }
    return size;
}

int32_t opmill_product_sums(int32_t type) {
    switch (type) {
    case OPMILL_DOUBLE:
        return OPMILL_DOUBLE;
    case OPMILL_INT64:
    case OPMILL_UINT64:
        return OPMILL_UINT64;
    case OPMILL_FLOAT:
    case OPMILL_FLOAT16:
    case OPMILL_BFLOAT16:
        return OPMILL_FLOAT;
    default:
        return OPMILL_UINT32;
    }
}

/* The steps of a tensor along the axes of the batch: 0 along those that it lacks or has once. */
static void find_steps(int64_t *steps, int32_t rank, const opmill_tensor *tensor, int64_t matrix) {
    int64_t step = matrix;
    for (int32_t i = rank - 1, axis = tensor->rank - 3; i >= 0; i--, axis--) {
        steps[i] = axis < 0 || tensor->dims[axis] == 1 ? 0 : step;
        step *= axis < 0 ? 1 : tensor->dims[axis];
    }
}

static void describe(opmill_matrix_product *product, opmill_product_batch *batch,
                     const opmill_tensor *a, const opmill_tensor *b) {
    const int32_t a_rank = a->rank > 2 ? a->rank - 2 : 0, b_rank = b->rank > 2 ? b->rank - 2 : 0;
    const int32_t rank = a_rank > b_rank ? a_rank : b_rank;
    memset(product, 0, sizeof *product);
    product->alpha = 1;
    product->m = a->rank > 1 ? a->dims[a->rank - 2] : 1;
    product->k = a->dims[a->rank - 1];
    product->n = b->rank > 1 ? b->dims[b->rank - 1] : 1;
    product->a_type = a->type;
    product->b_type = b->type;
    product->a = a->data;
    product->b = b->data;
    product->a_row = product->k;
    product->a_column = 1;
    product->b_row = product->n;
    product->b_column = 1;
    product->c_row = product->n;
    batch->a_skipped = rank - a_rank;
    batch->b_skipped = rank - b_rank;
    product->batches = 1;
    for (int32_t i = 0; i < rank; i++) {
        const int64_t p = i < batch->a_skipped ? 1 : a->dims[i - batch->a_skipped];
        const int64_t q = i < batch->b_skipped ? 1 : b->dims[i - batch->b_skipped];
        batch->dims[i] = p == 1 ? q : p;
        product->batches *= batch->dims[i];
    }
    find_steps(batch->a_steps, rank, a, product->m * product->k);
    find_steps(batch->b_steps, rank, b, product->k * product->n);
    product->batch_rank = rank;
    product->batch_dims = batch->dims;
    product->a_batch = batch->a_steps;
    product->b_batch = batch->b_steps;
    product->c_batch = product->m * product->n;
}

/* One matrix on the right: the stack on the left is one matrix with more rows. */
static void join_stack(opmill_matrix_product *product, const opmill_product_batch *batch) {
    bool is_stack = product->batches > 1;
    for (int32_t i = 0; i < product->batch_rank; i++) {
        is_stack =
            is_stack && batch->b_steps[i] == 0 && (batch->a_steps[i] != 0 || batch->dims[i] == 1);
    }
    if (is_stack) {
        product->m *= product->batches;
        product->batches = 1;
        product->batch_rank = 0;
    }
}

void opmill_product_of_tensors(opmill_matrix_product *product, opmill_product_batch *batch,
                               const opmill_tensor *a, const opmill_tensor *b) {
    describe(product, batch, a, b);
    join_stack(product, batch);
    /* One column on the right: as one row on the left, its elements lie next to each other. */
    if (product->n == 1) {
        const opmill_matrix_product given = *product;
        product->m = 1;
        product->n = given.m;
        product->a = given.b;
        product->b = given.a;
        product->a_type = given.b_type;
        product->b_type = given.a_type;
        product->a_row = given.k;
        product->b_row = 1;
        product->b_column = given.a_row;
        product->c_row = given.m;
        product->a_batch = given.b_batch;
        product->b_batch = given.a_batch;
    }
}

bool opmill_product_is_one(const opmill_tensor *values) {
    return values == NULL || values->rank == 0 || (values->rank == 1 && values->dims[0] == 1);
}

void opmill_product_steps(int64_t *steps, int32_t rank, const opmill_tensor *values,
                          int64_t lines) {
    find_steps(steps, rank, values, lines);
}

void opmill_product_of_quantized(opmill_matrix_product *product, opmill_product_batch *batch,
                                 const opmill_tensor *a, const opmill_tensor *a_zero,
                                 const opmill_tensor *b, const opmill_tensor *b_zero,
                                 bool has_row_values) {
    describe(product, batch, a, b);
    if (a_zero != NULL) {
        product->a_zero = a_zero->data;
        product->a_zero_row = !opmill_product_is_one(a_zero);
        find_steps(batch->a_zero_steps, product->batch_rank, a_zero, product->m);
        product->a_zero_batch = batch->a_zero_steps;
    }
    if (b_zero != NULL) {
        product->b_zero = b_zero->data;
        product->b_zero_column = !opmill_product_is_one(b_zero);
        find_steps(batch->b_zero_steps, product->batch_rank, b_zero, product->n);
        product->b_zero_batch = batch->b_zero_steps;
    }
    if (!has_row_values && product->a_zero_row == 0) {
        join_stack(product, batch);
    }
}

/* True if zero points have a shape that products of B accept, which refuse others later. */
static bool fits(const opmill_tensor *zero, const opmill_tensor *b) {
    if (opmill_product_is_one(zero)) {
        return true;
    }
    bool matches = zero->dims[zero->rank - 1] == b->dims[b->rank - 1];
    if (zero->rank > 1) {
        matches = matches && zero->rank == b->rank && zero->dims[b->rank - 2] == 1;
        for (int32_t i = 0; i < b->rank - 2 && matches; i++) {
            matches = zero->dims[i] == b->dims[i];
        }
    }
    return matches && zero->type == b->type;
}

bool opmill_product_of_right(opmill_matrix_product *product, opmill_product_batch *batch,
                             const opmill_tensor *b, const opmill_tensor *b_zero) {
    if (b->rank < 2 || b->dims[b->rank - 1] == 1 || !fits(b_zero, b)) {
        return false;
    }
    for (int32_t i = 0; i < b->rank; i++) {
        if (b->dims[i] == 0) {
            return false;
        }
    }
    const int64_t dims[] = {1, b->dims[b->rank - 2]};
    const opmill_tensor row = {NULL, dims, 2, b->type};
    opmill_product_of_quantized(product, batch, &row, NULL, b, b_zero, true);
    return true;
}

void opmill_product_prepare(opmill_packing *packing, const opmill_matrix_product *product, void *to,
                            const opmill_context *context) {
    if (to != NULL) {
        opmill_product_pack(product, to, context);
        return;
    }
    packing->bytes = opmill_product_packed_bytes(product, context);
    packing->keys[0] = opmill_product_packed_order(product, context);
}
