/* Quantization, a chunk after the other: elements as floats, quotients, and those rounded to the
 * narrow type. */
#include "families/quantize/kernel.h"

#include <string.h>

#include "runtime/quantized/loops.h"
#include "runtime/cast/reader.h"
#include "runtime/numbers/elements.h"
#include "runtime/numbers/half.h"
#include "runtime/platform/isa.h"
#include "runtime/platform/parallel.h"
#include "runtime/numbers/scales.h"
#include "runtime/call/workspace.h"

enum { CHUNK = CAST_READER_CHUNK };

/* A call with fewer elements is not worth a second thread. */
static const int64_t SINGLE_THREAD_ELEMENTS = 256 * CHUNK;

typedef struct job {
    const opmill_tensor *x, *y_scale;
    opmill_tensor *y;
    const quantize_loops *loops;
    const cast_loops *casts;
    opmill_scales scales;
    cast_reader reader;
    const float *values; /* the scales, rounded to the precision of the quotients */
    const float *zeros;
    int32_t quotient; /* the precision: OPMILL_FLOAT, a type of 16 bits, or OPMILL_DOUBLE */
    bool is_whole;    /* the output has integers, from low to high */
    float low, high;
    cast_small small; /* or the format of small floats */
    int64_t count;
    int64_t share; /* elements of a task: whole chunks */
} job;

static int64_t count_of(const int64_t *dims, int32_t rank) {
    int64_t count = 1;
    for (int32_t i = 0; i < rank; i++) {
        count *= dims[i];
    }
    return count;
}

static bool limits(int32_t type, float *low, float *high) {
    switch (type) {
    case OPMILL_UINT8:
    case OPMILL_UINT16:
    case OPMILL_UINT4:
    case OPMILL_UINT2:
        *low = 0;
        *high = (float)((1 << opmill_type_bits(type)) - 1);
        return true;
    case OPMILL_INT8:
    case OPMILL_INT16:
    case OPMILL_INT4:
    case OPMILL_INT2:
        *high = (float)((1 << (opmill_type_bits(type) - 1)) - 1);
        *low = -*high - 1;
        return true;
    default:
        return false;
    }
}

/* Rounds floats to the precision of the quotients. */
static void to_precision(const job *job, float *numbers, int64_t count) {
    uint16_t halves[CHUNK];
    if (job->quotient == OPMILL_FLOAT16 || job->quotient == OPMILL_BFLOAT16) {
        job->casts->between[OPMILL_FLOAT][job->quotient](halves, numbers, count);
        job->casts->between[job->quotient][OPMILL_FLOAT](numbers, halves, count);
    }
}

/* Elements as floats of the precision. An integer is cut off and odd where a float does not hold it
 * and it is rounded once more. */
static void read(const job *job, const cast_reader *reader, const void *data, int64_t start,
                 int64_t count, float *out) {
    if (reader->type == OPMILL_INT32 && job->quotient == OPMILL_BFLOAT16) {
        job->casts->to_odd[OPMILL_INT32](out, (const int32_t *)data + start, count);
    } else {
        opmill_cast_read(reader, data, start, count, out);
    }
    if (reader->type != job->quotient) {
        to_precision(job, out, count);
    }
}

static void read_all(const job *job, const opmill_tensor *tensor, float *out, bool is_scale) {
    const int64_t count = count_of(tensor->dims, tensor->rank);
    cast_reader reader;
    opmill_cast_reader_begin(&reader, tensor->type, job->casts);
    for (int64_t i = 0; i < count; i += CHUNK) {
        const int64_t length = count - i < CHUNK ? count - i : CHUNK;
        if (is_scale) {
            read(job, &reader, tensor->data, i, length, out + i);
        } else {
            opmill_cast_read(&reader, tensor->data, i, length, out + i);
        }
    }
}

/* A whole double, the nearest to one that is small; ties to even. */
static double nearest(double number) {
    const int32_t whole = (int32_t)number;
    const double rest = number - whole;
    const bool is_odd = (whole & 1) != 0;
    if (rest > 0.5 || (rest == 0.5 && is_odd)) {
        return whole + 1.0;
    }
    return rest < -0.5 || (rest == -0.5 && is_odd) ? whole - 1.0 : whole;
}

/* Where scales are int32: quotients of doubles, which hold both numbers. */
static void by_double(const job *job, const float *x, int64_t start, int64_t count, float *q,
                      uint8_t *y) {
    const int32_t *const scales = job->y_scale->data;
    double quotients[CHUNK];
    for (int64_t i = 0; i < count;) {
        const opmill_scale_run run = opmill_scales_run(&job->scales, start + i, count - i);
        for (int64_t k = 0; k < run.count; k++, i++) {
            const int64_t at = run.first + k * run.step;
            const double number = job->x->type == OPMILL_INT32
                                      ? (double)((const int32_t *)job->x->data)[start + i]
                                      : (double)x[i];
            const double zero = (double)job->zeros[at];
            quotients[i] = number / (double)scales[at];
            if (!job->is_whole) {
                quotients[i] = zero != 0 ? quotients[i] + zero : quotients[i];
                continue;
            }
            const double min = (double)job->low - zero, max = (double)job->high - zero;
            const double raised = quotients[i] > min ? quotients[i] : min;
            const int32_t whole = (int32_t)(nearest(raised < max ? raised : max) + zero);
            const uint16_t wide = (uint16_t)whole;
            if (opmill_type_bits(job->y->type) == 16) {
                memcpy(y + 2 * i, &wide, sizeof wide);
            } else {
                y[i] = (uint8_t)whole;
            }
        }
    }
    if (!job->is_whole) {
        job->casts->to_odd[OPMILL_DOUBLE](q, quotients, count);
        job->casts->to_small(y, q, count, &job->small);
    }
}

/* Quotients as elements of a byte or two each. */
static void finish(const job *job, float *q, float zero, const float *zeros, int64_t count,
                   uint8_t *out, int32_t bits) {
    uint16_t *const wide = (uint16_t *)(void *)out;
    if (!job->is_whole) {
        bool moved = false;
        for (int64_t i = 0; i < count; i++) {
            const float by = zeros != NULL ? zeros[i] : zero;
            q[i] = by != 0 ? q[i] + by : q[i];
            moved = moved || by != 0;
        }
        if (moved) {
            to_precision(job, q, count);
        }
        job->casts->to_small(out, q, count, &job->small);
    } else if (bits == 16) {
        if (zeros != NULL) {
            job->loops->round_16_each(wide, q, zeros, job->low, job->high, count);
        } else {
            job->loops->round_16(wide, q, zero, job->low, job->high, count);
        }
    } else if (zeros != NULL) {
        job->loops->round_8_each(out, q, zeros, job->low, job->high, count);
    } else {
        job->loops->round_8(out, q, zero, job->low, job->high, count);
    }
}

static void quantize_chunk(const job *job, int64_t start, int64_t count, uint8_t *out,
                           int32_t bits) {
    float x[CHUNK], q[CHUNK], scales[CHUNK], zeros[CHUNK];
    const float *numbers = x;
    int64_t at = 0;
    if (job->x->type == OPMILL_FLOAT && job->quotient != OPMILL_FLOAT16 &&
        job->quotient != OPMILL_BFLOAT16) {
        numbers = (const float *)job->x->data + start;
    } else {
        read(job, &job->reader, job->x->data, start, count, x);
    }
    if (job->quotient == OPMILL_DOUBLE) {
        by_double(job, numbers, start, count, q, out);
        return;
    }
    const bool is_one = opmill_scales_spread(&job->scales, start, count, job->values, job->zeros,
                                             scales, zeros, &at) != 0;
    if (is_one) {
        job->loops->divide(q, numbers, job->values[at], count);
    } else {
        job->loops->divide_each(q, numbers, scales, count);
    }
    to_precision(job, q, count);
    finish(job, q, job->zeros[at], is_one ? NULL : zeros, count, out, bits);
}

static void quantize_share(void *state, int64_t task, int32_t worker) {
    const job *const job = state;
    const int64_t begin = task * job->share;
    const int64_t end = job->count - begin < job->share ? job->count : begin + job->share;
    const int32_t bits = opmill_type_bits(job->y->type);
    uint8_t unpacked[CHUNK];
    (void)worker;
    for (int64_t i = begin; i < end; i += CHUNK) {
        const int64_t count = end - i < CHUNK ? end - i : CHUNK;
        uint8_t *const out = (uint8_t *)job->y->data + i / 8 * bits;
        quantize_chunk(job, i, count, bits < 8 ? unpacked : out, bits);
        if (bits < 8) {
            for (int64_t k = 0; k < count; k++) {
                unpacked[k] &= (uint8_t)((1u << bits) - 1);
            }
            opmill_cast_pack(out, unpacked, count, bits);
        }
    }
}

static int32_t quotient_of(const char *word) {
    return strcmp(word, "float") == 0     ? OPMILL_FLOAT
           : strcmp(word, "float16") == 0 ? OPMILL_FLOAT16
           : strcmp(word, "double") == 0  ? OPMILL_DOUBLE
                                          : OPMILL_BFLOAT16;
}

size_t opmill_quantize_workspace_bytes(const opmill_tensor *x, const opmill_tensor *y_scale,
                                       const opmill_tensor *y_zero_point, const opmill_shape *y,
                                       const opmill_quantize_plan *plan,
                                       const opmill_context *context) {
    (void)x;
    (void)y_zero_point;
    (void)y;
    (void)plan;
    (void)context;
    return opmill_workspace_size(2 * sizeof(float) *
                                 (uint64_t)count_of(y_scale->dims, y_scale->rank));
}

int opmill_quantize_compute(const opmill_tensor *x, const opmill_tensor *y_scale,
                            const opmill_tensor *y_zero_point, opmill_tensor *y,
                            const opmill_quantize_plan *plan, opmill_context *context) {
    const cast_options options = {plan->saturate != 0, false, CAST_UP};
    const int64_t scale_count = count_of(y_scale->dims, y_scale->rank);
    float *const values = opmill_workspace_begin(context->workspace);
    job job;
    memset(&job, 0, sizeof job);
    job.x = x;
    job.y_scale = y_scale;
    job.y = y;
    job.count = count_of(x->dims, x->rank);
    if (job.count == 0) {
        return OPMILL_OK;
    }
    job.loops = opmill_quantize_loops_for(opmill_isa_select(context->isa));
    job.casts = opmill_cast_loops_for(context->isa);
    job.scales = opmill_scales_of(x, plan->axis, plan->block);
    job.quotient = quotient_of(plan->quotient);
    job.is_whole = limits(y->type, &job.low, &job.high);
    if (!job.is_whole) {
        opmill_cast_small_of(y->type, &options, &job.small);
    }
    opmill_cast_reader_begin(&job.reader, x->type, job.casts);
    job.values = values;
    job.zeros = values + scale_count;
    read_all(&job, y_scale, values, true);
    if (y_zero_point != NULL) {
        read_all(&job, y_zero_point, values + scale_count, false);
    } else {
        memset(values + scale_count, 0, (size_t)scale_count * sizeof *values);
    }
    const int32_t threads = job.count > SINGLE_THREAD_ELEMENTS ? context->threads : 1;
    job.share = (job.count / threads / CHUNK + 1) * CHUNK;
    opmill_parallel((job.count + job.share - 1) / job.share, threads, quantize_share, &job);
    return OPMILL_OK;
}
