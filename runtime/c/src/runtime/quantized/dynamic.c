/* Computes the range of all elements in parallel, from it scale and zero point, then quantizes to
 * uint8 in parallel. */
#include "runtime/quantized/dynamic.h"

#include <math.h>
#include <stdbool.h>

#include "runtime/platform/isa.h"
#include "runtime/platform/parallel.h"
#include "runtime/platform/platform.h"
#include "runtime/quantized/loops.h"

enum { CHUNK = 1024, MAX_SHARES = 64 };

/* Minimum number of elements for a second thread. */
static const int64_t SINGLE_THREAD_ELEMENTS = 256 * CHUNK;

typedef struct job {
    const float *x;
    uint8_t *y;
    const quantize_loops *loops;
    int64_t count, share; /* elements, of the call and of a task: whole chunks */
    float scale, zero;
    float lows[MAX_SHARES], highs[MAX_SHARES];
    bool has_nan[MAX_SHARES];
} job;

static int64_t end_of(const job *job, int64_t begin) {
    return job->count - begin < job->share ? job->count : begin + job->share;
}

static void extend_share(void *state, int64_t task, int32_t worker) {
    job *const job = state;
    const int64_t begin = task * job->share;
    (void)worker;
    job->lows[task] = job->highs[task] = 0;
    job->has_nan[task] = job->loops->extend(job->x + begin, end_of(job, begin) - begin,
                                            &job->lows[task], &job->highs[task]);
}

static void quantize_share(void *state, int64_t task, int32_t worker) {
    const job *const job = state;
    const int64_t begin = task * job->share, end = end_of(job, begin);
    (void)worker;
    job->loops->quantize_8(job->y + begin, job->x + begin, job->scale, job->zero, 0, 255,
                           end - begin);
}

void opmill_quantize_dynamically(const float *x, int64_t count, uint8_t *y, float *scale,
                                 uint8_t *zero_point, const opmill_context *context) {
    float low = 0, high = 0, quotient;
    bool has_nan = false;
    job job = {.x = x, .y = y, .count = count};
    job.loops = opmill_quantize_loops_for(opmill_isa_select(context->isa));
    int32_t threads = job.count > SINGLE_THREAD_ELEMENTS ? context->threads : 1;
    threads = threads < MAX_SHARES ? threads : MAX_SHARES;
    threads = threads > 1 ? threads : 1;
    job.share = (job.count / threads / CHUNK + 1) * CHUNK;
    const int64_t tasks = (job.count + job.share - 1) / job.share;
    opmill_parallel(tasks, threads, extend_share, &job);
    for (int64_t i = 0; i < tasks; i++) {
        low = job.lows[i] < low ? job.lows[i] : low;
        high = job.highs[i] > high ? job.highs[i] : high;
        has_nan = has_nan || job.has_nan[i];
    }
    const float range = high - low;
    job.scale = has_nan ? NAN : range == 0 ? 1 : range / 255.0f;
    quotient = low / job.scale;
    quotient = 0.0f - quotient;
    job.loops->round_8(zero_point, &quotient, 0, 0, 255, 1);
    job.zero = *zero_point;
    *scale = job.scale;
    opmill_parallel(tasks, threads, quantize_share, &job);
}
