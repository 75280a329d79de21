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

typedef struct job {
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
} job;

static int64_t aligned(int64_t bytes) { return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

static void choose_kind(job *made, const opmill_tensor *x, const opmill_resize_plan *plan) {
    made->kind = RESIZE_BYTES;
    made->lanes = 1;
    made->bytes = opmill_type_bytes(x->type);
    made->rows = opmill_resize_copy_rows;
    made->reads = made->writes = false;
    if (opmill_resize_mode(plan) == RESIZE_NEAREST) {
        return;
    }
    made->kind = RESIZE_FLOAT;
    switch (x->type) {
    case OPMILL_FLOAT:
        break;
    case OPMILL_COMPLEX64:
        made->lanes = 2;
        break;
    case OPMILL_FLOAT16:
    case OPMILL_BFLOAT16:
        made->reads = made->writes = true;
        break;
    case OPMILL_COMPLEX128:
        made->lanes = 2;
        made->kind = RESIZE_DOUBLE;
        break;
    case OPMILL_DOUBLE:
        made->kind = RESIZE_DOUBLE;
        break;
    default:
        made->kind = RESIZE_DOUBLE;
        made->reads = made->writes = true;
        break;
    }
    made->bytes = made->kind == RESIZE_FLOAT ? (int64_t)sizeof(float) : (int64_t)sizeof(double);
    made->rows = made->kind == RESIZE_FLOAT ? made->functions->floats : made->functions->doubles;
}

/* The next axis to resize: the one that becomes shortest in proportion, of equal ones the last. */
static int32_t next_axis(const job *made, const bool *done) {
    int32_t best = -1;
    for (int32_t i = made->rank - 1; i >= made->first_axis; i--) {
        const resize_axis *const axis = &made->axes[i];
        if (done[i] || axis->same) {
            continue;
        }
        if (best < 0 || (double)axis->count * (double)made->axes[best].in <
                            (double)made->axes[best].count * (double)axis->in) {
            best = i;
        }
    }
    return best;
}

static void lay_out_passes(job *made, const int64_t *x_dims) {
    int64_t dims[OPMILL_MAX_RANK];
    bool done[OPMILL_MAX_RANK] = {false};
    int64_t size = made->in_slice * made->lanes;
    made->largest = size;
    made->pass_count = 0;
    if (made->rank > 0) { /* else there may be no dims to read */
        memcpy(dims, x_dims, (size_t)made->rank * sizeof *dims);
    }
    for (int32_t i = next_axis(made, done); i >= 0; i = next_axis(made, done)) {
        resize_pass *const pass = &made->passes[made->pass_count++];
        *pass = (resize_pass){&made->axes[i], 1, made->lanes, made->kind, made->bytes, NULL};
        done[i] = true;
        dims[i] = made->axes[i].count;
        for (int32_t k = made->first_axis; k < made->rank; k++) {
            pass->outer *= k < i ? dims[k] : 1;
            pass->inner *= k > i ? dims[k] : 1;
        }
        size = pass->outer * pass->inner * dims[i];
        made->largest = size > made->largest ? size : made->largest;
    }
}

/* Describes a call; false where the output is empty. `y` may be NULL. */
static bool describe(job *made, const opmill_tensor *x, const int64_t *y_dims, void *y,
                     const opmill_resize_plan *plan, const opmill_context *context) {
    const int32_t most = context->threads > 1 ? context->threads : 1;
    int64_t out = 1;
    made->rank = x->rank;
    for (int32_t i = 0; i < x->rank; i++) {
        if (y_dims[i] == 0) {
            return false;
        }
        out *= y_dims[i];
    }
    made->x = x->data;
    made->y = y;
    made->type = x->type;
    made->functions = opmill_resize_functions(opmill_isa_select(context->isa));
    choose_kind(made, x, plan);
    made->extrapolates = false;
    made->first_axis = x->rank;
    for (int32_t i = x->rank - 1; i >= 0; i--) {
        resize_axis *const axis = &made->axes[i];
        opmill_resize_axis_begin(axis, plan, i, x->dims[i], y_dims[i]);
        made->extrapolates = made->extrapolates || axis->count < axis->out;
        made->first_axis = axis->same ? made->first_axis : i;
    }
    made->slices = made->in_slice = made->out_slice = 1;
    for (int32_t i = 0; i < x->rank; i++) {
        made->slices *= i < made->first_axis ? x->dims[i] : 1;
        made->in_slice *= i < made->first_axis ? 1 : x->dims[i];
        made->out_slice *= i < made->first_axis ? 1 : y_dims[i];
    }
    lay_out_passes(made, x->dims);
    opmill_resize_element(x->type, plan->extrapolation, made->outside);
    const int64_t wanted = out / MIN_THREAD_ELEMENTS + 1;
    made->threads = wanted < most ? (int32_t)wanted : most;
    made->shares_slices = made->slices >= made->threads;
    return true;
}

/* Bytes of an axis's tables. */
static int64_t table_bytes(const job *made, const resize_pass *pass) {
    const int64_t count = pass->axis->count;
    int64_t bytes = aligned(count * (int64_t)sizeof(int64_t));
    if (made->kind != RESIZE_BYTES) {
        bytes += aligned(count * pass->axis->taps * (int64_t)sizeof(double));
        bytes += pass->inner == 1 ? aligned(count * pass->axis->taps * made->bytes) : 0;
    }
    return bytes;
}

static int64_t buffer_bytes(const job *made) {
    const bool one = made->pass_count == 1 && !made->reads && !made->writes && !made->extrapolates;
    return one ? 0 : aligned(made->largest * made->bytes);
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

static void fill_tables(job *made, const opmill_resize_plan *plan, char *memory) {
    for (int32_t i = 0; i < made->pass_count; i++) {
        resize_pass *const pass = &made->passes[i];
        const int32_t number = (int32_t)(pass->axis - made->axes);
        resize_axis *const axis = &made->axes[number];
        axis->at = (int64_t *)(void *)memory;
        memory += aligned(axis->count * (int64_t)sizeof(int64_t));
        if (made->kind == RESIZE_BYTES) {
            opmill_resize_axis_fill(axis, plan, number);
            continue;
        }
        axis->weights = (double *)(void *)memory;
        memory += aligned(axis->count * axis->taps * (int64_t)sizeof(double));
        opmill_resize_axis_fill(axis, plan, number);
        if (pass->inner == 1) {
            fill_columns(pass, memory);
            pass->columns = memory;
            memory += aligned(axis->count * axis->taps * made->bytes);
        }
    }
    made->buffers = memory;
}

static void fill_outside(const job *made, char *to, int64_t count) {
    const int64_t bytes = opmill_type_bytes(made->type);
    for (int64_t i = 0; i < count; i++) {
        memcpy(to + i * bytes, made->outside, (size_t)bytes);
    }
}

static void write_elements(const job *made, const char *from, char *to, int64_t count) {
    if (made->writes) {
        opmill_resize_write(made->functions, made->type, from, to, count);
    } else {
        memcpy(to, from, (size_t)(count * opmill_type_bytes(made->type)));
    }
}

/* Writes the results of a slice to where they are inside, and the one value outside. */
static void place(const job *made, const char *from, char *to) {
    const int64_t bytes = opmill_type_bytes(made->type);
    const int32_t last = made->rank - 1;
    const resize_axis *const row = &made->axes[last];
    const int64_t inside = row->count * made->lanes;
    int64_t index[OPMILL_MAX_RANK] = {0};
    for (int64_t rows = made->out_slice / row->out; rows > 0; rows--) {
        bool is_inside = true;
        for (int32_t i = made->first_axis; i < last && is_inside; i++) {
            const resize_axis *const axis = &made->axes[i];
            is_inside = index[i] >= axis->first && index[i] < axis->first + axis->count;
        }
        if (is_inside) {
            fill_outside(made, to, row->first);
            write_elements(made, from, to + row->first * bytes, row->count);
            fill_outside(made, to + (row->first + row->count) * bytes,
                         row->out - row->first - row->count);
            from += inside * made->bytes;
        } else {
            fill_outside(made, to, row->out);
        }
        to += row->out * bytes;
        for (int32_t i = last - 1; i >= made->first_axis; i--) {
            if (++index[i] < made->axes[i].out) {
                break;
            }
            index[i] = 0;
        }
    }
}

static void rows_task(void *state, int64_t task, int32_t worker) {
    const job *const made = state;
    const int64_t all = opmill_resize_row_count(made->pass), row = task * made->share;
    (void)worker;
    made->rows(made->pass, made->from, made->to, row,
               all - row < made->share ? all - row : made->share);
}

/* Runs all passes over a slice; `together` where the threads share it. */
static void run_slice(const job *made, int64_t slice, char *buffers, bool together) {
    const int64_t bytes = opmill_type_bytes(made->type);
    char *spare[2] = {buffers, buffers + buffer_bytes(made)};
    const void *from = made->x + slice * made->in_slice * bytes;
    char *const out = made->y + slice * made->out_slice * bytes;
    const bool places = made->writes || made->extrapolates;
    int32_t next = 0;
    if (made->reads) {
        opmill_resize_read(made->functions, made->type, from, spare[0], made->in_slice);
        from = spare[0];
        next = 1;
    }
    for (int32_t i = 0; i < made->pass_count; i++) {
        const resize_pass *const pass = &made->passes[i];
        void *const to = i == made->pass_count - 1 && !places ? (void *)out : spare[next];
        const int64_t rows = opmill_resize_row_count(pass);
        if (together) {
            job shared = *made;
            shared.pass = pass;
            shared.from = from;
            shared.to = to;
            shared.share = rows / ((int64_t)made->threads * 4) + 1;
            opmill_parallel((rows - 1) / shared.share + 1, made->threads, rows_task, &shared);
        } else {
            made->rows(pass, from, to, 0, rows);
        }
        from = to;
        next = 1 - next;
    }
    if (made->extrapolates) {
        place(made, from, out);
    } else if (made->writes) {
        opmill_resize_write(made->functions, made->type, from, out, made->out_slice);
    }
}

static void slices_task(void *state, int64_t task, int32_t worker) {
    const job *const made = state;
    const int64_t first = task * made->share, left = made->slices - first;
    char *const buffers = made->buffers + 2 * worker * buffer_bytes(made);
    for (int64_t i = 0; i < (left < made->share ? left : made->share); i++) {
        run_slice(made, first + i, buffers, false);
    }
}

static bool has_inside(const job *made) {
    for (int32_t i = 0; i < made->rank; i++) {
        if (made->axes[i].count == 0) {
            return false;
        }
    }
    return true;
}

size_t opmill_resize_workspace_bytes(const opmill_tensor *x, const opmill_shape *y,
                                     const opmill_resize_plan *plan,
                                     const opmill_context *context) {
    job made;
    if (!describe(&made, x, y->dims, NULL, plan, context)) {
        return 0;
    }
    int64_t bytes = ALIGNMENT;
    for (int32_t i = 0; i < made.pass_count; i++) {
        bytes += table_bytes(&made, &made.passes[i]);
    }
    bytes += 2 * buffer_bytes(&made) * (made.shares_slices ? made.threads : 1);
    return (size_t)bytes;
}

int opmill_resize_compute(const opmill_tensor *x, opmill_tensor *y, const opmill_resize_plan *plan,
                          opmill_context *context) {
    job made;
    if (!describe(&made, x, y->dims, y->data, plan, context)) {
        return OPMILL_OK;
    }
    if (made.pass_count == 0) {
        memcpy(y->data, x->data,
               (size_t)(made.slices * made.in_slice * opmill_type_bytes(x->type)));
        return OPMILL_OK;
    }
    if (!has_inside(&made)) {
        fill_outside(&made, made.y, made.slices * made.out_slice);
        return OPMILL_OK;
    }
    char *const memory = context->workspace;
    fill_tables(&made, plan, memory + (ALIGNMENT - (uintptr_t)memory % ALIGNMENT) % ALIGNMENT);
    if (made.shares_slices) {
        made.share = made.slices / ((int64_t)made.threads * 4) + 1;
        opmill_parallel((made.slices - 1) / made.share + 1, made.threads, slices_task, &made);
    } else {
        for (int64_t i = 0; i < made.slices; i++) {
            run_slice(&made, i, made.buffers, true);
        }
    }
    return OPMILL_OK;
}

void opmill_resize_choose(const opmill_tensor *x, const opmill_shape *y,
                          const opmill_resize_plan *plan, const opmill_context *context,
                          opmill_choice *choice) {
    job made;
    *choice = (opmill_choice){"empty", OPMILL_ISA_PLAIN, 1};
    if (!describe(&made, x, y->dims, NULL, plan, context)) {
        return;
    }
    choice->variant = made.pass_count == 0        ? "memcpy"
                      : made.kind == RESIZE_BYTES ? "selected elements"
                                                  : "weighted sums";
    choice->threads = made.pass_count == 0 ? 1 : made.threads;
    choice->isa = made.pass_count == 0 || made.kind == RESIZE_BYTES
                      ? OPMILL_ISA_PLAIN
                      : opmill_isa_select(context->isa);
}
