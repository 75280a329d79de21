/* QLinearAveragePool: sums of integers, of a window of one map, or of the windows of many channels
 * whose elements lie side by side. */
#include "families/qlinear_pool/kernel.h"

#include <string.h>

#include "runtime/platform/isa.h"
#include "runtime/platform/parallel.h"
#include "runtime/quantized/loops.h"
#include "runtime/quantized/requantize.h"

enum { CHUNK = 64, MIN_THREAD_ELEMENTS = 32 * 1024 };

typedef struct job {
    const uint8_t *from;
    uint8_t *to;
    const quantize_loops *loops;
    const int64_t *x_dims, *y_dims; /* of a map */
    const opmill_qlinear_pool_plan *plan;
    int32_t rank;           /* of a map */
    int64_t maps, lanes;    /* maps one behind the other, and channels side by side in each */
    int64_t x_size, y_size; /* elements of a map, of one channel */
    int64_t share;          /* windows of a task, of all maps */
    int64_t zero;
    float scale, to_scale, to_zero;
    bool is_signed;
} job;

/* A window: the elements of each axis that are in the input, and how many count. */
typedef struct window {
    int64_t low[OPMILL_MAX_RANK], high[OPMILL_MAX_RANK];
    int64_t inside, count;
} window;

static int64_t limited(int64_t value, int64_t low, int64_t high) {
    return value < low ? low : value > high ? high : value;
}

static void find_window(const job *job, int64_t number, window *found) {
    const opmill_qlinear_pool_plan *const plan = job->plan;
    found->inside = found->count = 1;
    for (int32_t i = job->rank - 1; i >= 0; i--) {
        const int64_t at = number % job->y_dims[i], length = job->x_dims[i];
        const int64_t first = at * plan->strides.values[i] - plan->begin.values[i];
        const int64_t last = first + plan->kernel.values[i];
        const int64_t before = -plan->counted.values[i];
        const int64_t after = length + plan->counted.values[job->rank + i];
        number /= job->y_dims[i];
        found->low[i] = limited(first, 0, length);
        found->high[i] = limited(last, 0, length);
        found->inside *= found->high[i] - found->low[i];
        found->count *= limited(last, before, after) - limited(first, before, after);
    }
}

static void add_row(const job *job, const uint8_t *from, int64_t count, int64_t lanes,
                    int64_t *sums) {
    if (job->lanes == 1) {
        int64_t sum = 0;
        for (int64_t i = 0; i < count; i++) {
            sum += job->is_signed ? (int8_t)from[i] : from[i];
        }
        sums[0] += sum;
        return;
    }
    for (int64_t i = 0; i < count; i++, from += job->lanes) {
        for (int64_t k = 0; k < lanes; k++) {
            sums[k] += job->is_signed ? (int8_t)from[k] : from[k];
        }
    }
}

/* The sums of a window, of `lanes` channels from a map's element `from` on. */
static void add_window(const job *job, const window *window, const uint8_t *from, int64_t lanes,
                       int64_t *sums) {
    const int32_t last = job->rank - 1;
    int64_t index[OPMILL_MAX_RANK];
    int32_t axis = 0;
    if (window->inside == 0) {
        return;
    }
    memcpy(index, window->low, (size_t)job->rank * sizeof *index);
    while (axis >= 0) {
        int64_t at = 0;
        for (int32_t i = 0; i < job->rank; i++) {
            at = at * job->x_dims[i] + index[i];
        }
        add_row(job, from + at * job->lanes, window->high[last] - window->low[last], lanes, sums);
        for (axis = last - 1; axis >= 0; axis--) {
            if (++index[axis] < window->high[axis]) {
                break;
            }
            index[axis] = window->low[axis];
        }
    }
}

/* Stores the means of `lanes` sums. */
static void store(const job *job, const window *window, const int64_t *sums, int64_t lanes,
                  uint8_t *to) {
    const float low = job->is_signed ? -128 : 0, high = job->is_signed ? 127 : 255;
    float numbers[CHUNK], quotients[CHUNK];
    for (int64_t k = 0; k < lanes; k++) {
        const float mean = (float)(sums[k] - window->inside * job->zero) / (float)window->count;
        numbers[k] = mean * job->scale;
    }
    job->loops->divide(quotients, numbers, job->to_scale, lanes);
    job->loops->round_8(to, quotients, job->to_zero, low, high, lanes);
}

static void run_task(void *state, int64_t task, int32_t worker) {
    const job *const job = state;
    const int64_t all = job->maps * job->y_size, begin = task * job->share;
    const int64_t end = all - begin < job->share ? all : begin + job->share;
    (void)worker;
    for (int64_t number = begin; number < end; number++) {
        const uint8_t *const map = job->from + number / job->y_size * job->x_size * job->lanes;
        uint8_t *const to = job->to + number * job->lanes;
        window window;
        find_window(job, number % job->y_size, &window);
        for (int64_t first = 0; first < job->lanes; first += CHUNK) {
            const int64_t lanes = job->lanes - first < CHUNK ? job->lanes - first : CHUNK;
            int64_t sums[CHUNK] = {0};
            add_window(job, &window, map + first, lanes, sums);
            store(job, &window, sums, lanes, to + first);
        }
    }
}

static float zero_of(const opmill_tensor *zero) {
    return zero == NULL ? 0 : opmill_small_number(*(const uint8_t *)zero->data, zero->type);
}

int opmill_qlinear_pool_compute(const opmill_tensor *x, const opmill_tensor *x_scale,
                                const opmill_tensor *x_zero_point, const opmill_tensor *y_scale,
                                const opmill_tensor *y_zero_point, opmill_tensor *y,
                                const opmill_qlinear_pool_plan *plan, opmill_context *context) {
    const int32_t first = plan->channels_last ? 1 : 2; /* the first axis of a map */
    job job = {.from = x->data, .to = y->data, .plan = plan, .rank = x->rank - 2};
    int64_t windows = 1;
    job.x_dims = x->dims + first;
    job.y_dims = y->dims + first;
    job.x_size = job.y_size = 1;
    for (int32_t i = 0; i < job.rank; i++) {
        job.x_size *= job.x_dims[i];
        job.y_size *= job.y_dims[i];
        windows *= plan->kernel.values[i] < job.x_dims[i] ? plan->kernel.values[i] : job.x_dims[i];
    }
    job.maps = plan->channels_last ? x->dims[0] : x->dims[0] * x->dims[1];
    job.lanes = plan->channels_last ? x->dims[x->rank - 1] : 1;
    if (job.maps * job.lanes * job.y_size == 0) {
        return OPMILL_OK;
    }
    job.loops = opmill_quantize_loops_for(opmill_isa_select(context->isa));
    job.is_signed = x->type == OPMILL_INT8;
    job.zero = (int64_t)zero_of(x_zero_point);
    job.to_zero = zero_of(y_zero_point);
    job.scale = *(const float *)x_scale->data;
    job.to_scale = *(const float *)y_scale->data;
    const int64_t results = job.maps * job.y_size;
    const double work = (double)results * (double)job.lanes * (double)windows;
    int64_t threads = context->threads;
    threads = work < (double)threads * MIN_THREAD_ELEMENTS ? 1 : threads;
    threads = threads < results ? threads : results;
    threads = threads > 1 ? threads : 1;
    job.share = (results - 1) / threads + 1;
    opmill_parallel((results - 1) / job.share + 1, (int32_t)threads, run_task, &job);
    return OPMILL_OK;
}
