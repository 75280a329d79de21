/* Splits ArgMax and ArgMin into tasks over the lines of the tensor; the loops that compare elements
 * are selected by type and instruction set. */
#include "families/arg_reduce/search.h"

#include "runtime/numbers/integers.h"
#include "runtime/platform/isa.h"
#include "runtime/platform/parallel.h"

/* Elements that a task compares, where there are as many. */
enum { TASK_ELEMENTS = 1 << 16 };

typedef struct arg_run {
    opmill_arg_search search;
    opmill_arg_loop *loop;
    int64_t results;
    int64_t share; /* of a task: results; where `inner` is not 1, it divides into blocks of it */
    int64_t parts; /* of the results of a matrix */
} arg_run;

static void run_task(void *state, int64_t task, int32_t worker) {
    const arg_run *const run = state;
    (void)worker;
    if (run->search.inner == 1) {
        const int64_t first = task * run->share;
        run->loop(&run->search, first, opmill_min(run->share, run->results - first));
    } else {
        const int64_t matrix = task / run->parts, first = task % run->parts * run->share;
        const int64_t count = opmill_min(run->share, run->search.inner - first);
        run->loop(&run->search, matrix * run->search.inner + first, count);
    }
}

void opmill_arg_run(opmill_arg_finder *finder, const opmill_tensor *data, opmill_tensor *reduced,
                    int32_t axis, bool last, const opmill_context *context) {
    arg_run run = {{data->data, reduced->data, data->dims[axis], 1, last}, NULL, 1, 1, 1};
    int64_t outer = 1;
    for (int32_t i = 0; i < data->rank; i++) {
        if (data->dims[i] == 0) {
            return;
        }
        *(i < axis   ? &outer
          : i > axis ? &run.search.inner
                     : &run.results) *= i == axis ? 1 : data->dims[i];
    }
    run.results = outer * run.search.inner;
    run.loop = finder(data->type, opmill_isa_select(context->isa));
    run.share = opmill_max(1, TASK_ELEMENTS / run.search.length);
    int64_t tasks = (run.results - 1) / run.share + 1;
    if (run.search.inner != 1) {
        run.share = opmill_max(run.share, OPMILL_ARG_BLOCK);
        run.parts = (run.search.inner - 1) / run.share + 1;
        tasks = outer * run.parts;
    }
    const bool small = run.results <= TASK_ELEMENTS / run.search.length;
    opmill_parallel(tasks, small || context->threads < 1 ? 1 : context->threads, run_task, &run);
}
