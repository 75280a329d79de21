/* QLinearGlobalAveragePool: sums of integers, of a map or of the maps of many channels together. */
#include "families/qlinear_global_pool/kernel.h"

#include "runtime/platform/isa.h"
#include "runtime/platform/parallel.h"
#include "runtime/quantized/loops.h"
#include "runtime/quantized/requantize.h"

enum {
    CHUNK = 64,         /* results of a task */
    MAX_PART = 1 << 22, /* elements whose sum is sure to fit int32 */
    MIN_THREAD_ELEMENTS = 64 * 1024
};

typedef struct job {
    const uint8_t *from;
    uint8_t *to;
    const quantize_loops *loops;
    int64_t results, count; /* of the call, and the elements of each */
    int64_t channels;       /* that lie side by side, a multiple of CHUNK apart in tasks */
    int64_t chunks;         /* tasks of a row of channels */
    int64_t zero;
    float ratio, to_zero;
    bool is_signed;
} job;

static int32_t sum_bytes(const uint8_t *from, int64_t count, bool is_signed) {
    int32_t sum = 0;
    if (is_signed) {
        const int8_t *const numbers = (const int8_t *)from;
        for (int64_t i = 0; i < count; i++) {
            sum += numbers[i];
        }
    } else {
        for (int64_t i = 0; i < count; i++) {
            sum += from[i];
        }
    }
    return sum;
}

/* The sums of maps that lie one behind the other. */
static void sum_maps(const job *job, int64_t first, int64_t size, int64_t *sums) {
    for (int64_t k = 0; k < size; k++) {
        const uint8_t *const map = job->from + (first + k) * job->count;
        for (int64_t i = 0; i < job->count; i += MAX_PART) {
            const int64_t left = job->count - i;
            sums[k] += sum_bytes(map + i, left < MAX_PART ? left : MAX_PART, job->is_signed);
        }
    }
}

/* The sums of channels whose elements lie side by side. */
static void sum_channels(const job *job, int64_t image, int64_t channel, int64_t size,
                         int64_t *sums) {
    const uint8_t *row = job->from + image * job->count * job->channels + channel;
    for (int64_t i = 0; i < job->count; i++, row += job->channels) {
        for (int64_t k = 0; k < size; k++) {
            sums[k] += job->is_signed ? (int8_t)row[k] : row[k];
        }
    }
}

static void run_task(void *state, int64_t task, int32_t worker) {
    const job *const job = state;
    const int64_t row = task / job->chunks, begin = task % job->chunks * CHUNK;
    const int64_t width = job->channels > 0 ? job->channels : job->results;
    const int64_t size = width - begin < CHUNK ? width - begin : CHUNK;
    int64_t sums[CHUNK] = {0};
    float means[CHUNK];
    (void)worker;
    if (job->channels > 0) {
        sum_channels(job, row, begin, size, sums);
    } else {
        sum_maps(job, begin, size, sums);
    }
    for (int64_t k = 0; k < size; k++) {
        means[k] = (float)(sums[k] - job->count * job->zero) * job->ratio;
    }
    job->loops->round_8(job->to + row * width + begin, means, job->to_zero,
                        job->is_signed ? -128 : 0, job->is_signed ? 127 : 255, size);
}

int opmill_qlinear_global_pool_compute(const opmill_tensor *X, const opmill_tensor *x_scale,
                                       const opmill_tensor *x_zero_point,
                                       const opmill_tensor *y_scale,
                                       const opmill_tensor *y_zero_point, opmill_tensor *Y,
                                       const opmill_qlinear_global_pool_plan *plan,
                                       opmill_context *context) {
    const bool last = plan->channels_last != 0;
    const float scale = *(const float *)y_scale->data;
    job job = {.from = X->data, .to = Y->data, .results = 1, .count = 1};
    int64_t rows = 1;
    for (int32_t i = 0; i < X->rank; i++) {
        *(Y->dims[i] != X->dims[i] ? &job.count : &job.results) *= X->dims[i];
    }
    if (job.results == 0) {
        return OPMILL_OK;
    }
    if (last) {
        job.channels = X->dims[X->rank - 1];
        rows = X->dims[0];
    }
    job.chunks = ((last ? job.channels : job.results) - 1) / CHUNK + 1;
    job.loops = opmill_quantize_loops_for(opmill_isa_select(context->isa));
    job.is_signed = X->type == OPMILL_INT8;
    job.zero = (int64_t)opmill_small_number(*(const uint8_t *)x_zero_point->data, X->type);
    job.to_zero = opmill_small_number(*(const uint8_t *)y_zero_point->data, X->type);
    job.ratio = *(const float *)x_scale->data / (scale * (float)job.count);
    int64_t threads = job.results * job.count / MIN_THREAD_ELEMENTS;
    threads = threads < context->threads ? threads : context->threads;
    opmill_parallel(rows * job.chunks, (int32_t)(threads > 1 ? threads : 1), run_task, &job);
    return OPMILL_OK;
}
