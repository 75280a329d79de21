/* The totals of windows along a row, of the sums of the rows that these meet, for body.h. */

/* Rows of sums, and of the totals of `count` neighbouring windows without padding in each. */
typedef struct NAME(windows_of_rows) {
    const SUM *sums;
    SUM *totals;
    int64_t rows, span, width; /* from row to row of both */
    int64_t count;
} NAME(windows_of_rows);

/* Totals in whole blocks: what they read and write behind the last row is there. */
OPMILL_INLINE void NAME(slide)(const NAME(windows_of_rows) *of, int64_t kernel, int64_t stride) {
    const int64_t count = of->count;
    for (int64_t row = 0; row < of->rows; row++) {
        const SUM *restrict const sums = of->sums + row * of->span;
        SUM *restrict const totals = of->totals + row * of->width;
        for (int64_t i = 0; i < count; i += OPMILL_POOL_BLOCK) {
            for (int64_t k = i; k < i + OPMILL_POOL_BLOCK; k++) {
                SUM total = sums[k * stride];
                OPMILL_UNROLLED
                for (int64_t tap = 1; tap < kernel; tap++) {
                    total += sums[k * stride + tap];
                }
                totals[k] = total;
            }
        }
    }
}

/* A function that adds adjacent elements of a type, in lanes. */
#define SUM_FUNCTION(function, type)                         \
    static SUM NAME(function)(const type *x, int64_t count) { \
        SUM lanes[16], total = 0;                             \
        int64_t i = 0;                                        \
        if (count >= 16) {                                    \
            for (int lane = 0; lane < 16; lane++) {           \
                lanes[lane] = 0;                              \
            }                                                 \
            for (; i + 16 <= count; i += 16) {                \
                for (int lane = 0; lane < 16; lane++) {       \
                    lanes[lane] += (SUM)x[i + lane];          \
                }                                             \
            }                                                 \
            OPMILL_LANES_VECTORS                              \
            for (int lane = 0; lane < 8; lane++) {            \
                lanes[lane] += lanes[lane + 8];               \
            }                                                 \
            OPMILL_LANES_VECTORS                              \
            for (int lane = 0; lane < 4; lane++) {            \
                lanes[lane] += lanes[lane + 4];               \
            }                                                 \
            lanes[0] += lanes[2];                             \
            lanes[1] += lanes[3];                             \
            total = lanes[0] + lanes[1];                      \
        }                                                     \
        for (; i < count; i++) {                              \
            total += (SUM)x[i];                               \
        }                                                     \
        return total;                                         \
    }

SUM_FUNCTION(sum, SUM)
#if !NORMS && !WIDENS
SUM_FUNCTION(sum_elements, ELEMENT)
#endif
#undef SUM_FUNCTION

static void NAME(slide_row)(const SUM *sums, const opmill_window_axis *axis, int64_t count,
                            SUM *totals) {
    const int64_t kernel = axis->kernel, stride = axis->stride, dilation = axis->dilation;
    if (kernel >= 16 && dilation == 1) {
        for (int64_t i = 0; i < count; i++) {
            totals[i] = NAME(sum)(sums + i * stride, kernel);
        }
        return;
    }
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

static void NAME(slide_any)(const NAME(windows_of_rows) *of, const opmill_window_axis *axis) {
    const int64_t kernel = axis->kernel, stride = axis->stride;
    if (kernel == 2 && stride == 2 && axis->dilation == 1) {
        NAME(slide)(of, 2, 2);
    } else if (kernel == 3 && stride == 2 && axis->dilation == 1) {
        NAME(slide)(of, 3, 2);
    } else if (kernel == 3 && stride == 1 && axis->dilation == 1) {
        NAME(slide)(of, 3, 1);
    } else {
        for (int64_t row = 0; row < of->rows; row++) {
            NAME(slide_row)(of->sums + row * of->span, axis, of->count,
                            of->totals + row * of->width);
        }
    }
}

/* Zeros behind the last row, which whole blocks of windows read. */
static void NAME(clear)(SUM *end) {
    for (int64_t i = 0; i < OPMILL_POOL_SLACK; i++) {
        end[i] = 0;
    }
}

/* How many elements to add where a part meets `span` of a row: whole vectors of them, where the
 * input goes on for so long behind the last of the rows. */
static int64_t NAME(rounded_span)(const opmill_pool_problem *problem, int64_t span, int64_t last) {
    const int64_t blocks = (span - 1) / OPMILL_POOL_BLOCK + 1,
                  end = last + blocks * OPMILL_POOL_BLOCK;
    return problem->power == NULL && end <= problem->planes * problem->in_size
               ? blocks * OPMILL_POOL_BLOCK
               : span;
}

/* The sums of the elements that the windows of a part meet in all rows, element by element; up to
 * OPMILL_POOL_BLOCK - 1 more are written. */
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
        const int64_t span = NAME(rounded_span)(problem, part->span, at + (adjacent - 1) * step);
        more = NAME(next_row)(outer, others, tap);
        for (int64_t k = 0; k < adjacent; k++) {
            rows[count] = NAME(fetch)(problem, row + k * step, space[count], span);
            count++;
            if (count == 3 || (!more && k == adjacent - 1)) {
                for (int64_t i = count; i < 3; i++) {
                    rows[i] = rows[0];
                }
                NAME(add_rows)(rows, count, first, span, sums);
                first = false;
                count = 0;
            }
        }
    }
}

/* The totals of a window that has padding along the last axis, in each of several rows. */
static void NAME(edge)(const opmill_pool_part *part, const opmill_window_axis *axis, int64_t window,
                       const SUM *sums, int64_t rows, SUM *totals) {
    const int64_t span = part->span, width = part->to - part->from;
    const opmill_taps taps = opmill_taps_of(axis, window);
    for (int64_t row = 0; row < rows; row++) {
        SUM total = 0;
        for (int64_t k = 0; k < taps.count; k++) {
            total += sums[row * span + taps.first - part->first + k * axis->dilation];
        }
        totals[row * width + window - part->from] = total;
    }
}

/* All totals of some rows, from the sums of the elements that their part meets. What is written
 * behind the windows without padding is overwritten: by those of the next row, and by the others.
 */
static void NAME(totals)(const opmill_pool_part *part, const opmill_window_axis *axis,
                         const SUM *sums, int64_t rows, SUM *totals) {
    if (part->inside < part->outside) {
        const int64_t start = part->inside * axis->stride - axis->begin - part->first;
        const NAME(windows_of_rows) of = {
            .sums = sums + start,
            .totals = totals + (part->inside - part->from),
            .rows = rows,
            .span = part->span,
            .width = part->to - part->from,
            .count = part->outside - part->inside,
        };
        NAME(slide_any)(&of, axis);
    }
    for (int64_t i = part->from; i < part->inside; i++) {
        NAME(edge)(part, axis, i, sums, rows, totals);
    }
    for (int64_t i = part->outside; i < part->to; i++) {
        NAME(edge)(part, axis, i, sums, rows, totals);
    }
}
