/* StringConcat: each text of X with that of Y behind it. */
#include "families/string_concat/kernel.h"

#include <string.h>

#include "runtime/text/strings.h"

static int64_t count_of(const opmill_tensor *tensor) {
    int64_t count = 1;
    for (int32_t i = 0; i < tensor->rank; i++) {
        count *= tensor->dims[i];
    }
    return count;
}

/* The texts of an input, as they are broadcast to the output. */
typedef struct operand {
    const char *const *texts;
    const opmill_tensor *tensor;
    const opmill_tensor *output;
    int64_t count;
} operand;

static operand operand_of(const opmill_tensor *tensor, const opmill_tensor *output) {
    return (operand){tensor->data, tensor, output, count_of(tensor)};
}

/* The text that belongs to an element of the output, of which there are `count`. */
static const char *text_at(const operand *from, int64_t element, int64_t count) {
    const opmill_tensor *const tensor = from->tensor, *const output = from->output;
    int64_t offset = 0, stride = 1;
    if (from->count == count) {
        return from->texts[element];
    }
    for (int32_t i = 1; i <= tensor->rank; i++) {
        const int64_t length = tensor->dims[tensor->rank - i];
        const int64_t size = output->dims[output->rank - i];
        offset += length == 1 ? 0 : element % size * stride;
        element /= size;
        stride *= length;
    }
    return from->texts[offset];
}

int opmill_string_concat_compute(const opmill_tensor *X, const opmill_tensor *Y, opmill_tensor *Z,
                                 const opmill_string_concat_plan *plan, opmill_context *context) {
    const operand first = operand_of(X, Z), second = operand_of(Y, Z);
    const char **const texts = Z->data;
    const int64_t count = count_of(Z);
    size_t bytes = 0;
    char *block;
    (void)plan;
    for (int64_t i = 0; i < count; i++) {
        bytes = opmill_strings_add(bytes, strlen(text_at(&first, i, count)));
        bytes = opmill_strings_add(bytes, strlen(text_at(&second, i, count)) + 1);
    }
    const int code = opmill_strings_begin(context, "Z", bytes, &block);
    if (code != OPMILL_OK) {
        return code;
    }
    for (int64_t i = 0; i < count; i++) {
        const char *const a = text_at(&first, i, count), *const b = text_at(&second, i, count);
        const size_t length = strlen(a), rest = strlen(b) + 1;
        texts[i] = memcpy(block, a, length);
        memcpy(block + length, b, rest);
        block += length + rest;
    }
    return OPMILL_OK;
}
