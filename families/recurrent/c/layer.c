/* Runs a recurrent layer: for each direction fetches biases and initial states, then computes step
 * by step the products with all rows and the cells, and stores outputs and last states. */
#include "families/recurrent/layer.h"

#include <string.h>

#include "families/recurrent/layer_parts.h"
#include "runtime/call/bounds.h"
#include "runtime/numbers/elements.h"
#include "runtime/platform/isa.h"
#include "runtime/platform/parallel.h"
#include "runtime/numbers/reals.h"
#include "runtime/call/workspace.h"

enum {
    TASK_ELEMENTS = 4096,       /* gates that are computed together */
    THREAD_ELEMENTS = 16 * 1024 /* the minimum of gates that is worth several threads */
};

/* Numbers of a tensor become those of the workspace. */
static void widen(const opmill_recurrent_layer *layer, const opmill_tensor *from, int64_t first,
                  void *to, int64_t count) {
    if (from->type == layer->wide) {
        memcpy(to, (const char *)from->data + first * layer->wide_bytes,
               (size_t)(count * layer->wide_bytes));
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        opmill_real_put(to, layer->wide, i, opmill_real_at(from->data, from->type, first + i));
    }
}

/* And the other way round. */
static void narrow(const opmill_recurrent_layer *layer, const void *from, const opmill_tensor *to,
                   int64_t first, int64_t count) {
    if (to->type == layer->wide) {
        memcpy((char *)to->data + first * layer->wide_bytes, from,
               (size_t)(count * layer->wide_bytes));
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        opmill_real_put(to->data, to->type, first + i, opmill_real_at(from, layer->wide, i));
    }
}

static void clear(const opmill_tensor *tensor, int64_t first, int64_t count) {
    const int64_t bytes = opmill_type_bytes(tensor->type);
    memset((char *)tensor->data + first * bytes, 0, (size_t)(count * bytes));
}

/* The biases of a direction: those that are always added together, and that of the hidden gate,
 * which is apart where its part of the state's product is. */
static void fetch_biases(const opmill_recurrent_layer *layer) {
    const opmill_tensor *const b = layer->tensors->B;
    const int64_t first = layer->direction * 2 * layer->rows;
    const bool apart = layer->gates == 3 && layer->plan->linear_before_reset;
    const int64_t joined = apart ? 2 * layer->hidden : layer->rows;
    void *const bias = layer->memory + layer->bias, *const others = layer->memory + layer->values;
    if (b == NULL) {
        memset(bias, 0, (size_t)(layer->rows * layer->wide_bytes));
        memset(layer->memory + layer->recurrent_bias, 0,
               (size_t)(layer->hidden * layer->wide_bytes));
        return;
    }
    widen(layer, b, first, bias, layer->rows);
    widen(layer, b, first + layer->rows, others, layer->rows); /* gates are still to come */
    for (int64_t i = 0; i < joined && layer->wide == OPMILL_FLOAT; i++) {
        ((float *)bias)[i] += ((const float *)others)[i];
    }
    for (int64_t i = 0; i < joined && layer->wide == OPMILL_DOUBLE; i++) {
        ((double *)bias)[i] += ((const double *)others)[i];
    }
    if (apart) {
        memcpy(layer->memory + layer->recurrent_bias,
               (const char *)others + joined * layer->wide_bytes,
               (size_t)(layer->hidden * layer->wide_bytes));
    }
}

/* The place of a state in initial_h and the like. */
static int64_t state_offset(const opmill_recurrent_layer *layer, int64_t row) {
    const int64_t position = layer->plan->batch_first ? row * layer->directions + layer->direction
                                                      : layer->direction * layer->batch + row;
    return position * layer->hidden;
}

static void *state_at(const opmill_recurrent_layer *layer, uint64_t states, int64_t row) {
    return layer->memory + states + row * layer->hidden * layer->wide_bytes;
}

static void begin_state(const opmill_recurrent_layer *layer, const opmill_tensor *initial,
                        uint64_t states) {
    for (int64_t row = 0; row < layer->batch; row++) {
        void *const to = state_at(layer, states, row);
        if (initial != NULL) {
            widen(layer, initial, state_offset(layer, row), to, layer->hidden);
        } else {
            memset(to, 0, (size_t)(layer->hidden * layer->wide_bytes));
        }
    }
}

/* A sequence without steps has no last state: zeros. */
static void end_state(const opmill_recurrent_layer *layer, const opmill_tensor *last,
                      uint64_t states) {
    for (int64_t row = 0; last != NULL && row < layer->batch; row++) {
        const int64_t offset = state_offset(layer, row);
        if (opmill_recurrent_length(layer, row) > 0) {
            narrow(layer, state_at(layer, states, row), last, offset, layer->hidden);
        } else {
            clear(last, offset, layer->hidden);
        }
    }
}

static opmill_activation activation_of(const opmill_recurrent_plan *plan, int64_t i) {
    const opmill_activation layer = {
        .number = plan->activations.values[i],
        .alpha = plan->alphas.values[i],
        .beta = plan->betas.values[i],
        .clips = plan->clips != 0,
        .limit = plan->limit,
    };
    return layer;
}

static void begin_direction(opmill_recurrent_layer *layer) {
    const opmill_recurrent_plan *const plan = layer->plan;
    const int64_t each = plan->activations.count / layer->directions;
    opmill_recurrent_cell *const cell = &layer->cell;
    cell->type = layer->wide;
    cell->isa = opmill_isa_select(layer->context->isa);
    cell->hidden = layer->hidden;
    cell->gates = layer->gates;
    cell->couples = plan->couples != 0;
    cell->linear_before_reset = plan->linear_before_reset != 0;
    cell->bias = layer->memory + layer->bias;
    cell->recurrent_bias = layer->memory + layer->recurrent_bias;
    cell->peepholes = NULL;
    for (int64_t i = 0; i < each; i++) {
        cell->activations[i] = activation_of(plan, layer->direction * each + i);
    }
    opmill_recurrent_pack(layer);
    fetch_biases(layer);
    if (layer->tensors->P != NULL) {
        void *const peepholes = layer->memory + layer->peepholes;
        widen(layer, layer->tensors->P, layer->direction * 3 * layer->hidden, peepholes,
              3 * layer->hidden);
        cell->peepholes = peepholes;
    }
    begin_state(layer, layer->tensors->initial_h, layer->h);
    begin_state(layer, layer->tensors->initial_c, layer->c);
}

/* The state after a step, or zeros behind the end of the sequence. */
static void store_step(const opmill_recurrent_layer *layer, int64_t row, bool is_going) {
    const opmill_tensor *const y = layer->tensors->Y;
    const int64_t time = layer->reverses && is_going
                             ? opmill_recurrent_length(layer, row) - 1 - layer->step
                             : layer->step;
    const int64_t position =
        layer->plan->batch_first
            ? (row * layer->steps + time) * layer->directions + layer->direction
            : (time * layer->directions + layer->direction) * layer->batch + row;
    if (is_going) {
        narrow(layer, state_at(layer, layer->h, row), y, position * layer->hidden, layer->hidden);
    } else {
        clear(y, position * layer->hidden, layer->hidden);
    }
}

static void run_rows(void *state, int64_t task, int32_t worker) {
    const opmill_recurrent_layer *const layer = state;
    const int64_t first = task * layer->task_rows;
    const int64_t end =
        layer->batch - first < layer->task_rows ? layer->batch : first + layer->task_rows;
    const int64_t rest = layer->step - layer->chunk_first;
    (void)worker;
    for (int64_t row = first; row < end; row++) {
        const bool is_going = layer->step < opmill_recurrent_length(layer, row);
        const int64_t input =
            layer->plan->batch_first ? row * layer->chunk_steps + rest : rest * layer->batch + row;
        const int64_t pitch = layer->rows * layer->wide_bytes;
        const opmill_recurrent_row one = {opmill_recurrent_has_integers(layer)
                                              ? NULL
                                              : layer->memory + layer->inputs + input * pitch,
                                          layer->memory + layer->sums + row * pitch,
                                          layer->memory + layer->values + row * pitch,
                                          state_at(layer, layer->h, row),
                                          state_at(layer, layer->c, row),
                                          state_at(layer, layer->reset, row)};
        if (is_going && !layer->finishes) {
            opmill_recurrent_step(&layer->cell, &one);
        } else if (is_going) {
            opmill_recurrent_finish(&layer->cell, &one);
        } else if (layer->gates == 3 && !layer->finishes) {
            memset(one.reset, 0, (size_t)(layer->hidden * layer->wide_bytes));
        }
        if (layer->tensors->Y != NULL && (layer->gates != 3 || layer->finishes)) {
            store_step(layer, row, is_going);
        }
    }
}

static void run_all_rows(opmill_recurrent_layer *layer) {
    const int64_t tasks = (layer->batch - 1) / layer->task_rows + 1;
    const bool is_small = (double)layer->batch * (double)layer->rows < THREAD_ELEMENTS;
    opmill_parallel(tasks, is_small || tasks < 2 ? 1 : layer->context->threads, run_rows, layer);
}

static void run_step(opmill_recurrent_layer *layer, int64_t step) {
    void *const workspace = layer->memory + layer->products;
    layer->step = step;
    layer->finishes = false;
    if (opmill_recurrent_has_integers(layer)) {
        opmill_recurrent_quantize_state(layer);
    }
    opmill_product_run(&layer->all_layout, workspace);
    run_all_rows(layer);
    if (layer->gates == 3) {
        if (!layer->plan->linear_before_reset) {
            opmill_product_run(&layer->hidden_layout, workspace);
        }
        layer->finishes = true;
        run_all_rows(layer);
    }
}

static void run_direction(opmill_recurrent_layer *layer) {
    const bool turned = layer->plan->backward || layer->direction == 1;
    const bool backward = turned && !opmill_recurrent_has_integers(layer);
    const int64_t chunks = (layer->steps - 1) / layer->chunk + 1;
    layer->reverses = turned && opmill_recurrent_has_integers(layer);
    begin_direction(layer);
    if (layer->reverses) {
        opmill_recurrent_reverse_input(layer);
    }
    for (int64_t i = 0; i < chunks; i++) {
        layer->chunk_first = (backward ? chunks - 1 - i : i) * layer->chunk;
        layer->chunk_steps = layer->steps - layer->chunk_first < layer->chunk
                                 ? layer->steps - layer->chunk_first
                                 : layer->chunk;
        /* In memory that only a GRU's hidden gate needs, and not before the next step. */
        opmill_recurrent_describe_inputs(layer, &layer->hidden_gate, layer->chunk_first,
                                         layer->chunk_steps);
        opmill_product_lay_out(&layer->hidden_layout, &layer->hidden_gate, layer->context);
        opmill_product_run(&layer->hidden_layout, layer->memory + layer->products);
        opmill_recurrent_lay_out_hidden(layer);
        for (int64_t k = 0; k < layer->chunk_steps; k++) {
            run_step(layer, layer->chunk_first + (backward ? layer->chunk_steps - 1 - k : k));
        }
    }
    end_state(layer, layer->tensors->Y_h, layer->h);
    end_state(layer, layer->tensors->Y_c, layer->c);
}

/* Without any step the last states are the first ones. */
static void copy_states(const opmill_tensor *from, const opmill_tensor *to) {
    if (to == NULL) {
        return;
    }
    const int64_t count = to->dims[0] * to->dims[1] * to->dims[2];
    if (count == 0) {
        return;
    }
    if (from != NULL) {
        memcpy(to->data, from->data, (size_t)(count * opmill_type_bytes(to->type)));
    } else {
        clear(to, 0, count);
    }
}

void opmill_recurrent_run(const opmill_recurrent_tensors *tensors,
                          const opmill_recurrent_plan *plan, const opmill_context *context) {
    if (opmill_recurrent_is_empty(tensors)) {
        copy_states(tensors->initial_h, tensors->Y_h);
        copy_states(tensors->initial_c, tensors->Y_c);
        return;
    }
    /* Too large for small stacks, it is in front of the numbers. */
    opmill_recurrent_layer *const layer = opmill_workspace_begin(context->workspace);
    opmill_recurrent_lay_out(layer, tensors, plan, context);
    layer->memory = (char *)layer;
    layer->task_rows = TASK_ELEMENTS / layer->rows + 1;
    if (opmill_recurrent_has_integers(layer)) {
        opmill_recurrent_quantize_input(layer);
    }
    for (layer->direction = 0; layer->direction < layer->directions; layer->direction++) {
        opmill_recurrent_lay_out_products(layer);
        run_direction(layer);
    }
}
