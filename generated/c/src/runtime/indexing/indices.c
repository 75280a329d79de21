/* Checks index tensors for values out of range, in parallel and with vector loops for each
 * instruction set, and reads them in blocks as positions. */
#include "runtime/indexing/indices.h"

#include <string.h>

#include "opmill/isa.h"
#include "runtime/platform/isa.h"
#include "runtime/call/message.h"
#include "runtime/platform/parallel.h"
#include "runtime/platform/platform.h"

enum {
    PART = OPMILL_ON_STACK(1024, 64), /* values that compilers compare in vectors */
    READ_PART = 64,                   /* values that are copied before they are looked at */
    TASK_VALUES = 128 * 1024,         /* values that are worth a task of their own */
    MAX_TASKS = 64
};

typedef struct check_job {
    const opmill_indices *indices;
    int64_t values;
    int64_t share;            /* values of a task, whole tuples */
    int64_t found[MAX_TASKS]; /* the first position out of range, or -1 */
    int64_t value[MAX_TASKS]; /* what is there */
} check_job;

void opmill_indices_begin(opmill_indices *indices, const opmill_tensor *tensor,
                          const opmill_tensor *data, int32_t first, int32_t components) {
    const int32_t rank = tensor->rank - (components == 0);
    indices->isa = OPMILL_ISA_BASELINE;
    indices->tensor = tensor;
    indices->components = components;
    indices->first = first;
    indices->sizes = data->dims + first;
    indices->count = 1;
    for (int32_t i = 0; i < rank; i++) {
        indices->count *= tensor->dims[i];
    }
    if (components > 0) {
        indices->count /= components;
    }
}

static int64_t value_at(const opmill_indices *indices, int64_t position) {
    if (indices->tensor->type == OPMILL_INT32) {
        return ((const int32_t *)indices->tensor->data)[position];
    }
    return ((const int64_t *)indices->tensor->data)[position];
}

/* True for an index below -size, or of size and above: one comparison, as sizes are below 2^63. */
static inline bool is_outside(int64_t value, int64_t size) {
    return (uint64_t)value + (uint64_t)size >= 2 * (uint64_t)size;
}

/* The top bit is set where a value is outside; also for axes of more than 2^62 positions. Sums
 * alone, which every processor has in vectors. */
static inline uint64_t mark_outside(int64_t value, int64_t size) {
    return ((uint64_t)value + (uint64_t)size) | ~((uint64_t)value - (uint64_t)size);
}

/* All bits where the top one is set, else none. */
static inline uint64_t spread_top(uint64_t value) { return (uint64_t)0 - (value >> 63); }

/* The position of an index, 0 for what is not on the axis; without branches, for vectors. */
static inline int64_t position_of(int64_t value, int64_t size) {
    const uint64_t length = (uint64_t)size, index = (uint64_t)value;
    const uint64_t position = index + (length & spread_top(index));
    return (int64_t)(position & spread_top(~position & (position - length)));
}

/* What is built for each instruction set. */
typedef struct index_loops {
    bool (*any_outside_32)(const int32_t *values, int64_t count, const int64_t *sizes,
                           int32_t components);
    bool (*any_outside_64)(const int64_t *values, int64_t count, const int64_t *sizes,
                           int32_t components);
    void (*read_32)(int64_t *offsets, const int32_t *values, int64_t count, int64_t size);
    void (*read_64)(int64_t *offsets, const int64_t *values, int64_t count, int64_t size);
    void (*join_pairs)(int64_t *offsets, const int64_t *values, int64_t count,
                       const int64_t *sizes);
} index_loops;

#define LOOPS baseline
#include "runtime/indexing/indices_body.h"
#if OPMILL_X86_64
OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX2)
#define LOOPS avx2
#include "runtime/indexing/indices_body.h"
OPMILL_TARGET_END
OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX512)
#define LOOPS avx512
#include "runtime/indexing/indices_body.h"
OPMILL_TARGET_END
#endif

static const index_loops *loops_of(int32_t isa) {
#if OPMILL_X86_64
    if (isa == OPMILL_ISA_AVX512) {
        return &loops_avx512;
    }
    if (isa == OPMILL_ISA_AVX2) {
        return &loops_avx2;
    }
#else
    (void)isa;
#endif
    return &loops_baseline;
}

static bool any_outside(const opmill_indices *indices, int64_t from, int64_t count) {
    const index_loops *const loops = loops_of(indices->isa);
    if (indices->tensor->type == OPMILL_INT32) {
        return loops->any_outside_32((const int32_t *)indices->tensor->data + from, count,
                                     indices->sizes, indices->components);
    }
    return loops->any_outside_64((const int64_t *)indices->tensor->data + from, count,
                                 indices->sizes, indices->components);
}

static void check_task(void *state, int64_t task, int32_t worker) {
    check_job *const job = state;
    const opmill_indices *const indices = job->indices;
    const int32_t components = indices->components;
    const int64_t part = PART / components * components;
    int64_t from = task * job->share;
    const int64_t end = job->values - from < job->share ? job->values : from + job->share;
    (void)worker;
    job->found[task] = -1;
    for (; from < end; from += part) {
        const int64_t count = end - from < part ? end - from : part;
        if (!any_outside(indices, from, count)) {
            continue;
        }
        for (int64_t i = 0; i < count; i++) {
            const int64_t value = value_at(indices, from + i);
            if (is_outside(value, indices->sizes[i % components])) {
                job->found[task] = from + i;
                job->value[task] = value;
                return;
            }
        }
    }
}

static void report(const opmill_indices *indices, int64_t position, int64_t value,
                   opmill_context *context) {
    const opmill_tensor *const tensor = indices->tensor;
    const int32_t k = (int32_t)(position % indices->components);
    int64_t index[OPMILL_MAX_RANK];
    for (int32_t i = tensor->rank - 1; i >= 0; i--) {
        index[i] = position % tensor->dims[i];
        position /= tensor->dims[i];
    }
    opmill_message message = opmill_contents_begin(context);
    opmill_put_text(&message, "indices");
    if (tensor->rank > 0) {
        opmill_put_ints(&message, index, tensor->rank);
    }
    opmill_put_text(&message, " = ");
    opmill_put_int(&message, value);
    opmill_put_text(&message, " is out of range for axis ");
    opmill_put_int(&message, indices->first + k);
    opmill_put_text(&message, " of data, expected ");
    if (indices->sizes[k] == 0) {
        opmill_put_text(&message, "no index (the axis is empty)");
        return;
    }
    opmill_put_int(&message, -indices->sizes[k]);
    opmill_put_text(&message, " to ");
    opmill_put_int(&message, indices->sizes[k] - 1);
}

bool opmill_indices_check(opmill_indices *indices, opmill_context *context) {
    indices->isa = opmill_isa_select(context->isa);
    check_job job = {.indices = indices, .values = indices->count * indices->components};
    if (job.values == 0) {
        return true;
    }
    int64_t tasks = job.values / TASK_VALUES;
    tasks = context->threads < 2 || tasks < 1 ? 1 : tasks < MAX_TASKS ? tasks : (int64_t)MAX_TASKS;
    job.share = ((indices->count - 1) / tasks + 1) * indices->components;
    tasks = (job.values - 1) / job.share + 1;
    opmill_parallel(tasks, tasks > 1 ? context->threads : 1, check_task, &job);
    for (int64_t task = 0; task < tasks; task++) {
        if (job.found[task] >= 0) {
            report(indices, job.found[task], job.value[task], context);
            return false;
        }
    }
    return true;
}

/* Values are copied before they are looked at, so that each is read once. */
static void copy_values(const opmill_indices *indices, int64_t from, int64_t count, int64_t *to) {
    if (indices->tensor->type == OPMILL_INT32) {
        int32_t narrow[PART];
        memcpy(narrow, (const int32_t *)indices->tensor->data + from,
               (size_t)count * sizeof *narrow);
        for (int64_t i = 0; i < count; i++) {
            to[i] = narrow[i];
        }
        return;
    }
    memcpy(to, (const int64_t *)indices->tensor->data + from, (size_t)count * sizeof *to);
}

static void read_single(const opmill_indices *indices, int64_t first, int64_t count,
                        int64_t *offsets) {
    const index_loops *const loops = loops_of(indices->isa);
    if (indices->tensor->type == OPMILL_INT32) {
        loops->read_32(offsets, (const int32_t *)indices->tensor->data + first, count,
                       indices->sizes[0]);
    } else {
        loops->read_64(offsets, (const int64_t *)indices->tensor->data + first, count,
                       indices->sizes[0]);
    }
}

void opmill_indices_read(const opmill_indices *indices, int64_t first, int64_t count,
                         int64_t *offsets) {
    const int32_t components = indices->components;
    int64_t values[PART];
    if (components == 1) {
        read_single(indices, first, count, offsets);
        return;
    }
    if (components == 0) {
        memset(offsets, 0, (size_t)count * sizeof *offsets);
        return;
    }
    const int64_t whole = PART / components;
    for (int64_t done = 0; done < count; done += whole) {
        const int64_t here = count - done < whole ? count - done : whole;
        copy_values(indices, (first + done) * components, here * components, values);
        if (components == 2) {
            loops_of(indices->isa)->join_pairs(offsets + done, values, here, indices->sizes);
            continue;
        }
        for (int64_t i = 0; i < here; i++) {
            int64_t offset = 0;
            for (int32_t k = 0; k < components; k++) {
                offset = offset * indices->sizes[k] +
                         position_of(values[i * components + k], indices->sizes[k]);
            }
            offsets[done + i] = offset;
        }
    }
}
