/* FusedMatMul: a batch of products of matrices, each read in the order that its transpositions
 * give.
 */
#include "families/fused_matmul/kernel.h"

#include <string.h>

#include "runtime/product/operands.h"
#include "runtime/product/product.h"

/* An operand as it is multiplied: its last two dims, its steps, those of the axes of its batch. */
typedef struct operand {
    int32_t batch_rank;
    int64_t rows, columns, row_step, column_step;
    int64_t dims[OPMILL_MAX_RANK], steps[OPMILL_MAX_RANK];
} operand;

typedef struct fused_problem {
    opmill_matrix_product product;
    operand a, b;
    int64_t dims[OPMILL_MAX_RANK], a_steps[OPMILL_MAX_RANK], b_steps[OPMILL_MAX_RANK];
} fused_problem;

static void find_operand(operand *found, const opmill_tensor *tensor, bool moves, bool swaps,
                         bool is_left) {
    const int32_t rank = tensor->rank;
    int64_t steps[OPMILL_MAX_RANK], step = 1;
    for (int32_t i = rank - 1; i >= 0; i--) {
        steps[i] = step;
        step *= tensor->dims[i];
    }
    memset(found, 0, sizeof *found);
    if (rank == 1) {
        found->rows = is_left ? 1 : tensor->dims[0];
        found->columns = is_left ? tensor->dims[0] : 1;
        found->row_step = is_left ? tensor->dims[0] : 1;
        found->column_step = 1;
        return;
    }
    const int32_t first = moves ? 0 : rank - 2; /* the axis of the rows */
    const int32_t row = swaps ? rank - 1 : first, column = swaps ? first : rank - 1;
    found->batch_rank = rank - 2;
    found->rows = tensor->dims[row];
    found->columns = tensor->dims[column];
    found->row_step = steps[row];
    found->column_step = steps[column];
    for (int32_t i = 0; i < rank - 2; i++) {
        found->dims[i] = tensor->dims[moves ? i + 1 : i];
        found->steps[i] = steps[moves ? i + 1 : i];
    }
}

/* The step of an operand along axis `i` of the batch, which has `rank` axes. */
static int64_t step_along(const operand *of, int32_t i, int32_t rank, int64_t *dim) {
    const int32_t own = i - (rank - of->batch_rank);
    if (own < 0 || of->dims[own] == 1) {
        return 0;
    }
    *dim = of->dims[own];
    return of->steps[own];
}

/* Describes the product; false where it has no element. `y` may be missing. */
static bool describe(fused_problem *problem, const opmill_tensor *a, const opmill_tensor *b,
                     void *y, const int64_t *y_dims, int32_t y_rank,
                     const opmill_fused_matmul_plan *plan) {
    opmill_matrix_product *const product = &problem->product;
    if (opmill_product_size(y_dims, y_rank) == 0) {
        return false;
    }
    find_operand(&problem->a, a, plan->moves_a, plan->swaps_a, true);
    find_operand(&problem->b, b, plan->moves_b, plan->swaps_b, false);
    memset(product, 0, sizeof *product);
    product->m = problem->a.rows;
    product->k = problem->a.columns;
    product->n = problem->b.columns;
    product->type = opmill_product_sums(a->type);
    product->a_type = product->b_type = product->c_type = a->type;
    product->a = a->data;
    product->b = b->data;
    product->c = y;
    product->alpha = plan->alpha;
    product->a_row = problem->a.row_step;
    product->a_column = problem->a.column_step;
    product->b_row = problem->b.row_step;
    product->b_column = problem->b.column_step;
    product->c_row = product->n;
    product->c_batch = product->m * product->n;
    product->batch_rank = problem->a.batch_rank > problem->b.batch_rank ? problem->a.batch_rank
                                                                        : problem->b.batch_rank;
    product->batches = 1;
    for (int32_t i = 0; i < product->batch_rank; i++) {
        problem->dims[i] = 1;
        problem->a_steps[i] = step_along(&problem->a, i, product->batch_rank, &problem->dims[i]);
        problem->b_steps[i] = step_along(&problem->b, i, product->batch_rank, &problem->dims[i]);
        product->batches *= problem->dims[i];
    }
    product->batch_dims = problem->dims;
    product->a_batch = problem->a_steps;
    product->b_batch = problem->b_steps;
    return true;
}

size_t opmill_fused_matmul_workspace_bytes(const opmill_tensor *a, const opmill_tensor *b,
                                           const opmill_shape *y,
                                           const opmill_fused_matmul_plan *plan,
                                           const opmill_context *context) {
    fused_problem problem;
    opmill_product_layout layout;
    if (!describe(&problem, a, b, NULL, y->dims, y->rank, plan)) {
        return 0;
    }
    opmill_product_lay_out(&layout, &problem.product, context);
    return opmill_product_workspace(&layout);
}

int opmill_fused_matmul_compute(const opmill_tensor *a, const opmill_tensor *b, opmill_tensor *y,
                                const opmill_fused_matmul_plan *plan, opmill_context *context) {
    fused_problem problem;
    opmill_product_layout layout;
    if (describe(&problem, a, b, y->data, y->dims, y->rank, plan)) {
        opmill_product_lay_out(&layout, &problem.product, context);
        opmill_product_run(&layout, context->workspace);
    }
    return OPMILL_OK;
}

void opmill_fused_matmul_choose(const opmill_tensor *a, const opmill_tensor *b,
                                const opmill_shape *y, const opmill_fused_matmul_plan *plan,
                                const opmill_context *context, opmill_choice *choice) {
    fused_problem problem;
    opmill_product_layout layout;
    *choice = (opmill_choice){"empty", OPMILL_ISA_PLAIN, 1};
    if (describe(&problem, a, b, NULL, y->dims, y->rank, plan)) {
        opmill_product_lay_out(&layout, &problem.product, context);
        opmill_product_choice(&layout, choice);
    }
}
