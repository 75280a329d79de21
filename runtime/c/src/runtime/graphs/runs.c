/* Runs a graph of the caller, and checks what it returns before anything reads it. */
#include "runtime/graphs/runs.h"

#include "runtime/call/call_parts.h"
#include "runtime/call/rules.h"

opmill_message opmill_runs_error(const opmill_runs *runs, int32_t code) {
    return opmill_message_begin(runs->call->context, code, runs->call->operator->label);
}

void opmill_put_result(opmill_message *message, const opmill_runs *runs, int32_t output) {
    opmill_put_text(message, "output ");
    opmill_put_int(message, output);
    opmill_put_text(message, " of ");
    opmill_put_text(message, runs->name);
}

void opmill_put_described(opmill_message *message, const opmill_tensor *value) {
    if (value == NULL) {
        opmill_put_text(message, "absent");
    } else if (opmill_is_sequence(value->type)) {
        opmill_put_text(message, "a sequence");
    } else {
        opmill_put_text(message, opmill_type_name(value->type));
        opmill_put_list(message, opmill_dims(value));
    }
}

const opmill_shape *opmill_runs_declared(const opmill_runs *runs, int32_t output) {
    const opmill_graph *const graph = runs->graph;
    const bool is_declared =
        output < graph->output_type_count && graph->output_types[output].type != OPMILL_UNDEFINED;
    return is_declared ? &graph->output_types[output] : NULL;
}

static OPMILL_COLD int wrong_number(const opmill_runs *runs, int32_t count, int32_t expected,
                                    bool exact) {
    opmill_message message = opmill_runs_error(runs, OPMILL_ERROR_CALL);
    opmill_put_text(&message, "number of outputs of ");
    opmill_put_text(&message, runs->name);
    opmill_put_text(&message, " is ");
    opmill_put_int(&message, count);
    opmill_put_text(&message, exact ? ", expected " : ", expected at least ");
    opmill_put_int(&message, expected);
    return OPMILL_ERROR_CALL;
}

/* A tensor or a sequence that a run returned: what would make a kernel read outside of it. */
static int check_value(const opmill_runs *runs, int32_t output, const opmill_tensor *tensor) {
    const opmill_operator *const operator = runs->call->operator;
    opmill_context *const context = runs->call->context;
    opmill_name name;
    opmill_message text = {name.text, name.text + sizeof name.text - 1};
    name.text[0] = '\0';
    opmill_put_result(&text, runs, output);
    const opmill_parameter named = {.name = name.text, .option = OPMILL_SINGLE};
    const opmill_value value = {&named, 0, false};
    if (tensor->type != OPMILL_SEQUENCE &&
        opmill_type_bits(opmill_element_type(tensor->type)) == 0) {
        opmill_message message = opmill_runs_error(runs, OPMILL_ERROR_TYPE);
        opmill_put_text(&message, name.text);
        opmill_put_text(&message, " has type ");
        opmill_put_int(&message, tensor->type);
        opmill_put_text(&message, ", expected a type of ONNX");
        return OPMILL_ERROR_TYPE;
    }
    int code = opmill_call_form(operator, "", value, tensor, true, context);
    if (code == OPMILL_OK) {
        code = opmill_call_strings(operator, value, tensor, context);
    }
    return code == OPMILL_OK ? opmill_call_items(operator, value, tensor, true, context) : code;
}

static int check_results(const opmill_runs *runs, const opmill_graph_results *results) {
    opmill_context *const context = runs->call->context;
    const char *const label = runs->call->operator->label;
    if (results == NULL) {
        return FAIL(context, OPMILL_ERROR_CALL, label, "results of ", runs->name,
                    " are NULL, expected an object");
    }
    if (results->count < 0 || (results->count > 0 && results->tensors == NULL)) {
        return FAIL(context, OPMILL_ERROR_CALL, label, "results of ", runs->name,
                    " have NULL for tensors, expected an array");
    }
    if (results->next != NULL || results == runs->last) {
        return FAIL(context, OPMILL_ERROR_CALL, label, "results of ", runs->name,
                    " are those of an earlier run, expected an object of their own");
    }
    int code = OPMILL_OK;
    for (int32_t i = 0; i < results->count && code == OPMILL_OK; i++) {
        code = results->tensors[i] != NULL ? check_value(runs, i, results->tensors[i]) : OPMILL_OK;
    }
    return code;
}

int opmill_runs_next(opmill_runs *runs, const opmill_tensor *const *inputs, int32_t input_count,
                     int32_t expected, bool exact) {
    opmill_error *const error = &runs->call->context->error;
    opmill_graph_results *results = NULL;
    error->message[0] = '\0';
    int code = runs->graph->run(runs->graph->user, inputs, input_count, &results, error);
    if (code != OPMILL_OK) {
        error->message[OPMILL_MESSAGE_SIZE - 1] = '\0';
        error->code = code;
        return code;
    }
    code = check_results(runs, results);
    if (code == OPMILL_OK && (results->count < expected || (exact && results->count != expected))) {
        code = wrong_number(runs, results->count, expected, exact);
    }
    if (code != OPMILL_OK) {
        return code;
    }
    if (runs->last != NULL) {
        runs->last->next = results;
    } else {
        runs->first = results;
    }
    runs->last = results;
    runs->count++;
    return OPMILL_OK;
}

static bool has_type(const opmill_tensor *value) {
    return value != NULL && value->type != OPMILL_SEQUENCE;
}

static void put_type(opmill_message *message, int32_t type) {
    opmill_put_text(message, opmill_is_sequence(type) ? "sequence of " : "");
    opmill_put_text(message, opmill_type_name(opmill_element_type(type)));
}

int opmill_runs_check_types(const opmill_runs *runs, const opmill_tensor *const *before,
                            int32_t count, int32_t first) {
    for (int32_t i = 0; i < count; i++) {
        const opmill_tensor *const after = runs->last->tensors[first + i];
        if (has_type(before[i]) && has_type(after) && before[i]->type != after->type) {
            opmill_message message = opmill_runs_error(runs, OPMILL_ERROR_TYPE);
            opmill_put_result(&message, runs, first + i);
            opmill_put_text(&message, " has type ");
            put_type(&message, after->type);
            opmill_put_text(&message, ", expected ");
            put_type(&message, before[i]->type);
            opmill_put_text(&message, " (that of its input)");
            return OPMILL_ERROR_TYPE;
        }
    }
    return OPMILL_OK;
}
