/* Plans and runs the kernel with groups in the vector lanes: decides whether it pays off, lists the
 * taps of each output row, and computes the groups of a vector together. */
#include "groups.h"

#include "runtime/numbers/elements.h"
#include "runtime/platform/parallel.h"

/* The planes and weights of a vector of groups are to stay in the second-level cache. */
static const int64_t SCRATCH_BYTES = 192 * 1024;
enum { CACHE_LINE = 64, PAGE = 4096, MAX_TAPS = 256, MAX_STEP = 1 << 20 };

static int64_t aligned(int64_t bytes) { return (bytes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE; }

static int64_t greatest_common_divisor(int64_t a, int64_t b) {
    while (b > 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* True if vectors along the groups are so much fewer than those along the rows that it pays to
 * transpose: rows of one vector each cost about as much as 1.1 vectors along the groups, and each
 * further vector of a row as much as 0.6. Measured with kernels of 3, 4 and 5 and strides of 1
 * and 2. */
static bool is_fuller(const conv_transpose_problem *problem, int64_t lanes) {
    const int64_t row = problem->axes[problem->axis_count - 1].in;
    const int64_t along_rows = (row + lanes - 1) / lanes;
    const int64_t blocks = (problem->groups + lanes - 1) / lanes;
    return (double)row * (double)blocks <=
           (double)problem->groups * (0.5 + 0.6 * (double)along_rows);
}

/* True if planes that are so many elements apart begin on the same few lines of a first-level
 * cache, more of them than it has room for. */
static bool is_crowded(const conv_transpose_problem *problem, int64_t lanes, int64_t elements) {
    return lanes > 8 && elements * opmill_type_bytes(problem->type) % PAGE == 0;
}

bool opmill_conv_transpose_groups_layout(groups_layout *layout,
                                         const conv_transpose_problem *problem,
                                         const conv_transpose_functions *functions,
                                         int32_t threads) {
    const int64_t lanes = functions->lanes;
    if (problem->channels != 1 || problem->kernel_size > MAX_TAPS ||
        problem->in_size > SCRATCH_BYTES || problem->out_size > SCRATCH_BYTES ||
        problem->maps > GROUPS_MAPS || !is_fuller(problem, lanes) ||
        is_crowded(problem, lanes, problem->in_size) ||
        is_crowded(problem, lanes, problem->maps * problem->out_size)) {
        return false;
    }
    int64_t outs = 0;
    int64_t rows = 1; /* at most, as each tap meets each input once */
    layout->lines = 1;
    for (int32_t a = 0; a < problem->axis_count; a++) {
        const conv_transpose_axis *const axis = &problem->axes[a];
        if (axis->stride > MAX_STEP || axis->dilation > MAX_STEP || axis->begin > MAX_STEP ||
            axis->begin < -MAX_STEP) {
            return false;
        }
        const int64_t common = greatest_common_divisor(axis->stride, axis->dilation);
        layout->tap_step[a] = (int32_t)(axis->stride / common);
        layout->x_step[a] = (int32_t)(axis->dilation / common);
        outs += axis->out;
        if (a < problem->axis_count - 1) {
            layout->lines *= axis->out;
            rows *= axis->kernel * axis->in;
        }
    }
    const int64_t vectors = problem->in_size + problem->out_size + problem->kernel_size + 3 * lanes;
    const int64_t scratch = vectors * lanes * functions->element_bytes;
    if (scratch > SCRATCH_BYTES) {
        return false;
    }
    layout->problem = problem;
    layout->functions = functions;
    layout->threads = threads;
    layout->blocks = problem->batch * ((problem->groups + lanes - 1) / lanes);
    /* Beyond the rows, there is room for those that list_rows lists in vain. */
    layout->tables_bytes = (size_t)aligned(
        outs * (int64_t)sizeof(groups_taps) + (layout->lines + 1) * (int64_t)sizeof(int64_t) +
        (rows + problem->kernel_size) * (int64_t)sizeof(groups_row));
    layout->scratch_bytes = (size_t)aligned(scratch);
    layout->bytes = layout->tables_bytes + layout->scratch_bytes * (size_t)threads;
    return layout->bytes <= CONV_TRANSPOSE_WORKSPACE_BYTES;
}

/* Finds the taps of each output of each axis. Returns where their table ends. */
static void *set_taps(groups_layout *layout, groups_taps *taps) {
    for (int32_t a = 0; a < layout->problem->axis_count; a++) {
        const conv_transpose_axis *const axis = &layout->problem->axes[a];
        layout->taps[a] = taps;
        for (int64_t out = 0; out < axis->out; out++, taps++) {
            *taps = (groups_taps){0, 0, 0, 1};
            for (int64_t tap = axis->kernel; tap-- > 0;) {
                const int64_t from = out + axis->begin - tap * axis->dilation;
                if (from >= 0 && from % axis->stride == 0 && from / axis->stride < axis->in) {
                    taps->count++;
                    taps->tap = (int32_t)tap;
                    taps->x = (int32_t)(from / axis->stride);
                }
            }
        }
        for (int64_t out = axis->out - axis->stride; out-- > 0;) {
            groups_taps *const one = &layout->taps[a][out], *const next = one + axis->stride;
            if (one->count == next->count && one->tap == next->tap) {
                one->alike = next->alike + 1;
            }
        }
    }
    return taps;
}

/* Lists the taps of the outer axes at the outputs `at`, axis by axis: in between up to as many as
 * the kernel has, of which an axis without taps leaves none. Returns their number. */
static int64_t list_rows(const groups_layout *layout, const int64_t *at, groups_row *rows) {
    const conv_transpose_problem *const problem = layout->problem;
    int64_t count = 1;
    rows[0] = (groups_row){0, 0};
    for (int32_t a = 0; a < problem->axis_count; a++) {
        const int32_t in = (int32_t)problem->axes[a].in;
        const int32_t kernel = (int32_t)problem->axes[a].kernel;
        const bool is_last = a == problem->axis_count - 1;
        const groups_taps none = {1, 0, 0, 1};
        const groups_taps *const taps = is_last ? &none : &layout->taps[a][at[a]];
        for (int64_t r = count; r-- > 0;) { /* backwards: those of row r go to r * taps->count */
            const groups_row outer = rows[r];
            for (int32_t t = 0; t < taps->count; t++) {
                rows[r * taps->count + t] =
                    (groups_row){outer.x * in + taps->x - t * layout->x_step[a],
                                 outer.w * kernel + taps->tap + t * layout->tap_step[a]};
            }
        }
        count *= taps->count;
    }
    return count;
}

/* Lists the taps of the outer axes for each row of outputs. */
static void set_rows(groups_layout *layout, void *memory) {
    const int32_t outer = layout->problem->axis_count - 1;
    int64_t at[CONV_TRANSPOSE_MAX_AXES] = {0};
    layout->first = memory;
    layout->rows = (groups_row *)(layout->first + layout->lines + 1);
    layout->first[0] = 0;
    for (int64_t line = 0; line < layout->lines; line++) {
        const int64_t first = layout->first[line];
        layout->first[line + 1] = first + list_rows(layout, at, layout->rows + first);
        for (int32_t a = outer; a-- > 0 && ++at[a] == layout->problem->axes[a].out;) {
            at[a] = 0;
        }
    }
}

typedef struct groups_run {
    const groups_layout *layout;
    char *scratch;
    int64_t blocks; /* of a task */
} groups_run;

static void block_task(void *state, int64_t task, int32_t worker) {
    const groups_run *const run = state;
    const groups_layout *const layout = run->layout;
    const int64_t end = opmill_min(layout->blocks, (task + 1) * run->blocks);
    for (int64_t block = task * run->blocks; block < end; block++) {
        layout->functions->groups_compute(layout, block,
                                          run->scratch + layout->scratch_bytes * (size_t)worker);
    }
}

void opmill_conv_transpose_groups(groups_layout *layout, void *workspace) {
    groups_run run;
    run.layout = layout;
    run.scratch = (char *)workspace + layout->tables_bytes;
    /* Some tasks more than threads, so that all have something to do to the end. */
    run.blocks = (layout->blocks - 1) / (layout->threads * (int64_t)4) + 1;
    set_rows(layout, set_taps(layout, workspace));
    opmill_parallel((layout->blocks + run.blocks - 1) / run.blocks, layout->threads, block_task,
                    &run);
}
