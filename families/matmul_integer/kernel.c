/* MatMulInteger: a batch of products of matrices of 8-bit integers, less their zero points. */
#include "families/matmul_integer/kernel.h"

#include "runtime/call/prepared.h"
#include "runtime/product/operands.h"
#include "runtime/product/product.h"

/* Positions of inputs. */
enum { B = 1, B_ZERO_POINT = 3 };

/* The product of a call, and what it points to. */
typedef struct integer_problem {
    opmill_matrix_product product;
    opmill_product_batch batch;
} integer_problem;

/* Describes the product; false where it has no element. */
static bool describe(integer_problem *problem, const opmill_tensor *a, const opmill_tensor *b,
                     const opmill_tensor *a_zero, const opmill_tensor *b_zero, void *y,
                     const int64_t *y_dims, int32_t y_rank) {
    opmill_matrix_product *const product = &problem->product;
    if (opmill_product_size(y_dims, y_rank) == 0) {
        return false;
    }
    opmill_product_of_quantized(product, &problem->batch, a, a_zero, b, b_zero, false);
    product->type = OPMILL_UINT32;
    product->c_type = OPMILL_INT32;
    product->c = y;
    return true;
}

void opmill_matmul_integer_prepare(opmill_packing *packing, void *to,
                                   const opmill_context *context) {
    integer_problem problem;
    if (opmill_product_of_right(&problem.product, &problem.batch, packing->inputs[B],
                                packing->inputs[B_ZERO_POINT])) {
        problem.product.type = OPMILL_UINT32;
        packing->keys[1] = opmill_packing_contents(packing, B_ZERO_POINT);
        opmill_product_prepare(packing, &problem.product, to, context);
    }
}

size_t opmill_matmul_integer_workspace_bytes(const opmill_tensor *a, const opmill_tensor *b,
                                             const opmill_tensor *a_zero_point,
                                             const opmill_tensor *b_zero_point,
                                             const opmill_shape *y,
                                             const opmill_matmul_integer_plan *plan,
                                             const opmill_context *context) {
    integer_problem problem;
    opmill_product_layout layout;
    (void)plan;
    if (!describe(&problem, a, b, a_zero_point, b_zero_point, NULL, y->dims, y->rank)) {
        return 0;
    }
    problem.product.b_packed = opmill_prepared_form(context, B);
    opmill_product_lay_out(&layout, &problem.product, context);
    return opmill_product_workspace(&layout);
}

int opmill_matmul_integer_compute(const opmill_tensor *a, const opmill_tensor *b,
                                  const opmill_tensor *a_zero_point,
                                  const opmill_tensor *b_zero_point, opmill_tensor *y,
                                  const opmill_matmul_integer_plan *plan, opmill_context *context) {
    integer_problem problem;
    opmill_product_layout layout;
    (void)plan;
    if (describe(&problem, a, b, a_zero_point, b_zero_point, y->data, y->dims, y->rank)) {
        problem.product.b_packed = opmill_prepared_form(context, B);
        opmill_product_lay_out(&layout, &problem.product, context);
        opmill_product_run(&layout, context->workspace);
    }
    return OPMILL_OK;
}

void opmill_matmul_integer_choose(const opmill_tensor *a, const opmill_tensor *b,
                                  const opmill_tensor *a_zero_point,
                                  const opmill_tensor *b_zero_point, const opmill_shape *y,
                                  const opmill_matmul_integer_plan *plan,
                                  const opmill_context *context, opmill_choice *choice) {
    integer_problem problem;
    opmill_product_layout layout;
    (void)plan;
    *choice = (opmill_choice){"empty", OPMILL_ISA_PLAIN, 1};
    if (describe(&problem, a, b, a_zero_point, b_zero_point, NULL, y->dims, y->rank)) {
        problem.product.b_packed = opmill_prepared_form(context, B);
        opmill_product_lay_out(&layout, &problem.product, context);
        opmill_product_choice(&layout, choice);
    }
}
