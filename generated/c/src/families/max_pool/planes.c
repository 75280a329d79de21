/* Plans and runs the kernel for planes: decides whether it pays off, lays out staged, reduced and
 * result parts on the stack, and computes a band of rows for each task. */
#include "planes.h"

#include "runtime/numbers/elements.h"
#include "runtime/platform/parallel.h"
#include "windows.h"

/* Tasks for each thread, so that all have something to do to the end; vectors that hide what it
 * takes until one can be loaded again. */
enum { TASKS_EACH = 8, VECTORS_TOGETHER = 64 };

static int64_t reach_of(const opmill_window_axis *axis) {
    return (axis->kernel - 1) * axis->dilation + 1;
}

/* Rows of the reduced part for so many rows of the output. */
static int64_t reduced_rows(const planes_layout *layout, int64_t band) {
    return (band - 1) * layout->axes.high.stride + reach_of(&layout->axes.high);
}

/* Where everything lies for a band of so many rows; false where that is more than there is room. */
static bool lay_out_band(planes_layout *layout, int64_t band) {
    const opmill_window_axis *const wide = &layout->axes.wide;
    const int64_t lanes = layout->functions->lanes;
    const int64_t reduced = reduced_rows(layout, band);
    const int64_t rows = opmill_min(reduced, layout->axes.high.in);
    const int64_t lowest = opmill_quotient(-wide->begin, layout->phases);
    const int64_t highest = opmill_quotient(reach_of(wide) - 1 - wide->begin, layout->phases);
    layout->first_row = opmill_max(0, -lowest);
    layout->phase_length =
        layout->first_row + rows * layout->pitch + opmill_max(0, highest) + 2 * lanes;
    for (int64_t tap = 0; tap < wide->kernel; tap++) {
        const int64_t at = tap * wide->dilation - wide->begin;
        const int64_t shift = opmill_quotient(at, layout->phases);
        layout->tap_at[tap] =
            (at - shift * layout->phases) * layout->phase_length + layout->first_row + shift;
        layout->is_limited[tap] = at < 0 || (wide->out - 1) * wide->stride + at >= wide->in;
    }
    layout->reduced = layout->group * layout->phase_length * layout->phases;
    layout->reduced_length = reduced * layout->pitch + 2 * lanes;
    layout->limits = layout->reduced + layout->group * layout->reduced_length *
                                           (layout->problem->indices != NULL ? 2 : 1);
    layout->limits_length = layout->pitch + lanes;
    layout->results = layout->limits + wide->kernel * layout->limits_length;
    layout->result_length = band * wide->out + 2 * lanes;
    layout->picked = layout->results + layout->slots * layout->result_length + lanes;
    layout->all = layout->picked + (layout->pick > 1 ? layout->pitch + lanes : 0);
    return layout->all <= PLANES_STACK / layout->functions->element_bytes;
}

/* True if the kernel can, and is worth it; a row that is too long, or too high a window, could not
 * be staged, and products of their extents could overflow. */
static bool is_suited(const planes_layout *layout) {
    const opmill_window_axis *const wide = &layout->axes.wide, *const high = &layout->axes.high;
    const bool has_rows = high->in > 1 || layout->axes.outer_count > 0;
    return layout->axes.outer_count <= 1 && (has_rows || layout->problem->indices != NULL) &&
           wide->in <= PLANES_STACK && reach_of(high) <= PLANES_STACK &&
           wide->stride <= PLANES_MAX_STRIDE && wide->stride <= reach_of(wide) &&
           (wide->out - 1) * layout->pick < layout->pitch && high->stride <= reach_of(high) &&
           wide->kernel <= PLANES_MAX_TAPS && high->kernel <= PLANES_MAX_TAPS &&
           layout->slots <= PLANES_MAX_TAPS;
}

/* True if every window has an element, and the places of elements can go beside them. */
static bool allows_indices(const planes_layout *layout) {
    const max_pool_problem *const problem = layout->problem;
    const opmill_window_axis *const axes[] = {&layout->axes.high, &layout->axes.wide};
    for (int i = 0; i < 2; i++) {
        if (axes[i]->dilation != 1 || axes[i]->begin >= axes[i]->kernel ||
            (axes[i]->out - 1) * axes[i]->stride - axes[i]->begin >= axes[i]->in) {
            return false;
        }
    }
    return layout->functions->result_with_positions != NULL && !problem->column_major &&
           layout->axes.outer_count == 0 && layout->axes.wide.stride <= 2 &&
           layout->axes.wide.in % layout->axes.wide.stride == 0;
}

/* True if windows are those that strips are there for, and fill a quarter of a vector. */
static bool is_for_strips(const planes_layout *layout) {
    const opmill_window_axis *const wide = &layout->axes.wide, *const high = &layout->axes.high;
    return layout->problem->indices == NULL && wide->kernel == high->kernel &&
           (wide->kernel == 2 || wide->kernel == 3) && wide->stride == high->stride &&
           wide->stride <= 2 && wide->dilation == 1 && high->dilation == 1 &&
           wide->out * 4 >= layout->functions->lanes;
}

bool opmill_max_pool_planes_layout(planes_layout *layout, const max_pool_problem *problem,
                                   const max_pool_functions *functions, int32_t threads) {
    layout->problem = problem;
    layout->functions = functions;
    layout->threads = threads;
    if (!opmill_max_pool_merge(&layout->axes, problem) ||
        (problem->indices != NULL && !allows_indices(layout))) {
        return false;
    }
    const opmill_window_axis *const wide = &layout->axes.wide, *const high = &layout->axes.high;
    const bool is_deep = layout->axes.outer_count > 0;
    layout->deep = is_deep ? layout->axes.outer[0] : (opmill_window_axis){1, 1, 1, 1, 1, 0};
    layout->slots = is_deep ? opmill_min(reach_of(&layout->deep), layout->deep.in) : 0;
    layout->phases = wide->stride == 2 ? 2 : 1;
    layout->pick = wide->stride > 2 ? wide->stride : 1;
    layout->pitch = (wide->in - 1) / layout->phases + 1;
    layout->column_step = functions->lanes % layout->pitch;
    if (!is_suited(layout)) {
        return false;
    }
    layout->has_strips = is_for_strips(layout);
    int64_t bands = 1;
    if (threads > 1) {
        bands = (threads * (int64_t)TASKS_EACH - 1) / layout->axes.planes + 1;
    }
    /* What a row of the output takes at least, staged and reduced. */
    const int64_t row = high->stride * layout->pitch * (layout->phases + 1);
    const int64_t capacity = PLANES_STACK / functions->element_bytes / row + 1;
    const int64_t min_band = opmill_min(high->out, opmill_max(4, reach_of(high)));
    int64_t band = opmill_min((high->out - 1) / bands + 1, capacity);
    band = opmill_max(min_band, band);
    const int64_t together = VECTORS_TOGETHER * functions->lanes;
    layout->group = 1;
    if (!is_deep && band == high->out) {
        layout->group = opmill_min(layout->axes.planes, together / (high->in * wide->in) + 1);
    }
    while (!lay_out_band(layout, band)) {
        if (layout->group > 1) {
            layout->group /= 2;
        } else if (band > min_band) {
            band = opmill_max(min_band, band - (band + 7) / 8);
        } else {
            return false;
        }
    }
    layout->bands = (high->out - 1) / band + 1;
    layout->band = (high->out - 1) / layout->bands + 1; /* all alike */
    return lay_out_band(layout, layout->band);
}

/* Stages rows for the rows `from` to `to` - 1 of the output, of `group` planes of the last two axes
 * from number `plane` on, and makes the result: in `result`, or else where it belongs in Y, from
 * where `capacity` elements may be written. False where there is a NaN. */
static bool make_result(const planes_layout *layout, int64_t plane, int64_t group, int64_t from,
                        int64_t to, char *memory, char *result, int64_t output, int64_t capacity) {
    const max_pool_problem *const problem = layout->problem;
    const opmill_window_axis *const high = &layout->axes.high;
    const int64_t bytes = opmill_type_bytes(problem->type);
    const int64_t first = from * high->stride - high->begin;
    const int64_t end = first + reduced_rows(layout, to - from);
    const int64_t begin = opmill_min(opmill_max(first, 0), high->in);
    const int64_t stop = opmill_max(opmill_min(end, high->in), begin);
    const int64_t at = (plane * high->in + begin) * layout->axes.wide.in;
    const planes_band band = {
        .x = (const char *)problem->x + at * bytes,
        .origin = at,
        .left = problem->planes * problem->in_size - at,
        .group = group,
        .rows = stop - begin,
        .above = opmill_max(opmill_min(begin, end) - first, 0), /* none below all rows */
        .below = opmill_max(end - opmill_max(stop, first), 0),
        .count = to - from,
    };
    const bool is_half = problem->type == OPMILL_FLOAT16 || problem->type == OPMILL_BFLOAT16;
    const int32_t type = result != NULL && is_half ? OPMILL_FLOAT : problem->type;
    if (problem->indices != NULL) {
        return layout->functions->result_with_positions(layout, &band, memory,
                                                        (char *)problem->y + output * bytes,
                                                        capacity, problem->indices + output);
    }
    char *const y = result != NULL ? result : (char *)problem->y + output * bytes;
    return layout->functions->result(layout, &band, memory, y, capacity, type);
}

/* A band of all planes along the outer axis. */
static void compute_deep(const planes_layout *layout, int64_t plane, int64_t from, int64_t to,
                         char *memory) {
    const max_pool_problem *const problem = layout->problem;
    const max_pool_functions *const functions = layout->functions;
    const int64_t wide = layout->axes.wide.out, high = layout->axes.high.out;
    int64_t computed[PLANES_MAX_TAPS]; /* whose result is in a slot */
    bool is_number[PLANES_MAX_TAPS];
    for (int64_t slot = 0; slot < layout->slots; slot++) {
        computed[slot] = -1;
    }
    for (int64_t y = 0; y < layout->deep.out; y++) {
        const opmill_taps taps = opmill_taps_of(&layout->deep, y);
        const int64_t output = ((plane * layout->deep.out + y) * high + from) * wide;
        const int64_t count = (to - from) * wide;
        const void *results[PLANES_MAX_TAPS];
        bool numbers = true;
        for (int64_t tap = 0; tap < taps.count; tap++) {
            const int64_t x = taps.first + tap * layout->deep.dilation;
            const int64_t slot = x % layout->slots;
            char *const result = memory + (layout->results + slot * layout->result_length) *
                                              functions->element_bytes;
            if (computed[slot] != x) {
                computed[slot] = x;
                is_number[slot] = make_result(layout, plane * layout->deep.in + x, 1, from, to,
                                              memory, result, 0, layout->result_length);
            }
            numbers = numbers && is_number[slot];
            results[tap] = result;
        }
        if (numbers) {
            functions->combine(problem, results, taps.count, output, count);
        } else {
            opmill_max_pool_windows(problem, output, output + count);
        }
    }
}

typedef struct planes_run {
    const planes_layout *layout;
    int64_t parts;    /* bands of planes */
    int64_t together; /* parts of a task */
} planes_run;

static void run_task(void *state, int64_t task, int32_t worker) {
    const planes_run *const run = state;
    const planes_layout *const layout = run->layout;
    const int64_t high = layout->axes.high.out, wide = layout->axes.wide.out;
    const int64_t start = task * run->together;
    const int64_t end = opmill_min(run->parts, start + run->together);
    const int64_t last_band = (end - 1) % layout->bands;
    const int64_t end_row =
        (end - 1) / layout->bands * high + opmill_min((last_band + 1) * layout->band, high);
    int64_t plane = start / layout->bands;
    int64_t from = start % layout->bands * layout->band;
    union {
        _Alignas(PLANES_ALIGNMENT) char bytes[PLANES_STACK];
        float floats[PLANES_STACK / sizeof(float)];
        double doubles[PLANES_STACK / sizeof(double)];
    } memory;
    (void)worker;
    layout->functions->prepare(layout, memory.bytes);
    for (int64_t part = start, group; part < end; part += group) {
        group = layout->bands == 1 ? opmill_min(layout->group, end - part) : 1;
        const int64_t to = opmill_min(from + layout->band, high);
        const int64_t output = (plane * high + from) * wide;
        if (layout->axes.outer_count > 0) {
            compute_deep(layout, plane, from, to, memory.bytes);
        } else if (!make_result(layout, plane, group, from, to, memory.bytes, NULL, output,
                                end_row * wide - output)) {
            /* What was written beyond a part is overwritten by the next one. */
            opmill_max_pool_windows(layout->problem, output, output + group * (to - from) * wide);
        }
        from = to < high ? to : 0;
        plane += from == 0 ? group : 0;
    }
}

void opmill_max_pool_planes(const planes_layout *layout) {
    planes_run run;
    run.layout = layout;
    run.parts = layout->axes.planes * layout->bands;
    run.together = (run.parts - 1) / (layout->threads * (int64_t)TASKS_EACH) + 1;
    opmill_parallel((run.parts - 1) / run.together + 1, layout->threads, run_task, &run);
}
