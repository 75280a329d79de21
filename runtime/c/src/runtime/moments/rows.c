/* Normalises rows in parallel: computes mean and variance in the stash type, then applies scale and
 * bias, which are broadcast element by element where they vary. */
#include "runtime/moments/rows.h"

#include <math.h>
#include <stddef.h>

#include "runtime/numbers/elements.h"
#include "runtime/platform/isa.h"
#include "runtime/vectors/lanes.h"
#include "runtime/moments/moments.h"
#include "runtime/platform/parallel.h"
#include "runtime/numbers/reals.h"

enum { THREAD_ELEMENTS = 32 * 1024 }; /* the minimum that is worth a thread of its own */

/* A scale or a bias as it broadcasts to x: its distances along the axes of x, in elements. */
typedef struct operand {
    const opmill_tensor *tensor;
    int64_t strides[OPMILL_MAX_RANK];
    bool is_dense; /* whether the elements of a row are adjacent, in its order */
} operand;

typedef struct rows_job {
    const opmill_rows_call *call;
    const opmill_moments_loops *loops;
    operand scale;
    operand bias;
    int64_t rows;
    int64_t length;
    int64_t share;   /* of the rows, for a task */
    bool is_natural; /* whether the loops compute as the stash type asks for */
} rows_job;

static operand operand_of(const opmill_tensor *tensor, const opmill_tensor *x, int64_t begin) {
    operand job = {.tensor = tensor, .is_dense = true};
    int64_t stride = 1, length = 1;
    if (tensor == NULL) {
        return job;
    }
    for (int32_t i = x->rank - 1; i >= 0; i--) {
        const int32_t own = i - (x->rank - tensor->rank);
        const int64_t dim = own < 0 ? 1 : tensor->dims[own];
        job.strides[i] = dim == 1 ? 0 : stride;
        stride *= dim;
        if (i >= begin) {
            job.is_dense = job.is_dense && (x->dims[i] == 1 || job.strides[i] == length);
            length *= x->dims[i];
        }
    }
    return job;
}

/* The element of an operand that belongs to element `i` of x's axes from `first` to `last`. */
static int64_t offset_of(const operand *of, const opmill_tensor *x, int64_t i, int64_t first,
                         int64_t last) {
    int64_t offset = 0;
    for (int64_t axis = last - 1; axis >= first; axis--) {
        offset += i % x->dims[axis] * of->strides[axis];
        i /= x->dims[axis];
    }
    return offset;
}

/* Elements of an operand as reals of x's loops: those of a row from `first` on. */
static const void *fetch(const rows_job *job, const operand *of, int64_t row_offset, int64_t first,
                         int64_t count, double *space) {
    const opmill_tensor *const x = job->call->x;
    const int64_t bytes = opmill_type_bytes(x->type);
    if (of->tensor == NULL) {
        return NULL;
    }
    if (of->is_dense) {
        const char *const data = of->tensor->data;
        return job->loops->widen(data + (row_offset + first) * bytes, space, count);
    }
    for (int64_t i = 0; i < count; i++) {
        const int64_t at = row_offset + offset_of(of, x, first + i, job->call->begin, x->rank);
        const double real = opmill_real_at(of->tensor->data, of->tensor->type, at);
        if (x->type == OPMILL_DOUBLE) {
            space[i] = real;
        } else {
            ((float *)(void *)space)[i] = (float)real;
        }
    }
    return space;
}

static double element(const rows_job *job, int64_t i) {
    const opmill_tensor *const x = job->call->x;
    return opmill_real_of_type(opmill_real_at(x->data, x->type, i), job->call->stash);
}

/* The moments of a row whose elements are rounded to the stash type; of the squares the mean alone.
 */
static opmill_moments rounded_moments(const rows_job *job, int64_t start) {
    opmill_moments found = {0, 0};
    if (job->call->centered) {
        for (int64_t i = 0; i < job->length; i++) {
            found.mean += element(job, start + i);
        }
        found.mean /= (double)job->length;
    }
    for (int64_t i = 0; i < job->length; i++) {
        const double less = element(job, start + i) - found.mean;
        found.variance += less * less;
    }
    found.variance /= (double)job->length;
    return found;
}

static opmill_moments moments(const rows_job *job, int64_t start) {
    const opmill_tensor *const x = job->call->x;
    const opmill_moments_set set = {.type = x->type, .count = job->length};
    const void *const from = (const char *)x->data + start * opmill_type_bytes(x->type);
    opmill_moments found = {0, NAN};
    if (!job->is_natural) {
        return rounded_moments(job, start);
    }
    if (job->call->centered) {
        return opmill_moments_of(job->loops, &set, from);
    }
    found.variance = opmill_moments_square(job->loops, &set, from);
    return found;
}

static void write_row(const rows_job *job, int64_t row, double mean, double factor) {
    const opmill_rows_call *const call = job->call;
    const opmill_tensor *const x = call->x;
    const int64_t start = row * job->length, bytes = opmill_type_bytes(x->type);
    const int64_t scale_row = offset_of(&job->scale, x, row, 0, call->begin);
    const int64_t bias_row = call->bias == NULL ? 0 : offset_of(&job->bias, x, row, 0, call->begin);
    double scales[OPMILL_LANES_CHUNK], biases[OPMILL_LANES_CHUNK];
    if (job->is_natural && x->type == call->y->type && opmill_moments_fit(mean, factor)) {
        for (int64_t i = 0; i < job->length; i += OPMILL_LANES_CHUNK) {
            const int64_t left = job->length - i;
            const int64_t size = left < OPMILL_LANES_CHUNK ? left : OPMILL_LANES_CHUNK;
            job->loops->shift_each((const char *)x->data + (start + i) * bytes,
                                   (char *)call->y->data + (start + i) * bytes, size, mean, factor,
                                   fetch(job, &job->scale, scale_row, i, size, scales),
                                   fetch(job, &job->bias, bias_row, i, size, biases));
        }
        return;
    }
    for (int64_t i = 0; i < job->length; i++) {
        const int64_t at = scale_row + offset_of(&job->scale, x, i, call->begin, x->rank);
        double real = (element(job, start + i) - mean) * factor *
                      opmill_real_at(call->scale->data, call->scale->type, at);
        if (call->bias != NULL) {
            const int64_t position = bias_row + offset_of(&job->bias, x, i, call->begin, x->rank);
            real += opmill_real_at(call->bias->data, call->bias->type, position);
        }
        opmill_real_put(call->y->data, call->y->type, start + i, real);
    }
}

static void run_task(void *state, int64_t task, int32_t worker) {
    const rows_job *const job = state;
    const opmill_rows_call *const call = job->call;
    const int64_t first = task * job->share, left = job->rows - first;
    const int64_t last = left < job->share ? job->rows : first + job->share;
    (void)worker;
    for (int64_t row = first; row < last; row++) {
        opmill_moments found = {NAN, NAN};
        if (job->length > 0) {
            found = moments(job, row * job->length);
        }
        const double factor = 1 / sqrt(found.variance + call->epsilon);
        if (call->mean != NULL) {
            opmill_real_put(call->mean->data, call->mean->type, row, found.mean);
        }
        if (call->deviation != NULL) {
            opmill_real_put(call->deviation->data, call->deviation->type, row, factor);
        }
        if (job->length > 0) {
            write_row(job, row, found.mean, factor);
        }
    }
}

/* What the type's own loops compute in. */
static int32_t natural_stash(int32_t type) {
    return type == OPMILL_DOUBLE ? OPMILL_DOUBLE : OPMILL_FLOAT;
}

void opmill_rows_normalize(const opmill_rows_call *call, const opmill_context *context) {
    const opmill_tensor *const x = call->x;
    rows_job job = {.call = call, .rows = 1, .length = 1};
    int64_t threads;
    for (int64_t i = 0; i < x->rank; i++) {
        *(i < call->begin ? &job.rows : &job.length) *= x->dims[i];
    }
    if (job.rows == 0) {
        return;
    }
    job.loops = opmill_moments_loops_of(x->type, opmill_isa_select(context->isa));
    job.is_natural = call->stash == natural_stash(x->type) ||
                     (call->stash == OPMILL_DOUBLE && x->type != OPMILL_DOUBLE);
    job.scale = operand_of(call->scale, x, call->begin);
    job.bias = operand_of(call->bias, x, call->begin);
    threads = job.rows * job.length / THREAD_ELEMENTS;
    threads = threads < context->threads ? threads : context->threads;
    threads = threads > 1 ? threads : 1;
    job.share = (job.rows - 1) / threads + 1;
    opmill_parallel((job.rows - 1) / job.share + 1, (int32_t)threads, run_task, &job);
}
