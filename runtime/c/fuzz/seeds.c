/* Seeds: every example and every reject of the tests' tables, as a call, but for drawn ones. The
 * fuzzer starts where the specifications' authors have been. */
#include <string.h>

#include "call.h"
#include "calls.h"
#include "corpus.h"
#include "values.h"

static bool is_real(int32_t type) {
    return type == OPMILL_FLOAT || type == OPMILL_DOUBLE || type == OPMILL_FLOAT16 ||
           type == OPMILL_BFLOAT16;
}

/* Copies short lists of integers; other contents are replaced by generated ones of their kind. */
static void set_content(call_tensor *tensor, const case_tensor *from) {
    tensor->content = CONTENT_TAME;
    tensor->values.count = 0;
    if (!fits_memory(from->dims, from->rank, from->type)) {
        return;
    }
    const int64_t count = count_of(from->dims, from->rank);
    const bool whole = from->numbers != NULL || (from->bits != NULL && !is_real(from->type));
    if (from->type == OPMILL_STRING || type_parts(from->type) > 1 || count > CALL_VALUES ||
        !whole) {
        return;
    }
    tensor->content = CONTENT_VALUES;
    tensor->values.count = (int32_t)count;
    for (int32_t i = 0; i < tensor->values.count; i++) {
        tensor->values.values[i] =
            from->numbers != NULL ? from->numbers[i] : (int64_t)from->bits[i];
    }
}

static void set_tensor(call_tensor *tensor, const case_tensor *from, uint8_t seed) {
    memset(tensor, 0, sizeof *tensor);
    if (from->type == OPMILL_UNDEFINED) {
        tensor->spoiled = TENSOR_ABSENT;
        return;
    }
    tensor->type = from->type;
    tensor->rank = from->rank;
    tensor->seed = seed;
    tensor->dims.count = from->rank < 0 ? 0 : from->rank < CALL_VALUES ? from->rank : CALL_VALUES;
    if (tensor->dims.count > 0) {
        memcpy(tensor->dims.values, from->dims, (size_t)tensor->dims.count * sizeof(int64_t));
    }
    set_content(tensor, from);
}

static bool is_same_text(const char *a, const char *b) {
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/* The texts of a list, with commas between, as many as there is room for. */
static void set_texts(call_attribute *target, const opmill_strings *list) {
    if (list->count < 0) {
        return;
    }
    target->length = 0;
    for (int64_t i = 0; i < list->count; i++) {
        const int32_t bytes = (int32_t)strlen(list->values[i]) + (i > 0);
        if (target->length + bytes >= CALL_TEXT) {
            break;
        }
        if (i > 0) {
            target->text[target->length] = ',';
        }
        memcpy(target->text + target->length + (i > 0), list->values[i], (size_t)bytes - (i > 0));
        target->length += bytes;
    }
    target->text[target->length] = '\0';
}

/* A sparse tensor: its type, the number of values, 1 for rows of indices, the dims behind their
 * number, the indices. */
static void set_sparse(call_attribute *target, const opmill_sparse_tensor *given) {
    int64_t *const parts = target->values.values;
    int32_t count = 4;
    target->number = -1;
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
    target->number = target->values.count = count;
}

/* An attribute that is not at its default; false where it is. */
static bool set_attribute(call_attribute *target, const opmill_operator *operator, int32_t index,
                          const void *attributes) {
    const opmill_attribute *const attribute = &operator->attributes[index];
    const char *const member = (const char *)attributes + attribute->offset;
    const char *const usual = (const char *)operator->defaults + attribute->offset;
    target->index = (uint8_t)index;
    target->number = 0;
    target->values.count = 0;
    target->length = -1;
    if (attribute->kind == OPMILL_KIND_STRING) {
        const char *const text = *(const char *const *)member;
        if (text != NULL) {
            target->length = (int32_t)strlen(text);
            target->length = target->length < CALL_TEXT ? target->length : CALL_TEXT - 1;
            memcpy(target->text, text, (size_t)target->length);
            target->text[target->length] = '\0';
        }
        return !is_same_text(text, *(const char *const *)usual);
    }
    if (attribute->kind == OPMILL_KIND_INT) {
        const opmill_int *const number = (const void *)member;
        memcpy(&target->number, member, sizeof target->number);
        return attribute->optional != 0 ? number->present != 0
                                        : memcmp(member, usual, sizeof target->number) != 0;
    }
    if (attribute->kind == OPMILL_KIND_FLOAT) {
        const opmill_float *const number = (const void *)member;
        uint32_t bits;
        memcpy(&bits, member, sizeof bits);
        target->number = bits;
        return attribute->optional != 0 ? number->present != 0
                                        : memcmp(member, usual, sizeof bits) != 0;
    }
    if (attribute->kind == OPMILL_KIND_STRINGS) {
        set_texts(target, (const void *)member);
        return memcmp(member, usual, sizeof(opmill_strings)) != 0;
    }
    if (attribute->kind == OPMILL_KIND_FLOATS) {
        const opmill_floats *const floats = (const void *)member;
        target->number = floats->count < 0 ? -1 : floats->count;
        target->values.count =
            floats->count > 0 && floats->count <= CALL_VALUES ? (int32_t)floats->count : 0;
        for (int32_t i = 0; i < target->values.count; i++) {
            uint32_t bits;
            memcpy(&bits, &floats->values[i], sizeof bits);
            target->values.values[i] = bits;
        }
        return memcmp(member, usual, sizeof *floats) != 0;
    }
    if (attribute->kind == OPMILL_KIND_SPARSE_TENSOR) {
        set_sparse(target, *(const opmill_sparse_tensor *const *)(const void *)member);
        return target->number >= 0;
    }
    if (attribute->kind == OPMILL_KIND_TENSOR) {
        const opmill_tensor *const tensor = *(const opmill_tensor *const *)(const void *)member;
        target->number = -1;
        if (tensor != NULL && tensor->rank <= CALL_VALUES - 2) {
            target->values.count = tensor->rank + 2;
            target->values.values[0] = tensor->type;
            target->values.values[1] = index + 1;
            for (int32_t i = 0; i < tensor->rank; i++) {
                target->values.values[i + 2] = tensor->dims[i];
            }
            target->number = target->values.count;
        }
        return tensor != NULL;
    }
    if (attribute->kind == OPMILL_KIND_GRAPH) {
        return false; /* absent in every call, which is then refused */
    }
    const opmill_ints *const list = (const void *)member;
    target->number = list->count < 0 ? -1 : list->count;
    if (list->count > 0 && list->count <= CALL_VALUES && list->values != NULL) {
        target->values.count = (int32_t)list->count;
        memcpy(target->values.values, list->values, (size_t)list->count * sizeof(int64_t));
    }
    return memcmp(member, usual, sizeof *list) != 0;
}

static void set_call(call *seed, const case_table *table, const case_tensor *inputs,
                     int32_t input_count, const void *attributes, int32_t output_count,
                     int32_t index) {
    memset(seed, 0, offsetof(call, tensors));
    seed->operator = operator_of(table);
    seed->input_count = input_count;
    seed->output_count = output_count;
    seed->threads[0] = 1;
    seed->threads[1] = 3;
    seed->isa[1] = index % (OPMILL_ISA_NEON + 1);
    seed->tensor_count = input_count < CALL_INPUTS ? input_count : CALL_INPUTS;
    for (int32_t i = 0; i < seed->tensor_count; i++) {
        set_tensor(&seed->tensors[i], &inputs[i], (uint8_t)(index + i));
    }
    if (attributes == NULL) {
        seed->spoiled = CALL_NO_ATTRIBUTES;
        return;
    }
    for (int32_t i = 0; i < seed->operator->attribute_count && i < CALL_ATTRIBUTES; i++) {
        seed->attribute_count +=
            set_attribute(&seed->attributes[seed->attribute_count], seed->operator, i, attributes);
    }
}

/* A case that an author has written: the one or the other. */
typedef struct seed_case {
    const case_table *table;
    const case_example *example;
    const case_reject *reject;
} seed_case;

static seed_case *written;
static int32_t written_count;

/* True if all inputs are tensors: bytes cannot say what pointers are. */
static bool has_tensors_alone(const case_tensor *inputs, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        if (type_has_items(inputs[i].type)) {
            return false;
        }
    }
    return true;
}

/* Lists the cases of all versions, once. Drawn ones would only be more of the same: the fuzzer
 * draws its own. */
static void list_cases(void) {
    size_t capacity = 0;
    for (int32_t i = 0; i < case_table_count(); i++) {
        capacity +=
            (size_t)case_table_at(i)->example_count + (size_t)case_table_at(i)->reject_count;
    }
    written = corpus_memory(capacity, sizeof *written);
    for (int32_t i = 0; i < case_table_count(); i++) {
        const case_table *const table = case_table_at(i);
        for (int32_t k = 0; k < table->example_count; k++) {
            const case_example *const own = &table->examples[k];
            if (!own->is_drawn && has_tensors_alone(own->inputs, own->input_count)) {
                written[written_count++] = (seed_case){table, own, NULL};
            }
        }
        for (int32_t k = 0; k < table->reject_count; k++) {
            const case_reject *const own = &table->rejects[k];
            if (own->message != NULL && has_tensors_alone(own->inputs, own->input_count)) {
                written[written_count++] = (seed_case){table, NULL, own};
            }
        }
    }
}

static int32_t table_seeds(void) {
    if (written == NULL) {
        list_cases();
    }
    return written_count;
}

int32_t call_seed_count(void) { return table_seeds() + call_regression_count(); }

bool call_seed(int32_t index, call *seed, const char **name) {
    const opmill_operator *const only = call_only_operator();
    if (index >= table_seeds()) {
        call_regression(index - table_seeds(), seed, name);
        return true;
    }
    const case_table *const table = written[index].table;
    const case_example *const example = written[index].example;
    const case_reject *const reject = written[index].reject;
    if ((only != NULL && only != operator_of(table)) || !call_describes(operator_of(table))) {
        return false;
    }
    if (example != NULL) {
        set_call(seed, table, example->inputs, example->input_count, example->attributes,
                 example->output_count, index);
        *name = example->name;
    } else {
        set_call(seed, table, reject->inputs, reject->input_count, reject->attributes,
                 reject->output_count, index);
        *name = reject->name;
    }
    return true;
}
