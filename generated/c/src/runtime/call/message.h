/* The text of an error, written piece by piece into the context:
 *
 *     opmill_message message = opmill_message_begin(context, OPMILL_ERROR_SHAPE, "Tile-13");
 *     opmill_put_text(&message, "repeats[");
 *     opmill_put_int(&message, i);
 *     opmill_put_text(&message, "] is -1, expected at least 0");
 *
 * What does not fit is cut off; the text always ends with NUL. Numbers and lists read as the Python
 * package prints them, whatever the locale. */
#ifndef OPMILL_MESSAGE_H
#define OPMILL_MESSAGE_H

#include <stddef.h>
#include <stdint.h>

#include "opmill/types.h"

typedef struct opmill_message {
    char *next; /* the NUL so far */
    char *last; /* where the final NUL may stand at the latest */
} opmill_message;

enum {
    OPMILL_LIST_VALUES = 16, /* of a list; more are shown as "..." */
    OPMILL_STRING_BYTES = 40 /* of a string, as it is shown */
};

/* Sets the error's code and starts its text with "<where>: ". */
opmill_message opmill_message_begin(opmill_context *context, int32_t code, const char *where);

/* Begins the error of a kernel that refuses the contents of an input before it writes. It does not
 * know the operator, whose label opmill_contents_label puts before the text; it returns
 * OPMILL_ERROR_CALL. */
opmill_message opmill_contents_begin(opmill_context *context);
void opmill_contents_label(opmill_context *context, const char *label);

/* Text as it is, for what the program itself says. */
void opmill_put_text(opmill_message *message, const char *text);

/* A shared text up to its next "{}"; what follows that is returned, "" at the end. */
const char *opmill_put_until(opmill_message *message, const char *text);

void opmill_put_int(opmill_message *message, int64_t value);

/* A number and its noun: "1 value", "2 values". */
void opmill_put_count(opmill_message *message, int64_t number, const char *one, const char *many);

/* As "[2, 3]". */
void opmill_put_ints(opmill_message *message, const int64_t *values, int64_t count);

/* A caller's string: printable ASCII as it is, the backslash and all other bytes as "\x1f"; cut. */
void opmill_put_string(opmill_message *message, const char *text, size_t length);

/* Nine significant digits without zeros at the end, which tell all floats apart: as "%.9g" in the C
 * locale, but without printf, which small systems lack or pay for; "nan", "inf" and "-inf". */
void opmill_put_float(opmill_message *message, double value);

#endif
