/* Scan-8: scans each sequence of a batch on its own. The states after its last element are stacked
 * along the axis of the batch; so are the other outputs, padded with zeros behind its end. */
#include "families/graph_scan_batched/kernel.h"

#include <string.h>

#include "runtime/call/rules.h"
#include "runtime/call/workspace.h"
#include "runtime/graphs/stack.h"

typedef struct batch_job {
    opmill_runs runs;
    const opmill_tensor *lengths;      /* NULL where all are those of the inputs */
    const opmill_tensor *const *given; /* the states, the scanned inputs */
    int32_t states;
    int64_t batch, length;
} batch_job;

static int64_t length_of(const batch_job *job, int64_t sequence) {
    const int64_t length =
        job->lengths != NULL ? ((const int64_t *)job->lengths->data)[sequence] : job->length;
    return length < 0 ? 0 : length > job->length ? job->length : length;
}

/* The state of a sequence before its first element. */
static opmill_tensor state_before(const opmill_tensor *state, int64_t sequence) {
    size_t bytes = 0;
    (void)opmill_tensor_bytes(state->dims + 1, state->rank - 1, state->type, &bytes);
    unsigned char *const data =
        bytes > 0 ? (unsigned char *)state->data + (size_t)sequence * bytes : state->data;
    return (opmill_tensor){data, state->dims + 1, state->rank - 1, state->type};
}

/* The results of the last run of a sequence of some length, the first of which are `first`. */
static const opmill_graph_results *last_of(const opmill_graph_results *first, int64_t length) {
    for (int64_t i = 1; i < length; i++) {
        first = first->next;
    }
    return first;
}

static OPMILL_COLD int wrong_value(const batch_job *job, int32_t output, int64_t sequence,
                                   const opmill_tensor *value, const opmill_tensor *first) {
    const bool is_tensor = value != NULL && !opmill_is_sequence(value->type);
    const int32_t code = is_tensor ? OPMILL_ERROR_SHAPE : OPMILL_ERROR_CALL;
    opmill_message message = opmill_runs_error(&job->runs, code);
    opmill_put_result(&message, &job->runs, output);
    opmill_put_text(&message, " of iteration ");
    opmill_put_int(&message, sequence);
    opmill_put_text(&message, " is ");
    opmill_put_described(&message, value);
    opmill_put_text(&message, ", expected ");
    if (is_tensor) {
        opmill_put_described(&message, first);
        opmill_put_text(&message, " (that of iteration 0)");
    } else {
        opmill_put_text(&message, "a tensor");
    }
    return code;
}

/* Compares the value of a sequence with that of the first one, whose shape is set by it. */
static int fit(const batch_job *job, int32_t output, int64_t sequence, const opmill_tensor *value,
               opmill_shape *found) {
    const bool is_tensor = value != NULL && !opmill_is_sequence(value->type);
    const opmill_tensor first = {NULL, found->dims, found->rank, found->type};
    if (is_tensor && sequence == 0) {
        opmill_value_shape(value, found);
        return OPMILL_OK;
    }
    const bool fits = is_tensor && value->type == first.type &&
                      opmill_same_ints(opmill_dims(value), opmill_dims(&first));
    return fits ? OPMILL_OK : wrong_value(job, output, sequence, value, &first);
}

/* The shape of one sequence's part of an output. */
static int state_shape(const batch_job *job, int32_t output, opmill_shape *found) {
    const opmill_graph_results *results = job->runs.first;
    int code = OPMILL_OK;
    for (int64_t i = 0; i < job->batch && code == OPMILL_OK; i++) {
        const int64_t length = length_of(job, i);
        const opmill_tensor before = state_before(job->given[output], i);
        const opmill_graph_results *const last = length > 0 ? last_of(results, length) : NULL;
        code = fit(job, output, i, last != NULL ? last->tensors[output] : &before, found);
        results = last != NULL ? last->next : results;
    }
    return code;
}

static int row_shape(const batch_job *job, int32_t output, opmill_shape *found) {
    opmill_stack stack = {.runs = &job->runs, .first = job->runs.first, .output = output};
    opmill_shape own;
    int code = OPMILL_OK;
    bool is_known = false;
    for (int64_t i = 0; i < job->batch && code == OPMILL_OK; i++) {
        stack.count = length_of(job, i);
        if (stack.count == 0) {
            continue;
        }
        code = opmill_stack_shape(&stack, &own);
        own.dims[0] = job->length;
        const opmill_tensor value = {NULL, own.dims, own.rank, own.type};
        if (code == OPMILL_OK) {
            code = fit(job, output, is_known ? i : 0, &value, found);
        }
        is_known = true;
        stack.first = code == OPMILL_OK ? last_of(stack.first, stack.count)->next : NULL;
    }
    if (is_known || code != OPMILL_OK) {
        return code;
    }
    stack.count = 0; /* what the graph declares */
    code = opmill_stack_shape(&stack, found);
    found->dims[0] = job->length;
    return code;
}

/* Puts the axis of the batch in front. */
static int add_batch(const batch_job *job, opmill_shape *found) {
    const opmill_call *const call = job->runs.call;
    size_t bytes = 0;
    if (found->rank == OPMILL_MAX_RANK) {
        return opmill_rule_overflow(call->operator->label, call->context);
    }
    memmove(found->dims + 1, found->dims, (size_t)found->rank * sizeof *found->dims);
    found->dims[0] = job->batch;
    found->rank++;
    return opmill_tensor_bytes(found->dims, found->rank, found->type, &bytes)
               ? OPMILL_OK
               : opmill_rule_overflow(call->operator->label, call->context);
}

static int shape(void *user, int32_t output, opmill_shape *found) {
    const batch_job *const job = user;
    int code;
    if (job->batch == 0) { /* what the graph declares, without the rows of the sequences */
        const opmill_stack stack = {.runs = &job->runs, .output = output};
        return opmill_stack_shape(&stack, found);
    }
    code = output < job->states ? state_shape(job, output, found) : row_shape(job, output, found);
    return code == OPMILL_OK ? add_batch(job, found) : code;
}

static void write_state(const batch_job *job, int32_t output, unsigned char *data) {
    const opmill_graph_results *results = job->runs.first;
    for (int64_t i = 0; i < job->batch; i++) {
        const int64_t length = length_of(job, i);
        const opmill_tensor before = state_before(job->given[output], i);
        const opmill_graph_results *const last = length > 0 ? last_of(results, length) : NULL;
        const opmill_tensor *const value = last != NULL ? last->tensors[output] : &before;
        size_t bytes = 0;
        (void)opmill_tensor_bytes(value->dims, value->rank, value->type, &bytes);
        opmill_copy_tensor(data, value);
        data += bytes;
        results = last != NULL ? last->next : results;
    }
}

/* Writes zeros: of strings, empty ones. */
static void clear(unsigned char *data, size_t bytes, int32_t type) {
    if (type != OPMILL_STRING) {
        memset(data, 0, bytes);
        return;
    }
    for (size_t i = 0; i < bytes / sizeof(const char *); i++) {
        ((const char **)(void *)data)[i] = "";
    }
}

static void write_rows(const batch_job *job, int32_t output, unsigned char *data) {
    opmill_stack stack = {.runs = &job->runs, .first = job->runs.first, .output = output};
    size_t bytes = 0;
    int32_t type = OPMILL_UNDEFINED;
    if (stack.first != NULL) { /* else there are no elements but those of padding */
        const opmill_tensor *const row = stack.first->tensors[output];
        (void)opmill_tensor_bytes(row->dims, row->rank, row->type, &bytes);
        type = row->type;
    } else {
        const opmill_shape *const declared = opmill_runs_declared(&job->runs, output);
        opmill_shape own = *declared;
        for (int32_t i = 0; i < own.rank; i++) {
            own.dims[i] = own.dims[i] < 0 ? 0 : own.dims[i];
        }
        (void)opmill_tensor_bytes(own.dims, own.rank, own.type, &bytes);
        type = own.type;
    }
    for (int64_t i = 0; i < job->batch && bytes > 0; i++) {
        stack.count = length_of(job, i);
        opmill_stack_write(&stack, data);
        clear(data + (size_t)stack.count * bytes, (size_t)(job->length - stack.count) * bytes,
              type);
        data += (size_t)job->length * bytes;
        stack.first = stack.count > 0 ? last_of(stack.first, stack.count)->next : stack.first;
    }
}

static void write(void *user, int32_t output, void *data) {
    const batch_job *const job = user;
    if (output < job->states) {
        write_state(job, output, data);
    } else {
        write_rows(job, output, data);
    }
}

static const opmill_tensor *item(void *user, int32_t output, int64_t index) {
    (void)user; /* no output is a sequence */
    (void)output;
    (void)index;
    return NULL;
}

/* Sets the state of a sequence before its first element. */
static void begin_sequence(const batch_job *job, int64_t sequence, opmill_tensor *parts,
                           const opmill_tensor **inputs) {
    for (int32_t i = 0; i < job->states; i++) {
        parts[i] = state_before(job->given[i], sequence);
        inputs[i] = &parts[i];
    }
}

/* Sets the elements of the scanned inputs at a step of a sequence of some length. */
static void take(const batch_job *job, int32_t input_count, opmill_ints directions,
                 int64_t sequence, int64_t step, int64_t length, opmill_tensor *parts,
                 const opmill_tensor **inputs) {
    for (int32_t i = job->states; i < input_count; i++) {
        const opmill_tensor *const input = job->given[i];
        const bool back = directions.count >= 0 && directions.values[i - job->states] != 0;
        const int64_t at = sequence * job->length + (back ? length - 1 - step : step);
        size_t bytes = 0;
        (void)opmill_tensor_bytes(input->dims + 2, input->rank - 2, input->type, &bytes);
        unsigned char *const data =
            bytes > 0 ? (unsigned char *)input->data + (size_t)at * bytes : input->data;
        parts[i] = (opmill_tensor){data, input->dims + 2, input->rank - 2, input->type};
        inputs[i] = &parts[i];
    }
}

static int run_sequence(batch_job *job, int32_t input_count, int32_t count, opmill_ints directions,
                        int64_t sequence, opmill_tensor *parts, const opmill_tensor **inputs) {
    const int64_t length = length_of(job, sequence);
    int code = OPMILL_OK;
    begin_sequence(job, sequence, parts, inputs);
    for (int64_t step = 0; step < length && code == OPMILL_OK; step++) {
        take(job, input_count, directions, sequence, step, length, parts, inputs);
        code = opmill_runs_next(&job->runs, inputs, input_count, count, true);
        if (code == OPMILL_OK) {
            code = opmill_runs_check_types(&job->runs, inputs, job->states, 0);
        }
        for (int32_t i = 0; i < job->states && code == OPMILL_OK; i++) {
            inputs[i] = job->runs.last->tensors[i];
        }
    }
    return code;
}

int opmill_graph_scan_batched_compute(const opmill_tensor *sequence_lens,
                                      const opmill_tensor *const *initial_state_and_scan_inputs,
                                      int32_t initial_state_and_scan_inputs_count,
                                      const opmill_graph *body, opmill_ints directions,
                                      int64_t num_scan_inputs, const opmill_call *call,
                                      const opmill_graph_scan_batched_plan *plan,
                                      opmill_context *context) {
    const int32_t input_count = initial_state_and_scan_inputs_count;
    opmill_tensor *const parts = opmill_workspace_begin(context->workspace);
    const opmill_tensor **const inputs = (void *)(parts + input_count);
    batch_job job = {.runs = {.call = call, .graph = body, .name = "body"},
                     .lengths = sequence_lens,
                     .given = initial_state_and_scan_inputs,
                     .states = (int32_t)plan->states,
                     .batch = plan->batch,
                     .length = plan->length};
    int32_t count = job.states > 1 ? job.states : 1;
    int code = OPMILL_OK;
    (void)num_scan_inputs;
    count = count > call->output_count ? count : call->output_count;
    for (int64_t i = 0; i < job.batch && code == OPMILL_OK; i++) {
        code = run_sequence(&job, input_count, count, directions, i, parts, inputs);
    }
    const opmill_graph_outputs outputs = {&job, count, shape, write, item};
    return code == OPMILL_OK ? opmill_graph_return(call, &outputs) : code;
}

size_t opmill_graph_scan_batched_workspace_bytes(
    const opmill_tensor *sequence_lens, const opmill_tensor *const *initial_state_and_scan_inputs,
    int32_t initial_state_and_scan_inputs_count, const opmill_graph *body, opmill_ints directions,
    int64_t num_scan_inputs, const opmill_graph_scan_batched_plan *plan,
    const opmill_context *context) {
    (void)sequence_lens;
    (void)initial_state_and_scan_inputs;
    (void)body;
    (void)directions;
    (void)num_scan_inputs;
    (void)plan;
    (void)context;
    return opmill_workspace_size((uint64_t)initial_state_and_scan_inputs_count *
                                 (sizeof(opmill_tensor) + sizeof(opmill_tensor *)));
}
