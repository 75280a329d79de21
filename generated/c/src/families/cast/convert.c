/* Selects how a tensor is converted (copy, loop, by way of float, table, or bit by bit) and
 * converts it in chunks, in parallel. */
#include "convert.h"

#include <string.h>

#include "runtime/cast/loops.h"
#include "runtime/numbers/elements.h"
#include "runtime/platform/parallel.h"
#include "runtime/platform/platform.h"

/* Elements that go through a thread's buffers together, and the share of a thread. Packed elements
 * begin a byte at multiples of both. */
enum {
    CHUNK = OPMILL_ON_STACK(1024, 128),
    SINGLE_THREAD_ELEMENTS = 64 * CHUNK,
    PATTERNS = OPMILL_ON_STACK(256, 16)
};

/* A call that moves less is not worth a second thread. */
static const int64_t MIN_SHARED_BYTES = 1024 * 1024;

typedef struct cast_job {
    enum { COPY, LOOP, BY_FLOAT, TABLE, BITS } sort;
    int32_t from, to;
    cast_loop *first, *second; /* a loop, or two by float */
    cast_small small;          /* by float without a second loop: the format of the result */
    const cast_loops *loops;
    const cast_options *options;
    const void *table; /* by patterns: elements of the output */
    const uint8_t *in;
    uint8_t *out;
    int64_t count;
    int64_t share; /* elements of a thread: whole chunks */
} cast_job;

static const char *const NAMES[] = {"copy", "loop", "float", "table", "bits"};

static bool is_half(int32_t type) { return type == OPMILL_FLOAT16 || type == OPMILL_BFLOAT16; }

/* True if a type of integers, or one of the floats with a loop to float, holds more than a half
 * does after its first rounding, so that this must not be to the nearest. Integers that a float
 * rounds are beyond float16 in any case. */
static bool must_be_odd(int32_t from, int32_t to) {
    return from == OPMILL_DOUBLE ||
           (to == OPMILL_BFLOAT16 && (from == OPMILL_INT32 || from == OPMILL_UINT32 ||
                                      from == OPMILL_INT64 || from == OPMILL_UINT64));
}

static cast_loop *loop_between(const cast_loops *loops, int32_t from, int32_t to) {
    return from < CAST_TYPES && to < CAST_TYPES ? loops->between[from][to] : NULL;
}

/* The loop to float, cut off and odd where that is needed; NULL too for float itself. */
static cast_loop *loop_to_float(const cast_loops *loops, int32_t from, int32_t to) {
    return from >= CAST_TYPES      ? NULL
           : must_be_odd(from, to) ? loops->to_odd[from]
                                   : loops->between[from][OPMILL_FLOAT];
}

static void choose(cast_job *job, int32_t from, int32_t to, int64_t count,
                   const cast_options *options, const opmill_context *context) {
    const cast_loops *const loops = opmill_cast_loops_for(context->isa);
    job->loops = loops;
    job->from = from;
    job->to = to;
    job->count = count;
    job->second = NULL;
    job->first = loop_between(loops, from, to);
    job->sort = from == to ? COPY : LOOP;
    if (job->sort == COPY || job->first != NULL) {
        return;
    }
    job->first = loop_to_float(loops, from, to);
    if (is_half(to) || is_half(from)) {
        job->second = loop_between(loops, OPMILL_FLOAT, to);
    }
    const bool is_float = from == OPMILL_FLOAT || job->first != NULL;
    if (is_float && job->second != NULL) {
        job->sort = BY_FLOAT;
    } else if (opmill_type_bits(from) <= 8 && 1 << opmill_type_bits(from) <= PATTERNS &&
               count >= PATTERNS / 4) {
        job->sort = TABLE;
    } else {
        job->sort = is_float && opmill_cast_small_of(to, options, &job->small) ? BY_FLOAT : BITS;
    }
}

/* For each width of a result in bytes, a loop over `count` of them. */
#define STORE(type, result) \
    for (int64_t i = 0; i < count; i++) { \
        const type bits = (type)(result); \
        memcpy((uint8_t *)out + i * (int64_t)sizeof bits, &bits, sizeof bits); \
    } \
    break;
#define STORE_ALL(bytes, result) \
    switch (bytes) { \
    case 8: \
        STORE(uint64_t, result) \
    case 4: \
        STORE(uint32_t, result) \
    case 2: \
        STORE(uint16_t, result) \
    default: \
        STORE(uint8_t, result) \
    }

static int32_t bytes_of(int32_t type) {
    const int32_t bytes = opmill_type_bytes(type);
    return bytes > 0 ? bytes : 1; /* unpacked */
}

static uint64_t bits_at(const uint8_t *in, int64_t i, int32_t bytes) {
    uint64_t eight;
    uint32_t four;
    uint16_t two;
    switch (bytes) {
    case 8:
        memcpy(&eight, in + 8 * i, sizeof eight);
        return eight;
    case 4:
        memcpy(&four, in + 4 * i, sizeof four);
        return four;
    case 2:
        memcpy(&two, in + 2 * i, sizeof two);
        return two;
    default:
        return in[i];
    }
}

static void one_by_one(const cast_job *job, void *out, const void *in, int64_t count) {
    const int32_t bytes = bytes_of(job->from);
    STORE_ALL(bytes_of(job->to),
              opmill_cast_bits(bits_at(in, i, bytes), job->from, job->to, job->options))
}

#define LOOK_UP(type) \
    static void look_up_##type(const type *restrict table, const uint8_t *restrict in, \
                               type *restrict out, int64_t count) { \
        for (int64_t i = 0; i < count; i++) { \
            out[i] = table[in[i]]; \
        } \
    }

LOOK_UP(uint8_t)
LOOK_UP(uint16_t)
LOOK_UP(uint32_t)
LOOK_UP(uint64_t)

static void look_up(const cast_job *job, void *out, const uint8_t *in, int64_t count) {
    switch (bytes_of(job->to)) {
    case 8:
        look_up_uint64_t(job->table, in, out, count);
        break;
    case 4:
        look_up_uint32_t(job->table, in, out, count);
        break;
    case 2:
        look_up_uint16_t(job->table, in, out, count);
        break;
    default:
        look_up_uint8_t(job->table, in, out, count);
        break;
    }
}

/* A chunk whose elements have a byte each where they are packed in the tensor. */
static void convert_chunk(const cast_job *job, void *out, const void *in, int64_t count) {
    float converted[CHUNK];
    const float *floats = in;
    switch (job->sort) {
    case BY_FLOAT:
        if (job->first != NULL) {
            job->first(converted, in, count);
            floats = converted;
        }
        if (job->second != NULL) {
            job->second(out, floats, count);
        } else {
            job->loops->to_small(out, floats, count, &job->small);
        }
        break;
    case TABLE:
        look_up(job, out, in, count);
        break;
    default:
        one_by_one(job, out, in, count);
        break;
    }
}

static void convert_chunks(const cast_job *job, int64_t start, int64_t end) {
    const int32_t from = opmill_type_bits(job->from), to = opmill_type_bits(job->to);
    uint8_t unpacked[CHUNK], packed[CHUNK];
    for (int64_t i = start; i < end; i += CHUNK) {
        const int64_t count = end - i < CHUNK ? end - i : CHUNK;
        const uint8_t *in = job->in + i / 8 * from;
        uint8_t *const out = job->out + i / 8 * to;
        if (from < 8) {
            opmill_cast_unpack(unpacked, in, count, from);
            in = unpacked;
        }
        convert_chunk(job, to < 8 ? packed : out, in, count);
        if (to < 8) {
            opmill_cast_pack(out, packed, count, to);
        }
    }
}

static void convert_share(void *state, int64_t task, int32_t worker) {
    const cast_job *const job = state;
    const int64_t start = task * job->share;
    const int64_t end = job->count - start < job->share ? job->count : start + job->share;
    const int32_t from = opmill_type_bits(job->from), to = opmill_type_bits(job->to);
    (void)worker;
    if (job->sort == LOOP) {
        job->first(job->out + start / 8 * to, job->in + start / 8 * from, end - start);
    } else if (job->sort == COPY && to >= 8) {
        memcpy(job->out + start / 8 * to, job->in + start / 8 * from,
               (size_t)((end - start) * (to / 8)));
    } else {
        convert_chunks(job, start, end);
    }
}

static int64_t count_of(const opmill_tensor *tensor) {
    int64_t count = 1;
    for (int32_t i = 0; i < tensor->rank; i++) {
        count *= tensor->dims[i];
    }
    return count;
}

static int32_t threads_for(int64_t count, int32_t from, int32_t to, int32_t threads) {
    const int64_t bytes = count / 8 * (opmill_type_bits(from) + opmill_type_bits(to));
    return threads > 1 && bytes >= MIN_SHARED_BYTES && count > SINGLE_THREAD_ELEMENTS ? threads : 1;
}

void opmill_cast_convert(const opmill_tensor *input, opmill_tensor *output,
                         const cast_options *options, const opmill_context *context) {
    uint64_t table[PATTERNS];
    cast_job job;
    choose(&job, input->type, output->type, count_of(input), options, context);
    job.options = options;
    job.in = input->data;
    job.out = output->data;
    if (job.sort == TABLE) {
        uint8_t patterns[PATTERNS];
        const int count = 1 << opmill_type_bits(job.from);
        for (int k = 0; k < count; k++) {
            patterns[k] = (uint8_t)k;
        }
        one_by_one(&job, table, patterns, count);
        job.table = table;
    }
    const int32_t threads = threads_for(job.count, job.from, job.to, context->threads);
    job.share = (job.count / threads / CHUNK + 1) * CHUNK;
    opmill_parallel((job.count + job.share - 1) / job.share, threads, convert_share, &job);
}

void opmill_cast_choose(const opmill_tensor *input, int32_t to, const cast_options *options,
                        const opmill_context *context, opmill_choice *choice) {
    cast_job job;
    choose(&job, input->type, to, count_of(input), options, context);
    choice->variant = NAMES[job.sort];
    choice->isa = job.sort == LOOP || job.sort == BY_FLOAT ? job.loops->isa : OPMILL_ISA_PLAIN;
    choice->threads = threads_for(job.count, input->type, to, context->threads);
}
