/* QLinearConv: a convolution of quantized numbers, quantized again. */
#include "families/qlinear_conv/kernel.h"

#include "runtime/convolution/convolution.h"
#include "runtime/call/prepared.h"
#include "runtime/product/operands.h"
#include "runtime/quantized/requantize.h"

/* Positions of inputs. */
enum { W = 3, W_ZERO_POINT = 5 };

/* The convolution of a call, and what it points to. */
typedef struct qlinear_problem {
    opmill_convolution convolution;
    opmill_requantizer requantizer;
    float x_scale, y_scale;
    const opmill_tensor *w_scale;
    const uint32_t *bias; /* or NULL */
} qlinear_problem;

static float rescale(const opmill_convolution *convolution, int64_t map, uint32_t *added) {
    const qlinear_problem *const problem = convolution->state;
    const float both =
        problem->x_scale * opmill_scale_at(problem->w_scale, map * convolution->w_zero_step);
    *added = problem->bias != NULL ? problem->bias[map] : 0;
    return both / problem->y_scale;
}

static void finish(const opmill_convolution *convolution, int64_t item, int64_t map,
                   int64_t position, const void *sums, int64_t count) {
    const qlinear_problem *const problem = convolution->state;
    const int64_t all_maps = convolution->groups * convolution->maps;
    uint32_t added;
    const float factor = rescale(convolution, map, &added);
    uint8_t *const out =
        (uint8_t *)convolution->y + (item * all_maps + map) * convolution->out_size + position;
    opmill_requantize(&problem->requantizer, sums, added, factor, NULL, count, out);
}

/* Describes the convolution; false where the output is empty. */
static bool describe(qlinear_problem *problem, const opmill_tensor *x, const opmill_tensor *x_zero,
                     const opmill_tensor *w, const opmill_tensor *w_scale,
                     const opmill_tensor *w_zero, const opmill_tensor *bias, int32_t y_type,
                     void *y, const int64_t *y_dims, const opmill_qlinear_conv_plan *plan) {
    opmill_convolution *const convolution = &problem->convolution;
    if (!opmill_convolution_describe(convolution, x, w, y, y_dims, plan->strides.values,
                                     plan->dilations.values, plan->begin.values, plan->group)) {
        return false;
    }
    convolution->type = OPMILL_UINT32;
    convolution->y_type = y_type;
    convolution->x_zero = x_zero->data;
    convolution->w_zero = w_zero->data;
    convolution->w_zero_step = !opmill_product_is_one(w_zero);
    convolution->finish = finish;
    if (y_type == OPMILL_INT8 || y_type == OPMILL_UINT8) {
        convolution->rescale = rescale;
        convolution->requantizer = &problem->requantizer;
    }
    convolution->state = problem;
    problem->w_scale = w_scale;
    problem->bias = bias != NULL ? bias->data : NULL;
    return true;
}

void opmill_qlinear_conv_prepare(opmill_packing *packing, void *to, const opmill_context *context) {
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

size_t opmill_qlinear_conv_workspace_bytes(
    const opmill_tensor *x, const opmill_tensor *x_scale, const opmill_tensor *x_zero_point,
    const opmill_tensor *w, const opmill_tensor *w_scale, const opmill_tensor *w_zero_point,
    const opmill_tensor *y_scale, const opmill_tensor *y_zero_point, const opmill_tensor *bias,
    const opmill_shape *y, const opmill_qlinear_conv_plan *plan, const opmill_context *context) {
    qlinear_problem problem;
    opmill_convolution_layout layout;
    (void)x_scale;
    (void)y_scale;
    if (!describe(&problem, x, x_zero_point, w, w_scale, w_zero_point, bias, y_zero_point->type,
                  NULL, y->dims, plan)) {
        return 0;
    }
    problem.convolution.w_packed = opmill_prepared_form(context, W);
    opmill_convolution_lay_out(&layout, &problem.convolution, context);
    return opmill_convolution_workspace(&layout);
}

int opmill_qlinear_conv_compute(const opmill_tensor *x, const opmill_tensor *x_scale,
                                const opmill_tensor *x_zero_point, const opmill_tensor *w,
                                const opmill_tensor *w_scale, const opmill_tensor *w_zero_point,
                                const opmill_tensor *y_scale, const opmill_tensor *y_zero_point,
                                const opmill_tensor *bias, opmill_tensor *y,
                                const opmill_qlinear_conv_plan *plan, opmill_context *context) {
    qlinear_problem problem;
    opmill_convolution_layout layout;
    if (!describe(&problem, x, x_zero_point, w, w_scale, w_zero_point, bias, y->type, y->data,
                  y->dims, plan)) {
        return OPMILL_OK;
    }
    problem.x_scale = opmill_scale_at(x_scale, 0);
    problem.y_scale = opmill_scale_at(y_scale, 0);
    opmill_requantizer_begin(&problem.requantizer, y->type, y_zero_point->data, context->isa);
    problem.convolution.w_packed = opmill_prepared_form(context, W);
    opmill_convolution_lay_out(&layout, &problem.convolution, context);
    opmill_convolution_run(&layout, context->workspace);
    return OPMILL_OK;
}

void opmill_qlinear_conv_choose(const opmill_tensor *x, const opmill_tensor *x_scale,
                                const opmill_tensor *x_zero_point, const opmill_tensor *w,
                                const opmill_tensor *w_scale, const opmill_tensor *w_zero_point,
                                const opmill_tensor *y_scale, const opmill_tensor *y_zero_point,
                                const opmill_tensor *bias, const opmill_shape *y,
                                const opmill_qlinear_conv_plan *plan, const opmill_context *context,
                                opmill_choice *choice) {
    qlinear_problem problem;
    opmill_convolution_layout layout;
    (void)x_scale;
    (void)y_scale;
    *choice = (opmill_choice){"empty", OPMILL_ISA_PLAIN, 1};
    if (describe(&problem, x, x_zero_point, w, w_scale, w_zero_point, bias, y_zero_point->type,
                 NULL, y->dims, plan)) {
        problem.convolution.w_packed = opmill_prepared_form(context, W);
        opmill_convolution_lay_out(&layout, &problem.convolution, context);
        opmill_convolution_choice(&layout, choice);
    }
}
