/* QLinearConv: a convolution of quantized numbers, quantized again. The engine has channels first:
 * where they are last, x is transposed before it and y behind it. */
#include "families/qlinear_conv/kernel.h"

#include "runtime/convolution/convolution.h"
#include "runtime/call/prepared.h"
#include "runtime/copy/strided_copy.h"
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
    const uint32_t *bias;                                     /* or NULL */
    int64_t x_dims[OPMILL_MAX_RANK], y_dims[OPMILL_MAX_RANK]; /* channels first */
    bool moves_x, moves_y;   /* whether x and y have their channels elsewhere */
    size_t x_bytes, y_bytes; /* of the workspace, for the transposed tensors */
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

/* The dims of a tensor whose channels are last, channels first. Returns whether its elements are
 * in another order: not where there is one channel, or one position of the spatial axes. */
static bool put_channels_first(int64_t *dims, const int64_t *last, int32_t rank, size_t *bytes) {
    const int64_t channels = last[rank - 1];
    int64_t positions = 1;
    dims[0] = last[0];
    dims[1] = channels;
    for (int32_t i = 2; i < rank; i++) {
        dims[i] = last[i - 1];
        positions *= dims[i];
    }
    *bytes = 0;
    if (channels == 1 || positions == 1) {
        return false;
    }
    *bytes = (size_t)(dims[0] * channels * positions);
    return true;
}

/* Transposes items of `rows` rows and `columns` columns. */
static void transpose(const void *from, void *to, int64_t items, int64_t rows, int64_t columns,
                      const opmill_context *context) {
    opmill_strided_copy copy;
    opmill_strided_begin(&copy, OPMILL_UINT8, 0);
    opmill_strided_axis(&copy, items, rows * columns);
    opmill_strided_axis(&copy, columns, 1);
    opmill_strided_axis(&copy, rows, columns);
    opmill_strided_run(&copy, from, to, context);
}

/* Describes the convolution; false where the output is empty. */
static bool describe(qlinear_problem *problem, const opmill_tensor *x, const opmill_tensor *x_zero,
                     const opmill_tensor *w, const opmill_tensor *w_scale,
                     const opmill_tensor *w_zero, const opmill_tensor *bias, int32_t y_type,
                     void *y, const int64_t *y_dims, const opmill_qlinear_conv_plan *plan) {
    opmill_convolution *const convolution = &problem->convolution;
    opmill_tensor planar = *x;
    problem->moves_x = problem->moves_y = false;
    problem->x_bytes = problem->y_bytes = 0;
    if (plan->channels_last) {
        problem->moves_x = put_channels_first(problem->x_dims, x->dims, x->rank, &problem->x_bytes);
        problem->moves_y = put_channels_first(problem->y_dims, y_dims, x->rank, &problem->y_bytes);
        planar.dims = problem->x_dims;
        y_dims = problem->y_dims;
    }
    if (!opmill_convolution_describe(convolution, &planar, w, y, y_dims, plan->strides.values,
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
    const size_t bytes = opmill_convolution_workspace(&layout);
    return bytes < SIZE_MAX - problem.x_bytes &&
                   bytes + problem.x_bytes < SIZE_MAX - problem.y_bytes
               ? bytes + problem.x_bytes + problem.y_bytes
               : SIZE_MAX;
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
    uint8_t *const memory = context->workspace;
    opmill_convolution *const convolution = &problem.convolution;
    const int64_t maps = convolution->groups * convolution->maps;
    if (problem.moves_x) {
        const int64_t channels = convolution->groups * convolution->channels;
        convolution->x = memory;
        transpose(x->data, memory, convolution->batch, convolution->in_size, channels, context);
    }
    if (problem.moves_y) {
        convolution->y = memory + problem.x_bytes;
    }
    opmill_convolution_lay_out(&layout, convolution, context);
    opmill_convolution_run(&layout, memory + problem.x_bytes + problem.y_bytes);
    if (problem.moves_y) {
        transpose(convolution->y, y->data, convolution->batch, maps, convolution->out_size,
                  context);
    }
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
