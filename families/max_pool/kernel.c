/* MaxPool: the entry of the family's kernels, which turns a call into a problem and selects a
 * kernel by shape. Each header states when its kernel is selected. */
#include "families/max_pool/kernel.h"

#include "families/max_pool/channels.h"
#include "families/max_pool/planes.h"
#include "families/max_pool/problem.h"
#include "families/max_pool/rows.h"
#include "families/max_pool/windows.h"
#include "runtime/platform/isa.h"
#include "runtime/platform/parallel.h"
#include "runtime/platform/platform.h"

/* Minimum number of comparisons before threading pays off, one by one and in vectors; the first is
 * also the minimum before preparations do. */
static const double MIN_THREADED_COMPARISONS = 1 << 16;
static const double MIN_THREADED_IN_VECTORS = 1 << 18;
static const double FEWEST_COMPARISONS = 256;

/* Windows that a task of the windows kernel searches, where there are as many. */
static const int64_t WINDOWS_OF_TASK = 512;

/* What is built for an instruction set; NULL where that is standard C alone. */
static const max_pool_functions *functions_for(int32_t isa, int32_t type) {
    const max_pool_functions *by_type[4] = {NULL, NULL, NULL, NULL};
    switch (opmill_isa_select(isa)) {
#if OPMILL_X86_64
    case OPMILL_ISA_AVX512:
        by_type[0] = &opmill_max_pool_f32_avx512;
        by_type[1] = &opmill_max_pool_f64_avx512;
        by_type[2] = &opmill_max_pool_s8_avx512;
        by_type[3] = &opmill_max_pool_u8_avx512;
        break;
    case OPMILL_ISA_AVX2:
        by_type[0] = &opmill_max_pool_f32_avx2;
        by_type[1] = &opmill_max_pool_f64_avx2;
        by_type[2] = &opmill_max_pool_s8_avx2;
        by_type[3] = &opmill_max_pool_u8_avx2;
        break;
#endif
#if OPMILL_GNU
    case OPMILL_ISA_NEON:
    case OPMILL_ISA_BASELINE:
        by_type[0] = &opmill_max_pool_f32_baseline;
        by_type[1] = &opmill_max_pool_f64_baseline;
        by_type[2] = &opmill_max_pool_s8_baseline;
        by_type[3] = &opmill_max_pool_u8_baseline;
        break;
#endif
    default:
        break;
    }
    switch (type) {
    case OPMILL_DOUBLE:
        return by_type[1];
    case OPMILL_INT8:
        return by_type[2];
    case OPMILL_UINT8:
        return by_type[3];
    default:
        return by_type[0];
    }
}

/* Makes a problem; false if the output is empty, so that there is none. */
static bool make_problem(max_pool_problem *problem, const opmill_tensor *x, const int64_t *y_dims,
                         const opmill_max_pool_plan *plan) {
    problem->x = x->data;
    problem->type = x->type;
    problem->axis_count = x->rank - 2;
    problem->column_major = plan->column_major;
    problem->channels = plan->channels_last ? y_dims[x->rank - 1] : 0;
    problem->planes = plan->channels_last ? y_dims[0] : y_dims[0] * y_dims[1];
    problem->in_size = problem->out_size = 1;
    if (problem->planes == 0 || (plan->channels_last && problem->channels == 0)) {
        return false;
    }
    const int32_t first = plan->channels_last ? 1 : 2; /* spatial axis */
    for (int32_t i = 0; i < problem->axis_count; i++) {
        problem->axes[i] = (opmill_window_axis){
            x->dims[i + first],      y_dims[i + first],         plan->kernel.values[i],
            plan->strides.values[i], plan->dilations.values[i], plan->begin.values[i],
        };
        problem->in_size *= x->dims[i + first];
        problem->out_size *= y_dims[i + first];
    }
    return problem->out_size > 0;
}

/* About how many elements are compared. */
static double comparisons(const max_pool_problem *problem) {
    double count = (double)problem->planes * (double)opmill_max(problem->channels, 1);
    for (int32_t i = 0; i < problem->axis_count; i++) {
        const opmill_window_axis *const axis = &problem->axes[i];
        const int64_t taps = axis->kernel < axis->in ? axis->kernel : axis->in;
        count *= (double)axis->out * (double)(taps > 0 ? taps : 1);
    }
    return count;
}

/* The layout of the kernel that takes the call. */
typedef struct layouts {
    enum { WINDOWS, ROWS, PLANES, CHANNELS } taken;
    union {
        planes_layout planes;
        rows_layout rows;
    } of;
} layouts;

/* Which kernel takes the call, and with how many threads. */
static void choose(layouts *chosen, const max_pool_problem *problem, const opmill_context *context,
                   int32_t *threads) {
    const max_pool_functions *const functions = functions_for(context->isa, problem->type);
    const double count = comparisons(problem);
    const int32_t max_threads = context->threads > 1 ? context->threads : 1;
    *threads = count >= MIN_THREADED_IN_VECTORS ? max_threads : 1;
    chosen->taken = problem->channels > 0 ? CHANNELS : WINDOWS;
    if (chosen->taken == CHANNELS) {
        return;
    }
    if (functions != NULL && count >= FEWEST_COMPARISONS) {
        if (opmill_max_pool_planes_layout(&chosen->of.planes, problem, functions, *threads)) {
            chosen->taken = PLANES;
            return;
        }
        if (opmill_max_pool_rows_layout(&chosen->of.rows, problem, functions, *threads)) {
            chosen->taken = ROWS;
            return;
        }
    }
    *threads = count >= MIN_THREADED_COMPARISONS ? max_threads : 1;
}

static void windows_task(void *state, int64_t task, int32_t worker) {
    const max_pool_problem *const problem = state;
    const int64_t all = problem->planes * problem->out_size;
    const int64_t from = task * WINDOWS_OF_TASK;
    (void)worker;
    opmill_max_pool_windows(problem, from, opmill_min(from + WINDOWS_OF_TASK, all));
}

/* Rows of windows whose channels lie side by side, of a call that is cut into equal tasks. */
typedef struct channels_job {
    const max_pool_problem *problem;
    const max_pool_functions *functions;
    int64_t rows, share; /* of the call and of a task */
} channels_job;

static void channels_task(void *state, int64_t task, int32_t worker) {
    const channels_job *const job = state;
    const int64_t from = task * job->share;
    (void)worker;
    opmill_max_pool_channels(job->problem, job->functions, from,
                             opmill_min(from + job->share, job->rows));
}

static void run_channels(const max_pool_problem *problem, const opmill_context *context,
                         int32_t threads) {
    const int64_t columns = problem->axes[problem->axis_count - 1].out;
    const int64_t rows = problem->planes * (problem->out_size / columns);
    channels_job job = {
        .problem = problem,
        .functions = functions_for(context->isa, problem->type),
        .rows = rows,
        .share = (rows - 1) / threads + 1,
    };
    opmill_parallel((rows - 1) / job.share + 1, threads, channels_task, &job);
}

int opmill_max_pool_compute(const opmill_tensor *x, opmill_tensor *y, opmill_tensor *indices,
                            const opmill_max_pool_plan *plan, opmill_context *context) {
    max_pool_problem problem;
    layouts chosen;
    int32_t threads;
    if (!make_problem(&problem, x, y->dims, plan)) {
        return OPMILL_OK;
    }
    problem.y = y->data;
    problem.indices = indices != NULL ? indices->data : NULL;
    choose(&chosen, &problem, context, &threads);
    const int64_t all = problem.planes * problem.out_size;
    switch (chosen.taken) {
    case PLANES:
        opmill_max_pool_planes(&chosen.of.planes);
        break;
    case ROWS:
        opmill_max_pool_rows(&chosen.of.rows);
        break;
    case CHANNELS:
        run_channels(&problem, context, threads);
        break;
    default:
        opmill_parallel((all - 1) / WINDOWS_OF_TASK + 1, threads, windows_task, &problem);
        break;
    }
    return OPMILL_OK;
}

void opmill_max_pool_choose(const opmill_tensor *x, const opmill_shape *y,
                            const opmill_shape *indices, const opmill_max_pool_plan *plan,
                            const opmill_context *context, opmill_choice *choice) {
    static int64_t asked_for; /* placeholder until memory is known */
    max_pool_problem problem;
    layouts chosen;
    *choice = (opmill_choice){"empty", OPMILL_ISA_PLAIN, 1};
    if (!make_problem(&problem, x, y->dims, plan)) {
        return;
    }
    problem.y = NULL;
    problem.indices = indices != NULL ? &asked_for : NULL;
    static const char *const NAMES[] = {"windows", "rows", "planes", "channels"};
    choose(&chosen, &problem, context, &choice->threads);
    choice->variant = NAMES[chosen.taken];
    if (chosen.taken != WINDOWS) {
        choice->isa = opmill_isa_select(context->isa);
    }
}
