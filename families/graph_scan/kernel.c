/* Scan: runs the body for each element of the scanned inputs along their axes. Its first outputs
 * are the state, which the next run receives; the others are stacked. */
#include "families/graph_scan/kernel.h"

#include <string.h>

#include "runtime/call/workspace.h"
#include "runtime/graphs/stack.h"

/* An input that is scanned: its element, in memory of the workspace. */
typedef struct scanned_input {
    opmill_tensor element;
    int64_t dims[OPMILL_MAX_RANK];
} scanned_input;

typedef struct scan_job {
    opmill_runs runs;
    const opmill_tensor *const *given; /* the state before the first run, the scanned inputs */
    int32_t states;
    opmill_ints axes;       /* of the stacks */
    opmill_ints directions; /* of the stacks */
} scan_job;

/* What a list has at an index; 0 where there is none. */
static int64_t value_at(opmill_ints list, int64_t index) {
    return list.count >= 0 ? list.values[index] : 0;
}

/* The axis of a scanned input, counted from the front. */
static int32_t axis_of(const opmill_tensor *input, opmill_ints axes, int64_t index) {
    const int64_t axis = value_at(axes, index);
    return (int32_t)(axis < 0 ? axis + input->rank : axis);
}

static const opmill_tensor *state_of(const scan_job *job, int32_t position) {
    return job->runs.count > 0 ? job->runs.last->tensors[position] : job->given[position];
}

static opmill_stack stack_of(const scan_job *job, int32_t output) {
    const int32_t index = output - job->states;
    return (opmill_stack){.runs = &job->runs,
                          .first = job->runs.first,
                          .count = job->runs.count,
                          .output = output,
                          .axis = value_at(job->axes, index),
                          .axis_name = "scan_output_axes",
                          .axis_index = index,
                          .reversed = value_at(job->directions, index) != 0};
}

static int shape(void *user, int32_t output, opmill_shape *found) {
    const scan_job *const job = user;
    if (output < job->states) {
        opmill_value_shape(state_of(job, output), found);
        return OPMILL_OK;
    }
    const opmill_stack stack = stack_of(job, output);
    return opmill_stack_shape(&stack, found);
}

static void write(void *user, int32_t output, void *data) {
    const scan_job *const job = user;
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

/* Refuses a list that has not a value for each stacked output. */
static int check_list(const scan_job *job, const char *name, opmill_ints list, int64_t expected) {
    if (list.count < 0 || list.count == expected) {
        return OPMILL_OK;
    }
    opmill_message message = opmill_runs_error(&job->runs, OPMILL_ERROR_CALL);
    opmill_put_text(&message, name);
    opmill_put_text(&message, " has ");
    opmill_put_count(&message, list.count, "value", "values");
    opmill_put_text(&message, ", expected ");
    opmill_put_int(&message, expected);
    opmill_put_text(&message, " (the stacked outputs)");
    return OPMILL_ERROR_CALL;
}

/* The bytes of an element of a scanned input, at a multiple of the workspace's alignment. */
static uint64_t element_bytes(const opmill_tensor *input, int32_t axis) {
    int64_t dims[OPMILL_MAX_RANK];
    size_t bytes = 0;
    memcpy(dims, input->dims, (size_t)input->rank * sizeof *dims);
    dims[axis] = 1;
    (void)opmill_tensor_bytes(dims, input->rank, input->type, &bytes);
    return ((uint64_t)bytes + OPMILL_WORKSPACE_ALIGNMENT - 1) / OPMILL_WORKSPACE_ALIGNMENT *
           OPMILL_WORKSPACE_ALIGNMENT;
}

/* The bytes of the lists of a call's inputs, in front of the elements. */
static uint64_t list_bytes(int32_t inputs, int64_t scanned) {
    const uint64_t bytes =
        (uint64_t)inputs * sizeof(opmill_tensor *) + (uint64_t)scanned * sizeof(scanned_input);
    return (bytes + OPMILL_WORKSPACE_ALIGNMENT - 1) / OPMILL_WORKSPACE_ALIGNMENT *
           OPMILL_WORKSPACE_ALIGNMENT;
}

/* Sets the inputs of the body. The elements of scanned ones are not written yet. */
static void begin(const scan_job *job, int32_t count, opmill_ints axes, unsigned char *workspace,
                  const opmill_tensor **inputs, scanned_input *scanned) {
    unsigned char *data = workspace + list_bytes(count, count - job->states);
    for (int32_t i = 0; i < job->states; i++) {
        inputs[i] = job->given[i];
    }
    for (int32_t i = job->states; i < count; i++) {
        const opmill_tensor *const input = job->given[i];
        const int32_t axis = axis_of(input, axes, i - job->states);
        scanned_input *const own = &scanned[i - job->states];
        for (int32_t k = 0; k < input->rank - 1; k++) {
            own->dims[k] = input->dims[k < axis ? k : k + 1];
        }
        own->element = (opmill_tensor){data, own->dims, input->rank - 1, input->type};
        inputs[i] = &own->element;
        data += element_bytes(input, axis);
    }
}

/* Writes the element of a scanned input at a position of its axis. */
static void take(const opmill_tensor *input, int32_t axis, int64_t at, const opmill_tensor *to) {
    const int64_t outer = opmill_count_of(input->dims, axis), length = input->dims[axis];
    const int64_t inner = opmill_count_of(input->dims + axis + 1, input->rank - axis - 1);
    for (int64_t row = 0; inner > 0 && row < outer; row++) {
        opmill_copy_elements(to->data, row * inner, input->data, (row * length + at) * inner, inner,
                             input->type);
    }
}

/* Runs the body for the next element, and hands the state on. */
static int iterate(scan_job *job, const opmill_tensor **inputs, int32_t input_count, int32_t count,
                   opmill_ints axes, opmill_ints directions, int64_t length) {
    const int64_t step = job->runs.count;
    for (int32_t i = job->states; i < input_count; i++) {
        const int32_t index = i - job->states;
        const int64_t at = value_at(directions, index) != 0 ? length - 1 - step : step;
        take(job->given[i], axis_of(job->given[i], axes, index), at, inputs[i]);
    }
    int code = opmill_runs_next(&job->runs, inputs, input_count, count, true);
    if (code == OPMILL_OK) {
        code = opmill_runs_check_types(&job->runs, inputs, job->states, 0);
    }
    for (int32_t i = 0; i < job->states && code == OPMILL_OK; i++) {
        inputs[i] = job->runs.last->tensors[i];
    }
    return code;
}

int opmill_graph_scan_compute(const opmill_tensor *const *initial_state_and_scan_inputs,
                              int32_t initial_state_and_scan_inputs_count, const opmill_graph *body,
                              int64_t num_scan_inputs, opmill_ints scan_input_axes,
                              opmill_ints scan_input_directions, opmill_ints scan_output_axes,
                              opmill_ints scan_output_directions, const opmill_call *call,
                              const opmill_graph_scan_plan *plan, opmill_context *context) {
    const int32_t input_count = initial_state_and_scan_inputs_count;
    unsigned char *const workspace = opmill_workspace_begin(context->workspace);
    scanned_input *const scanned = (void *)workspace;
    const opmill_tensor **const inputs = (void *)(scanned + num_scan_inputs);
    scan_job job = {{.call = call, .graph = body, .name = "body"},
                    initial_state_and_scan_inputs,
                    (int32_t)plan->states,
                    scan_output_axes,
                    scan_output_directions};
    int32_t count = job.states > 1 ? job.states : 1;
    count = count > call->output_count ? count : call->output_count;
    begin(&job, input_count, scan_input_axes, workspace, inputs, scanned);
    int code = OPMILL_OK;
    while (code == OPMILL_OK && job.runs.count < plan->length) {
        code = iterate(&job, inputs, input_count, count, scan_input_axes, scan_input_directions,
                       plan->length);
    }
    const int32_t stacks = count - job.states;
    if (code == OPMILL_OK) {
        code = check_list(&job, "scan_output_axes", scan_output_axes, stacks);
    }
    if (code == OPMILL_OK) {
        code = check_list(&job, "scan_output_directions", scan_output_directions, stacks);
    }
    const opmill_graph_outputs outputs = {&job, count, shape, write, item};
    return code == OPMILL_OK ? opmill_graph_return(call, &outputs) : code;
}

size_t opmill_graph_scan_workspace_bytes(
    const opmill_tensor *const *initial_state_and_scan_inputs,
    int32_t initial_state_and_scan_inputs_count, const opmill_graph *body, int64_t num_scan_inputs,
    opmill_ints scan_input_axes, opmill_ints scan_input_directions, opmill_ints scan_output_axes,
    opmill_ints scan_output_directions, const opmill_graph_scan_plan *plan,
    const opmill_context *context) {
    const int32_t count = initial_state_and_scan_inputs_count;
    uint64_t bytes = list_bytes(count, num_scan_inputs);
    (void)body;
    (void)scan_input_directions;
    (void)scan_output_axes;
    (void)scan_output_directions;
    (void)context;
    for (int32_t i = (int32_t)plan->states; i < count; i++) {
        const opmill_tensor *const input = initial_state_and_scan_inputs[i];
        const int32_t axis = axis_of(input, scan_input_axes, i - plan->states);
        const uint64_t more = element_bytes(input, axis);
        bytes = more > UINT64_MAX / 2 - bytes ? UINT64_MAX / 2 : bytes + more;
    }
    return opmill_workspace_size(bytes);
}
