/* Computes attention block by block: a task multiplies a block of queries with the keys of a part
 * of a head, normalises the scores and adds up the weighted values. The offsets of all arrays in
 * the workspace are computed once, before the tasks run. */
#include "runtime/attention/blocks.h"

#include <math.h>
#include <string.h>

#include "runtime/attention/parts.h"
#include "runtime/numbers/elements.h"
#include "runtime/platform/isa.h"
#include "runtime/platform/parallel.h"
#include "runtime/call/workspace.h"

enum {
    BLOCK_SCORES = 256 * 1024, /* scores of a block, if it has more rows than the minimum */
    MIN_ROWS = 16,
    MAX_ROWS = 128,
    CAUSAL_ROWS = 64,    /* the maximum where later queries see more keys */
    MAX_QUERY_ROWS = 4,  /* the maximum for which products of vectors beat those of matrices, */
    MIN_QUERY_SIZE = 16, /* where a vector has 16 numbers or more */
    THREAD_PRODUCTS = 64 * 1024 /* the minimum that is worth several threads */
};

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

static uint64_t times(uint64_t a, uint64_t b) {
    return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

/* Offset of an array of a * b elements behind all others; a sum that overflows stays too large. */
static uint64_t reserve(opmill_attention_job *job, int64_t a, int64_t b, int64_t bytes) {
    const uint64_t at = job->worker_bytes;
    const uint64_t size = times(times((uint64_t)a, (uint64_t)b), (uint64_t)bytes);
    const uint64_t padded = OPMILL_WORKSPACE_ALIGNMENT * 2;
    job->worker_bytes = size > UINT64_MAX - padded - at
                            ? UINT64_MAX - padded
                            : (at + size + OPMILL_WORKSPACE_ALIGNMENT - 1) /
                                  OPMILL_WORKSPACE_ALIGNMENT * OPMILL_WORKSPACE_ALIGNMENT;
    return at;
}

/* The product of a block of queries and keys, whose data are still missing. */
static void describe_scores(const opmill_attention_job *job, opmill_matrix_product *product,
                            int64_t rows, const opmill_attention_part *keys) {
    memset(product, 0, sizeof *product);
    product->m = rows;
    product->n = keys->count;
    product->k = job->size;
    product->type = product->a_type = product->c_type = job->wide;
    product->b_type = job->type;
    product->a_row = job->size;
    product->a_column = 1;
    product->b_row = 1;
    product->b_column = keys->step;
    product->c_row = job->pitch;
    product->batches = 1;
    product->alpha = 1;
}

/* The product of weights and values; the second one is added to the first. */
static void describe_sums(const opmill_attention_job *job, opmill_matrix_product *product,
                          int64_t rows, const opmill_attention_part *values, const void *others) {
    memset(product, 0, sizeof *product);
    product->m = rows;
    product->n = job->value_size;
    product->k = values->count;
    product->type = product->a_type = product->c_type = job->wide;
    product->b_type = job->converts_values ? job->wide : job->type;
    product->a_row = job->pitch;
    product->a_column = 1;
    product->b_row = job->converts_values ? job->value_size : values->step;
    product->b_column = 1;
    product->c_row = job->value_size;
    product->batches = 1;
    product->alpha = 1;
    product->beta = 1;
    product->bias = others;
    product->bias_row = job->value_size;
    product->bias_column = 1;
}

static size_t product_bytes(const opmill_attention_job *job, const opmill_matrix_product *product) {
    opmill_product_layout layout;
    if (product->m == 0 || product->n == 0) {
        return 0;
    }
    opmill_product_lay_out(&layout, product, &job->single);
    return opmill_product_workspace(&layout);
}

/* The parts of a head whose products need the most memory. The number of keys in a part, where
 * batch entries end at different ones, is at most that here, and odd: a product of fewer columns
 * needs no more, unless these are many vectors without a rest. */
static void find_longest_parts(const opmill_attention_job *job, opmill_attention_part *parts,
                               bool values) {
    const int64_t step = values ? job->value_step : job->key_step;
    const int64_t size = values ? job->value_size : job->size;
    parts[0] = (opmill_attention_part){NULL, 0, size, 0, job->plan->past};
    parts[1] = (opmill_attention_part){NULL, 0, step, job->plan->past, job->fresh};
    for (int i = 0; i < 2 && job->tensors->last_keys != NULL; i++) {
        parts[i].count |= parts[i].count > 0;
    }
}

/* The memory of the largest product of blocks of so many rows. */
static size_t products_bytes(const opmill_attention_job *job, int64_t rows) {
    static const char others = 0; /* any address: only whether there is one matters */
    opmill_attention_part keys[2], values[2];
    opmill_matrix_product product;
    size_t largest = 0;
    find_longest_parts(job, keys, false);
    find_longest_parts(job, values, true);
    for (int i = 0; i < 2; i++) {
        describe_scores(job, &product, rows, &keys[i]);
        const size_t scores = product_bytes(job, &product);
        describe_sums(job, &product, rows, &values[i],
                      i == 1 && values[0].count > 0 ? &others : NULL);
        const size_t sums = values[i].count > 0 ? product_bytes(job, &product) : 0;
        largest = scores > largest ? scores : largest;
        largest = sums > largest ? sums : largest;
    }
    return largest;
}

/* The number as an element of the type of Q, rounded once. */
static double rounded_to(const opmill_attention_job *job, double number) {
    uint64_t space;
    double rounded;
    opmill_attention_convert(job->loops, &number, OPMILL_DOUBLE, &space, job->type, 1);
    opmill_attention_convert(job->loops, &space, job->type, &rounded, OPMILL_DOUBLE, 1);
    return rounded;
}

/* True if products leave out the keys and values that no query of a block sees. Only where keys may
 * end early: elsewhere a score may be an output. */
static bool limits_keys(const opmill_attention_job *job) {
    return job->tensors->last_keys != NULL && job->query_loops == NULL;
}

/* The sizes and the offsets; false where there is nothing to compute. */
static bool lay_out(opmill_attention_job *job, const opmill_attention_tensors *tensors,
                    bool gives_scores, const opmill_attention_problem *plan,
                    const opmill_context *context) {
    const int32_t type = tensors->Q->type;
    memset(job, 0, sizeof *job);
    job->tensors = tensors;
    job->plan = plan;
    job->single = *context;
    job->single.threads = 1;
    job->isa = opmill_isa_select(context->isa);
    job->loops = opmill_cast_loops_for(context->isa);
    job->type = type;
    job->bytes = opmill_type_bytes(type);
    job->wide = type == OPMILL_DOUBLE ? OPMILL_DOUBLE : OPMILL_FLOAT;
    job->wide_bytes = opmill_type_bytes(job->wide);
    job->special =
        plan->precision == type || plan->precision == job->wide ? 0 : (int32_t)plan->precision;
    job->converts_values = tensors->V->type != type;
    job->batch = tensors->Q->dims[0];
    job->heads = plan->kv_heads;
    job->length = plan->length;
    job->fresh = plan->fresh;
    job->total = plan->past + plan->fresh;
    job->size = plan->size;
    job->value_size = plan->value_size;
    job->key_step = plan->separate_keys ? plan->size : plan->key_step;
    job->value_step = plan->separate_keys ? plan->value_size : plan->value_step;
    job->pitch = job->total + (plan->has_sink ? 1 : 0);
    if (job->batch == 0 || job->heads == 0 || plan->group == 0 || job->length == 0 ||
        (job->value_size == 0 && (!gives_scores || job->total == 0))) {
        return false;
    }
    const double scale = plan->has_scale ? plan->scale : 1 / sqrt((double)job->size);
    job->factors[0] = plan->roots ? rounded_to(job, sqrt(scale)) : scale;
    job->factors[1] = plan->roots ? job->factors[0] : 1;

    job->rows = plan->group * job->length;
    if (job->rows <= MAX_QUERY_ROWS && type == OPMILL_FLOAT && !job->converts_values &&
        job->size >= MIN_QUERY_SIZE && job->value_size > 0) {
        job->query_loops = opmill_attention_query_loops_for(job->isa);
    }
    const int64_t max_rows = limits_keys(job) && plan->causal ? CAUSAL_ROWS : MAX_ROWS;
    job->block = smaller(job->total > 0 ? BLOCK_SCORES / job->total : max_rows, max_rows);
    job->block = smaller(job->block > MIN_ROWS ? job->block : MIN_ROWS, job->rows);
    job->blocks = (job->rows - 1) / job->block + 1;
    job->tasks = job->batch * job->heads * job->blocks;
    job->queries = reserve(job, job->block, job->size, job->wide_bytes);
    job->scores = reserve(job, job->block, job->pitch, job->wide_bytes);
    job->together = 1;
    if (job->special == 0 && job->pitch > 0 && job->pitch <= OPMILL_SOFTMAX_BATCH) {
        job->together = smaller(OPMILL_SOFTMAX_BATCH / job->pitch, OPMILL_SOFTMAX_ROWS);
    }
    job->row = reserve(job, job->together, job->pitch, job->wide_bytes);
    job->spare = reserve(job, job->special != 0 ? 2 : 0, job->pitch, (int64_t)sizeof(double));
    job->values =
        reserve(job, job->converts_values ? job->total : 0, job->value_size, job->wide_bytes);
    job->sums = reserve(job, job->block, job->value_size, job->wide_bytes);
    const size_t whole = products_bytes(job, job->block);
    const size_t rest = products_bytes(job, job->rows % job->block);
    job->products = reserve(job, 1, (int64_t)(whole > rest ? whole : rest), 1);

    const double products = (double)job->batch * (double)job->heads * (double)job->rows *
                            (double)job->total * (double)(job->size + job->value_size);
    job->threads = 1;
    if (products >= THREAD_PRODUCTS && context->threads > 1) {
        job->threads = job->tasks < context->threads ? (int32_t)job->tasks : context->threads;
        job->threads = opmill_parallel_threads(job->threads);
    }
    return true;
}

size_t opmill_attention_workspace(const opmill_attention_tensors *tensors, bool gives_scores,
                                  const opmill_attention_problem *plan,
                                  const opmill_context *context) {
    opmill_attention_job job;
    if (!lay_out(&job, tensors, gives_scores, plan, context)) {
        return 0;
    }
    return opmill_workspace_size(times(job.worker_bytes, (uint64_t)job.threads));
}

static opmill_attention_query query_of(const opmill_attention_job *job, int64_t task, int64_t row) {
    const int64_t position = task / job->blocks;
    const int64_t all = task % job->blocks * job->block + row;
    return (opmill_attention_query){position / job->heads,
                                    position % job->heads * job->plan->group + all / job->length,
                                    all % job->length};
}

/* Goes on to the query of the next row. */
static void next_query(const opmill_attention_job *job, opmill_attention_query *query) {
    if (++query->index == job->length) {
        query->index = 0;
        query->head++;
    }
}

/* The first element of a query's vector, where a token has `step` elements if heads lie side by
 * side. */
static int64_t vector_of(const opmill_attention_job *job, const opmill_attention_query *query,
                         int64_t size, int64_t step) {
    const int64_t heads = job->heads * job->plan->group;
    return job->plan->separate
               ? ((query->batch * heads + query->head) * job->length + query->index) * size
               : (query->batch * job->length + query->index) * step + query->head * size;
}

/* A block of queries times both factors: one of them may be that of the keys. */
static void fetch_queries(const opmill_attention_job *job, int64_t task, int64_t rows, char *to) {
    const double *const factors = job->factors;
    opmill_attention_query query = query_of(job, task, 0);
    for (int64_t row = 0; row < rows && job->size > 0; row++, next_query(job, &query)) {
        const int64_t first = vector_of(job, &query, job->size, job->plan->query_step);
        char *const at = to + row * job->size * job->wide_bytes;
        opmill_attention_convert(job->loops,
                                 (const char *)job->tensors->Q->data + first * job->bytes,
                                 job->type, at, job->wide, job->size);
        if (job->wide == OPMILL_FLOAT) {
            opmill_attention_query_loops_for(job->isa)->scale((float *)(void *)at, factors,
                                                              job->size);
        } else {
            double *const numbers = (double *)(void *)at;
            for (int64_t i = 0; i < job->size; i++) {
                numbers[i] = numbers[i] * factors[0] * factors[1];
            }
        }
    }
}

/* The parts of the keys or values of a task, up to the end of what its last query sees. */
static void find_parts(const opmill_attention_job *job, opmill_attention_part *parts, bool values,
                       int64_t task, int64_t rows) {
    const int64_t position = task / job->blocks;
    opmill_attention_find_parts(job, parts, values, position / job->heads, position % job->heads);
    if (!limits_keys(job)) {
        return;
    }
    opmill_attention_query query = query_of(job, task, 0);
    query.index = smaller(query.index + rows, job->length) - 1; /* the latest of the block */
    const int64_t end = opmill_attention_seen_end(job, &query);
    for (int i = 0; i < 2; i++) {
        const int64_t seen = end > parts[i].position ? end - parts[i].position : 0;
        parts[i].count = smaller(parts[i].count, seen);
    }
}

static void run_product(const opmill_attention_job *job, const opmill_matrix_product *product,
                        char *memory) {
    opmill_product_layout layout;
    opmill_product_lay_out(&layout, product, &job->single);
    opmill_product_run(&layout, memory + job->products);
}

/* Values of another type as elements of the type of Q, which are then widened. */
static void convert_values(const opmill_attention_job *job, const opmill_attention_part *part,
                           char *memory) {
    const int64_t bytes = opmill_type_bytes(part->tensor->type);
    for (int64_t i = 0; i < part->count; i++) {
        char *const to =
            memory + job->values + (part->position + i) * job->value_size * job->wide_bytes;
        const char *const from = opmill_attention_data(part) + i * part->step * bytes;
        char *const space = memory + job->sums; /* a row of the sums, which are still to come */
        if (job->type == job->wide) {
            opmill_attention_convert(job->loops, from, part->tensor->type, to, job->wide,
                                     job->value_size);
        } else {
            opmill_attention_convert(job->loops, from, part->tensor->type, space, job->type,
                                     job->value_size);
            opmill_attention_convert(job->loops, space, job->type, to, job->wide, job->value_size);
        }
    }
}

/* The keys or values of a head, for few queries; they are stored as an output too, if any. */
static opmill_attention_query_rows query_rows_of(const opmill_attention_job *job,
                                                 const opmill_attention_part *part, int64_t size,
                                                 int64_t position, const opmill_tensor *to,
                                                 char *memory, uint64_t vectors) {
    const int64_t copied = (position * job->plan->present_rows + part->position) * size;
    return (opmill_attention_query_rows){
        .rows = job->rows,
        .size = size,
        .count = part->count,
        .from = (const float *)(const void *)opmill_attention_data(part),
        .step = part->step,
        .copy = to != NULL ? (float *)to->data + copied : NULL,
        .vectors = (float *)(void *)(memory + vectors),
        .scores = (float *)(void *)(memory + job->scores) + part->position,
        .pitch = job->pitch,
    };
}

/* The scores of a block of queries, before anything is added to them. */
static void compute_scores(const opmill_attention_job *job, int64_t task, int64_t rows,
                           char *memory) {
    const int64_t position = task / job->blocks;
    opmill_attention_part parts[2];
    find_parts(job, parts, false, task, rows);
    fetch_queries(job, task, rows, memory + job->queries);
    if (task % job->blocks == 0 && job->query_loops == NULL) {
        opmill_attention_join_keys(job, position); /* which leaves them in the caches */
    }
    for (int i = 0; i < 2; i++) {
        opmill_matrix_product product;
        if (parts[i].count > 0 && job->query_loops != NULL) {
            const opmill_attention_query_rows part =
                query_rows_of(job, &parts[i], job->size, position, job->tensors->present_key,
                              memory, job->queries);
            job->query_loops->score(&part);
        } else if (parts[i].count > 0) {
            describe_scores(job, &product, rows, &parts[i]);
            product.a = memory + job->queries;
            product.b = opmill_attention_data(&parts[i]);
            product.c = memory + job->scores + parts[i].position * job->wide_bytes;
            run_product(job, &product, memory);
        }
    }
    if (job->query_loops != NULL) {
        opmill_attention_end_present(job, false, position);
    }
}

/* The weighted sums of the values, as elements of Y. */
static void sum_values(const opmill_attention_job *job, int64_t task, int64_t rows, char *memory) {
    const int64_t position = task / job->blocks;
    opmill_attention_part parts[2];
    char *const sums = memory + job->sums;
    find_parts(job, parts, true, task, rows);
    for (int i = 0; i < 2 && job->converts_values; i++) {
        if (parts[i].count > 0) {
            convert_values(job, &parts[i], memory);
        }
    }
    if (task % job->blocks == 0 && job->query_loops == NULL) {
        opmill_attention_join_values(job, position);
    }
    if (parts[0].count + parts[1].count == 0 || job->query_loops != NULL) {
        memset(sums, 0, (size_t)(rows * job->value_size * job->wide_bytes));
    }
    for (int i = 0; i < 2; i++) {
        opmill_matrix_product product;
        if (parts[i].count > 0 && job->query_loops != NULL) {
            const opmill_attention_query_rows part =
                query_rows_of(job, &parts[i], job->value_size, position,
                              job->tensors->present_value, memory, job->sums);
            job->query_loops->sum(&part);
        } else if (parts[i].count > 0) {
            describe_sums(job, &product, rows, &parts[i],
                          i == 1 && parts[0].count > 0 ? sums : NULL);
            product.a = memory + job->scores + parts[i].position * job->wide_bytes;
            product.b =
                job->converts_values
                    ? memory + job->values + parts[i].position * job->value_size * job->wide_bytes
                    : opmill_attention_data(&parts[i]);
            product.c = sums;
            run_product(job, &product, memory);
        }
    }
    if (job->query_loops != NULL) {
        opmill_attention_end_present(job, true, position);
    }
    opmill_attention_query query = query_of(job, task, 0);
    for (int64_t row = 0; row < rows; row++, next_query(job, &query)) {
        const int64_t first = vector_of(job, &query, job->value_size,
                                        job->value_size * job->heads * job->plan->group);
        opmill_attention_convert(job->loops, sums + row * job->value_size * job->wide_bytes,
                                 job->wide, (char *)job->tensors->Y->data + first * job->bytes,
                                 job->type, job->value_size);
    }
}

static void run_task(void *state, int64_t task, int32_t worker) {
    const opmill_attention_job *const job = state;
    char *const memory = job->memory + (uint64_t)worker * job->worker_bytes;
    const int64_t rows = smaller(job->rows - task % job->blocks * job->block, job->block);
    compute_scores(job, task, rows, memory);
    opmill_attention_query query = query_of(job, task, 0);
    for (int64_t row = 0, count; row < rows && job->pitch > 0; row += count) {
        opmill_attention_query queries[OPMILL_SOFTMAX_ROWS];
        count = smaller(job->together, rows - row);
        for (int64_t i = 0; i < count; i++, next_query(job, &query)) {
            queries[i] = query;
        }
        opmill_attention_weigh(job, queries, count,
                               memory + job->scores + row * job->pitch * job->wide_bytes,
                               memory + job->row, memory + job->spare);
    }
    if (job->value_size > 0) {
        sum_values(job, task, rows, memory);
    }
}

void opmill_attention_run(const opmill_attention_tensors *tensors,
                          const opmill_attention_problem *plan, const opmill_context *context,
                          void *workspace) {
    opmill_attention_job job;
    const bool computes = lay_out(&job, tensors, tensors->qk_matmul_output != NULL, plan, context);
    if (computes) {
        job.memory = opmill_workspace_begin(workspace);
        opmill_parallel(job.tasks, job.threads, run_task, &job);
        return;
    }
    if (plan->present_rows > 0 && (job.size > 0 || job.value_size > 0)) {
        for (int64_t position = 0; position < job.batch * job.heads; position++) {
            opmill_attention_join_keys(&job, position);
            opmill_attention_join_values(&job, position);
        }
    }
}
