/* The kernel that runs along the groups, for one type and instruction set. */

enum { NAME(groups_width) = 8 }; /* outputs that are summed up at once, at most */

/* Planes of `count` groups as [position][lane]; the lanes of groups that are not there are 0.
 * `step` is from a group to the next. Whole vectors of positions are written. */
static void NAME(groups_load)(REAL *to, const void *from, int64_t index, int64_t step,
                              int64_t count, int64_t size, int32_t type) {
    for (int64_t p = 0; p < size; p += LANES) {
        const int64_t used = opmill_min(LANES, size - p);
        VECTOR lanes[LANES];
    UNROLLED for (int l = 0; l < LANES; l++) {
            if (l >= count) {
                lanes[l] = OP(zero)();
                continue;
            }
            const int64_t at = index + l * step + p;
#if HAS_HALF_TYPES
            if (type != OPMILL_FLOAT) {
                REAL part[LANES] = {0};
                NAME(widen)(part, from, at, used, type);
                lanes[l] = OP(load)(part);
                continue;
            }
#endif
            (void)type;
            const char *const start = (const char *)from + at * (int64_t)sizeof(REAL);
            lanes[l] = used == LANES ? OP(load)(start) : OP(load_part)(start, 0, used);
        }
        NAME(zip)(LANES, lanes);
        UNROLLED for (int i = 0; i < LANES; i++) {
            OP(store)(to + (p + i) * LANES, lanes[i]);
        }
    }
}

/* The way back: the outputs of `count` groups. */
static void NAME(groups_store)(void *to, int64_t index, int64_t step, const REAL *from,
                               int64_t count, int64_t size, int32_t type) {
    for (int64_t p = 0; p < size; p += LANES) {
        const int64_t used = opmill_min(LANES, size - p);
        VECTOR lanes[LANES];
        UNROLLED for (int i = 0; i < LANES; i++) {
            lanes[i] = i < used ? OP(load)(from + (p + i) * LANES) : OP(zero)();
        }
        NAME(zip)(LANES, lanes);
        UNROLLED for (int l = 0; l < LANES; l++) {
            if (l < count) {
                NAME(depthwise_store)(to, index + l * step + p, lanes[l], used, type);
            }
        }
    }
}

/* `width` outputs of a row, a stride apart, which meet the same taps; `width` is a constant. */
OPMILL_INLINE void
NAME(groups_sum)(const int width, const groups_layout *layout, const groups_row *rows,
                 int64_t row_count, const groups_taps *taps, const REAL *x, const REAL *w,
                 VECTOR bias, REAL *y, int64_t y_step) {
    const int32_t last = layout->problem->axis_count - 1;
    const int64_t x_step = layout->x_step[last] * LANES;
    const int64_t w_step = layout->tap_step[last] * LANES;
    VECTOR acc[NAME(groups_width)];
    UNROLLED for (int i = 0; i < width; i++) {
        acc[i] = bias;
    }
    for (int64_t r = 0; r < row_count; r++) {
        const REAL *x_at = x + (rows[r].x + taps->x) * LANES;
        const REAL *w_at = w + (rows[r].w + taps->tap) * LANES;
        for (int64_t t = 0; t < taps->count; t++) {
            const VECTOR weight = OP(load)(w_at);
            UNROLLED for (int i = 0; i < width; i++) {
                acc[i] = OP(fma)(OP(load)(x_at + i * LANES), weight, acc[i]);
            }
            x_at -= x_step;
            w_at += w_step;
        }
    }
    UNROLLED for (int i = 0; i < width; i++) {
        OP(store)(y + i * y_step, acc[i]);
    }
}

/* The outputs of one row. */
static void NAME(groups_line)(const groups_layout *layout, const groups_row *rows,
                              int64_t row_count, const REAL *x, const REAL *w, VECTOR bias,
                              REAL *y) {
    const int32_t last = layout->problem->axis_count - 1;
    const conv_transpose_axis *const axis = &layout->problem->axes[last];
    const int64_t y_step = axis->stride * LANES;
#define GROUPS_SUM(WIDTH)                                                                       \
    case WIDTH:                                                                                 \
        NAME(groups_sum)                                                                        \
        (WIDTH, layout, rows, row_count, one, x, w, bias, y + out * LANES, y_step);             \
        break;
    for (int64_t phase = 0; phase < axis->stride && phase < axis->out; phase++) {
        int64_t width;
        for (int64_t out = phase; out < axis->out; out += width * axis->stride) {
            const groups_taps *const one = &layout->taps[last][out];
            width = opmill_min(one->alike, NAME(groups_width));
            switch (width) {
                GROUPS_SUM(1)
                GROUPS_SUM(2)
                GROUPS_SUM(3)
                GROUPS_SUM(4)
                GROUPS_SUM(5)
                GROUPS_SUM(6)
                GROUPS_SUM(7)
                GROUPS_SUM(8)
            }
        }
    }
#undef GROUPS_SUM
}

static void NAME(groups_compute)(const groups_layout *layout, int64_t block, void *scratch) {
    const conv_transpose_problem *const problem = layout->problem;
    const int32_t last = problem->axis_count - 1;
    const int64_t blocks = (problem->groups + LANES - 1) / LANES;
    const int64_t group = block % blocks * LANES;
    const int64_t count = opmill_min(LANES, problem->groups - group);
    const int64_t plane = block / blocks * problem->groups + group;
    REAL *const x = scratch;
    REAL *const y = x + (problem->in_size + LANES - 1) / LANES * LANES * LANES;
    REAL *const w = y + (problem->out_size + LANES - 1) / LANES * LANES * LANES;
    NAME(groups_load)
    (x, problem->x, plane * problem->in_size, problem->in_size, count, problem->in_size,
     problem->type);
    for (int64_t map = 0; map < problem->maps; map++) {
        const int64_t taps = (group * problem->maps + map) * problem->kernel_size;
        REAL of_groups[LANES] = {0};
        for (int64_t l = 0; problem->bias && l < count; l++) {
            of_groups[l] = NAME(element)(problem->bias, (group + l) * problem->maps + map,
                                         problem->type);
        }
        const VECTOR bias = OP(load)(of_groups);
        NAME(groups_load)
        (w, problem->w, taps, problem->maps * problem->kernel_size, count, problem->kernel_size,
         problem->type);
        for (int64_t line = 0; line < layout->lines; line++) {
            const int64_t first = layout->first[line];
            NAME(groups_line)
            (layout, layout->rows + first, layout->first[line + 1] - first, x, w, bias,
             y + line * problem->axes[last].out * LANES);
        }
        NAME(groups_store)
        (problem->y, (plane * problem->maps + map) * problem->out_size,
         problem->maps * problem->out_size, y, count, problem->out_size, problem->type);
    }
}
