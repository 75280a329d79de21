/* Col2Im: one element of all blocks after the other is added to the plane of a channel. float and
 * the 16-bit floats are added up in double, in the workspace, and rounded once. */
#include "families/col2im/kernel.h"

#include <string.h>

#include "runtime/numbers/elements.h"
#include "runtime/numbers/half.h"
#include "runtime/platform/parallel.h"
#include "runtime/call/workspace.h"

enum { MIN_THREAD_ELEMENTS = 32 * 1024 /* of the input, for a thread of its own */ };

/* Adds `count` elements to sums that are `step` apart. */
typedef void add_function(void *sums, int64_t step, const void *elements, int64_t count);
/* Rounds sums to elements. */
typedef void store_function(void *elements, const void *sums, int64_t count);

#define DEFINE_ADD(name, sum, type, VALUE)                                                         \
    static void add_##name(void *sums, int64_t step, const void *elements, int64_t count) {        \
        sum *const to = sums;                                                                      \
        const type *const from = elements;                                                         \
        if (step == 1) {                                                                           \
            for (int64_t j = 0; j < count; j++) {                                                  \
                to[j] = (sum)(to[j] + VALUE(from[j]));                                             \
            }                                                                                      \
            return;                                                                                \
        }                                                                                          \
        for (int64_t j = 0; j < count; j++) {                                                      \
            to[j * step] = (sum)(to[j * step] + VALUE(from[j]));                                   \
        }                                                                                          \
    }

#define DEFINE_STORE(name, type, ELEMENT)                                                          \
    static void store_##name(void *elements, const void *sums, int64_t count) {                    \
        type *const to = elements;                                                                 \
        const double *const from = sums;                                                           \
        for (int64_t j = 0; j < count; j++) {                                                      \
            to[j] = ELEMENT(from[j]);                                                              \
        }                                                                                          \
    }

#define SAME(x) (x)
#define WIDE(x) ((double)(x))
#define OF_FLOAT16(x) ((double)opmill_float16_to_float(x))
#define OF_BFLOAT16(x) ((double)opmill_bfloat16_to_float(x))
#define UNSIGNED(x) ((unsigned)(x)) /* sums of narrow integers wrap around as unsigned ones */
DEFINE_ADD(8, uint8_t, uint8_t, UNSIGNED)
DEFINE_ADD(16, uint16_t, uint16_t, UNSIGNED)
DEFINE_ADD(32, uint32_t, uint32_t, SAME)
DEFINE_ADD(64, uint64_t, uint64_t, SAME)
DEFINE_ADD(double, double, double, SAME)
DEFINE_ADD(float, double, float, WIDE)
DEFINE_ADD(float16, double, uint16_t, OF_FLOAT16)
DEFINE_ADD(bfloat16, double, uint16_t, OF_BFLOAT16)
DEFINE_STORE(float, float, (float))
#define TO_FLOAT16(x) opmill_float_to_float16((float)(x))
#define TO_BFLOAT16(x) opmill_float_to_bfloat16((float)(x))
DEFINE_STORE(float16, uint16_t, TO_FLOAT16)
DEFINE_STORE(bfloat16, uint16_t, TO_BFLOAT16)

static void add_bool(void *sums, int64_t step, const void *elements, int64_t count) {
    uint8_t *const to = sums;
    const uint8_t *const from = elements;
    for (int64_t j = 0; j < count; j++) {
        to[j * step] = (uint8_t)((to[j * step] | from[j]) != 0);
    }
}

/* A complex number is two numbers side by side. */
#define DEFINE_COMPLEX(name, type)                                                                 \
    static void add_##name(void *sums, int64_t step, const void *elements, int64_t count) {        \
        double *const to = sums;                                                                   \
        const type *const from = elements;                                                         \
        for (int64_t j = 0; j < count; j++) {                                                      \
            to[2 * j * step] += (double)from[2 * j];                                               \
            to[2 * j * step + 1] += (double)from[2 * j + 1];                                       \
        }                                                                                          \
    }
DEFINE_COMPLEX(complex64, float)
DEFINE_COMPLEX(complex128, double)

typedef struct col2im_job {
    const opmill_tensor *input;
    opmill_tensor *output;
    const opmill_col2im_plan *plan;
    add_function *add;
    store_function *store; /* NULL where elements are added up in the output */
    char *sums;            /* of all workers */
    size_t sums_bytes;     /* of a worker */
    int32_t element;       /* bytes of an element */
    int32_t sum;           /* bytes of its sum */
    int32_t parts;         /* of an element, which `store` rounds one by one */
    int64_t plane;         /* elements of a channel of the image */
    int64_t planes;
    int64_t size;  /* elements of a block */
    int64_t count; /* of blocks */
} col2im_job;

static void set_functions(col2im_job *job, int32_t type) {
    static const struct {
        int32_t type;
        add_function *add;
        store_function *store;
    } FUNCTIONS[] = {
        {OPMILL_FLOAT, add_float, store_float},
        {OPMILL_DOUBLE, add_double, NULL},
        {OPMILL_FLOAT16, add_float16, store_float16},
        {OPMILL_BFLOAT16, add_bfloat16, store_bfloat16},
        {OPMILL_COMPLEX64, add_complex64, store_float},
        {OPMILL_COMPLEX128, add_complex128, NULL},
        {OPMILL_BOOL, add_bool, NULL},
    };
    job->element = opmill_type_bytes(type);
    job->parts = type == OPMILL_COMPLEX64 ? 2 : 1;
    job->add = job->element == 1   ? add_8
               : job->element == 2 ? add_16
               : job->element == 4 ? add_32
                                   : add_64;
    job->store = NULL;
    for (size_t i = 0; i < sizeof FUNCTIONS / sizeof FUNCTIONS[0]; i++) {
        if (FUNCTIONS[i].type == type) {
            job->add = FUNCTIONS[i].add;
            job->store = FUNCTIONS[i].store;
        }
    }
    job->sum = job->store != NULL ? (int32_t)sizeof(double) * job->parts : job->element;
}

static int64_t product(const int64_t *values, int64_t count) {
    int64_t result = 1;
    for (int64_t i = 0; i < count; i++) {
        result *= values[i];
    }
    return result;
}

/* No work where the image or the blocks are empty: `planes` is 0 then. */
static int32_t describe(col2im_job *job, const opmill_tensor *input, const int64_t *dims,
                        const opmill_col2im_plan *plan, const opmill_context *context) {
    const int64_t axes = plan->block.count;
    int64_t threads;
    bool empty = input->dims[0] == 0 || input->dims[1] == 0;
    *job = (col2im_job){.input = input, .plan = plan};
    set_functions(job, input->type);
    for (int64_t i = 0; i < axes; i++) {
        empty = empty || dims[2 + i] == 0;
    }
    if (empty) {
        return 1;
    }
    job->plane = product(dims + 2, axes);
    job->planes = dims[0] * dims[1];
    job->size = product(plan->block.values, axes);
    job->count = product(plan->blocks.values, axes);
    job->sums_bytes = job->store != NULL ? (size_t)job->plane * (size_t)job->sum : 0;
    threads = job->planes * job->size * job->count / MIN_THREAD_ELEMENTS;
    threads = threads < job->planes ? threads : job->planes;
    threads = threads < context->threads ? threads : context->threads;
    return threads > 1 ? (int32_t)threads : 1;
}

/* The blocks of an axis whose element `at` falls on the image: `first` to `end` - 1. */
static void find_range(const col2im_job *job, int64_t axis, int64_t at, int64_t *first,
                       int64_t *end) {
    const opmill_col2im_plan *const plan = job->plan;
    const int64_t stride = plan->strides.values[axis], blocks = plan->blocks.values[axis];
    const int64_t shift = at * plan->dilations.values[axis] - plan->begin.values[axis];
    const int64_t last = job->output->dims[2 + axis] - 1 - shift;
    *first = shift < 0 ? (-shift - 1) / stride + 1 : 0;
    *end = last < 0 ? 0 : last / stride + 1;
    *end = *end < blocks ? *end : blocks;
}

/* Adds element `index` of the blocks, which begin at `from`, to a plane. */
static void add_element(const col2im_job *job, const int64_t *index, const char *from, char *sums) {
    const opmill_col2im_plan *const plan = job->plan;
    const int64_t inner = plan->block.count - 1;
    int64_t first[OPMILL_MAX_RANK], end[OPMILL_MAX_RANK], at[OPMILL_MAX_RANK];
    for (int64_t i = 0; i <= inner; i++) {
        find_range(job, i, index[i], &first[i], &end[i]);
        at[i] = first[i];
        if (first[i] >= end[i]) {
            return;
        }
    }
    for (;;) {
        int64_t source = 0, target = 0, axis = inner - 1;
        for (int64_t i = 0; i <= inner; i++) {
            source = source * plan->blocks.values[i] + at[i];
            target = target * job->output->dims[2 + i] + at[i] * plan->strides.values[i] +
                     index[i] * plan->dilations.values[i] - plan->begin.values[i];
        }
        job->add(sums + target * job->sum, plan->strides.values[inner],
                 from + source * job->element, end[inner] - first[inner]);
        while (axis >= 0 && ++at[axis] == end[axis]) {
            at[axis] = first[axis];
            axis--;
        }
        if (axis < 0) {
            return;
        }
    }
}

static void run_task(void *state, int64_t plane, int32_t worker) {
    const col2im_job *const job = state;
    const int64_t *const block = job->plan->block.values;
    char *const out = (char *)job->output->data + plane * job->plane * job->element;
    char *const sums = job->store != NULL ? job->sums + (size_t)worker * job->sums_bytes : out;
    const char *from =
        (const char *)job->input->data + plane * job->size * job->count * job->element;
    int64_t index[OPMILL_MAX_RANK] = {0};
    memset(sums, 0, (size_t)job->plane * (size_t)job->sum);
    for (int64_t k = 0; k < job->size; k++) {
        add_element(job, index, from, sums);
        from += job->count * job->element;
        for (int64_t i = job->plan->block.count - 1; i >= 0 && ++index[i] == block[i]; i--) {
            index[i] = 0;
        }
    }
    if (job->store != NULL) {
        job->store(out, sums, job->plane * job->parts);
    }
}

size_t opmill_col2im_workspace_bytes(const opmill_tensor *input, const opmill_shape *output,
                                     const opmill_col2im_plan *plan,
                                     const opmill_context *context) {
    col2im_job job;
    const int32_t threads = describe(&job, input, output->dims, plan, context);
    return opmill_workspace_size((uint64_t)threads * job.sums_bytes);
}

int opmill_col2im_compute(const opmill_tensor *input, opmill_tensor *output,
                          const opmill_col2im_plan *plan, opmill_context *context) {
    col2im_job job;
    const int32_t threads = describe(&job, input, output->dims, plan, context);
    job.output = output;
    job.sums = opmill_workspace_begin(context->workspace);
    if (job.planes > 0) {
        opmill_parallel(job.planes, threads, run_task, &job);
    }
    return OPMILL_OK;
}
