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

typedef struct job {
    const opmill_tensor *x;
    const opmill_tensor *y;
    int64_t p;
    int64_t length; /* of a line */
    int64_t step;   /* from an element of it to the next */
    int64_t groups; /* of lines in a matrix */
    int64_t all;    /* groups of all matrices */
    int64_t share;  /* of them, for a task */
} job;

/* A sum that neither overflows nor vanishes: that of the squares beside the square of the largest.
 */
static void norms_of(const job *made, int64_t first, int64_t width, double *norms) {
    const opmill_tensor *const x = made->x;
    double largest[COLUMNS];
    for (int64_t k = 0; k < width; k++) {
        norms[k] = 0;
        largest[k] = x->type == OPMILL_DOUBLE ? 0 : 1; /* double has the range for other squares */
    }
    for (int64_t i = 0; made->p == 2 && x->type == OPMILL_DOUBLE && i < made->length; i++) {
        for (int64_t k = 0; k < width; k++) {
            const double size = fabs(opmill_real_at(x->data, x->type, first + i * made->step + k));
            largest[k] = size > largest[k] ? size : largest[k];
        }
    }
    for (int64_t k = 0; k < width; k++) {
        const int is_usual = largest[k] > 0x1p-400 && largest[k] < 0x1p400;
        largest[k] =
            is_usual || largest[k] == 0 || largest[k] > 0x1.fffffffffffffp1023 ? 1 : largest[k];
    }
    for (int64_t i = 0; i < made->length; i++) {
        for (int64_t k = 0; k < width; k++) {
            const double number = opmill_real_at(x->data, x->type, first + i * made->step + k);
            const double part = made->p == 1 ? number : number / largest[k];
            norms[k] += made->p == 1 ? fabs(part) : part * part;
        }
    }
    for (int64_t k = 0; k < width; k++) {
        norms[k] = made->p == 1 ? norms[k] : sqrt(norms[k]) * largest[k];
    }
}

static void run_task(void *state, int64_t task, int32_t worker) {
    const job *const made = state;
    const opmill_tensor *const x = made->x;
    const int64_t begin = task * made->share, left = made->all - begin;
    const int64_t end = left < made->share ? made->all : begin + made->share;
    double norms[COLUMNS];
    (void)worker;
    for (int64_t group = begin; group < end; group++) {
        const int64_t column = group % made->groups * COLUMNS;
        const int64_t first = group / made->groups * made->length * made->step + column;
        const int64_t rest = made->step - column, width = rest < COLUMNS ? rest : COLUMNS;
        norms_of(made, first, width, norms);
        for (int64_t i = 0; i < made->length; i++) {
            for (int64_t k = 0; k < width; k++) {
                const int64_t at = first + i * made->step + k;
                const double number = opmill_real_at(x->data, x->type, at);
                opmill_real_put(made->y->data, x->type, at, norms[k] == 0 ? 0 : number / norms[k]);
            }
        }
    }
}

int opmill_lp_normalization_compute(const opmill_tensor *input, opmill_tensor *output,
                                    const opmill_lp_normalization_plan *plan,
                                    opmill_context *context) {
    job made = {.x = input, .y = output, .p = plan->p, .length = 1, .step = 1};
    int64_t matrices = 1, most;
    for (int64_t i = 0; i < input->rank; i++) {
        *(i < plan->axis    ? &matrices
          : i == plan->axis ? &made.length
                            : &made.step) *= input->dims[i];
    }
    if (matrices * made.length * made.step == 0) {
        return OPMILL_OK;
    }
    made.groups = (made.step - 1) / COLUMNS + 1;
    made.all = matrices * made.groups;
    most = matrices * made.length * made.step / THREAD_ELEMENTS;
    most = most < context->threads ? most : context->threads;
    most = most > 1 ? most : 1;
    made.share = (made.all - 1) / most + 1;
    opmill_parallel((made.all - 1) / made.share + 1, (int32_t)most, run_task, &made);
    return OPMILL_OK;
}
