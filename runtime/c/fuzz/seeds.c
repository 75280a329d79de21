/* Seeds: every example and every reject of the tests' tables, as a call. The fuzzer starts where
 * the specifications' authors have been. */
#include <string.h>

#include "call.h"
#include "calls.h"
#include "values.h"

static bool is_real(int32_t type) {
    return type == OPMILL_FLOAT || type == OPMILL_DOUBLE || type == OPMILL_FLOAT16 ||
           type == OPMILL_BFLOAT16;
}

/* Few whole numbers are kept; all else becomes something of its kind. */
static void set_content(call_tensor *made, const case_tensor *from) {
    made->content = CONTENT_TAME;
    made->values.count = 0;
    if (!fits_memory(from->dims, from->rank, from->type)) {
        return;
    }
    const int64_t count = count_of(from->dims, from->rank);
    const bool whole = from->numbers != NULL || (from->bits != NULL && !is_real(from->type));
    if (from->type == OPMILL_STRING || type_parts(from->type) > 1 || count > CALL_VALUES ||
        !whole) {
        return;
    }
    made->content = CONTENT_VALUES;
    made->values.count = (int32_t)count;
    for (int32_t i = 0; i < made->values.count; i++) {
        made->values.values[i] = from->numbers != NULL ? from->numbers[i] : (int64_t)from->bits[i];
    }
}

static void set_tensor(call_tensor *made, const case_tensor *from, uint8_t seed) {
    memset(made, 0, sizeof *made);
    if (from->type == OPMILL_UNDEFINED) {
        made->spoiled = TENSOR_ABSENT;
        return;
    }
    made->type = from->type;
    made->rank = from->rank;
    made->seed = seed;
    made->dims.count = from->rank < 0 ? 0 : from->rank < CALL_VALUES ? from->rank : CALL_VALUES;
    if (made->dims.count > 0) {
        memcpy(made->dims.values, from->dims, (size_t)made->dims.count * sizeof(int64_t));
    }
    set_content(made, from);
}

static bool is_same_text(const char *a, const char *b) {
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/* The texts of a list, with commas between, as many as there is room for. */
static void set_texts(call_attribute *made, const opmill_strings *list) {
    if (list->count < 0) {
        return;
    }
    made->length = 0;
    for (int64_t i = 0; i < list->count; i++) {
        const int32_t bytes = (int32_t)strlen(list->values[i]) + (i > 0);
        if (made->length + bytes >= CALL_TEXT) {
            break;
        }
        if (i > 0) {
            made->text[made->length] = ',';
        }
        memcpy(made->text + made->length + (i > 0), list->values[i], (size_t)bytes - (i > 0));
        made->length += bytes;
    }
    made->text[made->length] = '\0';
}

/* A sparse tensor: its type, the number of values, 1 for rows of indices, the dims behind their
 * number, the indices. */
static void set_sparse(call_attribute *made, const opmill_sparse_tensor *given) {
    int64_t *const parts = made->values.values;
    int32_t count = 4;
    made->number = -1;
    if (given == NULL || given->rank > 8 || given->indices->rank < 1 || given->indices->rank > 2 ||
        given->indices->type != OPMILL_INT64 || given->values->rank != 1 ||
        count_of(given->indices->dims, given->indices->rank) > CALL_VALUES - 12) {
        return;
    }
    parts[0] = given->values->type;
    parts[1] = given->values->dims[0];
    parts[2] = given->indices->rank == 2;
    parts[3] = given->rank;
    for (int32_t i = 0; i < given->rank; i++) {
        parts[count++] = given->dims[i];
    }
    for (int64_t i = 0; i < count_of(given->indices->dims, given->indices->rank); i++) {
        parts[count++] = ((const int64_t *)given->indices->data)[i];
    }
    made->number = made->values.count = count;
}

/* An attribute that is not at its default; false where it is. */
static bool set_attribute(call_attribute *made, const opmill_operator *operator, int32_t index,
                          const void *attributes) {
    const opmill_attribute *const attribute = &operator->attributes[index];
    const char *const member = (const char *)attributes + attribute->offset;
    const char *const usual = (const char *)operator->defaults + attribute->offset;
    made->index = (uint8_t)index;
    made->number = 0;
    made->values.count = 0;
    made->length = -1;
    if (attribute->kind == OPMILL_KIND_STRING) {
        const char *const text = *(const char *const *)member;
        if (text != NULL) {
            made->length = (int32_t)strlen(text);
            made->length = made->length < CALL_TEXT ? made->length : CALL_TEXT - 1;
            memcpy(made->text, text, (size_t)made->length);
            made->text[made->length] = '\0';
        }
        return !is_same_text(text, *(const char *const *)usual);
    }
    if (attribute->kind == OPMILL_KIND_INT) {
        const opmill_int *const number = (const void *)member;
        memcpy(&made->number, member, sizeof made->number);
        return attribute->optional != 0 ? number->present != 0
                                        : memcmp(member, usual, sizeof made->number) != 0;
    }
    if (attribute->kind == OPMILL_KIND_FLOAT) {
        const opmill_float *const number = (const void *)member;
        uint32_t bits;
        memcpy(&bits, member, sizeof bits);
        made->number = bits;
        return attribute->optional != 0 ? number->present != 0
                                        : memcmp(member, usual, sizeof bits) != 0;
    }
    if (attribute->kind == OPMILL_KIND_STRINGS) {
        set_texts(made, (const void *)member);
        return memcmp(member, usual, sizeof(opmill_strings)) != 0;
    }
    if (attribute->kind == OPMILL_KIND_FLOATS) {
        const opmill_floats *const floats = (const void *)member;
        made->number = floats->count < 0 ? -1 : floats->count;
        made->values.count =
            floats->count > 0 && floats->count <= CALL_VALUES ? (int32_t)floats->count : 0;
        for (int32_t i = 0; i < made->values.count; i++) {
            uint32_t bits;
            memcpy(&bits, &floats->values[i], sizeof bits);
            made->values.values[i] = bits;
        }
        return memcmp(member, usual, sizeof *floats) != 0;
    }
    if (attribute->kind == OPMILL_KIND_SPARSE_TENSOR) {
        set_sparse(made, *(const opmill_sparse_tensor *const *)(const void *)member);
        return made->number >= 0;
    }
    if (attribute->kind == OPMILL_KIND_TENSOR) {
        const opmill_tensor *const tensor = *(const opmill_tensor *const *)(const void *)member;
        made->number = -1;
        if (tensor != NULL && tensor->rank <= CALL_VALUES - 2) {
            made->values.count = tensor->rank + 2;
            made->values.values[0] = tensor->type;
            made->values.values[1] = index + 1;
            for (int32_t i = 0; i < tensor->rank; i++) {
                made->values.values[i + 2] = tensor->dims[i];
            }
            made->number = made->values.count;
        }
        return tensor != NULL;
    }
    const opmill_ints *const list = (const void *)member;
    made->number = list->count < 0 ? -1 : list->count;
    if (list->count > 0 && list->count <= CALL_VALUES && list->values != NULL) {
        made->values.count = (int32_t)list->count;
        memcpy(made->values.values, list->values, (size_t)list->count * sizeof(int64_t));
    }
    return memcmp(member, usual, sizeof *list) != 0;
}

static void set_call(call *made, const case_table *table, const case_tensor *inputs,
                     int32_t input_count, const void *attributes, int32_t output_count,
                     int32_t index) {
    memset(made, 0, offsetof(call, tensors));
    made->operator = operator_of(table);
    made->input_count = input_count;
    made->output_count = output_count;
    made->threads[0] = 1;
    made->threads[1] = 3;
    made->isa[1] = index % (OPMILL_ISA_NEON + 1);
    made->tensor_count = input_count < CALL_INPUTS ? input_count : CALL_INPUTS;
    for (int32_t i = 0; i < made->tensor_count; i++) {
        set_tensor(&made->tensors[i], &inputs[i], (uint8_t)(index + i));
    }
    if (attributes == NULL) {
        made->spoiled = CALL_NO_ATTRIBUTES;
        return;
    }
    for (int32_t i = 0; i < made->operator->attribute_count && i < CALL_ATTRIBUTES; i++) {
        made->attribute_count +=
            set_attribute(&made->attributes[made->attribute_count], made->operator, i, attributes);
    }
}

static int32_t table_seeds(void) {
    int32_t count = 0;
    for (int32_t i = 0; i < case_table_count(); i++) {
        count += case_table_at(i)->example_count + case_table_at(i)->reject_count;
    }
    return count;
}

int32_t call_seed_count(void) { return table_seeds() + call_regression_count(); }

bool call_seed(int32_t index, call *made, const char **name) {
    const opmill_operator *const only = call_only_operator();
    int32_t at = index, version = 0;
    if (index >= table_seeds()) {
        call_regression(index - table_seeds(), made, name);
        return true;
    }
    const case_table *table = case_table_at(0);
    for (; at >= table->example_count + table->reject_count; table = case_table_at(++version)) {
        at -= table->example_count + table->reject_count;
    }
    if (only != NULL && only != operator_of(table)) {
        return false;
    }
    if (at < table->example_count) {
        const case_example *const example = &table->examples[at];
        set_call(made, table, example->inputs, example->input_count, example->attributes,
                 example->output_count, index);
        *name = example->name;
    } else {
        const case_reject *const reject = &table->rejects[at - table->example_count];
        set_call(made, table, reject->inputs, reject->input_count, reject->attributes,
                 reject->output_count, index);
        *name = reject->name;
    }
    return true;
}
