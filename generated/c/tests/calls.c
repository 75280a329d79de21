/* Creates the tensors of a case in guarded memory, finds the parameters of an operator, and checks
 * what a refused call leaves behind. */
#include "calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "values.h"

static void put_tensor(call_tensors *tensors, int32_t position, opmill_tensor tensor, bool at_end) {
    const int64_t count = count_of(tensor.dims, tensor.rank);
    tensors->memory[position] = guarded_new(type_bytes(tensor.type, count), at_end);
    tensors->tensors[position] = tensor;
    tensors->tensors[position].data = tensors->memory[position].data;
    tensors->given[position] = tensors->taken[position] = &tensors->tensors[position];
}

/* The tensors of a sequence or an optional, each in memory of its own, frozen. */
static void put_items(call_items *items, const opmill_tensor **pointers, const case_tensor *from,
                      int32_t element) {
    items->tensors = calloc((size_t)from->dims[0] + 1, sizeof *items->tensors);
    items->memory = calloc((size_t)from->dims[0] + 1, sizeof *items->memory);
    items->nested = calloc((size_t)from->dims[0] + 1, sizeof *items->nested);
    if (items->tensors == NULL || items->memory == NULL || items->nested == NULL) {
        fputs("out of memory\n", stderr);
        abort();
    }
    for (; items->count < from->dims[0]; items->count++) {
        const case_tensor *const item = &from->items[items->count];
        const int32_t type =
            element != OPMILL_UNDEFINED ? type_form(item->type) + element : item->type;
        guarded *const memory = &items->memory[items->count];
        *memory = guarded_new(type_bytes(type, count_of(item->dims, item->rank)), true);
        items->tensors[items->count] = (opmill_tensor){memory->data, item->dims, item->rank, type};
        if (type_has_items(type)) {
            put_items(&items->nested[items->count], (const opmill_tensor **)(void *)memory->data,
                      item, element);
        } else {
            case_fill(&items->tensors[items->count], item);
        }
        guarded_freeze(memory);
        pointers[items->count] = &items->tensors[items->count];
    }
}

static void free_items(call_items *items) {
    for (int64_t k = 0; k < items->count; k++) {
        guarded_free(&items->memory[k]);
        free_items(&items->nested[k]);
    }
    free(items->memory);
    free(items->tensors);
    free(items->nested);
}

static void begin(call_tensors *tensors, int32_t count) {
    memset(tensors, 0, sizeof *tensors);
    tensors->count = count;
    if (count > MAX_TENSORS) {
        fputs("a case has too many tensors\n", stderr);
        abort();
    }
}

void tensors_of_case(call_tensors *tensors, const case_tensor *cases, int32_t count,
                     const opmill_parameter *parameters, int32_t parameter_count, int32_t variable,
                     int32_t type) {
    begin(tensors, count);
    for (int32_t i = 0; i < count; i++) {
        const bool retyped = variable >= 0 && parameter_count > 0 &&
                             parameter_of(parameters, parameter_count, i)->variable == variable;
        if (cases[i].type == OPMILL_UNDEFINED) {
            continue;
        }
        const int32_t element = retyped ? type_element(type) : OPMILL_UNDEFINED;
        const int32_t own = retyped ? type_form(cases[i].type) + element : cases[i].type;
        const opmill_tensor tensor = {NULL, cases[i].dims, cases[i].rank, own};
        put_tensor(tensors, i, tensor, true);
        if (type_has_items(own)) {
            put_items(&tensors->items[i], tensors->tensors[i].data, &cases[i], element);
        } else {
            case_fill(&tensors->tensors[i], &cases[i]);
        }
        guarded_freeze(&tensors->memory[i]);
    }
}

void tensors_like(call_tensors *tensors, const call_tensors *model, bool at_end) {
    begin(tensors, model->count);
    for (int32_t i = 0; i < model->count; i++) {
        if (model->given[i] != NULL) {
            put_tensor(tensors, i, model->tensors[i], at_end);
        }
    }
}

void tensors_free(call_tensors *tensors) {
    for (int32_t i = 0; i < tensors->count; i++) {
        if (tensors->memory[i].all != NULL) {
            guarded_free(&tensors->memory[i]);
        }
        free_items(&tensors->items[i]);
    }
}

bool tensors_intact(const call_tensors *tensors) {
    for (int32_t i = 0; i < tensors->count; i++) {
        if (tensors->memory[i].all != NULL && !guarded_intact(&tensors->memory[i])) {
            return false;
        }
    }
    return true;
}

bool tensors_untouched(const call_tensors *tensors) {
    for (int32_t i = 0; i < tensors->count; i++) {
        if (tensors->memory[i].all != NULL && !guarded_untouched(&tensors->memory[i])) {
            return false;
        }
    }
    return true;
}

bool cases_fit(const case_tensor *cases, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        const bool has_items = type_has_items(cases[i].type) && cases[i].items != NULL;
        if (!fits_memory(cases[i].dims, cases[i].rank, cases[i].type) ||
            (has_items && !cases_fit(cases[i].items, (int32_t)cases[i].dims[0]))) {
            return false;
        }
    }
    return true;
}

const opmill_operator *operator_of(const case_table *table) { return table->operator; }

const opmill_parameter *parameter_of(const opmill_parameter *parameters, int32_t count,
                                     int32_t position) {
    return &parameters[position < count ? position : count - 1];
}

void value_name(char *text, size_t size, const opmill_parameter *parameters, int32_t count,
                int32_t position) {
    const opmill_parameter *const parameter = parameter_of(parameters, count, position);
    if (parameter->option == OPMILL_VARIADIC) {
        snprintf(text, size, "%s[%d]", parameter->name, (int)(position - count + 1));
    } else {
        snprintf(text, size, "%s", parameter->name);
    }
}

int32_t min_outputs(const opmill_operator *operator) {
    int32_t min_count = 0;
    for (int32_t i = 0; i < operator->output_count; i++) {
        min_count = operator->outputs[i].option == OPMILL_SINGLE ? i + 1 : min_count;
    }
    return min_count;
}

void *provide_block(void *user, size_t bytes) {
    guarded *const block = user;
    check(bytes > 0, "a block has bytes");
    guarded_free(block);
    *block = guarded_new(bytes, true);
    return block->data;
}

bool creates_values(const opmill_operator *operator, const call_tensors *outputs) {
    bool has_strings = false, has_items = false;
    for (int32_t i = 0; i < outputs->count; i++) {
        const opmill_tensor *const tensor = &outputs->tensors[i];
        has_strings = has_strings ||
                      (tensor->type == OPMILL_STRING && count_of(tensor->dims, tensor->rank) > 0);
        has_items = has_items || (type_has_items(tensor->type) && tensor->dims[0] > 0);
    }
    return (has_strings && operator->creates_strings != 0) ||
           (has_items && operator->creates_tensors != 0);
}

bool lacks_graphs(const opmill_operator *operator, const opmill_context *context) {
    return operator->runs_graphs != 0 && context->error.code == OPMILL_ERROR_CALL &&
           strstr(context->error.message,
                  ": types of the outputs are unknown, expected a call (graphs decide them)") !=
               NULL;
}

static int32_t inputs_given(const case_example *example) {
    int32_t given = 0;
    for (int32_t i = 0; i < example->input_count; i++) {
        given += example->inputs[i].type != OPMILL_UNDEFINED;
    }
    return given;
}

const case_example *witness_of(const case_table *table) {
    const case_example *best = NULL;
    int64_t best_size = 0;
    for (const case_example *example = next_example(table, NULL); example != NULL;
         example = next_example(table, example)) {
        const int64_t size = count_of(example->outputs[0].dims, example->outputs[0].rank);
        if (size == 0 || size > 4096 || example->input_count == 0 || example->inputs[0].rank == 0 ||
            example->is_drawn) {
            continue;
        }
        if (best == NULL || inputs_given(example) > inputs_given(best) ||
            (inputs_given(example) == inputs_given(best) && size > best_size)) {
            best = example;
            best_size = size;
        }
    }
    return best;
}

void check_refused(int code, const opmill_context *context, const call_tensors *outputs,
                   int32_t expected, const char *message) {
    check(code == expected && context->error.code == expected, "the code of the error");
    if (code != expected) {
        fail("expected code %d, got %d, error.code %d", (int)expected, code,
             (int)context->error.code);
    }
    if (message != NULL) {
        char cut[OPMILL_MESSAGE_SIZE];
        snprintf(cut, sizeof cut, "%s", message);
        check(strcmp(context->error.message, cut) == 0, "the words of the error");
        if (strcmp(context->error.message, cut) != 0) {
            fail("expected '%s', got '%s'", cut, context->error.message);
        }
    }
    check(memchr(context->error.message, 0, OPMILL_MESSAGE_SIZE) != NULL &&
              context->error.message[0] != '\0',
          "an error has a message");
    check(outputs == NULL || tensors_untouched(outputs), "nothing is written");
}
