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
static void *take(guarded_call *made, size_t bytes, const void *from, const char *format, ...) {
    va_list arguments;
    if (made->array_count == MAX_ARRAYS) {
        fputs("a call has too many arrays\n", stderr);
        abort();
    }
    guarded_array *const array = &made->arrays[made->array_count++];
    va_start(arguments, format);
    vsnprintf(array->name, sizeof array->name, format, arguments);
    va_end(arguments);
    guarded_renew(&array->memory, bytes, made->at_end);
    if (from != NULL && bytes > 0) {
        memcpy(array->memory.data, from, bytes);
    }
    return array->memory.data;
}

/* Each string in memory of its own, unless there are too many: then those after are as they were.
 */
static void take_strings(guarded_call *made, const char **texts, int64_t count, const char *name) {
    for (int64_t i = 0; i < count && made->array_count < MAX_ARRAYS / 2; i++) {
        if (texts[i] != NULL) {
            texts[i] =
                take(made, strlen(texts[i]) + 1, texts[i], "string %" PRId64 " of %s", i, name);
        }
    }
}

static opmill_tensor take_tensor(guarded_call *made, const opmill_tensor *from, const char *name) {
    opmill_tensor tensor = *from;
    const int64_t count = count_of(from->dims, from->rank);
    tensor.data = take(made, type_bytes(from->type, count), from->data, "the elements of %s", name);
    if (from->rank > 0) {
        tensor.dims =
            take(made, (size_t)from->rank * sizeof *from->dims, from->dims, "the dims of %s", name);
    }
    if (from->type == OPMILL_STRING) {
        take_strings(made, tensor.data, count, name);
    }
    return tensor;
}

/* The values of one attribute, which its struct points to. */
static void take_attribute(guarded_call *made, const opmill_attribute *attribute, char *member) {
    const char *const name = attribute->name;
    switch (attribute->kind) {
    case OPMILL_KIND_STRING:
        take_strings(made, (const char **)(void *)member, 1, name);
        break;
    case OPMILL_KIND_FLOATS: {
        opmill_floats *const list = (void *)member;
        if (list->count > 0) {
            list->values =
                take(made, (size_t)list->count * sizeof *list->values, list->values, "%s", name);
        }
        break;
    }
    case OPMILL_KIND_INTS: {
        opmill_ints *const list = (void *)member;
        if (list->count > 0) {
            list->values =
                take(made, (size_t)list->count * sizeof *list->values, list->values, "%s", name);
        }
        break;
    }
    case OPMILL_KIND_STRINGS: {
        opmill_strings *const list = (void *)member;
        if (list->count > 0) {
            const char **const texts =
                take(made, (size_t)list->count * sizeof *texts, list->values, "%s", name);
            take_strings(made, texts, list->count, name);
            list->values = texts;
        }
        break;
    }
    case OPMILL_KIND_TENSOR: {
        const opmill_tensor **const tensor = (void *)member;
        if (*tensor != NULL) {
            const opmill_tensor taken = take_tensor(made, *tensor, name);
            *tensor = take(made, sizeof taken, &taken, "the tensor %s", name);
        }
        break;
    }
    default:
        break;
    }
}

static const void *take_attributes(guarded_call *made) {
    const opmill_operator *const operator = made->call->operator;
    if (made->call->attributes == NULL) {
        return NULL;
    }
    char *const attributes =
        take(made, operator->attributes_size, made->call->attributes, "the attributes");
    for (int32_t i = 0; i < operator->attribute_count; i++) {
        take_attribute(made, &operator->attributes[i], attributes + operator->attributes[i].offset);
    }
    return attributes;
}

/* Packs each input for which there is something to pack. A block is a whole number of lines, but
 * for those that begin where their memory does. */
static void pack(guarded_call *made, const opmill_tensor *const *inputs, const void *attributes,
                 opmill_prepared *prepared) {
    const plain_call *const call = made->call;
    for (int32_t i = 0; i < call->input_count && i < call->operator->input_count; i++) {
        size_t bytes = 0;
        if (inputs[i] == NULL ||
            opmill_prepare_size(call->operator, inputs, call->input_count, attributes, i, &bytes,
                                &made->context) != OPMILL_OK ||
            bytes == 0) {
            continue;
        }
        const size_t lines = (bytes + OPMILL_BLOCK_ALIGNMENT - 1) / OPMILL_BLOCK_ALIGNMENT;
        void *const block = take(made, made->at_end ? lines * OPMILL_BLOCK_ALIGNMENT : bytes, NULL,
                                 "the block of input %d", (int)i);
        check(opmill_prepare(call->operator, inputs, call->input_count, attributes, i, block, bytes,
                             &made->context) == OPMILL_OK,
              "an input is packed");
        prepared[made->packed++] = (opmill_prepared){i, block, bytes};
    }
}

static void *take_new_strings(void *user, size_t bytes) {
    return take(user, bytes, NULL, "the new strings");
}

/* All of a call, from its inputs on. */
static void perform(void *state) {
    guarded_call *const made = state;
    const plain_call *const call = made->call;
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
            tensors[i] = take_tensor(made, call->inputs[i], name);
            inputs[i] = &tensors[i];
        }
    }
    const void *const attributes = take_attributes(made);
    made->code = opmill_workspace(call->operator, inputs, call->input_count, attributes,
                                  call->output_count, &bytes, &made->context);
    if (made->code != OPMILL_OK) {
        return;
    }
    made->context.workspace = take(made, bytes, NULL, "the workspace");
    made->context.workspace_size = bytes;
    made->code = opmill_measure(call->operator, inputs, call->input_count, attributes, shapes,
                                call->output_count, &made->context);
    if (made->code != OPMILL_OK) {
        return;
    }
    for (int32_t i = 0; i < call->output_count; i++) {
        const size_t size = type_bytes(shapes[i].type, count_of(shapes[i].dims, shapes[i].rank));
        const int64_t *const dims = take(made, (size_t)shapes[i].rank * sizeof *dims,
                                         shapes[i].dims, "the dims of output %d", (int)i);
        made->outputs[i] = (opmill_tensor){take(made, size, NULL, "output %d", (int)i), dims,
                                           shapes[i].rank, shapes[i].type};
        outputs[i] = &made->outputs[i];
    }
    if (made->packs) {
        pack(made, inputs, attributes, prepared);
        made->context.prepared = prepared;
        made->context.prepared_count = (size_t)made->packed;
    }
    const opmill_string_allocator strings = {made, take_new_strings};
    made->context.strings = &strings;
    made->code = made->compute(call->operator, inputs, call->input_count, attributes, outputs,
                               call->output_count, &made->context);
    made->context.prepared = NULL;
    made->context.prepared_count = 0;
    made->context.strings = NULL;
}

/* Names the array beside which an address is. */
static void report(guarded_call *made, const void *address) {
    const unsigned char *const at = address;
    for (int32_t i = 0; i < made->array_count; i++) {
        const guarded *const memory = &made->arrays[i].memory;
        if (at >= memory->all && at < memory->all + memory->all_size) {
            const bool before = at < memory->data;
            const ptrdiff_t byte = before ? memory->data - at : at - (memory->data + memory->size);
            snprintf(made->report, sizeof made->report, "touches byte %ld %s %s, which has %zu",
                     (long)byte, before ? "before" : "after", made->arrays[i].name, memory->size);
            return;
        }
    }
    snprintf(made->report, sizeof made->report, "touches memory of no array");
}

void guarded_call_run(guarded_call *made, const plain_call *call, const opmill_context *context) {
    made->call = call;
    made->compute = made->compute != NULL ? made->compute : opmill_run;
    made->array_count = 0;
    made->packed = 0;
    made->context = *context;
    made->code = OPMILL_ERROR_INTERNAL;
    made->report[0] = '\0';
    const void *const address =
        guarded_fault(perform, made, context->threads <= 1, call->operator->label);
    if (address != NULL) {
        report(made, address);
    }
    for (int32_t i = 0; address == NULL && i < made->array_count; i++) {
        if (!guarded_intact(&made->arrays[i].memory)) {
            snprintf(made->report, sizeof made->report, "writes beside %s", made->arrays[i].name);
        }
    }
}

void guarded_call_free(guarded_call *made) {
    for (int32_t i = 0; i < MAX_ARRAYS; i++) {
        if (made->arrays[i].memory.all != NULL) {
            guarded_free(&made->arrays[i].memory);
        }
    }
}
