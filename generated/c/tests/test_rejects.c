/* Every reject of every version, word for word where it states the message; then every type that an
 * input does not take. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "compare.h"
#include "values.h"

static long rejects, refused, too_large;

/* What a kernel refuses: infer accepts it, and the outputs, as it has them, stay as they are. */
static void check_kernel_refusal(const opmill_operator *operator, const call_tensors *inputs,
                                 const case_reject *reject, const char *message) {
    opmill_context context = OPMILL_CONTEXT_INIT;
    opmill_shape shapes[MAX_TENSORS];
    case_tensor wanted[MAX_TENSORS];
    call_tensors model, outputs;
    const int inferred = opmill_infer(operator, inputs->given, inputs->count, reject->attributes,
                                      shapes, reject->output_count, &context);
    const bool runs_graphs = lacks_graphs(operator, &context);
    check(inferred == OPMILL_OK || runs_graphs, "infer accepts it");
    if (inferred != OPMILL_OK && !runs_graphs) {
        return;
    }
    for (int32_t i = 0; i < reject->output_count && runs_graphs; i++) {
        shapes[i].type = OPMILL_FLOAT; /* what the graphs determine is not known */
        shapes[i].rank = 0;
    }
    for (int32_t i = 0; i < reject->output_count; i++) {
        wanted[i] =
            (case_tensor){.type = shapes[i].type, .rank = shapes[i].rank, .dims = shapes[i].dims};
    }
    tensors_of_case(&model, wanted, reject->output_count, NULL, 0, -1, 0);
    check(opmill_workspace(operator, inputs->given, inputs->count, reject->attributes,
                           reject->output_count, &context.workspace_size, &context) == OPMILL_OK,
          "workspace accepts it");
    context.workspace = context.workspace_size > 0 ? malloc(context.workspace_size) : NULL;
    for (int32_t isa = OPMILL_ISA_AUTO; isa <= OPMILL_ISA_BASELINE; isa++) {
        context.isa = isa;
        tensors_like(&outputs, &model, true);
        const int code = opmill_run(operator, inputs->given, inputs->count, reject->attributes,
                                    outputs.taken, reject->output_count, &context);
        check_refused(code, &context, &outputs, reject->code, message);
        tensors_free(&outputs);
    }
    free(context.workspace);
    tensors_free(&model);
    refused++;
}

/* True if infer accepts a call. */
static bool infers(const opmill_operator *operator, const call_tensors *inputs,
                   const case_reject *reject) {
    opmill_context context = OPMILL_CONTEXT_INIT;
    opmill_shape shapes[MAX_TENSORS];
    return opmill_infer(operator, inputs->given, inputs->count, reject->attributes, shapes,
                        reject->output_count, &context) == OPMILL_OK;
}

/* What is refused must be refused by run, infer and workspace in the same words. */
static void check_refusal(const opmill_operator *operator, const call_tensors *inputs,
                          const void *attributes, int32_t output_count, int32_t expected,
                          const char *message) {
    static const int64_t dims[] = {2, 3};
    case_tensor likely[MAX_TENSORS];
    opmill_context context = OPMILL_CONTEXT_INIT;
    opmill_shape shapes[MAX_TENSORS];
    call_tensors model, outputs;
    const int32_t offered = output_count < MAX_TENSORS ? output_count : MAX_TENSORS;
    for (int32_t i = 0; i < offered; i++) {
        likely[i] = (case_tensor){.type = OPMILL_FLOAT, .rank = 2, .dims = dims};
    }
    tensors_of_case(&model, likely, offered, NULL, 0, -1, 0);
    tensors_like(&outputs, &model, true);
    int code = opmill_run(operator, inputs->given, inputs->count, attributes, outputs.taken,
                          output_count, &context);
    check_refused(code, &context, &outputs, expected, message);
    memset(&context, 0, sizeof context);
    code = opmill_infer(operator, inputs->given, inputs->count, attributes, shapes, output_count,
                        &context);
    check_refused(code, &context, NULL, expected, message);
    tensors_free(&outputs);
    tensors_free(&model);
    refused++;
}

/* The first given input of the type variable of a position, which decides the type of the others;
 * the position itself where the values of a variadic input may have several types. */
static int32_t decisive(const opmill_operator *operator, const case_example *witness,
                        int32_t position) {
    const opmill_parameter *const own =
        parameter_of(operator->inputs, operator->input_count, position);
    for (int32_t i = 0; own->variable >= 0 && own->homogeneous && i < position; i++) {
        const opmill_parameter *const other =
            parameter_of(operator->inputs, operator->input_count, i);
        if (other->variable == own->variable && other->homogeneous &&
            witness->inputs[i].type != OPMILL_UNDEFINED) {
            return i;
        }
    }
    return position;
}

/* True if an input that decides on its type may have this one. */
static bool takes(const opmill_parameter *parameter, int32_t type) {
    for (int32_t i = 0; i < parameter->type_count; i++) {
        if (parameter->types[i] == type) {
            return true;
        }
    }
    return false;
}

/* The message for a type that an input does not take, given the types of the inputs before it. */
static void expected_message(char *text, size_t size, const opmill_operator *operator,
                             const case_example *witness, int32_t position, int32_t type) {
    const opmill_parameter *const parameter =
        parameter_of(operator->inputs, operator->input_count, position);
    const int32_t first = decisive(operator, witness, position);
    char name[NAME_BYTES], first_name[NAME_BYTES];
    value_name(name, sizeof name, operator->inputs, operator->input_count, position);
    if (first < position) {
        value_name(first_name, sizeof first_name, operator->inputs, operator->input_count, first);
        snprintf(text, size, "%s: %s has type %s, expected %s (the type of %s)", operator->label,
                 name, type_name(type), type_name(witness->inputs[first].type), first_name);
        return;
    }
    const int32_t form = type_form(parameter->types[0]);
    const char *const expected = form >= OPMILL_OPTIONAL_TYPE ? "an optional"
                                 : parameter->type_count > 1  ? "one of "
                                                              : "";
    int length = snprintf(text, size, "%s: %s has type %s, expected %s", operator->label, name,
                          type_name(type), expected);
    for (int32_t i = 0; i < parameter->type_count && form < OPMILL_OPTIONAL_TYPE &&
                        type_form(parameter->types[i]) == form;
         i++) {
        length += snprintf(text + length, size - (size_t)length, "%s%s", i > 0 ? ", " : "",
                           type_name(parameter->types[i]));
    }
}

static void check_types(const case_table *table, const opmill_operator *operator) {
    const case_example *const witness = witness_of(table);
    for (int32_t i = 0; i < witness->input_count; i++) {
        const bool decides = decisive(operator, witness, i) == i;
        for (int32_t type = OPMILL_FLOAT; type <= OPMILL_FLOAT6E3M2; type++) {
            char message[1024];
            case_tensor changed[MAX_TENSORS];
            call_tensors inputs;
            if (type == witness->inputs[i].type || witness->inputs[i].type == OPMILL_UNDEFINED ||
                (decides &&
                 takes(parameter_of(operator->inputs, operator->input_count, i), type))) {
                continue;
            }
            memcpy(changed, witness->inputs, (size_t)witness->input_count * sizeof changed[0]);
            changed[i] = (case_tensor){
                .type = type, .rank = witness->inputs[i].rank, .dims = witness->inputs[i].dims};
            tensors_of_case(&inputs, changed, witness->input_count, NULL, 0, -1, 0);
            expected_message(message, sizeof message, operator, witness, i, type);
            about("%s, input %d of type %s", operator->label, (int)i, type_name(type));
            check_refusal(operator, &inputs, witness->attributes, witness->output_count,
                          OPMILL_ERROR_TYPE, message);
            tensors_free(&inputs);
        }
    }
}

int main(void) {
    char text[128];
    for (int32_t i = 0; i < case_table_count(); i++) {
        const case_table *const table = case_table_at(i);
        const opmill_operator *const operator = operator_of(table);
        for (const case_reject *reject = next_reject(table, NULL); reject != NULL;
             reject = next_reject(table, reject)) {
            char message[OPMILL_MESSAGE_SIZE];
            call_tensors inputs;
            rejects++;
            snprintf(message, sizeof message, "%s: %s", operator->label,
                     reject->message != NULL ? reject->message : "");
            const char *const words = reject->message != NULL ? message : NULL;
            about("%s '%s'", operator->label, reject->name);
            if (!cases_fit(reject->inputs, reject->input_count)) {
                too_large++;
                continue;
            }
            tensors_of_case(&inputs, reject->inputs, reject->input_count, NULL, 0, -1, 0);
            if (reject->message != NULL ? reject->by_kernel : infers(operator, &inputs, reject)) {
                check_kernel_refusal(operator, &inputs, reject, words);
            } else {
                check_refusal(operator, &inputs, reject->attributes, reject->output_count,
                              reject->code, words);
            }
            tensors_free(&inputs);
        }
        if (witness_of(table) != NULL) {
            check_types(table, operator);
        }
    }
    snprintf(text, sizeof text, "%ld rejects, %ld refused calls; %ld too large for the machine",
             rejects, refused, too_large);
    return finish(text);
}
