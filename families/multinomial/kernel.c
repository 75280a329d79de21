/* Multinomial: random numbers sought in the running sums of the weights of a row. Threads share the
 * rows; a sample's number depends on the seed and on its position alone. */
#include "families/multinomial/kernel.h"

#include <math.h>
#include <stdbool.h>

#include "families/multinomial/sums.h"
#include "runtime/platform/isa.h"
#include "runtime/math/math.h"
#include "runtime/call/message.h"
#include "runtime/platform/parallel.h"
#include "runtime/numbers/random_numbers.h"
#include "runtime/numbers/reals.h"
#include "runtime/call/workspace.h"

enum { TASK_ELEMENTS = 16 * 1024 /* scores and samples of a task, if its rows are that short */ };

typedef struct multinomial_job {
    const opmill_tensor *input;
    opmill_tensor *output;
    double *sums; /* a row for each thread */
    uint64_t key;
    int64_t rows, classes, samples;
    int64_t step; /* rows of a task */
    int64_t tasks;
    int32_t threads;
    opmill_math_loop *exp;
} multinomial_job;

/* A run of random numbers, of which the first is number `at`; none yet where that is negative. */
typedef struct random_run {
    int64_t at;
    double numbers[OPMILL_RANDOM_RUN];
} random_run;

static void share(multinomial_job *job, const opmill_context *context) {
    const int64_t limit = TASK_ELEMENTS / 2;
    const int64_t classes = job->classes < limit ? job->classes : limit;
    const int64_t samples = job->samples < limit ? job->samples : limit;
    job->step = TASK_ELEMENTS / (classes + samples);
    job->tasks = job->rows > 0 ? (job->rows - 1) / job->step + 1 : 0;
    job->threads = opmill_parallel_threads(context->threads);
    if (job->threads > job->tasks) {
        job->threads = (int32_t)job->tasks;
    }
}

static void draw_row(const multinomial_job *job, int64_t row, const double *sums, random_run *run) {
    for (int64_t i = row * job->samples; i < (row + 1) * job->samples; i++) {
        const int64_t position = i % OPMILL_RANDOM_RUN;
        if (run->at != i - position) {
            run->at = i - position;
            opmill_random_uniform(job->key, run->at, true, run->numbers);
        }
        const int64_t class = opmill_multinomial_class(sums, job->classes, run->numbers[position]);
        if (job->output->type == OPMILL_INT32) {
            ((int32_t *)job->output->data)[i] = (int32_t)class;
        } else {
            ((int64_t *)job->output->data)[i] = class;
        }
    }
}

static void run_task(void *state, int64_t task, int32_t worker) {
    const multinomial_job *const job = state;
    const int64_t begin = task * job->step;
    const int64_t end = job->rows - begin < job->step ? job->rows : begin + job->step;
    double *const sums = job->sums + worker * job->classes;
    random_run run;
    run.at = -1;
    for (int64_t row = begin; row < end; row++) {
        opmill_multinomial_add_up(job->input, row, job->exp, sums);
        draw_row(job, row, sums, &run);
    }
}

static void report(int64_t row, int64_t column, double score, opmill_context *context) {
    const int64_t index[2] = {row, column};
    opmill_message message = opmill_contents_begin(context);
    opmill_put_text(&message, "input");
    opmill_put_ints(&message, index, column < 0 ? 1 : 2);
    if (column < 0) {
        opmill_put_text(&message, " has no finite element, expected at least 1");
        return;
    }
    opmill_put_text(&message, " is ");
    opmill_put_float(&message, score);
    opmill_put_text(&message, ", expected a finite number or -inf");
}

/* True if each row states probabilities; reports the first that does not. */
static bool check(const multinomial_job *job, opmill_context *context) {
    for (int64_t row = 0; row < job->rows; row++) {
        bool finite = false;
        for (int64_t i = 0; i < job->classes; i++) {
            const double score =
                opmill_real_at(job->input->data, job->input->type, row * job->classes + i);
            if (!(score < (double)INFINITY)) {
                report(row, i, score, context);
                return false;
            }
            finite = finite || score > -(double)INFINITY;
        }
        if (!finite) {
            report(row, -1, 0, context);
            return false;
        }
    }
    return true;
}

int opmill_multinomial_compute(const opmill_tensor *input, opmill_tensor *output,
                               const opmill_multinomial_plan *plan, opmill_context *context) {
    multinomial_job job = {0};
    job.input = input;
    job.output = output;
    job.key = opmill_random_key(plan->seed);
    job.rows = input->dims[0];
    job.classes = input->dims[1];
    job.samples = output->dims[1];
    share(&job, context);
    if (job.rows == 0) {
        return OPMILL_OK;
    }
    if (!check(&job, context)) {
        return OPMILL_ERROR_CALL;
    }
    job.sums = opmill_workspace_begin(context->workspace);
    job.exp = opmill_math_exp(OPMILL_DOUBLE, opmill_isa_select(context->isa));
    opmill_parallel(job.tasks, job.threads, run_task, &job);
    return OPMILL_OK;
}

size_t opmill_multinomial_workspace_bytes(const opmill_tensor *input, const opmill_shape *output,
                                          const opmill_multinomial_plan *plan,
                                          const opmill_context *context) {
    multinomial_job job = {0};
    (void)plan;
    job.rows = input->dims[0];
    job.classes = input->dims[1];
    job.samples = output->dims[1];
    share(&job, context);
    if ((uint64_t)job.classes > UINT64_MAX / sizeof(double) / (uint64_t)(job.threads + 1)) {
        return SIZE_MAX;
    }
    return opmill_workspace_size((uint64_t)job.classes * (uint64_t)job.threads * sizeof(double));
}
