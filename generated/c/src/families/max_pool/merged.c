/* Merges adjacent axes of a max pool whose windows allow it: axes without windows, and axes that
 * one window covers. */
#include "merged.h"

/* True if every window along an axis is one element, and every element a window. */
static bool is_kept(const opmill_window_axis *axis) {
    return axis->kernel == 1 && axis->stride == 1 && axis->begin == 0 && axis->in == axis->out;
}

/* True if the one window of an axis covers it, so that windows of the axis before go on from one
 * row to the next. */
static bool is_covered(const opmill_window_axis *axis) {
    return axis->out == 1 && axis->dilation == 1 && axis->kernel - axis->begin >= axis->in;
}

bool opmill_max_pool_merge(max_pool_merged *merged, const max_pool_problem *problem) {
    opmill_window_axis axes[OPMILL_MAX_WINDOW_AXES];
    int32_t count = problem->axis_count;
    int32_t first = 0;
    for (int32_t i = 0; i < count; i++) {
        axes[i] = problem->axes[i];
        if (!opmill_window_axis_is_moderate(&axes[i]) || axes[i].in == 0) {
            return false;
        }
    }
    merged->planes = problem->planes;
    for (; count - first > 1 && is_kept(&axes[first]); first++) {
        merged->planes *= axes[first].in;
    }
    while (count - first > 1 && is_covered(&axes[count - 1]) && axes[count - 2].dilation == 1) {
        const int64_t in = axes[count - 1].in;
        opmill_window_axis *const before = &axes[count - 2];
        before->in *= in;
        before->kernel *= in;
        before->stride *= in;
        before->begin *= in;
        if (!opmill_window_axis_is_moderate(before)) {
            return false;
        }
        count--;
    }
    merged->wide = axes[count - 1];
    merged->high = (opmill_window_axis){1, 1, 1, 1, 1, 0};
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
