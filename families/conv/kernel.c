/* Conv: a convolution of floating types, with one value added to each map. */
#include "families/conv/kernel.h"

#include "runtime/convolution/convolution.h"
#include "runtime/call/prepared.h"
#include "runtime/product/operands.h"

enum { W = 1 }; /* the position of the input */

/* Makes the convolution; false where the output is empty. `y` may be missing. */
static bool describe(opmill_convolution *convolution, const opmill_tensor *x,
                     const opmill_tensor *w, const opmill_tensor *bias, void *y,
                     const int64_t *y_dims, const opmill_conv_plan *plan) {
    if (!opmill_convolution_describe(convolution, x, w, y, y_dims, plan->strides.values,
                                     plan->dilations.values, plan->begin.values, plan->group)) {
        return false;
    }
    convolution->type = opmill_product_sums(x->type);
    convolution->y_type = x->type;
    convolution->bias = bias != NULL ? bias->data : NULL;
    return true;
}

void opmill_conv_prepare(opmill_packing *packing, void *to, const opmill_context *context) {
    opmill_convolution convolution;
    const opmill_tensor *const w = packing->inputs[W];
    if (opmill_convolution_describe_weights(
            &convolution, w, *(const int64_t *)opmill_packing_attribute(packing, "group"))) {
        convolution.type = opmill_product_sums(w->type);
        opmill_convolution_prepare(packing, &convolution, to, context);
    }
}

size_t opmill_conv_workspace_bytes(const opmill_tensor *x, const opmill_tensor *w,
                                   const opmill_tensor *bias, const opmill_shape *y,
                                   const opmill_conv_plan *plan, const opmill_context *context) {
    static const char missing = 0; /* placeholder until data are known */
    opmill_convolution convolution;
    opmill_convolution_layout layout;
    if (!describe(&convolution, x, w, bias, NULL, y->dims, plan)) {
        return 0;
    }
    convolution.bias = bias != NULL ? &missing : NULL;
    convolution.w_packed = opmill_prepared_form(context, W);
    opmill_convolution_lay_out(&layout, &convolution, context);
    return opmill_convolution_workspace(&layout);
}

int opmill_conv_compute(const opmill_tensor *x, const opmill_tensor *w, const opmill_tensor *bias,
                        opmill_tensor *y, const opmill_conv_plan *plan, opmill_context *context) {
    opmill_convolution convolution;
    opmill_convolution_layout layout;
    if (describe(&convolution, x, w, bias, y->data, y->dims, plan)) {
        convolution.w_packed = opmill_prepared_form(context, W);
        convolution.limits = context->limits;
        opmill_convolution_lay_out(&layout, &convolution, context);
        opmill_convolution_run(&layout, context->workspace);
    }
    return OPMILL_OK;
}

void opmill_conv_choose(const opmill_tensor *x, const opmill_tensor *w, const opmill_tensor *bias,
                        const opmill_shape *y, const opmill_conv_plan *plan,
                        const opmill_context *context, opmill_choice *choice) {
    opmill_convolution convolution;
    opmill_convolution_layout layout;
    *choice = (opmill_choice){"empty", OPMILL_ISA_PLAIN, 1};
    if (describe(&convolution, x, w, bias, NULL, y->dims, plan)) {
        convolution.w_packed = opmill_prepared_form(context, W);
        opmill_convolution_lay_out(&layout, &convolution, context);
        opmill_convolution_choice(&layout, choice);
    }
}
