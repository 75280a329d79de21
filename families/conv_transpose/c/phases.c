/* Plans and runs the phases kernel: packs weights, copies X into boxes and computes tiles of maps
 * by steps. Keeps either the weights or the box in the cache, whichever fits. */
#include "phases.h"

#include "runtime/numbers/elements.h"
#include "runtime/platform/parallel.h"

/* The boxes and weights of a thread are to stay in its second-level cache. Boxes of doubles hold as
 * many numbers as others: with half as many rows, more of them would be borders. */
static const int64_t BOX_ELEMENTS = 96 * 1024;
static const int64_t SHARED_BOX_BYTES = 1536 * 1024;
static const int64_t STAYING_WEIGHTS_BYTES = 2 * 1024 * 1024;

/* What the first-level cache holds for a tile; what a tile reads of a row, mostly. Measured. */
enum { TILE_BYTES = 32 * 1024, ROW_BYTES = 4 * BOX_CACHE_LINE, MIN_CHANNELS = 16 };

int64_t opmill_conv_transpose_phases_maps(const conv_transpose_functions *functions, int64_t left) {
    if (left >= functions->max_maps) {
        return functions->max_maps;
    }
    return left > 4 ? (left == 7 ? 4 : 3) : left;
}

/* Where the tile with this index begins, and how many maps it takes. */
static int64_t tile_start(const phases_layout *layout, int64_t index, int64_t *count) {
    int64_t start = 0;
    for (;;) {
        *count =
            opmill_conv_transpose_phases_maps(layout->functions, layout->problem->maps - start);
        if (index-- == 0) {
            return start;
        }
        start += *count;
    }
}

static int64_t tile_count(const phases_layout *layout) {
    int64_t count = 0;
    for (int64_t left = layout->problem->maps; left > 0; count++) {
        left -= opmill_conv_transpose_phases_maps(layout->functions, left);
    }
    return count;
}

static size_t aligned(size_t bytes) {
    return (bytes + BOX_CACHE_LINE - 1) / BOX_CACHE_LINE * BOX_CACHE_LINE;
}

/* Boxes of the preferred size, or where a single step needs more, of what the limit allows. */
static bool fit_boxes(phases_layout *layout, int64_t limit, int64_t preferred, int64_t wanted) {
    const int64_t budget = limit - BOX_CACHE_LINE; /* for alignment */
    if (!opmill_conv_transpose_box_ranges(&layout->box, opmill_min(budget, preferred), wanted) &&
        !opmill_conv_transpose_box_ranges(&layout->box, budget, wanted)) {
        return false;
    }
    layout->box.bytes = aligned(layout->box.bytes);
    return true;
}

/* So many channels that what a tile reads of them stays in the first-level cache between one phase
 * of the last axis and the next, in equal parts; all where there is one phase. */
static int64_t channels_at_once(const phases_layout *layout) {
    const int64_t channels = layout->problem->channels;
    const box_axis *const axes = layout->box.axes;
    const int32_t last = layout->box.axis_count - 1;
    if (axes[last].phases == 1) {
        return channels;
    }
    int64_t rows = 1;
    for (int32_t a = 0; a < last; a++) {
        rows *= (axes[a].taps - 1) / axes[a].phases + 1;
    }
    const int64_t taps = rows * ((axes[last].taps - 1) / axes[last].phases + 1);
    const int64_t bytes =
        rows * ROW_BYTES + taps * PHASES_MAX_MAPS * layout->functions->element_bytes;
    const int64_t max_channels = opmill_max(MIN_CHANNELS, TILE_BYTES / bytes);
    const int64_t parts = (channels - 1) / max_channels + 1;
    return (channels - 1) / parts + 1;
}

bool opmill_conv_transpose_phases_layout(phases_layout *layout,
                                         const conv_transpose_problem *problem,
                                         const conv_transpose_functions *functions,
                                         int32_t threads) {
    const conv_transpose_axis *const last = &problem->axes[problem->axis_count - 1];
    if (problem->channels == 0 || last->stride > PHASES_MAX_LAST ||
        !opmill_conv_transpose_box_axes(&layout->box, problem, functions)) {
        return false;
    }
    layout->problem = problem;
    layout->functions = functions;
    layout->threads = threads;
    if (!opmill_conv_transpose_box_count(&layout->box, &layout->taps, layout->box.axis_count)) {
        return false;
    }

    layout->channels = channels_at_once(layout);
    const int64_t type_bytes = opmill_type_bytes(problem->type);
    const int64_t inputs = problem->batch * problem->groups * problem->channels * problem->in_size;
    const int64_t a_map = problem->channels * layout->taps.count * functions->element_bytes;
    const int64_t maps = problem->groups * problem->maps;
    layout->tables_bytes = aligned(layout->taps.bytes);
    int64_t limit =
        inputs * type_bytes + CONV_TRANSPOSE_WORKSPACE_BYTES - (int64_t)layout->tables_bytes;
    layout->weights_stay = maps <= STAYING_WEIGHTS_BYTES / a_map;
    if (layout->weights_stay) {
        layout->weights_bytes = aligned((size_t)(maps * a_map));
        limit = (limit - (int64_t)layout->weights_bytes) / threads;
        const int64_t wanted = threads > 1 ? (2 * (int64_t)threads - 1) / problem->groups + 1 : 1;
        if (!fit_boxes(layout, limit, BOX_ELEMENTS * functions->element_bytes, wanted)) {
            return false;
        }
        layout->bytes =
            layout->tables_bytes + layout->weights_bytes + layout->box.bytes * (size_t)threads;
        return true;
    }
    if (a_map > limit / PHASES_MAX_MAPS / threads) {
        return false;
    }
    layout->weights_bytes = aligned((size_t)(PHASES_MAX_MAPS * a_map));
    limit -= (int64_t)layout->weights_bytes * threads;
    if (!fit_boxes(layout, limit, SHARED_BOX_BYTES, 1)) {
        return false;
    }
    layout->bytes =
        layout->tables_bytes + layout->weights_bytes * (size_t)threads + layout->box.bytes;
    return true;
}

/* One run of tasks. */
typedef struct phases_run {
    const phases_layout *layout;
    char *weights;
    char *boxes;
    const box_part *box; /* of the tasks that share one */
    int64_t group;
} phases_run;

/* Bytes from one map to the next in packed weights that stay. */
static int64_t map_bytes(const phases_layout *layout) {
    return layout->problem->channels * layout->taps.count * layout->functions->element_bytes;
}

static void pack_task(void *state, int64_t task, int32_t worker) {
    const phases_run *const run = state;
    const phases_layout *const layout = run->layout;
    const int64_t tiles = tile_count(layout);
    const int64_t group = task / tiles;
    int64_t count;
    const int64_t map = tile_start(layout, task % tiles, &count);
    (void)worker;
    layout->functions->phases_pack(layout, group, map, count,
                                   run->weights +
                                       (group * layout->problem->maps + map) * map_bytes(layout));
}

static void box_task(void *state, int64_t task, int32_t worker) {
    const phases_run *const run = state;
    const phases_layout *const layout = run->layout;
    const conv_transpose_problem *const problem = layout->problem;
    const int64_t group = task / layout->box.count;
    char *const data = run->boxes + layout->box.bytes * (size_t)worker;
    const char *weights = run->weights + group * problem->maps * map_bytes(layout);
    box_part box;
    opmill_conv_transpose_box_find(&layout->box, task % layout->box.count, &box);
    layout->functions->box_fill(&layout->box, &box, group, 0, problem->channels, data);
    for (int64_t map = 0; map < problem->maps;) {
        const int64_t count =
            opmill_conv_transpose_phases_maps(layout->functions, problem->maps - map);
        layout->functions->phases_compute(layout, &box, group, map, count, data, weights);
        map += count;
        weights += count * map_bytes(layout);
    }
}

static void fill_task(void *state, int64_t task, int32_t worker) {
    const phases_run *const run = state;
    const phases_layout *const layout = run->layout;
    const int64_t channels = layout->problem->channels;
    const int64_t from = task * BOX_TASK_CHANNELS;
    (void)worker;
    layout->functions->box_fill(&layout->box, run->box, run->group, from,
                                opmill_min(channels, from + BOX_TASK_CHANNELS), run->boxes);
}

static void map_task(void *state, int64_t task, int32_t worker) {
    const phases_run *const run = state;
    const phases_layout *const layout = run->layout;
    char *const weights = run->weights + layout->weights_bytes * (size_t)worker;
    int64_t count;
    const int64_t map = tile_start(layout, task, &count);
    layout->functions->phases_pack(layout, run->group, map, count, weights);
    layout->functions->phases_compute(layout, run->box, run->group, map, count, run->boxes,
                                      weights);
}

void opmill_conv_transpose_phases(phases_layout *layout, void *workspace) {
    const conv_transpose_problem *const problem = layout->problem;
    const int64_t tiles = tile_count(layout);
    phases_run run;
    box_part box;
    run.layout = layout;
    run.weights = (char *)workspace + layout->tables_bytes;
    run.box = &box;
    run.group = 0;
    opmill_conv_transpose_box_taps(&layout->box, &layout->taps, layout->box.axis_count, workspace);
    if (layout->weights_stay) {
        run.boxes = run.weights + layout->weights_bytes;
        opmill_parallel(problem->groups * tiles, layout->threads, pack_task, &run);
        opmill_parallel(problem->groups * layout->box.count, layout->threads, box_task, &run);
        return;
    }
    run.boxes = run.weights + layout->weights_bytes * (size_t)layout->threads;
    for (; run.group < problem->groups; run.group++) {
        for (int64_t b = 0; b < layout->box.count; b++) {
            opmill_conv_transpose_box_find(&layout->box, b, &box);
            opmill_parallel((problem->channels + BOX_TASK_CHANNELS - 1) / BOX_TASK_CHANNELS,
                            layout->threads, fill_task, &run);
            opmill_parallel(tiles, layout->threads, map_task, &run);
        }
    }
}
