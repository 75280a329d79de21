/* Tests that invalid attributes are refused: spoils one attribute of a valid call at a time.
 * Declared in bad_call.h. */
#include <stdlib.h>
#include <string.h>

#include "bad_call.h"
#include "compare.h"

/* An attribute that is a tensor of no type, without data, without dims, of a negative dim. */
static void spoil_tensor_attribute(bad_call *call, void *member) {
    static const int64_t one[] = {1}, negative[] = {-1};
    static float data[] = {1.0f};
    const opmill_tensor typeless = {data, one, 1, 99}, empty = {NULL, one, 1, OPMILL_FLOAT};
    const opmill_tensor shapeless = {data, NULL, 1, OPMILL_FLOAT};
    const opmill_tensor below = {data, negative, 1, OPMILL_FLOAT};
    const opmill_tensor ranked = {data, one, OPMILL_MAX_RANK + 1, OPMILL_FLOAT};
    const opmill_tensor *tensor = &typeless;
    memcpy(member, &tensor, sizeof tensor);
    expect_refusal(call, OPMILL_ERROR_ATTRIBUTE, "a tensor of no type of ONNX");
    expect_in_infer(call, "a tensor of no type of ONNX");
    tensor = &empty;
    memcpy(member, &tensor, sizeof tensor);
    expect_refusal(call, OPMILL_ERROR_CALL, "a tensor whose data is NULL");
    tensor = &shapeless;
    memcpy(member, &tensor, sizeof tensor);
    expect_refusal(call, OPMILL_ERROR_CALL, "a tensor whose dims are NULL");
    tensor = &below;
    memcpy(member, &tensor, sizeof tensor);
    expect_refusal(call, OPMILL_ERROR_CALL, "a tensor with a negative dim");
    tensor = &ranked;
    memcpy(member, &tensor, sizeof tensor);
    expect_refusal(call, OPMILL_ERROR_CALL, "a tensor of too many axes");
    static const char *no_string[] = {NULL};
    const opmill_tensor holed = {no_string, one, 1, OPMILL_STRING};
    tensor = &holed;
    memcpy(member, &tensor, sizeof tensor);
    expect_refusal(call, OPMILL_ERROR_CALL, "a string tensor with a NULL");
}

/* An attribute that is a sparse tensor without parts, without dims, with an index out of range. */
static void spoil_sparse_attribute(bad_call *call, void *member) {
    static const int64_t one[] = {1}, large[] = {INT64_MAX, INT64_MAX};
    static float data[] = {1.0f};
    static int64_t positions[] = {0}, beyond[] = {1};
    const opmill_tensor values = {data, one, 1, OPMILL_FLOAT}, bare = {NULL, one, 1, OPMILL_FLOAT};
    const opmill_tensor indices = {positions, one, 1, OPMILL_INT64};
    const opmill_tensor outside = {beyond, one, 1, OPMILL_INT64};
    const opmill_sparse_tensor wrong[] = {
        {NULL, &indices, one, 1},     {&values, NULL, one, 1},      {&values, &indices, NULL, 1},
        {&values, &indices, one, -1}, {&values, &indices, one, 65}, {&values, &outside, one, 1}};
    const opmill_sparse_tensor bodiless = {&bare, &indices, one, 1};
    const opmill_sparse_tensor huge = {&values, &indices, large, 2};
    const opmill_sparse_tensor *sparse;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        sparse = &wrong[i];
        memcpy(member, &sparse, sizeof sparse);
        expect_refusal(call, OPMILL_ERROR_ATTRIBUTE, "a sparse tensor whose parts do not fit");
        expect_in_infer(call, "a sparse tensor whose parts do not fit");
    }
    sparse = &bodiless;
    memcpy(member, &sparse, sizeof sparse);
    expect_refusal(call, OPMILL_ERROR_CALL, "a sparse tensor whose values have no data");
    sparse = &huge;
    memcpy(member, &sparse, sizeof sparse);
    check(is_refused(call), "a sparse tensor that is too large, or one value too many");
}

/* An attribute that is no type, of a call without the input whose type would be that of the output.
 */
static void spoil_type_attribute(bad_call *call, void *member) {
    static const int32_t TYPES[] = {
        -1, 29, OPMILL_SEQUENCE + 29, OPMILL_OPTIONAL_TYPE + 1, INT32_MAX, INT32_MIN};
    const opmill_tensor *const original = call->inputs.given[0];
    call->inputs.given[0] = NULL;
    for (size_t i = 0; i < sizeof TYPES / sizeof TYPES[0]; i++) {
        memcpy(member, &TYPES[i], sizeof TYPES[i]);
        expect_refusal(call, OPMILL_ERROR_ATTRIBUTE, "a type that there is not");
        expect_in_infer(call, "a type that there is not");
    }
    call->inputs.given[0] = original;
}

/* True if an attribute may be any text. */
static bool takes_any_text(const char *name) {
    static const char *const NAMES[] = {"default_string", "delimiter", "locale", "pad_value"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        if (strcmp(name, NAMES[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Each attribute spoiled by itself, the others as they were. */
void spoil_attributes(bad_call *call) {
    static int64_t ones[300];
    static char long_text[6000];
    const opmill_operator *const operator = call->operator;
    const void *const original = call->attributes;
    unsigned char *const changed = malloc(operator->attributes_size + 1);
    if (changed == NULL) {
        abort();
    }
    for (size_t i = 0; i < 300; i++) {
        ones[i] = 1;
    }
    memset(long_text, 0xff, sizeof long_text - 1);
    call->attributes = changed;
    for (int32_t i = 0; i < operator->attribute_count; i++) {
        const opmill_attribute *const attribute = &operator->attributes[i];
        void *const member = changed + attribute->offset;
        memcpy(changed, original != NULL ? original : operator->defaults,
               operator->attributes_size);
        if (attribute->kind == OPMILL_KIND_INTS) {
            const opmill_ints none = {NULL, 2}, many = {ones, 300}, endless = {NULL, INT64_MAX};
            memcpy(member, &none, sizeof none);
            expect_refusal(call, OPMILL_ERROR_ATTRIBUTE, "a list of two values that is NULL");
            expect_in_infer(call, "a list of two values that is NULL");
            memcpy(member, &endless, sizeof endless);
            expect_refusal(call, OPMILL_ERROR_ATTRIBUTE, "an endless list that is NULL");
            memcpy(member, &many, sizeof many);
            if (is_refused(call)) { /* not where a version ignores the list */
                expect_refusal(call, OPMILL_OK, "a list of 300 values");
                expect_in_infer(call, "a list of 300 values");
            }
        } else if (attribute->kind == OPMILL_KIND_FLOATS) {
            const opmill_floats none = {NULL, 2}, endless = {NULL, INT64_MAX};
            memcpy(member, &none, sizeof none);
            expect_refusal(call, OPMILL_ERROR_ATTRIBUTE, "a list of two floats that is NULL");
            memcpy(member, &endless, sizeof endless);
            expect_refusal(call, OPMILL_ERROR_ATTRIBUTE, "an endless list of floats that is NULL");
        } else if (attribute->kind == OPMILL_KIND_STRINGS) {
            static const char *const absent[] = {"Tanh", NULL};
            const opmill_strings none = {NULL, 2}, holed = {absent, 2};
            memcpy(member, &none, sizeof none);
            expect_refusal(call, OPMILL_ERROR_ATTRIBUTE, "a list of two texts that is NULL");
            memcpy(member, &holed, sizeof holed);
            expect_refusal(call, OPMILL_ERROR_ATTRIBUTE, "a list with a text that is NULL");
        } else if (attribute->kind == OPMILL_KIND_TENSOR) {
            spoil_tensor_attribute(call, member);
        } else if (attribute->kind == OPMILL_KIND_SPARSE_TENSOR) {
            spoil_sparse_attribute(call, member);
        } else if (attribute->kind == OPMILL_KIND_TYPE_PROTO) {
            spoil_type_attribute(call, member);
        } else if (attribute->kind == OPMILL_KIND_STRING) {
            const char *text = long_text;
            memcpy(member, &text, sizeof text);
            if (!takes_any_text(attribute->name)) {
                expect_refusal(call, OPMILL_ERROR_ATTRIBUTE, "a text of 5,999 odd bytes");
            }
            text = NULL;
            memcpy(member, &text, sizeof text);
            memcpy(&text, (const char *)operator->defaults + attribute->offset, sizeof text);
            if (text != NULL) { /* there is a default, which NULL does not request */
                expect_refusal(call, OPMILL_ERROR_ATTRIBUTE, "a text that is NULL");
                expect_in_infer(call, "a text that is NULL");
            }
        }
    }
    call->attributes = original;
    free(changed);
}
