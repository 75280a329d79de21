/* NonMaxSuppression: the scores of a class are sorted as far as needed, and each box is compared
 * with the selected ones. All of that is done to measure; the workspace then holds the boxes of
 * each class, which `compute` writes. Threads share the classes. */
#include "families/non_max_suppression/kernel.h"

#include <string.h>

#include "families/non_max_suppression/order.h"
#include "families/non_max_suppression/overlap.h"
#include "runtime/numbers/integers.h"
#include "runtime/platform/isa.h"
#include "runtime/platform/parallel.h"
#include "runtime/call/workspace.h"

enum {
    MIN_THREAD_SCORES = 4096, /* for a thread of its own */
    PART = 4,                 /* scores that are sorted at first for each box that is wanted */
    MIN_PART = 64
};

typedef struct nms_job {
    const float *boxes, *scores;
    const opmill_non_max_suppression_plan *plan;
    nms_overlaps *overlaps;
    int64_t classes, count; /* of a batch; boxes of a class */
    int64_t rows;           /* classes of all batches */
    int32_t threads;
    int64_t capacity;     /* of selected boxes, a multiple of NMS_BLOCK */
    int64_t worker_bytes; /* a multiple of the alignment */
    int64_t bytes;        /* of all memory, which begins with these: */
    int64_t *found;       /* how many boxes of each class are selected */
    uint32_t *picks;      /* which, `max_picks` for each class */
    char *workers;
} nms_job;

/* Bytes up to a multiple of the alignment; true where there are too many. */
static bool padded(int64_t count, int64_t each, int64_t *bytes) {
    const int64_t last = OPMILL_WORKSPACE_ALIGNMENT - 1;
    if (opmill_mul(count, each, bytes) || opmill_add(*bytes, last, bytes)) {
        return true;
    }
    *bytes -= *bytes % OPMILL_WORKSPACE_ALIGNMENT;
    return false;
}

/* False where the workspace is more than memory can be, or a box's number more than it holds. */
static bool lay_out(nms_job *job, char *memory) {
    const int64_t max_picks = job->plan->max_picks;
    int64_t found, each, picks, entries, numbers, workers, all;
    if (job->count > (int64_t)UINT32_MAX || opmill_add(max_picks, NMS_BLOCK - 1, &job->capacity)) {
        return false;
    }
    job->capacity -= job->capacity % NMS_BLOCK;
    if (padded(job->rows, (int64_t)sizeof *job->found, &found) ||
        opmill_mul(max_picks, (int64_t)sizeof *job->picks, &each) ||
        padded(job->rows, each, &picks) ||
        padded(job->count, 3 * (int64_t)sizeof(uint64_t), &entries) ||
        padded(job->capacity, 5 * (int64_t)sizeof(float), &numbers) ||
        opmill_add(entries, numbers, &job->worker_bytes) ||
        opmill_mul(job->worker_bytes, job->threads, &workers) || opmill_add(found, picks, &all) ||
        opmill_add(all, workers, &job->bytes)) {
        return false;
    }
    if (memory != NULL) {
        job->found = (int64_t *)(void *)memory;
        job->picks = (uint32_t *)(void *)(memory + found);
        job->workers = memory + all;
    }
    return true;
}

/* False where no box can be selected. */
static bool describe(nms_job *job, const opmill_tensor *boxes, const opmill_tensor *scores,
                     const opmill_non_max_suppression_plan *plan, const opmill_context *context) {
    memset(job, 0, sizeof *job);
    job->boxes = boxes->data;
    job->scores = scores->data;
    job->plan = plan;
    job->classes = scores->dims[1];
    job->count = scores->dims[2];
    if (plan->max_picks == 0 || scores->dims[0] == 0 || job->classes == 0) {
        return false;
    }
    job->rows = scores->dims[0] * job->classes;
    const int64_t threads =
        opmill_min(context->threads, job->rows * job->count / MIN_THREAD_SCORES);
    job->threads = (int32_t)opmill_max(opmill_min(threads, job->rows), 1);
    job->overlaps = opmill_nms_overlaps(opmill_isa_select(context->isa));
    return true;
}

static void run_row(void *state, int64_t row, int32_t worker) {
    const nms_job *const job = state;
    const opmill_non_max_suppression_plan *const plan = job->plan;
    const int64_t count = job->count, max_picks = plan->max_picks, capacity = job->capacity;
    const float *const boxes = job->boxes + row / job->classes * count * 4;
    const float threshold = (float)plan->overlap;
    uint32_t *const picks = job->picks + row * max_picks;
    char *const memory = job->workers + worker * job->worker_bytes;
    nms_order order;
    order.all = (uint64_t *)(void *)memory;
    order.part = order.all + count;
    order.spare = order.part + count;
    float *const numbers = (float *)(void *)(order.spare + count);
    nms_selected selected = {{numbers, numbers + capacity},
                             {numbers + 2 * capacity, numbers + 3 * capacity},
                             numbers + 4 * capacity,
                             0};
    const int64_t wanted =
        max_picks < INT64_MAX / (2 * PART) ? opmill_max(max_picks * PART, MIN_PART) : max_picks;
    int64_t found = 0, size;
    opmill_nms_order_begin(&order, job->scores + row * count, count, plan->filters != 0,
                           (float)plan->lowest, wanted);
    do {
        const uint64_t *const part = opmill_nms_order_next(&order, &size);
        for (int64_t i = 0; i < size && found < max_picks; i++) {
            const uint32_t number = (uint32_t)part[i];
            nms_box box;
            const bool usable =
                opmill_nms_box(&box, boxes + (int64_t)number * 4, plan->centered != 0);
            if (usable && job->overlaps(&selected, &box, threshold)) {
                continue;
            }
            if (usable) {
                opmill_nms_add(&selected, &box);
            }
            picks[found++] = number;
        }
    } while (size > 0 && found < max_picks);
    job->found[row] = found;
}

int opmill_non_max_suppression_measure(const opmill_tensor *boxes, const opmill_tensor *scores,
                                       opmill_shape *selected_indices,
                                       const opmill_non_max_suppression_plan *plan,
                                       opmill_context *context) {
    nms_job job;
    int64_t total = 0;
    if (describe(&job, boxes, scores, plan, context) &&
        lay_out(&job, opmill_workspace_begin(context->workspace))) {
        opmill_parallel(job.rows, job.threads, run_row, &job);
        for (int64_t row = 0; row < job.rows; row++) {
            total += job.found[row];
        }
    }
    selected_indices->dims[0] = total;
    return OPMILL_OK;
}

int opmill_non_max_suppression_compute(const opmill_tensor *boxes, const opmill_tensor *scores,
                                       opmill_tensor *selected_indices,
                                       const opmill_non_max_suppression_plan *plan,
                                       opmill_context *context) {
    nms_job job;
    int64_t *to = selected_indices->data;
    if (!describe(&job, boxes, scores, plan, context) ||
        !lay_out(&job, opmill_workspace_begin(context->workspace))) {
        return OPMILL_OK;
    }
    for (int64_t row = 0; row < job.rows; row++) {
        const uint32_t *const picks = job.picks + row * plan->max_picks;
        for (int64_t i = 0; i < job.found[row]; i++) {
            *to++ = row / job.classes;
            *to++ = row % job.classes;
            *to++ = (int64_t)picks[i];
        }
    }
    return OPMILL_OK;
}

size_t opmill_non_max_suppression_workspace_bytes(const opmill_tensor *boxes,
                                                  const opmill_tensor *scores,
                                                  const opmill_shape *selected_indices,
                                                  const opmill_non_max_suppression_plan *plan,
                                                  const opmill_context *context) {
    nms_job job;
    (void)selected_indices;
    if (!describe(&job, boxes, scores, plan, context)) {
        return 0;
    }
    return lay_out(&job, NULL) ? opmill_workspace_size((uint64_t)job.bytes) : SIZE_MAX;
}
