/* FusedGemm: one product of matrices, whose sums are scaled, added to a third matrix and activated
 * as they are stored.
 */
#include "families/fused_gemm/kernel.h"

#include <math.h>
#include <string.h>

#include "runtime/call/prepared.h"
#include "runtime/elementwise/activations.h"
#include "runtime/numbers/reals.h"
#include "runtime/platform/isa.h"
#include "runtime/platform/platform.h"
#include "runtime/product/operands.h"
#include "runtime/product/product.h"

enum { B = 1 }; /* the position of the input */

enum { CHUNK = OPMILL_ON_STACK(256, 64) }; /* sums of a row that are activated together */

typedef struct fused_problem {
    opmill_matrix_product product;
    opmill_activation activation;
    opmill_limits limits;
    int32_t isa;
    const void *third; /* or NULL */
    int64_t row, column;
    double alpha, beta;
} fused_problem;

/* Sums, scaled and activated: in their own type, which may be wider than that of Y. */
#define DEFINE_FINISH(real, sums_type)                                                          \
    static void finish_##real(const opmill_matrix_product *product, int64_t batch, int64_t row, \
                              int64_t column, int64_t rows, int64_t columns, const void *sums,  \
                              int64_t pitch) {                                                  \
        const fused_problem *const problem = product->state;                                    \
        const real alpha = (real)problem->alpha, beta = (real)problem->beta;                    \
        const int32_t type = product->c_type;                                                   \
        real values[CHUNK];                                                                     \
        (void)batch;                                                                            \
        for (int64_t r = 0; r < rows; r++) {                                                    \
            for (int64_t first = 0; first < columns; first += CHUNK) {                          \
                const real *const from = (const real *)sums + r * pitch + first;                \
                const int64_t count = columns - first < CHUNK ? columns - first : CHUNK;        \
                const int64_t to = (row + r) * product->c_row + column + first;                 \
                int64_t at = (row + r) * problem->row + (column + first) * problem->column;     \
                for (int64_t i = 0; i < count; i++) {                                           \
                    values[i] = alpha * from[i];                                                \
                    if (problem->third != NULL) {                                               \
                        values[i] += beta * (real)opmill_real_at(problem->third, type, at);     \
                        at += problem->column;                                                  \
                    }                                                                           \
                }                                                                               \
                opmill_activate(&problem->activation, sums_type, problem->isa, values, count);  \
                if (type == sums_type) {                                                        \
                    memcpy((real *)product->c + to, values, (size_t)count * sizeof(real));      \
                    continue;                                                                   \
                }                                                                               \
                for (int64_t i = 0; i < count; i++) {                                           \
                    opmill_real_put(product->c, type, to + i, (double)values[i]);               \
                }                                                                               \
            }                                                                                   \
        }                                                                                       \
    }

DEFINE_FINISH(float, OPMILL_FLOAT)
DEFINE_FINISH(double, OPMILL_DOUBLE)

/* Describes the product; false where it has no element. `y` may be missing. */
static bool describe(fused_problem *problem, const opmill_tensor *a, const opmill_tensor *b,
                     const opmill_tensor *c, void *y, const int64_t *y_dims,
                     const opmill_fused_gemm_plan *plan, const opmill_context *context) {
    opmill_matrix_product *const product = &problem->product;
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
    product->b_packed = opmill_prepared_form(context, B);
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
        problem->third = c->data != NULL ? c->data : &missing;
        problem->column = columns > 1 ? 1 : 0;
        problem->row = c->rank > 1 && c->dims[0] > 1 ? columns : 0;
    }
    if (plan->activation == OPMILL_ACTIVATION_RELU && a->type == OPMILL_FLOAT) {
        problem->limits.high = INFINITY;
        product->limits = &problem->limits;
        product->bias = problem->third;
        product->bias_row = problem->row;
        product->bias_column = problem->column;
        return true;
    }
    problem->activation.number = plan->activation;
    problem->activation.alpha = plan->activation_alpha;
    problem->activation.beta = plan->activation_beta;
    problem->activation.gamma = plan->activation_gamma;
    problem->isa = opmill_isa_select(context->isa);
    problem->alpha = plan->alpha;
    problem->beta = plan->beta;
    product->state = problem;
    product->finish = product->type == OPMILL_DOUBLE ? finish_double : finish_float;
    return true;
}

void opmill_fused_gemm_prepare(opmill_packing *packing, void *to, const opmill_context *context) {
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

size_t opmill_fused_gemm_workspace_bytes(const opmill_tensor *a, const opmill_tensor *b,
                                         const opmill_tensor *c, const opmill_shape *y,
                                         const opmill_fused_gemm_plan *plan,
                                         const opmill_context *context) {
    fused_problem problem;
    opmill_product_layout layout;
    if (!describe(&problem, a, b, c, NULL, y->dims, plan, context)) {
        return 0;
    }
    opmill_product_lay_out(&layout, &problem.product, context);
    return opmill_product_workspace(&layout);
}

int opmill_fused_gemm_compute(const opmill_tensor *a, const opmill_tensor *b,
                              const opmill_tensor *c, opmill_tensor *y,
                              const opmill_fused_gemm_plan *plan, opmill_context *context) {
    fused_problem problem;
    opmill_product_layout layout;
    if (describe(&problem, a, b, c, y->data, y->dims, plan, context)) {
        opmill_product_lay_out(&layout, &problem.product, context);
        opmill_product_run(&layout, context->workspace);
    }
    return OPMILL_OK;
}

void opmill_fused_gemm_choose(const opmill_tensor *a, const opmill_tensor *b,
                              const opmill_tensor *c, const opmill_shape *y,
                              const opmill_fused_gemm_plan *plan, const opmill_context *context,
                              opmill_choice *choice) {
    fused_problem problem;
    opmill_product_layout layout;
    *choice = (opmill_choice){"empty", OPMILL_ISA_PLAIN, 1};
    if (describe(&problem, a, b, c, NULL, y->dims, plan, context)) {
        opmill_product_lay_out(&layout, &problem.product, context);
        opmill_product_choice(&layout, choice);
    }
}
