/* Plans and runs convolutions of 8-bit integers in quads: lays out box and sums, packs the weights
 * and splits the output into tasks. Needs an instruction set with a four-term byte product (AVX-512
 * VNNI). */
#include "runtime/convolution/quads.h"

#include <string.h>

#include "runtime/platform/isa.h"
#include "runtime/platform/parallel.h"

enum {
    ALIGNMENT = 64,
    LANES = 16,
    TERMS = 4,
    /* Positions of a tile, and quads of a box, which stays in a second-level cache or, where each
       is read for few maps, in a first-level one. */
    TILE = OPMILL_QUADS_VECTORS * LANES,
    BOX = 1 << 16,
    SMALL_BOX = 1 << 12,
    /* A task has a part of the maps where several threads would have fewer tasks. */
    MIN_TASKS = 8
};

/* Minimum number of products before threading pays off. */
static const double MIN_THREADED_PRODUCTS = 1 << 19;

#if OPMILL_X86_64
static const opmill_quads_functions *const FUNCTIONS = &opmill_quads_q8_avx512;
#else
static const opmill_quads_functions *const FUNCTIONS = NULL;
#endif

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

static int64_t divided_up(int64_t a, int64_t b) { return a / b + (a % b != 0); }

static size_t aligned(size_t bytes) { return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

bool opmill_quads_exist(const opmill_convolution *convolution, int32_t isa) {
    return FUNCTIONS != NULL && isa == OPMILL_ISA_AVX512 && opmill_isa_has_vnni() &&
           convolution->type == OPMILL_UINT32 && convolution->channels > 0;
}

bool opmill_quads_fit(const opmill_convolution *convolution) {
    if (convolution->w_zero == NULL) {
        return convolution->w_type == OPMILL_INT8;
    }
    const uint8_t *const zeros = convolution->w_zero;
    const uint8_t middle = convolution->w_type == OPMILL_INT8 ? 0 : 128;
    const int64_t count =
        convolution->w_zero_step != 0 ? convolution->groups * convolution->maps : 1;
    for (int64_t i = 0; i < count; i++) {
        if (zeros[i] != middle) {
            return false;
        }
    }
    return true;
}

static int64_t column_taps(const opmill_convolution *convolution) {
    return convolution->axes[convolution->axis_count - 1].kernel;
}

bool opmill_quads_join_taps(const opmill_convolution *convolution) {
    const int64_t taps = column_taps(convolution), channels = convolution->channels;
    return (double)channels * (double)divided_up(taps, TERMS) <
           (double)divided_up(channels, TERMS) * (double)taps;
}

int64_t opmill_quads_terms(const opmill_convolution *convolution) {
    const int64_t taps = column_taps(convolution), other_taps = convolution->taps / taps;
    return opmill_quads_join_taps(convolution)
               ? convolution->channels * other_taps * divided_up(taps, TERMS)
               : divided_up(convolution->channels, TERMS) * convolution->taps;
}

/* The last axes. Where each position of the output is one of the input, they are one row. */
static void find_axes(opmill_quads_layout *layout) {
    static const opmill_convolution_axis ONE = {1, 1, 1, 1, 1, 0};
    const opmill_convolution *const convolution = layout->convolution;
    const int32_t count = convolution->axis_count;
    layout->is_direct = true;
    for (int32_t i = 0; i < count; i++) {
        const opmill_convolution_axis *const axis = &convolution->axes[i];
        layout->is_direct = layout->is_direct && axis->kernel == 1 && axis->stride == 1 &&
                            axis->begin == 0 && axis->in == axis->out;
    }
    layout->rows_axis = layout->columns_axis = ONE;
    layout->outer_axes = 0;
    layout->outer_size = layout->outer_taps = 1;
    if (layout->is_direct) {
        layout->columns_axis.in = layout->columns_axis.out = convolution->out_size;
        return;
    }
    layout->columns_axis = convolution->axes[count - 1];
    if (count > 1) {
        layout->rows_axis = convolution->axes[count - 2];
        layout->outer_axes = count - 2;
    }
    for (int32_t i = 0; i < layout->outer_axes; i++) {
        layout->outer_size *= convolution->axes[i].out;
        layout->outer_taps *= convolution->axes[i].kernel;
    }
}

/* How the box and the lines are laid out for `rows` and `columns` of a task. */
static void lay_out_box(opmill_quads_layout *layout) {
    const opmill_convolution_axis *const h = &layout->rows_axis, *const w = &layout->columns_axis;
    const double by_remainder =
        (double)h->stride *
        ((double)layout->rows + (double)(h->kernel - 1) * (double)h->dilation / (double)h->stride);
    layout->rows_by_tap = by_remainder >= (double)h->kernel * (double)layout->rows;
    layout->row_phases = layout->rows_by_tap ? h->kernel : h->stride;
    layout->phase_rows = layout->rows_by_tap
                             ? layout->rows
                             : layout->rows + (h->kernel - 1) * h->dilation / h->stride;
    layout->box_rows = layout->row_phases * layout->phase_rows;
    const double by_phase =
        (double)w->stride * ((double)layout->columns +
                             (double)(w->kernel - 1) * (double)w->dilation / (double)w->stride);
    layout->lines_by_tap = by_phase >= (double)w->kernel * (double)layout->columns;
    layout->lines = layout->lines_by_tap ? w->kernel : w->stride;
    layout->line_stride = w->stride;
    layout->line_size = layout->lines_by_tap
                            ? layout->columns
                            : layout->columns + (w->kernel - 1) * w->dilation / w->stride;
    layout->takes_windows = layout->joins_taps && w->dilation == 1 && w->stride <= 2;
    if (layout->takes_windows) {
        layout->lines = layout->line_stride = 1;
        layout->line_size = (layout->columns - 1) * w->stride + layout->column_steps * TERMS;
    }
    /* Whole vectors are written and read. */
    layout->line_pitch = (layout->line_size + 2 * ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Rows and columns of a task: tasks of one size, as nearly as may be. */
static void lay_out_tasks(opmill_quads_layout *layout, const opmill_context *context) {
    const opmill_convolution *const convolution = layout->convolution;
    const int64_t out_rows = layout->rows_axis.out, out_columns = layout->columns_axis.out;
    const int64_t box = convolution->maps > 2 * OPMILL_QUADS_MAPS ? BOX : SMALL_BOX;
    const int64_t of_position = divided_up(layout->terms, layout->rows_axis.kernel);
    const int64_t positions = larger(box / of_position, TILE);
    layout->columns = out_columns;
    layout->rows = 1;
    if (out_columns > positions) {
        const int64_t tasks = divided_up(out_columns, positions);
        layout->columns = divided_up(divided_up(out_columns, tasks), TILE) * TILE;
    } else {
        layout->rows = smaller(positions / out_columns, out_rows);
    }
    layout->column_tasks = divided_up(out_columns, layout->columns);
    layout->row_tasks = divided_up(out_rows, layout->rows);
    layout->rows = divided_up(out_rows, layout->row_tasks);
    const double boxes = (double)convolution->batch * (double)convolution->groups *
                         (double)layout->outer_size * (double)layout->row_tasks *
                         (double)layout->column_tasks;
    layout->maps = convolution->maps;
    if (context->threads > 1 && boxes < MIN_TASKS) {
        const int64_t parts = divided_up(convolution->maps, MIN_TASKS / (int64_t)boxes);
        layout->maps = divided_up(parts, OPMILL_QUADS_MAPS) * OPMILL_QUADS_MAPS;
        layout->maps = smaller(layout->maps, convolution->maps);
    }
    layout->map_tasks = divided_up(convolution->maps, layout->maps);

    const double products = (double)convolution->batch * (double)convolution->groups *
                            (double)convolution->maps * (double)convolution->channels *
                            (double)convolution->taps * (double)convolution->out_size;
    layout->threads = 1;
    if (context->threads > 1 && products >= MIN_THREADED_PRODUCTS) {
        const double tasks = boxes * (double)layout->map_tasks;
        layout->threads = tasks < context->threads ? (int32_t)tasks : context->threads;
        layout->threads = opmill_parallel_threads(layout->threads);
    }
}

void opmill_quads_lay_out(opmill_quads_layout *layout, const opmill_convolution *convolution,
                          const opmill_context *context) {
    layout->convolution = convolution;
    layout->functions = FUNCTIONS;
    layout->joins_taps = opmill_quads_join_taps(convolution);
    layout->terms = opmill_quads_terms(convolution);
    layout->channel_steps =
        layout->joins_taps ? convolution->channels : divided_up(convolution->channels, TERMS);
    find_axes(layout);
    const int64_t taps = layout->columns_axis.kernel;
    layout->column_steps = layout->joins_taps ? divided_up(taps, TERMS) : taps;
    lay_out_tasks(layout, context);
    lay_out_box(layout);

    const int64_t quads = layout->channel_steps * layout->outer_taps * layout->column_steps *
                              layout->box_rows * layout->columns +
                          TILE; /* may be read behind the last one, and is not used */
    const int64_t lines = (layout->joins_taps ? 1 : TERMS) * layout->box_rows * layout->lines;
    layout->offsets_bytes = aligned((size_t)layout->terms * sizeof(int64_t));
    size_t at = aligned((size_t)quads * sizeof(uint32_t));
    layout->lines_offset = at;
    if (!layout->is_direct) {
        at += (size_t)lines * (size_t)layout->line_pitch;
    }
    layout->weights_offset = at;
    if (convolution->w_packed == NULL) {
        at += aligned((size_t)layout->terms * OPMILL_QUADS_MAPS * sizeof(uint32_t));
    }
    layout->sums_offset = at;
    if (convolution->finish != NULL && convolution->rescale == NULL) {
        at += aligned((size_t)(layout->rows * layout->columns) * OPMILL_QUADS_MAPS *
                      sizeof(uint32_t));
    }
    layout->worker_bytes = at;
}

size_t opmill_quads_workspace(const opmill_quads_layout *layout) {
    return layout->offsets_bytes + layout->worker_bytes * (size_t)layout->threads + ALIGNMENT;
}

/* Where the quads of each term begin in the box. */
static void find_offsets(const opmill_quads_layout *layout, int64_t *offsets) {
    const opmill_convolution_axis *const h = &layout->rows_axis;
    const int64_t rows = h->kernel, outer = layout->channel_steps * layout->outer_taps;
    for (int64_t plane = 0; plane < outer; plane++) {
        for (int64_t i = 0; i < rows; i++) {
            const int64_t row = layout->rows_by_tap
                                    ? i * layout->phase_rows
                                    : i * h->dilation % h->stride * layout->phase_rows +
                                          i * h->dilation / h->stride;
            for (int64_t j = 0; j < layout->column_steps; j++) {
                *offsets++ =
                    ((plane * layout->column_steps + j) * layout->box_rows + row) * layout->columns;
            }
        }
    }
}

typedef struct run {
    const opmill_quads_layout *layout;
    const int64_t *offsets;
    char *workers;
} run;

static void run_task(void *state, int64_t task, int32_t worker) {
    const run *const of = state;
    const opmill_quads_layout *const layout = of->layout;
    opmill_quads_task taken;
    int64_t rest = task;
    taken.map = rest % layout->map_tasks * layout->maps;
    rest /= layout->map_tasks;
    taken.column = rest % layout->column_tasks * layout->columns;
    rest /= layout->column_tasks;
    taken.row = rest % layout->row_tasks * layout->rows;
    rest /= layout->row_tasks;
    taken.outer = rest % layout->outer_size;
    rest /= layout->outer_size;
    taken.group = rest % layout->convolution->groups;
    taken.item = rest / layout->convolution->groups;
    taken.maps = smaller(layout->maps, layout->convolution->maps - taken.map);
    taken.columns = smaller(layout->columns, layout->columns_axis.out - taken.column);
    taken.rows = smaller(layout->rows, layout->rows_axis.out - taken.row);
    taken.offsets = of->offsets;
    taken.workspace = of->workers + (size_t)worker * layout->worker_bytes;
    layout->functions->compute(layout, &taken);
}

void opmill_quads_run(const opmill_quads_layout *layout, void *workspace) {
    char *const begin = (char *)workspace + (size_t)(-(uintptr_t)workspace % ALIGNMENT);
    int64_t *const offsets = (int64_t *)(void *)begin;
    run state = {layout, offsets, begin + layout->offsets_bytes};
    find_offsets(layout, offsets);
    opmill_parallel(layout->convolution->batch * layout->convolution->groups * layout->outer_size *
                        layout->row_tasks * layout->column_tasks * layout->map_tasks,
                    layout->threads, run_task, &state);
}

uint64_t opmill_quads_packed_bytes(const opmill_convolution *convolution) {
    const double maps = (double)convolution->groups * (double)convolution->maps;
    if (maps * ((double)convolution->channels * (double)convolution->taps + 1) > 0x1p60) {
        return UINT64_MAX;
    }
    return (uint64_t)(convolution->groups * convolution->maps) *
           (uint64_t)(opmill_quads_terms(convolution) + 1) * sizeof(uint32_t);
}

void opmill_quads_pack(const opmill_convolution *convolution, void *packed) {
    const int64_t terms = opmill_quads_terms(convolution), maps = convolution->maps;
    uint32_t *const weights = packed;
    uint32_t *const totals = weights + convolution->groups * maps * terms;
    for (int64_t group = 0; group < convolution->groups; group++) {
        for (int64_t m = 0; m < maps; m += OPMILL_QUADS_MAPS) {
            const int64_t map = group * maps + m;
            FUNCTIONS->pack(convolution, map, smaller(OPMILL_QUADS_MAPS, maps - m),
                            weights + map * terms, totals + map);
        }
    }
}
