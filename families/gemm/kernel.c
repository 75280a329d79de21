/* Gemm: one product of matrices, scaled, and a third one added as the sums are stored. */
#include "families/gemm/kernel.h"

#include <string.h>

#include "runtime/call/prepared.h"
#include "runtime/product/operands.h"
#include "runtime/product/product.h"

enum { B = 1 }; /* the position of the input */

/* The matrix that is added, of integers: its steps along rows and columns, 0 where it is broadcast.
 */
typedef struct third {
    const char *data; /* or NULL */
    int64_t row, column;
    int32_t type;
    double alpha, beta;
} third;

typedef struct gemm_problem {
    opmill_matrix_product product;
    third third;
} gemm_problem;

/* A double cut off at its point, held between the limits of a type; 0 for NaN. */
static uint64_t cut_off(double value, int32_t type) {
    double lowest = 0, above = 0x1p64; /* the first double beyond the type */
    switch (type) {
    case OPMILL_INT32:
        lowest = -0x1p31;
        above = 0x1p31;
        break;
    case OPMILL_INT64:
        lowest = -0x1p63;
        above = 0x1p63;
        break;
    case OPMILL_UINT32:
        above = 0x1p32;
        break;
    default:
        break;
    }
    if (!(value > lowest)) {
        return value == value ? (uint64_t)(int64_t)lowest : 0;
    }
    if (value >= above) { /* one less than what is beyond, in the bits of the type */
        return above < 0x1p64 ? (uint64_t)above - 1 : UINT64_MAX;
    }
    return value < 0 ? (uint64_t)(int64_t)value : (uint64_t)value;
}

static double number_of(uint64_t bits, int32_t type) {
    switch (type) {
    case OPMILL_INT32: {
        const uint32_t low = (uint32_t)bits;
        int32_t value;
        memcpy(&value, &low, sizeof value);
        return value;
    }
    case OPMILL_INT64: {
        int64_t value;
        memcpy(&value, &bits, sizeof value);
        return (double)value;
    }
    case OPMILL_UINT32:
        return (uint32_t)bits;
    default:
        return (double)bits;
    }
}

/* Sums of integers: exact and wrapping with factors of 1, else in double, cut off. */
static void finish_integers(const opmill_matrix_product *product, int64_t batch, int64_t row,
                            int64_t column, int64_t rows, int64_t columns, const void *sums,
                            int64_t pitch) {
    const third *const c = product->state;
    const bool is_wide = c->type == OPMILL_INT64 || c->type == OPMILL_UINT64;
    const bool is_exact = c->alpha == 1 && (c->data == NULL || c->beta == 1);
    (void)batch;
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; j < columns; j++) {
            const int64_t to = (row + i) * product->c_row + column + j;
            const int64_t at = (row + i) * c->row + (column + j) * c->column;
            uint64_t sum, term = 0;
            if (is_wide) {
                sum = ((const uint64_t *)sums)[i * pitch + j];
                term = c->data != NULL ? ((const uint64_t *)(const void *)c->data)[at] : 0;
            } else {
                sum = ((const uint32_t *)sums)[i * pitch + j];
                term = c->data != NULL ? ((const uint32_t *)(const void *)c->data)[at] : 0;
            }
            if (is_exact) {
                sum += term;
            } else {
                double value = number_of(sum, c->type) * c->alpha;
                if (c->data != NULL) {
                    value += number_of(term, c->type) * c->beta;
                }
                sum = cut_off(value, c->type);
            }
            if (is_wide) {
                ((uint64_t *)product->c)[to] = sum;
            } else {
                ((uint32_t *)product->c)[to] = (uint32_t)sum;
            }
        }
    }
}

/* Makes the product; false where it has no element. `y` may be missing. */
static bool describe(gemm_problem *problem, const opmill_tensor *a, const opmill_tensor *b,
                     const opmill_tensor *c, void *y, const int64_t *y_dims,
                     const opmill_gemm_plan *plan) {
    opmill_matrix_product *const product = &problem->product;
    third *const third = &problem->third;
    memset(problem, 0, sizeof *problem);
    product->m = y_dims[0];
    product->n = y_dims[1];
    product->k = a->dims[plan->transpose_a ? 0 : 1];
    if (product->m == 0 || product->n == 0) {
        return false;
    }
    product->type = opmill_product_sums(a->type);
    product->a_type = product->b_type = product->c_type = a->type;
    product->a = a->data;
    product->b = b->data;
    product->c = y;
    product->a_row = plan->transpose_a ? 1 : product->k;
    product->a_column = plan->transpose_a ? product->m : 1;
    product->b_row = plan->transpose_b ? 1 : product->n;
    product->b_column = plan->transpose_b ? product->k : 1;
    product->c_row = product->n;
    product->batches = 1;
    product->alpha = plan->alpha;
    product->beta = plan->beta;
    if (c != NULL && plan->beta != 0) {
        static const char missing = 0; /* placeholder until data are known */
        const int64_t columns = c->rank > 0 ? c->dims[c->rank - 1] : 1;
        third->data = c->data != NULL ? c->data : &missing;
        third->column = columns > 1 ? 1 : 0;
        third->row = c->rank > 1 && c->dims[0] > 1 ? columns : 0;
        product->bias = third->data;
        product->bias_row = third->row;
        product->bias_column = third->column;
    }
    if (product->type == OPMILL_UINT32 || product->type == OPMILL_UINT64) {
        third->type = a->type;
        third->alpha = plan->alpha;
        third->beta = plan->beta;
        product->alpha = 1;
        product->bias = NULL;
        product->state = third;
        product->finish = third->data != NULL || third->alpha != 1 ? finish_integers : NULL;
    }
    return true;
}

void opmill_gemm_prepare(opmill_packing *packing, void *to, const opmill_context *context) {
    opmill_matrix_product product;
    opmill_product_batch batch;
    const opmill_tensor *const b = packing->inputs[B];
    const bool transposed = *(const int64_t *)opmill_packing_attribute(packing, "transB") != 0;
    const int64_t dims[] = {b->rank == 2 ? b->dims[transposed] : 0,
                            b->rank == 2 ? b->dims[!transposed] : 0};
    const opmill_tensor turned = {b->data, dims, 2, b->type};
    if (!opmill_product_of_right(&product, &batch, &turned, NULL)) {
        return;
    }
    product.type = opmill_product_sums(b->type);
    product.b_row = transposed ? 1 : product.n;
    product.b_column = transposed ? product.k : 1;
    packing->keys[1] = transposed;
    opmill_product_prepare(packing, &product, to, context);
}

size_t opmill_gemm_workspace_bytes(const opmill_tensor *a, const opmill_tensor *b,
                                   const opmill_tensor *c, const opmill_shape *y,
                                   const opmill_gemm_plan *plan, const opmill_context *context) {
    gemm_problem problem;
    opmill_product_layout layout;
    if (!describe(&problem, a, b, c, NULL, y->dims, plan)) {
        return 0;
    }
    problem.product.b_packed = opmill_prepared_form(context, B);
    opmill_product_lay_out(&layout, &problem.product, context);
    return opmill_product_workspace(&layout);
}

int opmill_gemm_compute(const opmill_tensor *a, const opmill_tensor *b, const opmill_tensor *c,
                        opmill_tensor *y, const opmill_gemm_plan *plan, opmill_context *context) {
    gemm_problem problem;
    opmill_product_layout layout;
    if (describe(&problem, a, b, c, y->data, y->dims, plan)) {
        problem.product.b_packed = opmill_prepared_form(context, B);
        opmill_product_lay_out(&layout, &problem.product, context);
        opmill_product_run(&layout, context->workspace);
    }
    return OPMILL_OK;
}

void opmill_gemm_choose(const opmill_tensor *a, const opmill_tensor *b, const opmill_tensor *c,
                        const opmill_shape *y, const opmill_gemm_plan *plan,
                        const opmill_context *context, opmill_choice *choice) {
    gemm_problem problem;
    opmill_product_layout layout;
    *choice = (opmill_choice){"empty", OPMILL_ISA_PLAIN, 1};
    if (describe(&problem, a, b, c, NULL, y->dims, plan)) {
        problem.product.b_packed = opmill_prepared_form(context, B);
        opmill_product_lay_out(&layout, &problem.product, context);
        opmill_product_choice(&layout, choice);
    }
}
