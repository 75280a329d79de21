/* RoiAlign: weights of the rows and columns of a region, then its channels, one after the other. */
#include "families/roi_align/kernel.h"

#include <math.h>
#include <string.h>

#include "families/roi_align/bins.h"
#include "runtime/call/bounds.h"
#include "runtime/numbers/elements.h"
#include "runtime/platform/isa.h"
#include "runtime/platform/parallel.h"
#include "runtime/indexing/regions.h"
#include "runtime/call/workspace.h"

enum { TASK_CHANNELS = 64 };

typedef struct align_job {
    const opmill_tensor *x, *rois, *batch_indices;
    opmill_tensor *y;
    const opmill_roi_align_plan *plan;
    const roi_functions *functions;
    int64_t blocks; /* of channels, tasks of their own */
    char *memory;
    int64_t worker_bytes;
} align_job;

static int64_t aligned(int64_t bytes) {
    const int64_t unit = OPMILL_WORKSPACE_ALIGNMENT;
    return (bytes + unit - 1) / unit * unit;
}

static int64_t axis_bytes(int64_t size, int64_t bin_count) {
    const int64_t weights = opmill_roi_axis_capacity(size, bin_count);
    return aligned(bin_count * (int64_t)sizeof(roi_bin)) +
           3 * aligned(weights * (int64_t)sizeof(double));
}

static int64_t bytes_of_worker(const int64_t *x, const int64_t *y) {
    const int64_t weights = opmill_roi_axis_capacity(x[3], y[3]);
    return axis_bytes(x[2], y[2]) + axis_bytes(x[3], y[3]) +
           3 * aligned(weights * (int64_t)sizeof(double)) + aligned(x[3] * (int64_t)sizeof(double));
}

static char *lay_out_axis(roi_axis *axis, int64_t size, int64_t bin_count, char *memory) {
    const int64_t weights =
        aligned(opmill_roi_axis_capacity(size, bin_count) * (int64_t)sizeof(double));
    axis->size = size;
    axis->bin_count = bin_count;
    axis->bins = (roi_bin *)(void *)memory;
    memory += aligned(bin_count * (int64_t)sizeof(roi_bin));
    axis->low = (double *)(void *)memory;
    axis->high = (double *)(void *)(memory + weights);
    axis->mean = (double *)(void *)(memory + 2 * weights);
    return memory + 3 * weights;
}

/* The weights along one axis: 0 are the rows. Columns of rois are x1, y1, x2, y2. */
static void fill_axis(const align_job *job, int64_t row, int32_t axis, roi_axis *filled) {
    const opmill_roi_align_plan *const plan = job->plan;
    double start = opmill_regions_read(job->rois, row, 1 - axis, plan->scale);
    double end = opmill_regions_read(job->rois, row, 3 - axis, plan->scale);
    start -= plan->half_pixel ? 0.5 : 0;
    end -= plan->half_pixel ? 0.5 : 0;
    const double length = end - start;
    const double size = !plan->half_pixel && length < 1 ? 1 : length;
    const double step = size / (double)filled->bin_count;
    const int64_t grid = plan->sampling_ratio > 0 ? plan->sampling_ratio : (int64_t)ceil(step);
    opmill_roi_axis_fill(filled, start, size, grid);
}

static void run_task(void *state, int64_t task, int32_t worker) {
    const align_job *const job = state;
    const int64_t *const x = job->x->dims, *const y = job->y->dims;
    const int64_t row = task / job->blocks, first = task % job->blocks * TASK_CHANNELS;
    const int64_t end = first + TASK_CHANNELS < x[1] ? first + TASK_CHANNELS : x[1];
    const int64_t bytes = opmill_type_bytes(job->x->type);
    const int64_t image = opmill_bounds_read(job->batch_indices, row, 0, x[0] - 1);
    const int64_t weights = aligned(opmill_roi_axis_capacity(x[3], y[3]) * (int64_t)sizeof(double));
    char *memory = job->memory + worker * job->worker_bytes;
    roi_region region;
    memory = lay_out_axis(&region.rows, x[2], y[2], memory);
    memory = lay_out_axis(&region.columns, x[3], y[3], memory);
    region.mean = memory;
    region.low = memory + weights;
    region.high = memory + 2 * weights;
    region.line = memory + 3 * weights;
    fill_axis(job, row, 0, &region.rows);
    fill_axis(job, row, 1, &region.columns);
    job->functions->begin(&region);
    for (int64_t c = first; c < end; c++) {
        const char *const plane =
            (const char *)job->x->data + (image * x[1] + c) * x[2] * x[3] * bytes;
        char *const to = (char *)job->y->data + (row * x[1] + c) * y[2] * y[3] * bytes;
        (job->plan->is_max ? job->functions->maximum : job->functions->average)(&region, plane, to);
    }
}

static int64_t block_count(int64_t channels) { return (channels - 1) / TASK_CHANNELS + 1; }

static bool is_empty(const int64_t *x, int64_t regions) {
    return regions == 0 || x[1] == 0 || x[2] == 0 || x[3] == 0;
}

static int32_t thread_count(const int64_t *x, int64_t regions, const opmill_context *context) {
    const int64_t tasks = regions * block_count(x[1]);
    const int32_t max_threads = context->threads > 1 ? context->threads : 1;
    return tasks < max_threads ? (int32_t)tasks : max_threads;
}

size_t opmill_roi_align_workspace_bytes(const opmill_tensor *X, const opmill_tensor *rois,
                                        const opmill_tensor *batch_indices, const opmill_shape *Y,
                                        const opmill_roi_align_plan *plan,
                                        const opmill_context *context) {
    const int64_t limit = INT64_C(1) << 40; /* pixels of an axis, for the sums below */
    (void)batch_indices;
    (void)plan;
    if (is_empty(X->dims, rois->dims[0])) {
        return 0;
    }
    if (X->dims[2] > limit || X->dims[3] > limit) {
        return SIZE_MAX;
    }
    const uint64_t threads = (uint64_t)thread_count(X->dims, rois->dims[0], context);
    return opmill_workspace_size(threads * (uint64_t)bytes_of_worker(X->dims, Y->dims));
}

int opmill_roi_align_compute(const opmill_tensor *X, const opmill_tensor *rois,
                             const opmill_tensor *batch_indices, opmill_tensor *Y,
                             const opmill_roi_align_plan *plan, opmill_context *context) {
    const int64_t regions = rois->dims[0];
    align_job job = {X, rois, batch_indices, Y, plan, NULL, 1, NULL, 0};
    if (!opmill_bounds_check(batch_indices, "batch_indices", 0, X->dims[0] - 1, context) ||
        !opmill_regions_check(rois, 0, plan->scale, context)) {
        return OPMILL_ERROR_CALL;
    }
    if (is_empty(X->dims, regions)) {
        const int64_t size = regions * X->dims[1] * Y->dims[2] * Y->dims[3];
        if (size > 0) {
            memset(Y->data, 0, (size_t)(size * opmill_type_bytes(Y->type)));
        }
        return OPMILL_OK;
    }
    job.functions = opmill_roi_functions(X->type, opmill_isa_select(context->isa));
    job.blocks = block_count(X->dims[1]);
    job.memory = opmill_workspace_begin(context->workspace);
    job.worker_bytes = bytes_of_worker(X->dims, Y->dims);
    opmill_parallel(regions * job.blocks, thread_count(X->dims, regions, context), run_task, &job);
    return OPMILL_OK;
}
