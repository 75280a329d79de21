/* Tokenizer: a first pass over each text counts its tokens, a second one copies them. What the
 * tokenizer knows remains in the workspace between both. */
#include "families/tokenizer/kernel.h"

#include <string.h>

#include "families/tokenizer/split.h"
#include "runtime/call/message.h"
#include "runtime/call/workspace.h"
#include "runtime/text/strings.h"
#include "runtime/text/utf8.h"

enum { TEXT_BEGIN = 2, TEXT_END = 3 /* characters that mark a text */ };

static int64_t count_of(const opmill_tensor *X) {
    return X->rank == 2 ? X->dims[0] * X->dims[1] : X->dims[0];
}

size_t opmill_tokenizer_workspace_bytes(const opmill_tensor *X, const opmill_shape *Y,
                                        const opmill_tokenizer_plan *plan,
                                        const opmill_context *context) {
    (void)X;
    (void)Y;
    (void)context;
    return opmill_workspace_size(opmill_tokenizer_bytes(plan));
}

static int refuse_text(opmill_context *context, const opmill_tensor *X, int64_t i) {
    const int64_t columns = X->dims[X->rank - 1], index[] = {i / columns, i % columns};
    const char *const text = ((const char *const *)X->data)[i];
    opmill_message message = opmill_contents_begin(context);
    opmill_put_text(&message, "X");
    opmill_put_ints(&message, X->rank == 2 ? index : &i, X->rank);
    opmill_put_text(&message, " is '");
    opmill_put_string(&message, text, strlen(text));
    opmill_put_text(&message, "', expected UTF-8");
    return OPMILL_ERROR_CALL;
}

int opmill_tokenizer_measure(const opmill_tensor *X, opmill_shape *Y,
                             const opmill_tokenizer_plan *plan, opmill_context *context) {
    const char *const *const texts = X->data;
    const int64_t count = count_of(X);
    char *const memory = opmill_workspace_begin(context->workspace);
    const int code = opmill_tokenizer_begin(plan, memory, context);
    int64_t longest = 0;
    if (code != OPMILL_OK) {
        return code;
    }
    tokenizer *const split = (tokenizer *)(void *)memory;
    size_t bytes = 0;
    for (int64_t i = 0; i < count; i++) {
        const size_t text_bytes = strlen(texts[i]);
        int64_t tokens = 0;
        if (!opmill_utf8_is_legal(texts[i], text_bytes)) {
            return refuse_text(context, X, i);
        }
        opmill_tokenizer_start(split, texts[i], text_bytes);
        for (regex_part token; opmill_tokenizer_next(split, &token); tokens++) {
            bytes = opmill_strings_add(bytes, (size_t)(token.end - token.begin) + 1);
        }
        longest = tokens > longest ? tokens : longest;
    }
    split->string_bytes = bytes;
    if (count > 0) {
        Y->dims[X->rank] = longest + (longest > 0 && plan->mark ? 2 : 0);
    }
    return OPMILL_OK;
}

/* Writes a text and its NUL, and returns what is behind them. */
static char *put(char *to, const char *text, size_t bytes) {
    memcpy(to, text, bytes);
    to[bytes] = '\0';
    return to + bytes + 1;
}

int opmill_tokenizer_compute(const opmill_tensor *X, opmill_tensor *Y,
                             const opmill_tokenizer_plan *plan, opmill_context *context) {
    static const char BEGIN[] = {TEXT_BEGIN}, END[] = {TEXT_END};
    const char *const *const texts = X->data;
    const int64_t count = count_of(X), length = Y->dims[Y->rank - 1];
    const size_t padding = strlen(plan->pad_value);
    tokenizer *const split = opmill_workspace_begin(context->workspace);
    const char **row = Y->data;
    char *block;
    if (count == 0 || length == 0) {
        return OPMILL_OK;
    }
    const size_t shared = opmill_strings_add(padding + 1, 4);
    const int code =
        opmill_strings_begin(context, "Y", opmill_strings_add(split->string_bytes, shared), &block);
    if (code != OPMILL_OK) {
        return code;
    }
    const char *const pad_value = block;
    const char *const begin = put(block, plan->pad_value, padding);
    const char *const end = put(block + padding + 1, BEGIN, 1);
    block = put(block + padding + 3, END, 1);
    for (int64_t i = 0; i < count; i++, row += length) {
        int64_t k = 0;
        if (plan->mark) {
            row[k++] = begin;
        }
        opmill_tokenizer_start(split, texts[i], strlen(texts[i]));
        for (regex_part token; opmill_tokenizer_next(split, &token); k++) {
            row[k] = block;
            block = put(block, token.begin, (size_t)(token.end - token.begin));
        }
        if (plan->mark) {
            row[k++] = end;
        }
        for (; k < length; k++) {
            row[k] = pad_value;
        }
    }
    return OPMILL_OK;
}
