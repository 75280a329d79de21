/* Pools that combine the elements of a window by a sum: means and p-norms.
 *
 * The sum of a window is that of its rows along the last axis: rows are added first, element by
 * element, and then the taps of each window in what comes of it, from the first to the last.
 * Windows of up to OPMILL_POOL_SHORT elements of float are summed in float, all others in double;
 * float16 and bfloat16 as float. The order depends on the shape alone: a result has the same bits
 * on every number of threads. */
#ifndef OPMILL_POOL_POOL_H
#define OPMILL_POOL_POOL_H

#include "opmill/types.h"
#include "runtime/math/math.h"
#include "runtime/platform/platform.h"
#include "runtime/indexing/windows.h"

enum {
    OPMILL_POOL_SHORT = 128, /* elements of a window */
    OPMILL_POOL_LONG = 1024, /* elements of a row of a window: of more, each row is summed first */
    OPMILL_POOL_SPAN = OPMILL_ON_STACK(1024, 16), /* of a row that are summed together, at most */
    OPMILL_POOL_ROW = OPMILL_ON_STACK(512, 8),    /* windows of a row, at most */
    OPMILL_POOL_TOTALS = OPMILL_ON_STACK(512, 8), /* windows of several rows */
    OPMILL_POOL_BLOCK = 16, /* neighbours that are computed together, even where fewer matter */
    OPMILL_POOL_SLACK = 48  /* elements behind a row that the last block may read */
};

/* For each spatial axis; of `counted`, what of the padding counts as elements, at the beginning of
 * every axis, then at the end of every one. */
typedef struct opmill_pool_windows {
    const int64_t *kernel, *strides, *dilations, *begin, *counted;
} opmill_pool_windows;

/* Some neighbouring windows of a row: those from `inside` to `outside` - 1 have no padding along
 * the last axis. */
typedef struct opmill_pool_part {
    int64_t from, to;
    int64_t inside, outside;
    int64_t first, span;            /* the elements that they meet */
    double counts[OPMILL_POOL_ROW]; /* taps that count, along the last axis */
} opmill_pool_part;

typedef struct opmill_pool_problem {
    const void *x;
    void *y;
    int32_t type;
    int32_t axis_count;            /* at least 1 */
    int64_t planes, in_size, rows; /* rows of the output in a plane */
    opmill_window_axis axes[OPMILL_MAX_WINDOW_AXES];
    /* The same axes, longer by the padding that counts. */
    opmill_window_axis counted[OPMILL_MAX_WINDOW_AXES];
    bool by_windows; /* whether each window is summed by itself, as a row of it exceeds a span */
    bool is_long;    /* whether it has more than OPMILL_POOL_LONG elements */
    opmill_pool_part whole; /* all windows of a row, where these are one part */
    bool is_whole;
    bool is_global;   /* a plane is one window of adjacent elements, enough of them for lanes */
    int64_t together; /* whole rows that are computed together, at most */
    double p;
    opmill_math_binary_loop *power; /* of doubles, where p is not 1 or 2 */
} opmill_pool_problem;

/* Computes the rows from `from` to `to` - 1 of the output, counted through all planes. */
typedef void opmill_pool_loop(const opmill_pool_problem *problem, int64_t from, int64_t to);

/* The loops for a type and a level of enum opmill_isa; `wide` sums in double. */
typedef opmill_pool_loop *opmill_pool_finder(int32_t type, bool wide, int32_t isa);

opmill_pool_finder opmill_pool_means;
opmill_pool_finder opmill_pool_norms;

/* Describes the windows of a row from `from` on. */
void opmill_pool_part_of(opmill_pool_part *part, const opmill_pool_problem *problem, int64_t from);

void opmill_pool_run(opmill_pool_finder *finder, const opmill_tensor *x, opmill_tensor *y,
                     const opmill_pool_windows *windows, double p, const opmill_context *context);

#endif
