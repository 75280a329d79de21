/* Requests the memory for the strings of an output from the caller's context, and reports why it
 * was not provided. */
#include "runtime/text/strings.h"

#include <stdint.h>

#include "runtime/call/message.h"
#include "runtime/platform/platform.h"

static OPMILL_COLD int refuse(opmill_context *context, const char *found, const char *output) {
    opmill_message message = opmill_contents_begin(context);
    opmill_put_text(&message, found);
    opmill_put_text(&message, output);
    return OPMILL_ERROR_CALL;
}

static OPMILL_COLD int refuse_size(opmill_context *context, const char *output, size_t bytes) {
    opmill_message message = opmill_contents_begin(context);
    opmill_put_text(&message, "memory for the strings of ");
    opmill_put_text(&message, output);
    opmill_put_text(&message, " is NULL, expected ");
    opmill_put_count(&message, bytes < PTRDIFF_MAX ? (int64_t)bytes : PTRDIFF_MAX, "byte", "bytes");
    return OPMILL_ERROR_CALL;
}

int opmill_strings_begin(opmill_context *context, const char *output, size_t bytes, char **block) {
    const opmill_string_allocator *const strings = context->strings;
    *block = NULL;
    if (bytes == 0) {
        return OPMILL_OK;
    }
    if (strings == NULL) {
        return refuse(
            context, "context->strings is NULL, expected an allocator for the strings of ", output);
    }
    if (strings->allocate == NULL) {
        return refuse(context,
                      "context->strings->allocate is NULL, expected a function that allocates the "
                      "strings of ",
                      output);
    }
    *block = bytes < PTRDIFF_MAX ? strings->allocate(strings->user, bytes) : NULL;
    return *block != NULL ? OPMILL_OK : refuse_size(context, output, bytes);
}
