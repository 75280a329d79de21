/* QLinearAveragePool: sums of integers. Where a channel's elements lie side by side, rows are added
 * up first, as many as a window has, and the windows of a row of results add up columns of that.
 * Where channels lie side by side, many channels of a window are added up together. */
#include "families/qlinear_pool/kernel.h"

#include <string.h>

#include "runtime/platform/isa.h"
#include "runtime/platform/parallel.h"
#include "runtime/platform/platform.h"
#include "runtime/quantized/bytes.h"
#include "runtime/quantized/loops.h"
#include "runtime/quantized/requantize.h"

enum {
    COLUMNS = OPMILL_ON_STACK(256, 64), /* sums at a time */
    CHUNK = 64,                         /* results that are rounded together */
    MIN_THREAD_ELEMENTS = 32 * 1024
};

typedef struct axis {
    int64_t x, y; /* elements and windows */
    int64_t kernel, stride;
    int64_t begin;         /* padding before the first element */
    int64_t before, after; /* padding that counts */
} axis;

/* A window along an axis: the elements that are in the input, and how many count. */
typedef struct range {
    int64_t low, high, count;
} range;

typedef struct job {
    const uint8_t *from;
    uint8_t *to;
    const quantize_loops *loops;
    const byte_loops *bytes;
    axis axes[OPMILL_MAX_RANK]; /* of a map */
    int32_t rank;
    int64_t lanes;             /* channels that lie side by side in a map */
    int64_t x_size, rows;      /* elements of a map, of one channel, and rows of windows */
    int64_t row_blocks, block; /* blocks of a row, and windows of each */
    int64_t blocks, share;     /* blocks of all maps, and those of a task */
    int64_t zero;
    float scale, to_scale, to_zero;
    bool is_signed;
} job;

/* Results whose sums are known. */
typedef struct results {
    uint8_t *to;
    int64_t count;
    float sums[CHUNK], counts[CHUNK];
} results;

static int64_t limited(int64_t value, int64_t low, int64_t high) {
    return value < low ? low : value > high ? high : value;
}

static range find_range(const axis *axis, int64_t at) {
    const int64_t first = at * axis->stride - axis->begin, last = first + axis->kernel;
    const int64_t before = -axis->before, after = axis->x + axis->after;
    return (range){limited(first, 0, axis->x), limited(last, 0, axis->x),
                   limited(last, before, after) - limited(first, before, after)};
}

/* Stores the means of all sums. */
static void finish(const job *job, results *results) {
    const float low = job->is_signed ? -128 : 0, high = job->is_signed ? 127 : 255;
    float means[CHUNK], quotients[CHUNK];
    job->loops->divide_each(means, results->sums, results->counts, results->count);
    for (int64_t i = 0; i < results->count; i++) {
        means[i] *= job->scale;
    }
    job->loops->divide(quotients, means, job->to_scale, results->count);
    job->loops->round_8(results->to, quotients, job->to_zero, low, high, results->count);
    results->to += results->count;
    results->count = 0;
}

static void add_result(const job *job, results *results, uint64_t sum, int64_t inside,
                       int64_t count) {
    results->sums[results->count] = (float)((int64_t)sum - inside * job->zero);
    results->counts[results->count] = (float)count;
    if (++results->count == CHUNK) {
        finish(job, results);
    }
}

/* Of each row of the outer axes' ranges, adds up `parts` times `width` elements, each part `lanes`
 * after the one before; to one sum where there is one part. */
static void add_rows(const job *job, const range *outer, const uint8_t *from, int64_t parts,
                     int64_t width, bool to_one, uint64_t *sums) {
    const int32_t last = job->rank - 1;
    int64_t index[OPMILL_MAX_RANK];
    int32_t i = 0;
    for (i = 0; i < last; i++) {
        if (outer[i].low == outer[i].high) {
            return;
        }
        index[i] = outer[i].low;
    }
    while (i >= 0) {
        int64_t row = 0;
        for (i = 0; i < last; i++) {
            row = row * job->axes[i].x + index[i];
        }
        const uint8_t *const at = from + row * job->axes[last].x * job->lanes;
        if (to_one) {
            *sums += (uint64_t)job->bytes->sum(at, job->is_signed, width);
        } else {
            job->bytes->accumulate(sums, at, job->is_signed, width, parts, job->lanes);
        }
        for (i = last - 1; i >= 0 && ++index[i] == outer[i].high; i--) {
            index[i] = outer[i].low;
        }
    }
}

/* Windows of one channel, from `begin` to `end` of a row. The sum of a window is a difference of
 * two sums of all columns before one. */
static void run_columns(const job *job, const range *outer, int64_t inside, int64_t count,
                        const uint8_t *map, int64_t begin, int64_t end, results *results) {
    const axis *const inner = &job->axes[job->rank - 1];
    const int64_t low = find_range(inner, begin).low, high = find_range(inner, end - 1).high;
    const int64_t width = low < high ? high - low : 0, sums_count = end - begin > 1 ? width : 1;
    uint64_t sums[COLUMNS + 1];
    memset(sums, 0, (size_t)(sums_count + 1) * sizeof *sums);
    if (width > 0) {
        add_rows(job, outer, map + low, 1, width, end - begin == 1, sums + 1);
    }
    for (int64_t i = 0; i < sums_count; i++) {
        sums[i + 1] += sums[i];
    }
    for (int64_t at = begin; at < end; at++) {
        const range window = find_range(inner, at);
        const int64_t size = window.high - window.low;
        const uint64_t *const first = sums + (size > 0 ? window.low - low : 0);
        const uint64_t sum = first[end - begin > 1 ? size : 1] - first[0];
        add_result(job, results, sum, inside * size, count * window.count);
    }
}

/* A window of all channels. */
static void run_lanes(const job *job, const range *outer, int64_t inside, int64_t count,
                      const uint8_t *map, int64_t at, results *results) {
    const range window = find_range(&job->axes[job->rank - 1], at);
    const int64_t width = window.high - window.low;
    for (int64_t first = 0; first < job->lanes; first += COLUMNS) {
        const int64_t left = job->lanes - first, size = left < COLUMNS ? left : COLUMNS;
        uint64_t sums[COLUMNS] = {0};
        add_rows(job, outer, map + window.low * job->lanes + first, width, size, false, sums);
        for (int64_t i = 0; i < size; i++) {
            add_result(job, results, sums[i], inside * width, count * window.count);
        }
    }
}

static void run_task(void *state, int64_t task, int32_t worker) {
    const job *const job = state;
    const axis *const inner = &job->axes[job->rank - 1];
    const int64_t map_bytes = job->x_size * job->lanes, first = task * job->share;
    const int64_t end = job->blocks - first < job->share ? job->blocks : first + job->share;
    int64_t row = first / job->row_blocks, begin = first % job->row_blocks * job->block;
    const uint8_t *map = job->from + row / job->rows * map_bytes;
    results results = {.to = job->to + (row * inner->y + begin) * job->lanes};
    row %= job->rows;
    (void)worker;
    for (int64_t number = first; number < end; number++) {
        const int64_t left = inner->y - begin;
        int64_t rest = row, inside = 1, count = 1;
        range outer[OPMILL_MAX_RANK];
        for (int32_t i = job->rank - 2; i >= 0; i--) {
            outer[i] = find_range(&job->axes[i], rest % job->axes[i].y);
            rest /= job->axes[i].y;
            inside *= outer[i].high - outer[i].low;
            count *= outer[i].count;
        }
        if (job->lanes > 1) {
            run_lanes(job, outer, inside, count, map, begin, &results);
        } else {
            run_columns(job, outer, inside, count, map, begin,
                        begin + (left < job->block ? left : job->block), &results);
        }
        begin += job->block;
        if (begin >= inner->y) {
            begin = 0;
            if (++row == job->rows) {
                row = 0;
                map += map_bytes;
            }
        }
    }
    finish(job, &results);
}

static float zero_of(const opmill_tensor *zero) {
    return zero == NULL ? 0 : opmill_small_number(*(const uint8_t *)zero->data, zero->type);
}

/* A single window that is the whole axis. */
static bool is_whole(const axis *axis) {
    return axis->y == 1 && axis->begin == 0 && axis->kernel == axis->x;
}

/* The axes of maps; inner ones whose windows are whole are joined. */
static void describe(job *job, const int64_t *x_dims, const int64_t *y_dims, int32_t rank,
                     const opmill_qlinear_pool_plan *plan) {
    job->x_size = job->rows = 1;
    for (int32_t i = 0; i < rank; i++) {
        job->axes[i] = (axis){x_dims[i],
                              y_dims[i],
                              plan->kernel.values[i],
                              plan->strides.values[i],
                              plan->begin.values[i],
                              plan->counted.values[i],
                              plan->counted.values[rank + i]};
        job->x_size *= x_dims[i];
        job->rows *= i < rank - 1 ? y_dims[i] : 1;
    }
    for (; rank > 1 && is_whole(&job->axes[rank - 1]) && is_whole(&job->axes[rank - 2]); rank--) {
        job->axes[rank - 2].x *= job->axes[rank - 1].x;
        job->axes[rank - 2].kernel = job->axes[rank - 2].x;
    }
    job->rank = rank;
}

int opmill_qlinear_pool_compute(const opmill_tensor *x, const opmill_tensor *x_scale,
                                const opmill_tensor *x_zero_point, const opmill_tensor *y_scale,
                                const opmill_tensor *y_zero_point, opmill_tensor *y,
                                const opmill_qlinear_pool_plan *plan, opmill_context *context) {
    const int32_t isa = opmill_isa_select(context->isa);
    const int32_t first = plan->channels_last ? 1 : 2; /* the first axis of a map */
    job job = {.from = x->data, .to = y->data};
    double work = 1; /* additions */
    describe(&job, x->dims + first, y->dims + first, x->rank - 2, plan);
    const axis *const inner = &job.axes[job.rank - 1];
    job.lanes = plan->channels_last ? x->dims[x->rank - 1] : 1;
    job.block = job.lanes == 1 && inner->kernel <= COLUMNS && inner->stride <= COLUMNS
                    ? (COLUMNS - inner->kernel) / inner->stride + 1
                    : 1;
    job.row_blocks = (inner->y - 1) / job.block + 1;
    job.blocks = x->dims[0] * (plan->channels_last ? 1 : x->dims[1]) * job.rows * job.row_blocks;
    if (job.blocks * job.lanes * inner->y == 0) {
        return OPMILL_OK;
    }
    job.loops = opmill_quantize_loops_for(isa);
    job.bytes = opmill_byte_loops_for(isa);
    job.is_signed = x->type == OPMILL_INT8;
    job.zero = (int64_t)zero_of(x_zero_point);
    job.to_zero = zero_of(y_zero_point);
    job.scale = *(const float *)x_scale->data;
    job.to_scale = *(const float *)y_scale->data;
    for (int32_t i = 0; i < job.rank; i++) {
        const axis *const axis = &job.axes[i];
        work *= (double)axis->y * (double)(axis->kernel < axis->x ? axis->kernel : axis->x);
    }
    work *= (double)(job.blocks / job.rows / job.row_blocks) * (double)job.lanes;
    int64_t threads = context->threads;
    threads = work < (double)threads * MIN_THREAD_ELEMENTS ? 1 : threads;
    threads = threads < job.blocks ? threads : job.blocks;
    threads = threads > 1 ? threads : 1;
    job.share = (job.blocks - 1) / threads + 1;
    opmill_parallel((job.blocks - 1) / job.share + 1, (int32_t)threads, run_task, &job);
    return OPMILL_OK;
}
