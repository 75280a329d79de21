/* FlexAttention with graphs: more queries than a thread takes at a time, on one thread and on
 * several, beside plain loops in double; and results of graphs that it refuses. */
#include "flex_graphs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"

enum { BATCH = 2, HEADS = 4, SHARED = 2, QUERIES = 70, KEYS = 33, SIZE = 5, WIDTH = 3 };
enum {
    ROWS = BATCH * HEADS * QUERIES,
    SCORES = ROWS * KEYS,
    KEY_ROWS = BATCH * SHARED * KEYS,
    RESULTS = ROWS * WIDTH
};

/* The attributes of FlexAttention-1. */
typedef struct flex_attributes {
    const opmill_graph *prob_mod;
    opmill_float scale;
    const opmill_graph *score_mod;
    opmill_int softmax_precision;
} flex_attributes;

/* A graph that multiplies floats by a factor, or returns what is planted. */
typedef struct planted {
    float factor;
    int32_t code;  /* what `run` returns */
    bool replaces; /* whether the result is `replacement`, which may be NULL */
    const opmill_tensor *replacement;
    int32_t runs;
    float *data; /* of SCORES elements */
    opmill_tensor value;
    const opmill_tensor *tensors[1];
    opmill_graph_results results;
} planted;

static float queries[ROWS * SIZE], keys[KEY_ROWS * SIZE], values[KEY_ROWS * WIDTH];
static float results[2][RESULTS];
static double expected[RESULTS];

static const int64_t query_dims[] = {BATCH, HEADS, QUERIES, SIZE};
static const int64_t key_dims[] = {BATCH, SHARED, KEYS, SIZE};
static const int64_t value_dims[] = {BATCH, SHARED, KEYS, WIDTH};
static const int64_t result_dims[] = {BATCH, HEADS, QUERIES, WIDTH};
static const int64_t score_dims[] = {BATCH, HEADS, QUERIES, KEYS};

static int run(void *user, const opmill_tensor *const *inputs, int32_t input_count,
               opmill_graph_results **found, opmill_error *error) {
    planted *const own = user;
    own->runs++;
    check(input_count == 1 && inputs[0]->type == OPMILL_FLOAT && inputs[0]->rank == 4 &&
              memcmp(inputs[0]->dims, score_dims, sizeof score_dims) == 0,
          "the graph receives all scores");
    if (own->code != OPMILL_OK) {
        strcpy(error->message, "Add-14: no");
        return own->code;
    }
    for (int32_t i = 0; i < SCORES; i++) {
        own->data[i] = own->factor * ((const float *)inputs[0]->data)[i];
    }
    own->value = (opmill_tensor){own->data, score_dims, 4, OPMILL_FLOAT};
    own->tensors[0] = own->replaces ? own->replacement : &own->value;
    own->results = (opmill_graph_results){own->tensors, 1, NULL};
    *found = &own->results;
    return OPMILL_OK;
}

static void fill(float *numbers, int32_t count, int32_t step) {
    for (int32_t i = 0; i < count; i++) {
        numbers[i] = (float)(i * step % 41 - 20) / 16;
    }
}

/* The results where scores are doubled and weights negated. */
static void compute_expected(void) {
    for (int32_t row = 0; row < ROWS; row++) {
        const int32_t head = row / QUERIES / (HEADS / SHARED);
        double scores[KEYS], total = 0;
        for (int32_t j = 0; j < KEYS; j++) {
            scores[j] = 0;
            for (int32_t e = 0; e < SIZE; e++) {
                scores[j] +=
                    (double)queries[row * SIZE + e] * (double)keys[(head * KEYS + j) * SIZE + e];
            }
            scores[j] = exp(2 * scores[j] / sqrt((double)SIZE));
            total += scores[j];
        }
        for (int32_t e = 0; e < WIDTH; e++) {
            double sum = 0;
            for (int32_t j = 0; j < KEYS; j++) {
                sum -= scores[j] / total * (double)values[(head * KEYS + j) * WIDTH + e];
            }
            expected[row * WIDTH + e] = sum;
        }
    }
}

/* Calls the operator with memory of exactly the size that it states. */
static int call(const opmill_operator *operator, planted *score_mod, planted *prob_mod,
                int32_t threads, float *result, opmill_context *context) {
    const opmill_graph graphs[] = {{score_mod, run, NULL, 0}, {prob_mod, run, NULL, 0}};
    const flex_attributes attributes = {&graphs[1], OPMILL_FLOAT_ABSENT, &graphs[0],
                                        OPMILL_INT_ABSENT};
    const opmill_tensor Q = {queries, query_dims, 4, OPMILL_FLOAT};
    const opmill_tensor K = {keys, key_dims, 4, OPMILL_FLOAT};
    const opmill_tensor V = {values, value_dims, 4, OPMILL_FLOAT};
    const opmill_tensor *const inputs[] = {&Q, &K, &V};
    opmill_tensor Y = {result, result_dims, 4, OPMILL_FLOAT};
    opmill_tensor *const outputs[] = {&Y};
    const opmill_context fresh = OPMILL_CONTEXT_INIT;
    size_t bytes = 0;
    *context = fresh;
    context->threads = threads;
    check(opmill_workspace(operator, inputs, 3, &attributes, 1, &bytes, context) == OPMILL_OK &&
              bytes > SCORES * sizeof(float),
          "the workspace has the scores");
    context->workspace = malloc(bytes);
    context->workspace_size = bytes;
    const int code = context->workspace != NULL
                         ? opmill_run(operator, inputs, 3, &attributes, outputs, 1, context)
                         : OPMILL_ERROR_CALL;
    free(context->workspace);
    return code;
}

static void check_results(const opmill_operator *operator, float *spaces[2]) {
    opmill_context context;
    for (int32_t i = 0; i < 2; i++) {
        planted score_mod = {.factor = 2, .data = spaces[0]};
        planted prob_mod = {.factor = -1, .data = spaces[1]};
        check(call(operator, &score_mod, &prob_mod, i == 0 ? 1 : 4, results[i], &context) ==
                  OPMILL_OK,
              "attention with graphs computes");
        check(score_mod.runs == 1 && prob_mod.runs == 1, "each graph runs once");
    }
    check(memcmp(results[0], results[1], sizeof results[0]) == 0,
          "several threads compute the same bits");
    double largest = 0;
    for (int32_t i = 0; i < RESULTS; i++) {
        const double error = fabs((double)results[0][i] - expected[i]);
        largest = error > largest || error != error ? error : largest;
    }
    check(largest < 1e-6, "the sums of values");
}

static void refuse(const opmill_operator *operator, planted *score_mod, planted *prob_mod, int code,
                   const char *words) {
    opmill_context context;
    float result[RESULTS];
    memset(result, 0x5a, sizeof result);
    about("%s", words);
    check(call(operator, score_mod, prob_mod, 1, result, &context) == code, "the code");
    check(strcmp(context.error.message, words) == 0, "the words of the error");
    bool is_written = false;
    for (size_t i = 0; i < sizeof result; i++) {
        is_written = is_written || ((const unsigned char *)result)[i] != 0x5a;
    }
    check(!is_written, "nothing is written");
}

static void check_refusals(const opmill_operator *operator, float *spaces[2]) {
    static const int64_t swapped[] = {BATCH, HEADS, KEYS, QUERIES};
    const opmill_tensor turned = {spaces[0], swapped, 4, OPMILL_FLOAT};
    const opmill_tensor flat = {spaces[0], score_dims, 3, OPMILL_FLOAT};
    const planted scores = {.factor = 1, .data = spaces[0]};
    const planted weights = {.factor = 1, .data = spaces[1]};
    planted first = scores, second = weights;
    first.replaces = true;
    refuse(operator, &first, &second, OPMILL_ERROR_CALL,
           "FlexAttention-1: output 0 of score_mod is absent, expected a tensor");
    check(second.runs == 0, "a refused result ends the call");
    first.replacement = &turned;
    refuse(operator, &first, &second, OPMILL_ERROR_SHAPE,
           "FlexAttention-1: output 0 of score_mod is float[2, 4, 33, 70], expected "
           "float[2, 4, 70, 33] (that of its input)");
    first = scores;
    second.replaces = true;
    second.replacement = &flat;
    refuse(operator, &first, &second, OPMILL_ERROR_SHAPE,
           "FlexAttention-1: output 0 of prob_mod is float[2, 4, 70], expected "
           "float[2, 4, 70, 33] (that of its input)");
    second = weights;
    second.code = OPMILL_ERROR_TYPE;
    refuse(operator, &first, &second, OPMILL_ERROR_TYPE, "Add-14: no");
}

void check_flex_attention(void) {
    const opmill_operator *const operator =
        opmill_find_operator("ai.onnx.preview", "FlexAttention", 1);
    if (operator == NULL) {
        return; /* a library without it */
    }
    float *spaces[] = {malloc(SCORES * sizeof(float)), malloc(SCORES * sizeof(float))};
    check(spaces[0] != NULL && spaces[1] != NULL, "memory for the graphs");
    check(operator->runs_graphs != 0 && operator->attributes_size == sizeof(flex_attributes),
          "the attributes of FlexAttention");
    fill(queries, ROWS * SIZE, 7);
    fill(keys, KEY_ROWS * SIZE, 11);
    fill(values, KEY_ROWS * WIDTH, 5);
    compute_expected();
    check_results(operator, spaces);
    check_refusals(operator, spaces);
    free(spaces[0]);
    free(spaces[1]);
}
