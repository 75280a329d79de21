/* Computes a step of RNN, GRU or LSTM for one sequence. Instantiates cells_body.h for float and
 * double and for each instruction set, and selects one. */
#include "families/recurrent/cells.h"

#include <stddef.h>

#include "opmill/isa.h"
#include "opmill/types.h"
#include "runtime/numbers/used_types.h"
#include "runtime/platform/platform.h"

typedef struct recurrent_steps {
    void (*step)(const opmill_recurrent_cell *cell, const opmill_recurrent_row *row);
    void (*finish)(const opmill_recurrent_cell *cell, const opmill_recurrent_row *row);
} recurrent_steps;

#define REAL float
#define NAME(name) name##_float_baseline
#include "families/recurrent/cells_body.h"
#define REAL double
#define NAME(name) name##_double_baseline
#include "families/recurrent/cells_body.h"
#if OPMILL_X86_64
OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX2)
#define REAL float
#define NAME(name) name##_float_avx2
#include "families/recurrent/cells_body.h"
#define REAL double
#define NAME(name) name##_double_avx2
#include "families/recurrent/cells_body.h"
OPMILL_TARGET_END
OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX512)
#define REAL float
#define NAME(name) name##_float_avx512
#include "families/recurrent/cells_body.h"
#define REAL double
#define NAME(name) name##_double_avx512
#include "families/recurrent/cells_body.h"
OPMILL_TARGET_END
#endif

static const recurrent_steps *steps_of(const opmill_recurrent_cell *cell) {
    const bool is_double = OPMILL_USES(DOUBLE) && cell->type == OPMILL_DOUBLE;
    switch (cell->isa) {
#if OPMILL_X86_64
    case OPMILL_ISA_AVX512:
        return is_double ? &steps_double_avx512 : &steps_float_avx512;
    case OPMILL_ISA_AVX2:
        return is_double ? &steps_double_avx2 : &steps_float_avx2;
#endif
    default:
        return is_double ? &steps_double_baseline : &steps_float_baseline;
    }
}

void opmill_recurrent_step(const opmill_recurrent_cell *cell, const opmill_recurrent_row *row) {
    steps_of(cell)->step(cell, row);
}

void opmill_recurrent_finish(const opmill_recurrent_cell *cell, const opmill_recurrent_row *row) {
    steps_of(cell)->finish(cell, row);
}
