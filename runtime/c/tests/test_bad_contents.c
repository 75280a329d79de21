/* Calls with contents that are wrong in themselves: of strings, of sequences and of optionals. Each
 * ends with a code and a message, and writes nothing. A valid call is taken from the tables and one
 * part of it is spoiled at a time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bad_call.h"
#include "compare.h"
#include "values.h"

static long string_inputs, sequences, optionals;

/* The last string of an input is NULL. */
static void spoil_strings(bad_call *call, opmill_tensor *tensor, const char *name) {
    const size_t count = (size_t)count_of(tensor->dims, tensor->rank);
    const char **const strings = malloc(count * sizeof *strings);
    void *const original = tensor->data;
    char text[128];
    if (strings == NULL) {
        abort();
    }
    memcpy(strings, original, count * sizeof *strings);
    strings[count - 1] = NULL;
    tensor->data = strings;
    snprintf(text, sizeof text, "%s.data[%d] is NULL, expected a string", name, (int)count - 1);
    expect_named(call, OPMILL_ERROR_CALL, "a string that is NULL", text);
    expect_in_infer(call, "a string that is NULL");
    tensor->data = original;
    free(strings);
}

/* An example with strings; NULL where a version takes none. */
static const case_example *example_with_strings(const case_table *table) {
    for (const case_example *example = next_example(table, NULL); example != NULL;
         example = next_example(table, example)) {
        for (int32_t i = 0; i < example->input_count; i++) {
            const case_tensor *const input = &example->inputs[i];
            if (input->type == OPMILL_STRING && count_of(input->dims, input->rank) > 0) {
                return example;
            }
        }
    }
    return NULL;
}

/* The last tensor of a sequence is NULL, of another type, or not a tensor. The sequence may be the
 * contents of an optional. */
static void spoil_items(bad_call *call, opmill_tensor *sequence, call_items *items,
                        bool is_contents, const char *name) {
    static const int64_t DIMS[] = {-1, 2};
    const opmill_tensor **const pointers = malloc((size_t)items->count * sizeof *pointers);
    const opmill_tensor sequence_before = *sequence;
    opmill_tensor *const last = &items->tensors[items->count - 1];
    const opmill_tensor before = *last;
    char text[128];
    if (pointers == NULL) {
        abort();
    }
    memcpy(pointers, sequence->data, (size_t)items->count * sizeof *pointers);
    sequence->data = pointers;
    pointers[items->count - 1] = NULL;
    snprintf(text, sizeof text, "%s.data[%d] is NULL, expected a tensor", name,
             (int)items->count - 1);
    expect_named(call, OPMILL_ERROR_CALL, "a tensor that is NULL", text);
    expect_in_infer(call, "a tensor that is NULL");
    *sequence = sequence_before;
    free(pointers);
    last->type = last->type == OPMILL_INT8 ? OPMILL_UINT8 : OPMILL_INT8;
    expect_named(call, OPMILL_ERROR_TYPE, "a tensor of another type", name);
    expect_in_infer(call, "a tensor of another type");
    last->type = sequence->type;
    expect_named(call, OPMILL_ERROR_TYPE, "a sequence in a sequence", name);
    *last = before;
    snprintf(text, sizeof text, "%s[%d]", name, (int)items->count - 1);
    last->rank = -1;
    expect_named(call, OPMILL_ERROR_CALL, "a tensor of rank -1", text);
    last->rank = 2;
    last->dims = DIMS;
    expect_named(call, OPMILL_ERROR_CALL, "a tensor with a dim of -1", text);
    expect_in_infer(call, "a tensor with a dim of -1");
    last->dims = NULL;
    expect_named(call, OPMILL_ERROR_CALL, "a tensor without dims", text);
    *last = before;
    if (items->memory[items->count - 1].size > 0) {
        last->data = NULL;
        expect_named(call, OPMILL_ERROR_CALL, "a tensor without data", text);
        *last = before;
    }
    sequence->type = OPMILL_SEQUENCE;
    expect_named(call, is_contents ? OPMILL_ERROR_TYPE : OPMILL_ERROR_CALL,
                 "a sequence of no type that is not empty", name);
    sequence->type = OPMILL_SEQUENCE + OPMILL_FLOAT6E3M2 + 1;
    expect_named(call, OPMILL_ERROR_TYPE, "a sequence of an unknown type", name);
    *sequence = sequence_before;
    sequences++;
}

/* The contents of an optional are NULL, of another type, not a value, or two. */
static void spoil_contents(bad_call *call, opmill_tensor *optional, call_items *items,
                           const char *name) {
    static const int64_t TWO[] = {2}, NEGATIVE[] = {-1};
    opmill_tensor *const contents = &items->tensors[0];
    const opmill_tensor *nothing = NULL;
    const opmill_tensor before = *contents, optional_before = *optional;
    char text[128];
    optional->data = &nothing;
    snprintf(text, sizeof text, "%s.data[0] is NULL, expected a tensor", name);
    expect_named(call, OPMILL_ERROR_CALL, "contents that are NULL", text);
    expect_in_infer(call, "contents that are NULL");
    *optional = optional_before;
    optional->dims = TWO;
    snprintf(text, sizeof text, "%s has 2 tensors, expected 1 at most", name);
    expect_named(call, OPMILL_ERROR_CALL, "two contents", text);
    expect_in_infer(call, "two contents");
    *optional = optional_before;
    for (int32_t i = 0; i < 3; i++) { /* an element type, a sequence, the optional in itself */
        contents->type =
            i == 0
                ? type_form(before.type) + OPMILL_INT8 + (type_element(before.type) == OPMILL_INT8)
            : i == 1
                ? (type_form(before.type) == 0 ? OPMILL_SEQUENCE : 0) + type_element(before.type)
                : optional->type;
        expect_named(call, OPMILL_ERROR_TYPE, "contents of another type", name);
        expect_in_infer(call, "contents of another type");
    }
    *contents = before;
    contents->rank = -1;
    snprintf(text, sizeof text, "contents of %s", name);
    expect_named(call, OPMILL_ERROR_CALL, "contents of rank -1", text);
    contents->rank = 1;
    contents->dims = NEGATIVE;
    expect_named(call, OPMILL_ERROR_CALL, "contents with a dim of -1", text);
    contents->dims = NULL;
    expect_named(call, OPMILL_ERROR_CALL, "contents without dims", text);
    expect_in_infer(call, "contents without dims");
    *contents = before;
    if (items->memory[0].size > 0) {
        contents->data = NULL;
        expect_named(call, OPMILL_ERROR_CALL, "contents without data", name);
        *contents = before;
    }
    optional->type = OPMILL_OPTIONAL_TYPE;
    expect_named(call, OPMILL_ERROR_CALL, "an optional of no type with contents", name);
    optional->type = OPMILL_OPTIONAL_TYPE + OPMILL_FLOAT6E3M2 + 1;
    expect_named(call, OPMILL_ERROR_TYPE, "an optional of an unknown type", name);
    optional->type = OPMILL_OPTIONAL_TYPE + optional_before.type;
    expect_named(call, OPMILL_ERROR_TYPE, "an optional of an optional", name);
    *optional = optional_before;
    if (type_has_items(before.type)) {
        spoil_items(call, contents, &items->nested[0], true, name);
    }
    optionals++;
}

/* The sequences of the first example that has one with tensors, and optionals. */
static void check_sequences(const case_table *table) {
    char name[NAME_BYTES];
    for (const case_example *example = next_example(table, NULL); example != NULL;
         example = next_example(table, example)) {
        bad_call call;
        bool is_spoiled = false;
        bad_call_begin(&call, table, example);
        for (int32_t i = 0; i < call.inputs.count; i++) {
            if (call.inputs.items[i].count > 0) {
                value_name(name, sizeof name, call.operator->inputs, call.operator->input_count, i);
                if (type_form(call.inputs.tensors[i].type) >= OPMILL_OPTIONAL_TYPE) {
                    spoil_contents(&call, &call.inputs.tensors[i], &call.inputs.items[i], name);
                } else {
                    spoil_items(&call, &call.inputs.tensors[i], &call.inputs.items[i], false, name);
                    is_spoiled = true;
                }
            }
        }
        bad_call_end(&call);
        if (is_spoiled) {
            return;
        }
    }
}

static void check_strings(const case_table *table) {
    const case_example *const example = example_with_strings(table);
    char name[NAME_BYTES];
    bad_call call;
    if (example == NULL) {
        return;
    }
    bad_call_begin(&call, table, example);
    for (int32_t i = 0; i < call.inputs.count; i++) {
        opmill_tensor *const tensor = &call.inputs.tensors[i];
        if (call.inputs.given[i] != NULL && tensor->type == OPMILL_STRING &&
            count_of(tensor->dims, tensor->rank) > 0) {
            value_name(name, sizeof name, call.operator->inputs, call.operator->input_count, i);
            spoil_strings(&call, tensor, name);
            string_inputs++;
        }
    }
    bad_call_end(&call);
}

int main(void) {
    char text[64];
    for (int32_t i = 0; i < case_table_count(); i++) {
        check_strings(case_table_at(i));
        check_sequences(case_table_at(i));
    }
    check((string_inputs > 0 && sequences > 0 && optionals > 0) || case_table_count() < 100,
          "some inputs are strings, some are sequences, some optionals");
    snprintf(text, sizeof text, "%ld bad calls", refused);
    return finish(text);
}
