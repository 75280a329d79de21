/* ScatterElements and Scatter: a copy of data, and updates in the row-major order of the indices.
 * Threads share what cannot meet in one element: the rows before the axis, or pieces of all rows.
 */
#include "families/scatter_elements/kernel.h"

#include <stdbool.h>

#include "runtime/indexing/element_walk.h"
#include "runtime/numbers/elements.h"
#include "runtime/numbers/integers.h"
#include "runtime/platform/parallel.h"
#include "runtime/indexing/scatter.h"
#include "runtime/copy/whole_copy.h"

enum {
    MIN_THREAD_ELEMENTS = 32 * 1024, /* for a thread of its own */
    TASKS_PER_THREAD = 4,
    MIN_PIECE = 64
};

typedef struct scatter_job {
    opmill_element_walk walk;
    opmill_scatter scatter;
    const uint8_t *updates;
    uint8_t *out;
    int32_t bytes;  /* of an element */
    int64_t strips; /* of groups of rows */
    int64_t pieces; /* of a row, where there is one group */
    int32_t threads;
} scatter_job;

static void describe(scatter_job *job, const opmill_tensor *data, const opmill_tensor *indices,
                     const opmill_scatter_elements_plan *plan, const opmill_context *context) {
    opmill_walk_begin(&job->walk, data, indices, (int32_t)plan->axis);
    job->scatter = opmill_scatter_of(data->type, plan->reduction);
    job->bytes = opmill_type_bytes(data->type);
    job->threads = 1;
    job->strips = job->pieces = 1;
    const int64_t total = job->walk.indices.count;
    const int64_t threads = opmill_min(context->threads, total / MIN_THREAD_ELEMENTS);
    if (threads > 1) {
        const int64_t tasks = threads * TASKS_PER_THREAD;
        /* A row along the axis itself may select one element twice. */
        const bool splits = job->walk.step > 0 && job->walk.group > 1;
        job->strips = opmill_min(job->walk.rows / job->walk.group, tasks);
        if (splits && job->strips < threads) {
            job->pieces = opmill_min((job->walk.row - 1) / MIN_PIECE + 1, tasks);
        }
        job->threads = job->strips * job->pieces > 1 ? (int32_t)threads : 1;
    }
}

static void visit(const opmill_element_walk *walk, void *state, int64_t first, int64_t base,
                  const int64_t *offsets, int64_t count) {
    const scatter_job *const job = state;
    job->scatter.elements(job->out + base * job->bytes, walk->step, walk->stride, offsets,
                          job->updates + first * job->bytes, count);
}

/* Where part `part` of `parts` equal ones of `count` begins. */
static int64_t part_begin(int64_t count, int64_t part, int64_t parts) {
    return count / parts * part + opmill_min(part, count % parts);
}

static void run_task(void *state, int64_t task, int32_t worker) {
    const scatter_job *const job = state;
    const int64_t group = job->walk.group, groups = job->walk.rows / group;
    const int64_t strip = task / job->pieces, piece = task % job->pieces;
    (void)worker;
    opmill_walk_rows(&job->walk, part_begin(groups, strip, job->strips) * group,
                     part_begin(groups, strip + 1, job->strips) * group,
                     part_begin(job->walk.row, piece, job->pieces),
                     part_begin(job->walk.row, piece + 1, job->pieces), visit, state);
}

int opmill_scatter_elements_compute(const opmill_tensor *data, const opmill_tensor *indices,
                                    const opmill_tensor *updates, opmill_tensor *output,
                                    const opmill_scatter_elements_plan *plan,
                                    opmill_context *context) {
    scatter_job job;
    describe(&job, data, indices, plan, context);
    if (!opmill_indices_check(&job.walk.indices, context)) {
        return OPMILL_ERROR_CALL;
    }
    opmill_whole_copy_run(data, output, context);
    job.updates = updates->data;
    job.out = output->data;
    if (job.walk.rows > 0) {
        opmill_parallel(job.strips * job.pieces, job.threads, run_task, &job);
    }
    return OPMILL_OK;
}

void opmill_scatter_elements_choose(const opmill_tensor *data, const opmill_tensor *indices,
                                    const opmill_tensor *updates, const opmill_shape *output,
                                    const opmill_scatter_elements_plan *plan,
                                    const opmill_context *context, opmill_choice *choice) {
    scatter_job job;
    (void)updates;
    (void)output;
    describe(&job, data, indices, plan, context);
    *choice = (opmill_choice){job.walk.rows > 0 ? "rows" : "copy", OPMILL_ISA_PLAIN, job.threads};
}
