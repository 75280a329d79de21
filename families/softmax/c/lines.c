/* Splits softmax, log-softmax and hardmax into tasks of lines and selects the loops by type and
 * instruction set. */
#include "families/softmax/lines.h"

#include "runtime/numbers/elements.h"
#include "runtime/platform/isa.h"
#include "runtime/platform/parallel.h"

enum { THREAD_ELEMENTS = 32 * 1024 }; /* the minimum that is worth a thread of its own */

typedef struct lines_job {
    const opmill_softmax_loops *loops;
    opmill_softmax_function function;
    const uint8_t *from;
    uint8_t *to;
    int64_t bytes;    /* of an element */
    int64_t matrices; /* of length x step elements */
    int64_t length;
    int64_t step;
    int64_t groups; /* of columns in a matrix, taken together */
    int64_t tasks;
    int64_t share; /* of the groups of all matrices, for a task */
    int32_t threads;
} lines_job;

static lines_job prepare(const opmill_tensor *input, int64_t begin, int64_t end,
                         const opmill_context *context) {
    lines_job job = {.matrices = 1, .length = 1, .step = 1, .threads = 1};
    for (int64_t i = 0; i < input->rank; i++) {
        int64_t *const part = i < begin ? &job.matrices : i < end ? &job.length : &job.step;
        *part *= input->dims[i];
    }
    const int64_t size = job.matrices * job.length * job.step;
    if (size > 0) {
        const int64_t max_threads = size / THREAD_ELEMENTS;
        job.bytes = opmill_type_bytes(input->type);
        job.groups = (job.step - 1) / OPMILL_SOFTMAX_COLUMNS + 1;
        job.threads = max_threads < context->threads ? (int32_t)max_threads : context->threads;
        job.threads = job.threads > 1 ? job.threads : 1;
        job.share = (job.matrices * job.groups - 1) / job.threads + 1;
        job.tasks = (job.matrices * job.groups - 1) / job.share + 1;
        job.threads = job.tasks < job.threads ? (int32_t)job.tasks : job.threads;
    }
    return job;
}

static void run_task(void *state, int64_t task, int32_t worker) {
    const lines_job *const job = state;
    const int64_t all = job->matrices * job->groups, first = task * job->share;
    const int64_t last = all - first < job->share ? all : first + job->share;
    (void)worker;
    if (job->step == 1) {
        const int64_t at = first * job->length * job->bytes;
        job->loops->rows[job->function](job->from + at, job->to + at, job->length, last - first);
        return;
    }
    for (int64_t i = first; i < last; i++) {
        const int64_t column = i % job->groups * OPMILL_SOFTMAX_COLUMNS;
        const int64_t at = (i / job->groups * job->length * job->step + column) * job->bytes;
        const int64_t left = job->step - column;
        job->loops->columns[job->function](job->from + at, job->to + at, job->length, job->step,
                                           left < OPMILL_SOFTMAX_COLUMNS ? left
                                                                         : OPMILL_SOFTMAX_COLUMNS);
    }
}

void opmill_softmax_run(opmill_softmax_function function, const opmill_tensor *input, int64_t begin,
                        int64_t end, void *to, const opmill_context *context) {
    lines_job job = prepare(input, begin, end, context);
    if (job.tasks > 0) {
        job.loops = opmill_softmax_loops_of(input->type, opmill_isa_select(context->isa));
        job.function = function;
        job.from = input->data;
        job.to = to;
        opmill_parallel(job.tasks, job.threads, run_task, &job);
    }
}

void opmill_softmax_choose(const opmill_tensor *input, int64_t begin, int64_t end,
                           const opmill_context *context, opmill_choice *choice) {
    const lines_job job = prepare(input, begin, end, context);
    *choice = (opmill_choice){"empty", OPMILL_ISA_PLAIN, 1};
    if (job.tasks > 0) {
        choice->variant = job.step == 1 ? "rows" : "columns";
        choice->isa = opmill_isa_select(context->isa);
        choice->threads = job.threads;
    }
}
