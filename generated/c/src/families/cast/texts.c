/* Converts numeric elements to strings, with the shortest digits that identify them, and strings to
 * elements, rounded once from the exact decimal value. */
#include "texts.h"

#include <string.h>

#include "runtime/decimal/reading.h"
#include "runtime/decimal/shortest.h"
#include "runtime/numbers/elements.h"
#include "runtime/call/message.h"
#include "runtime/platform/platform.h"
#include "runtime/text/strings.h"

static int64_t count_of(const opmill_tensor *tensor) {
    int64_t count = 1;
    for (int32_t i = 0; i < tensor->rank; i++) {
        count *= tensor->dims[i];
    }
    return count;
}

/* The bits of an element, whatever its width. */
static uint64_t bits_at(const opmill_tensor *tensor, int64_t i) {
    const uint8_t *const data = tensor->data;
    const int32_t width = opmill_type_bits(tensor->type);
    uint64_t eight;
    uint32_t four;
    uint16_t two;
    switch (width) {
    case 64:
        memcpy(&eight, data + 8 * i, sizeof eight);
        return eight;
    case 32:
        memcpy(&four, data + 4 * i, sizeof four);
        return four;
    case 16:
        memcpy(&two, data + 2 * i, sizeof two);
        return two;
    case 8:
        return data[i];
    default: {
        const int64_t first = i * width, last = first + width - 1;
        const uint32_t low = data[first / 8];
        const uint32_t both = last / 8 == first / 8 ? low : low | (uint32_t)data[last / 8] << 8;
        return both >> first % 8 & ((1u << width) - 1);
    }
    }
}

/* Writes the bits of an element. Elements of less than 8 bits come in order: the first one of a
 * byte clears it. */
static void put_bits(opmill_tensor *tensor, int64_t i, uint64_t bits) {
    uint8_t *const data = tensor->data;
    const int32_t width = opmill_type_bits(tensor->type);
    const uint32_t four = (uint32_t)bits;
    const uint16_t two = (uint16_t)bits;
    switch (width) {
    case 64:
        memcpy(data + 8 * i, &bits, sizeof bits);
        return;
    case 32:
        memcpy(data + 4 * i, &four, sizeof four);
        return;
    case 16:
        memcpy(data + 2 * i, &two, sizeof two);
        return;
    case 8:
        data[i] = (uint8_t)bits;
        return;
    default: {
        const int64_t first = i * width, last = first + width - 1;
        const uint32_t shifted = (uint32_t)(bits & ((1u << width) - 1)) << first % 8;
        if (first % 8 == 0) {
            data[first / 8] = 0;
        }
        data[first / 8] |= (uint8_t)shifted;
        if (last / 8 != first / 8) {
            data[last / 8] = (uint8_t)(shifted >> 8);
        }
    }
    }
}

typedef enum kind { FLOATING, SIGNED, UNSIGNED } kind;

static kind kind_of(int32_t type) {
    switch (type) {
    case OPMILL_INT2:
    case OPMILL_INT4:
    case OPMILL_INT8:
    case OPMILL_INT16:
    case OPMILL_INT32:
    case OPMILL_INT64:
        return SIGNED;
    case OPMILL_BOOL:
    case OPMILL_UINT2:
    case OPMILL_UINT4:
    case OPMILL_UINT8:
    case OPMILL_UINT16:
    case OPMILL_UINT32:
    case OPMILL_UINT64:
        return UNSIGNED;
    default:
        return FLOATING;
    }
}

static int64_t extended(uint64_t bits, int32_t width) {
    const uint64_t sign = UINT64_C(1) << (width - 1);
    return (int64_t)((bits ^ sign) - sign);
}

/* The text of an element: of floats narrower than a float, that of the float. */
static opmill_shortest shortest_at(const opmill_tensor *tensor, kind is, int64_t i) {
    static const cast_options plain = {true, false, CAST_UP};
    const uint64_t bits = bits_at(tensor, i);
    float single;
    double twice;
    if (is == SIGNED) {
        return opmill_shortest_signed(extended(bits, opmill_type_bits(tensor->type)));
    }
    if (is == UNSIGNED) {
        return opmill_shortest_unsigned(tensor->type == OPMILL_BOOL ? bits != 0 : bits);
    }
    if (tensor->type == OPMILL_DOUBLE) {
        memcpy(&twice, &bits, sizeof twice);
        return opmill_shortest_double(twice);
    }
    const uint32_t pattern =
        tensor->type == OPMILL_FLOAT
            ? (uint32_t)bits
            : (uint32_t)opmill_cast_bits(bits, tensor->type, OPMILL_FLOAT, &plain);
    memcpy(&single, &pattern, sizeof single);
    return opmill_shortest_float(single);
}

static int copy_texts(const opmill_tensor *input, opmill_tensor *output, opmill_context *context) {
    const char *const *const texts = input->data;
    const char **const copies = output->data;
    const int64_t count = count_of(input);
    size_t bytes = 0;
    char *block;
    for (int64_t i = 0; i < count; i++) {
        bytes = opmill_strings_add(bytes, strlen(texts[i]) + 1);
    }
    const int code = opmill_strings_begin(context, "output", bytes, &block);
    if (code != OPMILL_OK) {
        return code;
    }
    for (int64_t i = 0; i < count; i++) {
        const size_t size = strlen(texts[i]) + 1;
        copies[i] = memcpy(block, texts[i], size);
        block += size;
    }
    return OPMILL_OK;
}

int opmill_cast_to_texts(const opmill_tensor *input, opmill_tensor *output,
                         opmill_context *context) {
    const char **const texts = output->data;
    const int64_t count = count_of(input);
    const kind is = kind_of(input->type);
    size_t bytes = 0;
    char *block;
    if (input->type == OPMILL_STRING) {
        return copy_texts(input, output, context);
    }
    for (int64_t i = 0; i < count; i++) {
        const opmill_shortest number = shortest_at(input, is, i);
        bytes = opmill_strings_add(bytes, opmill_shortest_size(&number) + 1);
    }
    const int code = opmill_strings_begin(context, "output", bytes, &block);
    if (code != OPMILL_OK) {
        return code;
    }
    for (int64_t i = 0; i < count; i++) {
        const opmill_shortest number = shortest_at(input, is, i);
        texts[i] = block;
        block = opmill_shortest_write(&number, block);
        *block++ = '\0';
    }
    return OPMILL_OK;
}

static OPMILL_COLD int refuse(const opmill_tensor *input, int64_t position, const char *text,
                              opmill_context *context) {
    int64_t index[OPMILL_MAX_RANK];
    opmill_message message = opmill_contents_begin(context);
    for (int32_t i = input->rank - 1; i >= 0; i--) {
        index[i] = position % input->dims[i];
        position /= input->dims[i];
    }
    opmill_put_text(&message, "input");
    if (input->rank > 0) {
        opmill_put_ints(&message, index, input->rank);
    }
    opmill_put_text(&message, " is '");
    opmill_put_string(&message, text, strlen(text));
    opmill_put_text(&message, "', expected a number");
    return OPMILL_ERROR_CALL;
}

/* The bits of a number in a type. */
static uint64_t converted(const opmill_decimal *number, int32_t to, kind is,
                          const cast_options *options) {
    if (to == OPMILL_BOOL) {
        return !opmill_decimal_is_zero(number);
    }
    if (is != FLOATING) {
        return opmill_decimal_whole(number);
    }
    if (to == OPMILL_DOUBLE) {
        return opmill_decimal_nearest(number);
    }
    return opmill_cast_bits(opmill_decimal_odd(number), OPMILL_DOUBLE, to, options);
}

int opmill_cast_from_texts(const opmill_tensor *input, opmill_tensor *output,
                           const cast_options *options, opmill_context *context) {
    const char *const *const texts = input->data;
    const int64_t count = count_of(input);
    const kind is = kind_of(output->type);
    opmill_decimal number;
    for (int64_t i = 0; i < count; i++) {
        if (!opmill_decimal_read(texts[i], strlen(texts[i]), &number)) {
            return refuse(input, i, texts[i], context);
        }
    }
    for (int64_t i = 0; i < count; i++) {
        (void)opmill_decimal_read(texts[i], strlen(texts[i]), &number);
        put_bits(output, i, converted(&number, output->type, is, options));
    }
    return OPMILL_OK;
}
