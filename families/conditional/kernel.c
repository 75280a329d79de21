/* If: runs one of two graphs and returns what it returns. */
#include "families/conditional/kernel.h"

#include "runtime/graphs/stack.h"

static int shape(void *user, int32_t output, opmill_shape *found) {
    const opmill_runs *const runs = user;
    opmill_value_shape(runs->last->tensors[output], found);
    return OPMILL_OK;
}

static void write(void *user, int32_t output, void *data) {
    const opmill_runs *const runs = user;
    opmill_copy_tensor(data, runs->last->tensors[output]);
}

static const opmill_tensor *item(void *user, int32_t output, int64_t index) {
    const opmill_runs *const runs = user;
    return ((const opmill_tensor *const *)runs->last->tensors[output]->data)[index];
}

int opmill_conditional_compute(const opmill_tensor *cond, const opmill_graph *else_branch,
                               const opmill_graph *then_branch, const opmill_call *call,
                               const opmill_conditional_plan *plan, opmill_context *context) {
    const bool is_true = *(const unsigned char *)cond->data != 0;
    opmill_runs runs = {.call = call,
                        .graph = is_true ? then_branch : else_branch,
                        .name = is_true ? "then_branch" : "else_branch"};
    const opmill_graph_outputs outputs = {&runs, call->output_count, shape, write, item};
    (void)plan;
    (void)context;
    const int code = opmill_runs_next(&runs, NULL, 0, call->output_count, true);
    return code == OPMILL_OK ? opmill_graph_return(call, &outputs) : code;
}
