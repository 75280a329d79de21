/* Plans and runs the columns kernel: lays out columns, packed panels and blocks of maps in the
 * workspace, and alternates matrix product and addition for one chunk of slices after another. */
#include "columns.h"

#include "runtime/numbers/elements.h"
#include "runtime/platform/parallel.h"

#include <string.h>

/* The columns, and the weights of a block, are to stay in the second-level cache. */
static const int64_t COLUMN_BYTES = 256 * 1024;
static const int64_t BLOCK_BYTES = 256 * 1024;
enum { CACHE_LINE = 64, SHARED_ROWS = 128, TASK_WORK = 1 << 17, MAX_EXTENT = 1 << 30 };

static int64_t round_up(int64_t count, int64_t unit) { return (count + unit - 1) / unit * unit; }

/* Sorts the taps of the last axis by phase. */
static void sort_taps(columns_layout *layout, const conv_transpose_axis *last) {
    int64_t count = 0;
    layout->phases = last->stride;
    for (int64_t phase = 0; phase < last->stride; phase++) {
        layout->first[phase] = count;
        for (int64_t tap = 0; tap < last->kernel; tap++) {
            const int64_t reach = tap * last->dilation - last->begin;
            const int64_t quotient = opmill_quotient(reach, last->stride);
            if (reach - quotient * last->stride == phase) {
                layout->tap[count] = (uint8_t)tap;
                layout->offset[count++] = -quotient;
            }
        }
    }
    layout->first[last->stride] = count;
}

/* The most slices of the first axis that outputs after a chunk share with it. */
static int64_t shared_slices(const conv_transpose_axis *axis) {
    return opmill_min(axis->in,
                      ((axis->kernel - 1) * axis->dilation + axis->stride - 1) / axis->stride + 1);
}

/* True if the matrix product gains more than the additions cost: with few maps nearly always, with
 * many only where the phases kernel would run over many edges, or would not keep its weights. */
static bool is_worth_it(const conv_transpose_problem *problem, int64_t element_bytes) {
    const int64_t channels = problem->channels;
    if (problem->maps <= 2) {
        return channels >= 16;
    }
    if (problem->maps <= 8) {
        return channels >= (problem->maps <= 6 ? 32 : 64);
    }
    const int64_t bytes = channels * problem->in_size * element_bytes;
    return channels >= 512 || (channels >= 128 && bytes <= 1024 * 1024);
}

/* Which inputs are gone over in streams. Those of half types take longer to widen than to read. */
static void set_strips(columns_layout *layout, int64_t rows) {
    const conv_transpose_problem *const problem = layout->problem;
    const int64_t type_bytes = opmill_type_bytes(problem->type);
    const int64_t bytes = problem->channels * problem->in_size * type_bytes;
    const bool streams = rows <= COLUMNS_STREAMED_ROWS && bytes > COLUMNS_STREAMED_BYTES &&
                         type_bytes == layout->functions->element_bytes;
    layout->channels = streams ? COLUMNS_STREAMS : COLUMNS_CHANNELS;
    layout->spans = streams ? COLUMNS_STRIP : 1;
}

bool opmill_conv_transpose_columns_layout(columns_layout *layout,
                                          const conv_transpose_problem *problem,
                                          const conv_transpose_functions *functions,
                                          int32_t threads) {
    const conv_transpose_axis *const last = &problem->axes[problem->axis_count - 1];
    const conv_transpose_axis *const axis = &problem->axes[0];
    const int64_t taps = problem->kernel_size;
    const int64_t lanes = functions->lanes;
    const int64_t element = functions->element_bytes;
    if (problem->channels == 0 || last->stride > COLUMNS_PHASES ||
        last->kernel > COLUMNS_LAST_TAPS || taps / last->kernel > COLUMNS_OUTER_TAPS ||
        problem->maps > INT64_MAX / taps / problem->channels / element / 2 ||
        !is_worth_it(problem, element)) {
        return false;
    }
    for (int32_t a = 0; a < problem->axis_count; a++) {
        const conv_transpose_axis *const each = &problem->axes[a];
        if (each->stride > MAX_EXTENT || each->dilation > MAX_EXTENT || each->in > MAX_EXTENT ||
            each->begin > MAX_EXTENT) {
            return false;
        }
    }
    layout->problem = problem;
    layout->functions = functions;
    layout->threads = threads;
    layout->slice = problem->in_size / axis->in;
    sort_taps(layout, last);

    const int64_t slice_bytes = taps * layout->slice * element; /* of a map */
    const int64_t image_bytes = slice_bytes * axis->in;
    layout->maps = problem->maps;
    layout->blocks = 1;
    layout->slices = axis->in;
    layout->images = 1;
    if (problem->maps * taps > SHARED_ROWS) {
        const int64_t weight_bytes = problem->channels * taps * element;
        int64_t maps = opmill_min(COLUMN_BYTES / image_bytes, BLOCK_BYTES / weight_bytes);
        maps = opmill_max(1, maps);
        layout->blocks =
            opmill_max((problem->maps + maps - 1) / maps, threads > 1 ? threads * (int64_t)4 : 1);
        layout->maps = (problem->maps + layout->blocks - 1) / layout->blocks;
        layout->blocks = (problem->maps + layout->maps - 1) / layout->maps;
    } else {
        const int64_t fitting = opmill_max(1, COLUMN_BYTES / (problem->maps * slice_bytes));
        const int64_t chunks = (axis->in + fitting - 1) / fitting;
        layout->slices = (axis->in + chunks - 1) / chunks;
        layout->images = opmill_max(1, opmill_min(problem->batch, fitting / axis->in));
    }

    /* Vectors that begin up to a vector before an image, or end behind it, stay inside. */
    const int64_t stays = layout->slices < axis->in ? shared_slices(axis) * layout->slice : 0;
    const int64_t rows = layout->maps * taps;
    set_strips(layout, rows);
    layout->base = round_up(stays, lanes) + lanes;
    layout->image_pitch = layout->base + lanes +
                          opmill_max(2 * lanes, round_up(layout->slices * layout->slice, lanes));
    const int64_t line = CACHE_LINE / element;
    layout->pitch = (round_up(layout->images * layout->image_pitch, line) / line | 1) * line;
    layout->weights_pitch = (round_up(rows, line) / line | 1) * line;
    const int64_t inputs = problem->batch * problem->groups * problem->channels * problem->in_size;
    const int64_t limit =
        inputs * opmill_type_bytes(problem->type) + CONV_TRANSPOSE_WORKSPACE_BYTES;
    if (layout->pitch > limit / element / rows ||
        layout->weights_pitch > limit / element / problem->channels) {
        return false;
    }
    const int64_t sharing = layout->blocks > 1 ? threads : 1;
    const int64_t bytes = (layout->weights_pitch * problem->channels + layout->pitch * rows) *
                          element; /* of a block */
    const int64_t panel = COLUMNS_CHANNELS * COLUMNS_VECTORS * lanes * element;
    layout->weights_bytes = (size_t)(layout->weights_pitch * problem->channels * element);
    layout->block_bytes = (size_t)bytes;
    layout->panel_bytes = (size_t)panel;
    layout->bytes = layout->panel_bytes * (size_t)threads + layout->block_bytes * (size_t)sharing;
    return bytes <= limit / sharing && panel <= (limit - bytes * sharing) / threads;
}

typedef struct columns_run {
    const columns_layout *layout;
    char *workspace;
    int64_t group;
    const columns_chunk *chunk;
    int64_t each; /* spans, or rows, of a task */
} columns_run;

static char *panel_of(const columns_run *run, int32_t worker) {
    return run->workspace + run->layout->panel_bytes * (size_t)worker;
}

static char *block_of(const columns_run *run, int32_t worker) {
    const columns_layout *const layout = run->layout;
    return run->workspace + layout->panel_bytes * (size_t)layout->threads +
           layout->block_bytes * (size_t)worker;
}

/* Tiles of positions of a chunk's image: all about as wide. */
static int64_t span_count(const columns_layout *layout, const columns_chunk *chunk) {
    const int64_t positions = (chunk->x_to - chunk->x_from) * layout->slice;
    const int64_t vectors = (positions - 1) / layout->functions->lanes + 1;
    return (vectors + COLUMNS_VECTORS - 1) / COLUMNS_VECTORS;
}

/* Rows of outputs of a map in a chunk's image. */
static int64_t row_count(const columns_layout *layout, const columns_chunk *chunk) {
    const conv_transpose_problem *const problem = layout->problem;
    int64_t rows = problem->axis_count > 1 ? chunk->y_to - chunk->y_from : 1;
    for (int32_t a = 1; a < problem->axis_count - 1; a++) {
        rows *= problem->axes[a].out;
    }
    return chunk->y_to > chunk->y_from ? rows : 0;
}

/* Sets the outputs that are done with this chunk: all whose last input is there. They end with a
 * whole step. */
static void end_chunk(const columns_layout *layout, columns_chunk *chunk) {
    const conv_transpose_axis *const axis = &layout->problem->axes[0];
    chunk->y_to = axis->out;
    if (chunk->x_to < axis->in) {
        const int64_t steps = chunk->x_to + opmill_quotient(-axis->begin, axis->stride);
        const int64_t done = opmill_max(chunk->y_from, steps * axis->stride);
        chunk->y_to = opmill_min(axis->out, done);
    }
}

static void first_chunk(const columns_layout *layout, columns_chunk *chunk) {
    chunk->image = 0;
    chunk->images = layout->images;
    chunk->x_kept = 0;
    chunk->x_from = 0;
    chunk->x_to = layout->slices;
    chunk->y_from = 0;
    end_chunk(layout, chunk);
}

/* Goes on from a chunk to the next, and moves the columns that both need to where the next expects
 * them; false if it was the last. */
static bool next_chunk(const columns_layout *layout, columns_chunk *chunk, char *columns) {
    const conv_transpose_axis *const axis = &layout->problem->axes[0];
    if (chunk->y_to == axis->out) {
        const int64_t image = chunk->image + chunk->images;
        const int64_t left = layout->problem->batch - image;
        first_chunk(layout, chunk);
        chunk->image = image;
        chunk->images = opmill_min(layout->images, left);
        return left > 0;
    }
    const int64_t reach = chunk->y_to + axis->begin - (axis->kernel - 1) * axis->dilation;
    const int64_t lowest = opmill_quotient(reach + axis->stride - 1, axis->stride);
    const int64_t shared_from = opmill_min(opmill_max(lowest, 0), chunk->x_to);
    const int64_t element = layout->functions->element_bytes;
    const int64_t bytes = (chunk->x_to - shared_from) * layout->slice * element;
    for (int64_t r = 0; bytes > 0 && r < layout->maps * layout->problem->kernel_size; r++) {
        char *const row = columns + (r * layout->pitch + layout->base) * element;
        memmove(row - bytes, row + (shared_from - chunk->x_from) * layout->slice * element,
                (size_t)bytes);
    }
    chunk->x_kept = shared_from;
    chunk->x_from = chunk->x_to;
    chunk->x_to = opmill_min(axis->in, chunk->x_to + layout->slices);
    chunk->y_from = chunk->y_to;
    end_chunk(layout, chunk);
    return true;
}

/* A block of maps after another: each thread has columns of its own. */
static void block_task(void *state, int64_t task, int32_t worker) {
    const columns_run *const run = state;
    const columns_layout *const layout = run->layout;
    const int64_t map = task * layout->maps;
    const int64_t maps = opmill_min(layout->maps, layout->problem->maps - map);
    char *const weights = block_of(run, worker);
    char *const columns = weights + layout->weights_bytes;
    columns_chunk chunk;
    layout->functions->columns_pack(layout, run->group, map, maps, weights);
    first_chunk(layout, &chunk);
    do {
        layout->functions->columns_product(layout, &chunk, run->group, maps, 0,
                                           span_count(layout, &chunk) * chunk.images, weights,
                                           panel_of(run, worker), columns);
        layout->functions->columns_add(layout, &chunk, run->group, map, 0,
                                       row_count(layout, &chunk) * maps * chunk.images, maps,
                                       columns);
    } while (next_chunk(layout, &chunk, columns));
}

static void product_task(void *state, int64_t task, int32_t worker) {
    const columns_run *const run = state;
    const columns_layout *const layout = run->layout;
    const int64_t spans = span_count(layout, run->chunk) * run->chunk->images;
    const int64_t from = task * run->each;
    char *const weights = block_of(run, 0);
    layout->functions->columns_product(layout, run->chunk, run->group, layout->problem->maps, from,
                                       opmill_min(spans, from + run->each), weights,
                                       panel_of(run, worker), weights + layout->weights_bytes);
}

static void add_task(void *state, int64_t task, int32_t worker) {
    const columns_run *const run = state;
    const columns_layout *const layout = run->layout;
    const int64_t maps = layout->problem->maps;
    const int64_t rows = row_count(layout, run->chunk) * maps * run->chunk->images;
    const int64_t from = task * run->each;
    (void)worker;
    layout->functions->columns_add(layout, run->chunk, run->group, 0, from,
                                   opmill_min(rows, from + run->each), maps,
                                   block_of(run, 0) + layout->weights_bytes);
}

/* The items of a task, so that there are some tasks more than threads, of some length. */
static int64_t share(const columns_layout *layout, int64_t items, int64_t work) {
    const int64_t min_items = TASK_WORK / work + 1;
    return layout->threads > 1
               ? opmill_max(min_items, (items - 1) / (layout->threads * (int64_t)8) + 1)
               : items;
}

/* The only block: all threads work at each chunk. */
static void one_block(columns_run *run) {
    const columns_layout *const layout = run->layout;
    const conv_transpose_problem *const problem = layout->problem;
    const int64_t columns = problem->maps * problem->kernel_size;
    columns_chunk chunk;
    run->chunk = &chunk;
    layout->functions->columns_pack(layout, run->group, 0, problem->maps, block_of(run, 0));
    first_chunk(layout, &chunk);
    do {
        const int64_t spans = span_count(layout, &chunk) * chunk.images;
        run->each = share(layout, spans,
                          columns * problem->channels * COLUMNS_VECTORS * layout->functions->lanes);
        opmill_parallel((spans - 1) / run->each + 1, layout->threads, product_task, run);
        const int64_t rows = row_count(layout, &chunk) * problem->maps * chunk.images;
        if (rows > 0) {
            run->each =
                share(layout, rows,
                      problem->kernel_size * problem->axes[problem->axis_count - 1].out * 8);
            opmill_parallel((rows - 1) / run->each + 1, layout->threads, add_task, run);
        }
    } while (next_chunk(layout, &chunk, block_of(run, 0) + layout->weights_bytes));
}

void opmill_conv_transpose_columns(const columns_layout *layout, void *workspace) {
    columns_run run;
    run.layout = layout;
    run.workspace = workspace;
    for (run.group = 0; run.group < layout->problem->groups; run.group++) {
        if (layout->blocks > 1) {
            opmill_parallel(layout->blocks, layout->threads, block_task, &run);
        } else {
            one_block(&run);
        }
    }
}
