/* Dropout: a copy, or products with a factor that is 0 for random elements. The words that decide
 * it depend on the seed and on the position alone, so that threads may begin anywhere. */
#include "families/dropout/kernel.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "families/dropout/factors.h"
#include "runtime/cast/formats.h"
#include "runtime/numbers/elements.h"
#include "runtime/elementwise/elementwise_shares.h"
#include "runtime/platform/isa.h"
#include "runtime/call/message.h"
#include "runtime/platform/parallel.h"
#include "runtime/copy/whole_copy.h"

/* What a call asks for, by the inputs that it gives, or else by the plan. */
typedef struct request {
    bool drops; /* some elements, if any are random enough */
    double probability;
} request;

typedef struct dropout_job {
    const unsigned char *in;
    unsigned char *out;
    unsigned char *mask; /* or NULL */
    int32_t bytes;       /* of an element */
    int32_t mask_bytes;
    int64_t count;
    dropout_factors factors;
    dropout_loop *loop;
    opmill_shares shares;
    uint8_t table[2][256]; /* the products of types of 8 bits, dropped and kept */
} dropout_job;

static bool is_float8(int32_t type) { return opmill_type_bytes(type) == 1; }

static double float8_number(uint64_t bits, int32_t type) {
    const cast_options options = {false, false, CAST_UP};
    const uint64_t wide = opmill_cast_bits(bits, type, OPMILL_DOUBLE, &options);
    double number;
    memcpy(&number, &wide, sizeof number);
    return number;
}

static uint8_t float8_product(uint64_t bits, int32_t type, double factor) {
    const cast_options options = {false, false, CAST_UP};
    const float product = (float)(float8_number(bits, type) * factor);
    uint32_t wide;
    memcpy(&wide, &product, sizeof wide);
    return (uint8_t)opmill_cast_bits(wide, OPMILL_FLOAT, type, &options);
}

static double number_of(const opmill_tensor *scalar) {
    double number = 0;
    if (is_float8(scalar->type)) {
        return float8_number(*(const uint8_t *)scalar->data, scalar->type);
    }
    opmill_tensor_number(scalar, 0, &number);
    return number;
}

static request read_request(const opmill_tensor *ratio, const opmill_tensor *training_mode,
                            const opmill_dropout_plan *plan) {
    request wanted = {plan->training, plan->probability};
    if (ratio != NULL) {
        wanted.probability = number_of(ratio);
    }
    if (training_mode != NULL) {
        wanted.drops = *(const uint8_t *)training_mode->data != 0;
    }
    wanted.drops = wanted.drops && wanted.probability != 0;
    return wanted;
}

static dropout_loop *loop_of(int32_t type, int32_t isa) {
    switch (isa) {
#if OPMILL_X86_64
    case OPMILL_ISA_AVX512:
        return opmill_dropout_loop_avx512(type);
    case OPMILL_ISA_AVX2:
        return opmill_dropout_loop_avx2(type);
#endif
    default:
        return opmill_dropout_loop_baseline(type);
    }
}

static int64_t count_of(const opmill_tensor *data) {
    int64_t count = 1;
    for (int32_t i = 0; i < data->rank; i++) {
        count *= data->dims[i];
    }
    return count;
}

static void run_task(void *state, int64_t task, int32_t worker) {
    const dropout_job *const job = state;
    const int64_t begin = task * job->shares.step;
    const int64_t left = job->count - begin;
    const int64_t end = begin + (left < job->shares.step ? left : job->shares.step);
    (void)worker;
    for (int64_t at = begin; at < end; at += DROPOUT_RUN) {
        const int32_t run = (int32_t)(end - at < DROPOUT_RUN ? end - at : DROPOUT_RUN);
        job->loop(&job->factors, at, run, job->in + at * job->bytes, job->out + at * job->bytes,
                  job->mask == NULL ? NULL : job->mask + at * job->mask_bytes);
    }
}

/* All of a mask of bools, or of a type that has the element 1. */
static void fill_mask(opmill_tensor *mask, int64_t count) {
    if (mask->type == OPMILL_BOOL) {
        memset(mask->data, 1, (size_t)count);
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        opmill_dropout_put(mask->data, mask->type, i, true);
    }
}

int opmill_dropout_compute(const opmill_tensor *data, const opmill_tensor *ratio,
                           const opmill_tensor *training_mode, opmill_tensor *output,
                           opmill_tensor *mask, const opmill_dropout_plan *plan,
                           opmill_context *context) {
    const request wanted = read_request(ratio, training_mode, plan);
    const int64_t count = count_of(data);
    dropout_job job;
    if (ratio != NULL && !(wanted.probability >= 0 && wanted.probability < 1)) {
        opmill_message message = opmill_contents_begin(context);
        opmill_put_text(&message, "ratio is ");
        opmill_put_float(&message, wanted.probability);
        opmill_put_text(&message, ", expected at least 0 and less than 1");
        return OPMILL_ERROR_CALL;
    }
    if (count == 0) {
        return OPMILL_OK;
    }
    if (!wanted.drops) {
        opmill_whole_copy_run(data, output, context);
        if (mask != NULL) {
            fill_mask(mask, count);
        }
        return OPMILL_OK;
    }
    job.in = data->data;
    job.out = output->data;
    job.mask = mask == NULL ? NULL : mask->data;
    job.bytes = opmill_type_bytes(data->type);
    job.mask_bytes = mask == NULL ? 0 : opmill_type_bytes(mask->type);
    job.count = count;
    job.factors.seed = (uint64_t)plan->seed;
    /* At least 1, since the probability is not 0; 2^32 where it is so near to 1. */
    job.factors.limit = (uint32_t)((uint64_t)ceil(wanted.probability * 0x1p32) - 1);
    job.factors.scale = 1 / (1 - wanted.probability);
    job.factors.mask_type = mask == NULL ? OPMILL_BOOL : mask->type;
    job.factors.table = job.table;
    if (is_float8(data->type)) {
        for (int i = 0; i < 256; i++) {
            job.table[0][i] = float8_product((uint64_t)i, data->type, 0);
            job.table[1][i] = float8_product((uint64_t)i, data->type, job.factors.scale);
        }
    }
    job.loop = loop_of(data->type, opmill_isa_select(context->isa));
    job.shares = opmill_share(count, job.bytes, DROPOUT_RUN, false, context);
    opmill_parallel(job.shares.tasks, job.shares.threads, run_task, &job);
    return OPMILL_OK;
}

void opmill_dropout_choose(const opmill_tensor *data, const opmill_tensor *ratio,
                           const opmill_tensor *training_mode, const opmill_shape *output,
                           const opmill_shape *mask, const opmill_dropout_plan *plan,
                           const opmill_context *context, opmill_choice *choice) {
    (void)output;
    (void)mask;
    /* Where the inputs are not there yet, what the plan says is all that is known. */
    const bool unknown = (ratio != NULL && ratio->data == NULL) ||
                         (training_mode != NULL && training_mode->data == NULL);
    if (unknown || !read_request(ratio, training_mode, plan).drops || count_of(data) == 0) {
        opmill_whole_copy_choose(data, context, choice);
        return;
    }
    const opmill_shares shares =
        opmill_share(count_of(data), opmill_type_bytes(data->type), DROPOUT_RUN, false, context);
    *choice = (opmill_choice){"random", opmill_isa_select(context->isa), shares.threads};
}
