/* Copies all arrays of a call into guarded memory, runs it, and names the array beside which it
 * accessed memory. */
#include "guarded_call.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "compare.h"
#include "values.h"

/* Memory for so many bytes, which are those at `from` if there are any. */
static void *take(guarded_call *run, size_t bytes, const void *from, const char *format, ...) {
    va_list arguments;
    if (run->array_count == MAX_ARRAYS) {
        fputs("a call has too many arrays\n", stderr);
        abort();
    }
    guarded_array *const array = &run->arrays[run->array_count++];
    va_start(arguments, format);
    vsnprintf(array->name, sizeof array->name, format, arguments);
    va_end(arguments);
    guarded_renew(&array->memory, bytes, run->at_end);
    if (from != NULL && bytes > 0) {
        memcpy(array->memory.data, from, bytes);
    }
    return array->memory.data;
}

/* Each string in memory of its own, unless there are too many: then those after are as they were.
 */
static void take_strings(guarded_call *run, const char **texts, int64_t count, const char *name) {
    for (int64_t i = 0; i < count && run->array_count < MAX_ARRAYS / 2; i++) {
        if (texts[i] != NULL) {
            texts[i] =
                take(run, strlen(texts[i]) + 1, texts[i], "string %" PRId64 " of %s", i, name);
        }
    }
}

static opmill_tensor take_tensor(guarded_call *run, const opmill_tensor *from, const char *name);

/* The tensors of a sequence or an optional, as strings. */
static void take_items(guarded_call *run, const opmill_tensor **items, int64_t count,
                       const char *name) {
    for (int64_t i = 0; i < count && run->array_count < MAX_ARRAYS / 2; i++) {
        const opmill_tensor item = take_tensor(run, items[i], name);
        items[i] = take(run, sizeof item, &item, "tensor %" PRId64 " of %s", i, name);
    }
}

static opmill_tensor take_tensor(guarded_call *run, const opmill_tensor *from, const char *name) {
    opmill_tensor tensor = *from;
    const int64_t count = count_of(from->dims, from->rank);
    tensor.data = take(run, type_bytes(from->type, count), from->data, "the elements of %s", name);
    if (from->rank > 0) {
        tensor.dims =
            take(run, (size_t)from->rank * sizeof *from->dims, from->dims, "the dims of %s", name);
    }
    if (from->type == OPMILL_STRING) {
        take_strings(run, tensor.data, count, name);
    }
    if (type_has_items(from->type)) {
        take_items(run, tensor.data, count, name);
    }
    return tensor;
}

/* The values of one attribute, which its struct points to. */
static void take_attribute(guarded_call *run, const opmill_attribute *attribute, char *member) {
    const char *const name = attribute->name;
    switch (attribute->kind) {
    case OPMILL_KIND_STRING:
        take_strings(run, (const char **)(void *)member, 1, name);
        break;
    case OPMILL_KIND_FLOATS: {
        opmill_floats *const list = (void *)member;
        if (list->count > 0) {
            list->values =
                take(run, (size_t)list->count * sizeof *list->values, list->values, "%s", name);
        }
        break;
    }
    case OPMILL_KIND_INTS: {
        opmill_ints *const list = (void *)member;
        if (list->count > 0) {
            list->values =
                take(run, (size_t)list->count * sizeof *list->values, list->values, "%s", name);
        }
        break;
    }
    case OPMILL_KIND_STRINGS: {
        opmill_strings *const list = (void *)member;
        if (list->count > 0) {
            const char **const texts =
                take(run, (size_t)list->count * sizeof *texts, list->values, "%s", name);
            take_strings(run, texts, list->count, name);
            list->values = texts;
        }
        break;
    }
    case OPMILL_KIND_TENSOR: {
        const opmill_tensor **const tensor = (void *)member;
        if (*tensor != NULL) {
            const opmill_tensor taken = take_tensor(run, *tensor, name);
            *tensor = take(run, sizeof taken, &taken, "the tensor %s", name);
        }
        break;
    }
    default:
        break;
    }
}

static const void *take_attributes(guarded_call *run) {
    const opmill_operator *const operator = run->call->operator;
    if (run->call->attributes == NULL) {
        return NULL;
    }
    char *const attributes =
        take(run, operator->attributes_size, run->call->attributes, "the attributes");
    for (int32_t i = 0; i < operator->attribute_count; i++) {
        take_attribute(run, &operator->attributes[i], attributes + operator->attributes[i].offset);
    }
    return attributes;
}

/* Packs each input for which there is something to pack. A block is a whole number of lines, but
 * for those that begin where their memory does. */
static void pack(guarded_call *run, const opmill_tensor *const *inputs, const void *attributes,
                 opmill_prepared *prepared) {
    const plain_call *const call = run->call;
    for (int32_t i = 0; i < call->input_count && i < call->operator->input_count; i++) {
        size_t bytes = 0;
        if (inputs[i] == NULL ||
            opmill_prepare_size(call->operator, inputs, call->input_count, attributes, i, &bytes,
                                &run->context) != OPMILL_OK ||
            bytes == 0) {
            continue;
        }
        const size_t lines = (bytes + OPMILL_BLOCK_ALIGNMENT - 1) / OPMILL_BLOCK_ALIGNMENT;
        void *const block = take(run, run->at_end ? lines * OPMILL_BLOCK_ALIGNMENT : bytes, NULL,
                                 "the block of input %d", (int)i);
        check(opmill_prepare(call->operator, inputs, call->input_count, attributes, i, block, bytes,
                             &run->context) == OPMILL_OK,
              "an input is packed");
        prepared[run->packed++] = (opmill_prepared){i, block, bytes};
    }
}

static void *take_block(void *user, size_t bytes) {
    return take(user, bytes, NULL, "the new values");
}

/* All of a call, from its inputs on. */
static void perform(void *state) {
    guarded_call *const run = state;
    const plain_call *const call = run->call;
    opmill_tensor tensors[MAX_TENSORS];
    const opmill_tensor *inputs[MAX_TENSORS];
    opmill_tensor *outputs[MAX_OUTPUTS];
    opmill_shape shapes[MAX_OUTPUTS];
    opmill_prepared prepared[MAX_TENSORS];
    size_t bytes = 0;
    for (int32_t i = 0; i < call->input_count; i++) {
        char name[24];
        snprintf(name, sizeof name, "input %d", (int)i);
        inputs[i] = NULL;
        if (call->inputs[i] != NULL) {
            tensors[i] = take_tensor(run, call->inputs[i], name);
            inputs[i] = &tensors[i];
        }
    }
    const void *const attributes = take_attributes(run);
    run->code = opmill_workspace(call->operator, inputs, call->input_count, attributes,
                                 call->output_count, &bytes, &run->context);
    if (run->code != OPMILL_OK) {
        return;
    }
    run->context.workspace = take(run, bytes, NULL, "the workspace");
    run->context.workspace_size = bytes;
    run->code = opmill_measure(call->operator, inputs, call->input_count, attributes, shapes,
                               call->output_count, &run->context);
    if (run->code != OPMILL_OK) {
        return;
    }
    for (int32_t i = 0; i < call->output_count; i++) {
        const size_t size = type_bytes(shapes[i].type, count_of(shapes[i].dims, shapes[i].rank));
        const int64_t *const dims = take(run, (size_t)shapes[i].rank * sizeof *dims, shapes[i].dims,
                                         "the dims of output %d", (int)i);
        run->outputs[i] = (opmill_tensor){take(run, size, NULL, "output %d", (int)i), dims,
                                          shapes[i].rank, shapes[i].type};
        outputs[i] = &run->outputs[i];
    }
    if (run->packs) {
        pack(run, inputs, attributes, prepared);
        run->context.prepared = prepared;
        run->context.prepared_count = (size_t)run->packed;
    }
    const opmill_block_allocator strings = {run, take_block};
    run->context.strings = run->context.sequences = &strings;
    run->code = run->compute(call->operator, inputs, call->input_count, attributes, outputs,
                             call->output_count, &run->context);
    run->context.prepared = NULL;
    run->context.prepared_count = 0;
    run->context.strings = run->context.sequences = NULL;
}

/* Names the array beside which an address is. */
static void report(guarded_call *run, const void *address) {
    const unsigned char *const at = address;
    for (int32_t i = 0; i < run->array_count; i++) {
        const guarded *const memory = &run->arrays[i].memory;
        if (at >= memory->all && at < memory->all + memory->all_size) {
            const bool before = at < memory->data;
            const ptrdiff_t byte = before ? memory->data - at : at - (memory->data + memory->size);
            snprintf(run->report, sizeof run->report, "touches byte %ld %s %s, which has %zu",
                     (long)byte, before ? "before" : "after", run->arrays[i].name, memory->size);
            return;
        }
    }
    snprintf(run->report, sizeof run->report, "touches memory of no array");
}

void guarded_call_run(guarded_call *run, const plain_call *call, const opmill_context *context) {
    run->call = call;
    run->compute = run->compute != NULL ? run->compute : opmill_run;
    run->array_count = 0;
    run->packed = 0;
    run->context = *context;
    run->code = OPMILL_ERROR_INTERNAL;
    run->report[0] = '\0';
    const void *const address =
        guarded_fault(perform, run, context->threads <= 1, call->operator->label);
    if (address != NULL) {
        report(run, address);
    }
    for (int32_t i = 0; address == NULL && i < run->array_count; i++) {
        if (!guarded_intact(&run->arrays[i].memory)) {
            snprintf(run->report, sizeof run->report, "writes beside %s", run->arrays[i].name);
        }
    }
}

void guarded_call_free(guarded_call *run) {
    for (int32_t i = 0; i < MAX_ARRAYS; i++) {
        if (run->arrays[i].memory.all != NULL) {
            guarded_free(&run->arrays[i].memory);
        }
    }
}
