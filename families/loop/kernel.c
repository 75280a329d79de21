/* Loop: runs the body again and again. Its first outputs are the condition and the state, which the
 * next run receives; the others are stacked. */
#include "families/loop/kernel.h"

#include "runtime/call/workspace.h"
#include "runtime/graphs/stack.h"

typedef struct loop_job {
    opmill_runs runs;
    const opmill_tensor *const *state; /* before the first run */
    int32_t states;
} loop_job;

/* The last value of the state, at a position. */
static const opmill_tensor *state_of(const loop_job *job, int32_t position) {
    return job->runs.count > 0 ? job->runs.last->tensors[1 + position] : job->state[position];
}

/* The outputs of all runs at a position behind the condition. */
static opmill_stack stack_of(const loop_job *job, int32_t output) {
    return (opmill_stack){.runs = &job->runs,
                          .first = job->runs.first,
                          .count = job->runs.count,
                          .output = 1 + output};
}

static int shape(void *user, int32_t output, opmill_shape *found) {
    const loop_job *const job = user;
    if (output < job->states) {
        opmill_value_shape(state_of(job, output), found);
        return OPMILL_OK;
    }
    const opmill_stack stack = stack_of(job, output);
    return opmill_stack_shape(&stack, found);
}

static void write(void *user, int32_t output, void *data) {
    const loop_job *const job = user;
    if (output < job->states) {
        opmill_copy_tensor(data, state_of(job, output));
        return;
    }
    const opmill_stack stack = stack_of(job, output);
    opmill_stack_write(&stack, data);
}

static const opmill_tensor *item(void *user, int32_t output, int64_t index) {
    return ((const opmill_tensor *const *)state_of(user, output)->data)[index];
}

/* Reads the condition that the last run returned. */
static int read_condition(const opmill_runs *runs, bool *goes_on) {
    const opmill_tensor *const value = runs->last->tensors[0];
    if (value != NULL && value->type == OPMILL_BOOL &&
        opmill_count_of(value->dims, value->rank) == 1) {
        *goes_on = *(const unsigned char *)value->data != 0;
        return OPMILL_OK;
    }
    opmill_message message = opmill_runs_error(runs, OPMILL_ERROR_CALL);
    opmill_put_result(&message, runs, 0);
    opmill_put_text(&message, " is ");
    opmill_put_described(&message, value);
    opmill_put_text(&message, ", expected one bool");
    return OPMILL_ERROR_CALL;
}

/* Runs the body once, and checks what it returns. `inputs` has the state behind the number and the
 * condition; it becomes that of the next run. */
static int iterate(loop_job *job, const opmill_tensor **inputs, int32_t *count, bool conditional,
                   bool *goes_on) {
    opmill_runs *const runs = &job->runs;
    const bool is_first = runs->count == 0;
    const int32_t expected = *count < 2 ? 2 : *count;
    int code =
        opmill_runs_next(runs, inputs, 2 + job->states, is_first ? expected : *count, !is_first);
    if (code == OPMILL_OK && conditional) {
        code = read_condition(runs, goes_on);
    }
    if (code == OPMILL_OK) {
        code = opmill_runs_check_types(runs, inputs + 2, job->states, 1);
    }
    if (code == OPMILL_OK) {
        *count = runs->last->count;
        for (int32_t i = 0; i < job->states; i++) {
            inputs[2 + i] = runs->last->tensors[1 + i];
        }
    }
    return code;
}

int opmill_loop_compute(const opmill_tensor *M, const opmill_tensor *cond,
                        const opmill_tensor *const *v_initial, int32_t v_initial_count,
                        const opmill_graph *body, const opmill_call *call,
                        const opmill_loop_plan *plan, opmill_context *context) {
    const opmill_tensor **const inputs = opmill_workspace_begin(context->workspace);
    const int64_t limit = M != NULL ? *(const int64_t *)M->data : INT64_MAX;
    bool goes_on = cond == NULL || *(const unsigned char *)cond->data != 0;
    unsigned char yes = 1;
    int64_t number = 0;
    const opmill_tensor iteration = {&number, NULL, 0, OPMILL_INT64};
    const opmill_tensor condition = {&yes, NULL, 0, OPMILL_BOOL};
    loop_job job = {{.call = call, .graph = body, .name = "body"}, v_initial, v_initial_count};
    int32_t count =
        1 + (v_initial_count > call->output_count ? v_initial_count : call->output_count);
    int code = OPMILL_OK;
    (void)plan;
    inputs[0] = &iteration;
    inputs[1] = &condition;
    for (int32_t i = 0; i < v_initial_count; i++) {
        inputs[2 + i] = v_initial[i];
    }
    for (; code == OPMILL_OK && goes_on && job.runs.count < limit; number = job.runs.count) {
        yes = 1;
        code = iterate(&job, inputs, &count, cond != NULL, &goes_on);
    }
    const opmill_graph_outputs outputs = {&job, count - 1, shape, write, item};
    return code == OPMILL_OK ? opmill_graph_return(call, &outputs) : code;
}

size_t opmill_loop_workspace_bytes(const opmill_tensor *M, const opmill_tensor *cond,
                                   const opmill_tensor *const *v_initial, int32_t v_initial_count,
                                   const opmill_graph *body, const opmill_loop_plan *plan,
                                   const opmill_context *context) {
    (void)M;
    (void)cond;
    (void)v_initial;
    (void)body;
    (void)plan;
    (void)context;
    return opmill_workspace_size((2 + (uint64_t)v_initial_count) * sizeof(opmill_tensor *));
}
