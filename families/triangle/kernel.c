/* Trilu: of each row, one end is copied and the other is zero. */
#include "families/triangle/kernel.h"

#include <string.h>

#include "runtime/numbers/elements.h"
#include "runtime/numbers/integers.h"
#include "runtime/platform/parallel.h"

enum {
    THREAD_BYTES = 256 * 1024, /* Minimum number of bytes before another thread pays off */
    TASKS_A_THREAD = 4
};

typedef struct triangle_job {
    const uint8_t *in;
    uint8_t *out;
    const opmill_triangle_plan *plan;
    int32_t type;
    int64_t item; /* bytes of an element */
    int64_t rows; /* of all matrices */
    int64_t height;
    int64_t width;
    int64_t tasks;
} triangle_job;

/* Plans a call; returns the threads that it is worth. */
static int32_t plan_job(triangle_job *job, const opmill_tensor *input,
                        const opmill_triangle_plan *plan, const opmill_context *context) {
    job->plan = plan;
    job->type = input->type;
    job->item = opmill_type_bytes(input->type);
    job->height = input->dims[input->rank - 2];
    job->width = input->dims[input->rank - 1];
    job->rows = 1;
    for (int32_t i = 0; i < input->rank - 1; i++) {
        job->rows *= input->dims[i];
    }
    const int64_t bytes = job->rows * job->width * job->item;
    const int32_t threads =
        (int32_t)opmill_max(1, opmill_min(context->threads, bytes / THREAD_BYTES));
    job->tasks = threads == 1 ? 1 : opmill_min(job->rows, (int64_t)threads * TASKS_A_THREAD);
    return threads;
}

/* Zeros: of strings, empty ones. */
static void write_zeros(const triangle_job *job, uint8_t *out, int64_t count) {
    static const char EMPTY[] = "";
    if (job->type != OPMILL_STRING) {
        memset(out, 0, (size_t)(count * job->item));
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        const char *const text = EMPTY;
        memcpy(out + i * job->item, &text, sizeof text);
    }
}

static void run_task(void *state, int64_t task, int32_t worker) {
    const triangle_job *const job = state;
    const int64_t share = job->rows / job->tasks;
    const int64_t extra = job->rows % job->tasks;
    const int64_t first = task * share + opmill_min(task, extra);
    const int64_t end = first + share + (task < extra);
    const int64_t row_bytes = job->width * job->item;
    (void)worker;
    for (int64_t row = first; row < end; row++) {
        const uint8_t *const in = job->in + row * row_bytes;
        uint8_t *const out = job->out + row * row_bytes;
        const int64_t column = row % job->height + job->plan->diagonal;
        const int64_t cut =
            opmill_min(opmill_max(job->plan->upper ? column : column + 1, 0), job->width);
        const int64_t before = cut * job->item;
        if (job->plan->upper) {
            write_zeros(job, out, cut);
            memcpy(out + before, in + before, (size_t)(row_bytes - before));
        } else {
            memcpy(out, in, (size_t)before);
            write_zeros(job, out + before, job->width - cut);
        }
    }
}

int opmill_triangle_compute(const opmill_tensor *input, opmill_tensor *output,
                            const opmill_triangle_plan *plan, opmill_context *context) {
    triangle_job job;
    const int32_t threads = plan_job(&job, input, plan, context);
    if (job.rows > 0 && job.width > 0) {
        job.in = input->data;
        job.out = output->data;
        opmill_parallel(job.tasks, threads, run_task, &job);
    }
    return OPMILL_OK;
}

void opmill_triangle_choose(const opmill_tensor *input, const opmill_shape *output,
                            const opmill_triangle_plan *plan, const opmill_context *context,
                            opmill_choice *choice) {
    triangle_job job;
    (void)output;
    *choice = (opmill_choice){"rows", OPMILL_ISA_PLAIN, plan_job(&job, input, plan, context)};
}
