/* The kernel for planes of moderate rows: a whole plane, or a band of its rows, is staged and then
 * goes through as one long row. Vectors run across the ends of rows, so that narrow planes fill
 * them; what a tap reads beyond the end of its row is replaced by the lowest value.
 *
 *     staged     elements of X as they follow each other, at stride 2 the even and the odd ones
 * apart reduced    the largest along the last axis: tap by tap, a neighbour in the staged part
 *     result     the largest of the reduced rows of a window, side by side as in Y
 *
 * An axis before these two, as the first of three, has a ring of results, which are compared in
 * turn. Of equal elements the first one comes out, as from the search of whole windows, since all
 * three steps go from the first to the last and take a later one only where it is larger. Where
 * what is staged has a NaN, its windows are searched.
 *
 * At strides of 3 and more along the last axis, the first two steps are done as for 1, and the
 * result picks from whole rows.
 *
 * Small windows of rows that fill a good part of a vector are not staged, but searched in strips:
 * see planes_strips_body.h.
 *
 * It takes calls of two axes or three that are left, with moderate strides along the last axis and
 * short windows. With indices it takes those of floating types and two axes, in row-major order,
 * without dilations, at strides of 1 and 2, where a row is a multiple of the stride and every
 * window meets an element. */
#ifndef OPMILL_MAX_POOL_PLANES_H
#define OPMILL_MAX_POOL_PLANES_H

#include "functions.h"
#include "merged.h"
#include "runtime/platform/platform.h"

enum {
    PLANES_MAX_TAPS = 16,                            /* along an axis */
    PLANES_MAX_STRIDE = 8,                           /* along the last axis */
    PLANES_STACK = OPMILL_ON_STACK(32 * 1024, 1024), /* bytes of a thread, for all that is kept */
    PLANES_ALIGNMENT = 64
};

typedef struct planes_layout {
    const max_pool_problem *problem;
    const max_pool_functions *functions;
    int32_t threads;
    max_pool_merged axes;
    opmill_window_axis deep; /* the outer axis; one of a single element where there is none */

    int64_t band; /* rows of the output in a band */
    int64_t bands;
    int64_t slots; /* results in the ring */
    int64_t group; /* whole planes that are staged, then reduced, then compared together at most */

    bool has_strips;     /* nothing is staged */
    int64_t phases;      /* 2 where even and odd elements are staged apart */
    int64_t pick;        /* every so many elements of a compared row are results; 1 for all */
    int64_t pitch;       /* elements from row to row of what is staged and reduced, a window each */
    int64_t column_step; /* from vector to vector, within a row */
    int64_t tap_at[PLANES_MAX_TAPS];  /* where the first window's tap is staged */
    bool is_limited[PLANES_MAX_TAPS]; /* whether a window has it beyond the ends of its row */

    /* Places in memory, in elements of what is compared. */
    int64_t phase_length; /* of the even ones, of the odd ones */
    int64_t first_row;    /* within a phase */
    int64_t reduced;
    int64_t reduced_length; /* of a plane */
    int64_t limits; /* for each tap, for the windows of a row and more: the largest it may be */
    int64_t limits_length;
    int64_t results; /* with indices, the places of a vector's elements instead */
    int64_t result_length;
    int64_t picked; /* a compared row */
    int64_t all;
} planes_layout;

/* Rows of a plane, as they are staged for some rows of the output; or of several whole planes. A
 * vector that was stored is not at once there to be loaded from another place, so that small planes
 * go through together. */
typedef struct planes_band {
    const char *x;
    int64_t origin; /* the number of this element in X */
    int64_t left;   /* elements of X from there on */
    int64_t group;  /* planes, the rows of each behind the other's */
    int64_t rows;   /* of X */
    int64_t above;  /* rows of padding before them, in the reduced part */
    int64_t below;
    int64_t count; /* rows of the output */
} planes_band;

/* False where this kernel is not the one for a problem. */
bool opmill_max_pool_planes_layout(planes_layout *layout, const max_pool_problem *problem,
                                   const max_pool_functions *functions, int32_t threads);

void opmill_max_pool_planes(const planes_layout *layout);

#endif
