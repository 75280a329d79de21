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

/* The sums of `count` neighbouring windows without padding, that begin at `sums`. */
OPMILL_INLINE void NAME(slide)(const SUM *restrict sums, int64_t kernel, int64_t stride,
                               int64_t dilation, int64_t count, SUM *restrict totals) {
    for (int64_t i = 0; i < count; i++) {
        SUM total = sums[i * stride];
        OPMILL_UNROLLED
        for (int64_t tap = 1; tap < kernel; tap++) {
            total += sums[i * stride + tap * dilation];
        }
        totals[i] = total;
    }
}

/* The sum of adjacent elements, in lanes. */
static SUM NAME(sum)(const SUM *x, int64_t count) {
    SUM lanes[16], total = 0;
    int64_t i = 0;
    if (count >= 16) {
        for (int lane = 0; lane < 16; lane++) {
            lanes[lane] = 0;
        }
        for (; i + 16 <= count; i += 16) {
            for (int lane = 0; lane < 16; lane++) {
                lanes[lane] += x[i + lane];
            }
        }
        for (int half = 8; half > 0; half /= 2) {
            for (int lane = 0; lane < half; lane++) {
                lanes[lane] += lanes[lane + half];
            }
        }
        total = lanes[0];
    }
    for (; i < count; i++) {
        total += x[i];
    }
    return total;
}

static void NAME(slide_any)(const SUM *sums, const opmill_window_axis *axis, int64_t count,
                            SUM *totals) {
    const int64_t kernel = axis->kernel, stride = axis->stride, dilation = axis->dilation;
    if (kernel == 2 && stride == 2 && dilation == 1) {
        NAME(slide)(sums, 2, 2, 1, count, totals);
    } else if (kernel == 3 && stride == 2 && dilation == 1) {
        NAME(slide)(sums, 3, 2, 1, count, totals);
    } else if (kernel == 3 && stride == 1 && dilation == 1) {
        NAME(slide)(sums, 3, 1, 1, count, totals);
    } else if (kernel >= 16 && dilation == 1) {
        for (int64_t i = 0; i < count; i++) {
            totals[i] = NAME(sum)(sums + i * stride, kernel);
        }
    } else {
        for (int64_t i = 0; i < count; i++) {
            totals[i] = sums[i * stride];
        }
        for (int64_t tap = 1; tap < kernel; tap++) {
            const SUM *const x = sums + tap * dilation;
            if (stride == 1) {
                for (int64_t i = 0; i < count; i++) {
                    totals[i] += x[i];
                }
            } else {
                for (int64_t i = 0; i < count; i++) {
                    totals[i] += x[i * stride];
                }
            }
        }
    }
}

/* The sums of the elements that the windows of a part meet in all rows, element by element. */
static void NAME(add_all)(const opmill_pool_problem *problem, const opmill_pool_part *part,
                          int64_t plane, const opmill_taps *outer, SUM *sums) {
    TERM space[3][NAME(SPACE)];
    const TERM *rows[3];
    int64_t tap[OPMILL_MAX_WINDOW_AXES];
    int64_t count = 0;
    bool first = true, more = part->span > 0;
    /* Along the axis before the last one, rows follow each other in equal steps. */
    const int32_t others = problem->axis_count > 1 ? problem->axis_count - 2 : 0;
    const bool has_rows = problem->axis_count > 1;
    const int64_t adjacent = has_rows ? outer[others].count : 1;
    const int64_t step =
        has_rows ? problem->axes[others].dilation * problem->axes[others + 1].in : 0;
    for (int32_t i = 0; i < problem->axis_count; i++) {
        tap[i] = 0;
    }
    while (more) {
        const int64_t at = NAME(row_at)(problem, plane, outer, tap) + part->first;
        const ELEMENT *const row = (const ELEMENT *)problem->x + at;
        more = NAME(next_row)(outer, others, tap);
        for (int64_t k = 0; k < adjacent; k++) {
            rows[count] = NAME(fetch)(problem, row + k * step, space[count], part->span);
            count++;
            if (count == 3 || (!more && k == adjacent - 1)) {
                for (int64_t i = count; i < 3; i++) {
                    rows[i] = rows[0];
                }
                NAME(add_rows)(rows, count, first, part->span, sums);
                first = false;
                count = 0;
            }
        }
    }
}

/* The totals of the windows of a part that have padding along the last axis. */
static void NAME(edges)(const opmill_window_axis *axis, const opmill_pool_part *part,
                        const SUM *sums, SUM *totals) {
    for (int64_t i = part->from; i < part->to; i++) {
        if (i == part->inside && part->inside < part->outside) {
            i = part->outside - 1;
            continue;
        }
        const opmill_taps taps = opmill_taps_of(axis, i);
        SUM total = 0;
        for (int64_t k = 0; k < taps.count; k++) {
            total += sums[taps.first - part->first + k * axis->dilation];
        }
        totals[i - part->from] = total;
    }
}

/* The sums of the windows of a part whose rows are too long: each by itself, in blocks. */
static void NAME(windows)(const opmill_pool_problem *problem, const opmill_pool_part *part,
                          int64_t plane, const opmill_taps *outer, SUM *totals) {
    const opmill_window_axis *const axis = &problem->axes[problem->axis_count - 1];
    for (int64_t i = part->from; i < part->to; i++) {
        const opmill_taps taps = opmill_taps_of(axis, i);
        int64_t tap[OPMILL_MAX_WINDOW_AXES] = {0};
        SUM total = 0;
        totals[i - part->from] = 0;
        if (taps.count == 0) {
            continue;
        }
        do {
            const ELEMENT *const row =
                (const ELEMENT *)problem->x + NAME(row_at)(problem, plane, outer, tap) + taps.first;
            for (int64_t k = 0; k < taps.count; k += OPMILL_POOL_SPAN) {
                const int64_t count = opmill_min(taps.count - k, OPMILL_POOL_SPAN);
                TERM space[NAME(SPACE)];
                SUM terms[OPMILL_POOL_SPAN];
                if (axis->dilation == 1) {
                    const TERM *const fetched = NAME(fetch)(problem, row + k, space, count);
                    for (int64_t j = 0; j < count; j++) {
                        terms[j] = (SUM)fetched[j];
                    }
                } else {
                    for (int64_t j = 0; j < count; j++) {
                        const ELEMENT *const from = row + (k + j) * axis->dilation;
                        terms[j] = (SUM)*NAME(fetch)(problem, from, space, 1);
                    }
                }
                total += NAME(sum)(terms, count);
            }
        } while (NAME(next_row)(outer, problem->axis_count - 1, tap));
        totals[i - part->from] = total;
    }
}

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
    for (int64_t i = 0; i < count; i++) {
        totals[i] /= divisors[i];
    }
#endif
#if WIDENS
    SOURCE narrow[OPMILL_POOL_TOTALS];
    for (int64_t i = 0; i < count; i++) {
        narrow[i] = (SOURCE)totals[i];
    }
    NARROW(narrow, to, count);
#else
    for (int64_t i = 0; i < count; i++) {
        to[i] = (ELEMENT)totals[i];
    }
#endif
}

/* A row of the output: where it is along the axes before the last one. */
typedef struct NAME(place) {
    int64_t plane;
    int64_t index[OPMILL_MAX_WINDOW_AXES];
} NAME(place);

static void NAME(next_place)(const opmill_pool_problem *problem, NAME(place) *place) {
    int32_t i = problem->axis_count - 2;
    while (i >= 0 && ++place->index[i] == problem->axes[i].out) {
        place->index[i--] = 0;
    }
    place->plane += i < 0;
}

/* The rows of the input that a row of the output meets; false where it meets none. `counted` is how
 * many count. */
static bool NAME(rows_of)(const opmill_pool_problem *problem, const NAME(place) *place,
                          opmill_taps *outer, double *counted) {
    bool any = true;
    *counted = 1;
    for (int32_t i = 0; i < problem->axis_count - 1; i++) {
        outer[i] = opmill_taps_of(&problem->axes[i], place->index[i]);
        *counted *= (double)opmill_taps_of(&problem->counted[i], place->index[i]).count;
        any = any && outer[i].count > 0;
    }
    return any;
}

/* What the totals of several rows are divided by, from one batch of rows to the next. */
typedef struct NAME(divisors) {
    SUM each[OPMILL_POOL_TOTALS];
    double counted[OPMILL_POOL_TOTALS]; /* of each row, for which they were computed */
} NAME(divisors);

/* Several whole rows: what was stored is not at once there to be loaded from another place, so that
 * all rows are added before the windows of the first are. */
static void NAME(together)(const opmill_pool_problem *problem, NAME(place) *place, int64_t rows,
                           NAME(divisors) *divisors, ELEMENT *to) {
    const opmill_window_axis *const axis = &problem->axes[problem->axis_count - 1];
    const opmill_pool_part *const part = &problem->whole;
    const int64_t span = part->span, width = axis->out, inside = part->outside - part->inside;
    const int64_t offset = part->inside * axis->stride - axis->begin - part->first;
    SUM sums[OPMILL_POOL_SPAN], totals[OPMILL_POOL_TOTALS];
    for (int64_t row = 0; row < rows; row++) {
        opmill_taps outer[OPMILL_MAX_WINDOW_AXES];
        double counted;
        if (NAME(rows_of)(problem, place, outer, &counted)) {
            NAME(add_all)(problem, part, place->plane, outer, sums + row * span);
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
        NAME(next_place)(problem, place);
    }
    for (int64_t row = 0; row < rows; row++) {
        SUM *const of_row = totals + row * width;
        NAME(edges)(axis, part, sums + row * span, of_row);
        if (inside > 0) {
            NAME(slide_any)(sums + row * span + offset, axis, inside, of_row + part->inside);
        }
    }
    NAME(finish)(problem, rows * width, totals, divisors->each, to);
}

/* A row in parts. */
static void NAME(apart)(const opmill_pool_problem *problem, const NAME(place) *place, ELEMENT *to) {
    const opmill_window_axis *const axis = &problem->axes[problem->axis_count - 1];
    opmill_taps outer[OPMILL_MAX_WINDOW_AXES];
    SUM sums[OPMILL_POOL_SPAN], totals[OPMILL_POOL_TOTALS], divisors[OPMILL_POOL_TOTALS];
    double counted;
    const bool any = NAME(rows_of)(problem, place, outer, &counted);
    for (int64_t i = 0; i < axis->out;) {
        opmill_pool_part part;
        opmill_pool_part_of(&part, problem, i);
        const int64_t count = part.to - i;
        for (int64_t k = 0; k < count; k++) {
            totals[k] = 0;
            divisors[k] = (SUM)(part.counts[k] * counted);
        }
        if (any && problem->by_windows) {
            NAME(windows)(problem, &part, place->plane, outer, totals);
        } else if (any) {
            NAME(add_all)(problem, &part, place->plane, outer, sums);
            NAME(edges)(axis, &part, sums, totals);
            if (part.outside > part.inside) {
                const int64_t start = part.inside * axis->stride - axis->begin - part.first;
                NAME(slide_any)(sums + start, axis, part.outside - part.inside,
                                totals + (part.inside - i));
            }
        }
        NAME(finish)(problem, count, totals, divisors, to + i);
        i = part.to;
    }
}

static void NAME(rows)(const opmill_pool_problem *problem, int64_t from, int64_t to) {
    const int64_t width = problem->axes[problem->axis_count - 1].out;
    int64_t rest = from % problem->rows;
    NAME(place) place;
    NAME(divisors) divisors;
    for (int64_t i = 0; i < problem->together; i++) {
        divisors.counted[i] = -1;
    }
    place.plane = from / problem->rows;
    for (int32_t i = problem->axis_count - 2; i >= 0; i--) {
        place.index[i] = rest % problem->axes[i].out;
        rest /= problem->axes[i].out;
    }
    for (int64_t row = from; row < to;) {
        ELEMENT *const y = (ELEMENT *)problem->y + row * width;
        if (problem->is_whole) {
            const int64_t rows = opmill_min(problem->together, to - row);
            NAME(together)(problem, &place, rows, &divisors, y);
            row += rows;
        } else {
            NAME(apart)(problem, &place, y);
            NAME(next_place)(problem, &place);
            row++;
        }
    }
}

#undef TERM
#undef NAME
#undef SUM
