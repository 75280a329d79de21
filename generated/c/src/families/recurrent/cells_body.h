/* The cells of one type, REAL; cells.c includes this. */

static void NAME(activate)(const opmill_recurrent_cell *cell, int32_t which, REAL *values,
                           int64_t count) {
    opmill_activate(&cell->activations[which], cell->type, cell->isa, values, count);
}

/* sums += inputs + bias */
static void NAME(add)(REAL *restrict sums, const REAL *restrict inputs, const REAL *restrict bias,
                      int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        sums[i] += inputs[i] + bias[i];
    }
}

/* gate += weight * state */
static void NAME(add_peephole)(REAL *restrict gate, const REAL *restrict weight,
                               const REAL *restrict state, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        gate[i] += weight[i] * state[i];
    }
}

static void NAME(rnn)(const opmill_recurrent_cell *cell, const opmill_recurrent_row *row) {
    REAL *const restrict sums = row->sums;
    REAL *const restrict h = row->h;
    NAME(add)(sums, row->inputs, cell->bias, cell->hidden);
    NAME(activate)(cell, 0, sums, cell->hidden);
    for (int64_t i = 0; i < cell->hidden; i++) {
        h[i] = sums[i];
    }
}

static void NAME(gru)(const opmill_recurrent_cell *cell, const opmill_recurrent_row *row) {
    const int64_t hidden = cell->hidden;
    REAL *const sums = row->sums;
    const REAL *const restrict h = row->h;
    REAL *const restrict reset = row->reset;
    NAME(add)(sums, row->inputs, cell->bias, 2 * hidden);
    NAME(activate)(cell, 0, sums, 2 * hidden);
    for (int64_t i = 0; i < hidden && !cell->linear_before_reset; i++) {
        reset[i] = sums[hidden + i] * h[i];
    }
}

static void NAME(gru_finish)(const opmill_recurrent_cell *cell, const opmill_recurrent_row *row) {
    const int64_t hidden = cell->hidden;
    REAL *const sums = row->sums;
    const REAL *const update = sums, *const reset = sums + hidden;
    REAL *const own = sums + 2 * hidden;
    const REAL *const inputs = (const REAL *)row->inputs + 2 * hidden;
    const REAL *const bias = (const REAL *)cell->bias + 2 * hidden;
    REAL *const h = row->h;
    if (cell->linear_before_reset) {
        const REAL *const recurrent_bias = cell->recurrent_bias;
        for (int64_t i = 0; i < hidden; i++) {
            own[i] = inputs[i] + bias[i] + reset[i] * (own[i] + recurrent_bias[i]);
        }
    } else {
        NAME(add)(own, inputs, bias, hidden);
    }
    NAME(activate)(cell, 1, own, hidden);
    for (int64_t i = 0; i < hidden; i++) {
        h[i] = (1 - update[i]) * own[i] + update[i] * h[i];
    }
}

static void NAME(lstm)(const opmill_recurrent_cell *cell, const opmill_recurrent_row *row) {
    const int64_t hidden = cell->hidden;
    const REAL *const peepholes = cell->peepholes;
    REAL *const in = row->sums, *const out = in + hidden;
    REAL *const forget = out + hidden, *const fresh = forget + hidden;
    REAL *const h = row->h, *const c = row->c;
    NAME(add)(in, row->inputs, cell->bias, 4 * hidden);
    if (peepholes == NULL && !cell->couples) {
        NAME(activate)(cell, 0, in, 3 * hidden);
    } else {
        if (peepholes != NULL) {
            NAME(add_peephole)(in, peepholes, c, hidden);
            NAME(add_peephole)(forget, peepholes + 2 * hidden, c, hidden);
        }
        NAME(activate)(cell, 0, in, hidden);
        if (cell->couples) {
            for (int64_t i = 0; i < hidden; i++) {
                forget[i] = 1 - in[i];
            }
        } else {
            NAME(activate)(cell, 0, forget, hidden);
        }
    }
    NAME(activate)(cell, 1, fresh, hidden);
    for (int64_t i = 0; i < hidden; i++) {
        c[i] = fresh[i] = forget[i] * c[i] + in[i] * fresh[i];
    }
    if (peepholes != NULL || cell->couples) { /* the output gate sees the new state */
        if (peepholes != NULL) {
            NAME(add_peephole)(out, peepholes + hidden, c, hidden);
        }
        NAME(activate)(cell, 0, out, hidden);
    }
    NAME(activate)(cell, 2, fresh, hidden);
    for (int64_t i = 0; i < hidden; i++) {
        h[i] = out[i] * fresh[i];
    }
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
