/* Runs a call once: allocates outputs, context and workspace as requested, checks that errors are
 * well formed and that memory outside the results is unchanged. */
#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STACK = 32 * 1024 };

static const int64_t MAX_OUTPUT_BYTES = 1 << 15, MAX_LARGE_OUTPUT_BYTES = 5 << 20;

const call *current;

void broken(const char *what, int code, const opmill_context *context) {
    call_print(current);
    fprintf(stderr, "BROKEN: %s: %s; code %d", current->operator->label, what, code);
    if (context != NULL) {
        fprintf(stderr, ", error %d '%.*s'", (int)context->error.code, OPMILL_MESSAGE_SIZE,
                context->error.message);
    }
    fputc('\n', stderr);
    abort();
}

#if defined(__GNUC__) || defined(__clang__)
__attribute__((noinline))
#endif
#if defined(__clang__)
__attribute__((no_sanitize("address")))
#endif
void scribble(unsigned char pattern) {
    volatile unsigned char stack[STACK];
    memset((unsigned char *)stack, pattern, sizeof stack);
    (void)stack[pattern];
}

void context_begin(opmill_context *context) {
    memset(context, 0, sizeof *context);
    memset(&context->error, 0x55, sizeof context->error);
}

void check_error(int code, const opmill_context *context) {
    opmill_context fresh;
    if (code == OPMILL_OK) {
        context_begin(&fresh);
        MUST(memcmp(&fresh.error, &context->error, sizeof fresh.error) == 0,
             "success leaves the error alone", code, context);
        return;
    }
    const char *const text = context->error.message, *const label = current->operator->label;
    MUST(code == context->error.code, "the code is returned and stored in the context", code,
         context);
    MUST(code > 0 && code < OPMILL_ERROR_INTERNAL, "the code is one of a caller's fault", code,
         context);
    const char *const end = memchr(text, 0, OPMILL_MESSAGE_SIZE);
    MUST(end != NULL, "the message is ended", code, context);
    MUST(strncmp(text, label, strlen(label)) == 0 && strncmp(text + strlen(label), ": ", 2) == 0 &&
             text[strlen(label) + 2] != '\0',
         "the message names the version and a fault", code, context);
    for (const char *at = text; at < end; at++) {
        MUST(*at >= 0x20 && *at < 0x7f, "the message can be printed", code, context);
    }
}

/* Memory for results, full of a pattern. */
static unsigned char *result_new(memory *results, size_t size, size_t shift,
                                 unsigned char pattern) {
    unsigned char *const data = memory_new(results, size, shift);
    memset(data, pattern, size);
    return data;
}

static bool is_untouched(const memory *results, unsigned char pattern) {
    for (int32_t i = 0; i < results->count; i++) {
        const unsigned char *const data = results->blocks[i].data;
        const size_t size = results->blocks[i].size;
        if (size > 0 && (data[0] != pattern || memcmp(data, data + 1, size - 1) != 0)) {
            return false;
        }
    }
    return true;
}

/* Makes output `index` as the manner says. */
static opmill_tensor *make_output(run_outcome *outcome, const manner *how,
                                  const opmill_shape *shape, int32_t option,
                                  const call_arguments *given) {
    const int64_t argument = current->output_argument;
    const size_t bytes = elements_bytes(shape->type, 1);
    const int64_t max_bytes =
        (current->spoiled & CALL_LARGE) != 0 ? MAX_LARGE_OUTPUT_BYTES : MAX_OUTPUT_BYTES;
    const int64_t limit = max_bytes / (int64_t)bytes;
    const int64_t count = elements_below(shape->dims, shape->rank, limit);
    const int32_t axis =
        shape->rank > 0 ? (int32_t)((uint64_t)argument % (uint64_t)shape->rank) : 0;
    const bool too_large = count >= limit || (given->laborious && count > 0);
    uint8_t output = how->output;
    if (output == OUTPUT_NULL) {
        outcome->refusable = outcome->refusable || option != OPMILL_OPTIONAL;
        return NULL;
    }
    opmill_tensor *const tensor = memory_new(&outcome->fixed, sizeof *tensor, 0);
    int64_t dims[OPMILL_MAX_RANK + 1];
    *tensor = (opmill_tensor){NULL, NULL, shape->rank, shape->type};
    memcpy(dims, shape->dims, (size_t)shape->rank * sizeof dims[0]);
    if (too_large && output != OUTPUT_NO_DIMS) {
        output = OUTPUT_NO_DATA;
    }
    if (output == OUTPUT_TYPE) {
        tensor->type = argument < INT32_MIN || argument > INT32_MAX ? 0 : (int32_t)argument;
        outcome->refusable = outcome->refusable || tensor->type != shape->type;
    } else if (output == OUTPUT_DIM && shape->rank > 0) {
        dims[axis] += dims[axis] > 0 ? -1 : 1;
        dims[axis] = argument < 0 ? argument : dims[axis];
        outcome->refusable = true;
    } else if (output == OUTPUT_RANK) {
        tensor->rank += argument % 2 == 0 && tensor->rank > 0 ? -1 : 1;
        dims[shape->rank] = 1;
        outcome->refusable = true;
    }
    if (output == OUTPUT_NO_DIMS) {
        outcome->refusable = outcome->refusable || shape->rank > 0 || too_large;
    } else {
        const size_t size =
            (size_t)(tensor->rank > OPMILL_MAX_RANK ? OPMILL_MAX_RANK + 1 : tensor->rank) *
            sizeof dims[0];
        int64_t *const own = memory_new(&outcome->fixed, size, 0);
        memcpy(own, dims, size);
        tensor->dims = own;
    }
    if (output == OUTPUT_NO_DATA || too_large) {
        outcome->refusable = outcome->refusable || count > 0;
        return tensor;
    }
    if (output == OUTPUT_OVERLAPS && given->inputs != NULL && current->tensor_count > 0) {
        const int32_t index = (int32_t)((uint64_t)argument % (uint64_t)current->tensor_count);
        const opmill_tensor *const input = index < given->input_count ? given->inputs[index] : NULL;
        const int64_t there = input != NULL && input->data != NULL
                                  ? elements_below(input->dims, input->rank, 1 << 20)
                                  : 0;
        if (there > 0 && count > 0) {
            const size_t all = elements_bytes(input->type, there);
            const size_t start = argument / 8 % 2 == 0 ? 0 : (all - 1) / bytes * bytes;
            tensor->data = (unsigned char *)input->data + start;
            outcome->refusable = true;
            return tensor;
        }
    }
    const bool misaligned = output == OUTPUT_ODD;
    outcome->refusable = outcome->refusable || (misaligned && bytes > 1 && count > 0);
    tensor->data = result_new(&outcome->results, elements_bytes(shape->type, count),
                              misaligned ? 1 : 0, how->pattern);
    return tensor;
}

static void offer_workspace(run_outcome *outcome, const manner *how, size_t needed) {
    const uint8_t offered = needed > RUN_MAX_WORKSPACE ? (uint8_t)WORKSPACE_NONE : how->workspace;
    size_t size = needed;
    if (offered == WORKSPACE_SHORT && size > 0) {
        size--;
    } else if (offered == WORKSPACE_MORE) {
        size += 100;
    }
    outcome->context.workspace_size = offered == WORKSPACE_NONE ? 0 : size;
    outcome->context.workspace = NULL;
    if (offered != WORKSPACE_NONE && offered != WORKSPACE_NULL && size > 0) {
        outcome->context.workspace =
            result_new(&outcome->scratch, size, current->workspace_shift, how->pattern);
    }
    outcome->refusable =
        outcome->refusable || (needed > 0 && (outcome->context.workspace == NULL ||
                                              outcome->context.workspace_size < needed));
}

/* True if the shape of an output depends on the data. */
static bool has_bounds(const opmill_operator *operator) {
    for (int32_t i = 0; i < operator->output_count; i++) {
        if (operator->outputs[i].bounded != 0) {
            return true;
        }
    }
    return false;
}

static void *provide_strings(void *user, size_t bytes) {
    MUST(bytes > 0, "strings have bytes", OPMILL_OK, NULL);
    return memory_new(user, bytes, current->workspace_shift);
}

void run_begin(run_outcome *outcome, const manner *how, const call_arguments *given,
               const opmill_shape *shapes, int32_t shape_count) {
    const opmill_operator *const operator = current->operator;
    opmill_context *const context =
        (current->spoiled & CALL_NO_CONTEXT) != 0 ? NULL : &outcome->context;
    static opmill_tensor unknown; /* requested of a call that is refused */
    const int32_t spoiled =
        shape_count > 0 ? (int32_t)((uint64_t)current->output_argument / 64 % (uint64_t)shape_count)
                        : 0;
    size_t needed = 0;
    outcome->fixed.count = outcome->results.count = outcome->scratch.count = outcome->texts.count =
        0;
    outcome->refusable = context == NULL || (current->spoiled & CALL_NO_RESULTS) != 0;
    context_begin(&outcome->context);
    const opmill_block_allocator strings = {&outcome->texts, provide_strings};
    outcome->context.strings = &strings;
    outcome->context.threads = how->threads;
    outcome->context.isa = how->isa;
    if (how->isa < OPMILL_ISA_AUTO || how->isa > OPMILL_ISA_NEON) {
        outcome->refusable = true;
    }
    for (int32_t i = 0; i < RUN_OUTPUTS; i++) {
        const int32_t last = operator->output_count - 1;
        manner one = *how;
        if (i != spoiled) {
            one.output = OUTPUT_RIGHT;
        }
        outcome->outputs[i] = &unknown;
        if (i < shape_count) {
            const int32_t option = operator->outputs[i < last ? i : last].option;
            outcome->outputs[i] = make_output(outcome, &one, &shapes[i], option, given);
        }
    }
    if (shape_count > 0 || current->output_count == 0) { /* all are optional */
        opmill_context asked = outcome->context;
        const int code = opmill_workspace(operator, given->inputs, given->input_count,
                                          given->attributes, shape_count, &needed, &asked);
        MUST(code == OPMILL_OK || shape_count == 0, "workspace accepts what infer accepts", code,
             &asked);
    }
    offer_workspace(outcome, how, needed);
    const opmill_context before = outcome->context;
    const bool measures = has_bounds(operator);
    memory_seal(&outcome->fixed);
    scribble(how->pattern);
    outcome->code = opmill_run(operator, given->inputs, given->input_count, given->attributes,
                               (current->spoiled & CALL_NO_RESULTS) != 0 ? NULL : outcome->outputs,
                               current->output_count, context);
    if (context != NULL) {
        check_error(outcome->code, context);
        MUST(context->workspace == before.workspace && context->threads == before.threads &&
                 context->workspace_size == before.workspace_size && context->isa == before.isa,
             "the context is the caller's", outcome->code, context);
    }
    MUST(memory_intact(&given->blocks), "the inputs and attributes are as they were", outcome->code,
         context);
    MUST(memory_intact(&outcome->fixed), "the outputs' descriptions are as they were",
         outcome->code, context);
    outcome->context.strings = NULL;
    MUST(outcome->code == OPMILL_OK || outcome->texts.count == 0,
         "strings are not requested where a call is refused", outcome->code, context);
    MUST(memory_intact(&outcome->results) && memory_intact(&outcome->scratch) &&
             memory_intact(&outcome->texts),
         "nothing beside the results is written", outcome->code, context);
    /* A kernel may use the workspace to find what it refuses, as cycles of nodes. Where the data
     * decide the shapes, outputs are checked after measuring, which may use it too. */
    const bool may_use_scratch = measures || outcome->code == OPMILL_ERROR_CALL;
    MUST(outcome->code == OPMILL_OK ||
             (is_untouched(&outcome->results, how->pattern) &&
              (may_use_scratch || is_untouched(&outcome->scratch, how->pattern))),
         "nothing is written where a call is refused", outcome->code, context);
}

void run_end(run_outcome *outcome) {
    memory_free(&outcome->fixed);
    memory_free(&outcome->results);
    memory_free(&outcome->scratch);
    memory_free(&outcome->texts);
}
