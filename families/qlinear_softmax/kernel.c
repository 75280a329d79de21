/* QLinearSoftmax: a table of the exponentials of all differences from the largest of a line. */
#include "families/qlinear_softmax/kernel.h"

#include <math.h>
#include <string.h>

#include "runtime/platform/isa.h"
#include "runtime/math/math.h"
#include "runtime/platform/parallel.h"
#include "runtime/quantized/byte_map.h"
#include "runtime/quantized/loops.h"
#include "runtime/quantized/requantize.h"
#include "runtime/call/workspace.h"

enum { CHUNK = 64, MIN_THREAD_ELEMENTS = 64 * 1024 };

typedef struct job {
    const uint8_t *from;
    uint8_t *to;
    const quantize_loops *loops;
    int32_t isa;
    bool is_signed;
    int64_t lines, length, step; /* a line's elements are `step` apart */
    int64_t share;               /* lines of a task */
    int64_t threads;
    double parts; /* what 1 is in the output */
    float zero;
    double *powers;  /* of -255 to 0 */
    uint8_t *tables; /* of each thread */
} job;

/* The largest element. With the bits of `flip` inverted, elements are from 0 to 255. */
static uint8_t find_top(const job *job, const uint8_t *from, uint8_t flip) {
    uint8_t top = 0;
    if (job->step == 1) {
        for (int64_t i = 0; i < job->length; i++) {
            const uint8_t level = from[i] ^ flip;
            top = level > top ? level : top;
        }
        return top;
    }
    for (int64_t i = 0; i < job->length; i++) {
        const uint8_t level = from[i * job->step] ^ flip;
        top = level > top ? level : top;
    }
    return top;
}

/* The sum of the powers of all elements, in an order that depends on nothing but their number. */
static double sum_powers(const job *job, const double *powers, const uint8_t *from, uint8_t flip) {
    enum { WIDTH = 8 }; /* sums that do not wait for each other */
    const int64_t step = job->step;
    double sums[WIDTH] = {0};
    int64_t i = 0;
    for (; i + WIDTH <= job->length; i += WIDTH, from += WIDTH * step) {
        for (int k = 0; k < WIDTH; k++) {
            sums[k] += powers[from[k * step] ^ flip];
        }
    }
    for (int k = 0; i + k < job->length; k++) {
        sums[k] += powers[from[k * step] ^ flip];
    }
    return ((sums[0] + sums[4]) + (sums[2] + sums[6])) +
           ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

static void run_line(const job *job, int64_t line, uint8_t *table) {
    const int64_t first = line / job->step * job->step * job->length + line % job->step;
    const uint8_t *const from = job->from + first, flip = job->is_signed ? 0x80 : 0;
    const float low = job->is_signed ? -128 : 0, high = job->is_signed ? 127 : 255;
    const int top = find_top(job, from, flip);
    const double *const powers = job->powers + (OPMILL_BYTES - 1 - top); /* of 0 to top */
    const double factor = job->parts / sum_powers(job, powers, from, flip);
    uint8_t *const to = job->to + first;
    float results[CHUNK];
    for (int begin = 0; begin <= top; begin += CHUNK) {
        const int count = top + 1 - begin < CHUNK ? top + 1 - begin : CHUNK;
        job->loops->round_up(results, powers + begin, factor, count);
        job->loops->round_8(table + (begin ^ flip), results, job->zero, low, high, count);
    }
    if (job->step == 1) {
        opmill_map_bytes(to, from, table, job->length, job->isa);
        return;
    }
    for (int64_t i = 0; i < job->length; i++) {
        to[i * job->step] = table[from[i * job->step]];
    }
}

static void run_task(void *state, int64_t task, int32_t worker) {
    const job *const job = state;
    const int64_t begin = task * job->share;
    const int64_t end = job->lines - begin < job->share ? job->lines : begin + job->share;
    for (int64_t line = begin; line < end; line++) {
        run_line(job, line, job->tables + worker * OPMILL_BYTES);
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
    return opmill_workspace_size((sizeof(double) + (uint64_t)job.threads) * OPMILL_BYTES);
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
    job.tables = (uint8_t *)(job.powers + OPMILL_BYTES);
    memset(job.tables, 0, (size_t)job.threads * OPMILL_BYTES);
    job.loops = opmill_quantize_loops_for(isa);
    job.isa = isa;
    job.is_signed = x->type == OPMILL_INT8;
    job.zero = opmill_small_number(*(const uint8_t *)y_zero_point->data, y_zero_point->type);
    job.parts = floor((double)(1 / *(const float *)y_scale->data));
    for (int first = 0; first < OPMILL_BYTES; first += CHUNK) {
        for (int i = 0; i < CHUNK; i++) {
            exponents[i] = (first + i - (OPMILL_BYTES - 1)) * (double)*(const float *)x_scale->data;
        }
        opmill_math_exp(OPMILL_DOUBLE, isa)(exponents, job.powers + first, CHUNK);
    }
    opmill_parallel((job.lines - 1) / job.share + 1, (int32_t)job.threads, run_task, &job);
    return OPMILL_OK;
}
