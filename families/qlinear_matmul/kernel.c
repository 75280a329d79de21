/* QLinearMatMul: a batch of products of quantized matrices, quantized again. */
#include "families/qlinear_matmul/kernel.h"

#include <stdint.h>

#include "runtime/platform/platform.h"
#include "runtime/call/prepared.h"
#include "runtime/product/operands.h"
#include "runtime/product/product.h"
#include "runtime/quantized/requantize.h"

enum { FACTORS = OPMILL_ON_STACK(256, 64) };

/* Positions of inputs. */
enum { B = 3, B_ZERO_POINT = 5 };

/* The product of a call, and what it points to. */
typedef struct qlinear_problem {
    opmill_matrix_product product;
    opmill_product_batch batch;
    opmill_requantizer requantizer;
    const opmill_tensor *a_scale, *b_scale;
    float y_scale;
    int64_t row_step, column_step; /* of the scales: 1 where each row or column has its own */
    int64_t a_scale_steps[OPMILL_MAX_RANK], b_scale_steps[OPMILL_MAX_RANK];
} qlinear_problem;

static bool is_float(const opmill_tensor *tensor) {
    return tensor->type != OPMILL_INT8 && tensor->type != OPMILL_UINT8;
}

/* True if numbers are summed as doubles; of 8-bit integers alone sums are int32. */
static bool has_floats(const opmill_tensor *a, const opmill_tensor *b) {
    return is_float(a) || is_float(b);
}

static float factor_of(const qlinear_problem *problem, int64_t a, int64_t b) {
    const float left = opmill_scale_at(problem->a_scale, a);
    const float both = left * opmill_scale_at(problem->b_scale, b);
    return both / problem->y_scale;
}

static void finish(const opmill_matrix_product *product, int64_t batch, int64_t row, int64_t column,
                   int64_t rows, int64_t columns, const void *sums, int64_t pitch) {
    const qlinear_problem *const problem = product->state;
    int64_t a = 0, b = 0, rest = batch;
    for (int32_t i = product->batch_rank - 1; i >= 0; i--) {
        const int64_t index = rest % product->batch_dims[i];
        rest /= product->batch_dims[i];
        a += index * problem->a_scale_steps[i];
        b += index * problem->b_scale_steps[i];
    }
    for (int64_t r = 0; r < rows; r++) {
        const int64_t at = a + (row + r) * problem->row_step;
        uint8_t *const out =
            (uint8_t *)product->c + batch * product->c_batch + (row + r) * product->c_row + column;
        float factors[FACTORS];
        for (int64_t i = 0; i < columns; i += FACTORS) {
            const int64_t count = columns - i < FACTORS ? columns - i : FACTORS;
            const float *each = NULL;
            for (int64_t k = 0; k < count && problem->column_step != 0; k++) {
                factors[k] = factor_of(problem, at, b + column + i + k);
                each = factors;
            }
            const float all = each == NULL ? factor_of(problem, at, b) : 0;
            if (product->type == OPMILL_DOUBLE) {
                opmill_requantize_doubles(&problem->requantizer,
                                          (const double *)sums + r * pitch + i, all, each, count,
                                          out + i);
            } else {
                opmill_requantize(&problem->requantizer, (const uint32_t *)sums + r * pitch + i, 0,
                                  all, each, count, out + i);
            }
        }
    }
}

/* Describes the product; false where it has no element. */
static bool describe(qlinear_problem *problem, const opmill_tensor *a, const opmill_tensor *a_scale,
                     const opmill_tensor *a_zero, const opmill_tensor *b,
                     const opmill_tensor *b_scale, const opmill_tensor *b_zero, int32_t y_type,
                     const int64_t *y_dims, int32_t y_rank) {
    opmill_matrix_product *const product = &problem->product;
    if (opmill_product_size(y_dims, y_rank) == 0) {
        return false;
    }
    opmill_product_of_quantized(product, &problem->batch, a, a_zero, b, b_zero,
                                !opmill_product_is_one(a_scale));
    product->type = OPMILL_UINT32;
    product->c_type = y_type;
    product->finish = finish;
    product->state = problem;
    problem->a_scale = a_scale;
    problem->b_scale = b_scale;
    problem->row_step = !opmill_product_is_one(a_scale);
    problem->column_step = !opmill_product_is_one(b_scale);
    opmill_product_steps(problem->a_scale_steps, product->batch_rank, a_scale, product->m);
    opmill_product_steps(problem->b_scale_steps, product->batch_rank, b_scale, product->n);
    if (has_floats(a, b)) {
        product->type = product->a_type = product->b_type = OPMILL_DOUBLE;
        product->a_zero = product->b_zero = NULL;
    }
    return true;
}

/* The bytes of both factors as doubles; SIZE_MAX where there are too many. */
static size_t doubles_bytes(const opmill_tensor *a, const opmill_tensor *b) {
    const int64_t count =
        opmill_product_size(a->dims, a->rank) + opmill_product_size(b->dims, b->rank);
    return (uint64_t)count >= SIZE_MAX / 32 ? SIZE_MAX : (size_t)count * sizeof(double);
}

/* The elements of a factor less their zero points, as doubles, which hold the differences.
 * Rows of a left factor have zero points, columns of a right one. */
static void widen(double *out, const opmill_tensor *x, const opmill_tensor *zero, bool is_left) {
    const int64_t count = opmill_product_size(x->dims, x->rank);
    const int64_t columns = x->dims[x->rank - 1];
    const int64_t rows = x->rank > 1 ? x->dims[x->rank - 2] : 1;
    const bool is_one = opmill_product_is_one(zero);
    float table[256]; /* of whole numbers, which are exact */
    for (int32_t bits = 0; bits < 256; bits++) {
        table[bits] = (float)opmill_small_number((uint8_t)bits, x->type);
    }
    for (int64_t i = 0; i < count; i++) {
        const int64_t line = is_left ? i / columns : i % columns;
        int64_t at = 0;
        if (!is_one && zero->rank == 1) {
            at = is_left ? line % rows : line;
        } else if (!is_one) {
            at = is_left ? line : i / columns / rows * columns + line;
        }
        out[i] = (double)table[((const uint8_t *)x->data)[i]] -
                 (double)table[((const uint8_t *)zero->data)[at]];
    }
}

/* B as it is packed, where the product takes it so: not as doubles. */
static const void *packed_form(const opmill_tensor *a, const opmill_tensor *b,
                               const opmill_context *context) {
    return has_floats(a, b) ? NULL : opmill_prepared_form(context, B);
}

void opmill_qlinear_matmul_prepare(opmill_packing *packing, void *to,
                                   const opmill_context *context) {
    qlinear_problem problem;
    const opmill_tensor *const b = packing->inputs[B];
    if (!is_float(b) && opmill_product_of_right(&problem.product, &problem.batch, b,
                                                packing->inputs[B_ZERO_POINT])) {
        problem.product.type = OPMILL_UINT32;
        packing->keys[1] = opmill_packing_contents(packing, B_ZERO_POINT);
        opmill_product_prepare(packing, &problem.product, to, context);
    }
}

size_t opmill_qlinear_matmul_workspace_bytes(
    const opmill_tensor *a, const opmill_tensor *a_scale, const opmill_tensor *a_zero_point,
    const opmill_tensor *b, const opmill_tensor *b_scale, const opmill_tensor *b_zero_point,
    const opmill_tensor *y_scale, const opmill_tensor *y_zero_point, const opmill_shape *y,
    const opmill_qlinear_matmul_plan *plan, const opmill_context *context) {
    qlinear_problem problem;
    opmill_product_layout layout;
    (void)y_scale;
    (void)plan;
    if (!describe(&problem, a, a_scale, a_zero_point, b, b_scale, b_zero_point, y_zero_point->type,
                  y->dims, y->rank)) {
        return 0;
    }
    problem.product.b_packed = packed_form(a, b, context);
    opmill_product_lay_out(&layout, &problem.product, context);
    const size_t product = opmill_product_workspace(&layout);
    if (!has_floats(a, b)) {
        return product;
    }
    const size_t doubles = doubles_bytes(a, b);
    return doubles > SIZE_MAX - product - sizeof(double) ? SIZE_MAX
                                                         : doubles + product + sizeof(double);
}

int opmill_qlinear_matmul_compute(const opmill_tensor *a, const opmill_tensor *a_scale,
                                  const opmill_tensor *a_zero_point, const opmill_tensor *b,
                                  const opmill_tensor *b_scale, const opmill_tensor *b_zero_point,
                                  const opmill_tensor *y_scale, const opmill_tensor *y_zero_point,
                                  opmill_tensor *y, const opmill_qlinear_matmul_plan *plan,
                                  opmill_context *context) {
    qlinear_problem problem;
    opmill_product_layout layout;
    char *workspace = context->workspace;
    (void)plan;
    if (!describe(&problem, a, a_scale, a_zero_point, b, b_scale, b_zero_point, y->type, y->dims,
                  y->rank)) {
        return OPMILL_OK;
    }
    problem.product.c = y->data;
    problem.y_scale = opmill_scale_at(y_scale, 0);
    opmill_requantizer_begin(&problem.requantizer, y->type, y_zero_point->data, context->isa);
    problem.product.b_packed = packed_form(a, b, context);
    opmill_product_lay_out(&layout, &problem.product, context);
    if (has_floats(a, b)) {
        workspace += (size_t)(-(uintptr_t)workspace % sizeof(double));
        double *const left = (double *)(void *)workspace;
        double *const right = left + opmill_product_size(a->dims, a->rank);
        widen(left, a, a_zero_point, true);
        widen(right, b, b_zero_point, false);
        problem.product.a = left;
        problem.product.b = right;
        workspace += doubles_bytes(a, b);
    }
    opmill_product_run(&layout, workspace);
    return OPMILL_OK;
}

void opmill_qlinear_matmul_choose(const opmill_tensor *a, const opmill_tensor *a_scale,
                                  const opmill_tensor *a_zero_point, const opmill_tensor *b,
                                  const opmill_tensor *b_scale, const opmill_tensor *b_zero_point,
                                  const opmill_tensor *y_scale, const opmill_tensor *y_zero_point,
                                  const opmill_shape *y, const opmill_qlinear_matmul_plan *plan,
                                  const opmill_context *context, opmill_choice *choice) {
    qlinear_problem problem;
    opmill_product_layout layout;
    (void)y_scale;
    (void)plan;
    *choice = (opmill_choice){"empty", OPMILL_ISA_PLAIN, 1};
    if (describe(&problem, a, a_scale, a_zero_point, b, b_scale, b_zero_point, y_zero_point->type,
                 y->dims, y->rank)) {
        problem.product.b_packed = packed_form(a, b, context);
        opmill_product_lay_out(&layout, &problem.product, context);
        opmill_product_choice(&layout, choice);
    }
}
