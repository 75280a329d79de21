/* The kernel for wide strides, for one type and instruction set. */

/* sums[step][lane] of `steps` steps and `vectors` vectors, which are constants, over all taps of
 * the outer axes, channels and offsets. Returns whether there is a NaN among them. */
OPMILL_INLINE bool NAME(taps_tile)(const int steps, const int vectors, const taps_layout *layout,
                                   REAL *sums, const REAL *x, const REAL *weights,
                                   const int64_t *taps, int64_t tap_count) {
    const int64_t channels = layout->problem->channels;
    const int64_t offsets = layout->offsets;
    VECTOR acc[TAPS_STEPS][TAPS_VECTORS];
    UNROLLED for (int s = 0; s < steps; s++) {
        UNROLLED for (int v = 0; v < vectors; v++) {
            acc[s][v] = OP(zero)();
        }
    }
    for (int64_t t = 0; t < tap_count; t++) {
        const REAL *plane = x + taps[t];
        for (int64_t c = 0; c < channels; c++, plane += layout->box.plane) {
            for (int64_t o = 0; o < offsets; o++, weights += layout->width) {
                VECTOR weight[TAPS_VECTORS];
                UNROLLED for (int v = 0; v < vectors; v++) {
                    weight[v] = OP(load)(weights + v * LANES);
                }
                UNROLLED for (int s = 0; s < steps; s++) {
                    const VECTOR input = OP(repeat)(plane[o + s]);
                    UNROLLED for (int v = 0; v < vectors; v++) {
                        acc[s][v] = OP(fma)(weight[v], input, acc[s][v]);
                    }
                }
            }
        }
    }
    MASK nan = OP(nan)(OP(zero)());
    UNROLLED for (int s = 0; s < steps; s++) {
        UNROLLED for (int v = 0; v < vectors; v++) {
            nan = OP(either)(nan, OP(nan)(acc[s][v]));
            OP(store)(sums + s * layout->width + v * LANES, acc[s][v]);
        }
    }
    return OP(any)(nan);
}

typedef bool NAME(taps_function)(const taps_layout *layout, REAL *sums, const REAL *x,
                                 const REAL *weights, const int64_t *taps, int64_t tap_count);

#define TAPS_TILE_OF(STEPS, VECTORS)                                                            \
    static bool NAME(taps_tile_##STEPS##_##VECTORS)(const taps_layout *layout, REAL *sums,      \
                                                    const REAL *x, const REAL *weights,         \
                                                    const int64_t *taps, int64_t tap_count) {   \
        return NAME(taps_tile)(STEPS, VECTORS, layout, sums, x, weights, taps, tap_count);      \
    }
#define TAPS_TILES_OF(STEPS) TAPS_TILE_OF(STEPS, 2) TAPS_TILE_OF(STEPS, 1)
#if VECTOR_REGISTERS == 32
TAPS_TILES_OF(12)
TAPS_TILES_OF(10)
TAPS_TILES_OF(8)
#endif
TAPS_TILES_OF(6)
TAPS_TILES_OF(4)
TAPS_TILES_OF(2)
TAPS_TILES_OF(1)
#undef TAPS_TILES_OF
#undef TAPS_TILE_OF

/* A tile for some of `left` steps: of as many tiles as are needed, all about the same size. It may
 * sum up a step more than there is, which the box and the sums have room for. */
static NAME(taps_function) *NAME(taps_choose)(int64_t left, bool is_pair, int64_t *steps) {
    const int64_t max_steps = VECTOR_REGISTERS == 32 ? TAPS_STEPS : 6;
    const int64_t tiles = (left + max_steps - 1) / max_steps;
    const int64_t each = (left + tiles - 1) / tiles;
    *steps = each;
#define TAPS_TAKE(STEPS)                                                                        \
    if (each > STEPS - 2) {                                                                     \
        return is_pair ? NAME(taps_tile_##STEPS##_2) : NAME(taps_tile_##STEPS##_1);             \
    }
#if VECTOR_REGISTERS == 32
    TAPS_TAKE(12)
    TAPS_TAKE(10)
    TAPS_TAKE(8)
#endif
    TAPS_TAKE(6)
    TAPS_TAKE(4)
    if (each > 1) {
        return is_pair ? NAME(taps_tile_2_2) : NAME(taps_tile_2_1);
    }
    return is_pair ? NAME(taps_tile_1_2) : NAME(taps_tile_1_1);
#undef TAPS_TAKE
}

/* The weights of one map and row phase: [outer tap][channel][offset][lane]. */
static void NAME(taps_pack)(const taps_layout *layout, int64_t group, int64_t map, int64_t phase,
                            REAL *to) {
    const conv_transpose_problem *const problem = layout->problem;
    const int32_t last = problem->axis_count - 1;
    const conv_transpose_axis *const axis = &problem->axes[last];
    for (int64_t t = layout->rows.first[phase]; t < layout->rows.first[phase + 1]; t++) {
        for (int64_t c = 0; c < problem->channels; c++) {
            const int64_t w = ((group * problem->channels + c) * problem->maps + map) *
                                  problem->kernel_size +
                              layout->rows.w[t] * axis->kernel;
            for (int64_t o = 0; o < layout->offsets; o++, to += layout->width) {
                /* Lane r is tap start + r, where there is one. */
                const int64_t start =
                    axis->begin - (layout->box.axes[last + 1].low + o) * axis->stride;
                const int64_t from = opmill_max(0, start);
                const int64_t end = opmill_min(axis->kernel, start + axis->stride);
                if (from < end) {
                    NAME(clear)(to, from - start);
                    NAME(widen)(to + (from - start), problem->w, w + from, end - from,
                                problem->type);
                    NAME(clear)(to + (end - start), layout->width - (end - start));
                } else {
                    NAME(clear)(to, layout->width);
                }
            }
        }
    }
}

/* The steps of one row; `row` is its coordinates, the batch first, and x its inputs in the box. */
static void NAME(taps_row)(const taps_layout *layout, const box_part *part, int64_t map,
                           int64_t phase, const int64_t *row, const REAL *x, const REAL *weights,
                           REAL *sums, REAL bias) {
    const conv_transpose_problem *const problem = layout->problem;
    const int32_t outer = problem->axis_count;
    const conv_transpose_axis *const last = &problem->axes[outer - 1];
    const int64_t *const taps = layout->rows.x + layout->rows.first[phase];
    const int64_t tap_count = layout->rows.first[phase + 1] - layout->rows.first[phase];
    int64_t y = map * problem->out_size;
    for (int32_t a = 0; a < outer; a++) {
        y += row[a] * layout->box.axes[a].y_stride;
    }
    int64_t steps = 0;
    for (int64_t step = 0; step < part->count[outer]; step += steps) {
        const int64_t left = part->count[outer] - step;
        bool nan = false;
        for (int64_t v = 0; v < layout->width; v += TAPS_VECTORS * LANES) {
            NAME(taps_function) *const tile =
                NAME(taps_choose)(left, layout->width - v >= TAPS_VECTORS * LANES, &steps);
            nan |= tile(layout, sums + v, x + step, weights + v, taps, tap_count);
        }
        const int64_t from = (part->first[outer] + step) * last->stride;
        const int64_t to = opmill_min(last->out, from + steps * last->stride);
        if (nan) {
            opmill_conv_transpose_direct_row(problem, row[0], map, row + 1, from, to);
        } else if (layout->width == last->stride) {
            NAME(narrow)(problem->y, y + from, sums, to - from, bias, problem->type);
        } else {
            for (int64_t s = from; s < to; s += last->stride) {
                NAME(narrow)(problem->y, y + s, sums + (s - from) / last->stride * layout->width,
                             opmill_min(last->stride, to - s), bias, problem->type);
            }
        }
    }
}

/* All rows of one phase of one map. */
static void NAME(taps_compute)(const taps_layout *layout, const box_part *part, int64_t group,
                               int64_t map, int64_t phase, const void *data, void *scratch) {
    const conv_transpose_problem *const problem = layout->problem;
    const int32_t outer = problem->axis_count;
    REAL *const sums = scratch;
    REAL *const weights = sums + TAPS_STEPS * layout->width;
    int64_t start[BOX_MAX_AXES]; /* the phase on each axis */
    int64_t steps[BOX_MAX_AXES];
    int64_t at[BOX_MAX_AXES] = {0};
    int64_t rest = phase;
    REAL bias = 0;
    int32_t a;
    for (a = outer; a-- > 0;) {
        const conv_transpose_axis *const shape = &layout->box.axes[a].shape;
        start[a] = rest % layout->box.axes[a].phases;
        rest /= layout->box.axes[a].phases;
        steps[a] = opmill_min(
            part->count[a],
            (shape->out - start[a] + shape->stride - 1) / shape->stride - part->first[a]);
        if (steps[a] <= 0) {
            return;
        }
    }
    NAME(taps_pack)(layout, group, map, phase, weights);
    map += group * problem->maps;
    if (problem->bias) {
        bias = NAME(element)(problem->bias, map, problem->type);
    }
    do {
        const REAL *x = data;
        int64_t row[BOX_MAX_AXES];
        for (a = 0; a < outer; a++) {
            const box_axis *const axis = &layout->box.axes[a];
            row[a] = (part->first[a] + at[a]) * axis->shape.stride + start[a];
            x += at[a] * axis->box_stride;
        }
        NAME(taps_row)(layout, part, map, phase, row, x, weights, sums, bias);
        for (a = outer; a-- > 0 && ++at[a] == steps[a];) {
            at[a] = 0;
        }
    } while (a >= 0);
}
