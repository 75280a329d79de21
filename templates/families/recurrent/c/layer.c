#include "families/recurrent/layer.h"

#include <string.h>

#include "families/recurrent/cells.h"
#include "runtime/bounds.h"
#include "runtime/elements.h"
#include "runtime/isa.h"
#include "runtime/parallel.h"
#include "runtime/product/operands.h"
#include "runtime/product/product.h"
#include "runtime/reals.h"
#include "runtime/workspace.h"

enum {
    CHUNK_ROWS = 512,          /* of the product of inputs and weights, at a time */
    TASK_ELEMENTS = 4096,      /* gates that are computed together */
    THREAD_ELEMENTS = 16 * 1024 /* the minimum of gates that is worth several threads */
};

/* What is computed in which memory; a direction after the other uses the same. */
typedef struct layer {
    const opmill_recurrent_tensors *tensors;
    const opmill_recurrent_plan *plan;
    const opmill_context *context;
    int32_t wide; /* the type of all numbers in the workspace */
    int64_t wide_bytes;
    int64_t steps, batch, input, hidden, gates, rows /* of the weights */, directions;
    int64_t chunk; /* steps whose inputs are multiplied at a time */
    int64_t batch_dims, x_batch_step;

    /* Offsets in the workspace. */
    uint64_t recurrent, bias, recurrent_bias, peepholes, inputs, sums, h, c, reset, products;
    uint64_t bytes;
    char *memory;

    opmill_recurrent_cell cell;
    opmill_matrix_product all_gates, hidden_gate;
    opmill_product_layout all_layout, hidden_layout;

    int64_t direction;
    int64_t step;        /* the index of time */
    int64_t chunk_first, chunk_steps;
    int64_t task_rows;   /* sequences of a task */
    bool finishes;       /* whether the hidden gate of a GRU is due */
} layer;

static uint64_t times(uint64_t a, uint64_t b) {
    return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

/* Offset of an array of a * b numbers behind all others; what does not fit anywhere stays so. */
static uint64_t reserve(layer *made, int64_t a, int64_t b) {
    const uint64_t at = made->bytes;
    const uint64_t size = times(times((uint64_t)a, (uint64_t)b), (uint64_t)made->wide_bytes);
    const uint64_t padded = OPMILL_WORKSPACE_ALIGNMENT * 2;
    made->bytes = size > UINT64_MAX - at - padded
                      ? UINT64_MAX - padded
                      : (at + size + OPMILL_WORKSPACE_ALIGNMENT - 1) / OPMILL_WORKSPACE_ALIGNMENT *
                            OPMILL_WORKSPACE_ALIGNMENT;
    return at;
}

static void *at(const layer *made, uint64_t offset) {
    return made->memory != NULL ? made->memory + offset : NULL;
}

/* The product of the inputs of some steps and their weights: a batch of products where the
 * sequences come first. */
static void describe_inputs(const layer *made, opmill_matrix_product *product, int64_t first,
                            int64_t steps) {
    const opmill_tensor *const x = made->tensors->X, *const w = made->tensors->W;
    const bool batch_first = made->plan->batch_first != 0;
    const int64_t x_bytes = opmill_type_bytes(x->type);
    const int64_t w_offset = made->direction * made->rows * made->input * x_bytes;
    const int64_t x_offset = first * made->input * x_bytes * (batch_first ? 1 : made->batch);
    memset(product, 0, sizeof *product);
    product->m = batch_first ? steps : steps * made->batch;
    product->n = made->rows;
    product->k = made->input;
    product->type = product->c_type = made->wide;
    product->a_type = product->b_type = x->type;
    product->a = x->data != NULL ? (const char *)x->data + x_offset : NULL;
    product->b = w->data != NULL ? (const char *)w->data + w_offset : NULL;
    product->c = at(made, made->inputs);
    product->a_row = made->input;
    product->a_column = 1;
    product->b_row = 1;
    product->b_column = made->input;
    product->c_row = made->rows;
    product->alpha = 1;
    product->batches = 1;
    if (batch_first) {
        static const int64_t ALIKE = 0;
        product->batches = made->batch;
        product->batch_rank = 1;
        product->batch_dims = &made->batch_dims;
        product->a_batch = &made->x_batch_step;
        product->b_batch = &ALIKE;
        product->c_batch = steps * made->rows;
    }
}

/* The product of a state and some gates' weights, which are transposed. */
static void describe_recurrent(const layer *made, opmill_matrix_product *product, uint64_t state,
                               int64_t first_gate, int64_t gates) {
    const int64_t offset = first_gate * made->hidden * made->wide_bytes;
    memset(product, 0, sizeof *product);
    product->m = made->batch;
    product->n = gates * made->hidden;
    product->k = made->hidden;
    product->type = product->a_type = product->b_type = product->c_type = made->wide;
    if (made->memory != NULL) {
        product->a = made->memory + state;
        product->b = made->memory + made->recurrent + offset;
        product->c = made->memory + made->sums + offset;
    }
    product->a_row = made->hidden;
    product->a_column = 1;
    product->b_row = made->rows;
    product->b_column = 1;
    product->c_row = made->rows;
    product->batches = 1;
    product->alpha = 1;
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

/* The sizes and the offsets; false where the layer computes nothing. */
static bool lay_out(layer *made, const opmill_recurrent_tensors *tensors,
                    const opmill_recurrent_plan *plan, const opmill_context *context) {
    const opmill_tensor *const x = tensors->X, *const r = tensors->R;
    const int32_t time = plan->batch_first ? 1 : 0;
    memset(made, 0, sizeof *made);
    made->tensors = tensors;
    made->plan = plan;
    made->context = context;
    made->wide = x->type == OPMILL_DOUBLE ? OPMILL_DOUBLE : OPMILL_FLOAT;
    made->wide_bytes = opmill_type_bytes(made->wide);
    made->steps = x->dims[time];
    made->batch = x->dims[1 - time];
    made->input = x->dims[2];
    made->directions = r->dims[0];
    made->hidden = r->dims[2];
    made->gates = plan->gates;
    made->rows = r->dims[1];
    if (made->steps == 0 || made->batch == 0 || made->hidden == 0) {
        return false;
    }
    made->batch_dims = made->batch;
    made->x_batch_step = made->steps * made->input;
    made->chunk = (CHUNK_ROWS - 1) / made->batch + 1;
    made->chunk = made->chunk < made->steps ? made->chunk : made->steps;
    made->recurrent = reserve(made, made->hidden, made->rows);
    made->bias = reserve(made, 1, made->rows);
    made->recurrent_bias = reserve(made, 1, made->hidden);
    made->peepholes = reserve(made, 3, made->hidden);
    made->inputs = reserve(made, made->chunk * made->batch, made->rows);
    made->sums = reserve(made, made->batch, made->rows);
    made->h = reserve(made, made->batch, made->hidden);
    made->c = reserve(made, made->batch, made->hidden);
    made->reset = reserve(made, made->batch, made->hidden);
    made->products = made->bytes;
    return true;
}

/* The layouts of the products of the steps. */
static void lay_out_products(layer *made) {
    const bool resets = made->gates == 3 && !made->plan->linear_before_reset;
    describe_recurrent(made, &made->all_gates, made->h, 0, resets ? 2 : made->gates);
    opmill_product_lay_out(&made->all_layout, &made->all_gates, made->context);
    describe_recurrent(made, &made->hidden_gate, made->reset, resets ? 2 : 0, 1);
    opmill_product_lay_out(&made->hidden_layout, &made->hidden_gate, made->context);
}

size_t opmill_recurrent_workspace(const opmill_recurrent_tensors *tensors,
                                  const opmill_recurrent_plan *plan,
                                  const opmill_context *context) {
    layer made;
    if (!lay_out(&made, tensors, plan, context)) {
        return 0;
    }
    lay_out_products(&made);
    size_t most = larger(opmill_product_workspace(&made.all_layout),
                         opmill_product_workspace(&made.hidden_layout));
    const int64_t counts[] = {made.chunk, made.steps % made.chunk};
    for (int i = 0; i < 2; i++) {
        if (counts[i] > 0) {
            opmill_matrix_product product;
            opmill_product_layout layout;
            describe_inputs(&made, &product, 0, counts[i]);
            opmill_product_lay_out(&layout, &product, context);
            most = larger(most, opmill_product_workspace(&layout));
        }
    }
    return opmill_workspace_size(most < UINT64_MAX - made.bytes ? made.bytes + most : UINT64_MAX);
}

/* Numbers of a tensor become those of the workspace. */
static void widen(const layer *made, const opmill_tensor *from, int64_t first, void *to,
                  int64_t count) {
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
static void narrow(const layer *made, const void *from, const opmill_tensor *to, int64_t first,
                   int64_t count) {
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

/* The weights of a direction, transposed, in blocks that stay in the first-level cache. */
static void transpose_recurrent(const layer *made) {
    enum { SIDE = 32 };
    const opmill_tensor *const r = made->tensors->R;
    const int64_t first = made->direction * made->rows * made->hidden;
    void *const to = at(made, made->recurrent);
    for (int64_t row = 0; row < made->rows; row += SIDE) {
        const int64_t row_end = made->rows - row < SIDE ? made->rows : row + SIDE;
        for (int64_t column = 0; column < made->hidden; column += SIDE) {
            const int64_t end = made->hidden - column < SIDE ? made->hidden : column + SIDE;
            for (int64_t j = column; j < end; j++) {
                for (int64_t i = row; i < row_end; i++) {
                    const double weight =
                        opmill_real_at(r->data, r->type, first + i * made->hidden + j);
                    opmill_real_put(to, made->wide, j * made->rows + i, weight);
                }
            }
        }
    }
}

/* The biases of a direction: those that are always added together, and that of the hidden gate. */
static void fetch_biases(const layer *made) {
    const opmill_tensor *const b = made->tensors->B;
    const int64_t first = made->direction * 2 * made->rows;
    const bool apart = made->gates == 3 && made->plan->linear_before_reset;
    for (int64_t i = 0; i < made->rows; i++) {
        double bias = b != NULL ? opmill_real_at(b->data, b->type, first + i) : 0;
        const double other =
            b != NULL ? opmill_real_at(b->data, b->type, first + made->rows + i) : 0;
        if (apart && i >= 2 * made->hidden) {
            opmill_real_put(at(made, made->recurrent_bias), made->wide, i - 2 * made->hidden,
                            other);
        } else {
            bias += other;
        }
        opmill_real_put(at(made, made->bias), made->wide, i, bias);
    }
}

/* The place of a state in initial_h and the like. */
static int64_t state_offset(const layer *made, int64_t row) {
    const int64_t place = made->plan->batch_first ? row * made->directions + made->direction
                                                  : made->direction * made->batch + row;
    return place * made->hidden;
}

static void *state_at(const layer *made, uint64_t states, int64_t row) {
    return made->memory + states + row * made->hidden * made->wide_bytes;
}

static void begin_state(const layer *made, const opmill_tensor *initial, uint64_t states) {
    for (int64_t row = 0; row < made->batch; row++) {
        void *const to = state_at(made, states, row);
        if (initial != NULL) {
            widen(made, initial, state_offset(made, row), to, made->hidden);
        } else {
            memset(to, 0, (size_t)(made->hidden * made->wide_bytes));
        }
    }
}

static int64_t length_of(const layer *made, int64_t row) {
    const opmill_tensor *const lengths = made->tensors->sequence_lens;
    return lengths != NULL ? opmill_bounds_read(lengths, row, 0, made->steps) : made->steps;
}

/* A sequence without steps has no last state: zeros. */
static void end_state(const layer *made, const opmill_tensor *last, uint64_t states) {
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
                                              plan->betas.values[i], plan->clips != 0,
                                              plan->limit};
    return made;
}

static void begin_direction(layer *made) {
    const opmill_recurrent_plan *const plan = made->plan;
    const int64_t each = plan->activations.count / made->directions;
    opmill_recurrent_cell *const cell = &made->cell;
    cell->type = made->wide;
    cell->isa = opmill_isa_select(made->context->isa);
    cell->hidden = made->hidden;
    cell->gates = made->gates;
    cell->couples = plan->couples != 0;
    cell->linear_before_reset = plan->linear_before_reset != 0;
    cell->bias = at(made, made->bias);
    cell->recurrent_bias = at(made, made->recurrent_bias);
    cell->peepholes = NULL;
    for (int64_t i = 0; i < each; i++) {
        cell->activations[i] = activation_of(plan, made->direction * each + i);
    }
    transpose_recurrent(made);
    fetch_biases(made);
    if (made->tensors->P != NULL) {
        void *const peepholes = at(made, made->peepholes);
        widen(made, made->tensors->P, made->direction * 3 * made->hidden, peepholes,
              3 * made->hidden);
        cell->peepholes = peepholes;
    }
    begin_state(made, made->tensors->initial_h, made->h);
    begin_state(made, made->tensors->initial_c, made->c);
}

/* The state after a step, or zeros behind the end of the sequence. */
static void store_step(const layer *made, int64_t row, bool is_going) {
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
    const layer *const made = state;
    const int64_t first = task * made->task_rows;
    const int64_t end = made->batch - first < made->task_rows ? made->batch : first + made->task_rows;
    const int64_t rest = made->step - made->chunk_first;
    (void)worker;
    for (int64_t row = first; row < end; row++) {
        const bool is_going = made->step < length_of(made, row);
        const int64_t input = made->plan->batch_first ? row * made->chunk_steps + rest
                                                      : rest * made->batch + row;
        const int64_t pitch = made->rows * made->wide_bytes;
        const opmill_recurrent_row one = {made->memory + made->inputs + input * pitch,
                                          made->memory + made->sums + row * pitch,
                                          state_at(made, made->h, row),
                                          state_at(made, made->c, row),
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

static void run_all_rows(layer *made) {
    const int64_t tasks = (made->batch - 1) / made->task_rows + 1;
    const bool is_small = (double)made->batch * (double)made->rows < THREAD_ELEMENTS;
    opmill_parallel(tasks, is_small || tasks < 2 ? 1 : made->context->threads, run_rows, made);
}

static void run_step(layer *made, int64_t step) {
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

static void run_direction(layer *made) {
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
        describe_inputs(made, &product, made->chunk_first, made->chunk_steps);
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
static void copy_states(const layer *made, const opmill_tensor *from, const opmill_tensor *to) {
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
    layer made;
    if (!lay_out(&made, tensors, plan, context)) {
        copy_states(&made, tensors->initial_h, tensors->Y_h);
        copy_states(&made, tensors->initial_c, tensors->Y_c);
        return;
    }
    made.memory = opmill_workspace_begin(context->workspace);
    made.task_rows = TASK_ELEMENTS / made.rows + 1;
    lay_out_products(&made);
    for (made.direction = 0; made.direction < made.directions; made.direction++) {
        run_direction(&made);
    }
}
