/* MatMul: a batch of products of matrices. */
#include "families/matmul/kernel.h"

#include "runtime/call/prepared.h"
#include "runtime/product/operands.h"
#include "runtime/product/product.h"

enum { B = 1 }; /* the position of the input */

/* The product of a call, and what it points to. */
typedef struct matmul_problem {
    opmill_matrix_product product;
    opmill_product_batch batch;
} matmul_problem;

/* Makes the product; false where it has no element. */
static bool describe(matmul_problem *problem, const opmill_tensor *a, const opmill_tensor *b,
                     void *y, const int64_t *y_dims, int32_t y_rank) {
    opmill_matrix_product *const product = &problem->product;
    if (opmill_product_size(y_dims, y_rank) == 0) {
        return false;
    }
    opmill_product_of_tensors(product, &problem->batch, a, b);
    product->type = opmill_product_sums(a->type);
    product->c_type = a->type;
    product->c = y;
    return true;
}

void opmill_matmul_prepare(opmill_packing *packing, void *to, const opmill_context *context) {
    matmul_problem problem;
    const opmill_tensor *const b = packing->inputs[B];
    if (opmill_product_of_right(&problem.product, &problem.batch, b, NULL)) {
        problem.product.type = opmill_product_sums(b->type);
        opmill_product_prepare(packing, &problem.product, to, context);
    }
}

size_t opmill_matmul_workspace_bytes(const opmill_tensor *a, const opmill_tensor *b,
                                     const opmill_shape *y, const opmill_matmul_plan *plan,
                                     const opmill_context *context) {
    matmul_problem problem;
    opmill_product_layout layout;
    (void)plan;
    if (!describe(&problem, a, b, NULL, y->dims, y->rank)) {
        return 0;
    }
    problem.product.b_packed = opmill_prepared_form(context, B);
    opmill_product_lay_out(&layout, &problem.product, context);
    return opmill_product_workspace(&layout);
}

int opmill_matmul_compute(const opmill_tensor *a, const opmill_tensor *b, opmill_tensor *y,
                          const opmill_matmul_plan *plan, opmill_context *context) {
    matmul_problem problem;
    opmill_product_layout layout;
    (void)plan;
    if (describe(&problem, a, b, y->data, y->dims, y->rank)) {
        problem.product.b_packed = opmill_prepared_form(context, B);
        opmill_product_lay_out(&layout, &problem.product, context);
        opmill_product_run(&layout, context->workspace);
    }
    return OPMILL_OK;
}

void opmill_matmul_choose(const opmill_tensor *a, const opmill_tensor *b, const opmill_shape *y,
                          const opmill_matmul_plan *plan, const opmill_context *context,
                          opmill_choice *choice) {
    matmul_problem problem;
    opmill_product_layout layout;
    (void)plan;
    *choice = (opmill_choice){"empty", OPMILL_ISA_PLAIN, 1};
    if (describe(&problem, a, b, NULL, y->dims, y->rank)) {
        problem.product.b_packed = opmill_prepared_form(context, B);
        opmill_product_lay_out(&layout, &problem.product, context);
        opmill_product_choice(&layout, choice);
    }
}
