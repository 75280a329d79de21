/* Resize: one axis after the other, those that become shorter first, each a pass over what the last
 * one left. Leading axes that keep their size divide the tensor into slices. */
#include "families/resize/kernel.h"

#include <string.h>

#include "families/resize/convert.h"
#include "families/resize/passes.h"
#include "runtime/numbers/elements.h"
#include "runtime/platform/isa.h"
#include "runtime/platform/parallel.h"

enum { MIN_THREAD_ELEMENTS = 1 << 15, ALIGNMENT = 64 };

typedef struct resize_job {
    resize_axis axes[OPMILL_MAX_RANK];
    resize_pass passes[OPMILL_MAX_RANK];
    int32_t pass_count;
    const resize_functions *functions;
    const char *x;
    char *y;
    int32_t rank, first_axis; /* slices are of the axes from the first that is resized on */
    int32_t type;
    int64_t slices, in_slice, out_slice; /* elements of a slice */
    int64_t largest;                     /* numbers that are computed with at a time */
    int64_t lanes;                       /* numbers of an element */
    int64_t bytes;                       /* of such a number */
    bool reads, writes;                  /* whether elements are converted */
    bool extrapolates;
    _Alignas(8) uint8_t outside[16]; /* one element, as the output has it */
    resize_rows *rows;
    resize_kind kind;
    int32_t threads;
    bool shares_slices; /* each thread has slices of its own */
    char *buffers;      /* two for each thread */
    int64_t slice;      /* the one that threads share */
    int64_t share;      /* rows or slices of a task */
    const void *from;
    void *to;
    const resize_pass *pass;
} resize_job;

static int64_t aligned(int64_t bytes) { return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

static void choose_kind(resize_job *job, const opmill_tensor *x, const opmill_resize_plan *plan) {
    job->kind = RESIZE_BYTES;
    job->lanes = 1;
    job->bytes = opmill_type_bytes(x->type);
    job->rows = opmill_resize_copy_rows;
    job->reads = job->writes = false;
    if (opmill_resize_mode(plan) == RESIZE_NEAREST) {
        return;
    }
    job->kind = RESIZE_FLOAT;
    switch (x->type) {
    case OPMILL_FLOAT:
        break;
    case OPMILL_COMPLEX64:
        job->lanes = 2;
        break;
    case OPMILL_FLOAT16:
    case OPMILL_BFLOAT16:
        job->reads = job->writes = true;
        break;
    case OPMILL_COMPLEX128:
        job->lanes = 2;
        job->kind = RESIZE_DOUBLE;
        break;
    case OPMILL_DOUBLE:
        job->kind = RESIZE_DOUBLE;
        break;
    default:
        job->kind = RESIZE_DOUBLE;
        job->reads = job->writes = true;
        break;
    }
    job->bytes = job->kind == RESIZE_FLOAT ? (int64_t)sizeof(float) : (int64_t)sizeof(double);
    job->rows = job->kind == RESIZE_FLOAT ? job->functions->floats : job->functions->doubles;
}

/* The next axis to resize: the one that becomes shortest in proportion, of equal ones the last. */
static int32_t next_axis(const resize_job *job, const bool *done) {
    int32_t best = -1;
    for (int32_t i = job->rank - 1; i >= job->first_axis; i--) {
        const resize_axis *const axis = &job->axes[i];
        if (done[i] || axis->same) {
            continue;
        }
        if (best < 0 || (double)axis->count * (double)job->axes[best].in <
                            (double)job->axes[best].count * (double)axis->in) {
            best = i;
        }
    }
    return best;
}

static void lay_out_passes(resize_job *job, const int64_t *x_dims) {
    int64_t dims[OPMILL_MAX_RANK];
    bool done[OPMILL_MAX_RANK] = {false};
    int64_t size = job->in_slice * job->lanes;
    job->largest = size;
    job->pass_count = 0;
    if (job->rank > 0) { /* else there may be no dims to read */
        memcpy(dims, x_dims, (size_t)job->rank * sizeof *dims);
    }
    for (int32_t i = next_axis(job, done); i >= 0; i = next_axis(job, done)) {
        resize_pass *const pass = &job->passes[job->pass_count++];
        *pass = (resize_pass){&job->axes[i], 1, job->lanes, job->kind, job->bytes, NULL};
        done[i] = true;
        dims[i] = job->axes[i].count;
        for (int32_t k = job->first_axis; k < job->rank; k++) {
            pass->outer *= k < i ? dims[k] : 1;
            pass->inner *= k > i ? dims[k] : 1;
        }
        size = pass->outer * pass->inner * dims[i];
        job->largest = size > job->largest ? size : job->largest;
    }
}

/* Describes a call; false where the output is empty. `y` may be NULL. */
static bool describe(resize_job *job, const opmill_tensor *x, const int64_t *y_dims, void *y,
                     const opmill_resize_plan *plan, const opmill_context *context) {
    const int32_t max_threads = context->threads > 1 ? context->threads : 1;
    int64_t out = 1;
    job->rank = x->rank;
    for (int32_t i = 0; i < x->rank; i++) {
        if (y_dims[i] == 0) {
            return false;
        }
        out *= y_dims[i];
    }
    job->x = x->data;
    job->y = y;
    job->type = x->type;
    job->functions = opmill_resize_functions(opmill_isa_select(context->isa));
    choose_kind(job, x, plan);
    job->extrapolates = false;
    job->first_axis = x->rank;
    for (int32_t i = x->rank - 1; i >= 0; i--) {
        resize_axis *const axis = &job->axes[i];
        opmill_resize_axis_begin(axis, plan, i, x->dims[i], y_dims[i]);
        job->extrapolates = job->extrapolates || axis->count < axis->out;
        job->first_axis = axis->same ? job->first_axis : i;
    }
    job->slices = job->in_slice = job->out_slice = 1;
    for (int32_t i = 0; i < x->rank; i++) {
        job->slices *= i < job->first_axis ? x->dims[i] : 1;
        job->in_slice *= i < job->first_axis ? 1 : x->dims[i];
        job->out_slice *= i < job->first_axis ? 1 : y_dims[i];
    }
    lay_out_passes(job, x->dims);
    opmill_resize_element(x->type, plan->extrapolation, job->outside);
    const int64_t wanted = out / MIN_THREAD_ELEMENTS + 1;
    job->threads = wanted < max_threads ? (int32_t)wanted : max_threads;
    job->shares_slices = job->slices >= job->threads;
    return true;
}

/* Bytes of an axis's tables. */
static int64_t table_bytes(const resize_job *job, const resize_pass *pass) {
    const int64_t count = pass->axis->count;
    int64_t bytes = aligned(count * (int64_t)sizeof(int64_t));
    if (job->kind != RESIZE_BYTES) {
        bytes += aligned(count * pass->axis->taps * (int64_t)sizeof(double));
        bytes += pass->inner == 1 ? aligned(count * pass->axis->taps * job->bytes) : 0;
    }
    return bytes;
}

static int64_t buffer_bytes(const resize_job *job) {
    const bool one = job->pass_count == 1 && !job->reads && !job->writes && !job->extrapolates;
    return one ? 0 : aligned(job->largest * job->bytes);
}

/* The weights of an axis by tap, as the loops over the last axis read them. */
static void fill_columns(const resize_pass *pass, void *columns) {
    const resize_axis *const axis = pass->axis;
    for (int64_t i = 0; i < axis->count; i++) {
        for (int64_t k = 0; k < axis->taps; k++) {
            const double weight = axis->weights[i * axis->taps + k];
            if (pass->kind == RESIZE_FLOAT) {
                ((float *)columns)[k * axis->count + i] = (float)weight;
            } else {
                ((double *)columns)[k * axis->count + i] = weight;
            }
        }
    }
}

static void fill_tables(resize_job *job, const opmill_resize_plan *plan, char *memory) {
    for (int32_t i = 0; i < job->pass_count; i++) {
        resize_pass *const pass = &job->passes[i];
        const int32_t number = (int32_t)(pass->axis - job->axes);
        resize_axis *const axis = &job->axes[number];
        axis->at = (int64_t *)(void *)memory;
        memory += aligned(axis->count * (int64_t)sizeof(int64_t));
        if (job->kind == RESIZE_BYTES) {
            opmill_resize_axis_fill(axis, plan, number);
            continue;
        }
        axis->weights = (double *)(void *)memory;
        memory += aligned(axis->count * axis->taps * (int64_t)sizeof(double));
        opmill_resize_axis_fill(axis, plan, number);
        if (pass->inner == 1) {
            fill_columns(pass, memory);
            pass->columns = memory;
            memory += aligned(axis->count * axis->taps * job->bytes);
        }
    }
    job->buffers = memory;
}

static void fill_outside(const resize_job *job, char *to, int64_t count) {
    const int64_t bytes = opmill_type_bytes(job->type);
    for (int64_t i = 0; i < count; i++) {
        memcpy(to + i * bytes, job->outside, (size_t)bytes);
    }
}

static void write_elements(const resize_job *job, const char *from, char *to, int64_t count) {
    if (job->writes) {
        opmill_resize_write(job->functions, job->type, from, to, count);
    } else {
        memcpy(to, from, (size_t)(count * opmill_type_bytes(job->type)));
    }
}

/* Writes the results of a slice to where they are inside, and the one value outside. */
static void finish(const resize_job *job, const char *from, char *to) {
    const int64_t bytes = opmill_type_bytes(job->type);
    const int32_t last = job->rank - 1;
    const resize_axis *const row = &job->axes[last];
    const int64_t inside = row->count * job->lanes;
    int64_t index[OPMILL_MAX_RANK] = {0};
    for (int64_t rows = job->out_slice / row->out; rows > 0; rows--) {
        bool is_inside = true;
        for (int32_t i = job->first_axis; i < last && is_inside; i++) {
            const resize_axis *const axis = &job->axes[i];
            is_inside = index[i] >= axis->first && index[i] < axis->first + axis->count;
        }
        if (is_inside) {
            fill_outside(job, to, row->first);
            write_elements(job, from, to + row->first * bytes, row->count);
            fill_outside(job, to + (row->first + row->count) * bytes,
                         row->out - row->first - row->count);
            from += inside * job->bytes;
        } else {
            fill_outside(job, to, row->out);
        }
        to += row->out * bytes;
        for (int32_t i = last - 1; i >= job->first_axis; i--) {
            if (++index[i] < job->axes[i].out) {
                break;
            }
            index[i] = 0;
        }
    }
}

static void rows_task(void *state, int64_t task, int32_t worker) {
    const resize_job *const job = state;
    const int64_t all = opmill_resize_row_count(job->pass), row = task * job->share;
    (void)worker;
    job->rows(job->pass, job->from, job->to, row, all - row < job->share ? all - row : job->share);
}

/* Runs all passes over a slice; `together` where the threads share it. */
static void run_slice(const resize_job *job, int64_t slice, char *buffers, bool together) {
    const int64_t bytes = opmill_type_bytes(job->type);
    char *spare[2] = {buffers, buffers + buffer_bytes(job)};
    const void *from = job->x + slice * job->in_slice * bytes;
    char *const out = job->y + slice * job->out_slice * bytes;
    const bool finishes = job->writes || job->extrapolates;
    int32_t next = 0;
    if (job->reads) {
        opmill_resize_read(job->functions, job->type, from, spare[0], job->in_slice);
        from = spare[0];
        next = 1;
    }
    for (int32_t i = 0; i < job->pass_count; i++) {
        const resize_pass *const pass = &job->passes[i];
        void *const to = i == job->pass_count - 1 && !finishes ? (void *)out : spare[next];
        const int64_t rows = opmill_resize_row_count(pass);
        if (together) {
            resize_job shared = *job;
            shared.pass = pass;
            shared.from = from;
            shared.to = to;
            shared.share = rows / ((int64_t)job->threads * 4) + 1;
            opmill_parallel((rows - 1) / shared.share + 1, job->threads, rows_task, &shared);
        } else {
            job->rows(pass, from, to, 0, rows);
        }
        from = to;
        next = 1 - next;
    }
    if (job->extrapolates) {
        finish(job, from, out);
    } else if (job->writes) {
        opmill_resize_write(job->functions, job->type, from, out, job->out_slice);
    }
}

static void slices_task(void *state, int64_t task, int32_t worker) {
    const resize_job *const job = state;
    const int64_t first = task * job->share, left = job->slices - first;
    char *const buffers = job->buffers + 2 * worker * buffer_bytes(job);
    for (int64_t i = 0; i < (left < job->share ? left : job->share); i++) {
        run_slice(job, first + i, buffers, false);
    }
}

static bool has_inside(const resize_job *job) {
    for (int32_t i = 0; i < job->rank; i++) {
        if (job->axes[i].count == 0) {
            return false;
        }
    }
    return true;
}

size_t opmill_resize_workspace_bytes(const opmill_tensor *x, const opmill_shape *y,
                                     const opmill_resize_plan *plan,
                                     const opmill_context *context) {
    resize_job job;
    if (!describe(&job, x, y->dims, NULL, plan, context)) {
        return 0;
    }
    int64_t bytes = ALIGNMENT;
    for (int32_t i = 0; i < job.pass_count; i++) {
        bytes += table_bytes(&job, &job.passes[i]);
    }
    bytes += 2 * buffer_bytes(&job) * (job.shares_slices ? job.threads : 1);
    return (size_t)bytes;
}

int opmill_resize_compute(const opmill_tensor *x, opmill_tensor *y, const opmill_resize_plan *plan,
                          opmill_context *context) {
    resize_job job;
    if (!describe(&job, x, y->dims, y->data, plan, context)) {
        return OPMILL_OK;
    }
    if (job.pass_count == 0) {
        memcpy(y->data, x->data, (size_t)(job.slices * job.in_slice * opmill_type_bytes(x->type)));
        return OPMILL_OK;
    }
    if (!has_inside(&job)) {
        fill_outside(&job, job.y, job.slices * job.out_slice);
        return OPMILL_OK;
    }
    char *const memory = context->workspace;
    fill_tables(&job, plan, memory + (ALIGNMENT - (uintptr_t)memory % ALIGNMENT) % ALIGNMENT);
    if (job.shares_slices) {
        job.share = job.slices / ((int64_t)job.threads * 4) + 1;
        opmill_parallel((job.slices - 1) / job.share + 1, job.threads, slices_task, &job);
    } else {
        for (int64_t i = 0; i < job.slices; i++) {
            run_slice(&job, i, job.buffers, true);
        }
    }
    return OPMILL_OK;
}

void opmill_resize_choose(const opmill_tensor *x, const opmill_shape *y,
                          const opmill_resize_plan *plan, const opmill_context *context,
                          opmill_choice *choice) {
    resize_job job;
    *choice = (opmill_choice){"empty", OPMILL_ISA_PLAIN, 1};
    if (!describe(&job, x, y->dims, NULL, plan, context)) {
        return;
    }
    choice->variant = job.pass_count == 0        ? "memcpy"
                      : job.kind == RESIZE_BYTES ? "selected elements"
                                                 : "weighted sums";
    choice->threads = job.pass_count == 0 ? 1 : job.threads;
    choice->isa = job.pass_count == 0 || job.kind == RESIZE_BYTES ? OPMILL_ISA_PLAIN
                                                                  : opmill_isa_select(context->isa);
}
