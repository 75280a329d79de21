/* Requests the memory for what a call creates from the caller's context, and reports why it was not
 * provided. */
#include "runtime/call/block.h"

#include "runtime/call/message.h"
#include "runtime/platform/platform.h"

/* What the memory is for. */
typedef struct purpose {
    const char *member; /* of the context */
    const char *kind;   /* of the values */
    const char *output;
} purpose;

static OPMILL_COLD int refuse(opmill_context *context, const purpose *for_what, const char *member,
                              const char *expected) {
    opmill_message message = opmill_contents_begin(context);
    opmill_put_text(&message, for_what->member);
    opmill_put_text(&message, member);
    opmill_put_text(&message, " is NULL, expected ");
    opmill_put_text(&message, expected);
    opmill_put_text(&message, " the ");
    opmill_put_text(&message, for_what->kind);
    opmill_put_text(&message, " of ");
    opmill_put_text(&message, for_what->output);
    return OPMILL_ERROR_CALL;
}

static OPMILL_COLD int refuse_size(opmill_context *context, const purpose *for_what, size_t bytes) {
    opmill_message message = opmill_contents_begin(context);
    opmill_put_text(&message, "memory for the ");
    opmill_put_text(&message, for_what->kind);
    opmill_put_text(&message, " of ");
    opmill_put_text(&message, for_what->output);
    opmill_put_text(&message, " is NULL, expected ");
    opmill_put_count(&message, bytes < PTRDIFF_MAX ? (int64_t)bytes : PTRDIFF_MAX, "byte", "bytes");
    return OPMILL_ERROR_CALL;
}

static int request(opmill_context *context, const opmill_block_allocator *allocator,
                   const purpose *for_what, size_t bytes, void **block) {
    *block = NULL;
    if (bytes == 0) {
        return OPMILL_OK;
    }
    if (allocator == NULL) {
        return refuse(context, for_what, "", "an allocator for");
    }
    if (allocator->allocate == NULL) {
        return refuse(context, for_what, "->allocate", "a function that allocates");
    }
    *block = bytes < PTRDIFF_MAX ? allocator->allocate(allocator->user, bytes) : NULL;
    return *block != NULL ? OPMILL_OK : refuse_size(context, for_what, bytes);
}

int opmill_block_strings(opmill_context *context, const char *output, size_t bytes, void **block) {
    const purpose strings = {"context->strings", "strings", output};
    return request(context, context->strings, &strings, bytes, block);
}

int opmill_block_tensors(opmill_context *context, const char *output, size_t bytes, void **block) {
    const purpose tensors = {"context->sequences", "tensors", output};
    return request(context, context->sequences, &tensors, bytes, block);
}
