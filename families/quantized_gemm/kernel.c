/* QGemm: one product of matrices of 8-bit integers, to which a third one is added, as floats or
 * quantized again as the sums are stored. */
#include "families/quantized_gemm/kernel.h"

#include <string.h>

#include "runtime/platform/isa.h"
#include "runtime/platform/platform.h"
#include "runtime/call/prepared.h"
#include "runtime/product/operands.h"
#include "runtime/product/product.h"
#include "runtime/quantized/loops.h"
#include "runtime/quantized/requantize.h"

enum { CHUNK = OPMILL_ON_STACK(256, 64) };

/* Positions of inputs. */
enum { B = 3, B_ZERO_POINT = 5 };

/* The product of a call, and what it points to. */
typedef struct quantized_problem {
    opmill_matrix_product product;
    const quantize_loops *loops;
    opmill_requantizer requantizer;
    const opmill_tensor *b_scale;
    const opmill_tensor *third; /* or NULL */
    int64_t third_row, third_column, scale_step;
    float alpha, a_scale, y_scale;
    bool is_quantized;
} quantized_problem;

/* The sums of a row, with those of the third matrix, which wrap around. */
static void add(const quantized_problem *problem, const uint32_t *sums, int64_t row, int64_t column,
                int64_t count, uint32_t *to) {
    memcpy(to, sums, (size_t)count * sizeof *to);
    if (problem->third != NULL) {
        const int32_t *const c = problem->third->data;
        const int64_t first = row * problem->third_row + column * problem->third_column;
        for (int64_t i = 0; i < count; i++) {
            to[i] += (uint32_t)c[first + i * problem->third_column];
        }
    }
}

static void finish(const opmill_matrix_product *product, int64_t batch, int64_t row, int64_t column,
                   int64_t rows, int64_t columns, const void *sums, int64_t pitch) {
    const quantized_problem *const problem = product->state;
    float factors[CHUNK];
    uint32_t totals[CHUNK];
    (void)batch;
    for (int64_t i = 0; i < columns; i += CHUNK) {
        const int64_t count = columns - i < CHUNK ? columns - i : CHUNK;
        for (int64_t k = 0; k < count; k++) {
            const int64_t at = (column + i + k) * problem->scale_step;
            const float both = problem->alpha * problem->a_scale;
            factors[k] = both * opmill_scale_at(problem->b_scale, at);
            if (problem->is_quantized) {
                factors[k] /= problem->y_scale;
            }
        }
        for (int64_t r = 0; r < rows; r++) {
            const int64_t at = (row + r) * product->c_row + column + i;
            add(problem, (const uint32_t *)sums + r * pitch + i, row + r, column + i, count,
                totals);
            if (problem->is_quantized) {
                opmill_requantize(&problem->requantizer, totals, 0, 0, factors, count,
                                  (uint8_t *)product->c + at);
            } else {
                problem->loops->scale_sums_each((float *)product->c + at, totals, factors, NULL,
                                                count);
            }
        }
    }
}

/* Describes the product; false where it has no element. */
static bool describe(quantized_problem *problem, const opmill_tensor *a,
                     const opmill_tensor *a_zero, const opmill_tensor *b,
                     const opmill_tensor *b_zero, const int64_t *y_dims,
                     const opmill_quantized_gemm_plan *plan) {
    opmill_matrix_product *const product = &problem->product;
    memset(problem, 0, sizeof *problem);
    product->m = y_dims[0];
    product->n = y_dims[1];
    product->k = a->dims[plan->transpose_a ? 0 : 1];
    if (product->m == 0 || product->n == 0) {
        return false;
    }
    product->type = OPMILL_UINT32;
    product->a_type = a->type;
    product->b_type = b->type;
    product->c_type = OPMILL_FLOAT;
    product->a = a->data;
    product->b = b->data;
    product->a_row = plan->transpose_a ? 1 : product->k;
    product->a_column = plan->transpose_a ? product->m : 1;
    product->b_row = plan->transpose_b ? 1 : product->n;
    product->b_column = plan->transpose_b ? product->k : 1;
    product->c_row = product->n;
    product->batches = 1;
    product->alpha = 1;
    product->a_zero = a_zero->data;
    product->b_zero = b_zero->data;
    product->b_zero_column = !opmill_product_is_one(b_zero);
    product->finish = finish;
    product->state = problem;
    return true;
}

void opmill_quantized_gemm_prepare(opmill_packing *packing, void *to,
                                   const opmill_context *context) {
    opmill_matrix_product product;
    opmill_product_batch batch;
    const opmill_tensor *const b = packing->inputs[B];
    const bool transposed = *(const int64_t *)opmill_packing_attribute(packing, "transB") != 0;
    const int64_t dims[] = {b->rank == 2 ? b->dims[transposed] : 0,
                            b->rank == 2 ? b->dims[!transposed] : 0};
    const opmill_tensor turned = {b->data, dims, 2, b->type};
    if (!opmill_product_of_right(&product, &batch, &turned, packing->inputs[B_ZERO_POINT])) {
        return;
    }
    product.type = OPMILL_UINT32;
    product.b_row = transposed ? 1 : product.n;
    product.b_column = transposed ? product.k : 1;
    packing->keys[1] = transposed;
    packing->keys[2] = opmill_packing_contents(packing, B_ZERO_POINT);
    opmill_product_prepare(packing, &product, to, context);
}

size_t opmill_quantized_gemm_workspace_bytes(
    const opmill_tensor *a, const opmill_tensor *a_scale, const opmill_tensor *a_zero_point,
    const opmill_tensor *b, const opmill_tensor *b_scale, const opmill_tensor *b_zero_point,
    const opmill_tensor *c, const opmill_tensor *y_scale, const opmill_tensor *y_zero_point,
    const opmill_shape *y, const opmill_quantized_gemm_plan *plan, const opmill_context *context) {
    quantized_problem problem;
    opmill_product_layout layout;
    (void)a_scale;
    (void)b_scale;
    (void)c;
    (void)y_scale;
    (void)y_zero_point;
    if (!describe(&problem, a, a_zero_point, b, b_zero_point, y->dims, plan)) {
        return 0;
    }
    problem.product.b_packed = opmill_prepared_form(context, B);
    opmill_product_lay_out(&layout, &problem.product, context);
    return opmill_product_workspace(&layout);
}

int opmill_quantized_gemm_compute(const opmill_tensor *a, const opmill_tensor *a_scale,
                                  const opmill_tensor *a_zero_point, const opmill_tensor *b,
                                  const opmill_tensor *b_scale, const opmill_tensor *b_zero_point,
                                  const opmill_tensor *c, const opmill_tensor *y_scale,
                                  const opmill_tensor *y_zero_point, opmill_tensor *y,
                                  const opmill_quantized_gemm_plan *plan, opmill_context *context) {
    quantized_problem problem;
    opmill_product_layout layout;
    if (!describe(&problem, a, a_zero_point, b, b_zero_point, y->dims, plan)) {
        return OPMILL_OK;
    }
    problem.product.c = y->data;
    problem.loops = opmill_quantize_loops_for(opmill_isa_select(context->isa));
    problem.b_scale = b_scale;
    problem.scale_step = !opmill_product_is_one(b_scale);
    problem.alpha = (float)plan->alpha;
    problem.a_scale = opmill_scale_at(a_scale, 0);
    if (c != NULL) {
        const int64_t columns = c->rank > 0 ? c->dims[c->rank - 1] : 1;
        problem.third = c;
        problem.third_column = columns > 1 ? 1 : 0;
        problem.third_row = c->rank > 1 && c->dims[0] > 1 ? columns : 0;
    }
    if (y_scale != NULL && y_zero_point != NULL) {
        problem.is_quantized = true;
        problem.y_scale = opmill_scale_at(y_scale, 0);
        opmill_requantizer_begin(&problem.requantizer, y->type, y_zero_point->data, context->isa);
    }
    problem.product.b_packed = opmill_prepared_form(context, B);
    opmill_product_lay_out(&layout, &problem.product, context);
    opmill_product_run(&layout, context->workspace);
    return OPMILL_OK;
}

void opmill_quantized_gemm_choose(const opmill_tensor *a, const opmill_tensor *a_scale,
                                  const opmill_tensor *a_zero_point, const opmill_tensor *b,
                                  const opmill_tensor *b_scale, const opmill_tensor *b_zero_point,
                                  const opmill_tensor *c, const opmill_tensor *y_scale,
                                  const opmill_tensor *y_zero_point, const opmill_shape *y,
                                  const opmill_quantized_gemm_plan *plan,
                                  const opmill_context *context, opmill_choice *choice) {
    quantized_problem problem;
    opmill_product_layout layout;
    (void)a_scale;
    (void)b_scale;
    (void)c;
    (void)y_scale;
    (void)y_zero_point;
    *choice = (opmill_choice){"empty", OPMILL_ISA_PLAIN, 1};
    if (describe(&problem, a, a_zero_point, b, b_zero_point, y->dims, plan)) {
        problem.product.b_packed = opmill_prepared_form(context, B);
        opmill_product_lay_out(&layout, &problem.product, context);
        opmill_product_choice(&layout, choice);
    }
}
