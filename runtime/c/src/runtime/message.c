#include "runtime/message.h"

#include <stdio.h>
#include <string.h>

static void put_bytes(opmill_message *message, const char *text, size_t length) {
    for (size_t i = 0; i < length && message->next < message->last; i++) {
        *message->next++ = text[i];
    }
    *message->next = '\0';
}

opmill_message opmill_message_begin(opmill_context *context, int32_t code, const char *where) {
    char *text = context->error.message;
    opmill_message message = {text, text + OPMILL_MESSAGE_SIZE - 1};
    context->error.code = code;
    opmill_put_text(&message, where);
    opmill_put_text(&message, ": ");
    return message;
}

opmill_message opmill_contents_begin(opmill_context *context) {
    char *text = context->error.message;
    context->error.code = OPMILL_ERROR_CALL;
    *text = '\0';
    return (opmill_message){text, text + OPMILL_MESSAGE_SIZE - 1};
}

void opmill_contents_label(opmill_context *context, const char *label) {
    char reason[OPMILL_MESSAGE_SIZE];
    memcpy(reason, context->error.message, sizeof reason);
    opmill_message message = opmill_message_begin(context, context->error.code, label);
    opmill_put_text(&message, reason);
}

void opmill_put_text(opmill_message *message, const char *text) {
    size_t length = 0;
    while (text[length] != '\0') {
        length++;
    }
    put_bytes(message, text, length);
}

const char *opmill_put_until(opmill_message *message, const char *text) {
    size_t length = 0;
    while (text[length] != '\0' && !(text[length] == '{' && text[length + 1] == '}')) {
        length++;
    }
    put_bytes(message, text, length);
    return text[length] == '\0' ? text + length : text + length + 2;
}

void opmill_put_int(opmill_message *message, int64_t value) {
    char digits[20]; /* of 2^63, with its sign */
    size_t at = sizeof digits;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do {
        digits[--at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (value < 0) {
        digits[--at] = '-';
    }
    put_bytes(message, digits + at, sizeof digits - at);
}

void opmill_put_count(opmill_message *message, int64_t number, const char *one, const char *many) {
    opmill_put_int(message, number);
    opmill_put_text(message, " ");
    opmill_put_text(message, number == 1 ? one : many);
}

void opmill_put_ints(opmill_message *message, const int64_t *values, int64_t count) {
    opmill_put_text(message, "[");
    for (int64_t i = 0; i < count && i < OPMILL_LIST_VALUES; i++) {
        opmill_put_text(message, i > 0 ? ", " : "");
        opmill_put_int(message, values[i]);
    }
    opmill_put_text(message, count > OPMILL_LIST_VALUES ? ", ...]" : "]");
}

void opmill_put_string(opmill_message *message, const char *text, size_t length) {
    static const char HEX[] = "0123456789abcdef";
    size_t left = OPMILL_STRING_BYTES;
    for (size_t i = 0; i < length && left > 0; i++) {
        unsigned char byte = (unsigned char)text[i];
        char shown[4] = {'\\', 'x', HEX[byte >> 4], HEX[byte & 15]};
        size_t bytes = sizeof shown;
        if (byte >= 0x20 && byte < 0x7f && byte != '\\') {
            shown[0] = text[i];
            bytes = 1;
        }
        bytes = bytes < left ? bytes : left;
        put_bytes(message, shown, bytes);
        left -= bytes;
    }
}

void opmill_put_float(opmill_message *message, double value) {
    char text[64];
    int length;
    if (value != value) { /* printf may show the sign of a NaN */
        opmill_put_text(message, "nan");
        return;
    }
    length = snprintf(text, sizeof text, "%.9g", value);
    for (int i = 0; i < length && i < (int)sizeof text; i++) {
        char at = text[i];
        if ((at >= '0' && at <= '9') || (at >= 'a' && at <= 'z') || at == '-' || at == '+') {
            put_bytes(message, &at, 1);
        } else if (i == 0 || (text[i - 1] >= '0' && text[i - 1] <= '9')) {
            /* The locale's decimal point, which may be a sequence of bytes: '.' for the first. */
            opmill_put_text(message, ".");
        }
    }
}
