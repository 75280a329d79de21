#include "merged.h"

/* Beyond that, products of extents and strides are not looked at. */
static const int64_t MODERATE = 1 << 30;

static bool is_moderate(const max_pool_axis *axis) {
    return axis->in < MODERATE && axis->out < MODERATE && axis->kernel < MODERATE &&
           axis->stride < MODERATE && axis->dilation < MODERATE && axis->begin < MODERATE &&
           axis->kernel * axis->dilation < MODERATE;
}

/* Whether every window along an axis is one element, and every element a window. */
static bool is_kept(const max_pool_axis *axis) {
    return axis->kernel == 1 && axis->stride == 1 && axis->begin == 0 && axis->in == axis->out;
}

/* Whether the one window of an axis covers it, so that windows of the axis before go on from one
 * row to the next. */
static bool is_covered(const max_pool_axis *axis) {
    return axis->out == 1 && axis->dilation == 1 && axis->kernel - axis->begin >= axis->in;
}

bool opmill_max_pool_merge(max_pool_merged *merged, const max_pool_problem *problem) {
    max_pool_axis axes[MAX_POOL_MAX_AXES];
    int32_t count = problem->axis_count;
    int32_t first = 0;
    for (int32_t i = 0; i < count; i++) {
        axes[i] = problem->axes[i];
        if (!is_moderate(&axes[i]) || axes[i].in == 0) {
            return false;
        }
    }
    merged->planes = problem->planes;
    for (; count - first > 1 && is_kept(&axes[first]); first++) {
        merged->planes *= axes[first].in;
    }
    while (count - first > 1 && is_covered(&axes[count - 1]) && axes[count - 2].dilation == 1) {
        const int64_t in = axes[count - 1].in;
        max_pool_axis *const before = &axes[count - 2];
        before->in *= in;
        before->kernel *= in;
        before->stride *= in;
        before->begin *= in;
        if (!is_moderate(before)) {
            return false;
        }
        count--;
    }
    merged->wide = axes[count - 1];
    merged->high = (max_pool_axis){1, 1, 1, 1, 1, 0};
    if (count - first > 1) {
        merged->high = axes[count - 2];
    }
    merged->outer_count = 0;
    merged->outer_in = merged->outer_out = 1;
    for (int32_t i = first; i < count - 2; i++) {
        merged->outer[merged->outer_count++] = axes[i];
        merged->outer_in *= axes[i].in;
        merged->outer_out *= axes[i].out;
    }
    return true;
}
