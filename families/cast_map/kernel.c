/* CastMap: a first pass refuses keys and values, and counts the bytes of new strings; a second one
 * writes the row. */
#include "families/cast_map/kernel.h"

#include <math.h>
#include <string.h>

#include "families/cast_map/fixed.h"
#include "runtime/call/driver.h"
#include "runtime/call/message.h"
#include "runtime/decimal/reading.h"
#include "runtime/text/strings.h"

enum { LONG_END = 5 /* the characters that "infinity" has and "inf" lacks */ };

/* The output's type. */
static int32_t type_of(const opmill_cast_map_plan *plan) {
    return strcmp(plan->cast_to, "TO_FLOAT") == 0   ? OPMILL_FLOAT
           : strcmp(plan->cast_to, "TO_INT64") == 0 ? OPMILL_INT64
                                                    : OPMILL_STRING;
}

int opmill_cast_map_shapes(const opmill_tensor *X, opmill_shape *Y,
                           const opmill_cast_map_plan *plan, opmill_context *context) {
    (void)context;
    Y->type = type_of(plan);
    Y->rank = 2;
    Y->dims[0] = 1;
    Y->dims[1] = plan->length < 0 ? opmill_call_keys(X)->dims[0] : plan->length;
    return OPMILL_OK;
}

static int refuse_key(int64_t key, int64_t length, opmill_context *context) {
    opmill_message message = opmill_contents_begin(context);
    opmill_put_text(&message, "X has the key ");
    opmill_put_int(&message, key);
    opmill_put_text(&message, ", expected 0 to ");
    opmill_put_int(&message, length - 1);
    opmill_put_text(&message, " (max_map - 1)");
    return OPMILL_ERROR_CALL;
}

static int refuse_text(int64_t key, const char *text, int32_t type, opmill_context *context) {
    opmill_message message = opmill_contents_begin(context);
    opmill_put_text(&message, "X[");
    opmill_put_int(&message, key);
    opmill_put_text(&message, "] is '");
    opmill_put_string(&message, text, strlen(text));
    opmill_put_text(&message, type == OPMILL_FLOAT ? "', expected a number"
                                                   : "', expected an integer that fits int64");
    return OPMILL_ERROR_CALL;
}

static int refuse_number(int64_t key, float number, opmill_context *context) {
    opmill_message message = opmill_contents_begin(context);
    opmill_put_text(&message, "X[");
    opmill_put_int(&message, key);
    opmill_put_text(&message, "] is ");
    opmill_put_float(&message, (double)number);
    opmill_put_text(&message, ", expected a number that fits int64");
    return OPMILL_ERROR_CALL;
}

/* Reads a text that is an integer of 64 bits as a whole. */
static bool read_integer(const char *text, int64_t *value) {
    const bool negative = *text == '-';
    const char *digit = text + (*text == '-' || *text == '+');
    const uint64_t max = (UINT64_C(1) << 63) - !negative;
    uint64_t number = 0;
    if (*digit == '\0') {
        return false;
    }
    for (; *digit != '\0'; digit++) {
        const uint64_t next = (uint64_t)(*digit - '0');
        if (*digit < '0' || *digit > '9' || number > (max - next) / 10) {
            return false;
        }
        number = number * 10 + next;
    }
    *value = negative && number > 0 ? -1 - (int64_t)(number - 1) : (int64_t)number;
    return true;
}

/* True if a text ends as the word infinity does behind inf, in any case. */
static bool ends_word(const char *text, size_t size) {
    static const char end[LONG_END + 1] = "inity";
    for (size_t i = 0; i < LONG_END; i++) {
        if (size < LONG_END || (text[size - LONG_END + i] | 0x20) != end[i]) {
            return false;
        }
    }
    return true;
}

/* The nearest float of a number's nearest double, as Python's float makes a float32 of a text. */
static bool read_float(const char *text, float *value) {
    const size_t size = strlen(text), short_size = ends_word(text, size) ? size - LONG_END : size;
    opmill_decimal number;
    double wide;
    if (!opmill_decimal_read(text, short_size, &number) ||
        (short_size < size && !number.is_infinite)) {
        return false;
    }
    const uint64_t bits = opmill_decimal_nearest(&number);
    memcpy(&wide, &bits, sizeof wide);
    *value = opmill_cast_map_narrowed(wide);
    return true;
}

/* Refuses a value that the type of the row has not. */
static int check_value(const opmill_tensor *values, int64_t i, int64_t key, int32_t type,
                       opmill_context *context) {
    if (values->type == OPMILL_STRING) {
        const char *const text = ((const char *const *)values->data)[i];
        int64_t integer;
        float number;
        const bool is_read =
            type == OPMILL_STRING ||
            (type == OPMILL_FLOAT ? read_float(text, &number) : read_integer(text, &integer));
        return is_read ? OPMILL_OK : refuse_text(key, text, type, context);
    }
    const float number = ((const float *)values->data)[i];
    return type != OPMILL_INT64 || (number >= -0x1p63F && number < 0x1p63F)
               ? OPMILL_OK
               : refuse_number(key, number, context);
}

/* Writes a value to a position of the row; returns what follows the bytes of a new string. */
static char *put_value(const opmill_tensor *values, int64_t i, opmill_tensor *Y, int64_t at,
                       char *block) {
    const char *const text =
        values->type == OPMILL_STRING ? ((const char *const *)values->data)[i] : NULL;
    const float number = text == NULL ? ((const float *)values->data)[i] : 0;
    if (Y->type == OPMILL_STRING) {
        ((const char **)Y->data)[at] = text != NULL ? text : block;
        return text != NULL ? block : opmill_cast_map_write_fixed(number, block);
    }
    if (Y->type == OPMILL_INT64) {
        int64_t *const to = (int64_t *)Y->data + at;
        if (text != NULL) {
            (void)read_integer(text, to);
        } else {
            *to = (int64_t)number;
        }
        return block;
    }
    float *const to = (float *)Y->data + at;
    if (text != NULL) {
        (void)read_float(text, to);
    } else {
        *to = number;
    }
    return block;
}

/* Fills the row of the form SPARSE with what those positions have that are no key. */
static void fill(opmill_tensor *Y) {
    static const char *const absent = "0.f";
    const int64_t count = Y->dims[1];
    for (int64_t i = 0; i < count; i++) {
        if (Y->type == OPMILL_STRING) {
            ((const char **)Y->data)[i] = absent;
        } else if (Y->type == OPMILL_INT64) {
            ((int64_t *)Y->data)[i] = 0;
        } else {
            ((float *)Y->data)[i] = 0;
        }
    }
}

int opmill_cast_map_compute(const opmill_tensor *X, opmill_tensor *Y,
                            const opmill_cast_map_plan *plan, opmill_context *context) {
    const opmill_tensor *const values = opmill_call_map_values(X);
    const int64_t *const keys = opmill_call_keys(X)->data;
    const int64_t count = values->dims[0], length = plan->length;
    const bool creates = Y->type == OPMILL_STRING && values->type == OPMILL_FLOAT;
    char written[OPMILL_CAST_MAP_MAX_FIXED], *block = NULL;
    size_t bytes = 0;
    if (length >= 0 && count > 0 && (keys[0] < 0 || keys[count - 1] >= length)) {
        int64_t i = 0;
        while (keys[i] >= 0 && keys[i] < length) {
            i++;
        }
        return refuse_key(keys[i], length, context);
    }
    for (int64_t i = 0; i < count; i++) {
        const int code = check_value(values, i, keys[i], Y->type, context);
        if (code != OPMILL_OK) {
            return code;
        }
        if (creates) {
            const float number = ((const float *)values->data)[i];
            const char *const end = opmill_cast_map_write_fixed(number, written);
            bytes = opmill_strings_add(bytes, (size_t)(end - written));
        }
    }
    const int code = opmill_strings_begin(context, "Y", bytes, &block);
    if (code != OPMILL_OK) {
        return code;
    }
    if (length >= 0) {
        fill(Y);
    }
    for (int64_t i = 0; i < count; i++) {
        block = put_value(values, i, Y, length < 0 ? i : keys[i], block);
    }
    return OPMILL_OK;
}
