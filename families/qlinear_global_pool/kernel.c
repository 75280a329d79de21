/* QLinearGlobalAveragePool: sums of integers, of a map or of the maps of many channels together. */
#include "families/qlinear_global_pool/kernel.h"

#include "runtime/platform/isa.h"
#include "runtime/platform/parallel.h"
#include "runtime/quantized/bytes.h"
#include "runtime/quantized/loops.h"
#include "runtime/quantized/requantize.h"

enum {
    CHUNK = 64, /* results of a task */
    MIN_THREAD_ELEMENTS = 64 * 1024
};

typedef struct job {
    const uint8_t *from;
    uint8_t *to;
    const quantize_loops *loops;
    const byte_loops *bytes;
    int64_t results, count; /* of the call, and the elements of each */
    int64_t channels;       /* that lie side by side, a multiple of CHUNK apart in tasks */
    int64_t chunks;         /* tasks of a row of channels */
    int64_t zero;
    float ratio, to_zero;
    bool is_signed;
} job;

/* The sums of maps that lie one behind the other. */
static void sum_maps(const job *job, int64_t first, int64_t size, uint64_t *sums) {
    for (int64_t k = 0; k < size; k++) {
        const uint8_t *const map = job->from + (first + k) * job->count;
        sums[k] = (uint64_t)job->bytes->sum(map, job->is_signed, job->count);
    }
}

static void run_task(void *state, int64_t task, int32_t worker) {
    const job *const job = state;
    const int64_t row = task / job->chunks, begin = task % job->chunks * CHUNK;
    const int64_t width = job->channels > 0 ? job->channels : job->results;
    const int64_t size = width - begin < CHUNK ? width - begin : CHUNK;
    uint64_t sums[CHUNK] = {0};
    float means[CHUNK];
    (void)worker;
    if (job->channels > 0) {
        const uint8_t *const from = job->from + row * job->count * job->channels + begin;
        job->bytes->accumulate(sums, from, job->is_signed, size, job->count, job->channels);
    } else {
        sum_maps(job, begin, size, sums);
    }
    for (int64_t k = 0; k < size; k++) {
        means[k] = (float)((int64_t)sums[k] - job->count * job->zero) * job->ratio;
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
    const int32_t isa = opmill_isa_select(context->isa);
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
    job.loops = opmill_quantize_loops_for(isa);
    job.bytes = opmill_byte_loops_for(isa);
    job.is_signed = X->type == OPMILL_INT8;
    job.zero = (int64_t)opmill_small_number(*(const uint8_t *)x_zero_point->data, X->type);
    job.to_zero = opmill_small_number(*(const uint8_t *)y_zero_point->data, X->type);
    job.ratio = *(const float *)x_scale->data / (scale * (float)job.count);
    int64_t threads = job.results * job.count / MIN_THREAD_ELEMENTS;
    threads = threads < context->threads ? threads : context->threads;
    opmill_parallel(rows * job.chunks, (int32_t)(threads > 1 ? threads : 1), run_task, &job);
    return OPMILL_OK;
}
