/* Dequantization, a chunk after the other: elements as floats, and products rounded to the output's
 * type. Products are those of floats where these hold both operands and round once, else of
 * doubles. */
#include "families/dequantize/kernel.h"

#include <string.h>

#include "families/dequantize/loops.h"
#include "runtime/cast/reader.h"
#include "runtime/numbers/elements.h"
#include "runtime/platform/isa.h"
#include "runtime/platform/parallel.h"
#include "runtime/numbers/scales.h"
#include "runtime/call/workspace.h"

enum { CHUNK = CAST_READER_CHUNK };

/* A call with fewer elements is not worth a second thread. */
static const int64_t SINGLE_THREAD_ELEMENTS = 256 * CHUNK;

typedef struct job {
    const opmill_tensor *x, *x_zero_point; /* the zero point NULL where it is not of int32 */
    opmill_tensor *y;
    const dequantize_loops *loops;
    const cast_loops *casts;
    opmill_scales scales;
    cast_reader reader;
    const float *values; /* the scales */
    const float *zeros;
    bool is_wide; /* products of doubles */
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

static void read_all(const cast_loops *casts, const opmill_tensor *tensor, float *out) {
    const int64_t count = count_of(tensor->dims, tensor->rank);
    cast_reader reader;
    opmill_cast_reader_begin(&reader, tensor->type, casts);
    for (int64_t i = 0; i < count; i += CHUNK) {
        opmill_cast_read(&reader, tensor->data, i, count - i < CHUNK ? count - i : CHUNK, out + i);
    }
}

/* True if a product of floats is rounded more than once, or an operand is no float. Of an integer
 * of 8 bits and a scale of 16 it is exact. */
static bool needs_doubles(const opmill_tensor *x, const opmill_tensor *scale, bool has_zero,
                          const opmill_tensor *y) {
    const bool is_whole = x->type == OPMILL_INT8 || x->type == OPMILL_UINT8 ||
                          x->type == OPMILL_INT4 || x->type == OPMILL_UINT4 ||
                          x->type == OPMILL_INT2 || x->type == OPMILL_UINT2;
    const bool is_long = x->type == OPMILL_INT16 || x->type == OPMILL_UINT16;
    if (x->type == OPMILL_INT32) {
        return true;
    }
    if (y->type == OPMILL_FLOAT) {
        return has_zero && !is_whole && !is_long;
    }
    return !is_whole || (scale->type != OPMILL_FLOAT16 && scale->type != OPMILL_BFLOAT16);
}

static void store(const job *job, const float *floats, const double *doubles, int64_t start,
                  int64_t count) {
    const int32_t type = job->y->type;
    float odd[CHUNK];
    void *const out = (char *)job->y->data + start * opmill_type_bytes(type);
    if (type == OPMILL_FLOAT) {
        if (job->is_wide) {
            job->casts->between[OPMILL_DOUBLE][OPMILL_FLOAT](out, doubles, count);
        }
        return; /* floats are there */
    }
    if (job->is_wide) {
        job->casts->to_odd[OPMILL_DOUBLE](odd, doubles, count);
        floats = odd;
    }
    job->casts->between[OPMILL_FLOAT][type](out, floats, count);
}

/* Elements of int32, run by run. */
static void scale_whole(const job *job, int64_t start, int64_t count, double *products) {
    const int32_t *const x = (const int32_t *)job->x->data + start;
    const int32_t *const zeros = job->x_zero_point != NULL ? job->x_zero_point->data : NULL;
    for (int64_t i = 0; i < count;) {
        const opmill_scale_run run = opmill_scales_run(&job->scales, start + i, count - i);
        const int64_t length = run.step == 0 ? run.count : 1;
        for (int64_t k = 0; k < run.count; k += length) {
            const int64_t at = run.first + k;
            job->loops->wide_whole(products + i + k, x + i + k, zeros != NULL ? zeros[at] : 0,
                                   job->values[at], length);
        }
        i += run.count;
    }
}

static void dequantize_chunk(const job *job, int64_t start, int64_t count) {
    float x[CHUNK], scales[CHUNK], zeros[CHUNK], floats[CHUNK];
    double products[CHUNK];
    int64_t at = 0;
    if (job->x->type == OPMILL_INT32) {
        scale_whole(job, start, count, products);
        store(job, NULL, products, start, count);
        return;
    }
    opmill_cast_read(&job->reader, job->x->data, start, count, x);
    float *const y = job->y->type == OPMILL_FLOAT ? (float *)job->y->data + start : floats;
    const bool is_one = opmill_scales_spread(&job->scales, start, count, job->values, job->zeros,
                                             scales, zeros, &at) != 0;
    if (is_one && !job->is_wide) {
        job->loops->scale(y, x, job->zeros[at], job->values[at], count);
    } else if (!job->is_wide) {
        job->loops->scale_each(y, x, zeros, scales, count);
    } else {
        for (int64_t i = 0; is_one && i < count; i++) {
            zeros[i] = job->zeros[at];
            scales[i] = job->values[at];
        }
        job->loops->wide_each(products, x, zeros, scales, count);
    }
    store(job, y, products, start, count);
}

static void dequantize_share(void *state, int64_t task, int32_t worker) {
    const job *const job = state;
    const int64_t begin = task * job->share;
    const int64_t end = job->count - begin < job->share ? job->count : begin + job->share;
    (void)worker;
    for (int64_t i = begin; i < end; i += CHUNK) {
        dequantize_chunk(job, i, end - i < CHUNK ? end - i : CHUNK);
    }
}

size_t opmill_dequantize_workspace_bytes(const opmill_tensor *x, const opmill_tensor *x_scale,
                                         const opmill_tensor *x_zero_point, const opmill_shape *y,
                                         const opmill_dequantize_plan *plan,
                                         const opmill_context *context) {
    (void)x;
    (void)x_zero_point;
    (void)y;
    (void)plan;
    (void)context;
    return opmill_workspace_size(2 * sizeof(float) *
                                 (uint64_t)count_of(x_scale->dims, x_scale->rank));
}

int opmill_dequantize_compute(const opmill_tensor *x, const opmill_tensor *x_scale,
                              const opmill_tensor *x_zero_point, opmill_tensor *y,
                              const opmill_dequantize_plan *plan, opmill_context *context) {
    const int64_t scale_count = count_of(x_scale->dims, x_scale->rank);
    float *const values = opmill_workspace_begin(context->workspace);
    job job;
    memset(&job, 0, sizeof job);
    job.x = x;
    job.y = y;
    job.count = count_of(x->dims, x->rank);
    if (job.count == 0) {
        return OPMILL_OK;
    }
    job.loops = opmill_dequantize_loops_for(opmill_isa_select(context->isa));
    job.casts = opmill_cast_loops_for(context->isa);
    job.scales = opmill_scales_of(x, plan->axis, plan->block);
    job.is_wide = needs_doubles(x, x_scale, x_zero_point != NULL, y);
    job.values = values;
    job.zeros = values + scale_count;
    read_all(job.casts, x_scale, values);
    if (x->type == OPMILL_INT32) {
        job.x_zero_point = x_zero_point;
    } else {
        opmill_cast_reader_begin(&job.reader, x->type, job.casts);
    }
    if (x_zero_point != NULL && x->type != OPMILL_INT32) {
        read_all(job.casts, x_zero_point, values + scale_count);
    } else {
        memset(values + scale_count, 0, (size_t)scale_count * sizeof *values);
    }
    const int32_t threads = job.count > SINGLE_THREAD_ELEMENTS ? context->threads : 1;
    job.share = (job.count / threads / CHUNK + 1) * CHUNK;
    opmill_parallel((job.count + job.share - 1) / job.share, threads, dequantize_share, &job);
    return OPMILL_OK;
}
