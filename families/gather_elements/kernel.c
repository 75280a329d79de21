/* GatherElements: elements of data, selected by indices that opmill_walk_rows goes through. */
#include "families/gather_elements/kernel.h"

#include <string.h>

#include "runtime/indexing/element_walk.h"
#include "runtime/numbers/elements.h"
#include "runtime/numbers/integers.h"
#include "runtime/platform/parallel.h"

enum {
    MIN_THREAD_ELEMENTS = 32 * 1024, /* for a thread of its own */
    TASKS_PER_THREAD = 4
};

typedef struct gather_job {
    opmill_element_walk walk;
    const void *data;
    void *out;
    opmill_visit *visit;
    int64_t pieces; /* of a row, where there are few rows */
    int64_t strips; /* of rows */
    int32_t threads;
} gather_job;

/* A complex number is aligned as its parts are. */
typedef struct pair_32 {
    uint32_t parts[2];
} pair_32;

typedef struct pair_64 {
    uint64_t parts[2];
} pair_64;

#define DEFINE_GATHER(name, type)                                                             \
    static void gather_##name(const opmill_element_walk *walk, void *state, int64_t first,    \
                              int64_t base, const int64_t *offsets, int64_t count) {          \
        const gather_job *const job = state;                                                  \
        const type *const from = (const type *)job->data + base;                              \
        type *const to = (type *)job->out + first;                                            \
        const int64_t step = walk->step, stride = walk->stride;                               \
        if (step == 0 && stride == 1) { /* along the last axis */                             \
            int64_t j = 0;                                                                    \
            for (; j < count - 3; j += 4) {                                                   \
                const type four[] = {from[offsets[j]], from[offsets[j + 1]],                  \
                                     from[offsets[j + 2]], from[offsets[j + 3]]};             \
                memcpy(to + j, four, sizeof four);                                            \
            }                                                                                 \
            for (; j < count; j++) {                                                          \
                to[j] = from[offsets[j]];                                                     \
            }                                                                                 \
        } else {                                                                              \
            for (int64_t j = 0; j < count; j++) {                                             \
                to[j] = from[j * step + offsets[j] * stride];                                 \
            }                                                                                 \
        }                                                                                     \
    }
DEFINE_GATHER(1, uint8_t)
DEFINE_GATHER(2, uint16_t)
DEFINE_GATHER(4, uint32_t)
DEFINE_GATHER(8, pair_32)
DEFINE_GATHER(16, pair_64)

static opmill_visit *visit_of(int32_t bytes) {
    switch (bytes) {
    case 1:
        return gather_1;
    case 2:
        return gather_2;
    case 4:
        return gather_4;
    case 8:
        return gather_8;
    default:
        return gather_16;
    }
}

static void describe(gather_job *job, const opmill_tensor *data, const opmill_tensor *indices,
                     const opmill_gather_elements_plan *plan, const opmill_context *context) {
    opmill_walk_begin(&job->walk, data, indices, (int32_t)plan->axis);
    const int64_t total = job->walk.indices.count;
    const int64_t threads = opmill_min(context->threads, total / MIN_THREAD_ELEMENTS);
    job->visit = visit_of(opmill_type_bytes(data->type));
    job->threads = threads > 1 ? (int32_t)threads : 1;
    job->strips = job->pieces = 1;
    if (job->threads > 1) {
        const int64_t tasks = (int64_t)job->threads * TASKS_PER_THREAD;
        job->strips = opmill_min(job->walk.rows, tasks);
        job->pieces = opmill_min(job->walk.row, (tasks - 1) / job->strips + 1);
    }
}

/* Where part `part` of `parts` equal ones of `count` begins. */
static int64_t part_begin(int64_t count, int64_t part, int64_t parts) {
    return count / parts * part + opmill_min(part, count % parts);
}

static void run_task(void *state, int64_t task, int32_t worker) {
    const gather_job *const job = state;
    const int64_t strip = task / job->pieces, piece = task % job->pieces;
    (void)worker;
    opmill_walk_rows(&job->walk, part_begin(job->walk.rows, strip, job->strips),
                     part_begin(job->walk.rows, strip + 1, job->strips),
                     part_begin(job->walk.row, piece, job->pieces),
                     part_begin(job->walk.row, piece + 1, job->pieces), job->visit, state);
}

int opmill_gather_elements_compute(const opmill_tensor *data, const opmill_tensor *indices,
                                   opmill_tensor *output, const opmill_gather_elements_plan *plan,
                                   opmill_context *context) {
    gather_job job;
    describe(&job, data, indices, plan, context);
    if (!opmill_indices_check(&job.walk.indices, context)) {
        return OPMILL_ERROR_CALL;
    }
    job.data = data->data;
    job.out = output->data;
    if (job.walk.rows > 0) {
        opmill_parallel(job.strips * job.pieces, job.threads, run_task, &job);
    }
    return OPMILL_OK;
}

void opmill_gather_elements_choose(const opmill_tensor *data, const opmill_tensor *indices,
                                   const opmill_shape *output,
                                   const opmill_gather_elements_plan *plan,
                                   const opmill_context *context, opmill_choice *choice) {
    gather_job job;
    (void)output;
    describe(&job, data, indices, plan, context);
    *choice = (opmill_choice){job.walk.rows > 0 ? "rows" : "empty", OPMILL_ISA_PLAIN, job.threads};
}
