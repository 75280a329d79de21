/* Plans and runs convolutions. Chooses between a matrix product (pointwise), tiles with maps or
 * positions in the vector lanes, and quads of 8-bit integers (quads.h); lays out the input box and
 * the packed weights, and splits the output into tasks. */
#include "runtime/convolution/convolution.h"

#include <string.h>

#include "runtime/convolution/functions.h"
#include "runtime/numbers/elements.h"
#include "runtime/platform/isa.h"
#include "runtime/platform/parallel.h"

enum {
    ALIGNMENT = 64,
    /* Terms of a block: its weights for one tile stay in a first-level cache, beside what the tile
       reads of the box. Taps of a row share that; where rows have one tap, each term has a line. */
    TERMS = 256,
    LINE_TERMS = 96,
    /* Positions of a task with maps in its lanes, half as many where threads share them, and
       elements of its box, which stays in a second-level cache: as planned without padding, and at
       most. */
    POSITIONS = 512,
    BOX = 1 << 17,
    MAX_BOX = 1 << 18,
    COLUMNS = 512,
    /* Of a task that has positions in its lanes: positions, and those for one channel, whose box
       stays in a first-level cache. */
    LANE_POSITIONS = 256,
    LANE_BOX = 1 << 12,
    /* A task has a part of the maps where several threads would have fewer tasks. */
    MIN_TASKS = 8,
    /* Positions of a plane from which on a product is faster than tiles of maps: of integers or few
       maps, of floats, and of floats with packed weights. Both sum in the same order. */
    MIN_PRODUCT_POSITIONS = 32,
    PRODUCT_POSITIONS = 128,
    PACKED_PRODUCT_POSITIONS = 256
};

/* Minimum number of products before threading pays off. */
static const double MIN_THREADED_PRODUCTS = 1 << 17;

/* Weights are packed for the whole call up to this size. */
static const double WEIGHTS_BYTES = 1 << 26;

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

static int64_t divided_up(int64_t a, int64_t b) { return a / b + (a % b != 0); }

static size_t aligned(size_t bytes) { return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

bool opmill_convolution_describe(opmill_convolution *convolution, const opmill_tensor *x,
                                 const opmill_tensor *w, void *y, const int64_t *y_dims,
                                 const int64_t *strides, const int64_t *dilations,
                                 const int64_t *begins, int64_t groups) {
    memset(convolution, 0, sizeof *convolution);
    convolution->x = x->data;
    convolution->w = w->data;
    convolution->y = y;
    convolution->x_type = x->type;
    convolution->w_type = w->type;
    convolution->batch = y_dims[0];
    convolution->groups = groups;
    convolution->channels = x->dims[1] / groups;
    convolution->maps = y_dims[1] / groups;
    convolution->axis_count = x->rank - 2;
    if (convolution->batch == 0 || convolution->maps == 0) {
        return false;
    }
    for (int32_t i = 0; i < convolution->axis_count; i++) {
        if (y_dims[i + 2] == 0) {
            return false;
        }
    }
    convolution->in_size = convolution->taps = convolution->out_size = 1;
    for (int32_t i = 0; i < convolution->axis_count; i++) {
        convolution->axes[i] = (opmill_convolution_axis){
            x->dims[i + 2], w->dims[i + 2], y_dims[i + 2], strides[i], dilations[i], begins[i]};
        convolution->out_size *= y_dims[i + 2];
        if (convolution->channels >
            0) { /* else sizes without data may overflow, and are not needed */
            convolution->in_size *= x->dims[i + 2];
            convolution->taps *= w->dims[i + 2];
        }
    }
    return true;
}

/* True if every output position is the same input position. */
static bool is_pointwise(const opmill_convolution *convolution) {
    for (int32_t i = 0; i < convolution->axis_count; i++) {
        const opmill_convolution_axis *const axis = &convolution->axes[i];
        if (axis->kernel != 1 || axis->stride != 1 || axis->begin != 0 || axis->in != axis->out) {
            return false;
        }
    }
    return true;
}

/* Rows of a block of the product are maps, columns are positions. */
static void finish_product(const opmill_matrix_product *product, int64_t batch, int64_t row,
                           int64_t column, int64_t rows, int64_t columns, const void *sums,
                           int64_t pitch) {
    const opmill_convolution *const convolution = product->state;
    const int64_t step = pitch * opmill_type_bytes(product->type);
    for (int64_t r = 0; r < rows; r++) {
        convolution->finish(convolution, batch, row + r, column, (const char *)sums + r * step,
                            columns);
    }
}

static void lay_out_product(opmill_convolution_layout *layout, const opmill_context *context) {
    const opmill_convolution *const convolution = layout->convolution;
    opmill_matrix_product *const product = &layout->product;
    memset(product, 0, sizeof *product);
    product->m = convolution->maps;
    product->n = convolution->out_size;
    product->k = convolution->channels;
    product->type = convolution->type;
    product->a_type = convolution->w_type;
    product->b_type = convolution->x_type;
    product->c_type = convolution->y_type;
    product->a = convolution->w;
    product->b = convolution->x;
    product->c = convolution->y;
    product->a_row = product->k;
    product->a_column = product->b_column = 1;
    product->b_row = product->c_row = product->n;
    product->batches = convolution->batch;
    product->batch_rank = 1;
    layout->batch_dims[0] = convolution->batch;
    layout->w_steps[0] = 0;
    layout->x_steps[0] = product->k * product->n;
    product->batch_dims = layout->batch_dims;
    product->a_batch = layout->w_steps;
    product->b_batch = layout->x_steps;
    product->c_batch = product->m * product->n;
    product->a_zero = convolution->w_zero;
    product->a_zero_row = convolution->w_zero_step;
    product->b_zero = convolution->x_zero;
    product->alpha = product->beta = 1;
    product->bias = convolution->bias;
    product->bias_row = 1;
    product->limits = convolution->limits;
    if (convolution->finish != NULL) {
        product->finish = finish_product;
        product->state = convolution;
        product->bias = NULL;
    }
    opmill_product_lay_out(&layout->product_layout, product, context);
}

/* Lays out the input for `rows` and `columns` of a task. */
static void lay_out_box(opmill_convolution_layout *layout) {
    const opmill_convolution_axis *const h = &layout->rows_axis, *const w = &layout->columns_axis;
    const double by_window = (double)(layout->rows - 1) * (double)h->stride +
                             (double)(h->kernel - 1) * (double)h->dilation + 1;
    layout->rows_by_tap = by_window >= (double)h->kernel * (double)layout->rows;
    layout->box_rows = layout->rows_by_tap ? layout->rows : (int64_t)by_window;
    const double by_remainder =
        (double)w->stride * ((double)layout->columns +
                             (double)(w->kernel - 1) * (double)w->dilation / (double)w->stride);
    layout->strips_by_tap = by_remainder >= (double)w->kernel * (double)layout->columns;
    layout->strips = layout->strips_by_tap ? w->kernel : w->stride;
    layout->strip_size = layout->strips_by_tap
                             ? layout->columns
                             : layout->columns + (w->kernel - 1) * w->dilation / w->stride;
    layout->row_pitch = layout->strips * layout->strip_size;
    layout->outer_taps = layout->rows_by_tap ? h->kernel : 1;
    for (int32_t i = 0; i < layout->outer_axes; i++) {
        layout->outer_taps *= layout->convolution->axes[i].kernel;
    }
    layout->plane_size = layout->box_rows * layout->row_pitch;
}

static int64_t product_positions(const opmill_convolution *convolution,
                                 const opmill_convolution_functions *functions) {
    if (convolution->type == OPMILL_UINT32 ||
        opmill_convolution_positions_in_lanes(convolution->maps, functions->lanes)) {
        return MIN_PRODUCT_POSITIONS;
    }
    return convolution->w_packed != NULL ? PACKED_PRODUCT_POSITIONS : PRODUCT_POSITIONS;
}

/* True if an axis has one position everywhere. */
static bool is_single(const opmill_convolution_axis *axis) {
    return axis->in == 1 && axis->kernel == 1 && axis->out == 1 && axis->begin == 0;
}

/* Any variant but quads. */
static void lay_out_elements(opmill_convolution_layout *layout,
                             const opmill_convolution *convolution, const opmill_context *context) {
    const opmill_convolution_functions *functions;
    layout->functions = functions =
        opmill_convolution_functions_for(layout->isa, convolution->type);
    const bool pointwise = is_pointwise(convolution);
    if (pointwise && convolution->groups == 1 && /* each item is a product of matrices */
        convolution->out_size >= product_positions(convolution, functions)) {
        layout->variant = OPMILL_CONVOLUTION_PRODUCT;
        lay_out_product(layout, context);
        return;
    }
    const int64_t lanes = functions->lanes;
    const size_t bytes = (size_t)functions->element_bytes;
    layout->variant = opmill_convolution_positions_in_lanes(convolution->maps, lanes)
                          ? OPMILL_CONVOLUTION_POSITIONS
                          : OPMILL_CONVOLUTION_MAPS;
    int32_t count = convolution->axis_count;
    while (count > 1 && is_single(&convolution->axes[count - 1])) { /* a column is one row */
        count--;
    }
    layout->columns_axis = convolution->axes[count - 1];
    layout->rows_axis =
        count > 1 ? convolution->axes[count - 2] : (opmill_convolution_axis){1, 1, 1, 1, 1, 0};
    layout->outer_axes = count > 1 ? count - 2 : 0;
    if (pointwise) { /* a plane is one row */
        layout->columns_axis =
            (opmill_convolution_axis){convolution->out_size, 1, convolution->out_size, 1, 1, 0};
        layout->rows_axis = (opmill_convolution_axis){1, 1, 1, 1, 1, 0};
        layout->outer_axes = 0;
    }
    layout->outer_size = 1;
    for (int32_t i = 0; i < layout->outer_axes; i++) {
        layout->outer_size *= convolution->axes[i].out;
    }
    if (convolution->channels == 0) { /* no term: shapes alone decide nothing more */
        layout->columns_axis.kernel = layout->rows_axis.kernel = 1;
        layout->columns_axis.dilation = layout->rows_axis.dilation = 1;
        layout->columns_axis.stride = layout->rows_axis.stride = 1;
        layout->outer_axes = 0;
    }

    /* Rows and columns of a task: tasks of one size, as nearly as may be. */
    const int64_t all_maps = divided_up(convolution->maps, lanes) * lanes;
    layout->all_channels = convolution->type == OPMILL_UINT32 ? divided_up(convolution->channels, 2)
                                                              : convolution->channels;
    const bool has_lines =
        layout->variant == OPMILL_CONVOLUTION_MAPS && layout->columns_axis.kernel == 1;
    layout->channels = smaller(larger(1, (has_lines ? LINE_TERMS : TERMS) / convolution->taps),
                               layout->all_channels);
    int64_t positions = context->threads > 1 ? POSITIONS / 2 : POSITIONS;
    if (layout->variant == OPMILL_CONVOLUTION_POSITIONS) {
        positions = larger(LANE_POSITIONS, LANE_BOX / larger(1, layout->channels));
    } else {
        positions = smaller(positions, BOX / larger(1, layout->all_channels));
        positions = larger(positions, functions->max_positions);
    }
    layout->columns = smaller(layout->columns_axis.out, smaller(COLUMNS, positions));
    layout->column_tasks = divided_up(layout->columns_axis.out, layout->columns);
    layout->columns = divided_up(layout->columns_axis.out, layout->column_tasks);
    layout->rows = larger(1, positions / layout->columns);
    if (layout->variant == OPMILL_CONVOLUTION_POSITIONS) {
        layout->rows = divided_up(layout->rows, OPMILL_CONVOLUTION_ROWS) * OPMILL_CONVOLUTION_ROWS;
    }
    layout->rows = smaller(layout->rows, layout->rows_axis.out);
    layout->row_tasks = divided_up(layout->rows_axis.out, layout->rows);
    if (layout->variant == OPMILL_CONVOLUTION_MAPS) {
        layout->rows = divided_up(layout->rows_axis.out, layout->row_tasks);
    }
    const double boxes = (double)convolution->batch * (double)convolution->groups *
                         (double)layout->outer_size * (double)layout->row_tasks *
                         (double)layout->column_tasks;
    layout->maps = convolution->maps;
    if (context->threads > 1 && boxes < MIN_TASKS && layout->variant == OPMILL_CONVOLUTION_MAPS) {
        const int64_t wide = 2 * OPMILL_CONVOLUTION_VECTORS * lanes;
        layout->maps =
            divided_up(divided_up(convolution->maps, MIN_TASKS / (int64_t)boxes), wide) * wide;
        layout->maps = smaller(layout->maps, convolution->maps);
    }
    layout->map_tasks = divided_up(convolution->maps, layout->maps);
    lay_out_box(layout);

    /* A vector beyond the end of a box and of a row of sums may be read, and is not used. */
    const int64_t terms = layout->channels * convolution->taps;
    const int64_t box_plane = layout->outer_taps * layout->plane_size;
    layout->box_channels = layout->channels;
    if (layout->variant == OPMILL_CONVOLUTION_MAPS) { /* some blocks */
        layout->box_channels *= larger(1, MAX_BOX / larger(1, layout->channels * box_plane));
        layout->box_channels = smaller(layout->box_channels, layout->all_channels);
    }
    const size_t box =
        aligned(((size_t)(layout->box_channels * box_plane) + (size_t)lanes) * bytes);
    size_t sums;
    if (layout->variant == OPMILL_CONVOLUTION_MAPS) {
        const int64_t maps = layout->box_channels == layout->all_channels
                                 ? smaller(layout->maps, OPMILL_CONVOLUTION_VECTORS * lanes)
                                 : layout->maps;
        layout->sums_pitch = 0;
        sums = (size_t)(layout->rows * layout->columns + lanes) *
               (size_t)(divided_up(maps, lanes) * lanes);
    } else {
        layout->sums_pitch = divided_up(layout->columns, lanes) * lanes;
        sums = (size_t)(layout->maps * layout->rows) * (size_t)layout->sums_pitch;
    }
    layout->is_direct = layout->variant == OPMILL_CONVOLUTION_POSITIONS &&
                        convolution->type != OPMILL_UINT32 && convolution->finish == NULL &&
                        opmill_type_bytes(convolution->y_type) == (int32_t)bytes &&
                        layout->channels == layout->all_channels;
    layout->sums_offset = box;
    layout->block_offset = box + aligned(sums * bytes);
    layout->worker_bytes = layout->block_offset;
    layout->offsets_bytes = aligned((size_t)terms * sizeof(int64_t));
    layout->weights_bytes = 0;
    layout->packs_weights = false;
    if (layout->variant == OPMILL_CONVOLUTION_MAPS) {
        const double weights = (double)convolution->groups * (double)all_maps *
                               (double)layout->all_channels * (double)convolution->taps *
                               (double)bytes;
        layout->packs_weights = true;
        if (convolution->w_packed == NULL && boxes / (double)convolution->groups > 1 &&
            weights <= WEIGHTS_BYTES) {
            layout->weights_bytes = aligned((size_t)weights);
        } else if (convolution->w_packed == NULL) {
            layout->packs_weights = false;
            layout->worker_bytes +=
                aligned((size_t)(terms * OPMILL_CONVOLUTION_VECTORS * lanes) * bytes);
        }
    } else {
        layout->worker_bytes += aligned((size_t)(terms * layout->maps) * bytes);
    }

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

static size_t elements_workspace(const opmill_convolution_layout *layout) {
    if (layout->variant == OPMILL_CONVOLUTION_PRODUCT) {
        return opmill_product_workspace(&layout->product_layout);
    }
    return layout->offsets_bytes + layout->weights_bytes +
           layout->worker_bytes * (size_t)layout->threads + ALIGNMENT;
}

void opmill_convolution_lay_out(opmill_convolution_layout *layout,
                                const opmill_convolution *convolution,
                                const opmill_context *context) {
    layout->convolution = convolution;
    layout->isa = opmill_isa_select(context->isa);
    layout->workspace_bytes = 0;
    const bool has_quads = opmill_quads_exist(convolution, layout->isa);
    const bool fits = has_quads && opmill_quads_fit(convolution);
    /* Zero points that have no data yet may allow quads or not. */
    const bool is_known = convolution->w_zero != NULL;
    if (!fits || !is_known) {
        lay_out_elements(layout, convolution, context);
        layout->workspace_bytes = elements_workspace(layout);
    }
    if (has_quads && (fits || !is_known)) {
        opmill_quads_lay_out(&layout->quads, convolution, context);
        const size_t bytes = opmill_quads_workspace(&layout->quads);
        layout->workspace_bytes = bytes > layout->workspace_bytes ? bytes : layout->workspace_bytes;
    }
    if (fits) {
        layout->variant = OPMILL_CONVOLUTION_QUADS;
        layout->threads = layout->quads.threads;
    }
}

size_t opmill_convolution_workspace(const opmill_convolution_layout *layout) {
    return layout->workspace_bytes;
}

void opmill_convolution_choice(const opmill_convolution_layout *layout, opmill_choice *choice) {
    if (layout->variant == OPMILL_CONVOLUTION_PRODUCT) {
        opmill_product_choice(&layout->product_layout, choice);
        choice->variant = "product";
        return;
    }
    const bool is_packed = layout->convolution->w_packed != NULL;
    choice->variant = "positions";
    if (layout->variant == OPMILL_CONVOLUTION_MAPS) {
        choice->variant = is_packed ? "packed_maps" : "maps";
    } else if (layout->variant == OPMILL_CONVOLUTION_QUADS) {
        choice->variant = is_packed ? "packed_quads" : "quads";
    }
    choice->isa = layout->isa;
    choice->threads = layout->threads;
}

/* Where the elements of each term of a block begin in the box. */
static void find_offsets(const opmill_convolution_layout *layout, int64_t *offsets) {
    const opmill_convolution_axis *const h = &layout->rows_axis, *const w = &layout->columns_axis;
    const int64_t inner = h->kernel * w->kernel;
    const int64_t taps = layout->convolution->taps;
    for (int64_t channel = 0; channel < layout->channels; channel++) {
        for (int64_t tap = 0; tap < taps; tap++) {
            const int64_t outer = tap / inner, i = tap % inner / w->kernel, j = tap % w->kernel;
            const int64_t plane = layout->rows_by_tap ? outer * h->kernel + i : outer;
            const int64_t row = layout->rows_by_tap ? 0 : i * h->dilation;
            const int64_t at = j * w->dilation;
            const int64_t column = layout->strips_by_tap
                                       ? j * layout->strip_size
                                       : at % w->stride * layout->strip_size + at / w->stride;
            offsets[channel * taps + tap] =
                (channel * layout->outer_taps + plane) * layout->plane_size +
                row * layout->row_pitch + column;
        }
    }
}

typedef struct run {
    const opmill_convolution_layout *layout;
    int64_t *offsets;
    char *weights; /* to be packed */
    char *workers;
    const char *packed; /* weights to be read: the same ones, or those of the caller */
} run;

static void pack_task(void *state, int64_t task, int32_t worker) {
    const run *const of = state;
    const opmill_convolution_layout *const layout = of->layout;
    const int64_t wide = OPMILL_CONVOLUTION_VECTORS * layout->functions->lanes;
    const int64_t blocks = divided_up(layout->convolution->maps, wide);
    (void)worker;
    layout->functions->pack(layout, task / blocks, task % blocks * wide, of->weights);
}

/* The remainder of `rest`, which becomes the quotient. Many counts are 1, and divisions are slow.
 */
static int64_t divide(int64_t *rest, int64_t count) {
    if (count == 1) {
        return 0;
    }
    const int64_t remainder = *rest % count;
    *rest /= count;
    return remainder;
}

static void run_task(void *state, int64_t task, int32_t worker) {
    const run *const of = state;
    const opmill_convolution_layout *const layout = of->layout;
    opmill_convolution_task taken;
    int64_t rest = task;
    taken.map = divide(&rest, layout->map_tasks) * layout->maps;
    taken.column = divide(&rest, layout->column_tasks) * layout->columns;
    taken.row = divide(&rest, layout->row_tasks) * layout->rows;
    taken.outer = divide(&rest, layout->outer_size);
    taken.group = divide(&rest, layout->convolution->groups);
    taken.item = rest;
    taken.maps = smaller(layout->maps, layout->convolution->maps - taken.map);
    taken.columns = smaller(layout->columns, layout->columns_axis.out - taken.column);
    taken.rows = smaller(layout->rows, layout->rows_axis.out - taken.row);
    taken.offsets = of->offsets;
    taken.weights = of->packed;
    taken.workspace = of->workers + (size_t)worker * layout->worker_bytes;
    layout->functions->compute(layout, &taken);
}

void opmill_convolution_run(const opmill_convolution_layout *layout, void *workspace) {
    const opmill_convolution *const convolution = layout->convolution;
    if (layout->variant == OPMILL_CONVOLUTION_PRODUCT) {
        opmill_product_run(&layout->product_layout, workspace);
        return;
    }
    if (layout->variant == OPMILL_CONVOLUTION_QUADS) {
        opmill_quads_run(&layout->quads, workspace);
        return;
    }
    char *const begin = (char *)workspace + (size_t)(-(uintptr_t)workspace % ALIGNMENT);
    char *const weights = begin + layout->offsets_bytes;
    run state = {layout, (int64_t *)(void *)begin, weights, weights + layout->weights_bytes,
                 convolution->w_packed != NULL ? convolution->w_packed : weights};
    const bool packs = layout->packs_weights && convolution->w_packed == NULL;
    find_offsets(layout, state.offsets);
    if (packs) {
        const int64_t wide = OPMILL_CONVOLUTION_VECTORS * layout->functions->lanes;
        opmill_parallel(convolution->groups * divided_up(convolution->maps, wide), layout->threads,
                        pack_task, &state);
    }
    opmill_parallel(convolution->batch * convolution->groups * layout->outer_size *
                        layout->row_tasks * layout->column_tasks * layout->map_tasks,
                    layout->threads, run_task, &state);
}
