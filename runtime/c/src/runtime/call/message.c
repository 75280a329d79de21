/* Writes error messages into the context piece by piece. Floats are printed in nine significant
 * digits, computed with integers of base 10^9, independent of the locale. */
#include "runtime/call/message.h"

#include <stdbool.h>
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

/* A natural number in digits of base 10^9, the lowest first. */
enum {
    LIMB = 1000000000,
    LIMB_DIGITS = 9,
    LIMBS = 86, /* 2^53 * 5^1074, the largest, has 767 decimal digits */
    FLOAT_DIGITS = 9
};

typedef struct decimal {
    uint32_t limbs[LIMBS];
    int count;
} decimal;

static void multiply(decimal *number, uint32_t factor) {
    uint64_t carry = 0;
    for (int i = 0; i < number->count; i++) {
        carry += (uint64_t)number->limbs[i] * factor;
        number->limbs[i] = (uint32_t)(carry % LIMB);
        carry /= LIMB;
    }
    if (carry > 0) {
        number->limbs[number->count++] = (uint32_t)carry;
    }
}

/* The decimal digit at a position, 0 being that of ones. */
static uint32_t digit_at(const decimal *number, int position) {
    uint32_t limb = number->limbs[position / LIMB_DIGITS];
    for (int i = position % LIMB_DIGITS; i > 0; i--) {
        limb /= 10;
    }
    return limb % 10;
}

static int digits_of(const decimal *number) {
    int digits = number->count * LIMB_DIGITS;
    while (digit_at(number, digits - 1) == 0) {
        digits--;
    }
    return digits;
}

/* The first FLOAT_DIGITS digits of a number with `digits` of them, rounded half to even: up to
 * 10^FLOAT_DIGITS. */
static uint32_t leading_digits(const decimal *number, int digits) {
    uint32_t leading = 0;
    for (int i = 1; i <= FLOAT_DIGITS; i++) {
        leading = leading * 10 + (i <= digits ? digit_at(number, digits - i) : 0);
    }
    int next = digits - FLOAT_DIGITS - 1;
    if (next < 0 || digit_at(number, next) < 5) {
        return leading;
    }
    bool up = digit_at(number, next) > 5 || leading % 2 == 1;
    for (int i = 0; i < next && !up; i++) {
        up = digit_at(number, i) > 0;
    }
    return up ? leading + 1 : leading;
}

/* Writes nine significant digits without the zeros at their end: 1.5, 0.0001, 1e-05, 1e+09. */
static void put_digits(opmill_message *message, uint32_t leading, int exponent) {
    char digits[FLOAT_DIGITS];
    int count = 0;
    for (int i = FLOAT_DIGITS - 1; i >= 0; i--) {
        digits[i] = (char)('0' + leading % 10);
        count = count == 0 && digits[i] != '0' ? i + 1 : count;
        leading /= 10;
    }
    const bool scientific = exponent < -4 || exponent >= FLOAT_DIGITS;
    int before = scientific ? 1 : exponent + 1; /* digits before the point */
    if (before <= 0) {
        put_bytes(message, "0.000", (size_t)(2 - before));
        put_bytes(message, digits, (size_t)count);
    } else {
        put_bytes(message, digits, (size_t)before);
        if (count > before) {
            put_bytes(message, ".", 1);
            put_bytes(message, digits + before, (size_t)(count - before));
        }
    }
    if (scientific) {
        const int size = exponent < 0 ? -exponent : exponent;
        opmill_put_text(message, exponent < 0 ? "e-" : "e+");
        opmill_put_text(message, size < 10 ? "0" : "");
        opmill_put_int(message, size);
    }
}

void opmill_put_float(opmill_message *message, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (value != value) {
        opmill_put_text(message, "nan");
        return;
    }
    if (bits >> 63 != 0) {
        opmill_put_text(message, "-");
    }
    uint64_t significand = bits & (((uint64_t)1 << 52) - 1);
    int power = (int)(bits >> 52 & 2047);
    if (power == 2047) {
        opmill_put_text(message, "inf");
        return;
    }
    if (power > 0) {
        significand |= (uint64_t)1 << 52;
        power--;
    }
    power -= 1074;
    if (significand == 0) {
        opmill_put_text(message, "0");
        return;
    }
    for (; power < 0 && significand % 2 == 0; power++) {
        significand /= 2;
    }
    /* significand * 2^power, exactly: 2^-n is 5^n of 10^-n. */
    decimal number = {{(uint32_t)(significand % LIMB), (uint32_t)(significand / LIMB)}, 2};
    for (int i = 0; i < power; i++) {
        multiply(&number, 2);
    }
    for (int i = 0; i > power; i--) {
        multiply(&number, 5);
    }
    const int digits = digits_of(&number);
    int exponent = digits - 1 + (power < 0 ? power : 0);
    uint32_t leading = leading_digits(&number, digits);
    if (leading == LIMB) { /* 9.9999999996 */
        leading /= 10;
        exponent++;
    }
    put_digits(message, leading, exponent);
}
