/* The fast kernel, row by row: each row of X is reduced along the last axis, once, and the rows of
 * a window are then compared element by element. Both go from the first element to the last and
 * take a later one only where it is larger, so that of equal elements the first one comes out, as
 * from the search of whole windows. Where a row has a NaN, its windows are searched.
 *
 * Along the last axis a row is staged: with its padding, and split by its positions modulo the
 * stride, so that every tap is a run of neighbours. Long windows are read as they are instead.
 *
 * It takes calls without indices, on axes of moderate windows; what it keeps of a row, the ring and
 * the staged part, lies on the stack. */
#ifndef OPMILL_MAX_POOL_ROWS_H
#define OPMILL_MAX_POOL_ROWS_H

#include "functions.h"
#include "merged.h"
#include "runtime/platform/platform.h"

enum {
    ROWS_MAX_TAPS = 128,                          /* of a staged row */
    ROWS_MAX_SLOTS = OPMILL_ON_STACK(128, 32),    /* reduced rows that are kept */
    ROWS_STACK = OPMILL_ON_STACK(32 * 1024, 768), /* bytes of a thread for both */
    ROWS_ALIGNMENT = 64
};

typedef struct rows_layout {
    const max_pool_problem *problem;
    const max_pool_functions *functions;
    int32_t threads;
    bool searched; /* windows are read as they are, not staged */

    max_pool_merged axes;

    int64_t tile;  /* windows of a row that are computed together */
    int64_t tiles; /* in a row */
    int64_t band;  /* rows of the output that share reduced rows of X, one task's at most */
    int64_t bands;
    int64_t slots; /* reduced rows in the ring of one outer tap */

    int64_t phases; /* positions modulo the stride that are staged */
    int64_t phase_length;
    int64_t last_shift;            /* of the last tap, in its phase */
    int32_t tap_at[ROWS_MAX_TAPS]; /* where a tap of the first window is staged */
} rows_layout;

/* False where this kernel is not the one for a problem. */
bool opmill_max_pool_rows_layout(rows_layout *layout, const max_pool_problem *problem,
                                 const max_pool_functions *functions, int32_t threads);

void opmill_max_pool_rows(const rows_layout *layout);

#endif
