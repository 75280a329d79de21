/* GridSample: what a block of positions takes of an image, once for all channels; then sums. */
#include "families/grid_sample/kernel.h"

#include <string.h>

#include "families/grid_sample/direct.h"
#include "families/grid_sample/sums.h"
#include "families/grid_sample/taps.h"
#include "runtime/numbers/elements.h"
#include "runtime/platform/isa.h"
#include "runtime/platform/parallel.h"
#include "runtime/numbers/reals.h"
#include "runtime/call/workspace.h"

enum { TASK_BLOCKS = 16, MAX_AXES = OPMILL_MAX_RANK };

typedef struct job {
    const opmill_tensor *x, *grid;
    opmill_tensor *y;
    sample_filter filter;
    sample_axis axes[MAX_AXES];
    int32_t axis_count;
    int64_t taps;      /* of a position */
    int64_t positions; /* of an image of the output */
    int64_t pixels;    /* of an image of the input */
    int64_t tasks;     /* for an image */
    int64_t bytes;     /* of an element */
    _Alignas(8) uint8_t zero[16];
    sample_functions functions;
    sample_image image;
    sample_direct direct;
    char *memory;
} job;

/* The memory of a worker. */
typedef struct buffers {
    int64_t *at;     /* of each axis and slot, the elements of a block, times the axis's stride */
    double *weights; /* of the same */
    sample_table table;
    double *sums;
    sample_block *block; /* for the direct way */
} buffers;

static int64_t min_of(int64_t a, int64_t b) { return a < b ? a : b; }

static void describe(job *made, const opmill_tensor *x, const opmill_tensor *grid,
                     const opmill_grid_sample_plan *plan, const opmill_context *context) {
    made->x = x;
    made->grid = grid;
    made->filter.align_corners = plan->align_corners;
    made->filter.padding = plan->padding_mode[0] == 'z'   ? SAMPLE_ZEROS
                           : plan->padding_mode[0] == 'b' ? SAMPLE_BORDER
                                                          : SAMPLE_REFLECTION;
    made->filter.taps = (int32_t)plan->taps;
    made->axis_count = x->rank - 2;
    made->taps = made->positions = made->pixels = 1;
    for (int32_t i = made->axis_count - 1; i >= 0; i--) {
        const int64_t size = x->dims[2 + i];
        made->axes[i] = (sample_axis){size, made->pixels, (int32_t)min_of(plan->taps, size)};
        made->taps *= made->axes[i].slots; /* at most the pixels */
        made->pixels *= size;
        made->positions *= grid->dims[1 + i];
    }
    made->bytes = opmill_type_bytes(x->type);
    made->image =
        (sample_image){made->filter, made->axes, made->axis_count, x->type == OPMILL_DOUBLE};
    made->direct = opmill_sample_direct(&made->image, made->pixels, x->type, made->bytes,
                                        opmill_isa_select(context->isa));
}

static bool is_empty(const opmill_tensor *x, const opmill_tensor *grid) {
    bool empty = x->dims[0] == 0 || x->dims[1] == 0;
    for (int32_t i = 1; i < grid->rank - 1; i++) {
        empty = empty || grid->dims[i] == 0;
    }
    return empty;
}

static int64_t slot_bytes(const job *made) {
    return (int64_t)made->axis_count * SAMPLE_MAX_TAPS * SAMPLE_BLOCK * (int64_t)sizeof(double);
}

static int64_t table_bytes(const job *made) {
    return min_of(made->taps, SAMPLE_CHUNK) * SAMPLE_BLOCK * (int64_t)sizeof(double);
}

static int64_t worker_bytes(const job *made) {
    const int64_t direct = made->direct.place != NULL ? (int64_t)sizeof(sample_block) : 0;
    const int64_t sums = SAMPLE_BLOCK * (int64_t)sizeof(double);
    return 2 * slot_bytes(made) + 3 * table_bytes(made) + sums + direct;
}

static buffers buffers_of(const job *made, int32_t worker) {
    char *memory = made->memory + worker * worker_bytes(made);
    buffers found = {.at = (int64_t *)(void *)memory};
    memory += slot_bytes(made);
    found.weights = (double *)(void *)memory;
    memory += slot_bytes(made);
    found.table.offsets = (int64_t *)(void *)memory;
    memory += table_bytes(made);
    found.table.doubles = (double *)(void *)memory;
    memory += table_bytes(made);
    found.table.floats = (float *)(void *)memory;
    memory += table_bytes(made);
    found.sums = (double *)(void *)memory;
    memory += SAMPLE_BLOCK * sizeof(double);
    found.block = (sample_block *)(void *)memory;
    return found;
}

/* The elements of an axis for position `i` of a block. */
static inline void find_taps_of(const job *made, buffers *used, int32_t a, int64_t i,
                                double coordinate) {
    const sample_axis *const axis = &made->axes[a];
    const int64_t slot = a * SAMPLE_MAX_TAPS * SAMPLE_BLOCK + i;
    sample_taps taps;
    if (axis->slots == 2 && made->filter.taps == 2 && made->filter.padding != SAMPLE_REFLECTION) {
        opmill_sample_linear(&made->filter, axis->size, coordinate, taps.at, taps.weights);
    } else {
        taps = opmill_sample_axis_taps(&made->filter, axis, coordinate);
    }
    for (int32_t k = 0; k < axis->slots; k++) {
        used->at[slot + k * SAMPLE_BLOCK] = taps.at[k] * axis->stride;
        used->weights[slot + k * SAMPLE_BLOCK] = taps.weights[k];
    }
}

/* The elements of each axis for the positions from `first` on of the whole grid. */
static void find_taps(const job *made, buffers *used, int64_t first) {
    for (int32_t a = 0; a < made->axis_count; a++) {
        for (int64_t i = 0; i < used->table.count; i++) {
            /* the coordinates of a position come from the last axis to the first */
            const int64_t at = (first + i) * made->axis_count + made->axis_count - 1 - a;
            const double coordinate = opmill_real_at(made->grid->data, made->grid->type, at);
            find_taps_of(made, used, a, i, coordinate);
        }
    }
}

/* One element of each position: its number selects a slot of each axis, the last axis fastest. */
static void fill_row(const job *made, const buffers *used, int64_t number, int64_t row) {
    int64_t *const offsets = used->table.offsets + row * SAMPLE_BLOCK;
    double *const weights = used->table.doubles + row * SAMPLE_BLOCK;
    float *const floats = used->table.floats + row * SAMPLE_BLOCK;
    for (int32_t a = made->axis_count - 1; a >= 0; a--) {
        const int64_t slot = a * SAMPLE_MAX_TAPS + number % made->axes[a].slots;
        const int64_t *const at = used->at + slot * SAMPLE_BLOCK;
        const double *const factors = used->weights + slot * SAMPLE_BLOCK;
        const bool first = a == made->axis_count - 1;
        for (int64_t i = 0; i < used->table.count; i++) {
            offsets[i] = at[i] + (first ? 0 : offsets[i]);
            weights[i] = factors[i] * (first ? 1 : weights[i]);
        }
        number /= made->axes[a].slots;
    }
    for (int64_t i = 0; i < used->table.count; i++) {
        floats[i] = (float)weights[i];
    }
}

static void fill_table(const job *made, buffers *used, int64_t first) {
    used->table.taps = min_of(made->taps - first, SAMPLE_CHUNK);
    for (int64_t k = 0; k < used->table.taps; k++) {
        fill_row(made, used, first + k, k);
    }
}

/* Sums of all elements, in chunks; a table of one chunk is filled already. */
static void sum_channel(const job *made, buffers *used, const char *image, char *to) {
    const sample_functions *const functions = &made->functions;
    const size_t bytes = functions->wide ? sizeof(double) : sizeof(float);
    for (int64_t part = 0; part < functions->lanes; part++) {
        memset(used->sums, 0, (size_t)used->table.count * bytes);
        for (int64_t first = 0; first < made->taps; first += SAMPLE_CHUNK) {
            if (made->taps > SAMPLE_CHUNK) {
                fill_table(made, used, first);
            }
            functions->add(&used->table, image, functions->lanes, part, used->sums);
        }
        functions->store(used->sums, to, functions->lanes, part, used->table.count);
    }
}

/* Whether the direct way can compute a block, and did. */
static bool run_direct(const job *made, sample_block *block, int64_t n, int64_t first) {
    const int64_t channels = made->x->dims[1];
    const int64_t coordinate = (n * made->positions + first) * made->axis_count;
    if (made->direct.place == NULL) {
        return false;
    }
    block->count = min_of(made->positions - first, SAMPLE_BLOCK);
    if (!made->direct.place(block, &made->image, made->grid->data, made->grid->type, coordinate)) {
        return false;
    }
    for (int64_t c = n * channels; c < (n + 1) * channels; c++) {
        const char *const image = (const char *)made->x->data + c * made->pixels * made->bytes;
        char *const to = (char *)made->y->data + (c * made->positions + first) * made->bytes;
        if (made->direct.sum == NULL) {
            opmill_sample_nearest(block, image, made->zero, to, made->bytes);
        } else {
            made->direct.sum(block, 1 << (made->axis_count - 1), image, to);
        }
    }
    return true;
}

static void run_block(const job *made, buffers *used, int64_t n, int64_t first) {
    const int64_t channels = made->x->dims[1];
    used->table.count = min_of(made->positions - first, SAMPLE_BLOCK);
    find_taps(made, used, n * made->positions + first);
    if (made->taps <= SAMPLE_CHUNK) {
        fill_table(made, used, 0);
    }
    for (int64_t c = n * channels; c < (n + 1) * channels; c++) {
        const char *const image = (const char *)made->x->data + c * made->pixels * made->bytes;
        char *const to = (char *)made->y->data + (c * made->positions + first) * made->bytes;
        if (made->filter.taps == 1) {
            opmill_sample_copy(&used->table, image, made->zero, to, (int32_t)made->bytes);
        } else {
            sum_channel(made, used, image, to);
        }
    }
}

static void run_task(void *state, int64_t task, int32_t worker) {
    const job *const made = state;
    buffers used = buffers_of(made, worker);
    const int64_t n = task / made->tasks;
    const int64_t first = task % made->tasks * TASK_BLOCKS * SAMPLE_BLOCK;
    const int64_t end = min_of(first + TASK_BLOCKS * SAMPLE_BLOCK, made->positions);
    for (int64_t i = first; i < end; i += SAMPLE_BLOCK) {
        if (!run_direct(made, used.block, n, i)) {
            run_block(made, &used, n, i);
        }
    }
}

static int64_t tasks_of(const job *made) {
    return (made->positions - 1) / (TASK_BLOCKS * SAMPLE_BLOCK) + 1;
}

static int32_t thread_count(const job *made, const opmill_context *context) {
    const int32_t most = context->threads > 1 ? context->threads : 1;
    return (int32_t)min_of(tasks_of(made) * made->x->dims[0], most);
}

size_t opmill_grid_sample_workspace_bytes(const opmill_tensor *X, const opmill_tensor *grid,
                                          const opmill_shape *Y,
                                          const opmill_grid_sample_plan *plan,
                                          const opmill_context *context) {
    job made;
    (void)Y;
    if (is_empty(X, grid)) {
        return 0;
    }
    describe(&made, X, grid, plan, context);
    const uint64_t threads = (uint64_t)thread_count(&made, context);
    return opmill_workspace_size(threads * (uint64_t)worker_bytes(&made));
}

int opmill_grid_sample_compute(const opmill_tensor *X, const opmill_tensor *grid, opmill_tensor *Y,
                               const opmill_grid_sample_plan *plan, opmill_context *context) {
    static const char EMPTY[] = "";
    job made;
    if (is_empty(X, grid)) {
        return OPMILL_OK;
    }
    describe(&made, X, grid, plan, context);
    made.y = Y;
    made.tasks = tasks_of(&made);
    made.memory = opmill_workspace_begin(context->workspace);
    made.functions = opmill_sample_functions(X->type, opmill_isa_select(context->isa));
    memset(made.zero, 0, sizeof made.zero);
    if (X->type == OPMILL_STRING) {
        const char *const text = EMPTY;
        memcpy(made.zero, &text, sizeof text);
    }
    opmill_parallel(made.tasks * X->dims[0], thread_count(&made, context), run_task, &made);
    return OPMILL_OK;
}
