/* MatMulIntegerToFloat and DynamicQuantizeMatMul: a batch of products of matrices of 8-bit
 * integers, as floats; a left factor of floats is quantized in the workspace. */
#include "families/quantized_matmul/kernel.h"

#include <stdint.h>

#include "runtime/platform/isa.h"
#include "runtime/platform/platform.h"
#include "runtime/call/prepared.h"
#include "runtime/product/operands.h"
#include "runtime/product/product.h"
#include "runtime/quantized/dynamic.h"
#include "runtime/quantized/loops.h"
#include "runtime/quantized/requantize.h"
#include "runtime/numbers/reals.h"

enum { CHUNK = OPMILL_ON_STACK(256, 64) };

enum { B = 1 }; /* the position of the input */

/* The product of a call, and what it points to. */
typedef struct quantized_problem {
    opmill_matrix_product product;
    opmill_product_batch batch;
    const quantize_loops *loops;
    const opmill_tensor *b_scale, *bias;
    float a_scale;
    int64_t column_step; /* of the scales: 1 where each column has its own */
    int64_t b_scale_steps[OPMILL_MAX_RANK];
    /* Of a left factor that is quantized: its elements, scale and zero point. */
    int64_t one;
    opmill_tensor quantized, zero;
    uint8_t zero_point;
} quantized_problem;

static float factor_of(const quantized_problem *problem, int64_t at) {
    return problem->a_scale * opmill_scale_at(problem->b_scale, at);
}

static void finish(const opmill_matrix_product *product, int64_t batch, int64_t row, int64_t column,
                   int64_t rows, int64_t columns, const void *sums, int64_t pitch) {
    const quantized_problem *const problem = product->state;
    const bool is_float = product->c_type == OPMILL_FLOAT;
    float numbers[CHUNK], factors[CHUNK], biases[CHUNK];
    int64_t first = 0, rest = batch;
    for (int32_t i = product->batch_rank - 1; i >= 0; i--) {
        first += rest % product->batch_dims[i] * problem->b_scale_steps[i];
        rest /= product->batch_dims[i];
    }
    for (int64_t i = 0; i < columns; i += CHUNK) {
        const int64_t count = columns - i < CHUNK ? columns - i : CHUNK;
        for (int64_t k = 0; k < count; k++) {
            factors[k] = factor_of(problem, first + (column + i + k) * problem->column_step);
        }
        for (int64_t k = 0; k < count && problem->bias != NULL; k++) {
            biases[k] = opmill_scale_at(problem->bias, column + i + k);
        }
        for (int64_t r = 0; r < rows; r++) {
            const uint32_t *const of_row = (const uint32_t *)sums + r * pitch + i;
            const int64_t at = batch * product->c_batch + (row + r) * product->c_row + column + i;
            float *const to = is_float ? (float *)product->c + at : numbers;
            problem->loops->scale_sums_each(to, of_row, factors,
                                            problem->bias != NULL ? biases : NULL, count);
            for (int64_t k = 0; k < count && !is_float; k++) {
                opmill_real_put(product->c, product->c_type, at + k, (double)numbers[k]);
            }
        }
    }
}

/* Describes the product; false where it has no element. */
static bool describe(quantized_problem *problem, const opmill_tensor *a, const opmill_tensor *b,
                     const opmill_tensor *b_scale, const opmill_tensor *a_zero,
                     const opmill_tensor *b_zero, const opmill_tensor *bias, int32_t y_type,
                     const int64_t *y_dims, int32_t y_rank) {
    opmill_matrix_product *const product = &problem->product;
    if (opmill_product_size(y_dims, y_rank) == 0) {
        return false;
    }
    if (a->type == OPMILL_FLOAT) {
        problem->one = 1;
        problem->quantized = (opmill_tensor){NULL, a->dims, a->rank, OPMILL_UINT8};
        problem->zero = (opmill_tensor){&problem->zero_point, &problem->one, 1, OPMILL_UINT8};
        a = &problem->quantized;
        a_zero = &problem->zero;
    }
    opmill_product_of_quantized(product, &problem->batch, a, a_zero, b, b_zero, false);
    product->type = OPMILL_UINT32;
    product->c_type = y_type;
    product->finish = finish;
    product->state = problem;
    problem->b_scale = b_scale;
    problem->bias = bias;
    problem->column_step = !opmill_product_is_one(b_scale);
    opmill_product_steps(problem->b_scale_steps, product->batch_rank, b_scale, product->n);
    return true;
}

/* The bytes of a left factor that is quantized; SIZE_MAX where there are too many. */
static size_t quantized_bytes(const opmill_tensor *a) {
    const int64_t count = a->type == OPMILL_FLOAT ? opmill_product_size(a->dims, a->rank) : 0;
    return (uint64_t)count >= SIZE_MAX / 2 ? SIZE_MAX : (size_t)count;
}

void opmill_quantized_matmul_prepare(opmill_packing *packing, void *to,
                                     const opmill_context *context) {
    quantized_problem problem;
    const int32_t zero_point = packing->operator->input_count > 5 ? 5 : 3;
    if (opmill_product_of_right(&problem.product, &problem.batch, packing->inputs[B],
                                packing->inputs[zero_point])) {
        problem.product.type = OPMILL_UINT32;
        packing->keys[1] = opmill_packing_contents(packing, zero_point);
        opmill_product_prepare(packing, &problem.product, to, context);
    }
}

size_t opmill_quantized_matmul_workspace_bytes(
    const opmill_tensor *a, const opmill_tensor *b, const opmill_tensor *a_scale,
    const opmill_tensor *b_scale, const opmill_tensor *a_zero_point,
    const opmill_tensor *b_zero_point, const opmill_tensor *bias, const opmill_shape *y,
    const opmill_quantized_matmul_plan *plan, const opmill_context *context) {
    quantized_problem problem;
    opmill_product_layout layout;
    (void)a_scale;
    (void)plan;
    if (!describe(&problem, a, b, b_scale, a_zero_point, b_zero_point, bias, b_scale->type, y->dims,
                  y->rank)) {
        return 0;
    }
    problem.product.b_packed = opmill_prepared_form(context, B);
    opmill_product_lay_out(&layout, &problem.product, context);
    const size_t product = opmill_product_workspace(&layout), bytes = quantized_bytes(a);
    return bytes > SIZE_MAX - product ? SIZE_MAX : bytes + product;
}

int opmill_quantized_matmul_compute(const opmill_tensor *a, const opmill_tensor *b,
                                    const opmill_tensor *a_scale, const opmill_tensor *b_scale,
                                    const opmill_tensor *a_zero_point,
                                    const opmill_tensor *b_zero_point, const opmill_tensor *bias,
                                    opmill_tensor *y, const opmill_quantized_matmul_plan *plan,
                                    opmill_context *context) {
    quantized_problem problem;
    opmill_product_layout layout;
    uint8_t *workspace = context->workspace;
    (void)plan;
    if (!describe(&problem, a, b, b_scale, a_zero_point, b_zero_point, bias, y->type, y->dims,
                  y->rank)) {
        return OPMILL_OK;
    }
    problem.product.c = y->data;
    problem.loops = opmill_quantize_loops_for(opmill_isa_select(context->isa));
    if (a->type == OPMILL_FLOAT) {
        const int64_t count = opmill_product_size(a->dims, a->rank);
        opmill_quantize_dynamically(a->data, count, workspace, &problem.a_scale,
                                    &problem.zero_point, context);
        problem.product.a = workspace;
        workspace += count;
    } else {
        problem.a_scale = opmill_scale_at(a_scale, 0);
    }
    problem.product.b_packed = opmill_prepared_form(context, B);
    opmill_product_lay_out(&layout, &problem.product, context);
    opmill_product_run(&layout, workspace);
    return OPMILL_OK;
}

void opmill_quantized_matmul_choose(const opmill_tensor *a, const opmill_tensor *b,
                                    const opmill_tensor *a_scale, const opmill_tensor *b_scale,
                                    const opmill_tensor *a_zero_point,
                                    const opmill_tensor *b_zero_point, const opmill_tensor *bias,
                                    const opmill_shape *y, const opmill_quantized_matmul_plan *plan,
                                    const opmill_context *context, opmill_choice *choice) {
    quantized_problem problem;
    opmill_product_layout layout;
    (void)a_scale;
    (void)plan;
    *choice = (opmill_choice){"empty", OPMILL_ISA_PLAIN, 1};
    if (describe(&problem, a, b, b_scale, a_zero_point, b_zero_point, bias, b_scale->type, y->dims,
                 y->rank)) {
        problem.product.b_packed = opmill_prepared_form(context, B);
        opmill_product_lay_out(&layout, &problem.product, context);
        opmill_product_choice(&layout, choice);
    }
}
