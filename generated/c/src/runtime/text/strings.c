/* Requests the memory for the strings of an output from the caller's context. */
#include "runtime/text/strings.h"

#include "runtime/call/block.h"

int opmill_strings_begin(opmill_context *context, const char *output, size_t bytes, char **block) {
    void *memory;
    const int code = opmill_block_strings(context, output, bytes, &memory);
    *block = memory;
    return code;
}
