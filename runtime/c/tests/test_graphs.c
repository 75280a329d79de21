/* Graphs that return what no operator can take, or fail: Loop and If pass their errors on, refuse
 * their results, and run them once for each iteration. */
#include <stdio.h>
#include <string.h>

#include "compare.h"
#include "flex_graphs.h"
#include "opmill/operator.h"
#include "opmill/operators.h"

enum { MAX_RUNS = 4 };

/* A graph that returns a condition, and a tensor as state and as row of a stack. */
typedef struct planted {
    opmill_graph_results results[MAX_RUNS];
    const opmill_tensor *tensors[MAX_RUNS][3];
    opmill_tensor values[MAX_RUNS];
    float data[MAX_RUNS];
    int32_t runs;
    int64_t last_iteration;
    int32_t code;                     /* what `run` returns */
    const char *message;              /* and its words */
    int32_t count;                    /* of the results */
    bool returns_null, reuses;        /* no results, those of the first run */
    const opmill_tensor *replacement; /* of the state */
} planted;

static unsigned char yes = 1;
static const opmill_tensor condition = {&yes, NULL, 0, OPMILL_BOOL};

static int run(void *user, const opmill_tensor *const *inputs, int32_t input_count,
               opmill_graph_results **results, opmill_error *error) {
    planted *const own = user;
    const int32_t at = own->runs < MAX_RUNS ? own->runs : MAX_RUNS - 1;
    own->runs++;
    check(input_count == 3 && inputs[1]->type == OPMILL_BOOL, "the body receives its inputs");
    own->last_iteration = *(const int64_t *)inputs[0]->data;
    if (own->code != OPMILL_OK) {
        snprintf(error->message, sizeof error->message, "%s", own->message);
        return own->code;
    }
    own->data[at] = 2 * *(const float *)inputs[2]->data;
    own->values[at] = (opmill_tensor){&own->data[at], NULL, 0, OPMILL_FLOAT};
    own->tensors[at][0] = &condition;
    own->tensors[at][1] = own->replacement != NULL ? own->replacement : &own->values[at];
    own->tensors[at][2] = &own->values[at];
    own->results[at] = (opmill_graph_results){own->tensors[at], own->count, NULL};
    *results = own->returns_null ? NULL : &own->results[own->reuses ? 0 : at];
    return OPMILL_OK;
}

/* Calls Loop-13 with a state and a stack. */
static int loop(const opmill_operator *operator, planted *body, int64_t limit, float *state,
                float *stack, opmill_context *context) {
    static float before = 1;
    static unsigned char workspace[1024];
    const opmill_graph graph = {body, run, NULL, 0};
    const opmill_graph *const attributes[] = {&graph};
    const int64_t rows[] = {limit > 0 ? limit : 0};
    const opmill_tensor M = {&limit, NULL, 0, OPMILL_INT64};
    const opmill_tensor initial = {&before, NULL, 0, OPMILL_FLOAT};
    const opmill_tensor *const inputs[] = {&M, NULL, &initial};
    opmill_tensor first = {state, NULL, 0, OPMILL_FLOAT}, second = {stack, rows, 1, OPMILL_FLOAT};
    opmill_tensor *const outputs[] = {&first, &second};
    const opmill_context fresh = OPMILL_CONTEXT_INIT;
    *context = fresh;
    context->workspace = workspace;
    context->workspace_size = sizeof workspace;
    return opmill_run(operator, inputs, 3, attributes, outputs, 2, context);
}

static void check_loop(const opmill_operator *operator) {
    planted body = {.count = 3};
    opmill_context context;
    float state = 0, stack[MAX_RUNS] = {0};
    const int code = loop(operator, &body, 3, &state, stack, &context);
    check(code == OPMILL_OK, "a loop computes");
    check(body.runs == 3 && body.last_iteration == 2, "the body runs once for each iteration");
    check(state == 8 && stack[0] == 2 && stack[1] == 4 && stack[2] == 8, "the state and the stack");
}

static void check_no_iteration(const opmill_operator *operator) {
    planted body = {.count = 3};
    opmill_context context;
    float state = 0, stack[MAX_RUNS] = {0};
    check(loop(operator, &body, -5, &state, stack, &context) == OPMILL_ERROR_CALL &&
              strstr(context.error.message, "output 2 of body has no declared type") != NULL &&
              body.runs == 0,
          "a negative number of iterations is none");
}

static void refuse(const opmill_operator *operator, planted *body, int code, const char *words) {
    char message[OPMILL_MESSAGE_SIZE];
    opmill_context context;
    float state = 5, stack[MAX_RUNS] = {5};
    snprintf(message, sizeof message, "%s: %s", operator->label, words);
    about("%s", words);
    check(loop(operator, body, 3, &state, stack, &context) == code && context.error.code == code,
          "the code of the error");
    const bool same = strcmp(context.error.message, body->code != OPMILL_OK ? words : message) == 0;
    check(same, "the words of the error");
    if (!same) {
        fail("expected '%s', got '%s'", message, context.error.message);
    }
    check(state == 5 && stack[0] == 5, "nothing is written");
}

static void check_refusals(const opmill_operator *operator) {
    static float number = 1;
    static const int64_t negative[] = {-1}, one[] = {1};
    static const char *texts[] = {NULL};
    const opmill_tensor typeless = {&number, NULL, 0, 99}, below = {&number, negative, 1, 1};
    const opmill_tensor empty = {NULL, one, 1, OPMILL_FLOAT}, ranked = {&number, NULL, 2, 1};
    const opmill_tensor holed = {texts, one, 1, OPMILL_STRING}, other = {&number, NULL, 0, 6};
    const opmill_tensor *const missing[] = {NULL};
    const opmill_tensor items = {(void *)missing, one, 1, OPMILL_SEQUENCE + OPMILL_FLOAT};
    refuse(operator, &(planted){.count = 3, .returns_null = true}, OPMILL_ERROR_CALL,
           "results of body are NULL, expected an object");
    refuse(operator, &(planted){.count = -1}, OPMILL_ERROR_CALL,
           "results of body have NULL for tensors, expected an array");
    refuse(operator, &(planted){.count = 3, .reuses = true}, OPMILL_ERROR_CALL,
           "results of body are those of an earlier run, expected an object of their own");
    refuse(operator, &(planted){.count = 2}, OPMILL_ERROR_CALL,
           "number of outputs of body is 2, expected at least 3");
    refuse(operator, &(planted){.count = 3, .replacement = &typeless}, OPMILL_ERROR_TYPE,
           "output 1 of body has type 99, expected a type of ONNX");
    refuse(operator, &(planted){.count = 3, .replacement = &below}, OPMILL_ERROR_CALL,
           "output 1 of body.dims[0] is -1, expected at least 0");
    refuse(operator, &(planted){.count = 3, .replacement = &empty}, OPMILL_ERROR_CALL,
           "output 1 of body.data is NULL, expected an array");
    refuse(operator, &(planted){.count = 3, .replacement = &ranked}, OPMILL_ERROR_CALL,
           "output 1 of body.dims is NULL, expected an array");
    refuse(operator, &(planted){.count = 3, .replacement = &holed}, OPMILL_ERROR_CALL,
           "output 1 of body.data[0] is NULL, expected a string");
    refuse(operator, &(planted){.count = 3, .replacement = &items}, OPMILL_ERROR_CALL,
           "output 1 of body.data[0] is NULL, expected a tensor");
    refuse(operator, &(planted){.count = 3, .replacement = &other}, OPMILL_ERROR_TYPE,
           "output 1 of body has type int32, expected float (that of its input)");
    refuse(operator, &(planted){.code = OPMILL_ERROR_SHAPE, .message = "Add-14: no"},
           OPMILL_ERROR_SHAPE, "Add-14: no");
    refuse(operator, &(planted){.code = 77, .message = "the battery is empty"}, 77,
           "the battery is empty");
}

/* Attributes that are no graphs. */
static void check_attributes(const opmill_operator *operator) {
    static unsigned char workspace[1024];
    static int64_t number = 1;
    const opmill_tensor M = {&number, NULL, 0, OPMILL_INT64};
    const opmill_tensor *const inputs[] = {&M};
    const opmill_shape typeless = {.type = 99}, ranked = {.type = 1, .rank = OPMILL_MAX_RANK + 1};
    const opmill_graph wrong[] = {{NULL, NULL, NULL, 0},
                                  {NULL, run, NULL, 1},
                                  {NULL, run, &typeless, 1},
                                  {NULL, run, &ranked, 1}};
    static const char *const words[] = {"body.run is NULL", "body.output_types is NULL",
                                        "body.output_types[0] has type 99",
                                        "body.output_types[0] has rank "};
    for (size_t i = 0; i <= sizeof wrong / sizeof wrong[0]; i++) {
        const bool is_absent = i == sizeof wrong / sizeof wrong[0];
        const opmill_graph *const attributes[] = {is_absent ? NULL : &wrong[i]};
        opmill_context context = OPMILL_CONTEXT_INIT;
        opmill_shape shape;
        context.workspace = workspace;
        context.workspace_size = sizeof workspace;
        check(opmill_infer(operator, inputs, 1, attributes, &shape, 1, &context) ==
                      OPMILL_ERROR_ATTRIBUTE &&
                  strstr(context.error.message, is_absent ? "is absent" : words[i]) != NULL,
              "a graph that cannot run");
    }
}

int main(void) {
    const opmill_operator *const operator = opmill_find_operator("ai.onnx", "Loop", 13);
    if (operator == NULL) {
        check(opmill_operator_count > 0, "a library without Loop has other operators");
        return finish("no graphs");
    }
    check(operator->runs_graphs != 0 && operator->attributes_size == sizeof(void *),
          "the attribute is a graph");
    check_loop(operator);
    check_no_iteration(operator);
    check_refusals(operator);
    check_attributes(operator);
    check_flex_attention();
    return finish("graphs");
}
