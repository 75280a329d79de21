/* Copies a valid call so that tests can spoil it, runs it, and checks the error code, the message,
 * and that no output was written. */
#include "bad_call.h"

#include <string.h>

#include "compare.h"
#include "values.h"

long refused;

void bad_call_begin(bad_call *call, const case_table *table, const case_example *example) {
    memset(call, 0, sizeof *call);
    call->operator = operator_of(table);
    call->attributes = example->attributes;
    tensors_of_case(&call->inputs, example->inputs, example->input_count, NULL, 0, -1, 0);
    tensors_of_case(&call->expected, example->outputs, example->output_count, NULL, 0, -1, 0);
    tensors_like(&call->outputs, &call->expected, true);
    size_t bytes = 0;
    (void)opmill_workspace(call->operator, call->inputs.given, call->inputs.count, call->attributes,
                           call->outputs.count, &bytes, &call->context);
    call->workspace = guarded_new(bytes, true);
    call->context.workspace = call->workspace.data;
    call->context.workspace_size = bytes;
    call->texts = guarded_new(0, true);
    call->strings = (opmill_block_allocator){&call->texts, provide_block};
    call->context.strings = call->context.sequences = &call->strings;
}

void bad_call_end(bad_call *call) {
    tensors_free(&call->inputs);
    tensors_free(&call->expected);
    tensors_free(&call->outputs);
    guarded_free(&call->workspace);
    guarded_free(&call->texts);
}

int bad_call_run(bad_call *call) {
    memset(&call->context.error, 0, sizeof call->context.error);
    return opmill_run(call->operator, call->inputs.given, call->inputs.count, call->attributes,
                      call->outputs.taken, call->outputs.count, &call->context);
}

void expect_refusal(bad_call *call, int32_t code, const char *what) {
    about("%s: %s", call->operator->label, what);
    const int got = bad_call_run(call);
    check(got != OPMILL_OK, "the call is refused");
    check_refused(got, &call->context, &call->outputs, code != OPMILL_OK ? code : got, NULL);
    refused++;
}

void expect_named(bad_call *call, int32_t code, const char *what, const char *name) {
    expect_refusal(call, code, what);
    check(strstr(call->context.error.message, name) != NULL, "the message names the parameter");
}

void expect_in_infer(bad_call *call, const char *what) {
    opmill_shape shapes[MAX_TENSORS];
    opmill_context context = OPMILL_CONTEXT_INIT;
    about("%s: %s", call->operator->label, what);
    const int code = bad_call_run(call);
    const int inferred = opmill_infer(call->operator, call->inputs.given, call->inputs.count,
                                      call->attributes, shapes, call->outputs.count, &context);
    if (lacks_graphs(call->operator, &context)) { /* the graphs have to run first */
        check(code != OPMILL_OK, "run refuses it");
        return;
    }
    check(code == inferred, "run and infer agree");
    check_refused(inferred, &context, NULL, code, call->context.error.message);
    refused++;
}

bool is_refused(bad_call *call) {
    opmill_shape shapes[MAX_TENSORS];
    opmill_context context = OPMILL_CONTEXT_INIT;
    const int code = opmill_infer(call->operator, call->inputs.given, call->inputs.count,
                                  call->attributes, shapes, call->outputs.count, &context);
    return code != OPMILL_OK && !lacks_graphs(call->operator, &context);
}
