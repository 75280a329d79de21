/* Embeddings that are added and normalised: sums of floats in `embedding_sum` or the workspace,
 * then rows by runtime/moments/rows.c. */
#include "families/embed_normalization/kernel.h"

#include "runtime/call/bounds.h"
#include "runtime/call/workspace.h"
#include "runtime/moments/rows.h"
#include "runtime/numbers/elements.h"
#include "runtime/numbers/reals.h"
#include "runtime/platform/parallel.h"
#include "runtime/product/operands.h"
#include "runtime/quantized/requantize.h"

enum { MIN_THREAD_ELEMENTS = 16 * 1024 };

/* A table or a vector; 8-bit integers have a scale and a zero point. */
typedef struct table {
    const opmill_tensor *numbers;
    bool is_quantized;
    float scale, zero_point;
} table;

typedef struct job {
    table words, positions, segments;
    const opmill_tensor *ids, *position_ids, *segment_ids;
    int64_t batch, steps, length;
    float *sums;
    const opmill_tensor *embedding_sum; /* of another type than float, or NULL */
    int64_t share;                      /* rows of a task */
} job;

static table table_of(const opmill_tensor *numbers, const opmill_tensor *scale,
                      const opmill_tensor *zero_point) {
    table of = {.numbers = numbers, .is_quantized = scale != NULL && zero_point != NULL};
    if (of.is_quantized) {
        of.scale = opmill_scale_at(scale, 0);
        of.zero_point =
            (float)(zero_point->type == OPMILL_INT8 ? *(const int8_t *)zero_point->data
                                                    : *(const uint8_t *)zero_point->data);
    }
    return of;
}

/* sums = row, or sums += row, of `count` elements from `first` on. */
static void add_row(const table *of, int64_t first, float *restrict sums, int64_t count,
                    bool is_first) {
    const opmill_tensor *const numbers = of->numbers;
    if (numbers->type == OPMILL_FLOAT) {
        const float *const from = (const float *)numbers->data + first;
        for (int64_t i = 0; i < count; i++) {
            sums[i] = is_first ? from[i] : sums[i] + from[i];
        }
    } else if (!of->is_quantized) {
        for (int64_t i = 0; i < count; i++) {
            const float number = (float)opmill_real_at(numbers->data, numbers->type, first + i);
            sums[i] = is_first ? number : sums[i] + number;
        }
    } else if (numbers->type == OPMILL_INT8) {
        const int8_t *const from = (const int8_t *)numbers->data + first;
        for (int64_t i = 0; i < count; i++) {
            const float number = ((float)from[i] - of->zero_point) * of->scale;
            sums[i] = is_first ? number : sums[i] + number;
        }
    } else {
        const uint8_t *const from = (const uint8_t *)numbers->data + first;
        for (int64_t i = 0; i < count; i++) {
            const float number = ((float)from[i] - of->zero_point) * of->scale;
            sums[i] = is_first ? number : sums[i] + number;
        }
    }
}

/* The first element of the row of a table that an index selects. */
static int64_t selected(const table *of, const opmill_tensor *ids, int64_t position) {
    const int64_t *const dims = of->numbers->dims;
    return opmill_bounds_read(ids, position, 0, dims[0] - 1) * dims[1];
}

static void run_task(void *state, int64_t task, int32_t worker) {
    const job *const job = state;
    const int64_t rows = job->batch * job->steps, begin = task * job->share;
    const int64_t end = rows - begin < job->share ? rows : begin + job->share;
    (void)worker;
    for (int64_t row = begin; row < end; row++) {
        float *const sums = job->sums + row * job->length;
        int64_t position = row % job->steps * job->length;
        if (job->position_ids != NULL) {
            const bool has_one = job->position_ids->dims[0] == 1;
            position =
                selected(&job->positions, job->position_ids, has_one ? row % job->steps : row);
        }
        add_row(&job->words, selected(&job->words, job->ids, row), sums, job->length, true);
        add_row(&job->positions, position, sums, job->length, false);
        if (job->segments.numbers != NULL) {
            const bool is_first = job->segment_ids == NULL; /* all words are of the first segment */
            add_row(&job->segments, is_first ? 0 : selected(&job->segments, job->segment_ids, row),
                    sums, job->length, false);
        }
        for (int64_t i = 0; job->embedding_sum != NULL && i < job->length; i++) {
            opmill_real_put(job->embedding_sum->data, job->embedding_sum->type,
                            row * job->length + i, (double)sums[i]);
        }
    }
}

/* The number of ones of each row of the mask, 0 without one. */
static void count_ones(const opmill_tensor *mask, const opmill_tensor *mask_index, int64_t steps) {
    int32_t *const counts = mask_index->data;
    for (int64_t row = 0; row < mask_index->dims[0]; row++) {
        int32_t count = 0;
        for (int64_t i = 0; mask != NULL && i < steps; i++) {
            count += ((const int32_t *)mask->data)[row * steps + i] == 1;
        }
        counts[row] = count;
    }
}

/* True if all indices have rows; else the first that has none is reported. */
static bool check(const job *job, opmill_context *context) {
    return opmill_bounds_check(job->ids, "input_ids", 0, job->words.numbers->dims[0] - 1,
                               context) &&
           (job->position_ids == NULL ||
            opmill_bounds_check(job->position_ids, "position_ids", 0,
                                job->positions.numbers->dims[0] - 1, context)) &&
           (job->segment_ids == NULL ||
            opmill_bounds_check(job->segment_ids, "segment_ids", 0,
                                job->segments.numbers->dims[0] - 1, context));
}

/* A vector of integers as floats in `space`; another one as it is. */
static opmill_tensor vector_of(const table *of, float *space) {
    opmill_tensor vector = *of->numbers;
    if (of->is_quantized) {
        add_row(of, 0, space, vector.dims[0], true);
        vector.data = space;
        vector.type = OPMILL_FLOAT;
    }
    return vector;
}

int opmill_embed_normalization_compute(
    const opmill_tensor *input_ids, const opmill_tensor *segment_ids,
    const opmill_tensor *word_embedding, const opmill_tensor *position_embedding,
    const opmill_tensor *segment_embedding, const opmill_tensor *gamma, const opmill_tensor *beta,
    const opmill_tensor *mask, const opmill_tensor *position_ids,
    const opmill_tensor *word_embedding_scale, const opmill_tensor *position_embedding_scale,
    const opmill_tensor *segment_embedding_scale, const opmill_tensor *gamma_scale,
    const opmill_tensor *beta_scale, const opmill_tensor *word_embedding_zero_point,
    const opmill_tensor *position_embedding_zero_point,
    const opmill_tensor *segment_embedding_zero_point, const opmill_tensor *gamma_zero_point,
    const opmill_tensor *beta_zero_point, opmill_tensor *output, opmill_tensor *mask_index,
    opmill_tensor *embedding_sum, const opmill_embed_normalization_plan *plan,
    opmill_context *context) {
    job job = {.words = table_of(word_embedding, word_embedding_scale, word_embedding_zero_point),
               .positions = table_of(position_embedding, position_embedding_scale,
                                     position_embedding_zero_point),
               .segments = table_of(segment_embedding, segment_embedding_scale,
                                    segment_embedding_zero_point),
               .ids = input_ids,
               .position_ids = position_ids,
               .segment_ids = segment_ids,
               .batch = input_ids->dims[0],
               .steps = input_ids->dims[1],
               .length = word_embedding->dims[1]};
    if (!check(&job, context)) {
        return OPMILL_ERROR_CALL;
    }
    if (mask_index != NULL) {
        count_ones(mask, mask_index, job.steps);
    }
    if (opmill_product_size(output->dims, output->rank) == 0) {
        return OPMILL_OK;
    }
    float *const space = opmill_workspace_begin(context->workspace);
    job.sums = space + 2 * job.length;
    if (embedding_sum != NULL && embedding_sum->type == OPMILL_FLOAT) {
        job.sums = embedding_sum->data;
    } else {
        job.embedding_sum = embedding_sum;
    }
    const int64_t rows = job.batch * job.steps;
    int64_t threads = rows * job.length / MIN_THREAD_ELEMENTS;
    threads = threads < context->threads ? threads : context->threads;
    threads = threads < rows ? threads : rows;
    threads = threads > 1 ? threads : 1;
    job.share = (rows - 1) / threads + 1;
    opmill_parallel((rows - 1) / job.share + 1, (int32_t)threads, run_task, &job);

    const table factors = table_of(gamma, gamma_scale, gamma_zero_point);
    const table terms = table_of(beta, beta_scale, beta_zero_point);
    const opmill_tensor scale = vector_of(&factors, space);
    const opmill_tensor bias = vector_of(&terms, space + job.length);
    const opmill_tensor sums = {job.sums, output->dims, output->rank, OPMILL_FLOAT};
    const opmill_rows_call call = {.x = &sums,
                                   .scale = &scale,
                                   .bias = &bias,
                                   .y = output,
                                   .begin = 2,
                                   .epsilon = plan->epsilon,
                                   .stash = OPMILL_FLOAT,
                                   .centered = true};
    opmill_rows_normalize(&call, context);
    return OPMILL_OK;
}

size_t opmill_embed_normalization_workspace_bytes(
    const opmill_tensor *input_ids, const opmill_tensor *segment_ids,
    const opmill_tensor *word_embedding, const opmill_tensor *position_embedding,
    const opmill_tensor *segment_embedding, const opmill_tensor *gamma, const opmill_tensor *beta,
    const opmill_tensor *mask, const opmill_tensor *position_ids,
    const opmill_tensor *word_embedding_scale, const opmill_tensor *position_embedding_scale,
    const opmill_tensor *segment_embedding_scale, const opmill_tensor *gamma_scale,
    const opmill_tensor *beta_scale, const opmill_tensor *word_embedding_zero_point,
    const opmill_tensor *position_embedding_zero_point,
    const opmill_tensor *segment_embedding_zero_point, const opmill_tensor *gamma_zero_point,
    const opmill_tensor *beta_zero_point, const opmill_shape *output,
    const opmill_shape *mask_index, const opmill_shape *embedding_sum,
    const opmill_embed_normalization_plan *plan, const opmill_context *context) {
    const uint64_t floats = (uint64_t)opmill_product_size(output->dims, output->rank) +
                            2 * (uint64_t)word_embedding->dims[1];
    (void)input_ids, (void)segment_ids, (void)position_embedding, (void)segment_embedding;
    (void)gamma, (void)beta, (void)mask, (void)position_ids, (void)word_embedding_scale;
    (void)position_embedding_scale, (void)segment_embedding_scale, (void)gamma_scale;
    (void)beta_scale, (void)word_embedding_zero_point, (void)position_embedding_zero_point;
    (void)segment_embedding_zero_point, (void)gamma_zero_point, (void)beta_zero_point;
    (void)mask_index, (void)embedding_sum, (void)plan, (void)context;
    return opmill_workspace_size(floats > UINT64_MAX / 8 ? UINT64_MAX : floats * sizeof(float));
}
