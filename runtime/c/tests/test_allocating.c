/* opmill_run_allocating: of every example, beside the outputs of opmill_run; with an allocator that
 * is absent, refuses, or provides other memory than requested. */
#include <stdio.h>
#include <string.h>

#include "calls.h"
#include "compare.h"
#include "opmill/operators.h"
#include "values.h"

static long calls;

/* A call from the table, and what its allocator is to do. */
typedef struct allocating_trial {
    const opmill_operator *operator;
    const void *attributes;
    call_tensors inputs, expected, outputs;
    opmill_context context;
    int outputs_code, workspace_code; /* what its functions return */
    size_t missing;                   /* bytes by which the workspace is too small */
    bool other_dims;                  /* the first output has one dim more */
    opmill_tensor changed;
    opmill_shape shape;
    guarded workspace, texts;
    size_t workspace_size;
    int outputs_asked, workspaces_asked;
    bool right_shapes;
} allocating_trial;

/* An example that does not request an output says nothing of its shape. */
static bool is_shape_of(const opmill_shape *shape, const opmill_tensor *tensor) {
    if (tensor->type == OPMILL_UNDEFINED) {
        return true;
    }
    bool same = shape->type == tensor->type && shape->rank == tensor->rank;
    for (int32_t i = 0; same && i < shape->rank; i++) {
        same = shape->dims[i] == tensor->dims[i];
    }
    return same;
}

static int provide_outputs(void *user, const opmill_shape *shapes, opmill_tensor **outputs,
                           int32_t output_count) {
    allocating_trial *const trial = user;
    trial->outputs_asked++;
    trial->right_shapes = output_count == trial->expected.count;
    for (int32_t i = 0; i < output_count; i++) {
        outputs[i] = trial->outputs.taken[i];
        trial->right_shapes =
            trial->right_shapes && is_shape_of(&shapes[i], &trial->expected.tensors[i]);
    }
    if (trial->other_dims) {
        trial->shape = shapes[0];
        trial->shape.dims[trial->shape.rank] = 1;
        trial->changed = *outputs[0];
        trial->changed.dims = trial->shape.dims;
        trial->changed.rank = trial->shape.rank + 1;
        outputs[0] = &trial->changed;
    }
    return trial->outputs_code;
}

static int provide_workspace(void *user, size_t bytes, opmill_context *context) {
    allocating_trial *const trial = user;
    trial->workspaces_asked++;
    trial->workspace_size = bytes;
    guarded_free(&trial->workspace);
    trial->workspace = guarded_new(bytes, true);
    context->workspace = bytes > 0 ? trial->workspace.data : NULL;
    context->workspace_size = bytes < trial->missing ? 0 : bytes - trial->missing;
    return trial->workspace_code;
}

static void trial_begin(allocating_trial *trial, const case_table *table,
                        const case_example *example) {
    memset(trial, 0, sizeof *trial);
    trial->operator = operator_of(table);
    trial->attributes = example->attributes;
    tensors_of_case(&trial->inputs, example->inputs, example->input_count, NULL, 0, -1, 0);
    tensors_of_case(&trial->expected, example->outputs, example->output_count, NULL, 0, -1, 0);
    tensors_like(&trial->outputs, &trial->expected, true);
    trial->workspace = guarded_new(0, true);
    trial->texts = guarded_new(0, true);
}

static void trial_end(allocating_trial *trial) {
    tensors_free(&trial->inputs);
    tensors_free(&trial->expected);
    tensors_free(&trial->outputs);
    guarded_free(&trial->workspace);
    guarded_free(&trial->texts);
}

static int call_it(allocating_trial *trial) {
    opmill_shape shapes[MAX_TENSORS];
    opmill_tensor *outputs[MAX_TENSORS];
    const opmill_allocator allocator = {trial, provide_outputs, provide_workspace};
    const opmill_block_allocator strings = {&trial->texts, provide_block};
    const opmill_context fresh = OPMILL_CONTEXT_INIT;
    trial->context = fresh;
    trial->context.strings = trial->context.sequences = &strings;
    trial->outputs_asked = trial->workspaces_asked = 0;
    calls++;
    const int code = opmill_run_allocating(trial->operator, trial->inputs.given,
                                           trial->inputs.count, trial->attributes, shapes, outputs,
                                           trial->outputs.count, &allocator, &trial->context);
    trial->context.strings = trial->context.sequences = NULL;
    if (code == OPMILL_OK) {
        for (int32_t i = 0; i < trial->outputs.count; i++) {
            check(is_shape_of(&shapes[i], &trial->expected.tensors[i]), "the shapes are returned");
        }
    }
    return code;
}

/* The outputs of opmill_run. */
static void run_plainly(const allocating_trial *trial, call_tensors *outputs, guarded *texts) {
    const opmill_block_allocator strings = {texts, provide_block};
    opmill_context context = OPMILL_CONTEXT_INIT;
    context.strings = context.sequences = &strings;
    size_t bytes = 0;
    tensors_like(outputs, &trial->expected, true);
    check(opmill_workspace(trial->operator, trial->inputs.given, trial->inputs.count,
                           trial->attributes, outputs->count, &bytes, &context) == OPMILL_OK,
          "the workspace is returned");
    guarded workspace = guarded_new(bytes, true);
    context.workspace = bytes > 0 ? workspace.data : NULL;
    context.workspace_size = bytes;
    check(opmill_run(trial->operator, trial->inputs.given, trial->inputs.count, trial->attributes,
                     outputs->taken, outputs->count, &context) == OPMILL_OK,
          "opmill_run succeeds");
    guarded_free(&workspace);
}

static void check_success(allocating_trial *trial) {
    call_tensors plain;
    const int code = call_it(trial);
    check(code == OPMILL_OK, "the call succeeds");
    if (code != OPMILL_OK) {
        fail("%s", trial->context.error.message);
        return;
    }
    check(trial->outputs_asked == 1 && trial->workspaces_asked == 1, "memory is asked for once");
    check(trial->right_shapes, "the allocator gets the shapes");
    check(tensors_intact(&trial->outputs) && guarded_intact(&trial->workspace),
          "nothing beside is written");
    guarded texts = guarded_new(0, true);
    run_plainly(trial, &plain, &texts);
    for (int32_t i = 0; i < plain.count; i++) {
        check_elements(&trial->outputs.tensors[i], &plain.tensors[i], NULL, "opmill_run");
    }
    tensors_free(&plain);
    guarded_free(&texts);
}

/* What a call without one of its pointers returns. */
static void check_absent(allocating_trial *trial) {
    opmill_shape shapes[MAX_TENSORS];
    opmill_tensor *outputs[MAX_TENSORS];
    const opmill_allocator allocator = {trial, provide_outputs, provide_workspace};
    opmill_context *const context = &trial->context;
    for (int absent = 0; absent < 4; absent++) {
        const int code = opmill_run_allocating(
            trial->operator, trial->inputs.given, trial->inputs.count, trial->attributes,
            absent == 0 ? NULL : shapes, absent == 1 ? NULL : outputs, trial->outputs.count,
            absent == 2 ? NULL : &allocator, absent == 3 ? NULL : context);
        check(code == OPMILL_ERROR_CALL, "an absent pointer is refused");
        if (absent < 3) {
            check_refused(code, context, &trial->outputs, OPMILL_ERROR_CALL, NULL);
        }
    }
}

static void check_failures(allocating_trial *trial) {
    check_absent(trial);
    trial->outputs_code = OPMILL_ERROR_SHAPE;
    check(call_it(trial) == OPMILL_ERROR_SHAPE, "the outputs' function ends the call");
    trial->outputs_code = OPMILL_OK;
    trial->workspace_code = OPMILL_ERROR_TYPE;
    check(call_it(trial) == OPMILL_ERROR_TYPE, "the workspace's function ends the call");
    trial->workspace_code = OPMILL_OK;
    check(tensors_untouched(&trial->outputs), "nothing is written");
    if (trial->workspace_size > 0) {
        trial->missing = 1;
        check_refused(call_it(trial), &trial->context, &trial->outputs, OPMILL_ERROR_CALL, NULL);
        trial->missing = 0;
    }
    if (trial->outputs.given[0] != NULL && trial->expected.tensors[0].rank < OPMILL_MAX_RANK) {
        trial->other_dims = true;
        check_refused(call_it(trial), &trial->context, &trial->outputs, OPMILL_ERROR_SHAPE, NULL);
        trial->other_dims = false;
    }
}

int main(void) {
    char text[64];
    for (int32_t i = 0; i < case_table_count(); i++) {
        const case_table *const table = case_table_at(i);
        for (const case_example *example = next_example(table, NULL); example != NULL;
             example = next_example(table, example)) {
            allocating_trial trial;
            if (!cases_fit(example->inputs, example->input_count) ||
                !cases_fit(example->outputs, example->output_count)) {
                continue;
            }
            trial_begin(&trial, table, example);
            about("%s '%s'", trial.operator->label, example->name);
            if (example == witness_of(table)) {
                check_failures(&trial);
            }
            check_success(&trial);
            trial_end(&trial);
        }
    }
    snprintf(text, sizeof text, "%ld calls", calls);
    return finish(text);
}
