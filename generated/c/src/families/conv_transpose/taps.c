/* Plans and runs the kernel with taps in the vector lanes: pads the weights to whole steps, copies
 * X into a box and computes one row of one map for each task. */
#include "taps.h"

#include "runtime/numbers/elements.h"
#include "runtime/platform/parallel.h"

enum { MIN_STRIDE = 16 };
static const int64_t BOX_BYTES = 512 * 1024;

static size_t aligned(int64_t bytes) {
    return ((size_t)bytes + BOX_CACHE_LINE - 1) / BOX_CACHE_LINE * BOX_CACHE_LINE;
}

bool opmill_conv_transpose_taps_layout(taps_layout *layout, const conv_transpose_problem *problem,
                                       const conv_transpose_functions *functions, int32_t threads) {
    const conv_transpose_axis *const last = &problem->axes[problem->axis_count - 1];
    const box_axis *const steps = &layout->box.axes[problem->axis_count];
    if (problem->channels == 0 || last->stride < MIN_STRIDE || last->dilation != 1 ||
        !opmill_conv_transpose_box_axes(&layout->box, problem, functions) ||
        !opmill_conv_transpose_box_count(&layout->box, &layout->rows, problem->axis_count) ||
        steps->taps == 0) {
        return false;
    }
    layout->problem = problem;
    layout->functions = functions;
    layout->threads = threads;
    layout->offsets = steps->high - steps->low + 1;
    /* Whole cache lines, so that no instruction set needs more. */
    const int64_t line = BOX_CACHE_LINE / functions->element_bytes;
    layout->width = (last->stride + line - 1) / line * line;

    const int64_t inputs = problem->batch * problem->groups * problem->channels * problem->in_size;
    const int64_t weights = layout->rows.count * problem->channels * layout->offsets;
    if (weights > CONV_TRANSPOSE_WORKSPACE_BYTES / functions->element_bytes / layout->width) {
        return false;
    }
    layout->tables_bytes = aligned((int64_t)layout->rows.bytes);
    layout->scratch_bytes =
        aligned((weights + TAPS_STEPS) * layout->width * functions->element_bytes);
    const int64_t limit = inputs * opmill_type_bytes(problem->type) +
                          CONV_TRANSPOSE_WORKSPACE_BYTES - (int64_t)layout->tables_bytes -
                          (int64_t)layout->scratch_bytes * threads - BOX_CACHE_LINE;
    if (!opmill_conv_transpose_box_ranges(&layout->box, opmill_min(limit, BOX_BYTES), 1) &&
        !opmill_conv_transpose_box_ranges(&layout->box, limit, 1)) {
        return false;
    }
    layout->bytes = layout->tables_bytes + layout->scratch_bytes * (size_t)threads +
                    aligned((int64_t)layout->box.bytes);
    return true;
}

typedef struct taps_run {
    const taps_layout *layout;
    char *scratch;
    char *data;
    int64_t group;
    box_part part;
} taps_run;

static void fill_task(void *state, int64_t task, int32_t worker) {
    const taps_run *const run = state;
    const int64_t from = task * BOX_TASK_CHANNELS;
    (void)worker;
    run->layout->functions->box_fill(
        &run->layout->box, &run->part, run->group, from,
        opmill_min(run->layout->problem->channels, from + BOX_TASK_CHANNELS), run->data);
}

static void row_task(void *state, int64_t task, int32_t worker) {
    const taps_run *const run = state;
    const taps_layout *const layout = run->layout;
    layout->functions->taps_compute(layout, &run->part, run->group, task / layout->rows.phases,
                                    task % layout->rows.phases, run->data,
                                    run->scratch + layout->scratch_bytes * (size_t)worker);
}

void opmill_conv_transpose_taps(taps_layout *layout, void *workspace) {
    const conv_transpose_problem *const problem = layout->problem;
    taps_run run;
    run.layout = layout;
    run.scratch = (char *)workspace + layout->tables_bytes;
    run.data = run.scratch + layout->scratch_bytes * (size_t)layout->threads;
    opmill_conv_transpose_box_taps(&layout->box, &layout->rows, problem->axis_count, workspace);
    for (run.group = 0; run.group < problem->groups; run.group++) {
        for (int64_t b = 0; b < layout->box.count; b++) {
            opmill_conv_transpose_box_find(&layout->box, b, &run.part);
            opmill_parallel((problem->channels - 1) / BOX_TASK_CHANNELS + 1, layout->threads,
                            fill_task, &run);
            opmill_parallel(problem->maps * layout->rows.phases, layout->threads, row_task, &run);
        }
    }
}
