/* Splits cumulative sums and products into tasks, over blocks of columns of each matrix along the
 * axis. */
#include "families/scan/scan.h"

#include "runtime/numbers/integers.h"
#include "runtime/platform/isa.h"
#include "runtime/platform/parallel.h"

/* Elements that a task combines, where there are as many. */
enum { TASK_ELEMENTS = 1 << 15 };

typedef struct scan_run {
    opmill_scan scan;
    opmill_scan_loop *loop;
    int64_t parts; /* of the columns of a matrix */
    int64_t units; /* parts of all matrices */
    int64_t share; /* units of a task */
} scan_run;

static void run_task(void *state, int64_t task, int32_t worker) {
    const scan_run *const run = state;
    const int64_t end = opmill_min((task + 1) * run->share, run->units);
    (void)worker;
    for (int64_t unit = task * run->share; unit < end; unit++) {
        const int64_t first = unit % run->parts * OPMILL_SCAN_COLUMNS;
        run->loop(&run->scan, unit / run->parts, first,
                  opmill_min(run->scan.inner - first, OPMILL_SCAN_COLUMNS));
    }
}

void opmill_scan_run(opmill_scan_finder *finder, const opmill_tensor *x, opmill_tensor *y,
                     int32_t axis, bool exclusive, bool reverse, const opmill_context *context) {
    scan_run run = {{x->data, y->data, x->dims[axis], 1, exclusive, reverse}, NULL, 1, 1, 1};
    int64_t outer = 1;
    for (int32_t i = 0; i < x->rank; i++) {
        if (x->dims[i] == 0) {
            return;
        }
        outer *= i < axis ? x->dims[i] : 1;
        run.scan.inner *= i > axis ? x->dims[i] : 1;
    }
    const int64_t columns = opmill_min(run.scan.inner, OPMILL_SCAN_COLUMNS);
    run.loop = finder(x->type, opmill_isa_select(context->isa));
    run.parts = (run.scan.inner - 1) / OPMILL_SCAN_COLUMNS + 1;
    run.units = outer * run.parts;
    run.share = opmill_max(1, TASK_ELEMENTS / columns / run.scan.length);
    const int64_t tasks = (run.units - 1) / run.share + 1;
    opmill_parallel(tasks, context->threads > 1 ? context->threads : 1, run_task, &run);
}
