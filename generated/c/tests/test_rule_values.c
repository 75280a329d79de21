/* Values that rules read beside shapes: numeric attributes, and elements of tensors. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "compare.h"
#include "runtime/call/call.h"
#include "runtime/call/rules.h"

/* A number that must be given has no value that means none: no struct at all does. */
static void test_attributes(void) {
    static const opmill_attribute needed[] = {{"axis", OPMILL_KIND_INT, 1, 0, 0}};
    static const opmill_attribute unneeded[] = {{"axis", OPMILL_KIND_INT, 0, 1, 0}};
    static const opmill_operator strict = {
        .label = "Strict-1", .attribute_count = 1, .attributes = needed};
    static const opmill_operator lax = {
        .label = "Lax-1", .attribute_count = 1, .attributes = unneeded};
    const int64_t axis = 0;
    const opmill_int absent = OPMILL_INT_ABSENT;
    opmill_context context = OPMILL_CONTEXT_INIT;
    about("numbers as attributes");
    check(opmill_call_attributes(&strict, &axis, &context) == OPMILL_OK, "a number");
    check(opmill_call_attributes(&lax, &absent, &context) == OPMILL_OK, "none");
    check(opmill_call_attributes(&lax, NULL, &context) == OPMILL_OK, "no struct");
    check(opmill_call_attributes(&strict, NULL, &context) == OPMILL_ERROR_ATTRIBUTE, "required");
    check(strcmp(context.error.message, "Strict-1: attribute 'axis' is absent, expected a value") ==
              0,
          "why");
}

static int read_values(const opmill_tensor *tensor, opmill_ints *values) {
    static opmill_list storage;
    opmill_context context = OPMILL_CONTEXT_INIT;
    return opmill_rule_values("Op-1", tensor, "v", &storage, values, &context);
}

/* What rules read from tensors. */
static void test_values(void) {
    static const int64_t none[] = {0};
    static const int64_t two[] = {2};
    static float floats[2];
    static int64_t integers[2];
    static const opmill_tensor reals = {floats, two, 1, OPMILL_FLOAT};
    static const opmill_tensor wholes = {integers, two, 1, OPMILL_INT64};
    const opmill_tensor empty = {NULL, none, 1, OPMILL_INT64};
    const opmill_tensor missing = {NULL, two, 1, OPMILL_INT64};
    static int32_t small[] = {-5, INT32_MAX};
    const opmill_tensor narrow = {small, two, 1, OPMILL_INT32};
    opmill_ints values = {integers, 7};
    double number = 0.0;
    about("values of tensors");
    check(read_values(&empty, &values) == OPMILL_OK && values.count == 0, "none need no data");
    check(read_values(&missing, &values) == OPMILL_ERROR_CALL, "values need data");
    check(read_values(&reals, &values) == OPMILL_ERROR_CALL, "values are integers");
    check(read_values(&wholes, &values) == OPMILL_OK && values.count == 2, "two values");
    check(read_values(&narrow, &values) == OPMILL_OK && values.count == 2, "two narrow values");
    check(values.values[0] == -5 && values.values[1] == INT32_MAX, "each of them");
    floats[1] = 2.5f;
    check(!opmill_tensor_number(&reals, 1, &number) && number == 2.5, "a number");
    check(opmill_tensor_number(&wholes, 1, &number), "a number is no integer");
    check(opmill_tensor_number(&missing, 0, &number), "a number needs data");
    check(opmill_is_int64(-ldexp(1.0, 63)) && !opmill_is_int64(ldexp(1.0, 63)), "bounds of int64");
    check(!opmill_is_int64(0.5) && !opmill_is_int64((double)NAN), "whole numbers");
}

int main(void) {
    test_attributes();
    test_values();
    return finish("values that rules read");
}
