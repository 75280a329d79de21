/* CropAndResize: the positions of a region's rows and columns, then its channels, one after the
 * other. */
#include "families/crop_and_resize/kernel.h"

#include <stdbool.h>

#include "runtime/call/bounds.h"
#include "runtime/call/workspace.h"
#include "runtime/numbers/elements.h"
#include "runtime/numbers/half.h"
#include "runtime/numbers/integers.h"
#include "runtime/platform/parallel.h"

enum { TASK_CHANNELS = 64, MIN_THREAD_ELEMENTS = 16 * 1024 };

/* The elements around a position of an axis, and the weight of the second; -1 outside. */
typedef struct crop_sample {
    int64_t low, high;
    double weight;
} crop_sample;

typedef struct crop_job {
    const opmill_tensor *x, *rois, *batch_indices;
    opmill_tensor *y;
    const opmill_crop_and_resize_plan *plan;
    int64_t row; /* elements of a row of an image */
    int64_t height, width;
    int64_t blocks; /* of channels, tasks of their own */
    crop_sample *samples;
} crop_job;

#define ELEMENT float
#define REAL float
#define WIDEN(element) (element)
#define NARROW(real) (real)
#define NAME(function) function##_float
#include "families/crop_and_resize/crop_body.h"
#undef ELEMENT
#undef REAL
#undef WIDEN
#undef NARROW
#undef NAME

#define ELEMENT double
#define REAL double
#define WIDEN(element) (element)
#define NARROW(real) (real)
#define NAME(function) function##_double
#include "families/crop_and_resize/crop_body.h"
#undef ELEMENT
#undef REAL
#undef WIDEN
#undef NARROW
#undef NAME

#define ELEMENT uint16_t
#define REAL float
#define WIDEN(element) opmill_float16_to_float(element)
#define NARROW(real) opmill_float_to_float16(real)
#define NAME(function) function##_float16
#include "families/crop_and_resize/crop_body.h"

typedef void crop_function(const crop_job *job, const crop_sample *rows, const crop_sample *columns,
                           const void *plane, void *to);

static void find_samples(int32_t type, const void *roi, int32_t axis, int64_t size, int64_t count,
                         bool is_nearest, crop_sample *samples) {
    switch (type) {
    case OPMILL_FLOAT:
        find_samples_float(roi, axis, size, count, is_nearest, samples);
        break;
    case OPMILL_DOUBLE:
        find_samples_double(roi, axis, size, count, is_nearest, samples);
        break;
    default:
        find_samples_float16(roi, axis, size, count, is_nearest, samples);
        break;
    }
}

static crop_function *crop_of(int32_t type) {
    return type == OPMILL_FLOAT ? crop_float : type == OPMILL_DOUBLE ? crop_double : crop_float16;
}

static void run_task(void *state, int64_t task, int32_t worker) {
    const crop_job *const job = state;
    const int64_t *const x = job->x->dims;
    const int32_t type = job->x->type;
    const int64_t region = task / job->blocks, first = task % job->blocks * TASK_CHANNELS;
    const int64_t end = opmill_min(first + TASK_CHANNELS, x[1]);
    const int64_t bytes = opmill_type_bytes(type);
    const int64_t image = opmill_bounds_read(job->batch_indices, region, 0, x[0] - 1);
    const char *const roi = (const char *)job->rois->data + 4 * region * bytes;
    crop_sample *const rows = job->samples + worker * (job->height + job->width);
    crop_sample *const columns = rows + job->height;
    crop_function *const crop = crop_of(type);
    find_samples(type, roi, 0, x[2], job->height, job->plan->is_nearest, rows);
    find_samples(type, roi, 1, x[3], job->width, job->plan->is_nearest, columns);
    for (int64_t c = first; c < end; c++) {
        crop(job, rows, columns,
             (const char *)job->x->data + (image * x[1] + c) * x[2] * x[3] * bytes,
             (char *)job->y->data + (region * x[1] + c) * job->height * job->width * bytes);
    }
}

static int64_t block_count(int64_t channels) {
    return channels > 0 ? (channels - 1) / TASK_CHANNELS + 1 : 0;
}

static int32_t thread_count(const int64_t *y, const opmill_context *context) {
    const double elements = (double)y[0] * (double)y[1] * (double)y[2] * (double)y[3];
    const int64_t tasks = y[0] * block_count(y[1]);
    const int64_t threads = opmill_min(context->threads, tasks);
    return elements < MIN_THREAD_ELEMENTS || threads < 1 ? 1 : (int32_t)threads;
}

size_t opmill_crop_and_resize_workspace_bytes(const opmill_tensor *x, const opmill_tensor *rois,
                                              const opmill_tensor *batch_indices,
                                              const opmill_shape *y,
                                              const opmill_crop_and_resize_plan *plan,
                                              const opmill_context *context) {
    (void)x;
    (void)rois;
    (void)batch_indices;
    (void)plan;
    /* Sizes of a crop are int32. */
    const uint64_t samples =
        (uint64_t)thread_count(y->dims, context) * ((uint64_t)y->dims[2] + (uint64_t)y->dims[3]);
    return opmill_workspace_size(samples * sizeof(crop_sample));
}

int opmill_crop_and_resize_compute(const opmill_tensor *x, const opmill_tensor *rois,
                                   const opmill_tensor *batch_indices, opmill_tensor *y,
                                   const opmill_crop_and_resize_plan *plan,
                                   opmill_context *context) {
    crop_job job = {
        .x = x,
        .rois = rois,
        .batch_indices = batch_indices,
        .y = y,
        .plan = plan,
        .row = x->dims[3],
        .height = y->dims[2],
        .width = y->dims[3],
        .blocks = block_count(x->dims[1]),
        .samples = opmill_workspace_begin(context->workspace),
    };
    if (!opmill_bounds_check(batch_indices, "batch_indices", 0, x->dims[0] - 1, context)) {
        return OPMILL_ERROR_CALL;
    }
    if (y->dims[0] * job.blocks > 0) {
        opmill_parallel(y->dims[0] * job.blocks, thread_count(y->dims, context), run_task, &job);
    }
    return OPMILL_OK;
}
