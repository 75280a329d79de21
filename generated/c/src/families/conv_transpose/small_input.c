/* Plans and runs the kernel for small inputs: splits the maps into tasks and selects how many input
 * positions and channels are multiplied at a time. */
#include "small_input.h"

#include "runtime/numbers/elements.h"
#include "runtime/platform/parallel.h"

enum { SMALL_INPUT_POSITIONS = 64, NARROW_POSITIONS = 256, MIN_CHANNELS = 32, MAX_TAPS = 4096 };
static const int64_t MIN_WEIGHTS = 1 << 17;

/* The columns of a task are to stay in the second-level cache. */
static const int64_t COLUMN_BYTES = 512 * 1024;
enum { CACHE_LINE = 64, LANES = 16 };

/* How many positions this kernel takes: more of them where the rows of an image are so short that
 * most of the vectors that run along them would hold nothing. */
static int64_t most_positions(const conv_transpose_problem *problem) {
    const conv_transpose_axis *const last = &problem->axes[problem->axis_count - 1];
    if (problem->axis_count == 1 || last->in > 16) {
        return SMALL_INPUT_POSITIONS;
    }
    const int64_t rows = problem->axes[problem->axis_count - 2].in;
    if (rows > 16) {
        return SMALL_INPUT_POSITIONS;
    }
    const int64_t lanes = (rows * (last->in + 1) + LANES - 1) / LANES * LANES;
    return rows * last->in * 5 < lanes * 3 ? NARROW_POSITIONS : SMALL_INPUT_POSITIONS;
}

bool opmill_conv_transpose_small_input_layout(small_input_layout *layout,
                                              const conv_transpose_problem *problem,
                                              const conv_transpose_functions *functions,
                                              int32_t threads) {
    const int64_t positions = problem->batch * problem->in_size;
    const int64_t taps = problem->kernel_size;
    if (positions > most_positions(problem) || problem->channels < MIN_CHANNELS ||
        taps > MAX_TAPS || problem->maps > INT64_MAX / taps / problem->channels ||
        problem->channels * problem->maps * taps < MIN_WEIGHTS) {
        return false;
    }
    const int64_t line = CACHE_LINE / functions->element_bytes;
    const int64_t column = positions * taps * functions->element_bytes; /* of a map */
    int64_t maps = COLUMN_BYTES / column;
    /* Some tasks more than threads, so that all have something to do to the end. */
    const int64_t share = (problem->maps - 1) / (threads > 1 ? threads * (int64_t)2 : 1) + 1;
    maps = opmill_max(1, opmill_min(maps, share));
    layout->problem = problem;
    layout->functions = functions;
    layout->threads = threads;
    layout->positions = positions;
    layout->maps = maps;
    layout->type_bytes = opmill_type_bytes(problem->type);
    layout->pitch = ((maps * taps + SMALL_INPUT_VECTORS * line - 1) / line | 1) * line;
    const int64_t planes = maps * problem->batch * problem->out_size;
    if (problem->out_size > COLUMN_BYTES || planes > COLUMN_BYTES / functions->element_bytes * 2) {
        return false;
    }
    const int64_t block = SMALL_INPUT_CHANNELS * SMALL_INPUT_VECTORS * line;
    const int64_t scratch = layout->pitch * positions + planes + block + line;
    layout->scratch_bytes = (size_t)(scratch * functions->element_bytes) / CACHE_LINE * CACHE_LINE;
    const int64_t pixels = problem->channels * positions * functions->element_bytes;
    layout->pixels_bytes = ((size_t)pixels + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
    layout->bytes = layout->pixels_bytes + layout->scratch_bytes * (size_t)threads;
    const int64_t inputs = positions * problem->groups * problem->channels;
    return layout->bytes <= (size_t)(inputs * layout->type_bytes + CONV_TRANSPOSE_WORKSPACE_BYTES);
}

typedef struct small_input_run {
    const small_input_layout *layout;
    char *workspace;
    int64_t group;
} small_input_run;

static void small_input_task(void *state, int64_t task, int32_t worker) {
    const small_input_run *const run = state;
    const small_input_layout *const layout = run->layout;
    const int64_t map = task * layout->maps;
    layout->functions->small_input_compute(
        layout, run->group, map, opmill_min(layout->maps, layout->problem->maps - map),
        run->workspace,
        run->workspace + layout->pixels_bytes + layout->scratch_bytes * (size_t)worker);
}

void opmill_conv_transpose_small_input(const small_input_layout *layout, void *workspace) {
    const conv_transpose_problem *const problem = layout->problem;
    small_input_run run;
    run.layout = layout;
    run.workspace = workspace;
    for (run.group = 0; run.group < problem->groups; run.group++) {
        layout->functions->small_input_gather(layout, run.group, workspace);
        opmill_parallel((problem->maps + layout->maps - 1) / layout->maps, layout->threads,
                        small_input_task, &run);
    }
}
