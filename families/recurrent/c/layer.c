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
static void widen(const opmill_recurrent_layer *made, const opmill_tensor *from, int64_t first,
                  void *to, int64_t count) {
    if (from->type == made->wide) {
        memcpy(to, (const char *)from->data + first * made->wide_bytes,
               (size_t)(count * made->wide_bytes));
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        opmill_real_put(to, made->wide, i, opmill_real_at(from->data, from->type, first + i));
    }
}

/* And the other way round. */
static void narrow(const opmill_recurrent_layer *made, const void *from, const opmill_tensor *to,
                   int64_t first, int64_t count) {
    if (to->type == made->wide) {
        memcpy((char *)to->data + first * made->wide_bytes, from,
               (size_t)(count * made->wide_bytes));
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        opmill_real_put(to->data, to->type, first + i, opmill_real_at(from, made->wide, i));
    }
}

static void clear(const opmill_tensor *tensor, int64_t first, int64_t count) {
    const int64_t bytes = opmill_type_bytes(tensor->type);
    memset((char *)tensor->data + first * bytes, 0, (size_t)(count * bytes));
}

/* The biases of a direction: those that are always added together, and that of the hidden gate. */
static void fetch_biases(const opmill_recurrent_layer *made) {
    const opmill_tensor *const b = made->tensors->B;
    const int64_t first = made->direction * 2 * made->rows;
    const bool apart = made->gates == 3 && made->plan->linear_before_reset;
    for (int64_t i = 0; i < made->rows; i++) {
        double bias = b != NULL ? opmill_real_at(b->data, b->type, first + i) : 0;
        const double other =
            b != NULL ? opmill_real_at(b->data, b->type, first + made->rows + i) : 0;
        if (apart && i >= 2 * made->hidden) {
            opmill_real_put(made->memory + made->recurrent_bias, made->wide, i - 2 * made->hidden,
                            other);
        } else {
            bias += other;
        }
        opmill_real_put(made->memory + made->bias, made->wide, i, bias);
    }
}

/* The place of a state in initial_h and the like. */
static int64_t state_offset(const opmill_recurrent_layer *made, int64_t row) {
    const int64_t place = made->plan->batch_first ? row * made->directions + made->direction
                                                  : made->direction * made->batch + row;
    return place * made->hidden;
}

static void *state_at(const opmill_recurrent_layer *made, uint64_t states, int64_t row) {
    return made->memory + states + row * made->hidden * made->wide_bytes;
}

static void begin_state(const opmill_recurrent_layer *made, const opmill_tensor *initial,
                        uint64_t states) {
    for (int64_t row = 0; row < made->batch; row++) {
        void *const to = state_at(made, states, row);
        if (initial != NULL) {
            widen(made, initial, state_offset(made, row), to, made->hidden);
        } else {
            memset(to, 0, (size_t)(made->hidden * made->wide_bytes));
        }
    }
}

static int64_t length_of(const opmill_recurrent_layer *made, int64_t row) {
    const opmill_tensor *const lengths = made->tensors->sequence_lens;
    return lengths != NULL ? opmill_bounds_read(lengths, row, 0, made->steps) : made->steps;
}

/* A sequence without steps has no last state: zeros. */
static void end_state(const opmill_recurrent_layer *made, const opmill_tensor *last,
                      uint64_t states) {
    for (int64_t row = 0; last != NULL && row < made->batch; row++) {
        const int64_t offset = state_offset(made, row);
        if (length_of(made, row) > 0) {
            narrow(made, state_at(made, states, row), last, offset, made->hidden);
        } else {
            clear(last, offset, made->hidden);
        }
    }
}

static opmill_recurrent_activation activation_of(const opmill_recurrent_plan *plan, int64_t i) {
    const opmill_recurrent_activation made = {plan->activations.values[i], plan->alphas.values[i],
                                              plan->betas.values[i], plan->clips != 0, plan->limit};
    return made;
}

static void begin_direction(opmill_recurrent_layer *made) {
    const opmill_recurrent_plan *const plan = made->plan;
    const int64_t each = plan->activations.count / made->directions;
    opmill_recurrent_cell *const cell = &made->cell;
    cell->type = made->wide;
    cell->isa = opmill_isa_select(made->context->isa);
    cell->hidden = made->hidden;
    cell->gates = made->gates;
    cell->couples = plan->couples != 0;
    cell->linear_before_reset = plan->linear_before_reset != 0;
    cell->bias = made->memory + made->bias;
    cell->recurrent_bias = made->memory + made->recurrent_bias;
    cell->peepholes = NULL;
    for (int64_t i = 0; i < each; i++) {
        cell->activations[i] = activation_of(plan, made->direction * each + i);
    }
    opmill_recurrent_pack(made);
    fetch_biases(made);
    if (made->tensors->P != NULL) {
        void *const peepholes = made->memory + made->peepholes;
        widen(made, made->tensors->P, made->direction * 3 * made->hidden, peepholes,
              3 * made->hidden);
        cell->peepholes = peepholes;
    }
    begin_state(made, made->tensors->initial_h, made->h);
    begin_state(made, made->tensors->initial_c, made->c);
}

/* The state after a step, or zeros behind the end of the sequence. */
static void store_step(const opmill_recurrent_layer *made, int64_t row, bool is_going) {
    const opmill_tensor *const y = made->tensors->Y;
    const int64_t place =
        made->plan->batch_first
            ? (row * made->steps + made->step) * made->directions + made->direction
            : (made->step * made->directions + made->direction) * made->batch + row;
    if (is_going) {
        narrow(made, state_at(made, made->h, row), y, place * made->hidden, made->hidden);
    } else {
        clear(y, place * made->hidden, made->hidden);
    }
}

static void run_rows(void *state, int64_t task, int32_t worker) {
    const opmill_recurrent_layer *const made = state;
    const int64_t first = task * made->task_rows;
    const int64_t end =
        made->batch - first < made->task_rows ? made->batch : first + made->task_rows;
    const int64_t rest = made->step - made->chunk_first;
    (void)worker;
    for (int64_t row = first; row < end; row++) {
        const bool is_going = made->step < length_of(made, row);
        const int64_t input =
            made->plan->batch_first ? row * made->chunk_steps + rest : rest * made->batch + row;
        const int64_t pitch = made->rows * made->wide_bytes;
        const opmill_recurrent_row one = {
            made->memory + made->inputs + input * pitch, made->memory + made->sums + row * pitch,
            state_at(made, made->h, row), state_at(made, made->c, row),
            state_at(made, made->reset, row)};
        if (is_going && !made->finishes) {
            opmill_recurrent_step(&made->cell, &one);
        } else if (is_going) {
            opmill_recurrent_finish(&made->cell, &one);
        } else if (made->gates == 3 && !made->finishes) {
            memset(one.reset, 0, (size_t)(made->hidden * made->wide_bytes));
        }
        if (made->tensors->Y != NULL && (made->gates != 3 || made->finishes)) {
            store_step(made, row, is_going);
        }
    }
}

static void run_all_rows(opmill_recurrent_layer *made) {
    const int64_t tasks = (made->batch - 1) / made->task_rows + 1;
    const bool is_small = (double)made->batch * (double)made->rows < THREAD_ELEMENTS;
    opmill_parallel(tasks, is_small || tasks < 2 ? 1 : made->context->threads, run_rows, made);
}

static void run_step(opmill_recurrent_layer *made, int64_t step) {
    void *const workspace = made->memory + made->products;
    made->step = step;
    made->finishes = false;
    opmill_product_run(&made->all_layout, workspace);
    run_all_rows(made);
    if (made->gates == 3) {
        if (!made->plan->linear_before_reset) {
            opmill_product_run(&made->hidden_layout, workspace);
        }
        made->finishes = true;
        run_all_rows(made);
    }
}

static void run_direction(opmill_recurrent_layer *made) {
    const bool backward = made->plan->backward || made->direction == 1;
    const int64_t chunks = (made->steps - 1) / made->chunk + 1;
    begin_direction(made);
    for (int64_t i = 0; i < chunks; i++) {
        opmill_matrix_product product;
        opmill_product_layout layout;
        made->chunk_first = (backward ? chunks - 1 - i : i) * made->chunk;
        made->chunk_steps = made->steps - made->chunk_first < made->chunk
                                ? made->steps - made->chunk_first
                                : made->chunk;
        opmill_recurrent_describe_inputs(made, &product, made->chunk_first, made->chunk_steps);
        opmill_product_lay_out(&layout, &product, made->context);
        opmill_product_run(&layout, made->memory + made->products);
        for (int64_t k = 0; k < made->chunk_steps; k++) {
            run_step(made, made->chunk_first + (backward ? made->chunk_steps - 1 - k : k));
        }
    }
    end_state(made, made->tensors->Y_h, made->h);
    end_state(made, made->tensors->Y_c, made->c);
}

/* Without any step the last states are the first ones. */
static void copy_states(const opmill_recurrent_layer *made, const opmill_tensor *from,
                        const opmill_tensor *to) {
    const int64_t count = made->directions * made->batch * made->hidden;
    if (to == NULL || count == 0) {
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
    opmill_recurrent_layer made;
    if (!opmill_recurrent_lay_out(&made, tensors, plan, context)) {
        copy_states(&made, tensors->initial_h, tensors->Y_h);
        copy_states(&made, tensors->initial_c, tensors->Y_c);
        return;
    }
    made.memory = opmill_workspace_begin(context->workspace);
    made.task_rows = TASK_ELEMENTS / made.rows + 1;
    opmill_recurrent_lay_out_products(&made);
    for (made.direction = 0; made.direction < made.directions; made.direction++) {
        run_direction(&made);
    }
}
