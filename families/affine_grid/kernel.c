/* AffineGrid: each position through the matrix of its element of the batch, in double. Products are
 * added up from the first coordinate on, the shift last. */
#include "families/affine_grid/kernel.h"

#include "runtime/platform/parallel.h"
#include "runtime/numbers/reals.h"

enum { MIN_TASK = 4096 /* positions for a task */ };

typedef struct grid_job {
    const opmill_tensor *theta;
    opmill_tensor *grid;
    int32_t axes;
    bool align;
    int64_t rows;  /* of positions along the last axis */
    int64_t share; /* rows of a task */
} grid_job;

/* The coordinate of a position along an axis. */
static double coordinate(const grid_job *job, int64_t i, int64_t length) {
    const double count = (double)length;
    if (!job->align) {
        return (2 * (double)i + 1 - count) / count;
    }
    return length > 1 ? (2 * (double)i - (count - 1)) / (count - 1) : -1;
}

static void run_row(const grid_job *job, int64_t row) {
    const int32_t axes = job->axes, columns = axes + 1;
    const int64_t *const dims = job->grid->dims;
    const int64_t length = dims[axes];
    const int32_t type = job->grid->type;
    double matrix[12], outer[2] = {0, 0};
    int64_t batch = row;
    for (int32_t axis = axes - 1; axis > 0; axis--) { /* the axes before the last */
        outer[axes - 1 - axis] = coordinate(job, batch % dims[axis], dims[axis]);
        batch /= dims[axis];
    }
    for (int32_t i = 0; i < axes * columns; i++) {
        matrix[i] = opmill_real_at(job->theta->data, type, batch * axes * columns + i);
    }
    for (int64_t i = 0; i < length; i++) {
        const double first = coordinate(job, i, length);
        for (int32_t k = 0; k < axes; k++) {
            const double *const factors = matrix + k * columns;
            double sum = factors[0] * first;
            for (int32_t j = 1; j < axes; j++) {
                const double product = factors[j] * outer[j - 1];
                sum += product;
            }
            sum += factors[axes];
            opmill_real_put(job->grid->data, type, (row * length + i) * axes + k, sum);
        }
    }
}

static void run_task(void *state, int64_t task, int32_t worker) {
    const grid_job *const job = state;
    const int64_t first = task * job->share;
    const int64_t end = job->rows - first < job->share ? job->rows : first + job->share;
    (void)worker;
    for (int64_t row = first; row < end; row++) {
        run_row(job, row);
    }
}

int opmill_affine_grid_compute(const opmill_tensor *theta, opmill_tensor *grid,
                               const opmill_affine_grid_plan *plan, opmill_context *context) {
    grid_job job = {theta, grid, grid->rank - 2, plan->align != 0, 1, 1};
    const int64_t length = grid->dims[job.axes];
    for (int32_t i = 0; i < job.axes; i++) {
        job.rows *= grid->dims[i];
    }
    if (job.rows == 0 || length == 0) {
        return OPMILL_OK;
    }
    job.share = length < MIN_TASK ? MIN_TASK / length : 1;
    const int64_t tasks = (job.rows - 1) / job.share + 1;
    opmill_parallel(tasks, tasks > 1 ? context->threads : 1, run_task, &job);
    return OPMILL_OK;
}
