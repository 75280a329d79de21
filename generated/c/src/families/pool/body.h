/* The rows of the output for one type and instruction set; types.h says what is defined. Norms add
 * p-th powers, so that SUM is double and what is added are doubles. */
#if NORMS
#define TERM double
#else
#define TERM SOURCE
#endif
enum {
    NAME(WIDE) = WIDENS ? OPMILL_POOL_SPAN : 1,
    NAME(SPACE) = WIDENS || NORMS ? OPMILL_POOL_SPAN : 1
};

/* Elements as terms: means add them as they are, norms their powers. `space` is for what is not in
 * memory. */
static const TERM *NAME(fetch)(const opmill_pool_problem *problem, const ELEMENT *from, TERM *space,
                               int64_t count) {
#if NORMS
    SOURCE wide[NAME(WIDE)];
    const SOURCE *const x = WIDEN(from, wide, count);
    (void)wide;
    if (problem->p == 2) {
        for (int64_t i = 0; i < count; i++) {
            space[i] = (double)x[i] * (double)x[i];
        }
        return space;
    }
    for (int64_t i = 0; i < count; i++) {
        space[i] = fabs((double)x[i]);
    }
    if (problem->power != NULL) {
        double powers[OPMILL_POOL_SPAN];
        problem->power(space, false, &problem->p, true, powers, count);
        for (int64_t i = 0; i < count; i++) {
            space[i] = powers[i];
        }
    }
    return space;
#else
    (void)problem;
    (void)space;
    (void)count;
    return WIDEN(from, space, count);
#endif
}

/* Adds up to three rows to the sums; `first` where there are none yet. */
static void NAME(add_rows)(const TERM *const *rows, int64_t row_count, bool first, int64_t count,
                           SUM *restrict sums) {
    const TERM *const a = rows[0], *const b = rows[1], *const c = rows[2];
    if (first) {
        switch (row_count) {
        case 1:
            for (int64_t i = 0; i < count; i++) {
                sums[i] = (SUM)a[i];
            }
            break;
        case 2:
            for (int64_t i = 0; i < count; i++) {
                sums[i] = (SUM)a[i] + (SUM)b[i];
            }
            break;
        default:
            for (int64_t i = 0; i < count; i++) {
                sums[i] = (SUM)a[i] + (SUM)b[i] + (SUM)c[i];
            }
        }
        return;
    }
    for (int64_t row = 0; row < row_count; row++) {
        const TERM *const x = rows[row];
        for (int64_t i = 0; i < count; i++) {
            sums[i] += (SUM)x[i];
        }
    }
}

/* Goes on to the next row that a window meets along the axes before the last one; false after the
 * last row. */
static bool NAME(next_row)(const opmill_taps *outer, int32_t count, int64_t *tap) {
    int32_t i = count - 1;
    while (i >= 0 && ++tap[i] == outer[i].count) {
        tap[i--] = 0;
    }
    return i >= 0;
}

static int64_t NAME(row_at)(const opmill_pool_problem *problem, int64_t plane,
                            const opmill_taps *outer, const int64_t *tap) {
    int64_t row = plane;
    for (int32_t i = 0; i < problem->axis_count - 1; i++) {
        const opmill_window_axis *const axis = &problem->axes[i];
        row = row * axis->in + outer[i].first + tap[i] * axis->dilation;
    }
    return row * problem->axes[problem->axis_count - 1].in;
}

#include "families/pool/totals_body.h"

#include "families/pool/windows_body.h"

/* Makes elements of totals; a mean divides each by its own number. */
static void NAME(finish)(const opmill_pool_problem *problem, int64_t count, SUM *totals,
                         const SUM *divisors, ELEMENT *to) {
#if NORMS
    (void)divisors;
    if (problem->p == 2) {
        for (int64_t i = 0; i < count; i++) {
            totals[i] = sqrt(totals[i]);
        }
    } else if (problem->power != NULL) {
        const double root = 1 / problem->p;
        double roots[OPMILL_POOL_TOTALS];
        problem->power(totals, false, &root, true, roots, count);
        for (int64_t i = 0; i < count; i++) {
            totals[i] = roots[i];
        }
    }
#else
    (void)problem;
#endif
#if WIDENS
    SOURCE narrow[OPMILL_POOL_TOTALS];
    for (int64_t i = 0; i < count; i++) {
        narrow[i] = (SOURCE)(NORMS ? totals[i] : totals[i] / divisors[i]);
    }
    NARROW(narrow, to, count);
#else
    for (int64_t i = 0; i < count; i++) {
        to[i] = (ELEMENT)(NORMS ? totals[i] : totals[i] / divisors[i]);
    }
#endif
}

/* A row of the output: where it is along the axes before the last one. */
typedef struct NAME(position) {
    int64_t plane;
    int64_t index[OPMILL_MAX_WINDOW_AXES];
} NAME(position);

static void NAME(next_position)(const opmill_pool_problem *problem, NAME(position) *position) {
    int32_t i = problem->axis_count - 2;
    while (i >= 0 && ++position->index[i] == problem->axes[i].out) {
        position->index[i--] = 0;
    }
    position->plane += i < 0;
}

/* The rows of the input that a row of the output meets; false where it meets none. `counted` is how
 * many count. */
static bool NAME(rows_of)(const opmill_pool_problem *problem, const NAME(position) *position,
                          opmill_taps *outer, double *counted) {
    bool any = true;
    *counted = 1;
    for (int32_t i = 0; i < problem->axis_count - 1; i++) {
        outer[i] = opmill_taps_of(&problem->axes[i], position->index[i]);
        *counted *= (double)opmill_taps_of(&problem->counted[i], position->index[i]).count;
        any = any && outer[i].count > 0;
    }
    return any;
}

/* What the totals of several rows are divided by, from one batch of rows to the next. */
typedef struct NAME(divisors) {
    SUM each[OPMILL_POOL_TOTALS];
    double counted[OPMILL_POOL_TOTALS]; /* of each row, for which they were computed */
} NAME(divisors);

#if !NORMS && !WIDENS
/* The sums of `count` rows that are `step` apart, element by element. */
static void NAME(add_adjacent)(const ELEMENT *x, int64_t count, int64_t step, int64_t span,
                               SUM *restrict sums) {
    const ELEMENT *const a = x, *const b = a + (count > 1 ? step : 0),
                         *const c = b + (count > 2 ? step : 0);
    switch (count) {
    case 1:
        for (int64_t i = 0; i < span; i++) {
            sums[i] = (SUM)a[i];
        }
        break;
    case 2:
        for (int64_t i = 0; i < span; i++) {
            sums[i] = (SUM)a[i] + (SUM)b[i];
        }
        break;
    default:
        for (int64_t i = 0; i < span; i++) {
            sums[i] = (SUM)a[i] + (SUM)b[i] + (SUM)c[i];
        }
    }
    for (int64_t row = 3; row < count; row++) {
        for (int64_t i = 0; i < span; i++) {
            sums[i] += (SUM)x[row * step + i];
        }
    }
}
#endif

/* The sums of the elements that the windows of a whole row meet, element by element. */
static void NAME(add_whole)(const opmill_pool_problem *problem, int64_t plane,
                            const opmill_taps *outer, SUM *sums) {
    const opmill_pool_part *const part = &problem->whole;
#if !NORMS && !WIDENS
    if (problem->axis_count == 2) { /* which needs no walk through the rows */
        const opmill_window_axis *const high = &problem->axes[0];
        const int64_t in = problem->axes[1].in, step = high->dilation * in;
        const int64_t at = (plane * high->in + outer->first) * in + part->first;
        const int64_t span =
            NAME(rounded_span)(problem, part->span, at + (outer->count - 1) * step);
        NAME(add_adjacent)((const ELEMENT *)problem->x + at, outer->count, step, span, sums);
        return;
    }
#endif
    NAME(add_all)(problem, part, plane, outer, sums);
}

/* Several whole rows: what was stored is not at once there to be loaded from another place, so that
 * all rows are added before the windows of the first are. */
static void NAME(together)(const opmill_pool_problem *problem, NAME(position) *position,
                           int64_t rows, NAME(divisors) *divisors, ELEMENT *to) {
    const opmill_window_axis *const axis = &problem->axes[problem->axis_count - 1];
    const opmill_pool_part *const part = &problem->whole;
    const int64_t span = part->span, width = axis->out;
    SUM sums[OPMILL_POOL_SPAN + OPMILL_POOL_SLACK];
    SUM totals[OPMILL_POOL_TOTALS + OPMILL_POOL_BLOCK];
    for (int64_t row = 0; row < rows; row++) {
        opmill_taps outer[OPMILL_MAX_WINDOW_AXES];
        double counted;
        if (NAME(rows_of)(problem, position, outer, &counted)) {
            NAME(add_whole)(problem, position->plane, outer, sums + row * span);
        } else {
            for (int64_t i = 0; i < span; i++) {
                sums[row * span + i] = 0;
            }
        }
        if (divisors->counted[row] != counted) {
            divisors->counted[row] = counted;
            for (int64_t i = 0; i < width; i++) {
                divisors->each[row * width + i] = (SUM)(part->counts[i] * counted);
            }
        }
        NAME(next_position)(problem, position);
    }
    NAME(clear)(sums + rows * span);
    NAME(totals)(part, axis, sums, rows, totals);
    NAME(finish)(problem, rows * width, totals, divisors->each, to);
}

/* A row in parts. */
static void NAME(apart)(const opmill_pool_problem *problem, const NAME(position) *position,
                        ELEMENT *to) {
    const opmill_window_axis *const axis = &problem->axes[problem->axis_count - 1];
    opmill_taps outer[OPMILL_MAX_WINDOW_AXES];
    SUM sums[OPMILL_POOL_SPAN + OPMILL_POOL_SLACK], divisors[OPMILL_POOL_TOTALS];
    SUM totals[OPMILL_POOL_TOTALS + OPMILL_POOL_BLOCK];
    double counted;
    const bool any = NAME(rows_of)(problem, position, outer, &counted);
    for (int64_t i = 0; i < axis->out;) {
        opmill_pool_part part;
        opmill_pool_part_of(&part, problem, i);
        const int64_t count = part.to - i;
        for (int64_t k = 0; k < count; k++) {
            totals[k] = 0;
            divisors[k] = (SUM)(part.counts[k] * counted);
        }
        if (any && problem->by_windows) {
            NAME(windows)(problem, &part, position->plane, outer, totals);
        } else if (any) {
            NAME(add_all)(problem, &part, position->plane, outer, sums);
            NAME(clear)(sums + part.span);
            NAME(totals)(&part, axis, sums, 1, totals);
        }
        NAME(finish)(problem, count, totals, divisors, to + i);
        i = part.to;
    }
}

#if !NORMS && !WIDENS
/* Windows that are a plane each, from which the elements are added as they are. */
static void NAME(planes)(const opmill_pool_problem *problem, int64_t from, int64_t to) {
    const SUM divisor = (SUM)problem->whole.counts[0];
    const int64_t count = problem->axes[0].in;
    const ELEMENT *const x = problem->x;
    ELEMENT *const y = problem->y;
    for (int64_t i = from; i < to; i++) {
        y[i] = (ELEMENT)(NAME(sum_elements)(x + i * count, count) / divisor);
    }
}
#endif

static void NAME(rows)(const opmill_pool_problem *problem, int64_t from, int64_t to) {
    const int64_t width = problem->axes[problem->axis_count - 1].out;
    int64_t rest = from % problem->rows;
    NAME(position) position;
    NAME(divisors) divisors;
#if !NORMS && !WIDENS
    if (problem->is_global) {
        NAME(planes)(problem, from, to);
        return;
    }
#endif
    for (int64_t i = 0; i < problem->together; i++) {
        divisors.counted[i] = -1;
    }
    position.plane = from / problem->rows;
    for (int32_t i = problem->axis_count - 2; i >= 0; i--) {
        position.index[i] = rest % problem->axes[i].out;
        rest /= problem->axes[i].out;
    }
    for (int64_t row = from; row < to;) {
        ELEMENT *const y = (ELEMENT *)problem->y + row * width;
        if (problem->is_whole) {
            const int64_t rows = opmill_min(problem->together, to - row);
            NAME(together)(problem, &position, rows, &divisors, y);
            row += rows;
        } else {
            NAME(apart)(problem, &position, y);
            NAME(next_position)(problem, &position);
            row++;
        }
    }
}

#undef TERM
#undef NAME
#undef SUM
