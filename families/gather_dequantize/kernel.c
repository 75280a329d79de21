/* GatherBlockQuantized: row by row of the output, which is a part of the last axis of data. The
 * codes of a run that shares a scale become numbers through a table of all codes. */
#include "families/gather_dequantize/kernel.h"

#include <string.h>

#include "runtime/cast/reader.h"
#include "runtime/numbers/elements.h"
#include "runtime/numbers/integers.h"
#include "runtime/platform/parallel.h"
#include "runtime/platform/platform.h"

enum {
    CHUNK = OPMILL_ON_STACK(256, 64),
    MIN_THREAD_ELEMENTS = 32 * 1024 /* of the output, for a thread of its own */
};

typedef struct job {
    const opmill_tensor *data, *indices, *scales, *zeros;
    opmill_tensor *output;
    const opmill_gather_dequantize_plan *plan;
    const cast_loops *casts;
    cast_reader reader;            /* its table: numbers of codes that are not packed integers */
    int64_t dims[OPMILL_MAX_RANK]; /* of data, in codes */
    int64_t count;                 /* of indices */
    int64_t slice;                 /* elements that an index selects at a time */
    int64_t row;                   /* elements of a slice that follow each other in the last axis */
    int64_t slices, share;         /* share: slices of a task */
} job;

static int64_t product(const int64_t *dims, int32_t from, int32_t to) {
    int64_t result = 1;
    for (int32_t i = from; i < to; i++) {
        result *= dims[i];
    }
    return result;
}

static int64_t code_at(const void *data, int64_t element, int64_t bits) {
    const uint8_t *const bytes = data;
    const int64_t per_byte = 8 / bits;
    const int64_t shift = element % per_byte * bits;
    return bytes[element / per_byte] >> shift & (((int64_t)1 << bits) - 1);
}

/* The numbers of at most CHUNK codes. Those in bytes begin a byte. */
static void read_codes(const job *job, int64_t element, int64_t count, float *out) {
    const uint8_t *const bytes = job->data->data;
    const int64_t bits = job->plan->bits;
    uint8_t codes[CHUNK];
    if (job->plan->packed) {
        const uint8_t *const first = bytes + element * bits / 8;
        if (bits == 4) {
            for (int64_t i = 0; i < count; i += 2) {
                codes[i] = first[i / 2] & 15;
                codes[i + 1] = first[i / 2] >> 4;
            }
        } else if (bits == 2) {
            opmill_cast_unpack(codes, first, count, 2);
        }
        job->casts->between[OPMILL_UINT8][OPMILL_FLOAT](out, bits == 8 ? first : codes, count);
    } else if (bits == 8) {
        for (int64_t i = 0; i < count; i++) {
            out[i] = job->reader.table[bytes[element + i]];
        }
    } else {
        for (int64_t i = 0; i < count; i++) {
            const int64_t at = element + i;
            out[i] = job->reader.table[bytes[at / 2] >> at % 2 * 4 & 15];
        }
    }
}

/* The first of a row's scales. */
static int64_t scales_of_row(const job *job, int64_t element) {
    const int32_t last = job->data->rank - 1;
    int64_t stride = job->scales->dims[last], position = 0, rest = element / job->dims[last];
    for (int32_t axis = last - 1; axis >= 0; axis--) {
        const int64_t index = rest % job->dims[axis];
        rest /= job->dims[axis];
        if (axis == job->plan->along) {
            position += index / job->plan->block * stride;
        } else if (job->scales->dims[axis] != 1) {
            position += index * stride;
        }
        stride *= job->scales->dims[axis];
    }
    return position;
}

/* The scale of an element of the last axis, counted from the first of its row. */
static int64_t scale_in_row(const job *job, int64_t index) {
    const int32_t last = job->data->rank - 1;
    if (job->plan->along == last) {
        return index / job->plan->block;
    }
    return job->scales->dims[last] == 1 ? 0 : index;
}

/* Elements of the last axis, counted from the first of its row, that share the scale of `index`. */
static int64_t run_of(const job *job, int64_t index, int64_t count) {
    const int32_t last = job->data->rank - 1;
    if (job->plan->along == last) {
        return opmill_min(count, job->plan->block - index % job->plan->block);
    }
    return job->scales->dims[last] == 1 ? count : 1;
}

static float zero_at(const job *job, int64_t row, int64_t index) {
    const int64_t bits = job->plan->bits;
    if (job->zeros == NULL) {
        return (float)job->plan->zero;
    }
    if (!job->plan->packed) {
        return job->reader.table[code_at(job->zeros->data, row + index, bits)];
    }
    const int32_t last = job->data->rank - 1;
    const int64_t bytes = job->zeros->dims[last];
    const uint8_t *const codes = job->zeros->data;
    return (float)code_at(codes + row / job->scales->dims[last] * bytes, index, bits);
}

static void read_scales(const job *job, int64_t first, int64_t count, float *out) {
    const int32_t type = job->scales->type;
    const char *const from = (const char *)job->scales->data + first * opmill_type_bytes(type);
    if (type == OPMILL_FLOAT) {
        memcpy(out, from, (size_t)count * sizeof *out);
    } else {
        job->casts->between[type][OPMILL_FLOAT](out, from, count);
    }
}

/* At most CHUNK elements of a row of data. */
static void dequantize(const job *job, int64_t element, int64_t scales, int64_t index,
                       int64_t count, float *out) {
    const int64_t first = scale_in_row(job, index);
    const int64_t used = scale_in_row(job, index + count - 1) - first + 1;
    float factors[CHUNK];
    read_scales(job, scales + first, used, factors);
    read_codes(job, element, count, out);
    for (int64_t begin = 0; begin < count;) {
        const int64_t at = scale_in_row(job, index + begin);
        const int64_t end = begin + run_of(job, index + begin, count - begin);
        const float zero = zero_at(job, scales, at), factor = factors[at - first];
        for (int64_t i = begin; i < end; i++) {
            out[i] = (out[i] - zero) * factor;
        }
        begin = end;
    }
}

static void write_row(const job *job, int64_t element, int64_t to) {
    const int32_t type = job->output->type;
    const int64_t scales = scales_of_row(job, element);
    const int64_t begin = element % job->dims[job->data->rank - 1];
    char *const out = (char *)job->output->data + to * opmill_type_bytes(type);
    float floats[CHUNK];
    for (int64_t i = 0; i < job->row; i += CHUNK) {
        const int64_t count = opmill_min(CHUNK, job->row - i);
        if (type == OPMILL_FLOAT) {
            dequantize(job, element + i, scales, begin + i, count, (float *)(void *)out + i);
            continue;
        }
        dequantize(job, element + i, scales, begin + i, count, floats);
        job->casts->between[OPMILL_FLOAT][type](out + i * opmill_type_bytes(type), floats, count);
    }
}

static int64_t index_at(const opmill_tensor *indices, int64_t at) {
    return indices->type == OPMILL_INT32 ? ((const int32_t *)indices->data)[at]
                                         : ((const int64_t *)indices->data)[at];
}

static void write_slices(void *state, int64_t task, int32_t worker) {
    const job *const job = state;
    const int64_t size = job->dims[job->plan->first], bytes = opmill_type_bytes(job->output->type);
    const int64_t begin = task * job->share, end = opmill_min(begin + job->share, job->slices);
    (void)worker;
    for (int64_t at = begin; at < end; at++) {
        int64_t index = index_at(job->indices, at % job->count);
        index = index < 0 ? index + size : index;
        if (index < 0 || index >= size) {
            memset((char *)job->output->data + at * job->slice * bytes, 0,
                   (size_t)(job->slice * bytes));
            continue;
        }
        const int64_t element = (at / job->count * size + index) * job->slice;
        for (int64_t i = 0; i < job->slice; i += job->row) {
            write_row(job, element + i, at * job->slice + i);
        }
    }
}

int opmill_gather_dequantize_compute(const opmill_tensor *data, const opmill_tensor *indices,
                                     const opmill_tensor *scales, const opmill_tensor *zero_points,
                                     opmill_tensor *output,
                                     const opmill_gather_dequantize_plan *plan,
                                     opmill_context *context) {
    const int32_t first = (int32_t)plan->first, last = data->rank - 1;
    job job;
    if (product(output->dims, 0, output->rank) == 0) {
        return OPMILL_OK;
    }
    job.data = data;
    job.indices = indices;
    job.scales = scales;
    job.zeros = zero_points;
    job.output = output;
    job.plan = plan;
    job.casts = opmill_cast_loops_for(context->isa);
    if (!plan->packed) {
        opmill_cast_reader_begin(&job.reader, data->type, job.casts);
    }
    memcpy(job.dims, data->dims, (size_t)data->rank * sizeof *job.dims);
    job.dims[last] *= plan->packed ? 8 / plan->bits : 1;
    job.count = product(indices->dims, 0, indices->rank);
    job.slice = product(job.dims, first + 1, data->rank);
    job.row = first == last ? 1 : job.dims[last];
    job.slices = product(job.dims, 0, first) * job.count;
    const int64_t wanted =
        opmill_min(context->threads, job.slices * job.slice / MIN_THREAD_ELEMENTS);
    const int32_t threads = (int32_t)(wanted > 1 ? wanted : 1); /* a context may have none */
    job.share = (job.slices - 1) / threads + 1;
    opmill_parallel((job.slices - 1) / job.share + 1, threads, write_slices, &job);
    return OPMILL_OK;
}
