/* Windows of cosines. Each point is computed in double from its index, counted from the nearer end,
 * so that ends and middle are exact; it is rounded once. */
#include "families/cosine_window/kernel.h"

#include <math.h>

#include "families/cosine_window/cosine.h"
#include "runtime/platform/parallel.h"
#include "runtime/numbers/reals.h"

enum { BLOCK = 16 * 1024 /* points of a task */ };

typedef struct window_job {
    opmill_tensor *output;
    const opmill_cosine_window_plan *plan;
    int64_t count;
} window_job;

/* Products and sums are statements of their own, which no compiler fuses. */
static double point(const opmill_cosine_window_plan *plan, int64_t i) {
    const int64_t back = plan->period - i;
    if (plan->period == 0) {
        return (double)NAN; /* 0 divided by 0 */
    }
    const double share = (double)(i < back ? i : back) / (double)plan->period;
    const double angle = 6.283185307179586 * share;
    const double cosine = opmill_window_cosine(angle);
    const double square = 2 * cosine * cosine;
    const double twice = square - 1;
    const double second = plan->second * twice;
    const double first = plan->first * cosine;
    const double difference = second - first;
    return difference + plan->middle;
}

#define FILL(type)                                                   \
    {                                                                \
        type *const to = job->output->data;                          \
        for (int64_t i = begin; i < end; i++) {                      \
            const double y = point(job->plan, i);                    \
            to[i] = (type)(y == y ? y : 0);                          \
        }                                                            \
        break;                                                       \
    }

/* Points lie between 0 and 1, or less below 0 than an integer shows. */
static void run_block(void *state, int64_t block, int32_t worker) {
    const window_job *const job = state;
    const int64_t begin = block * BLOCK;
    const int64_t end = job->count - begin < BLOCK ? job->count : begin + BLOCK;
    const int32_t type = job->output->type;
    (void)worker;
    switch (type) {
    case OPMILL_INT8:
        FILL(int8_t)
    case OPMILL_INT16:
        FILL(int16_t)
    case OPMILL_INT32:
        FILL(int32_t)
    case OPMILL_INT64:
        FILL(int64_t)
    case OPMILL_UINT8:
        FILL(uint8_t)
    case OPMILL_UINT16:
        FILL(uint16_t)
    case OPMILL_UINT32:
        FILL(uint32_t)
    case OPMILL_UINT64:
        FILL(uint64_t)
    default:
        for (int64_t i = begin; i < end; i++) {
            opmill_real_put(job->output->data, type, i, point(job->plan, i));
        }
        break;
    }
}

int opmill_cosine_window_compute(opmill_tensor *output, const opmill_cosine_window_plan *plan,
                                 opmill_context *context) {
    window_job job = {output, plan, output->dims[0]};
    const int64_t tasks = job.count > 0 ? (job.count - 1) / BLOCK + 1 : 0;
    opmill_parallel(tasks, tasks > 1 ? context->threads : 1, run_block, &job);
    return OPMILL_OK;
}
