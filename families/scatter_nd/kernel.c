/* ScatterND: a copy of data, and slices of updates in the order of the tuples that place them.
 * Threads share each slice, so that two of them never meet in one element. */
#include "families/scatter_nd/kernel.h"

#include <string.h>

#include "runtime/numbers/elements.h"
#include "runtime/indexing/indices.h"
#include "runtime/numbers/integers.h"
#include "runtime/platform/parallel.h"
#include "runtime/indexing/scatter.h"
#include "runtime/copy/whole_copy.h"

enum {
    MIN_THREAD_BYTES = 256 * 1024, /* of updates, for a thread of its own */
    MIN_PIECE_BYTES = 512          /* of a slice */
};

typedef struct scatter_job {
    opmill_indices indices;
    opmill_scatter scatter;
    const uint8_t *updates;
    uint8_t *out;
    int64_t bytes;  /* of an element */
    int64_t slice;  /* elements that a tuple selects */
    int64_t pieces; /* of a slice, one a task */
    bool moves;     /* updates take the place of elements */
} scatter_job;

static void describe(scatter_job *job, const opmill_tensor *data, const opmill_tensor *indices,
                     const opmill_scatter_nd_plan *plan, const opmill_context *context) {
    const int32_t components = (int32_t)plan->components;
    opmill_indices_begin(&job->indices, indices, data, 0, components);
    job->scatter = opmill_scatter_of(data->type, plan->reduction);
    job->moves = strcmp(plan->reduction, "none") == 0;
    job->bytes = opmill_type_bytes(data->type);
    job->slice = 1;
    for (int32_t i = components; i < data->rank; i++) {
        job->slice *= data->dims[i];
    }
    const int64_t slice_bytes = job->slice * job->bytes;
    int64_t pieces = context->threads;
    pieces = opmill_min(pieces, job->indices.count * slice_bytes / MIN_THREAD_BYTES);
    pieces = opmill_min(pieces, slice_bytes / MIN_PIECE_BYTES);
    job->pieces = pieces > 1 ? pieces : 1;
}

static void run_task(void *state, int64_t task, int32_t worker) {
    const scatter_job *const job = state;
    const int64_t share = job->slice / job->pieces, rest = job->slice % job->pieces;
    const int64_t from = task * share + opmill_min(task, rest);
    const int64_t count = share + (task < rest);
    int64_t offsets[OPMILL_INDEX_BLOCK];
    (void)worker;
    for (int64_t first = 0; first < job->indices.count; first += OPMILL_INDEX_BLOCK) {
        const int64_t here = opmill_min(job->indices.count - first, OPMILL_INDEX_BLOCK);
        const uint8_t *const updates = job->updates + (first * job->slice + from) * job->bytes;
        uint8_t *const out = job->out + from * job->bytes;
        const int64_t slice = job->slice * job->bytes;
        opmill_indices_read(&job->indices, first, here, offsets);
        if (job->slice == 1) {
            job->scatter.elements(out, 0, 1, offsets, updates, here);
        } else if (job->moves) {
            for (int64_t i = 0; i < here; i++) {
                memcpy(out + offsets[i] * slice, updates + i * slice, (size_t)(count * job->bytes));
            }
        } else {
            for (int64_t i = 0; i < here; i++) {
                job->scatter.row(out + offsets[i] * slice, updates + i * slice, count);
            }
        }
    }
}

int opmill_scatter_nd_compute(const opmill_tensor *data, const opmill_tensor *indices,
                              const opmill_tensor *updates, opmill_tensor *output,
                              const opmill_scatter_nd_plan *plan, opmill_context *context) {
    scatter_job job;
    describe(&job, data, indices, plan, context);
    if (!opmill_indices_check(&job.indices, context)) {
        return OPMILL_ERROR_CALL;
    }
    opmill_whole_copy_run(data, output, context);
    job.updates = updates->data;
    job.out = output->data;
    if (job.slice > 0 && job.indices.count > 0) {
        opmill_parallel(job.pieces, (int32_t)job.pieces, run_task, &job);
    }
    return OPMILL_OK;
}

void opmill_scatter_nd_choose(const opmill_tensor *data, const opmill_tensor *indices,
                              const opmill_tensor *updates, const opmill_shape *output,
                              const opmill_scatter_nd_plan *plan, const opmill_context *context,
                              opmill_choice *choice) {
    scatter_job job;
    (void)updates;
    (void)output;
    describe(&job, data, indices, plan, context);
    const char *const variant = job.slice == 0 || job.indices.count == 0 ? "copy"
                                : job.slice == 1                         ? "elements"
                                                                         : "slices";
    *choice = (opmill_choice){variant, OPMILL_ISA_PLAIN, (int32_t)job.pieces};
}
