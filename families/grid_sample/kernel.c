/* GridSample: what a block of positions takes of an image, once for all channels; then sums. */
#include "families/grid_sample/kernel.h"

#include <string.h>

#include "families/grid_sample/direct.h"
#include "families/grid_sample/sums.h"
#include "families/grid_sample/taps.h"
#include "runtime/numbers/elements.h"
#include "runtime/numbers/integers.h"
#include "runtime/platform/isa.h"
#include "runtime/platform/parallel.h"
#include "runtime/numbers/reals.h"
#include "runtime/call/workspace.h"

enum { TASK_BLOCKS = 16, MAX_AXES = OPMILL_MAX_RANK };

typedef struct sample_job {
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
} sample_job;

/* The memory of a worker. */
typedef struct buffers {
    int64_t *at;     /* of each axis and slot, the elements of a block, times the axis's stride */
    double *weights; /* of the same */
    sample_table table;
    double *sums;
    sample_block *block; /* for the direct way */
} buffers;

static void describe(sample_job *job, const opmill_tensor *x, const opmill_tensor *grid,
                     const opmill_grid_sample_plan *plan, const opmill_context *context) {
    job->x = x;
    job->grid = grid;
    job->filter.align_corners = plan->align_corners;
    job->filter.padding = plan->padding_mode[0] == 'z'   ? SAMPLE_ZEROS
                          : plan->padding_mode[0] == 'b' ? SAMPLE_BORDER
                                                         : SAMPLE_REFLECTION;
    job->filter.taps = (int32_t)plan->taps;
    job->axis_count = x->rank - 2;
    job->taps = job->positions = job->pixels = 1;
    for (int32_t i = job->axis_count - 1; i >= 0; i--) {
        const int64_t size = x->dims[2 + i];
        job->axes[i] = (sample_axis){size, job->pixels, (int32_t)opmill_min(plan->taps, size)};
        job->taps *= job->axes[i].slots; /* at most the pixels */
        job->pixels *= size;
        job->positions *= grid->dims[1 + i];
    }
    job->bytes = opmill_type_bytes(x->type);
    job->image = (sample_image){job->filter, job->axes, job->axis_count, x->type == OPMILL_DOUBLE};
    job->direct = opmill_sample_direct(&job->image, job->pixels, x->type, job->bytes,
                                       opmill_isa_select(context->isa));
}

static bool is_empty(const opmill_tensor *x, const opmill_tensor *grid) {
    bool empty = x->dims[0] == 0 || x->dims[1] == 0;
    for (int32_t i = 1; i < grid->rank - 1; i++) {
        empty = empty || grid->dims[i] == 0;
    }
    return empty;
}

static int64_t slot_bytes(const sample_job *job) {
    return (int64_t)job->axis_count * SAMPLE_MAX_TAPS * SAMPLE_BLOCK * (int64_t)sizeof(double);
}

static int64_t table_bytes(const sample_job *job) {
    return opmill_min(job->taps, SAMPLE_CHUNK) * SAMPLE_BLOCK * (int64_t)sizeof(double);
}

static int64_t worker_bytes(const sample_job *job) {
    const int64_t direct = job->direct.position != NULL ? (int64_t)sizeof(sample_block) : 0;
    const int64_t sums = SAMPLE_BLOCK * (int64_t)sizeof(double);
    return 2 * slot_bytes(job) + 3 * table_bytes(job) + sums + direct;
}

static buffers buffers_of(const sample_job *job, int32_t worker) {
    char *memory = job->memory + worker * worker_bytes(job);
    buffers found = {.at = (int64_t *)(void *)memory};
    memory += slot_bytes(job);
    found.weights = (double *)(void *)memory;
    memory += slot_bytes(job);
    found.table.offsets = (int64_t *)(void *)memory;
    memory += table_bytes(job);
    found.table.doubles = (double *)(void *)memory;
    memory += table_bytes(job);
    found.table.floats = (float *)(void *)memory;
    memory += table_bytes(job);
    found.sums = (double *)(void *)memory;
    memory += SAMPLE_BLOCK * sizeof(double);
    found.block = (sample_block *)(void *)memory;
    return found;
}

/* The elements of an axis for position `i` of a block. */
static inline void find_taps_of(const sample_job *job, buffers *used, int32_t a, int64_t i,
                                double coordinate) {
    const sample_axis *const axis = &job->axes[a];
    const int64_t slot = a * SAMPLE_MAX_TAPS * SAMPLE_BLOCK + i;
    sample_taps taps;
    if (axis->slots == 2 && job->filter.taps == 2 && job->filter.padding != SAMPLE_REFLECTION) {
        opmill_sample_linear(&job->filter, axis->size, coordinate, taps.at, taps.weights);
    } else {
        taps = opmill_sample_axis_taps(&job->filter, axis, coordinate);
    }
    for (int32_t k = 0; k < axis->slots; k++) {
        used->at[slot + k * SAMPLE_BLOCK] = taps.at[k] * axis->stride;
        used->weights[slot + k * SAMPLE_BLOCK] = taps.weights[k];
    }
}

/* The elements of each axis for the positions from `first` on of the whole grid. */
static void find_taps(const sample_job *job, buffers *used, int64_t first) {
    for (int32_t a = 0; a < job->axis_count; a++) {
        for (int64_t i = 0; i < used->table.count; i++) {
            /* the coordinates of a position come from the last axis to the first */
            const int64_t at = (first + i) * job->axis_count + job->axis_count - 1 - a;
            const double coordinate = opmill_real_at(job->grid->data, job->grid->type, at);
            find_taps_of(job, used, a, i, coordinate);
        }
    }
}

/* One element of each position: its number selects a slot of each axis, the last axis fastest. */
static void fill_row(const sample_job *job, const buffers *used, int64_t number, int64_t row) {
    int64_t *const offsets = used->table.offsets + row * SAMPLE_BLOCK;
    double *const weights = used->table.doubles + row * SAMPLE_BLOCK;
    float *const floats = used->table.floats + row * SAMPLE_BLOCK;
    for (int32_t a = job->axis_count - 1; a >= 0; a--) {
        const int64_t slot = a * SAMPLE_MAX_TAPS + number % job->axes[a].slots;
        const int64_t *const at = used->at + slot * SAMPLE_BLOCK;
        const double *const factors = used->weights + slot * SAMPLE_BLOCK;
        const bool first = a == job->axis_count - 1;
        for (int64_t i = 0; i < used->table.count; i++) {
            offsets[i] = at[i] + (first ? 0 : offsets[i]);
            weights[i] = factors[i] * (first ? 1 : weights[i]);
        }
        number /= job->axes[a].slots;
    }
    for (int64_t i = 0; i < used->table.count; i++) {
        floats[i] = (float)weights[i];
    }
}

static void fill_table(const sample_job *job, buffers *used, int64_t first) {
    used->table.taps = opmill_min(job->taps - first, SAMPLE_CHUNK);
    for (int64_t k = 0; k < used->table.taps; k++) {
        fill_row(job, used, first + k, k);
    }
}

/* Sums of all elements, in chunks; a table of one chunk is filled already. */
static void sum_channel(const sample_job *job, buffers *used, const char *image, char *to) {
    const sample_functions *const functions = &job->functions;
    const size_t bytes = functions->wide ? sizeof(double) : sizeof(float);
    for (int64_t part = 0; part < functions->lanes; part++) {
        memset(used->sums, 0, (size_t)used->table.count * bytes);
        for (int64_t first = 0; first < job->taps; first += SAMPLE_CHUNK) {
            if (job->taps > SAMPLE_CHUNK) {
                fill_table(job, used, first);
            }
            functions->add(&used->table, image, functions->lanes, part, used->sums);
        }
        functions->store(used->sums, to, functions->lanes, part, used->table.count);
    }
}

/* True if the direct way can compute a block, and did. */
static bool run_direct(const sample_job *job, sample_block *block, int64_t n, int64_t first) {
    const int64_t channels = job->x->dims[1];
    const int64_t coordinate = (n * job->positions + first) * job->axis_count;
    if (job->direct.position == NULL) {
        return false;
    }
    block->count = opmill_min(job->positions - first, SAMPLE_BLOCK);
    if (!job->direct.position(block, &job->image, job->grid->data, job->grid->type, coordinate)) {
        return false;
    }
    for (int64_t c = n * channels; c < (n + 1) * channels; c++) {
        const char *const image = (const char *)job->x->data + c * job->pixels * job->bytes;
        char *const to = (char *)job->y->data + (c * job->positions + first) * job->bytes;
        if (job->direct.sum == NULL) {
            opmill_sample_nearest(block, image, job->zero, to, job->bytes);
        } else {
            job->direct.sum(block, 1 << (job->axis_count - 1), image, to);
        }
    }
    return true;
}

static void run_block(const sample_job *job, buffers *used, int64_t n, int64_t first) {
    const int64_t channels = job->x->dims[1];
    used->table.count = opmill_min(job->positions - first, SAMPLE_BLOCK);
    find_taps(job, used, n * job->positions + first);
    if (job->taps <= SAMPLE_CHUNK) {
        fill_table(job, used, 0);
    }
    for (int64_t c = n * channels; c < (n + 1) * channels; c++) {
        const char *const image = (const char *)job->x->data + c * job->pixels * job->bytes;
        char *const to = (char *)job->y->data + (c * job->positions + first) * job->bytes;
        if (job->filter.taps == 1) {
            opmill_sample_copy(&used->table, image, job->zero, to, (int32_t)job->bytes);
        } else {
            sum_channel(job, used, image, to);
        }
    }
}

static void run_task(void *state, int64_t task, int32_t worker) {
    const sample_job *const job = state;
    buffers used = buffers_of(job, worker);
    const int64_t n = task / job->tasks;
    const int64_t first = task % job->tasks * TASK_BLOCKS * SAMPLE_BLOCK;
    const int64_t end = opmill_min(first + TASK_BLOCKS * SAMPLE_BLOCK, job->positions);
    for (int64_t i = first; i < end; i += SAMPLE_BLOCK) {
        if (!run_direct(job, used.block, n, i)) {
            run_block(job, &used, n, i);
        }
    }
}

static int64_t tasks_of(const sample_job *job) {
    return (job->positions - 1) / (TASK_BLOCKS * SAMPLE_BLOCK) + 1;
}

static int32_t thread_count(const sample_job *job, const opmill_context *context) {
    const int32_t max_threads = context->threads > 1 ? context->threads : 1;
    return (int32_t)opmill_min(tasks_of(job) * job->x->dims[0], max_threads);
}

size_t opmill_grid_sample_workspace_bytes(const opmill_tensor *X, const opmill_tensor *grid,
                                          const opmill_shape *Y,
                                          const opmill_grid_sample_plan *plan,
                                          const opmill_context *context) {
    sample_job job;
    (void)Y;
    if (is_empty(X, grid)) {
        return 0;
    }
    describe(&job, X, grid, plan, context);
    const uint64_t threads = (uint64_t)thread_count(&job, context);
    return opmill_workspace_size(threads * (uint64_t)worker_bytes(&job));
}

int opmill_grid_sample_compute(const opmill_tensor *X, const opmill_tensor *grid, opmill_tensor *Y,
                               const opmill_grid_sample_plan *plan, opmill_context *context) {
    static const char EMPTY[] = "";
    sample_job job;
    if (is_empty(X, grid)) {
        return OPMILL_OK;
    }
    describe(&job, X, grid, plan, context);
    job.y = Y;
    job.tasks = tasks_of(&job);
    job.memory = opmill_workspace_begin(context->workspace);
    job.functions = opmill_sample_functions(X->type, opmill_isa_select(context->isa));
    memset(job.zero, 0, sizeof job.zero);
    if (X->type == OPMILL_STRING) {
        const char *const text = EMPTY;
        memcpy(job.zero, &text, sizeof text);
    }
    opmill_parallel(job.tasks * X->dims[0], thread_count(&job, context), run_task, &job);
    return OPMILL_OK;
}
