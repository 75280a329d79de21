/* A call's bytes. It begins with the kernel's label, so that a file is of use for as long as there
 * is such a version; small numbers are a byte. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call.h"
#include "opmill/operators.h"

/* Numbers that take a byte though they are not small: where checks have their edges. */
static const int64_t SPECIAL[] = {
    -1,
    -2,
    255,
    256,
    257,
    511,
    512,
    1000,
    1023,
    1024,
    1025,
    4095,
    4096,
    16384,
    65535,
    65536,
    INT64_C(1) << 20,
    INT32_MAX,
    INT64_C(1) << 31,
    INT32_MIN,
    UINT32_MAX,
    INT64_C(1) << 32,
    INT64_C(1) << 40,
    INT64_C(1) << 53,
    INT64_C(1) << 58,
    INT64_C(1) << 60,
    INT64_C(1) << 61,
    INT64_C(1) << 62,
    INT64_MAX / 2,
    INT64_MAX - 1,
    INT64_MAX,
    INT64_MIN,
    INT64_MIN + 1,
};

enum { SMALL = 200, SPECIALS = sizeof SPECIAL / sizeof SPECIAL[0], LITERAL = 255 };

typedef struct reader {
    const uint8_t *next, *end;
} reader;

static uint8_t take_byte(reader *from) { return from->next < from->end ? *from->next++ : 0; }

static int64_t take_number(reader *from) {
    const uint8_t first = take_byte(from);
    if (first < SMALL) {
        return first;
    }
    if (first < LITERAL) {
        return SPECIAL[(first - SMALL) % SPECIALS];
    }
    uint64_t bits = 0;
    for (int i = 0; i < 8; i++) {
        bits |= (uint64_t)take_byte(from) << 8 * i;
    }
    return (int64_t)bits;
}

static int32_t clamp(int64_t number, int32_t min, int32_t max) {
    return number < min ? min : number > max ? max : (int32_t)number;
}

static int32_t take_int32(reader *from) { return clamp(take_number(from), INT32_MIN, INT32_MAX); }

static void take_numbers(reader *from, call_numbers *numbers, int64_t count) {
    numbers->count = clamp(count, 0, CALL_VALUES);
    for (int32_t i = 0; i < numbers->count; i++) {
        numbers->values[i] = take_number(from);
    }
}

const opmill_operator *call_only_operator(void) {
    static const opmill_operator *only;
    const char *const label = getenv("OPMILL_FUZZ_OPERATOR");
    if (only != NULL || label == NULL || label[0] == '\0') {
        return only;
    }
    for (int32_t i = 0; i < opmill_operator_count; i++) {
        if (strcmp(opmill_operators[i]->label, label) == 0) {
            only = opmill_operators[i];
        }
    }
    if (only == NULL) {
        fprintf(stderr, "OPMILL_FUZZ_OPERATOR=%s: no such version; there are", label);
        for (int32_t i = 0; i < opmill_operator_count; i++) {
            fprintf(stderr, " %s", opmill_operators[i]->label);
        }
        fputc('\n', stderr);
        exit(2);
    }
    return only;
}

bool call_describes(const opmill_operator *operator) {
    for (int32_t i = 0; i < operator->input_count + operator->output_count; i++) {
        const opmill_parameter *const parameter =
            i < operator->input_count ? &operator->inputs[i]
                                      : &operator->outputs[i - operator->input_count];
        if (parameter->types[0] >= OPMILL_SEQUENCE) {
            return false;
        }
    }
    return true;
}

/* The version of the label that the bytes begin with; any other label selects some version. */
static const opmill_operator *take_operator(reader *from) {
    char label[64];
    size_t length = 0, sum = 0;
    for (uint8_t byte = take_byte(from); byte != '\0' && length < sizeof label - 1;
         byte = take_byte(from)) {
        label[length++] = (char)byte;
        sum += byte;
    }
    label[length] = '\0';
    for (int32_t i = 0; i < opmill_operator_count; i++) {
        if (strcmp(opmill_operators[i]->label, label) == 0 && call_describes(opmill_operators[i])) {
            return opmill_operators[i];
        }
    }
    while (!call_describes(opmill_operators[sum % (size_t)opmill_operator_count])) {
        sum++;
    }
    return opmill_operators[sum % (size_t)opmill_operator_count];
}

static void take_attribute(reader *from, const opmill_operator *operator,
                           call_attribute *attribute) {
    attribute->index = (uint8_t)(take_byte(from) % operator->attribute_count);
    attribute->number = 0;
    attribute->values.count = 0;
    attribute->length = -1;
    if (call_is_text(operator->attributes[attribute->index].kind)) {
        attribute->length = clamp(take_number(from), -1, CALL_TEXT - 1);
        for (int32_t i = 0; i < attribute->length; i++) {
            const uint8_t byte = take_byte(from);
            attribute->text[i] = (char)(byte != '\0' ? byte : '?');
        }
        attribute->text[attribute->length > 0 ? attribute->length : 0] = '\0';
        return;
    }
    attribute->number = take_number(from);
    if (call_is_list(operator->attributes[attribute->index].kind) && take_byte(from) % 2 == 0 &&
        attribute->number <= CALL_VALUES) {
        take_numbers(from, &attribute->values, attribute->number);
    }
}

void call_decode(call *decoded, const uint8_t *bytes, size_t size) {
    reader from = {bytes, bytes + size};
    const opmill_operator *const only = call_only_operator();
    decoded->operator = take_operator(&from);
    decoded->operator = only != NULL ? only : decoded->operator;
    decoded->spoiled = take_byte(&from);
    decoded->workspace = (uint8_t)(take_byte(&from) % WORKSPACE_COUNT);
    decoded->workspace_shift = (uint8_t)(take_byte(&from) % 64);
    decoded->output = (uint8_t)(take_byte(&from) % OUTPUT_COUNT);
    decoded->output_argument = take_number(&from);
    decoded->input_count = take_int32(&from);
    decoded->output_count = take_int32(&from);
    for (int i = 0; i < 2; i++) {
        decoded->threads[i] = take_int32(&from);
        decoded->isa[i] = take_int32(&from);
    }
    decoded->tensor_count = take_byte(&from) % (CALL_INPUTS + 1);
    for (int32_t i = 0; i < decoded->tensor_count; i++) {
        call_tensor *const tensor = &decoded->tensors[i];
        const int32_t type = take_int32(&from);
        tensor->type = type >= OPMILL_SEQUENCE && type < 16 * OPMILL_SEQUENCE
                           ? type % OPMILL_SEQUENCE /* elements that are pointers are no bytes */
                           : type;
        tensor->spoiled = take_byte(&from);
        tensor->content = (uint8_t)(take_byte(&from) % CONTENT_COUNT);
        tensor->seed = take_byte(&from);
        tensor->rank = take_int32(&from);
        take_numbers(&from, &tensor->dims, tensor->rank);
        take_numbers(&from, &tensor->values, take_byte(&from));
    }
    decoded->attribute_count = take_byte(&from) % (CALL_ATTRIBUTES + 1);
    if (decoded->operator->attribute_count == 0) {
        decoded->attribute_count = 0;
    }
    for (int32_t i = 0; i < decoded->attribute_count; i++) {
        take_attribute(&from, decoded->operator, &decoded->attributes[i]);
    }
}

typedef struct writer {
    uint8_t *next, *end;
    bool full;
} writer;

static void put_byte(writer *to, uint8_t byte) {
    if (to->next == to->end) {
        to->full = true;
        return;
    }
    *to->next++ = byte;
}

static void put_number(writer *to, int64_t number) {
    if (number >= 0 && number < SMALL) {
        put_byte(to, (uint8_t)number);
        return;
    }
    for (int i = 0; i < SPECIALS; i++) {
        if (SPECIAL[i] == number) {
            put_byte(to, (uint8_t)(SMALL + i));
            return;
        }
    }
    put_byte(to, LITERAL);
    for (int i = 0; i < 8; i++) {
        put_byte(to, (uint8_t)((uint64_t)number >> 8 * i));
    }
}

static void put_numbers(writer *to, const call_numbers *numbers) {
    for (int32_t i = 0; i < numbers->count; i++) {
        put_number(to, numbers->values[i]);
    }
}

static void put_attribute(writer *to, const opmill_operator *operator, const call_attribute *from) {
    put_byte(to, from->index);
    if (call_is_text(operator->attributes[from->index].kind)) {
        put_number(to, from->length);
        for (int32_t i = 0; i < from->length; i++) {
            put_byte(to, (uint8_t)from->text[i]);
        }
        return;
    }
    put_number(to, from->number);
    if (call_is_list(operator->attributes[from->index].kind)) {
        put_byte(to, from->number > from->values.count);
        put_numbers(to, &from->values);
    }
}

size_t call_encode(const call *from, uint8_t *bytes, size_t limit) {
    writer to = {bytes, bytes + limit, false};
    for (const char *label = from->operator->label; *label != '\0'; label++) {
        put_byte(&to, (uint8_t)*label);
    }
    put_byte(&to, '\0');
    put_byte(&to, from->spoiled);
    put_byte(&to, from->workspace);
    put_byte(&to, from->workspace_shift);
    put_byte(&to, from->output);
    put_number(&to, from->output_argument);
    put_number(&to, from->input_count);
    put_number(&to, from->output_count);
    for (int i = 0; i < 2; i++) {
        put_number(&to, from->threads[i]);
        put_number(&to, from->isa[i]);
    }
    put_byte(&to, (uint8_t)from->tensor_count);
    for (int32_t i = 0; i < from->tensor_count; i++) {
        const call_tensor *const tensor = &from->tensors[i];
        put_number(&to, tensor->type);
        put_byte(&to, tensor->spoiled);
        put_byte(&to, tensor->content);
        put_byte(&to, tensor->seed);
        put_number(&to, tensor->rank);
        put_numbers(&to, &tensor->dims);
        put_byte(&to, (uint8_t)tensor->values.count);
        put_numbers(&to, &tensor->values);
    }
    put_byte(&to, (uint8_t)from->attribute_count);
    for (int32_t i = 0; i < from->attribute_count; i++) {
        put_attribute(&to, from->operator, &from->attributes[i]);
    }
    return to.full ? 0 : (size_t)(to.next - bytes);
}
