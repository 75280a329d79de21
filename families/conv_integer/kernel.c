/* ConvInteger: a convolution of 8-bit integers, less their zero points. */
#include "families/conv_integer/kernel.h"

#include "runtime/convolution/convolution.h"
#include "runtime/call/prepared.h"
#include "runtime/product/operands.h"

/* Positions of inputs. */
enum { W = 1, W_ZERO_POINT = 3 };

/* Describes the convolution; false where the output is empty. `y` may be missing. */
static bool describe(opmill_convolution *convolution, const opmill_tensor *x,
                     const opmill_tensor *w, const opmill_tensor *x_zero,
                     const opmill_tensor *w_zero, void *y, const int64_t *y_dims,
                     const opmill_conv_integer_plan *plan) {
    if (!opmill_convolution_describe(convolution, x, w, y, y_dims, plan->strides.values,
                                     plan->dilations.values, plan->begin.values, plan->group)) {
        return false;
    }
    convolution->type = OPMILL_UINT32;
    convolution->y_type = OPMILL_INT32;
    convolution->x_zero = x_zero != NULL ? x_zero->data : NULL;
    convolution->w_zero = w_zero != NULL ? w_zero->data : NULL;
    convolution->w_zero_step = !opmill_product_is_one(w_zero);
    return true;
}

void opmill_conv_integer_prepare(opmill_packing *packing, void *to, const opmill_context *context) {
    opmill_convolution convolution;
    const opmill_tensor *const w = packing->inputs[W], *const zero = packing->inputs[W_ZERO_POINT];
    const int64_t zeros = opmill_packing_contents(packing, W_ZERO_POINT);
    if (opmill_convolution_describe_weights(
            &convolution, w, *(const int64_t *)opmill_packing_attribute(packing, "group")) &&
        opmill_convolution_set_zeros(&convolution, w, zero)) {
        packing->keys[2] = zeros;
        opmill_convolution_prepare(packing, &convolution, to, context);
    }
}

size_t opmill_conv_integer_workspace_bytes(const opmill_tensor *x, const opmill_tensor *w,
                                           const opmill_tensor *x_zero_point,
                                           const opmill_tensor *w_zero_point, const opmill_shape *y,
                                           const opmill_conv_integer_plan *plan,
                                           const opmill_context *context) {
    opmill_convolution convolution;
    opmill_convolution_layout layout;
    if (!describe(&convolution, x, w, x_zero_point, w_zero_point, NULL, y->dims, plan)) {
        return 0;
    }
    convolution.w_packed = opmill_prepared_form(context, W);
    opmill_convolution_lay_out(&layout, &convolution, context);
    return opmill_convolution_workspace(&layout);
}

int opmill_conv_integer_compute(const opmill_tensor *x, const opmill_tensor *w,
                                const opmill_tensor *x_zero_point,
                                const opmill_tensor *w_zero_point, opmill_tensor *y,
                                const opmill_conv_integer_plan *plan, opmill_context *context) {
    opmill_convolution convolution;
    opmill_convolution_layout layout;
    if (describe(&convolution, x, w, x_zero_point, w_zero_point, y->data, y->dims, plan)) {
        convolution.w_packed = opmill_prepared_form(context, W);
        opmill_convolution_lay_out(&layout, &convolution, context);
        opmill_convolution_run(&layout, context->workspace);
    }
    return OPMILL_OK;
}

void opmill_conv_integer_choose(const opmill_tensor *x, const opmill_tensor *w,
                                const opmill_tensor *x_zero_point,
                                const opmill_tensor *w_zero_point, const opmill_shape *y,
                                const opmill_conv_integer_plan *plan, const opmill_context *context,
                                opmill_choice *choice) {
    opmill_convolution convolution;
    opmill_convolution_layout layout;
    *choice = (opmill_choice){"empty", OPMILL_ISA_PLAIN, 1};
    if (describe(&convolution, x, w, x_zero_point, w_zero_point, NULL, y->dims, plan)) {
        convolution.w_packed = opmill_prepared_form(context, W);
        opmill_convolution_lay_out(&layout, &convolution, context);
        opmill_convolution_choice(&layout, choice);
    }
}
