/* QLinearSoftmax: a table of the exponentials of all differences from the largest of a line. */
#include "families/qlinear_softmax/kernel.h"

#include <math.h>
#include <string.h>

#include "runtime/platform/isa.h"
#include "runtime/math/math.h"
#include "runtime/platform/parallel.h"
#include "runtime/quantized/loops.h"
#include "runtime/quantized/requantize.h"
#include "runtime/call/workspace.h"

enum { ELEMENTS = 256, CHUNK = 64, MIN_THREAD_ELEMENTS = 64 * 1024 };

/* What a thread notes of a line. */
typedef struct notes {
    int64_t counts[ELEMENTS];
    uint8_t table[ELEMENTS];
} notes;

typedef struct job {
    const uint8_t *from;
    uint8_t *to;
    const quantize_loops *loops;
    bool is_signed;
    int64_t lines, length, step; /* a line's elements are `step` apart */
    int64_t share;               /* lines of a task */
    int64_t threads;
    double parts; /* what 1 is in the output */
    float zero;
    double *powers; /* of 0 to -255 */
    notes *notes;   /* of each thread */
} job;

/* An element on a scale from 0 to 255. */
static int level(const job *job, int64_t at) {
    return job->is_signed ? job->from[at] ^ 0x80 : job->from[at];
}

static void run_line(const job *job, int64_t line, notes *notes) {
    const int64_t first = line / job->step * job->step * job->length + line % job->step;
    const float low = job->is_signed ? -128 : 0, high = job->is_signed ? 127 : 255;
    int64_t *const counts = notes->counts;
    float results[CHUNK];
    int top = ELEMENTS - 1;
    double sum = 0;
    memset(counts, 0, sizeof notes->counts);
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
    for (int begin = 0; begin <= top; begin += CHUNK) {
        for (int i = begin; i < begin + CHUNK; i++) {
            results[i - begin] =
                i > top ? 0 : (float)floor(job->powers[top - i] * job->parts / sum + 0.5);
        }
        job->loops->round_8(notes->table + begin, results, job->zero, low, high, CHUNK);
    }
    for (int64_t i = 0; i < job->length; i++) {
        job->to[first + i * job->step] = notes->table[level(job, first + i * job->step)];
    }
}

static void run_task(void *state, int64_t task, int32_t worker) {
    const job *const job = state;
    const int64_t begin = task * job->share;
    const int64_t end = job->lines - begin < job->share ? job->lines : begin + job->share;
    for (int64_t line = begin; line < end; line++) {
        run_line(job, line, &job->notes[worker]);
    }
}

/* Lines, their length and their share; false where there is no element. */
static bool describe(job *job, const int64_t *dims, int32_t rank,
                     const opmill_qlinear_softmax_plan *plan, const opmill_context *context) {
    job->lines = job->length = job->step = 1;
    for (int32_t i = 0; i < rank; i++) {
        if (i < plan->begin) {
            job->lines *= dims[i];
        } else if (i < plan->end) {
            job->length *= dims[i];
        } else {
            job->step *= dims[i];
        }
    }
    job->lines *= job->step;
    if (job->lines * job->length == 0) {
        return false;
    }
    int64_t threads = job->lines * job->length / MIN_THREAD_ELEMENTS;
    threads = threads < context->threads ? threads : context->threads;
    threads = threads < job->lines ? threads : job->lines;
    job->threads = threads > 1 ? threads : 1;
    job->share = (job->lines - 1) / job->threads + 1;
    return true;
}

size_t opmill_qlinear_softmax_workspace_bytes(const opmill_tensor *x, const opmill_tensor *x_scale,
                                              const opmill_tensor *y_scale,
                                              const opmill_tensor *y_zero_point,
                                              const opmill_shape *y,
                                              const opmill_qlinear_softmax_plan *plan,
                                              const opmill_context *context) {
    job job;
    (void)x;
    (void)x_scale;
    (void)y_scale;
    (void)y_zero_point;
    if (!describe(&job, y->dims, y->rank, plan, context)) {
        return 0;
    }
    return opmill_workspace_size(sizeof(double) * ELEMENTS + (uint64_t)job.threads * sizeof(notes));
}

int opmill_qlinear_softmax_compute(const opmill_tensor *x, const opmill_tensor *x_scale,
                                   const opmill_tensor *y_scale, const opmill_tensor *y_zero_point,
                                   opmill_tensor *y, const opmill_qlinear_softmax_plan *plan,
                                   opmill_context *context) {
    const int32_t isa = opmill_isa_select(context->isa);
    double exponents[CHUNK];
    job job = {.from = x->data, .to = y->data};
    if (!describe(&job, x->dims, x->rank, plan, context)) {
        return OPMILL_OK;
    }
    job.powers = opmill_workspace_begin(context->workspace);
    job.notes = (void *)(job.powers + ELEMENTS);
    job.loops = opmill_quantize_loops_for(isa);
    job.is_signed = x->type == OPMILL_INT8;
    job.zero = opmill_small_number(*(const uint8_t *)y_zero_point->data, y_zero_point->type);
    job.parts = floor((double)(1 / *(const float *)y_scale->data));
    for (int first = 0; first < ELEMENTS; first += CHUNK) {
        for (int i = 0; i < CHUNK; i++) {
            exponents[i] = -(first + i) * (double)*(const float *)x_scale->data;
        }
        opmill_math_exp(OPMILL_DOUBLE, isa)(exponents, job.powers + first, CHUNK);
    }
    opmill_parallel((job.lines - 1) / job.share + 1, (int32_t)job.threads, run_task, &job);
    return OPMILL_OK;
}
