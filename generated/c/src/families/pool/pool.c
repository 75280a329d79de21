/* Plans and runs average and Lp pools: merges axes that one window covers, and sums the windows of
 * some rows for each task. Rows whose results include infinities or NaN are computed again in
 * double. */
#include "families/pool/pool.h"

#include <math.h>

#include "runtime/numbers/integers.h"
#include "runtime/platform/isa.h"
#include "runtime/platform/parallel.h"

/* About how many elements a task adds; below that, one thread is faster than several. */
static const double TASK_ELEMENTS = 1 << 15;

/* Windows along the last axis that are all of it: the axis before goes on from one row to the
 * next. */
static bool joins(const opmill_window_axis *before, const opmill_window_axis *axis,
                  const opmill_window_axis *counted) {
    return axis->out == 1 && axis->kernel == axis->in && axis->begin == 0 &&
           counted->in == axis->in && axis->dilation == 1 && before->dilation == 1 &&
           opmill_window_axis_is_moderate(before) && opmill_window_axis_is_moderate(axis);
}

static void lengthen(opmill_window_axis *axis, int64_t in) {
    axis->in *= in;
    axis->kernel *= in;
    axis->stride *= in;
    axis->begin *= in;
}

static void join_axes(opmill_pool_problem *problem) {
    while (problem->axis_count > 1) {
        const int32_t last = problem->axis_count - 1;
        opmill_window_axis before = problem->axes[last - 1];
        opmill_window_axis counted = problem->counted[last - 1];
        const int64_t in = problem->axes[last].in;
        if (!joins(&before, &problem->axes[last], &problem->counted[last]) ||
            !opmill_window_axis_is_moderate(&counted)) {
            return;
        }
        lengthen(&before, in);
        lengthen(&counted, in);
        if (!opmill_window_axis_is_moderate(&before) || !opmill_window_axis_is_moderate(&counted)) {
            return;
        }
        problem->axes[last - 1] = before;
        problem->counted[last - 1] = counted;
        problem->axis_count--;
    }
}

void opmill_pool_part_of(opmill_pool_part *part, const opmill_pool_problem *problem, int64_t from) {
    const opmill_window_axis *const axis = &problem->axes[problem->axis_count - 1];
    const opmill_window_axis *const counted = &problem->counted[problem->axis_count - 1];
    const int64_t reach = (axis->kernel - 1) * axis->dilation + 1;
    int64_t count = opmill_min(axis->out - from, OPMILL_POOL_ROW);
    if (!problem->by_windows) {
        count = opmill_min(count, (OPMILL_POOL_SPAN - reach) / axis->stride + 1);
    }
    part->from = from;
    part->to = from + count;
    /* The first window that has no padding before it, and the last that has none behind it. */
    const int64_t first_inside = -opmill_quotient(-axis->begin, axis->stride);
    const int64_t last_inside = opmill_quotient(axis->in + axis->begin - reach, axis->stride);
    part->inside = opmill_min(opmill_max(first_inside, from), part->to);
    part->outside = opmill_max(opmill_min(last_inside + 1, part->to), part->inside);
    const int64_t start = from * axis->stride - axis->begin;
    const int64_t last = (part->to - 1) * axis->stride - axis->begin;
    const int64_t stop = last > axis->in - reach ? axis->in : last + reach;
    part->first = opmill_min(opmill_max(start, 0), axis->in);
    part->span = opmill_max(stop - part->first, 0);
    for (int64_t i = from; i < part->to; i++) {
        const bool full = i >= part->inside && i < part->outside;
        part->counts[i - from] =
            full ? (double)axis->kernel : (double)opmill_taps_of(counted, i).count;
    }
}

/* Makes a problem; false if the output is empty. Sets how many taps and counted elements a window
 * has at most. */
static bool make_problem(opmill_pool_problem *problem, const opmill_tensor *x,
                         const opmill_tensor *y, const opmill_pool_windows *windows, double *taps,
                         double *counted) {
    const int32_t axes = x->rank - 2;
    problem->x = x->data;
    problem->y = y->data;
    problem->type = x->type;
    problem->planes = y->dims[0] * y->dims[1];
    problem->in_size = problem->rows = 1;
    problem->axis_count = axes;
    *taps = *counted = 1;
    for (int32_t i = 0; i < y->rank; i++) {
        if (y->dims[i] == 0) {
            return false;
        }
    }
    for (int32_t i = 0; i < axes; i++) {
        const int64_t before = windows->counted[i], after = windows->counted[axes + i];
        opmill_window_axis *const axis = &problem->axes[i];
        *axis = (opmill_window_axis){
            x->dims[i + 2],      y->dims[i + 2],        windows->kernel[i],
            windows->strides[i], windows->dilations[i], windows->begin[i],
        };
        problem->counted[i] = *axis;
        problem->counted[i].in += before + after;
        problem->counted[i].begin -= before;
        problem->in_size *= axis->in;
        *taps *= (double)opmill_min(axis->kernel, opmill_max(axis->in, 1));
        *counted *= (double)axis->kernel;
    }
    if (axes == 0) {
        problem->axes[0] = problem->counted[0] = (opmill_window_axis){1, 1, 1, 1, 1, 0};
        problem->axis_count = 1;
    }
    join_axes(problem);
    for (int32_t i = 0; i < problem->axis_count - 1; i++) {
        problem->rows *= problem->axes[i].out;
    }
    return true;
}

typedef struct pool_run {
    const opmill_pool_problem *problem;
    opmill_pool_loop *loop;
    opmill_pool_loop *wide; /* for rows whose sums overflow in `loop`; NULL where none does */
    int64_t rows;           /* of all planes */
    int64_t share;
} pool_run;

/* True if a row of the output has an infinity or NaN. */
static bool has_special(const opmill_pool_problem *problem, int64_t row) {
    const int64_t width = problem->axes[problem->axis_count - 1].out;
    uint32_t found = 0;
    if (problem->type == OPMILL_FLOAT) {
        const float *const y = (const float *)problem->y + row * width;
        for (int64_t i = 0; i < width; i++) {
            found |= isfinite(y[i]) ? 0u : 1u;
        }
    } else {
        const uint16_t *const y = (const uint16_t *)problem->y + row * width;
        for (int64_t i = 0; i < width; i++) {
            found |= (y[i] & 0x7f80u) == 0x7f80u;
        }
    }
    return found != 0;
}

static void run_task(void *state, int64_t task, int32_t worker) {
    const pool_run *const run = state;
    const int64_t from = task * run->share, to = opmill_min(from + run->share, run->rows);
    (void)worker;
    run->loop(run->problem, from, to);
    for (int64_t row = from; run->wide != NULL && row < to; row++) {
        if (has_special(run->problem, row)) {
            run->wide(run->problem, row, row + 1);
        }
    }
}

void opmill_pool_run(opmill_pool_finder *finder, const opmill_tensor *x, opmill_tensor *y,
                     const opmill_pool_windows *windows, double p, const opmill_context *context) {
    opmill_pool_problem problem;
    double taps, counted;
    if (!make_problem(&problem, x, y, windows, &taps, &counted)) {
        return;
    }
    const opmill_window_axis *const last = &problem.axes[problem.axis_count - 1];
    const int32_t isa = opmill_isa_select(context->isa);
    problem.p = p;
    problem.power = p == 1 || p == 2 ? NULL : opmill_math_pow(OPMILL_DOUBLE, isa);
    const int64_t reach = opmill_max(last->kernel, (last->kernel - 1) * last->dilation + 1);
    problem.by_windows = reach > OPMILL_POOL_SPAN;
    problem.is_long = reach > OPMILL_POOL_LONG;
    opmill_pool_part_of(&problem.whole, &problem, 0);
    problem.is_whole = problem.whole.to == last->out && !problem.by_windows;
    problem.is_global = !problem.is_long && problem.axis_count == 1 && last->out == 1 &&
                        last->kernel == last->in && last->begin == 0 && last->dilation == 1 &&
                        last->kernel >= OPMILL_POOL_BLOCK;
    problem.together = opmill_min(OPMILL_POOL_TOTALS / opmill_max(1, problem.whole.to),
                                  OPMILL_POOL_SPAN / opmill_max(1, problem.whole.span));
    const bool wide = problem.is_long || taps > OPMILL_POOL_SHORT || counted >= 0x1p24;
    /* What a row of the output takes: its windows' taps, or all elements of the rows that it meets.
     */
    const double through_windows = taps * (double)last->out;
    const double through_rows =
        taps / (double)opmill_max(1, opmill_min(last->kernel, last->in)) * (double)last->in +
        (double)last->out * (double)last->kernel;
    const double row = (problem.by_windows ? through_windows : through_rows) + 1;
    const double share = TASK_ELEMENTS / row;
    pool_run run = {&problem, finder(problem.type, wide, isa), NULL, problem.planes * problem.rows,
                    1};
    if (problem.type == OPMILL_FLOAT || problem.type == OPMILL_BFLOAT16) {
        opmill_pool_loop *const in_double = finder(problem.type, true, isa);
        run.wide = in_double == run.loop ? NULL : in_double;
    }
    run.share = share > 1 ? (int64_t)share : 1;
    const int64_t tasks = (run.rows - 1) / run.share + 1;
    const int32_t threads = tasks > 1 && context->threads > 1 ? context->threads : 1;
    opmill_parallel(tasks, threads, run_task, &run);
}
