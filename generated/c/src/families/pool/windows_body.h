/* Windows that are summed by themselves, since a row of one exceeds a span, for body.h. */

/* Terms of elements that are `step` apart, or, unless they are the `first`, terms to add. */
static void NAME(gather)(const opmill_pool_problem *problem, const ELEMENT *from, int64_t step,
                         int64_t count, bool first, SUM *terms) {
    TERM space[NAME(SPACE)];
    const TERM *const adjacent = NAME(fetch)(problem, from, space, step == 1 ? count : 1);
    for (int64_t i = 0; i < count; i++) {
        const SUM term =
            (SUM)(step == 1 ? adjacent[i] : *NAME(fetch)(problem, from + i * step, space, 1));
        terms[i] = first ? term : terms[i] + term;
    }
}

/* The sum of `left` terms, of which `terms` has the first `count`, is continued: in lanes, as
 * NAME(sum) adds them; the result is that of all after the last ones. */
static SUM NAME(continue_sum)(const SUM *terms, int64_t count, int64_t left, int64_t all,
                              SUM *lanes) {
    SUM total = 0;
    int64_t i = 0;
    for (; i + 16 <= count; i += 16) {
        for (int lane = 0; lane < 16; lane++) {
            lanes[lane] += terms[i + lane];
        }
    }
    if (count < left) {
        return 0;
    }
    if (all >= 16) {
        for (int lanes_left = 8; lanes_left > 0; lanes_left /= 2) {
            for (int lane = 0; lane < lanes_left; lane++) {
                lanes[lane] += lanes[lane + lanes_left];
            }
        }
        total = lanes[0];
    }
    for (; i < count; i++) {
        total += terms[i];
    }
    return total;
}

/* The sum of elements of a row, as NAME(sum) adds them. */
static SUM NAME(sum_of_run)(const opmill_pool_problem *problem, const ELEMENT *from, int64_t step,
                            int64_t count) {
    SUM terms[OPMILL_POOL_SPAN], lanes[16] = {0}, total = 0;
    for (int64_t k = 0; k < count; k += OPMILL_POOL_SPAN) {
        const int64_t size = opmill_min(count - k, OPMILL_POOL_SPAN);
        NAME(gather)(problem, from + k * step, step, size, true, terms);
        total = NAME(continue_sum)(terms, size, count - k, count, lanes);
    }
    return total;
}

/* The sum of a window of moderate length, as NAME(totals) adds it: all rows element by element, and
 * then the taps. `inside` says that the window has no padding along the last axis. */
static SUM NAME(sum_of_columns)(const opmill_pool_problem *problem, int64_t plane,
                                const opmill_taps *outer, const opmill_taps *taps, bool inside) {
    const opmill_window_axis *const axis = &problem->axes[problem->axis_count - 1];
    const bool in_lanes = inside && axis->kernel >= 16 && axis->dilation == 1;
    SUM terms[OPMILL_POOL_SPAN], lanes[16] = {0}, total = 0;
    for (int64_t k = 0; k < taps->count; k += OPMILL_POOL_SPAN) {
        const int64_t left = taps->count - k, size = opmill_min(left, OPMILL_POOL_SPAN);
        int64_t tap[OPMILL_MAX_WINDOW_AXES] = {0};
        bool first = true;
        do {
            const ELEMENT *const row =
                (const ELEMENT *)problem->x + NAME(row_at)(problem, plane, outer, tap);
            NAME(gather)(problem, row + taps->first + k * axis->dilation, axis->dilation, size,
                         first, terms);
            first = false;
        } while (NAME(next_row)(outer, problem->axis_count - 1, tap));
        if (in_lanes) {
            total = NAME(continue_sum)(terms, size, left, taps->count, lanes);
            continue;
        }
        for (int64_t i = 0; i < size; i++) {
            total = inside && k + i == 0 ? terms[0] : total + terms[i];
        }
    }
    return total;
}

/* The sums of the windows of a part. */
static void NAME(windows)(const opmill_pool_problem *problem, const opmill_pool_part *part,
                          int64_t plane, const opmill_taps *outer, SUM *totals) {
    const opmill_window_axis *const axis = &problem->axes[problem->axis_count - 1];
    for (int64_t i = part->from; i < part->to; i++) {
        const opmill_taps taps = opmill_taps_of(axis, i);
        int64_t tap[OPMILL_MAX_WINDOW_AXES] = {0};
        SUM total = 0;
        if (taps.count > 0 && OPMILL_POOL_SPAN < OPMILL_POOL_LONG && !problem->is_long) {
            const bool inside = i >= part->inside && i < part->outside;
            total = NAME(sum_of_columns)(problem, plane, outer, &taps, inside);
        } else if (taps.count > 0) {
            do {
                const ELEMENT *const row = (const ELEMENT *)problem->x +
                                           NAME(row_at)(problem, plane, outer, tap) + taps.first;
                for (int64_t k = 0; k < taps.count; k += OPMILL_POOL_LONG) {
                    const int64_t count = opmill_min(taps.count - k, OPMILL_POOL_LONG);
                    total +=
                        NAME(sum_of_run)(problem, row + k * axis->dilation, axis->dilation, count);
                }
            } while (NAME(next_row)(outer, problem->axis_count - 1, tap));
        }
        totals[i - part->from] = total;
    }
}
