/* The cells of one type, REAL, for one instruction set; cells.c includes this. Products are
 * variables of their own, so that no compiler fuses them with a sum. */

static void NAME(activate)(const opmill_recurrent_cell *cell, int32_t which, const REAL *from,
                           REAL *to, int64_t count) {
    opmill_activate_to(&cell->activations[which], cell->type, cell->isa, from, to, count);
}

/* sums += inputs + bias */
static void NAME(add)(REAL *restrict sums, const REAL *restrict inputs, const REAL *restrict bias,
                      int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        sums[i] += inputs[i] + bias[i];
    }
}

/* sums += weight * state */
static void NAME(add_peephole)(REAL *restrict sums, const REAL *restrict weight,
                               const REAL *restrict state, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        const REAL product = weight[i] * state[i];
        sums[i] += product;
    }
}

/* to = a * b */
static void NAME(multiply)(REAL *restrict to, const REAL *restrict a, const REAL *restrict b,
                           int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        to[i] = a[i] * b[i];
    }
}

static void NAME(rnn)(const opmill_recurrent_cell *cell, const opmill_recurrent_row *row) {
    NAME(add)(row->sums, row->inputs, cell->bias, cell->hidden);
    NAME(activate)(cell, 0, row->sums, row->h, cell->hidden);
}

static void NAME(gru)(const opmill_recurrent_cell *cell, const opmill_recurrent_row *row) {
    const int64_t hidden = cell->hidden;
    const REAL *const reset = (const REAL *)row->gates + hidden;
    NAME(add)(row->sums, row->inputs, cell->bias, 2 * hidden);
    NAME(activate)(cell, 0, row->sums, row->gates, 2 * hidden);
    if (!cell->linear_before_reset) {
        NAME(multiply)(row->reset, reset, row->h, hidden);
    }
}

/* sums = inputs + bias + reset * (sums + recurrent_bias) */
static void NAME(reset_sums)(REAL *restrict sums, const REAL *restrict inputs,
                             const REAL *restrict bias, const REAL *restrict reset,
                             const REAL *restrict recurrent_bias, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        const REAL product = reset[i] * (sums[i] + recurrent_bias[i]);
        sums[i] = inputs[i] + bias[i] + product;
    }
}

/* state = (1 - update) * fresh + update * state */
static void NAME(mix)(REAL *restrict state, const REAL *restrict update, const REAL *restrict fresh,
                      int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        const REAL added = (1 - update[i]) * fresh[i], old = update[i] * state[i];
        state[i] = added + old;
    }
}

static void NAME(gru_finish)(const opmill_recurrent_cell *cell, const opmill_recurrent_row *row) {
    const int64_t hidden = cell->hidden;
    REAL *const update = row->gates, *const reset = update + hidden, *const fresh = reset + hidden;
    REAL *const sums = (REAL *)row->sums + 2 * hidden;
    const REAL *const inputs = (const REAL *)row->inputs + 2 * hidden;
    const REAL *const bias = (const REAL *)cell->bias + 2 * hidden;
    if (cell->linear_before_reset) {
        NAME(reset_sums)(sums, inputs, bias, reset, cell->recurrent_bias, hidden);
    } else {
        NAME(add)(sums, inputs, bias, hidden);
    }
    NAME(activate)(cell, 1, sums, fresh, hidden);
    NAME(mix)(row->h, update, fresh, hidden);
}

/* state = forget * state + in * fresh */
static void NAME(renew)(REAL *restrict state, const REAL *restrict forget, const REAL *restrict in,
                        const REAL *restrict fresh, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        const REAL old = forget[i] * state[i], added = in[i] * fresh[i];
        state[i] = old + added;
    }
}

/* The gates of the input, the output where it does not see the new state, and forgetting. */
static void NAME(open_gates)(const opmill_recurrent_cell *cell, const opmill_recurrent_row *row) {
    const int64_t hidden = cell->hidden;
    const REAL *const peepholes = cell->peepholes;
    REAL *const sums = row->sums, *const in = row->gates, *const forget = in + 2 * hidden;
    if (peepholes == NULL && !cell->couples) {
        NAME(activate)(cell, 0, sums, in, 3 * hidden);
        return;
    }
    if (peepholes != NULL) {
        NAME(add_peephole)(sums, peepholes, row->c, hidden);
        NAME(add_peephole)(sums + 2 * hidden, peepholes + 2 * hidden, row->c, hidden);
    }
    NAME(activate)(cell, 0, sums, in, hidden);
    if (!cell->couples) {
        NAME(activate)(cell, 0, sums + 2 * hidden, forget, hidden);
    }
    for (int64_t i = 0; i < hidden && cell->couples; i++) {
        forget[i] = 1 - in[i];
    }
}

static void NAME(lstm)(const opmill_recurrent_cell *cell, const opmill_recurrent_row *row) {
    const int64_t hidden = cell->hidden;
    const REAL *const peepholes = cell->peepholes;
    REAL *const sums = row->sums, *const in = row->gates, *const out = in + hidden;
    REAL *const forget = out + hidden, *const fresh = forget + hidden;
    if (row->inputs != NULL) {
        NAME(add)(sums, row->inputs, cell->bias, 4 * hidden);
    }
    NAME(open_gates)(cell, row);
    NAME(activate)(cell, 1, sums + 3 * hidden, fresh, hidden);
    NAME(renew)(row->c, forget, in, fresh, hidden);
    if (peepholes != NULL) {
        NAME(add_peephole)(sums + hidden, peepholes + hidden, row->c, hidden);
    }
    if (peepholes != NULL || cell->couples) {
        NAME(activate)(cell, 0, sums + hidden, out, hidden);
    }
    NAME(activate)(cell, 2, row->c, fresh, hidden);
    NAME(multiply)(row->h, out, fresh, hidden);
}

static void NAME(step)(const opmill_recurrent_cell *cell, const opmill_recurrent_row *row) {
    if (cell->gates == 1) {
        NAME(rnn)(cell, row);
    } else if (cell->gates == 3) {
        NAME(gru)(cell, row);
    } else {
        NAME(lstm)(cell, row);
    }
}

static const recurrent_steps NAME(steps) = {NAME(step), NAME(gru_finish)};

#undef REAL
#undef NAME
