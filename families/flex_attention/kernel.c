/* FlexAttention: the scores of all queries, which a graph may change, their softmax, which another
 * graph may change, and the weighted sums of the values. Each step computes in double and rounds to
 * the type of the softmax. Threads share a step; the graphs run in the thread of the call. */
#include "families/flex_attention/kernel.h"

#include <math.h>
#include <string.h>

#include "runtime/attention/conversion.h"
#include "runtime/call/workspace.h"
#include "runtime/numbers/elements.h"
#include "runtime/platform/parallel.h"
#include "runtime/product/product.h"
#include "runtime/softmax/loops.h"

enum {
    BLOCK_SCORES = 128 * 1024, /* scores of a block, if it has more rows than the minimum */
    MIN_ROWS = 16,
    MAX_ROWS = 64,
    CHUNK = 64,                       /* elements that are rounded twice at a time */
    MIN_THREADED_PRODUCTS = 64 * 1024 /* the minimum that is worth several threads */
};

/* The queries of the heads that share a head of keys are adjacent rows; a block of them is a task
 * of each step. */
typedef struct flex_job {
    const opmill_tensor *Q, *K, *V;
    int32_t type, precision; /* of the tensors, of the softmax */
    double scale;
    int64_t heads, rows; /* heads of keys, of all batch entries; rows of each */
    int64_t keys, size, value_size;
    int64_t block, blocks; /* rows of a block, blocks of a head */
    const cast_loops *loops;
    opmill_context single; /* the context with one thread */
    int32_t threads;

    /* The workspace: the scores, which become the weights, and the memory of each thread. */
    uint64_t scores_bytes, worker_bytes;
    uint64_t left, right, sums, product; /* offsets in the memory of a thread */
    unsigned char *scores, *workers;
    const unsigned char *from; /* what the next step reads: the scores, or what a graph returned */
    unsigned char *result;     /* the elements of Y */
} flex_job;

typedef struct flex_block {
    int64_t head, row, rows; /* the head of keys, the first row among those of all heads */
    unsigned char *memory;
} flex_block;

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

static uint64_t times(uint64_t a, uint64_t b) {
    return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

/* Bytes up to the next multiple of the alignment; a number that is too large remains so. */
static uint64_t aligned(uint64_t bytes) {
    const uint64_t unit = OPMILL_WORKSPACE_ALIGNMENT;
    return bytes > UINT64_MAX / 4 ? UINT64_MAX / 4 : (bytes + unit - 1) / unit * unit;
}

/* Offset of a * b doubles in the memory of a thread, behind all others. */
static uint64_t reserve(flex_job *job, int64_t a, int64_t b) {
    const uint64_t at = job->worker_bytes;
    job->worker_bytes =
        aligned(at + aligned(times(times((uint64_t)a, (uint64_t)b), sizeof(double))));
    return at;
}

/* The product of some queries and the keys of a head, of doubles. */
static void describe_scores(const flex_job *job, opmill_matrix_product *product, int64_t rows) {
    memset(product, 0, sizeof *product);
    product->m = rows;
    product->n = job->keys;
    product->k = job->size;
    product->type = product->a_type = product->b_type = product->c_type = OPMILL_DOUBLE;
    product->a_row = job->size;
    product->a_column = 1;
    product->b_row = 1;
    product->b_column = job->size;
    product->c_row = job->keys;
    product->batches = 1;
    product->alpha = 1;
}

/* The product of some weights and the values of a head. */
static void describe_sums(const flex_job *job, opmill_matrix_product *product, int64_t rows) {
    describe_scores(job, product, rows);
    product->n = job->value_size;
    product->k = job->keys;
    product->a_row = job->keys;
    product->b_row = job->value_size;
    product->b_column = 1;
    product->c_row = job->value_size;
}

/* The memory that the products of so many rows need. */
static uint64_t product_bytes(const flex_job *job, int64_t rows) {
    opmill_matrix_product product;
    opmill_product_layout layout;
    size_t scores = 0, sums = 0;
    if (rows > 0 && job->keys > 0) {
        describe_scores(job, &product, rows);
        opmill_product_lay_out(&layout, &product, &job->single);
        scores = opmill_product_workspace(&layout);
    }
    if (rows > 0 && job->value_size > 0) {
        describe_sums(job, &product, rows);
        opmill_product_lay_out(&layout, &product, &job->single);
        sums = opmill_product_workspace(&layout);
    }
    return scores > sums ? scores : sums;
}

static void run_product(const flex_job *job, opmill_matrix_product *product, const double *a,
                        const double *b, double *c, unsigned char *memory) {
    opmill_product_layout layout;
    product->a = a;
    product->b = b;
    product->c = c;
    opmill_product_lay_out(&layout, product, &job->single);
    opmill_product_run(&layout, memory);
}

/* The arrays of a thread, by offsets. Doubles are read where they are. */
static void lay_out_worker(flex_job *job) {
    const bool converts = job->type != OPMILL_DOUBLE;
    const bool rounds = converts || job->precision != OPMILL_DOUBLE;
    job->left = reserve(job, job->block, larger(job->size, job->keys));
    job->right =
        reserve(job, job->keys, larger(converts ? job->size : 0, rounds ? job->value_size : 0));
    job->sums = reserve(job, job->block, larger(job->keys, job->value_size));
    const uint64_t whole = product_bytes(job, job->block);
    const uint64_t rest = product_bytes(job, job->block > 0 ? job->rows % job->block : 0);
    job->product = job->worker_bytes;
    job->worker_bytes = aligned(job->worker_bytes + aligned(whole > rest ? whole : rest));
}

/* The sizes of a call and its memory. The data may be missing. */
static void lay_out(flex_job *job, const opmill_tensor *Q, const opmill_tensor *K,
                    const opmill_tensor *V, opmill_float scale, opmill_int softmax_precision,
                    const opmill_flex_attention_plan *plan, const opmill_context *context) {
    const int32_t wide = Q->type == OPMILL_DOUBLE ? OPMILL_DOUBLE : OPMILL_FLOAT;
    memset(job, 0, sizeof *job);
    job->Q = Q;
    job->K = K;
    job->V = V;
    job->type = Q->type;
    job->precision = softmax_precision.present != 0 ? (int32_t)softmax_precision.value : wide;
    job->heads = K->dims[0] * K->dims[1];
    job->rows = plan->group * Q->dims[2];
    job->keys = K->dims[2];
    job->size = K->dims[3];
    job->value_size = V->dims[3];
    job->scale = job->size > 0 ? 1 / sqrt((double)job->size) : 1;
    if (scale.present != 0) {
        job->scale = (double)scale.value;
    }
    job->block = job->keys > 0 ? BLOCK_SCORES / job->keys : MAX_ROWS;
    job->block = smaller(smaller(larger(job->block, MIN_ROWS), MAX_ROWS), job->rows);
    job->blocks = job->block > 0 ? (job->rows - 1) / job->block + 1 : 0;
    job->loops = opmill_cast_loops_for(context->isa);
    job->single = *context;
    job->single.threads = 1;
    const uint64_t rows = times((uint64_t)job->heads, (uint64_t)job->rows);
    job->scores_bytes = aligned(
        times(times(rows, (uint64_t)job->keys), (uint64_t)opmill_type_bytes(job->precision)));
    lay_out_worker(job);

    const double products =
        (double)rows * (double)job->keys * (double)(job->size + job->value_size);
    const uint64_t tasks = times((uint64_t)job->heads, (uint64_t)job->blocks);
    job->threads = 1;
    if (products >= MIN_THREADED_PRODUCTS && context->threads > 1) {
        const bool is_less = tasks < (uint64_t)context->threads;
        job->threads = opmill_parallel_threads(is_less ? (int32_t)tasks : context->threads);
    }
}

static uint64_t workspace_of(const flex_job *job) {
    return job->scores_bytes + aligned(times(job->worker_bytes, (uint64_t)job->threads));
}

static flex_block block_of(const flex_job *job, int64_t task, int32_t worker) {
    const int64_t head = task / job->blocks, first = task % job->blocks * job->block;
    return (flex_block){head, head * job->rows + first, smaller(job->block, job->rows - first),
                        job->workers + (uint64_t)worker * job->worker_bytes};
}

/* Converts elements by way of a type, to which they are rounded first. */
static void convert(const flex_job *job, const void *from, int32_t from_type, int32_t through,
                    void *to, int32_t to_type, int64_t count) {
    const int32_t from_bytes = opmill_type_bytes(from_type), to_bytes = opmill_type_bytes(to_type);
    uint64_t space[CHUNK];
    if (through == from_type || through == to_type) {
        opmill_attention_convert(job->loops, from, from_type, to, to_type, count);
        return;
    }
    for (int64_t i = 0; i < count; i += CHUNK) {
        const int64_t some = smaller(count - i, CHUNK);
        opmill_attention_convert(job->loops, (const char *)from + i * from_bytes, from_type, space,
                                 through, some);
        opmill_attention_convert(job->loops, space, through, (char *)to + i * to_bytes, to_type,
                                 some);
    }
}

/* Elements of a tensor, rounded to a type, as doubles: where they are, or converted to `space`. */
static const double *doubles_of(const flex_job *job, const void *data, int32_t type,
                                int32_t through, int64_t first, int64_t count, void *space) {
    const char *const from =
        count > 0 ? (const char *)data + first * opmill_type_bytes(type) : (const char *)data;
    if (type == OPMILL_DOUBLE && through == OPMILL_DOUBLE) {
        return (const double *)(const void *)from;
    }
    convert(job, from, type, through, space, OPMILL_DOUBLE, count);
    return space;
}

/* Writes the scores of a block. */
static void score(void *state, int64_t task, int32_t worker) {
    const flex_job *const job = state;
    const flex_block at = block_of(job, task, worker);
    const int64_t size = job->size, count = at.rows * job->keys;
    double *const sums = (void *)(at.memory + job->sums);
    opmill_matrix_product product;
    const double *const queries = doubles_of(job, job->Q->data, job->type, job->type, at.row * size,
                                             at.rows * size, at.memory + job->left);
    const double *const keys =
        doubles_of(job, job->K->data, job->type, job->type, at.head * job->keys * size,
                   job->keys * size, at.memory + job->right);
    describe_scores(job, &product, at.rows);
    run_product(job, &product, queries, keys, sums, at.memory + job->product);
    for (int64_t i = 0; i < count; i++) {
        sums[i] *= job->scale;
    }
    opmill_attention_convert(job->loops, sums, OPMILL_DOUBLE,
                             job->scores + at.row * job->keys * opmill_type_bytes(job->precision),
                             job->precision, count);
}

/* Writes the weights of a block in the place of its scores. */
static void weigh(void *state, int64_t task, int32_t worker) {
    const flex_job *const job = state;
    const flex_block at = block_of(job, task, worker);
    const int64_t first = at.row * job->keys, count = at.rows * job->keys;
    double *const weights = (void *)(at.memory + job->left);
    const double *const scores = doubles_of(job, job->from, job->precision, job->precision, first,
                                            count, at.memory + job->sums);
    const opmill_softmax_loops *const loops =
        opmill_softmax_loops_of(OPMILL_DOUBLE, job->single.isa);
    loops->rows[OPMILL_SOFTMAX_SOFTMAX](scores, weights, job->keys, at.rows);
    opmill_attention_convert(job->loops, weights, OPMILL_DOUBLE,
                             job->scores + first * opmill_type_bytes(job->precision),
                             job->precision, count);
}

/* Writes the weighted sums of a block. */
static void sum(void *state, int64_t task, int32_t worker) {
    const flex_job *const job = state;
    const flex_block at = block_of(job, task, worker);
    const int64_t width = job->value_size;
    double *const sums = (void *)(at.memory + job->sums);
    opmill_matrix_product product;
    const double *const weights =
        doubles_of(job, job->from, job->precision, job->precision, at.row * job->keys,
                   at.rows * job->keys, at.memory + job->left);
    const double *const values =
        doubles_of(job, job->V->data, job->type, job->precision, at.head * job->keys * width,
                   job->keys * width, at.memory + job->right);
    describe_sums(job, &product, at.rows);
    run_product(job, &product, weights, values, sums, at.memory + job->product);
    convert(job, sums, OPMILL_DOUBLE, job->precision,
            job->result + at.row * width * opmill_type_bytes(job->type), job->type,
            at.rows * width);
}

/* Runs a step for all blocks; `width` is the number of elements that it writes of a row. */
static void run_step(flex_job *job, opmill_task *step, int64_t width) {
    if (width > 0 && job->blocks > 0) {
        opmill_parallel(job->heads * job->blocks, job->threads, step, job);
    }
}

/* Refuses a result that is not a tensor of the type and shape of the graph's input. */
static int check_result(const opmill_runs *runs, const opmill_tensor *given) {
    const opmill_tensor *const result = runs->last->tensors[0];
    if (result == NULL || opmill_is_sequence(result->type)) {
        opmill_message message = opmill_runs_error(runs, OPMILL_ERROR_CALL);
        opmill_put_result(&message, runs, 0);
        opmill_put_text(&message, " is ");
        opmill_put_described(&message, result);
        opmill_put_text(&message, ", expected a tensor");
        return OPMILL_ERROR_CALL;
    }
    const int code = opmill_runs_check_types(runs, &given, 1, 0);
    if (code != OPMILL_OK ||
        (result->rank == given->rank &&
         memcmp(result->dims, given->dims, (size_t)given->rank * sizeof *given->dims) == 0)) {
        return code;
    }
    opmill_message message = opmill_runs_error(runs, OPMILL_ERROR_SHAPE);
    opmill_put_result(&message, runs, 0);
    opmill_put_text(&message, " is ");
    opmill_put_described(&message, result);
    opmill_put_text(&message, ", expected ");
    opmill_put_described(&message, given);
    opmill_put_text(&message, " (that of its input)");
    return OPMILL_ERROR_SHAPE;
}

/* Runs a graph on the scores or weights, and sets what the next step reads. */
static int modify(flex_job *job, const opmill_call *call, const char *name,
                  const opmill_graph *graph) {
    const int64_t dims[] = {job->Q->dims[0], job->Q->dims[1], job->Q->dims[2], job->keys};
    const opmill_tensor scores = {job->scores, dims, 4, job->precision};
    const opmill_tensor *const given = &scores;
    opmill_runs runs = {.call = call, .graph = graph, .name = name};
    job->from = job->scores;
    if (graph == NULL) {
        return OPMILL_OK;
    }
    int code = opmill_runs_next(&runs, &given, 1, 1, true);
    if (code == OPMILL_OK) {
        code = check_result(&runs, given);
    }
    if (code == OPMILL_OK) {
        job->from = runs.last->tensors[0]->data;
    }
    return code;
}

static int shape(void *user, int32_t output, opmill_shape *found) {
    const flex_job *const job = user;
    (void)output;
    found->type = job->type;
    found->rank = 4;
    memcpy(found->dims, job->Q->dims, 3 * sizeof *found->dims);
    found->dims[3] = job->value_size;
    return OPMILL_OK;
}

static void write(void *user, int32_t output, void *data) {
    flex_job *const job = user;
    (void)output;
    job->result = data;
    run_step(job, sum, job->value_size);
}

int opmill_flex_attention_compute(const opmill_tensor *Q, const opmill_tensor *K,
                                  const opmill_tensor *V, const opmill_graph *prob_mod,
                                  opmill_float scale, const opmill_graph *score_mod,
                                  opmill_int softmax_precision, const opmill_call *call,
                                  const opmill_flex_attention_plan *plan, opmill_context *context) {
    flex_job job;
    lay_out(&job, Q, K, V, scale, softmax_precision, plan, context);
    job.scores = opmill_workspace_begin(context->workspace);
    job.workers = job.scores != NULL ? job.scores + job.scores_bytes : NULL;
    run_step(&job, score, job.keys);
    int code = modify(&job, call, "score_mod", score_mod);
    if (code == OPMILL_OK) {
        run_step(&job, weigh, job.keys);
        code = modify(&job, call, "prob_mod", prob_mod);
    }
    const opmill_graph_outputs outputs = {&job, 1, shape, write, NULL};
    return code == OPMILL_OK ? opmill_graph_return(call, &outputs) : code;
}

size_t opmill_flex_attention_workspace_bytes(const opmill_tensor *Q, const opmill_tensor *K,
                                             const opmill_tensor *V, const opmill_graph *prob_mod,
                                             opmill_float scale, const opmill_graph *score_mod,
                                             opmill_int softmax_precision,
                                             const opmill_flex_attention_plan *plan,
                                             const opmill_context *context) {
    flex_job job;
    (void)prob_mod;
    (void)score_mod;
    lay_out(&job, Q, K, V, scale, softmax_precision, plan, context);
    return opmill_workspace_size(workspace_of(&job));
}
