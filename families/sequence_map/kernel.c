/* SequenceMap: runs the body for each tensor of a sequence, and collects what it returns in
 * sequences. */
#include "families/sequence_map/kernel.h"

#include "runtime/call/call_parts.h"
#include "runtime/call/workspace.h"
#include "runtime/graphs/stack.h"

typedef struct map_job {
    opmill_runs runs;
    const opmill_graph_results *at; /* the run of the item that was requested last */
} map_job;

/* The element types of the items of an output: one. */
static int shape(void *user, int32_t output, opmill_shape *found) {
    const opmill_runs *const runs = &((map_job *)user)->runs;
    const opmill_shape *const declared = opmill_runs_declared(runs, output);
    const opmill_graph_results *results = runs->first;
    int32_t type = declared != NULL ? opmill_element_type(declared->type) : OPMILL_UNDEFINED;
    for (int64_t run = 0; run < runs->count; run++, results = results->next) {
        const int32_t own = results->tensors[output]->type;
        type = run == 0 ? own : type;
        if (own != type) {
            opmill_message message = opmill_runs_error(runs, OPMILL_ERROR_TYPE);
            opmill_put_text(&message, "out_sequence[");
            opmill_put_int(&message, output);
            opmill_put_text(&message, "] has tensors of types ");
            opmill_put_text(&message, opmill_type_name(type));
            opmill_put_text(&message, " and ");
            opmill_put_text(&message, opmill_type_name(own));
            opmill_put_text(&message, ", expected one type");
            return OPMILL_ERROR_TYPE;
        }
    }
    found->type = OPMILL_SEQUENCE + type;
    found->rank = 1;
    found->dims[0] = runs->count;
    return OPMILL_OK;
}

static void write(void *user, int32_t output, void *data) {
    (void)user; /* all outputs are sequences */
    (void)output;
    (void)data;
}

static const opmill_tensor *item(void *user, int32_t output, int64_t index) {
    map_job *const job = user;
    job->at = index == 0 ? job->runs.first : job->at->next;
    return job->at->tensors[output];
}

/* The results of the last run are tensors. */
static int check_tensors(const opmill_runs *runs) {
    for (int32_t i = 0; i < runs->last->count; i++) {
        const opmill_tensor *const value = runs->last->tensors[i];
        if (value == NULL || opmill_is_sequence(value->type)) {
            opmill_message message = opmill_runs_error(runs, OPMILL_ERROR_CALL);
            opmill_put_result(&message, runs, i);
            opmill_put_text(&message, " for tensor ");
            opmill_put_int(&message, runs->count - 1);
            opmill_put_text(&message, " is ");
            opmill_put_described(&message, value);
            opmill_put_text(&message, ", expected a tensor");
            return OPMILL_ERROR_CALL;
        }
    }
    return OPMILL_OK;
}

/* The additional sequences are as long as the first one. */
static int check_lengths(const opmill_runs *runs, const opmill_tensor *const *others, int32_t count,
                         int64_t length) {
    for (int32_t i = 0; i < count; i++) {
        if (opmill_is_sequence(others[i]->type) && others[i]->dims[0] != length) {
            opmill_message message = opmill_runs_error(runs, OPMILL_ERROR_CALL);
            opmill_put_text(&message, "length of additional_inputs[");
            opmill_put_int(&message, i);
            opmill_put_text(&message, "] is ");
            opmill_put_int(&message, others[i]->dims[0]);
            opmill_put_text(&message, ", expected ");
            opmill_put_int(&message, length);
            opmill_put_text(&message, " (that of input_sequence)");
            return OPMILL_ERROR_CALL;
        }
    }
    return OPMILL_OK;
}

int opmill_sequence_map_compute(const opmill_tensor *const *input_sequence,
                                int32_t input_sequence_count,
                                const opmill_tensor *const *additional_inputs,
                                int32_t additional_inputs_count, const opmill_graph *body,
                                const opmill_call *call, const opmill_sequence_map_plan *plan,
                                opmill_context *context) {
    const opmill_tensor **const inputs = opmill_workspace_begin(context->workspace);
    map_job job = {{.call = call, .graph = body, .name = "body"}, NULL};
    const opmill_graph_outputs outputs = {&job, call->output_count, shape, write, item};
    (void)plan;
    int code =
        check_lengths(&job.runs, additional_inputs, additional_inputs_count, input_sequence_count);
    for (int32_t i = 0; i < input_sequence_count && code == OPMILL_OK; i++) {
        inputs[0] = input_sequence[i];
        for (int32_t k = 0; k < additional_inputs_count; k++) {
            const opmill_tensor *const other = additional_inputs[k];
            inputs[1 + k] = opmill_is_sequence(other->type)
                                ? ((const opmill_tensor *const *)other->data)[i]
                                : other;
        }
        code = opmill_runs_next(&job.runs, inputs, 1 + additional_inputs_count, call->output_count,
                                true);
        if (code == OPMILL_OK) {
            code = check_tensors(&job.runs);
        }
    }
    return code == OPMILL_OK ? opmill_graph_return(call, &outputs) : code;
}

size_t opmill_sequence_map_workspace_bytes(
    const opmill_tensor *const *input_sequence, int32_t input_sequence_count,
    const opmill_tensor *const *additional_inputs, int32_t additional_inputs_count,
    const opmill_graph *body, const opmill_sequence_map_plan *plan, const opmill_context *context) {
    (void)input_sequence;
    (void)input_sequence_count;
    (void)additional_inputs;
    (void)body;
    (void)plan;
    (void)context;
    return opmill_workspace_size((1 + (uint64_t)additional_inputs_count) * sizeof(opmill_tensor *));
}
