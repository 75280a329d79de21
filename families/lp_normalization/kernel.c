/* Lines divided by their norms. A line is adjacent elements, or has one in each row of a matrix;
 * those of a matrix are taken together. Norms are summed in double, in the order of the elements.
 */
#include "families/lp_normalization/kernel.h"

#include <math.h>

#include "runtime/numbers/elements.h"
#include "runtime/platform/parallel.h"
#include "runtime/platform/platform.h"
#include "runtime/numbers/reals.h"

enum {
    COLUMNS = OPMILL_ON_STACK(128, 64), /* the maximum number of lines that are taken together */
    THREAD_ELEMENTS = 16 * 1024         /* the minimum that is worth a thread of its own */
};

typedef struct norm_job {
    const opmill_tensor *x;
    const opmill_tensor *y;
    int64_t p;
    int64_t length; /* of a line */
    int64_t step;   /* from an element of it to the next */
    int64_t groups; /* of lines in a matrix */
    int64_t all;    /* groups of all matrices */
    int64_t share;  /* of them, for a task */
} norm_job;

/* A sum that neither overflows nor vanishes: that of the squares beside the square of the largest.
 */
static void norms_of(const norm_job *job, int64_t first, int64_t width, double *norms) {
    const opmill_tensor *const x = job->x;
    double largest[COLUMNS];
    for (int64_t k = 0; k < width; k++) {
        norms[k] = 0;
        largest[k] = x->type == OPMILL_DOUBLE ? 0 : 1; /* double has the range for other squares */
    }
    for (int64_t i = 0; job->p == 2 && x->type == OPMILL_DOUBLE && i < job->length; i++) {
        for (int64_t k = 0; k < width; k++) {
            const double size = fabs(opmill_real_at(x->data, x->type, first + i * job->step + k));
            largest[k] = size > largest[k] ? size : largest[k];
        }
    }
    for (int64_t k = 0; k < width; k++) {
        const int is_usual = largest[k] > 0x1p-400 && largest[k] < 0x1p400;
        largest[k] =
            is_usual || largest[k] == 0 || largest[k] > 0x1.fffffffffffffp1023 ? 1 : largest[k];
    }
    for (int64_t i = 0; i < job->length; i++) {
        for (int64_t k = 0; k < width; k++) {
            const double number = opmill_real_at(x->data, x->type, first + i * job->step + k);
            const double part = job->p == 1 ? number : number / largest[k];
            norms[k] += job->p == 1 ? fabs(part) : part * part;
        }
    }
    for (int64_t k = 0; k < width; k++) {
        norms[k] = job->p == 1 ? norms[k] : sqrt(norms[k]) * largest[k];
    }
}

static void run_task(void *state, int64_t task, int32_t worker) {
    const norm_job *const job = state;
    const opmill_tensor *const x = job->x;
    const int64_t begin = task * job->share, left = job->all - begin;
    const int64_t end = left < job->share ? job->all : begin + job->share;
    double norms[COLUMNS];
    (void)worker;
    for (int64_t group = begin; group < end; group++) {
        const int64_t column = group % job->groups * COLUMNS;
        const int64_t first = group / job->groups * job->length * job->step + column;
        const int64_t rest = job->step - column, width = rest < COLUMNS ? rest : COLUMNS;
        norms_of(job, first, width, norms);
        for (int64_t i = 0; i < job->length; i++) {
            for (int64_t k = 0; k < width; k++) {
                const int64_t at = first + i * job->step + k;
                const double number = opmill_real_at(x->data, x->type, at);
                opmill_real_put(job->y->data, x->type, at, norms[k] == 0 ? 0 : number / norms[k]);
            }
        }
    }
}

int opmill_lp_normalization_compute(const opmill_tensor *input, opmill_tensor *output,
                                    const opmill_lp_normalization_plan *plan,
                                    opmill_context *context) {
    norm_job job = {.x = input, .y = output, .p = plan->p, .length = 1, .step = 1};
    int64_t matrices = 1, threads;
    for (int64_t i = 0; i < input->rank; i++) {
        *(i < plan->axis ? &matrices : i == plan->axis ? &job.length : &job.step) *= input->dims[i];
    }
    if (matrices * job.length * job.step == 0) {
        return OPMILL_OK;
    }
    job.groups = (job.step - 1) / COLUMNS + 1;
    job.all = matrices * job.groups;
    threads = matrices * job.length * job.step / THREAD_ELEMENTS;
    threads = threads < context->threads ? threads : context->threads;
    threads = threads > 1 ? threads : 1;
    job.share = (job.all - 1) / threads + 1;
    opmill_parallel((job.all - 1) / job.share + 1, (int32_t)threads, run_task, &job);
    return OPMILL_OK;
}
