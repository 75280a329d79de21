/* Converts the tensors, attributes and plan of a ConvTranspose call to the numbers that its kernels
 * use. Axes that have one position throughout are dropped. */
#include "problem.h"

/* An axis that has one position everywhere decides nothing. */
static bool is_trivial(const conv_transpose_axis *axis) {
    return axis->in == 1 && axis->kernel == 1 && axis->out == 1 && axis->begin == 0;
}

bool opmill_conv_transpose_problem(conv_transpose_problem *problem, const opmill_tensor *x,
                                   const opmill_tensor *w, const opmill_tensor *bias, void *y,
                                   const int64_t *y_dims, const int64_t *strides,
                                   const int64_t *dilations, const int64_t *begins,
                                   int64_t groups) {
    const int32_t spatial = x->rank - 2;
    problem->x = x->data;
    problem->w = w->data;
    problem->bias = bias ? bias->data : NULL;
    problem->y = y;
    problem->type = x->type;
    problem->batch = x->dims[0];
    problem->groups = groups;
    problem->channels = x->dims[1] / groups;
    problem->maps = w->dims[1];
    if (problem->batch == 0 || problem->maps == 0) {
        return false;
    }

    for (int32_t a = 0; a < spatial; a++) {
        if (x->dims[2 + a] == 0) {
            problem->channels = 0;
        }
    }
    problem->axis_count = 0;
    problem->in_size = problem->channels > 0;
    problem->kernel_size = problem->channels > 0;
    problem->out_size = 1;
    for (int32_t a = 0; a < spatial; a++) {
        conv_transpose_axis *const axis = &problem->axes[problem->axis_count];
        axis->in = x->dims[2 + a];
        axis->kernel = w->dims[2 + a];
        axis->out = y_dims[2 + a];
        axis->stride = strides[a];
        axis->dilation = dilations[a];
        axis->begin = begins[a];
        problem->out_size *= axis->out;
        if (problem->channels > 0) {
            problem->in_size *= axis->in;
            problem->kernel_size *= axis->kernel;
        }
        const bool is_needed = a == spatial - 1 && problem->axis_count == 0;
        if (is_needed || !is_trivial(axis)) {
            problem->axis_count++;
        }
    }
    return true;
}
