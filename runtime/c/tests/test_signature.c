/* Calls of versions whose signatures no operator here has: optional and variadic inputs, several
 * outputs, one type variable shared. Their expected entries are written by hand. */
#include <stddef.h>
#include <string.h>

#include "compare.h"
#include "runtime/call/call.h"
#include "runtime/call/driver.h"
#include "runtime/call/rules.h"

static const int32_t NUMBERS[] = {OPMILL_FLOAT, OPMILL_INT64};
static const int32_t INT64_ALONE[] = {OPMILL_INT64};

/* name, option, min_arity, homogeneous, variable, types, type_count, bounded */
static const opmill_parameter MIXED_INPUTS[] = {
    {"data", OPMILL_SINGLE, 1, 1, 0, NUMBERS, 2, 0},
    {"axes", OPMILL_OPTIONAL, 1, 1, -1, INT64_ALONE, 1, 0},
    {"more", OPMILL_VARIADIC, 2, 1, 0, NUMBERS, 2, 0},
};
static const opmill_parameter LOOSE_INPUTS[] = {
    {"any", OPMILL_VARIADIC, 0, 0, 0, NUMBERS, 2, 0},
};
static const opmill_parameter OUTPUTS[] = {
    {"first", OPMILL_SINGLE, 1, 1, 0, NUMBERS, 2, 1},
    {"second", OPMILL_OPTIONAL, 1, 1, -1, INT64_ALONE, 1, 0},
};
static const opmill_operator MIXED = {.label = "Mixed-1",
                                      .input_count = 3,
                                      .output_count = 2,
                                      .inputs = MIXED_INPUTS,
                                      .outputs = OUTPUTS};
static const opmill_operator LOOSE = {.label = "Loose-1", .input_count = 1, .inputs = LOOSE_INPUTS};
static const opmill_parameter EVEN_INPUTS[] = {
    {"all", OPMILL_VARIADIC, 0, 1, 0, NUMBERS, 2, 0},
};
static const opmill_operator EVEN = {.label = "Even-1", .input_count = 1, .inputs = EVEN_INPUTS};
static const opmill_operator BARE = {.label = "Bare-1"};

static float floats[4];
static int64_t integers[4];
static const int64_t two[] = {2};
static const opmill_tensor reals = {floats, two, 1, OPMILL_FLOAT};
static const opmill_tensor wholes = {integers, two, 1, OPMILL_INT64};
static const opmill_tensor halves = {integers, two, 1, OPMILL_FLOAT16};
static const opmill_tensor absent = {NULL, two, 1, OPMILL_FLOAT};
static const opmill_tensor tall = {floats, two, 65, OPMILL_FLOAT};

/* Fails where the call is not refused with this message; NULL where it is taken. */
static void check_inputs(const opmill_operator *operator, const opmill_tensor *const *inputs,
                         int32_t count, const char *message) {
    opmill_context context = OPMILL_CONTEXT_INIT;
    opmill_binding binding;
    const int code = opmill_call_inputs(operator, inputs, count, true, &binding, &context);
    about("%s with %d inputs", operator->label, (int)count);
    check((code == OPMILL_OK) == (message == NULL), "taken or refused");
    if (message != NULL && strcmp(context.error.message, message) != 0) {
        fail("'%s', expected '%s'", context.error.message, message);
    }
}

static void test_inputs(void) {
    const opmill_tensor *const mixed[] = {&reals, &wholes, &reals, &reals, &reals};
    const opmill_tensor *const without_axes[] = {&reals, NULL, &reals, &reals};
    const opmill_tensor *const with_gap[] = {&reals, NULL, &reals, NULL};
    const opmill_tensor *const other[] = {&reals, NULL, &reals, &wholes};
    const opmill_tensor *const wrong_axes[] = {&reals, &reals, &reals, &reals};
    const opmill_tensor *const wrong_first[] = {&halves, NULL, &reals, &reals};
    const opmill_tensor *const wrong_rank[] = {&reals, NULL, &reals, &tall};
    const opmill_tensor *const loose[] = {&reals, &wholes, &reals};
    const opmill_tensor *const wrong_loose[] = {&reals, &reals, &halves};
    const opmill_tensor *const even[] = {&reals, &wholes};
    const opmill_tensor *const gone[] = {&reals, &reals, &absent};
    check_inputs(&MIXED, mixed, 4, NULL);
    check_inputs(&MIXED, mixed, 5, NULL);
    check_inputs(&MIXED, without_axes, 4, NULL);
    check_inputs(&MIXED, mixed, 3, "Mixed-1: number of inputs is 3, expected at least 4");
    check_inputs(&MIXED, with_gap, 4, "Mixed-1: input 'more[1]' is absent, expected a value");
    check_inputs(&MIXED, other, 4,
                 "Mixed-1: more[1] has type int64, expected float (the type of data)");
    check_inputs(&MIXED, wrong_axes, 4, "Mixed-1: axes has type float, expected int64");
    check_inputs(&MIXED, wrong_first, 4,
                 "Mixed-1: data has type float16, expected one of float, int64");
    check_inputs(&MIXED, wrong_rank, 4, "Mixed-1: more[1] has rank 65, expected 0 to 64");
    check_inputs(&LOOSE, loose, 3, NULL);
    check_inputs(&LOOSE, wrong_loose, 3,
                 "Loose-1: any[2] has type float16, expected one of float, int64");
    check_inputs(&LOOSE, gone, 3, "Loose-1: any[2].data is NULL, expected an array");
    check_inputs(&EVEN, even, 2,
                 "Even-1: all[1] has type int64, expected float (the type of all[0])");
    check_inputs(&LOOSE, loose, 0, NULL);
    check_inputs(&LOOSE, loose, -1, "Loose-1: number of inputs is -1, expected at least 0");
    check_inputs(&BARE, NULL, 0, NULL);
    check_inputs(&BARE, loose, 1, "Bare-1: number of inputs is 1, expected 0");
}

/* A message ends where its room does, whatever the name of a value in it. */
static void test_long_name(void) {
    static char name[2 * OPMILL_MESSAGE_SIZE];
    static char expected[OPMILL_MESSAGE_SIZE] = "Long-1: ";
    memset(name, 'n', sizeof name - 1);
    memset(expected + strlen(expected), 'n', sizeof expected - 1 - strlen(expected));
    const opmill_parameter parameters[] = {{name, OPMILL_VARIADIC, 0, 0, 0, NUMBERS, 2, 0}};
    const opmill_operator operator = {.label = "Long-1", .input_count = 1, .inputs = parameters};
    const opmill_tensor *const inputs[] = {&halves};
    check_inputs(&operator, inputs, 1, expected);
}

static void test_outputs(void) {
    opmill_shape shapes[2] = {{.rank = 1, .dims = {2}}, {.rank = 1, .dims = {2}}};
    int64_t whole_numbers[5];
    const opmill_tensor *const inputs[] = {&reals};
    float sums[2];
    opmill_tensor first = {sums, two, 1, OPMILL_FLOAT};
    opmill_tensor second = {whole_numbers, two, 1, OPMILL_INT64};
    opmill_tensor *const outputs[] = {&first, &second};
    opmill_context context = OPMILL_CONTEXT_INIT;
    opmill_binding binding = {.types = {OPMILL_FLOAT}};
    about("two outputs");
    for (int32_t count = 0; count <= 3; count++) {
        const int code = opmill_call_results(&MIXED, shapes, count, &context);
        check((code == OPMILL_OK) == (count == 1 || count == 2), "1..2 outputs");
    }
    check(strcmp(context.error.message, "Mixed-1: number of outputs is 3, expected 1 to 2") == 0,
          "why");
    check(opmill_call_types(&MIXED, &binding, NULL, shapes, 2, NULL, &context) == OPMILL_OK,
          "types");
    check(shapes[0].type == OPMILL_FLOAT && shapes[1].type == OPMILL_INT64, "which types");
    check(opmill_call_outputs(&MIXED, inputs, 1, shapes, NULL, outputs, 2, &context) == OPMILL_OK,
          "outputs apart from each other");
    first.data = whole_numbers + 1;
    check(opmill_call_outputs(&MIXED, inputs, 1, shapes, NULL, outputs, 2, &context) != OPMILL_OK,
          "an output that lies in the other one");
    check(strcmp(context.error.message,
                 "Mixed-1: out for second overlaps another output, expected separate memory") == 0,
          "why");
    first.data = whole_numbers + 2; /* where the other one ends */
    check(opmill_call_outputs(&MIXED, inputs, 1, shapes, NULL, outputs, 2, &context) == OPMILL_OK,
          "outputs that touch");
}

static void test_absent_outputs(void) {
    int64_t whole_numbers[2];
    const opmill_tensor *const inputs[] = {&reals};
    float sums[2];
    opmill_tensor first = {sums, two, 1, OPMILL_FLOAT};
    opmill_tensor second = {whole_numbers, two, 1, OPMILL_INT64};
    opmill_tensor *outputs[] = {&first, &second};
    const opmill_shape shapes[2] = {{.rank = 1, .dims = {2}, .type = OPMILL_FLOAT},
                                    {.rank = 1, .dims = {2}, .type = OPMILL_INT64}};
    opmill_context context = OPMILL_CONTEXT_INIT;
    about("absent outputs");
    check(opmill_call_asked(&MIXED, outputs, 2) == 2, "both are asked for");
    outputs[1] = NULL;
    check(opmill_call_asked(&MIXED, outputs, 2) == 1, "an optional one is not");
    check(opmill_call_asked(&MIXED, outputs, 3) == 3, "more than there are stay more");
    check(opmill_call_asked(&MIXED, NULL, 2) == 2, "no array tells nothing");
    check(opmill_call_outputs(&MIXED, inputs, 1, shapes, NULL, outputs, 2, &context) == OPMILL_OK,
          "an optional one may be absent");
    outputs[0] = NULL;
    check(opmill_call_asked(&MIXED, outputs, 2) == 1, "a missing one is asked for");
    check(opmill_call_outputs(&MIXED, inputs, 1, shapes, NULL, outputs, 1, &context) != OPMILL_OK &&
              strcmp(context.error.message, "Mixed-1: out for first is NULL, expected a tensor") ==
                  0,
          "a required one may not be absent");
}

/* A rule and a kernel for MIXED: the first output is bounded by the data's shape. */
static int derive_mixed(const opmill_call *call) {
    call->shapes[0] = (opmill_shape){.rank = 1, .dims = {call->inputs[0]->dims[0]}};
    call->shapes[1] = (opmill_shape){.rank = 1, .dims = {call->value_count}};
    return OPMILL_OK;
}

static int measure_mixed(const opmill_call *call) {
    call->shapes[0].dims[0] = 1;
    return OPMILL_OK;
}

static int compute_mixed(const opmill_call *call) {
    const opmill_tensor *const counts = opmill_call_output(call, 1);
    *(float *)call->outputs[0]->data = *(const float *)call->values[1]->data;
    if (counts != NULL) {
        *(int64_t *)counts->data = call->inputs[1] != NULL;
    }
    return OPMILL_OK;
}

static int enter_mixed(opmill_call *call) {
    const opmill_tensor *listed[2];
    opmill_shape all_shapes[4];
    return opmill_call_perform(call, listed, all_shapes, NULL);
}

static const opmill_implementation MIXED_IMPLEMENTATION = {.enter = enter_mixed,
                                                           .shape_count = 2,
                                                           .derive = derive_mixed,
                                                           .compute = compute_mixed,
                                                           .measure = measure_mixed};

/* The course of a call with listed and variadic inputs, a bounded and an optional output. */
static void test_driver(void) {
    opmill_operator mixed = MIXED;
    const opmill_tensor *const inputs[] = {&reals, &wholes, &reals, &reals};
    float sums[1] = {0};
    int64_t counts[2] = {7, 7};
    const int64_t one[] = {1};
    const opmill_tensor first = {sums, one, 1, OPMILL_FLOAT};
    const opmill_tensor second = {counts, two, 1, OPMILL_INT64};
    opmill_tensor *outputs[] = {(opmill_tensor *)&first, (opmill_tensor *)&second};
    opmill_shape found[2] = {{.rank = 7}, {.rank = 7}};
    opmill_shape *targets[] = {&found[0], &found[1]};
    opmill_context context = OPMILL_CONTEXT_INIT;
    size_t bytes = 1;
    opmill_choice choice = {"", 1, 1};
    mixed.implementation = &MIXED_IMPLEMENTATION;
    about("the course of a call");
    check(opmill_infer_each(&mixed, inputs, 4, NULL, targets, &context) == OPMILL_OK &&
              found[0].rank == 1 && found[0].dims[0] == 2 && found[0].type == OPMILL_FLOAT &&
              found[1].rank == 1 && found[1].dims[0] == 2 && found[1].type == OPMILL_INT64,
          "both shapes are inferred, the first as a bound");
    check(opmill_measure_each(&mixed, inputs, 4, NULL, targets, &context) == OPMILL_OK &&
              found[0].dims[0] == 1 && found[1].dims[0] == 2,
          "the bounded one is measured");
    check(opmill_workspace(&mixed, inputs, 4, NULL, 2, &bytes, &context) == OPMILL_OK && bytes == 0,
          "a kernel without a workspace needs none");
    check(opmill_choose(&mixed, inputs, 4, NULL, 2, &choice, &context) == OPMILL_OK &&
              choice.variant == NULL,
          "a family that reports no variant has none");
    check(opmill_run(&mixed, inputs, 4, NULL, outputs, 2, &context) == OPMILL_OK &&
              sums[0] == floats[0] && counts[0] == 1 && counts[1] == 7,
          "it computes");
    outputs[1] = NULL;
    found[0].rank = found[1].rank = 7;
    targets[1] = NULL;
    check(opmill_infer_each(&mixed, inputs, 4, NULL, targets, &context) == OPMILL_OK &&
              found[0].rank == 1 && found[1].rank == 7,
          "one shape is inferred");
    check(opmill_run(&mixed, inputs, 4, NULL, outputs, 2, &context) == OPMILL_OK,
          "it computes one output");
    targets[0] = NULL;
    targets[1] = &found[1];
    check(opmill_infer_each(&mixed, inputs, 4, NULL, targets, &context) == OPMILL_ERROR_CALL &&
              strcmp(context.error.message, "Mixed-1: shape for first is NULL, expected a shape") ==
                  0,
          "a required shape needs a place");
    check(found[1].rank == 7, "nothing is returned then");
}

/* A variadic output: the rule gives shapes, one after the other, and none of them is lost. */
static void test_variadic_outputs(void) {
    static const opmill_parameter several[] = {
        {"first", OPMILL_SINGLE, 1, 1, -1, INT64_ALONE, 1, 0},
        {"rest", OPMILL_VARIADIC, 2, 1, 0, NUMBERS, 2, 0}};
    static const opmill_operator dealt = {.label = "Dealt-1",
                                          .input_count = 1,
                                          .output_count = 2,
                                          .inputs = EVEN_INPUTS,
                                          .outputs = several};
    enum { COUNT = 200 };
    static float memory[2 * COUNT];
    static int64_t head[2];
    static opmill_tensor values[COUNT];
    static opmill_tensor *outputs[COUNT + 1];
    static opmill_shape shapes[COUNT + 1];
    const opmill_ints pair = {two, 1}, scalar = {NULL, 0};
    opmill_tensor first = {head, two, 1, OPMILL_INT64};
    opmill_binding binding = {.types = {OPMILL_FLOAT}};
    opmill_context context = OPMILL_CONTEXT_INIT;
    about("a variadic output");
    for (int32_t count = -1; count < 3; count++) {
        check(opmill_call_results(&dealt, shapes, count, &context) == OPMILL_ERROR_CALL, "few");
    }
    check(strcmp(context.error.message, "Dealt-1: number of outputs is 2, expected at least 3") ==
              0,
          "why");
    check(opmill_call_results(&dealt, shapes, COUNT + 1, &context) == OPMILL_OK, "many");

    opmill_shapes stored = {.stored = shapes};
    (void)opmill_call_shapes(&dealt, &binding, NULL, 1, COUNT + 1, &stored, &context);
    opmill_set_shape(&shapes[0], pair);
    for (int32_t i = 0; i < COUNT + 5; i++) {
        opmill_give_shape(&stored, i == 7 ? scalar : pair);
    }
    check(opmill_call_types(&dealt, &binding, NULL, shapes, COUNT + 1, &stored, &context) ==
              OPMILL_OK,
          "shapes that are kept");
    check(shapes[0].type == OPMILL_INT64 && shapes[COUNT].type == OPMILL_FLOAT &&
              shapes[COUNT].rank == 1 && shapes[8].rank == 0,
          "which shapes");

    outputs[0] = &first;
    for (int32_t i = 0; i < COUNT; i++) {
        values[i] = (opmill_tensor){memory + 2 * (COUNT - 1 - i), two, 1, OPMILL_FLOAT};
        outputs[i + 1] = &values[i];
    }
    opmill_tensor last = reals;
    const opmill_tensor *const inputs[] = {&reals, &last};
    for (int wrong = 0; wrong < 7; wrong++) {
        opmill_shapes offered = {.offered = outputs};
        (void)opmill_call_shapes(&dealt, &binding, NULL, 1, COUNT + 1, &offered, &context);
        values[150].rank = wrong == 1 ? 0 : wrong == 2 ? INT32_MAX : 1;
        values[160].data = wrong == 3 ? values[20].data : memory + 2 * (COUNT - 1 - 160);
        outputs[170] = wrong == 4 ? NULL : &values[169];
        values[0].type = wrong == 5 ? OPMILL_INT64 : OPMILL_FLOAT;
        last.data = wrong == 6 ? values[COUNT - 1].data : floats;
        for (int32_t i = 0; i < COUNT; i++) {
            opmill_give_shape(&offered, pair);
        }
        static const char *const WORDS[] = {
            "",
            "Dealt-1: out for rest[150] has shape [], expected [2]",
            "Dealt-1: out for rest[150] has rank 2147483647, expected 0 to 64",
            "Dealt-1: out for rest[160] overlaps another output, expected separate memory",
            "Dealt-1: out for rest[169] is NULL, expected a tensor",
            "Dealt-1: out for rest[0] has type int64, expected float",
            "Dealt-1: out for rest[199] overlaps all[1], expected separate memory"};
        context.error.message[0] = '\0';
        const int code =
            opmill_call_outputs(&dealt, inputs, 2, shapes, &offered, outputs, COUNT + 1, &context);
        check((code == OPMILL_OK) == (wrong == 0), "outputs that are offered");
        check(strcmp(context.error.message, WORDS[wrong]) == 0, "what is wrong with them");
    }
    values[150].rank = 1;
    outputs[170] = &values[169];

    static const int64_t bad[][2] = {{INT64_MAX / 2, 8}, {-1, 2}};
    static const char *const WHY[] = {
        "Dealt-1: output size overflows, expected at most 2^63-1",
        "Dealt-1: internal error: derived dim is -1, expected at least 0",
        ("Dealt-1: internal error: number of derived shapes is 1, "
         "expected 2")};
    for (int wrong = 0; wrong < 3; wrong++) {
        opmill_shapes looked_at = {.stored = NULL};
        const opmill_ints dims = {bad[wrong % 2], 2};
        (void)opmill_call_shapes(&dealt, &binding, NULL, 1, 3, &looked_at, &context);
        opmill_give_shape(&looked_at, wrong < 2 ? dims : pair);
        if (wrong < 2) {
            opmill_give_shape(&looked_at, pair);
        }
        check(opmill_call_types(&dealt, &binding, NULL, shapes, 3, &looked_at, &context) !=
                  OPMILL_OK,
              "shapes that no output can have");
        check(strcmp(context.error.message, WHY[wrong]) == 0, "why");
    }
}

/* Values of a variadic output have the types of the inputs at their positions; one without such an
 * input has no shape. */
static void test_types_of_inputs(void) {
    static const opmill_operator dealt = {.label = "Dealt-1",
                                          .input_count = 1,
                                          .output_count = 1,
                                          .inputs = LOOSE_INPUTS,
                                          .outputs = LOOSE_INPUTS};
    const opmill_tensor *const inputs[] = {&reals, &wholes};
    static float written[2];
    static int64_t whole_written[2];
    opmill_tensor first = {written, two, 1, OPMILL_FLOAT};
    opmill_tensor second = {whole_written, two, 1, OPMILL_INT64};
    opmill_tensor *const outputs[] = {&first, &second};
    const opmill_ints pair = {two, 1};
    opmill_binding binding = {.types = {OPMILL_UNDEFINED}};
    opmill_context context = OPMILL_CONTEXT_INIT;
    opmill_shape shapes[3];
    about("values of several types");
    for (int32_t count = 2; count < 4; count++) {
        opmill_shapes stored = {.stored = shapes, .like = inputs, .like_count = 2};
        (void)opmill_call_shapes(&dealt, &binding, NULL, 0, count, &stored, &context);
        for (int32_t i = 0; i < count; i++) {
            opmill_give_shape(&stored, pair);
        }
        const int code =
            opmill_call_types(&dealt, &binding, NULL, shapes, count, &stored, &context);
        check((code == OPMILL_OK) == (count == 2), "which have an input");
    }
    check(shapes[0].type == OPMILL_FLOAT && shapes[1].type == OPMILL_INT64, "which types");
    check(strcmp(context.error.message, "Dealt-1: internal error: number of derived shapes is 2, "
                                        "expected 3") == 0,
          "one without an input");
    for (int wrong = 0; wrong < 2; wrong++) {
        opmill_shapes offered = {.offered = outputs, .like = inputs, .like_count = 2};
        second.type = wrong ? OPMILL_FLOAT : OPMILL_INT64;
        (void)opmill_call_shapes(&dealt, &binding, NULL, 0, 2, &offered, &context);
        opmill_give_shape(&offered, pair);
        opmill_give_shape(&offered, pair);
        const int code =
            opmill_call_outputs(&dealt, NULL, 0, shapes, &offered, outputs, 2, &context);
        check((code == OPMILL_OK) == !wrong, "outputs of several types");
    }
    check(strcmp(context.error.message, "Dealt-1: out for any[1] has type float, expected int64") ==
              0,
          "why");
}

/* Dims within the bounds are taken; one above, one below 0 and another rank are a fault of ours. */
static void test_measured(void) {
    static const struct {
        opmill_shape shape;
        const char *message;
    } CASES[] = {
        {{{2, 3}, 2, OPMILL_FLOAT}, NULL},
        {{{0, 0}, 2, OPMILL_FLOAT}, NULL},
        {{{2, 4}, 2, OPMILL_FLOAT},
         "Mixed-1: internal error: measured shape is [2, 4], expected at most [2, 3]"},
        {{{-1, 3}, 2, OPMILL_FLOAT},
         "Mixed-1: internal error: measured shape is [-1, 3], expected at most [2, 3]"},
        {{{2}, 1, OPMILL_FLOAT},
         "Mixed-1: internal error: measured shape is [2], expected at most [2, 3]"},
    };
    const opmill_shape bound = {{2, 3}, 2, OPMILL_FLOAT};
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        const char *const message = CASES[i].message;
        opmill_context context = OPMILL_CONTEXT_INIT;
        const int code = opmill_call_measured(&MIXED, &bound, &CASES[i].shape, 1, &context);
        about("measured shape %d", (int)i);
        check(code == (message == NULL ? OPMILL_OK : OPMILL_ERROR_INTERNAL), "the code");
        check(message == NULL || strcmp(context.error.message, message) == 0, "the words");
    }
}

int main(void) {
    test_measured();
    test_inputs();
    test_long_name();
    test_outputs();
    test_absent_outputs();
    test_driver();
    test_variadic_outputs();
    test_types_of_inputs();
    return finish("signatures that no operator has");
}
