/* Computes a step of RNN, GRU or LSTM for one sequence. Instantiates cells_body.h for float and
 * double. */
#include "families/recurrent/cells.h"

#include <stddef.h>

#include "opmill/types.h"

#define REAL float
#define NAME(function) function##_float
#include "families/recurrent/cells_body.h"
#undef REAL
#undef NAME
#define REAL double
#define NAME(function) function##_double
#include "families/recurrent/cells_body.h"

void opmill_recurrent_step(const opmill_recurrent_cell *cell, const opmill_recurrent_row *row) {
    if (cell->type == OPMILL_DOUBLE) {
        step_double(cell, row);
    } else {
        step_float(cell, row);
    }
}

void opmill_recurrent_finish(const opmill_recurrent_cell *cell, const opmill_recurrent_row *row) {
    if (cell->type == OPMILL_DOUBLE) {
        gru_finish_double(cell, row);
    } else {
        gru_finish_float(cell, row);
    }
}
