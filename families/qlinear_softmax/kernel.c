/* QLinearSoftmax: a table of the exponentials of all differences from the largest of a line. */
#include "families/qlinear_softmax/kernel.h"

#include <math.h>

#include "runtime/isa.h"
#include "runtime/math/math.h"
#include "runtime/parallel.h"
#include "runtime/quantized/loops.h"
#include "runtime/quantized/requantize.h"

enum { ELEMENTS = 256, CHUNK = 256, MIN_THREAD_ELEMENTS = 64 * 1024 };

typedef struct job {
    const uint8_t *from;
    uint8_t *to;
    const quantize_loops *loops;
    bool is_signed;
    int64_t lines, length, step; /* a line's elements are `step` apart */
    int64_t share;               /* lines of a task */
    double parts;                /* what 1 is in the output */
    float zero;
    double powers[ELEMENTS]; /* of 0 to -255 */
} job;

/* An element on a scale from 0 to 255. */
static int level(const job *job, int64_t at) {
    return job->is_signed ? job->from[at] ^ 0x80 : job->from[at];
}

static void run_line(const job *job, int64_t line) {
    const int64_t first = line / job->step * job->step * job->length + line % job->step;
    const float low = job->is_signed ? -128 : 0, high = job->is_signed ? 127 : 255;
    int64_t counts[ELEMENTS] = {0};
    float results[ELEMENTS];
    uint8_t table[ELEMENTS];
    int top = ELEMENTS - 1;
    double sum = 0;
    for (int64_t i = 0; i < job->length; i++) {
        counts[level(job, first + i * job->step)]++;
    }
    while (counts[top] == 0) {
        top--;
    }
    for (int i = 0; i <= top; i++) {
        if (counts[top - i] > 0) { /* 0 times an infinity, of a negative scale, is NaN */
            sum += (double)counts[top - i] * job->powers[i];
        }
    }
    for (int i = 0; i < ELEMENTS; i++) {
        results[i] = i > top ? 0 : (float)floor(job->powers[top - i] * job->parts / sum + 0.5);
    }
    job->loops->round_8(table, results, job->zero, low, high, ELEMENTS);
    for (int64_t i = 0; i < job->length; i++) {
        job->to[first + i * job->step] = table[level(job, first + i * job->step)];
    }
}

static void run_task(void *state, int64_t task, int32_t worker) {
    const job *const job = state;
    const int64_t begin = task * job->share;
    const int64_t end = job->lines - begin < job->share ? job->lines : begin + job->share;
    (void)worker;
    for (int64_t line = begin; line < end; line++) {
        run_line(job, line);
    }
}

int opmill_qlinear_softmax_compute(const opmill_tensor *x, const opmill_tensor *x_scale,
                                   const opmill_tensor *y_scale, const opmill_tensor *y_zero_point,
                                   opmill_tensor *y, const opmill_qlinear_softmax_plan *plan,
                                   opmill_context *context) {
    const int32_t isa = opmill_isa_select(context->isa);
    double powers[ELEMENTS];
    job job = {.from = x->data, .to = y->data, .lines = 1, .length = 1, .step = 1};
    for (int32_t i = 0; i < x->rank; i++) {
        if (i < plan->begin) {
            job.lines *= x->dims[i];
        } else if (i < plan->end) {
            job.length *= x->dims[i];
        } else {
            job.step *= x->dims[i];
        }
    }
    job.lines *= job.step;
    if (job.lines * job.length == 0) {
        return OPMILL_OK;
    }
    job.loops = opmill_quantize_loops_for(isa);
    job.is_signed = x->type == OPMILL_INT8;
    job.zero = opmill_small_number(*(const uint8_t *)y_zero_point->data, y_zero_point->type);
    job.parts = floor((double)(1 / *(const float *)y_scale->data));
    for (int i = 0; i < ELEMENTS; i++) {
        powers[i] = -i * (double)*(const float *)x_scale->data;
    }
    opmill_math_exp(OPMILL_DOUBLE, isa)(powers, job.powers, ELEMENTS);
    int64_t threads = job.lines * job.length / MIN_THREAD_ELEMENTS;
    threads = threads < context->threads ? threads : context->threads;
    threads = threads < job.lines ? threads : job.lines;
    threads = threads > 1 ? threads : 1;
    job.share = (job.lines - 1) / threads + 1;
    opmill_parallel((job.lines - 1) / job.share + 1, (int32_t)threads, run_task, &job);
    return OPMILL_OK;
}
