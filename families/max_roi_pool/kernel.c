/* MaxRoiPool: one channel of a region after the other, bin by bin. */
#include "families/max_roi_pool/kernel.h"

#include <math.h>
#include <string.h>

#include "runtime/numbers/elements.h"
#include "runtime/numbers/half.h"
#include "runtime/numbers/integers.h"
#include "runtime/platform/parallel.h"
#include "runtime/indexing/regions.h"

typedef struct range {
    int64_t begin;
    int64_t end;
} range;

typedef struct region {
    int64_t batch;
    int64_t start[2]; /* the first row and column, which may lie outside of the image */
    int64_t size[2];
} region;

/* The first NaN of a window, else its first maximum; `row` elements lie between rows. */
#define DEFINE_MAXIMUM(name, type, VALUE, real)                                                    \
    static void maximum_##name(const void *from, int64_t row, range rows, range columns,           \
                               void *to) {                                                         \
        const type *const plane = from;                                                            \
        type best = plane[rows.begin * row + columns.begin];                                       \
        real highest = VALUE(best);                                                                \
        for (int64_t i = rows.begin; i < rows.end; i++) {                                          \
            for (int64_t j = columns.begin; j < columns.end; j++) {                                \
                const type element = plane[i * row + j];                                           \
                const real value = VALUE(element);                                                 \
                if (!(value <= highest) && highest == highest) { /* larger, or the first NaN */    \
                    best = element;                                                                \
                    highest = value;                                                               \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
        memcpy(to, &best, sizeof best);                                                            \
    }

static inline float float_of(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline double double_of(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Elements are moved as bits: signalling NaNs stay what they are. */
DEFINE_MAXIMUM(float, uint32_t, float_of, float)
DEFINE_MAXIMUM(double, uint64_t, double_of, double)
DEFINE_MAXIMUM(float16, uint16_t, opmill_float16_to_float, float)
DEFINE_MAXIMUM(bfloat16, uint16_t, opmill_bfloat16_to_float, float)

typedef struct roi_job {
    const opmill_tensor *x;
    const opmill_tensor *rois;
    opmill_tensor *y;
    double scale;
    int32_t bytes; /* of an element */
    void (*maximum)(const void *from, int64_t row, range rows, range columns, void *to);
} roi_job;

static region read_region(const roi_job *job, int64_t row) {
    region found = {opmill_regions_batch(job->rois, row, job->x->dims[0]), {0, 0}, {0, 0}};
    for (int32_t i = 0; i < 2; i++) { /* y, then x; columns are x1, y1, x2, y2 */
        const int64_t start = llround(opmill_regions_read(job->rois, row, 2 - i, job->scale));
        const int64_t end = llround(opmill_regions_read(job->rois, row, 4 - i, job->scale));
        found.start[i] = start;
        found.size[i] = opmill_max(end - start + 1, 1);
    }
    return found;
}

/* Bin `k` along an axis, within the image. */
static range find_bin(const roi_job *job, const region *area, int32_t axis, int64_t k) {
    const int64_t count = job->y->dims[2 + axis], size = job->x->dims[2 + axis];
    const int64_t begin = area->start[axis] + k * area->size[axis] / count;
    const int64_t end = area->start[axis] + ((k + 1) * area->size[axis] + count - 1) / count;
    return (range){opmill_min(opmill_max(begin, 0), size), opmill_min(opmill_max(end, 0), size)};
}

static void run_task(void *state, int64_t task, int32_t worker) {
    const roi_job *const job = state;
    const int64_t channels = job->x->dims[1], height = job->y->dims[2], width = job->y->dims[3];
    const int64_t plane = job->x->dims[2] * job->x->dims[3];
    const region area = read_region(job, task);
    char *to = (char *)job->y->data + task * channels * height * width * job->bytes;
    (void)worker;
    for (int64_t c = 0; c < channels; c++) {
        const char *const from =
            (const char *)job->x->data + (area.batch * channels + c) * plane * job->bytes;
        for (int64_t i = 0; i < height; i++) {
            const range rows = find_bin(job, &area, 0, i);
            for (int64_t j = 0; j < width; j++, to += job->bytes) {
                const range columns = find_bin(job, &area, 1, j);
                if (rows.begin < rows.end && columns.begin < columns.end) {
                    job->maximum(from, job->x->dims[3], rows, columns, to);
                } else {
                    memset(to, 0, (size_t)job->bytes);
                }
            }
        }
    }
}

int opmill_max_roi_pool_compute(const opmill_tensor *X, const opmill_tensor *rois, opmill_tensor *Y,
                                const opmill_max_roi_pool_plan *plan, opmill_context *context) {
    roi_job job = {X, rois, Y, plan->scale, opmill_type_bytes(X->type), maximum_bfloat16};
    if (!opmill_regions_check_batches(rois, X->dims[0], context) ||
        !opmill_regions_check(rois, 1, plan->scale, context)) {
        return OPMILL_ERROR_CALL;
    }
    if (X->type == OPMILL_FLOAT) {
        job.maximum = maximum_float;
    } else if (X->type == OPMILL_DOUBLE) {
        job.maximum = maximum_double;
    } else if (X->type == OPMILL_FLOAT16) {
        job.maximum = maximum_float16;
    }
    if (rois->dims[0] > 0 && X->dims[1] > 0) {
        opmill_parallel(rois->dims[0], context->threads, run_task, &job);
    }
    return OPMILL_OK;
}
