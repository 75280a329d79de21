/* Types of outputs by attributes, variables and flags. What is expected is written by hand. */
#include <stddef.h>
#include <string.h>

#include "compare.h"
#include "runtime/call/call.h"
#include "runtime/call/driver.h"
#include "runtime/call/rules.h"

static const int32_t NUMBERS[] = {OPMILL_FLOAT, OPMILL_INT64};

/* Where the types of outputs come from: attributes that name one as a number and as a text, a
 * variable that no input has bound and a fixed type. */
typedef struct named {
    int64_t number;
    const char *text;
} named;

static const opmill_attribute NAMING[] = {
    {"number", OPMILL_KIND_INT, 1, 0, offsetof(named, number)},
    {"text", OPMILL_KIND_STRING, 0, 0, offsetof(named, text)},
};
static const opmill_parameter TYPED_OUTPUTS[] = {
    {"by number", OPMILL_SINGLE, 1, 1, 1, NUMBERS, 2, 0},
    {"by text", OPMILL_SINGLE, 1, 1, 1, NUMBERS, 2, 0},
};
static const opmill_type_source SOURCES[] = {
    {0, 0, -1, OPMILL_UNDEFINED},
    {1, 1, -1, OPMILL_UNDEFINED},
    {1, -1, 0, OPMILL_UNDEFINED},
    {1, -1, -1, OPMILL_DOUBLE},
};
static const opmill_gap GAPS[] = {{OPMILL_INT64, "no reason"}};
static const opmill_operator TYPED = {.label = "Typed-1",
                                      .output_count = 2,
                                      .attribute_count = 2,
                                      .outputs = TYPED_OUTPUTS,
                                      .attributes = NAMING,
                                      .type_sources = SOURCES,
                                      .type_source_count = 4,
                                      .gaps = GAPS,
                                      .gap_count = 1};

/* Fails where the outputs have other types, or the call is not refused with this message. */
static void check_types(int64_t number, const char *text, int32_t bound, int32_t first,
                        int32_t second, const char *message) {
    const named attributes = {number, text};
    const opmill_binding binding = {.types = {bound}};
    opmill_shape shapes[2] = {{.rank = 0}, {.rank = 0}};
    opmill_context context = OPMILL_CONTEXT_INIT;
    about("types named by %d and %s", (int)number, text != NULL ? text : "nothing");
    const int code = opmill_call_types(&TYPED, &binding, &attributes, shapes, 2, NULL, &context);
    check(code == (message == NULL ? OPMILL_OK : OPMILL_ERROR_ATTRIBUTE), "taken or refused");
    if (message != NULL && strcmp(context.error.message, message) != 0) {
        fail("'%s', expected '%s'", context.error.message, message);
    }
    check(message != NULL || (shapes[0].type == first && shapes[1].type == second), "which types");
    if (message == NULL) {
        const bool gap = first == OPMILL_INT64 || second == OPMILL_INT64;
        const int found = opmill_call_gaps(&TYPED, NULL, 0, shapes, 2, &context);
        check(found == (gap ? OPMILL_ERROR_TYPE : OPMILL_OK), "a type that C lacks");
        check(
            !gap ||
                strcmp(context.error.message,
                       "Typed-1: type int64 is not supported in C, expected another: no reason") ==
                    0,
            "why");
    }
}

static void test_types(void) {
    check_types(1, "INT64", 0, OPMILL_FLOAT, OPMILL_INT64, NULL);
    check_types(1, NULL, OPMILL_FLOAT, OPMILL_FLOAT, OPMILL_FLOAT, NULL);
    check_types(7, NULL, OPMILL_UNDEFINED, OPMILL_INT64, OPMILL_DOUBLE, NULL);
    check_types(11, NULL, 0, 0, 0,
                "Typed-1: attribute 'number' is double, expected one of float, int64");
    check_types(-5, NULL, 0, 0, 0,
                "Typed-1: attribute 'number' is -5, expected one of float, int64");
    check_types(INT64_MAX, NULL, 0, 0, 0,
                "Typed-1: attribute 'number' is 9223372036854775807, expected one of float, "
                "int64");
    check_types(1, "BOOL", 0, 0, 0,
                "Typed-1: attribute 'text' is bool, expected one of float, int64");
    check_types(1, "INT640", 0, 0, 0,
                "Typed-1: attribute 'text' is INT640, expected one of float, int64");
    check_types(1, "int64", 0, 0, 0,
                "Typed-1: attribute 'text' is int64, expected one of float, int64");
}

/* A flag with a fixed type, which applies where the flag is 1. */
static void test_flags(void) {
    static const opmill_attribute flag[] = {
        {"number", OPMILL_KIND_INT, 0, 0, offsetof(named, number)}};
    static const opmill_type_source sources[] = {{0, 0, -1, OPMILL_FLOAT},
                                                 {0, -1, -1, OPMILL_INT64}};
    static const opmill_operator flagged = {.label = "Flagged-1",
                                            .output_count = 1,
                                            .attribute_count = 1,
                                            .outputs = TYPED_OUTPUTS,
                                            .attributes = flag,
                                            .type_sources = sources,
                                            .type_source_count = 2};
    static const int64_t numbers[] = {1, 0, 2, -1, INT64_MAX};
    const opmill_binding binding = {.types = {OPMILL_UNDEFINED}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const named attributes = {numbers[i], NULL};
        opmill_shape shape = {.rank = 0};
        opmill_context context = OPMILL_CONTEXT_INIT;
        about("a type by the flag %lld", (long long)numbers[i]);
        check(opmill_call_types(&flagged, &binding, &attributes, &shape, 1, NULL, &context) ==
                      OPMILL_OK &&
                  shape.type == (numbers[i] == 1 ? OPMILL_FLOAT : OPMILL_INT64),
              "1 alone gives the fixed type");
    }
}

int main(void) {
    test_types();
    test_flags();
    return finish("types of outputs");
}
