/* Plans and runs the kernel for rows: lays out the staged row and the ring of reduced rows on the
 * stack, and computes a band and tile of the output for each task. */
#include "rows.h"

#include "runtime/numbers/elements.h"
#include "runtime/platform/parallel.h"
#include "windows.h"

/* Tasks for each thread, so that all have something to do to the end. */
enum { TASKS_EACH = 8 };

/* How a row is staged, for tiles as large as the stack allows; false where that is too small. */
static bool stage(rows_layout *layout, int64_t slots) {
    const opmill_window_axis *const wide = &layout->axes.wide;
    const max_pool_functions *const functions = layout->functions;
    const int64_t lanes = functions->lanes;
    const int64_t capacity = ROWS_STACK / functions->element_bytes;
    const int64_t beyond =
        layout->searched ? 0 : (wide->kernel - 1) * wide->dilation / wide->stride + 1 + 2 * lanes;
    const int64_t reach = (wide->kernel - 1) * wide->dilation + 1;
    const int64_t met = wide->stride == 2 ? 2 : opmill_min(wide->stride, reach);
    const int64_t phases = layout->searched ? 0 : met;
    /* A tile of t windows stages phases * (t + beyond) elements and keeps slots * t. */
    if (phases * beyond >= capacity) {
        return false;
    }
    int64_t tile = (capacity - phases * beyond) / (phases + slots) / lanes * lanes;
    const int64_t all = (wide->out + lanes - 1) / lanes * lanes;
    tile = opmill_min(tile, all);
    if (tile < lanes) {
        return false;
    }
    layout->tile = tile;
    layout->tiles = (wide->out - 1) / tile + 1;
    layout->phases = phases;
    layout->phase_length = tile + beyond;
    layout->last_shift = (wide->kernel - 1) * wide->dilation / wide->stride;
    for (int64_t tap = 0; !layout->searched && tap < wide->kernel; tap++) {
        const int64_t at = tap * wide->dilation;
        layout->tap_at[tap] =
            (int32_t)(at % wide->stride * layout->phase_length + at / wide->stride);
    }
    return true;
}

bool opmill_max_pool_rows_layout(rows_layout *layout, const max_pool_problem *problem,
                                 const max_pool_functions *functions, int32_t threads) {
    layout->problem = problem;
    layout->functions = functions;
    layout->threads = threads;
    if (problem->indices != NULL || !opmill_max_pool_merge(&layout->axes, problem)) {
        return false;
    }
    const opmill_window_axis *const wide = &layout->axes.wide;
    const int64_t reach = (layout->axes.high.kernel - 1) * layout->axes.high.dilation + 1;
    int64_t outer_taps = 1;
    for (int32_t i = 0; i < layout->axes.outer_count; i++) {
        outer_taps *= opmill_min(layout->axes.outer[i].kernel, layout->axes.outer[i].in);
        if (outer_taps > ROWS_MAX_SLOTS) {
            return false;
        }
    }
    layout->slots = opmill_min(reach, layout->axes.high.in);
    if (outer_taps * layout->slots > ROWS_MAX_SLOTS) {
        return false;
    }
    /* What either way takes for a row, in vectors: a tap, or a window with its own end. */
    const int64_t lanes = functions->lanes;
    const double staged = (double)((wide->out - 1) / lanes + 1) * (double)(wide->kernel + 4);
    const double searched = (double)wide->out * ((double)wide->kernel / (double)lanes + 6);
    layout->searched = wide->dilation == 1 && (wide->kernel > ROWS_MAX_TAPS || searched < staged);
    if ((!layout->searched && wide->kernel > ROWS_MAX_TAPS) ||
        !stage(layout, outer_taps * layout->slots)) {
        return false;
    }
    const int64_t parts = layout->axes.planes * layout->axes.outer_out * layout->tiles;
    int64_t bands = threads > 1 ? (threads * (int64_t)TASKS_EACH - 1) / parts + 1 : 1;
    bands = opmill_min(bands, layout->axes.high.out);
    layout->band = (layout->axes.high.out - 1) / bands + 1;
    layout->bands = (layout->axes.high.out - 1) / layout->band + 1;
    return true;
}

/* A part of the output: a band of rows and a tile of columns, at one place of the outer axes. */
typedef struct part {
    int64_t output;   /* the first element of Y in the plane of the last two axes */
    int64_t from, to; /* rows */
    int64_t column, count;
    int64_t outer_taps;
    int64_t at[ROWS_MAX_SLOTS]; /* of each outer tap, the number of its plane of two axes in X */
} part;

/* number % by, of which number / by is left. */
static inline int64_t split(int64_t *number, int64_t by) {
    if (by == 1) { /* mostly; and divisions would be half of the time for small planes */
        return 0;
    }
    const int64_t rest = *number % by;
    *number /= by;
    return rest;
}

static void find_part(const rows_layout *layout, int64_t number, part *found) {
    const int64_t tile = split(&number, layout->tiles);
    const int64_t band = split(&number, layout->bands);
    found->output = number * layout->axes.high.out * layout->axes.wide.out;
    int64_t position = split(&number, layout->axes.outer_out);
    found->from = band * layout->band;
    found->to = opmill_min(found->from + layout->band, layout->axes.high.out);
    found->column = tile * layout->tile;
    found->count = opmill_min(layout->tile, layout->axes.wide.out - found->column);
    found->outer_taps = 1;
    found->at[0] = 0;
    /* From the last outer axis to the first: taps of the axes before multiply those found so far,
     * which stay in order, as they are copied behind each other. */
    int64_t weight = 1;
    for (int32_t i = layout->axes.outer_count - 1; i >= 0; i--) {
        const opmill_window_axis *const axis = &layout->axes.outer[i];
        const opmill_taps taps = opmill_taps_of(axis, split(&position, axis->out));
        const int64_t known = found->outer_taps;
        for (int64_t t = taps.count - 1; t >= 0; t--) {
            const int64_t shift = (taps.first + t * axis->dilation) * weight;
            for (int64_t k = 0; k < known; k++) {
                found->at[t * known + k] = found->at[k] + shift;
            }
        }
        found->outer_taps = known * taps.count;
        weight *= axis->in;
    }
    for (int64_t k = 0; k < found->outer_taps; k++) {
        found->at[k] += number * layout->axes.outer_in;
    }
}

/* The rows of X that are reduced already, in a ring for each outer tap. */
typedef struct row_ring {
    int64_t row[ROWS_MAX_SLOTS]; /* -1 for none */
    bool is_number[ROWS_MAX_SLOTS];
    char *memory;
    char *staged;
    int64_t bytes; /* of a reduced row */
} row_ring;

/* The reduced rows that the windows of an output row have; false where one has a NaN. */
static bool gather(const rows_layout *layout, const part *where, int64_t y, row_ring *ring,
                   const void **rows, int64_t *row_count) {
    const opmill_taps taps = opmill_taps_of(&layout->axes.high, y);
    const int64_t bytes = opmill_type_bytes(layout->problem->type);
    const char *const x = layout->problem->x;
    const int64_t all = layout->problem->planes * layout->problem->in_size;
    bool numbers = true;
    *row_count = 0;
    for (int64_t k = 0; k < where->outer_taps; k++) {
        for (int64_t t = 0; t < taps.count; t++) {
            const int64_t row = taps.first + t * layout->axes.high.dilation;
            const int64_t slot = k * layout->slots + row % layout->slots;
            char *const largest = ring->memory + slot * ring->bytes;
            if (ring->row[slot] != row) {
                const int64_t at =
                    (where->at[k] * layout->axes.high.in + row) * layout->axes.wide.in;
                ring->row[slot] = row;
                ring->is_number[slot] =
                    (layout->searched ? layout->functions->search : layout->functions->reduce)(
                        layout, x + at * bytes, all - at, where->column, where->count, largest,
                        ring->staged);
            }
            numbers = numbers && ring->is_number[slot];
            rows[(*row_count)++] = largest;
        }
    }
    return numbers;
}

static void compute_part(const rows_layout *layout, const part *where) {
    union {
        _Alignas(ROWS_ALIGNMENT) char bytes[ROWS_STACK];
        float floats[ROWS_STACK / sizeof(float)];
        double doubles[ROWS_STACK / sizeof(double)];
    } memory;
    const void *rows[ROWS_MAX_SLOTS];
    row_ring ring;
    ring.bytes = layout->tile * layout->functions->element_bytes;
    ring.staged = memory.bytes;
    ring.memory = memory.bytes + ROWS_STACK - where->outer_taps * layout->slots * ring.bytes;
    for (int64_t slot = 0; slot < where->outer_taps * layout->slots; slot++) {
        ring.row[slot] = -1;
    }
    for (int64_t y = where->from; y < where->to; y++) {
        const int64_t output = where->output + y * layout->axes.wide.out + where->column;
        int64_t row_count;
        if (gather(layout, where, y, &ring, rows, &row_count)) {
            layout->functions->combine(layout->problem, rows, row_count, output, where->count);
        } else {
            opmill_max_pool_windows(layout->problem, output, output + where->count);
        }
    }
}

typedef struct rows_run {
    const rows_layout *layout;
    int64_t parts;
    int64_t together; /* parts of a task */
} rows_run;

static void run_task(void *state, int64_t task, int32_t worker) {
    const rows_run *const run = state;
    const int64_t end = opmill_min(run->parts, (task + 1) * run->together);
    part where;
    (void)worker;
    for (int64_t number = task * run->together; number < end; number++) {
        find_part(run->layout, number, &where);
        compute_part(run->layout, &where);
    }
}

void opmill_max_pool_rows(const rows_layout *layout) {
    rows_run run;
    run.layout = layout;
    run.parts = layout->axes.planes * layout->axes.outer_out * layout->bands * layout->tiles;
    run.together = (run.parts - 1) / (layout->threads * (int64_t)TASKS_EACH) + 1;
    opmill_parallel((run.parts - 1) / run.together + 1, layout->threads, run_task, &run);
}
