/* Fourier transforms: lines of the tensor, one or several at a time, are read as doubles,
 * transformed and stored. An even number of real ones is a transform of half the length, whose
 * numbers are pairs of them. The number of threads changes no result. */
#include "families/fourier/kernel.h"

#include <math.h>
#include <string.h>

#include "families/fourier/roots.h"
#include "families/fourier/rows.h"
#include "families/fourier/transform.h"
#include "runtime/platform/isa.h"
#include "runtime/platform/parallel.h"
#include "runtime/numbers/reals.h"
#include "runtime/call/workspace.h"

enum {
    MAX_SHARED_LENGTH = 64,             /* up to which adjacent lines are transformed together */
    MAX_SHARED_COLUMN_LENGTH = 1 << 14, /* where these lie side by side in memory */
    MIN_THREAD_ELEMENTS = 1 << 14
};
#define MAX_LENGTH (INT64_C(1) << 48) /* no memory holds the workspace of a longer line */

typedef enum line_kind {
    COMPLEX,
    REAL,
    REAL_PAIRS, /* an even number of real ones */
    HALF,       /* of a spectrum, which becomes real numbers */
    HALF_PAIRS  /* which become an even number */
} line_kind;

typedef struct fourier_job {
    const opmill_tensor *input, *window;
    opmill_tensor *output;
    const opmill_fourier_plan *plan;
    line_kind kind;
    fourier_transform transform;
    int64_t parts, out_parts;
    int64_t size;  /* of the input's axis */
    int64_t taken; /* of it, for a line */
    int64_t bins;  /* of the output's */
    int64_t inner, lines, groups;
    int64_t root_count;
    int64_t buffer_rows; /* of each of the four buffers of a thread */
    int32_t threads;
    double *window_values, *re, *im, *tables, *buffers;
} fourier_job;

static line_kind kind_of(const opmill_fourier_plan *plan, int64_t parts) {
    const bool even = plan->length % 2 == 0;
    if (plan->inverse != 0 && plan->onesided != 0) {
        return even ? HALF_PAIRS : HALF;
    }
    return parts == 2 ? COMPLEX : even ? REAL_PAIRS : REAL;
}

/* Describes a call; false where there is nothing to transform. */
static bool describe(fourier_job *job, const opmill_tensor *input, const int64_t *output_dims,
                     const opmill_fourier_plan *plan, const opmill_context *context) {
    const int32_t rank = input->rank;
    const int32_t max_threads = context->threads > 1 ? context->threads : 1;
    const int32_t isa = opmill_isa_select(context->isa);
    const int32_t out_rank = plan->step > 0 ? 4 : rank;
    for (int32_t i = 0; i < out_rank; i++) {
        if (output_dims[i] == 0) {
            return false;
        }
    }
    *job = (fourier_job){0};
    job->input = input;
    job->plan = plan;
    job->parts = plan->step > 0 && rank == 2 ? 1 : input->dims[rank - 1];
    job->out_parts = output_dims[out_rank - 1];
    job->size = input->dims[plan->axis];
    job->kind = kind_of(plan, job->parts);
    const bool halved = job->kind == HALF || job->kind == HALF_PAIRS;
    const bool pairs = job->kind == REAL_PAIRS || job->kind == HALF_PAIRS;
    const int64_t wanted = halved ? plan->length / 2 + 1 : plan->length;
    job->taken = job->size < wanted ? job->size : wanted;
    job->bins = plan->onesided != 0 && plan->inverse == 0 ? plan->length / 2 + 1 : plan->length;
    job->inner = 1;
    for (int32_t i = (int32_t)plan->axis + 1; i < rank - 1; i++) {
        job->inner *= input->dims[i];
    }
    job->lines = plan->frames * job->inner;
    for (int32_t i = 0; i < plan->axis; i++) {
        job->lines *= input->dims[i];
    }
    if (plan->length == 0 || plan->length > MAX_LENGTH) {
        return true;
    }
    const int64_t longest =
        job->inner >= FOURIER_LANES ? MAX_SHARED_COLUMN_LENGTH : MAX_SHARED_LENGTH;
    const bool shares = job->lines >= FOURIER_LANES && plan->length <= longest;
    const int64_t lanes = shares ? FOURIER_LANES : 1;
    opmill_fourier_begin(&job->transform, pairs ? plan->length / 2 : plan->length, lanes, isa);
    job->root_count = pairs ? plan->length : plan->length * (job->transform.convolves ? 2 : 1);
    job->buffer_rows = job->transform.rows > job->transform.length ? job->transform.rows
                                                                   : job->transform.length + 1;
    job->groups = (job->lines - 1) / lanes + 1;
    const double work = (double)job->lines * (double)plan->length / MIN_THREAD_ELEMENTS + 1;
    int64_t threads = job->groups < max_threads ? job->groups : max_threads;
    threads = work < (double)threads ? (int64_t)work : threads;
    job->threads = opmill_parallel_threads((int32_t)threads);
    return true;
}

static int64_t rounded_up(int64_t count) { return (count + 7) / 8 * 8; }

/* The doubles of the buffers of a thread. */
static int64_t buffer_size(const fourier_job *job) {
    return 4 * rounded_up(job->buffer_rows * job->transform.lanes);
}

static int64_t window_size(const fourier_job *job, const opmill_tensor *window) {
    return window != NULL ? rounded_up(job->plan->length) : 0;
}

static fourier_buffers buffers_of(const fourier_job *job, int32_t worker) {
    const int64_t each = buffer_size(job) / 4;
    double *const first = job->buffers + worker * 4 * each;
    return (fourier_buffers){first, first + each, first + 2 * each, first + 3 * each};
}

static fourier_buffers exchanged(fourier_buffers buffers) {
    return (fourier_buffers){buffers.im, buffers.re, buffers.other_im, buffers.other_re};
}

/* Where the lines of a group begin. */
static void find_lines(const fourier_job *job, int64_t group, fourier_lines *in,
                       fourier_lines *out) {
    const int64_t lanes = job->transform.lanes, first = group * lanes;
    const int64_t left = job->lines - first;
    in->type = out->type = job->input->type;
    in->lanes = out->lanes = lanes;
    in->used = out->used = left < lanes ? left : lanes;
    for (int64_t i = 0; i < lanes; i++) {
        const int64_t line = first + (i < in->used ? i : in->used - 1);
        const int64_t column = line % job->inner, row = line / job->inner;
        const int64_t outer = row / job->plan->frames, frame = row % job->plan->frames;
        const int64_t begin = outer * job->size + frame * job->plan->step;
        in->offsets[i] = (begin * job->inner + column) * job->parts;
        out->offsets[i] = (row * job->bins * job->inner + column) * job->out_parts;
    }
}

/* Rows times the elements first, first + step, ... of the window. */
static void apply_window(const fourier_job *job, double *rows, int64_t first, int64_t step,
                         int64_t count) {
    const int64_t lanes = job->transform.lanes;
    for (int64_t t = 0; job->window_values != NULL && t < count; t++) {
        const double factor = job->window_values[first + t * step];
        for (int64_t i = t * lanes; i < (t + 1) * lanes; i++) {
            rows[i] *= factor;
        }
    }
}

/* One part of every `step`-th element from the `first` on, as rows; zeros up to `rows`. */
static void read_part(const fourier_job *job, const fourier_lines *lines, int64_t part,
                      int64_t first, int64_t step, int64_t rows, double *to) {
    const int64_t stride = job->inner * job->parts, lanes = lines->lanes;
    const int64_t count = job->taken > first ? (job->taken - first - 1) / step + 1 : 0;
    opmill_fourier_read(lines, job->input->data, first * stride + part, step * stride, count, to);
    apply_window(job, to, first, step, count);
    memset(to + count * lanes, 0, (size_t)((rows - count) * lanes) * sizeof(double));
}

/* The numbers to transform, whatever they are made of. */
static void read_lines(const fourier_job *job, const fourier_lines *lines,
                       fourier_buffers *buffers) {
    const int64_t length = job->transform.length, lanes = lines->lanes;
    const size_t row = (size_t)lanes * sizeof(double);
    switch (job->kind) {
    case COMPLEX:
        read_part(job, lines, 0, 0, 1, length, buffers->re);
        read_part(job, lines, 1, 0, 1, length, buffers->im);
        break;
    case REAL:
        read_part(job, lines, 0, 0, 1, length, buffers->re);
        memset(buffers->im, 0, (size_t)length * row);
        break;
    case REAL_PAIRS:
        read_part(job, lines, 0, 0, 2, length, buffers->re);
        read_part(job, lines, 0, 1, 2, length, buffers->im);
        break;
    case HALF:
        read_part(job, lines, 0, 0, 1, length / 2 + 1, buffers->re);
        read_part(job, lines, 1, 0, 1, length / 2 + 1, buffers->im);
        memset(buffers->im, 0, row);
        for (int64_t k = 1; k <= length / 2; k++) {
            const double *const im = buffers->im + k * lanes;
            double *const mirrored = buffers->im + (length - k) * lanes;
            memcpy(buffers->re + (length - k) * lanes, buffers->re + k * lanes, row);
            for (int64_t i = 0; i < lanes; i++) {
                mirrored[i] = -im[i];
            }
        }
        break;
    case HALF_PAIRS:
        read_part(job, lines, 0, 0, 1, length + 1, buffers->other_re);
        read_part(job, lines, 1, 0, 1, length + 1, buffers->other_im);
        memset(buffers->other_im, 0, row);
        memset(buffers->other_im + length * lanes, 0, row);
        job->transform.functions->pairs(buffers->other_re, buffers->other_im, buffers->re,
                                        buffers->im, job->re, job->im, length, lanes);
        break;
    }
}

/* Stores the results. */
static void write_lines(const fourier_job *job, const fourier_lines *lines,
                        const fourier_buffers *buffers) {
    const int64_t length = job->transform.length, lanes = lines->lanes;
    const int64_t stride = job->inner * job->out_parts;
    const double scale = job->plan->inverse != 0 ? 1 / (double)job->plan->length : 1;
    const double turned = job->kind != COMPLEX && job->plan->inverse != 0 ? -scale : scale;
    const double *re = buffers->re, *im = buffers->im;
    void *const data = job->output->data;
    if (job->kind == HALF_PAIRS) {
        opmill_fourier_write(lines, data, 0, 2 * stride, length, re, 1, scale);
        opmill_fourier_write(lines, data, stride, 2 * stride, length, im, 1, scale);
        return;
    }
    if (job->kind == HALF) {
        opmill_fourier_write(lines, data, 0, stride, length, re, 1, scale);
        return;
    }
    int64_t count = job->bins;
    if (job->kind == REAL_PAIRS) {
        job->transform.functions->spectrum(re, im, buffers->other_re, buffers->other_im, job->re,
                                           job->im, length, lanes);
        re = buffers->other_re;
        im = buffers->other_im;
        count = length + 1;
    }
    opmill_fourier_write(lines, data, 0, stride, count, re, 1, scale);
    opmill_fourier_write(lines, data, 1, stride, count, im, 1, turned);
    if (count < job->bins) { /* the other half: the conjugates, backward */
        const int64_t begin = count * stride, last = (length - 1) * lanes, left = job->bins - count;
        opmill_fourier_write(lines, data, begin, stride, left, re + last, -1, scale);
        opmill_fourier_write(lines, data, begin + 1, stride, left, im + last, -1, -turned);
    }
}

/* True if a line is made of finite numbers alone. */
static bool is_finite(const fourier_job *job, int64_t offset) {
    const int64_t stride = job->inner * job->parts;
    const bool halved = job->kind == HALF || job->kind == HALF_PAIRS;
    for (int64_t k = 0; k < job->taken; k++) {
        const double factor = job->window_values != NULL ? job->window_values[k] : 1;
        const bool end = k == 0 || 2 * k == job->plan->length;
        for (int64_t part = 0; part < (halved && end ? 1 : job->parts); part++) {
            const double x = factor * opmill_real_at(job->input->data, job->input->type,
                                                     offset + k * stride + part);
            if (!(x - x == 0)) {
                return false;
            }
        }
    }
    return true;
}

/* NaN for each line that is not finite. The first result, the sum of all, tells of it. */
static void replace_lines(const fourier_job *job, const fourier_lines *in, const fourier_lines *out,
                          const bool *suspect) {
    const int64_t stride = job->inner * job->out_parts;
    for (int64_t i = 0; i < in->used; i++) {
        if (!suspect[i] || is_finite(job, in->offsets[i])) {
            continue;
        }
        for (int64_t k = 0; k < job->bins; k++) {
            for (int64_t part = 0; part < job->out_parts; part++) {
                opmill_real_put(job->output->data, out->type, out->offsets[i] + k * stride + part,
                                (double)NAN);
            }
        }
    }
}

static void run_group(void *state, int64_t group, int32_t worker) {
    const fourier_job *const job = state;
    const bool inverse = job->kind == HALF || job->kind == HALF_PAIRS ||
                         (job->kind == COMPLEX && job->plan->inverse != 0);
    fourier_buffers buffers = buffers_of(job, worker);
    fourier_lines in, out;
    bool suspect[FOURIER_LANES], any = false;
    find_lines(job, group, &in, &out);
    read_lines(job, &in, &buffers);
    buffers = inverse ? exchanged(buffers) : buffers;
    opmill_fourier_run(&job->transform, &buffers);
    buffers = inverse ? exchanged(buffers) : buffers;
    for (int64_t i = 0; i < in.lanes; i++) {
        const double re = buffers.re[i] - buffers.re[i], im = buffers.im[i] - buffers.im[i];
        suspect[i] = !(re == 0 && im == 0);
        any = any || suspect[i];
    }
    write_lines(job, &out, &buffers);
    if (any) {
        replace_lines(job, &in, &out, suspect);
    }
}

size_t opmill_fourier_workspace_bytes(const opmill_tensor *input, const opmill_tensor *window,
                                      const opmill_shape *output, const opmill_fourier_plan *plan,
                                      const opmill_context *context) {
    fourier_job job;
    if (!describe(&job, input, output->dims, plan, context) || plan->length == 0) {
        return 0;
    }
    if (plan->length > MAX_LENGTH) {
        return opmill_workspace_size(UINT64_MAX);
    }
    const int64_t tables = rounded_up(opmill_fourier_table_size(&job.transform));
    const int64_t shared = 2 * rounded_up(job.root_count) + tables + window_size(&job, window);
    const int64_t all = shared + job.threads * buffer_size(&job);
    return opmill_workspace_size((uint64_t)all * sizeof(double));
}

int opmill_fourier_compute(const opmill_tensor *input, const opmill_tensor *window,
                           opmill_tensor *output, const opmill_fourier_plan *plan,
                           opmill_context *context) {
    fourier_job job;
    if (!describe(&job, input, output->dims, plan, context)) {
        return OPMILL_OK;
    }
    job.output = output;
    if (plan->length == 0) { /* one half of the spectrum of no numbers: their sum */
        for (int64_t i = 0; i < 2 * job.lines; i++) {
            opmill_real_put(output->data, output->type, i, 0);
        }
        return OPMILL_OK;
    }
    const int64_t roots = rounded_up(job.root_count);
    job.re = opmill_workspace_begin(context->workspace);
    job.im = job.re + roots;
    job.tables = job.im + roots;
    job.buffers = job.tables + rounded_up(opmill_fourier_table_size(&job.transform));
    if (window != NULL) {
        job.window_values = job.buffers;
        job.buffers += window_size(&job, window);
        for (int64_t i = 0; i < plan->length; i++) {
            job.window_values[i] = opmill_real_at(window->data, window->type, i);
        }
    }
    opmill_fourier_roots(job.re, job.im, job.root_count, job.transform.isa);
    opmill_fourier_fill(&job.transform, job.re, job.im, job.root_count / job.transform.length,
                        job.tables, buffers_of(&job, 0));
    opmill_parallel(job.groups, job.threads, run_group, &job);
    return OPMILL_OK;
}
