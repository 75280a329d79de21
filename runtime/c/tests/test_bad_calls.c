/* Calls that are wrong in themselves, for every version: each ends with a code and a message, and
 * writes nothing. A valid call is taken from the tables and one part of it is spoiled at a time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bad_call.h"
#include "compare.h"
#include "runtime/call/driver.h"
#include "values.h"

static void spoil_tensor(bad_call *call, opmill_tensor *tensor, const char *name, bool is_input) {
    static const int32_t RANKS[] = {-1, INT32_MIN, 65, INT32_MAX};
    static const int32_t TYPES[] = {0, -1, 29, INT32_MAX, INT32_MIN};
    static const int64_t DIMS[] = {-1, INT64_MIN, INT64_MAX, INT64_MAX - 1, INT64_C(1) << 62};
    const opmill_tensor original = *tensor;
    char what[256];
    for (size_t i = 0; i < sizeof RANKS / sizeof RANKS[0]; i++) {
        snprintf(what, sizeof what, "%s of rank %d", name, (int)RANKS[i]);
        tensor->rank = RANKS[i];
        expect_named(call, OPMILL_ERROR_CALL, what, name);
        if (is_input) {
            expect_in_infer(call, what);
        }
        *tensor = original;
    }
    for (size_t i = 0; i < sizeof TYPES / sizeof TYPES[0]; i++) {
        snprintf(what, sizeof what, "%s of type %d", name, (int)TYPES[i]);
        tensor->type = TYPES[i];
        expect_named(call, OPMILL_ERROR_TYPE, what, name);
        *tensor = original;
    }
    /* A kernel that measures reads contents: of bytes there may be so many, and there are not. */
    const bool reads = is_input && call->operator->implementation->measure != NULL &&
                       type_bytes(original.type, 1) == 1;
    for (size_t i = 0; i < sizeof DIMS / sizeof DIMS[0] && original.rank > 0; i++) {
        if (reads && DIMS[i] > 0) {
            continue;
        }
        int64_t dims[OPMILL_MAX_RANK];
        snprintf(what, sizeof what, "%s with a dim of %lld", name, (long long)DIMS[i]);
        memcpy(dims, original.dims, (size_t)original.rank * sizeof dims[0]);
        dims[original.rank - 1] = DIMS[i];
        tensor->dims = dims;
        /* bytes of type 1 may be that many: then the shape is what is wrong */
        expect_named(call, DIMS[i] < 0 ? OPMILL_ERROR_CALL : OPMILL_OK, what,
                     DIMS[i] < 0 ? name : "");
        for (int32_t k = 0; k < original.rank; k++) {
            dims[k] = DIMS[i];
        }
        expect_named(call, DIMS[i] < 0 ? OPMILL_ERROR_CALL : OPMILL_OK, what,
                     DIMS[i] < 0 ? name : "");
        *tensor = original;
    }
    if (original.rank > 0) {
        snprintf(what, sizeof what, "%s without dims", name);
        tensor->dims = NULL;
        expect_named(call, OPMILL_ERROR_CALL, what, name);
        *tensor = original;
    }
    if (count_of(original.dims, original.rank) == 0) {
        return; /* it has no data to lack */
    }
    snprintf(what, sizeof what, "%s without data", name);
    tensor->data = NULL;
    expect_named(call, OPMILL_ERROR_CALL, what, name);
    *tensor = original;
    if (type_bytes(original.type, 1) > 1) {
        snprintf(what, sizeof what, "%s at an odd address", name);
        tensor->data = (char *)original.data + 1;
        expect_named(call, OPMILL_ERROR_CALL, what, name);
        *tensor = original;
    }
}

static void spoil_output(bad_call *call) {
    opmill_tensor *const output = &call->outputs.tensors[0];
    const opmill_tensor original = *output;
    int64_t dims[OPMILL_MAX_RANK + 1] = {0};
    if (original.rank > 0) {
        memcpy(dims, original.dims, (size_t)original.rank * sizeof dims[0]);
        output->dims = dims;
        dims[0]--;
        expect_refusal(call, OPMILL_ERROR_SHAPE, "an output that is too small");
        dims[0]++;
        output->rank--;
        expect_refusal(call, OPMILL_ERROR_SHAPE, "an output of lower rank");
        *output = original;
    }
    for (int32_t type = OPMILL_FLOAT; type <= OPMILL_FLOAT6E3M2; type++) {
        output->type = type;
        if (type != original.type) {
            expect_refusal(call, OPMILL_ERROR_TYPE, "an output of another type");
        }
    }
    *output = original;
    for (int32_t i = 0; i < call->outputs.count; i++) {
        const opmill_operator *const operator = call->operator;
        if (parameter_of(operator->outputs, operator->output_count, i)->option != OPMILL_OPTIONAL) {
            call->outputs.taken[i] = NULL;
            expect_refusal(call, OPMILL_ERROR_CALL, "a required output that is NULL");
            call->outputs.taken[i] = &call->outputs.tensors[i];
        }
    }
    for (int32_t i = 0; i < call->inputs.count; i++) {
        if (call->inputs.given[i] == NULL || call->inputs.memory[i].size == 0) {
            continue;
        }
        const size_t input_bytes = call->inputs.memory[i].size;
        const size_t element = type_bytes(original.type, 1);
        unsigned char *const start = call->inputs.memory[i].data;
        output->data = start;
        if ((size_t)start % element == 0) {
            expect_refusal(call, OPMILL_ERROR_CALL, "an output that begins where an input does");
        }
        output->data = start + (input_bytes - 1) / element * element;
        if ((size_t)output->data % element == 0) {
            expect_refusal(call, OPMILL_ERROR_CALL,
                           "an output that begins at an input's last element");
        }
        output->data = start - (call->outputs.memory[0].size - element);
        if ((size_t)output->data % element == 0) {
            expect_refusal(call, OPMILL_ERROR_CALL,
                           "an output that ends in an input's first element");
        }
        *output = original;
    }
}

static bool is_variadic(const opmill_parameter *parameters, int32_t count) {
    return count > 0 && parameters[count - 1].option == OPMILL_VARIADIC;
}

/* True if a call without inputs is refused: one of them is required. */
static bool needs_inputs(const opmill_operator *operator) {
    bool needed = false;
    for (int32_t i = 0; i < operator->input_count; i++) {
        const opmill_parameter *const input = &operator->inputs[i];
        needed = needed || input->option == OPMILL_SINGLE ||
                 (input->option == OPMILL_VARIADIC && input->min_arity > 0);
    }
    return needed;
}

static void spoil_counts(bad_call *call) {
    static const int32_t COUNTS[] = {0, -1, INT32_MIN, 60};
    const int32_t inputs = call->inputs.count, outputs = call->outputs.count;
    const opmill_tensor *many[64];
    opmill_tensor *much[64];
    for (int32_t i = 0; i < 64; i++) {
        many[i] = call->inputs.given[0];
        much[i] = call->outputs.taken[0];
    }
    for (size_t i = 0; i < sizeof COUNTS / sizeof COUNTS[0]; i++) {
        opmill_shape shapes[64];
        const bool any_inputs = is_variadic(call->operator->inputs, call->operator->input_count);
        const bool any_outputs = is_variadic(call->operator->outputs, call->operator->output_count);
        int code;
        if (COUNTS[i] < 0 || (COUNTS[i] == 0 ? needs_inputs(call->operator) : !any_inputs)) {
            about("%s: %d inputs", call->operator->label, (int)COUNTS[i]);
            code = opmill_run(call->operator, many, COUNTS[i], call->attributes,
                              call->outputs.taken, outputs, &call->context);
            check_refused(code, &call->context, &call->outputs, OPMILL_ERROR_CALL, NULL);
        }
        if ((COUNTS[i] > 0 && any_outputs) ||
            (COUNTS[i] == 0 && min_outputs(call->operator) == 0)) {
            continue; /* any number may be requested, or zero where all are optional */
        }
        about("%s: %d outputs", call->operator->label, (int)COUNTS[i]);
        code = opmill_run(call->operator, call->inputs.given, inputs, call->attributes, much,
                          COUNTS[i], &call->context);
        check_refused(code, &call->context, &call->outputs, OPMILL_ERROR_CALL, NULL);
        code = opmill_infer(call->operator, call->inputs.given, inputs, call->attributes, shapes,
                            COUNTS[i], &call->context);
        check_refused(code, &call->context, &call->outputs, OPMILL_ERROR_CALL, NULL);
        refused += 3;
    }
}

static void spoil_pointers(bad_call *call) {
    const opmill_operator *const operator = call->operator;
    const int32_t inputs = call->inputs.count, outputs = call->outputs.count;
    opmill_shape shapes[MAX_TENSORS];
    opmill_context *const context = &call->context;
    size_t bytes = 0;
    about("%s: NULL", operator->label);
    check(opmill_run(operator, call->inputs.given, inputs, call->attributes, call->outputs.taken,
                     outputs, NULL) == OPMILL_ERROR_CALL,
          "run without a context");
    check(opmill_infer(operator, call->inputs.given, inputs, call->attributes, shapes, outputs,
                       NULL) == OPMILL_ERROR_CALL,
          "infer without a context");
    check(opmill_workspace(operator, call->inputs.given, inputs, call->attributes, outputs, &bytes,
                           NULL) == OPMILL_ERROR_CALL,
          "workspace without a context");
    check_refused(
        opmill_run(operator, NULL, inputs, call->attributes, call->outputs.taken, outputs, context),
        context, &call->outputs, OPMILL_ERROR_CALL, NULL);
    check_refused(
        opmill_run(operator, call->inputs.given, inputs, call->attributes, NULL, outputs, context),
        context, &call->outputs, OPMILL_ERROR_CALL, NULL);
    check_refused(opmill_infer(operator, call->inputs.given, inputs, call->attributes, NULL,
                               outputs, context),
                  context, NULL, OPMILL_ERROR_CALL, NULL);
    check_refused(opmill_workspace(operator, call->inputs.given, inputs, call->attributes, outputs,
                                   NULL, context),
                  context, NULL, OPMILL_ERROR_CALL, NULL);
    check(tensors_untouched(&call->outputs), "nothing is written");
    for (int32_t i = 0; i < call->inputs.count; i++) {
        const opmill_tensor *const original = call->inputs.given[i];
        call->inputs.given[i] = NULL;
        if (parameter_of(operator->inputs, operator->input_count, i)->option != OPMILL_OPTIONAL) {
            expect_refusal(call, OPMILL_ERROR_CALL, "a required input that is NULL");
            expect_in_infer(call, "a required input that is NULL");
        }
        call->inputs.given[i] = original;
    }
    refused += 7;
}

static void spoil_context(bad_call *call) {
    static const int32_t ISAS[] = {-1, 6, 99, INT32_MAX, INT32_MIN};
    static const int32_t THREADS[] = {-1, INT32_MIN};
    for (size_t i = 0; i < sizeof ISAS / sizeof ISAS[0]; i++) {
        call->context.isa = ISAS[i];
        expect_refusal(call, OPMILL_ERROR_CALL, "an instruction set that there is not");
    }
    for (int32_t isa = OPMILL_ISA_AUTO; isa <= OPMILL_ISA_NEON; isa++) {
        about("%s: instruction set %d", call->operator->label, (int)isa);
        call->context.isa = isa;
        const int code = bad_call_run(call);
        check(code == OPMILL_OK || (isa > OPMILL_ISA_BASELINE && code == OPMILL_ERROR_CALL),
              "computed, or not available");
    }
    call->context.isa = OPMILL_ISA_AUTO;
    for (size_t i = 0; i < sizeof THREADS / sizeof THREADS[0]; i++) {
        about("%s: %d threads", call->operator->label, (int)THREADS[i]);
        call->context.threads = THREADS[i];
        check(bad_call_run(call) == OPMILL_OK, "a number of threads below 1 is the caller's alone");
    }
    call->context.threads = 0;
}

/* An output of the bound's shape instead of the measured one, and measure without data or outputs.
 */
static void spoil_measure(bad_call *call) {
    const opmill_operator *const operator = call->operator;
    const int32_t inputs = call->inputs.count, outputs = call->outputs.count;
    opmill_shape shapes[MAX_TENSORS];
    opmill_context *const context = &call->context;
    if (operator->runs_graphs != 0) {
        return; /* what it does without graphs, test_examples.c checks */
    }
    about("%s: measure", operator->label);
    check(opmill_infer(operator, call->inputs.given, inputs, call->attributes, shapes, outputs,
                       context) == OPMILL_OK,
          "infer succeeds");
    for (int32_t i = 0; i < outputs; i++) {
        opmill_tensor *const output = &call->outputs.tensors[i];
        const opmill_tensor original = *output;
        const opmill_parameter *const parameter =
            parameter_of(operator->outputs, operator->output_count, i);
        output->dims = shapes[i].dims;
        const bool is_endless = (uint64_t)count_of(shapes[i].dims, shapes[i].rank) >
                                PTRDIFF_MAX / type_bytes(original.type, 1);
        if (parameter->bounded != 0 &&
            count_of(shapes[i].dims, shapes[i].rank) != count_of(original.dims, original.rank)) {
            expect_named(call, is_endless ? OPMILL_ERROR_CALL : OPMILL_ERROR_SHAPE,
                         "an output as large as the bound", parameter->name);
        }
        *output = original;
    }
    check(opmill_measure(operator, call->inputs.given, inputs, call->attributes, shapes, outputs,
                         NULL) == OPMILL_ERROR_CALL,
          "measure without a context");
    check_refused(opmill_measure(operator, call->inputs.given, inputs, call->attributes, NULL,
                                 outputs, context),
                  context, NULL, OPMILL_ERROR_CALL, NULL);
    for (int32_t i = 0; i < inputs; i++) {
        opmill_tensor *const input = &call->inputs.tensors[i];
        const opmill_tensor original = *input;
        input->data = NULL;
        if (call->inputs.given[i] != NULL && count_of(original.dims, original.rank) > 0) {
            check_refused(opmill_measure(operator, call->inputs.given, inputs, call->attributes,
                                         shapes, outputs, context),
                          context, NULL, OPMILL_ERROR_CALL, NULL);
        }
        *input = original;
    }
}

int main(void) {
    char text[64], name[NAME_BYTES];
    for (int32_t i = 0; i < case_table_count(); i++) {
        const case_example *const witness = witness_of(case_table_at(i));
        bad_call call;
        if (witness == NULL) {
            continue;
        }
        bad_call_begin(&call, case_table_at(i), witness);
        const opmill_operator *const operator = call.operator;
        for (int32_t k = 0; k < call.inputs.count; k++) {
            if (call.inputs.given[k] != NULL) {
                value_name(name, sizeof name, operator->inputs, operator->input_count, k);
                spoil_tensor(&call, &call.inputs.tensors[k], name, true);
            }
        }
        for (int32_t k = 0; k < call.outputs.count; k++) {
            value_name(name, sizeof name, operator->outputs, operator->output_count, k);
            spoil_tensor(&call, &call.outputs.tensors[k], name, false);
        }
        spoil_output(&call);
        spoil_counts(&call);
        spoil_pointers(&call);
        spoil_attributes(&call);
        spoil_measure(&call);
        spoil_context(&call);
        bad_call_end(&call);
    }
    snprintf(text, sizeof text, "%ld bad calls", refused);
    return finish(text);
}
