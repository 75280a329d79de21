/* Plans and runs the depthwise kernel: sorts the taps of each phase into stacks, lays out boxes,
 * and computes one plane, or a band of its rows, for each task. */
#include "depthwise.h"

#include "runtime/numbers/elements.h"
#include "runtime/platform/parallel.h"

/* A box is to stay in the first-level cache, where its halo allows. */
static const int64_t BOX_BYTES = 32 * 1024;

static size_t aligned(int64_t bytes) {
    return ((size_t)bytes + BOX_CACHE_LINE - 1) / BOX_CACHE_LINE * BOX_CACHE_LINE;
}

/* Columns of fewer taps than that, on average, are not worth it, and phases of more taps are not
 * searched. */
enum { MIN_HEIGHT = 4, SEARCHED_TAPS = 512 };

/* What the stacks of taps take, in numbers. */
static int64_t stack_words(const box_taps *taps) { return taps->phases + 1 + taps->count * 3 + 1; }

/* Finds the stacks. Of two taps of a phase, the later one meets the input further up, or further
 * left in the same row. */
static void set_stacks(depthwise_layout *layout, int64_t *memory) {
    const box_taps *const taps = &layout->taps;
    const box_axis *const rows = &layout->box.axes[layout->box.axis_count - 2];
    depthwise_stacks *const stacks = &layout->stacks;
    stacks->first = memory;
    stacks->x = stacks->first + taps->phases + 1;
    stacks->taps = stacks->x + taps->count;
    stacks->w = stacks->taps + taps->count + 1;
    stacks->tall =
        rows->taps >= MIN_HEIGHT * rows->phases && taps->count <= SEARCHED_TAPS * taps->phases;
    int64_t stack = 0;
    int64_t tap = 0;
    for (int64_t p = 0; p < taps->phases; p++) {
        const int64_t first = taps->first[p];
        const int64_t end = taps->first[p + 1];
        stacks->first[p] = stack;
        for (int64_t t = end; t-- > first;) {
            int64_t x = taps->x[t];
            if (taps->w[t] < 0) {
                continue; /* in a stack already */
            }
            stacks->x[stack] = x;
            stacks->taps[stack++] = tap;
            stacks->w[tap++] = taps->w[t];
            for (int64_t u = t; stacks->tall && u-- > first;) {
                if (taps->x[u] == x + rows->box_stride && taps->w[u] >= 0) {
                    stacks->w[tap++] = taps->w[u];
                    taps->w[u] = -1;
                    x += rows->box_stride;
                }
            }
        }
    }
    stacks->first[taps->phases] = stack;
    stacks->taps[stack] = tap;
}

bool opmill_conv_transpose_depthwise_layout(depthwise_layout *layout,
                                            const conv_transpose_problem *problem,
                                            const conv_transpose_functions *functions,
                                            int32_t threads) {
    const conv_transpose_axis *const last = &problem->axes[problem->axis_count - 1];
    if (problem->channels != 1 || problem->maps > DEPTHWISE_MAPS ||
        last->stride > DEPTHWISE_MAX_LAST ||
        !opmill_conv_transpose_box_axes(&layout->box, problem, functions) ||
        !opmill_conv_transpose_box_count(&layout->box, &layout->taps, layout->box.axis_count)) {
        return false;
    }
    layout->problem = problem;
    layout->functions = functions;
    layout->threads = threads;
    layout->tables_bytes = aligned((int64_t)layout->taps.bytes +
                                   stack_words(&layout->taps) * (int64_t)sizeof(int64_t));
    layout->weights_bytes = aligned(layout->taps.count * functions->element_bytes);
    const int64_t inputs = problem->batch * problem->groups * problem->in_size;
    const int64_t limit = (inputs * opmill_type_bytes(problem->type) +
                           CONV_TRANSPOSE_WORKSPACE_BYTES - (int64_t)layout->tables_bytes) /
                              threads -
                          (int64_t)layout->weights_bytes - BOX_CACHE_LINE;
    const int64_t wanted = threads > 1 ? (2 * (int64_t)threads - 1) / problem->groups + 1 : 1;
    if (!opmill_conv_transpose_box_ranges(&layout->box, opmill_min(limit, BOX_BYTES), wanted) &&
        !opmill_conv_transpose_box_ranges(&layout->box, limit, wanted)) {
        return false;
    }
    layout->box.bytes = aligned((int64_t)layout->box.bytes);
    layout->bytes =
        layout->tables_bytes + (layout->weights_bytes + layout->box.bytes) * (size_t)threads;
    return true;
}

typedef struct depthwise_run {
    const depthwise_layout *layout;
    char *memory;  /* of each thread: the weights of a map, and a box */
    int64_t all;   /* boxes of all groups */
    int64_t boxes; /* of a task */
} depthwise_run;

static void run_task(void *state, int64_t task, int32_t worker) {
    const depthwise_run *const run = state;
    const depthwise_layout *const layout = run->layout;
    const conv_transpose_problem *const problem = layout->problem;
    char *const weights =
        run->memory + (layout->weights_bytes + layout->box.bytes) * (size_t)worker;
    char *const data = weights + layout->weights_bytes;
    const int64_t end = opmill_min(run->all, (task + 1) * run->boxes);
    for (int64_t b = task * run->boxes; b < end; b++) {
        const int64_t group = b / layout->box.count;
        box_part box;
        opmill_conv_transpose_box_find(&layout->box, b % layout->box.count, &box);
        layout->functions->box_fill(&layout->box, &box, group, 0, 1, data);
        for (int64_t map = 0; map < problem->maps; map++) {
            layout->functions->depthwise_compute(layout, &box, group, map, data, weights);
        }
    }
}

void opmill_conv_transpose_depthwise(depthwise_layout *layout, void *workspace) {
    depthwise_run run;
    run.layout = layout;
    run.memory = (char *)workspace + layout->tables_bytes;
    run.all = layout->problem->groups * layout->box.count;
    /* Some tasks more than threads, so that all have something to do to the end. */
    run.boxes = (run.all - 1) / (layout->threads * (int64_t)8) + 1;
    opmill_conv_transpose_box_taps(&layout->box, &layout->taps, layout->box.axis_count, workspace);
    set_stacks(layout, layout->taps.w + layout->taps.count);
    opmill_parallel((run.all + run.boxes - 1) / run.boxes, layout->threads, run_task, &run);
}
