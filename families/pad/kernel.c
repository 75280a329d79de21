/* Pad and CenterCropPad. Axes without pads at the end are joined into blocks that stay together,
 * and the last axis with pads makes rows of blocks: what is before the input, what is of it, and
 * what is after it. Each row comes from one row of the input, or holds the fill alone. Elements
 * below a byte are moved as bytes where the blocks have whole ones, else one by one. */
#include "families/pad/kernel.h"

#include <stdbool.h>
#include <string.h>

#include "runtime/numbers/elements.h"
#include "runtime/numbers/half.h"
#include "runtime/numbers/integers.h"
#include "runtime/platform/parallel.h"
#include "runtime/copy/whole_copy.h"

enum {
    THREAD_BYTES = 256 * 1024, /* Minimum number of bytes before another thread pays off */
    TASKS_A_THREAD = 4,
    FILL_BYTES = 16 /* the widest element */
};

typedef enum pad_mode { PAD_CONSTANT, PAD_REFLECT, PAD_EDGE, PAD_WRAP } pad_mode;

/* An axis of the output. Its position i is position i - begin of what is kept of the input, which
 * begins at `low`. */
typedef struct pad_axis {
    int64_t size;
    int64_t begin;
    int64_t low;
    int64_t copied;
    int64_t stride; /* of the input: bytes, or elements below a byte */
} pad_axis;

typedef struct pad_job {
    const uint8_t *in;
    uint8_t *out;
    pad_mode mode;
    bool is_whole; /* there are no pads */
    int32_t bits;  /* of elements that are moved one by one, else 0 */
    int32_t count; /* of the axes that make rows, and the one within a row after them */
    pad_axis axes[OPMILL_MAX_RANK];
    int64_t block; /* bytes that stay together, or elements below a byte */
    int64_t rows;
    int64_t first; /* of a row: the blocks that come from the input without a mode's help */
    int64_t end;
    int64_t item; /* bytes of the fill */
    uint8_t fill[FILL_BYTES];
    int64_t tasks;
} pad_job;

/* The position in the input of position `i` of an axis; -1 where the fill is. */
static int64_t source_of(const pad_axis *axis, pad_mode mode, int64_t i) {
    int64_t at = i - axis->begin;
    if (at >= 0 && at < axis->copied) {
        return axis->low + at;
    }
    if (mode == PAD_CONSTANT) {
        return -1;
    }
    if (mode == PAD_EDGE) {
        return axis->low + (at < 0 ? 0 : axis->copied - 1);
    }
    const int64_t period = mode == PAD_WRAP ? axis->copied : opmill_max(1, 2 * (axis->copied - 1));
    at %= period;
    at += at < 0 ? period : 0;
    return axis->low + (at < axis->copied ? at : period - at);
}

/* The element that is added: of the input, or the number, which is 0 but for floats. */
static void set_fill(pad_job *job, int32_t type, const opmill_tensor *constant, double value) {
    static const char EMPTY[] = "";
    const int32_t bytes = opmill_type_bytes(type);
    job->item = opmill_max(1, bytes);
    memset(job->fill, 0, sizeof job->fill);
    if (constant != NULL) {
        memcpy(job->fill, constant->data, (size_t)job->item);
    } else if (type == OPMILL_FLOAT) {
        const float number = (float)value;
        memcpy(job->fill, &number, sizeof number);
    } else if (type == OPMILL_DOUBLE) {
        memcpy(job->fill, &value, sizeof value);
    } else if (type == OPMILL_FLOAT16) {
        const uint16_t number = opmill_float_to_float16((float)value);
        memcpy(job->fill, &number, sizeof number);
    } else if (type == OPMILL_STRING) {
        const char *const text = EMPTY;
        memcpy(job->fill, &text, sizeof text);
    }
    if (bytes == 0) { /* as often as it fits, from the lowest bits on */
        const int32_t bits = opmill_type_bits(type);
        unsigned packed = job->fill[0] & ((1u << bits) - 1u);
        for (int32_t width = bits; width < 8; width *= 2) {
            packed |= packed << width;
        }
        job->fill[0] = (uint8_t)packed;
    }
}

static pad_mode mode_of(const char *word) {
    switch (word[0]) {
    case 'r':
        return PAD_REFLECT;
    case 'e':
        return PAD_EDGE;
    case 'w':
        return PAD_WRAP;
    default:
        return PAD_CONSTANT;
    }
}

/* Axis `i` of the call. Without a mode's help, negative pads are a begin below 0. */
static pad_axis axis_of(const opmill_tensor *data, const int64_t *dims, int32_t i, int64_t begin,
                        pad_mode mode) {
    pad_axis axis = {dims[i], begin, 0, data->dims[i], 0};
    if (mode != PAD_CONSTANT) {
        const int64_t end = dims[i] - data->dims[i] - begin;
        axis.low = opmill_max(-begin, 0);
        axis.begin = opmill_max(begin, 0);
        axis.copied = data->dims[i] - axis.low + opmill_min(end, 0);
    }
    return axis;
}

/* Plans a call whose output is not empty; returns the threads that it is worth. */
static int32_t plan_job(pad_job *job, const opmill_tensor *data, const int64_t *dims,
                        const opmill_pad_plan *plan, const opmill_context *context) {
    const int32_t bits = opmill_type_bits(data->type);
    int32_t last = data->rank - 1;
    int64_t total = 1;
    job->mode = mode_of(plan->mode);
    job->block = 1;
    while (last >= 0 && dims[last] == data->dims[last] && plan->begin.values[last] == 0) {
        job->block *= dims[last--];
    }
    job->is_whole = last < 0;
    if (job->is_whole) {
        return 1;
    }
    const bool by_bits = bits < 8 && job->block % (8 / bits) != 0;
    job->bits = by_bits ? bits : 0;
    job->block = by_bits ? job->block : job->block * bits / 8;
    job->count = last;
    int64_t stride = job->block;
    for (int32_t i = last; i >= 0; i--) {
        job->axes[i] = axis_of(data, dims, i, plan->begin.values[i], job->mode);
        job->axes[i].stride = stride;
        stride *= data->dims[i];
        total *= dims[i];
    }
    const pad_axis *const inner = &job->axes[last];
    job->rows = total / inner->size;
    job->first = opmill_min(opmill_max(inner->begin, 0), inner->size);
    job->end = opmill_max(job->first, opmill_min(inner->begin + inner->copied, inner->size));
    const int64_t bytes = by_bits ? 1 : total * job->block;
    const int32_t threads =
        (int32_t)opmill_max(1, opmill_min(context->threads, bytes / THREAD_BYTES));
    job->tasks = threads == 1 ? 1 : opmill_min(job->rows, (int64_t)threads * TASKS_A_THREAD);
    return threads;
}

#define FILL_EACH(size)                                                                            \
    for (int64_t i = 0; i < bytes; i += (size)) {                                                  \
        memcpy(out + i, job->fill, size);                                                          \
    }

static void write_fill(const pad_job *job, uint8_t *out, int64_t bytes) {
    switch (job->item) {
    case 1:
        memset(out, job->fill[0], (size_t)bytes);
        break;
    case 2:
        FILL_EACH(2)
        break;
    case 4:
        FILL_EACH(4)
        break;
    case 8:
        FILL_EACH(8)
        break;
    default:
        FILL_EACH(16)
        break;
    }
}

/* Blocks `i` to `end` of a row, each from where the mode takes it; `in` is the input's row. */
static void write_pads(const pad_job *job, uint8_t *out, const uint8_t *in, int64_t i,
                       int64_t end) {
    const pad_axis *const inner = &job->axes[job->count];
    if (job->mode == PAD_CONSTANT) {
        write_fill(job, out + i * job->block, (end - i) * job->block);
        return;
    }
    for (; i < end; i++) {
        const uint8_t *const from = in + source_of(inner, job->mode, i) * job->block;
        uint8_t *const to = out + i * job->block;
        switch (job->block) {
        case 1:
            memcpy(to, from, 1);
            break;
        case 2:
            memcpy(to, from, 2);
            break;
        case 4:
            memcpy(to, from, 4);
            break;
        default:
            memcpy(to, from, (size_t)job->block);
            break;
        }
    }
}

/* A row of the output, and where its own row of the input is; -1 where it holds the fill alone. */
typedef struct pad_location {
    int64_t index[OPMILL_MAX_RANK];
    int64_t offsets[OPMILL_MAX_RANK + 1]; /* of the axes before each one, together */
} pad_location;

/* The offsets from axis `from` on, after its index has changed. */
static void location_move(pad_location *location, const pad_job *job, int32_t from) {
    for (int32_t i = from; i < job->count; i++) {
        const pad_axis *const axis = &job->axes[i];
        const int64_t at = source_of(axis, job->mode, location->index[i]);
        const bool outside = at < 0 || location->offsets[i] < 0;
        location->offsets[i + 1] = outside ? -1 : location->offsets[i] + at * axis->stride;
    }
}

static void location_begin(pad_location *location, const pad_job *job, int64_t row) {
    for (int32_t i = job->count - 1; i >= 0; i--) {
        location->index[i] = row % job->axes[i].size;
        row /= job->axes[i].size;
    }
    location->offsets[0] = 0;
    location_move(location, job, 0);
}

static void location_next(pad_location *location, const pad_job *job) {
    int32_t i = job->count - 1;
    while (i >= 0 && ++location->index[i] == job->axes[i].size) {
        location->index[i--] = 0;
    }
    if (i >= 0) {
        location_move(location, job, i);
    }
}

static void run_task(void *state, int64_t task, int32_t worker) {
    const pad_job *const job = state;
    const pad_axis *const inner = &job->axes[job->count];
    const int64_t share = job->rows / job->tasks;
    const int64_t extra = job->rows % job->tasks;
    const int64_t first = task * share + opmill_min(task, extra);
    const int64_t end = first + share + (task < extra);
    const int64_t row_bytes = inner->size * job->block;
    const int64_t kept_bytes = (job->end - job->first) * job->block;
    pad_location location;
    (void)worker;
    location_begin(&location, job, first);
    for (int64_t row = first; row < end; row++) {
        uint8_t *const out = job->out + row * row_bytes;
        const int64_t offset = location.offsets[job->count];
        if (offset < 0) {
            write_fill(job, out, row_bytes);
        } else {
            const uint8_t *const in = job->in + offset;
            write_pads(job, out, in, 0, job->first);
            if (kept_bytes > 0) {
                const int64_t at = inner->low + job->first - inner->begin;
                memcpy(out + job->first * job->block, in + at * job->block, (size_t)kept_bytes);
            }
            write_pads(job, out, in, job->end, inner->size);
        }
        location_next(&location, job);
    }
}

/* Elements below a byte, one by one; what follows the last one is 0. */
static void move_bits(const pad_job *job) {
    const pad_axis *const inner = &job->axes[job->count];
    const int64_t each = 8 / job->bits;
    const unsigned mask = (1u << job->bits) - 1u;
    int64_t position = 0;
    unsigned packed = 0;
    pad_location location;
    location_begin(&location, job, 0);
    for (int64_t row = 0; row < job->rows; row++) {
        for (int64_t i = 0; i < inner->size; i++) {
            const int64_t at =
                location.offsets[job->count] < 0 ? -1 : source_of(inner, job->mode, i);
            for (int64_t k = 0; k < job->block; k++) {
                const int64_t from = location.offsets[job->count] + at * job->block + k;
                const unsigned element =
                    at < 0 ? job->fill[0]
                           : (unsigned)job->in[from / each] >> (from % each * job->bits);
                packed |= (element & mask) << (position % each * job->bits);
                if (++position % each == 0) {
                    job->out[position / each - 1] = (uint8_t)packed;
                    packed = 0;
                }
            }
        }
        location_next(&location, job);
    }
    if (position % each != 0) {
        job->out[position / each] = (uint8_t)packed;
    }
}

static bool is_empty(const int64_t *dims, int32_t rank) {
    for (int32_t i = 0; i < rank; i++) {
        if (dims[i] == 0) {
            return true;
        }
    }
    return false;
}

int opmill_pad_compute(const opmill_tensor *data, const opmill_tensor *constant_value,
                       opmill_tensor *output, const opmill_pad_plan *plan,
                       opmill_context *context) {
    pad_job job;
    if (is_empty(output->dims, output->rank)) {
        return OPMILL_OK;
    }
    const int32_t threads = plan_job(&job, data, output->dims, plan, context);
    if (job.is_whole) {
        opmill_whole_copy_run(data, output, context);
        return OPMILL_OK;
    }
    job.in = data->data;
    job.out = output->data;
    set_fill(&job, data->type, constant_value, plan->value);
    if (job.bits > 0) {
        move_bits(&job);
    } else {
        opmill_parallel(job.tasks, threads, run_task, &job);
    }
    return OPMILL_OK;
}

void opmill_pad_choose(const opmill_tensor *data, const opmill_tensor *constant_value,
                       const opmill_shape *output, const opmill_pad_plan *plan,
                       const opmill_context *context, opmill_choice *choice) {
    pad_job job;
    (void)constant_value;
    *choice = (opmill_choice){"empty", OPMILL_ISA_PLAIN, 1};
    if (is_empty(output->dims, output->rank)) {
        return;
    }
    choice->threads = plan_job(&job, data, output->dims, plan, context);
    if (job.is_whole) {
        opmill_whole_copy_choose(data, context, choice);
    } else {
        choice->variant = job.bits > 0 ? "bits" : "rows";
    }
}
