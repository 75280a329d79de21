/* The kernel for few inputs and many weights, for one type and instruction set. */

/* sums[position][lane] += pixels[channel][position] * weights[channel][lane], for `positions` and
 * `vectors` that are constants. The weights are copied too, if asked for; their step is in bytes,
 * as W may be misaligned. */
static inline __attribute__((always_inline)) void
NAME(few_tile)(const int positions, const int vectors, REAL *sums, int64_t pitch,
               const REAL *pixels, int64_t pixels_step, const char *weights, int64_t weights_step,
               int64_t channels, bool is_first, REAL *copy) {
    VECTOR acc[FEW_TILE][FEW_VECTORS];
    UNROLLED for (int p = 0; p < positions; p++) {
        UNROLLED for (int v = 0; v < vectors; v++) {
            acc[p][v] = is_first ? OP(zero)() : OP(load)(sums + p * pitch + v * LANES);
        }
    }
    for (int64_t c = 0; c < channels; c++) {
        VECTOR weight[FEW_VECTORS];
        UNROLLED for (int v = 0; v < vectors; v++) {
            weight[v] = OP(load)(weights + v * (int64_t)sizeof(VECTOR));
        }
        UNROLLED for (int p = 0; p < positions; p++) {
            const VECTOR pixel = OP(repeat)(pixels[p]);
            UNROLLED for (int v = 0; v < vectors; v++) {
                acc[p][v] = OP(fma)(weight[v], pixel, acc[p][v]);
            }
        }
        if (copy) {
            UNROLLED for (int v = 0; v < vectors; v++) {
                OP(store)(copy + v * LANES, weight[v]);
            }
            copy += vectors * LANES;
        }
        pixels += pixels_step;
        weights += weights_step;
    }
    UNROLLED for (int p = 0; p < positions; p++) {
        UNROLLED for (int v = 0; v < vectors; v++) {
            OP(store)(sums + p * pitch + v * LANES, acc[p][v]);
        }
    }
}

typedef void NAME(few_tile_function)(REAL *sums, int64_t pitch, const REAL *pixels,
                                     int64_t pixels_step, const char *weights,
                                     int64_t weights_step, int64_t channels, bool is_first,
                                     REAL *copy);

#define FEW_TILE_OF(POSITIONS, VECTORS)                                                         \
    static void NAME(few_tile_##POSITIONS##_##VECTORS)(                                         \
        REAL * sums, int64_t pitch, const REAL *pixels, int64_t pixels_step,                    \
        const char *weights, int64_t weights_step, int64_t channels, bool is_first,             \
        REAL *copy) {                                                                           \
        NAME(few_tile)(POSITIONS, VECTORS, sums, pitch, pixels, pixels_step, weights,           \
                       weights_step, channels, is_first, copy);                                 \
    }
#if VECTOR_REGISTERS == 32
FEW_TILE_OF(8, 3)
#endif
FEW_TILE_OF(4, 3)
FEW_TILE_OF(2, 3)
FEW_TILE_OF(1, 3)
#undef FEW_TILE_OF

/* The inputs of a group as [channel][position]. */
static void NAME(few_gather)(const few_layout *layout, int64_t group, void *pixels) {
    const conv_transpose_problem *const problem = layout->problem;
    REAL *to = pixels;
    for (int64_t c = 0; c < problem->channels; c++) {
        for (int64_t n = 0; n < problem->batch; n++) {
            const int64_t plane = (n * problem->groups + group) * problem->channels + c;
            NAME(widen)(to, problem->x, plane * problem->in_size, problem->in_size, problem->type);
            to += problem->in_size;
        }
    }
}

/* Adds the columns of one tap row of one position into the planes of all maps. */
static void NAME(few_add)(REAL *y, int64_t y_step, int64_t dilation, const REAL *columns,
                          int64_t columns_step, int64_t maps, int64_t taps) {
    for (int64_t m = 0; m < maps; m++, y += y_step, columns += columns_step) {
        for (int64_t t = 0; t < taps; t++) {
            y[t * dilation] += columns[t];
        }
    }
}

/* Adds all columns of one position, whose coordinates are `at`, into the planes of its item. */
static void NAME(few_scatter)(const few_layout *layout, const int64_t *at, const REAL *columns,
                              int64_t maps, REAL *planes) {
    const conv_transpose_problem *const problem = layout->problem;
    const int32_t last = problem->axis_count - 1;
    /* On each axis, the taps [from, to) that land inside, and where the first tap lands. */
    int64_t from[CONV_TRANSPOSE_MAX_AXES] = {0};
    int64_t to[CONV_TRANSPOSE_MAX_AXES] = {0};
    int64_t tap[CONV_TRANSPOSE_MAX_AXES] = {0};
    int32_t a;
    for (a = 0; a <= last; a++) {
        const conv_transpose_axis *const axis = &problem->axes[a];
        const int64_t start = at[a] * axis->stride - axis->begin;
        from[a] = start < 0 ? (-start - 1) / axis->dilation + 1 : 0;
        to[a] = start < axis->out ? (axis->out - 1 - start) / axis->dilation + 1 : 0;
        to[a] = conv_transpose_least(to[a], axis->kernel);
        tap[a] = from[a];
        if (from[a] >= to[a]) {
            return;
        }
    }
    do {
        int64_t y = 0;
        int64_t column = 0;
        for (a = 0; a <= last; a++) {
            const conv_transpose_axis *const axis = &problem->axes[a];
            y = y * axis->out + at[a] * axis->stride - axis->begin + tap[a] * axis->dilation;
            column = column * axis->kernel + tap[a];
        }
        NAME(few_add)(planes + y, problem->out_size, problem->axes[last].dilation,
                      columns + column, problem->kernel_size, maps, to[last] - from[last]);
        for (a = last; a-- > 0 && ++tap[a] == to[a];) {
            tap[a] = from[a];
        }
    } while (a >= 0);
}

/* The tile for most of `left` positions, and how many it takes. */
static NAME(few_tile_function) *NAME(few_choose)(int64_t left, int64_t *positions) {
#if VECTOR_REGISTERS == 32
    if (left >= 8) {
        *positions = 8;
        return NAME(few_tile_8_3);
    }
#endif
    if (left >= 4) {
        *positions = 4;
        return NAME(few_tile_4_3);
    }
    *positions = left >= 2 ? 2 : 1;
    return left >= 2 ? NAME(few_tile_2_3) : NAME(few_tile_1_3);
}

/* The columns of `count` maps: W read in order, some channels at a time. */
static void NAME(few_columns)(const few_layout *layout, int64_t group, int64_t map, int64_t count,
                              const REAL *pixels, REAL *columns, REAL *block) {
    const conv_transpose_problem *const problem = layout->problem;
    const int64_t row = problem->maps * problem->kernel_size;
    const int64_t width = count * problem->kernel_size;
    const int64_t span = FEW_VECTORS * LANES;
    const int64_t block_step = span * (int64_t)sizeof(REAL);
    const bool widened = layout->type_bytes != (int64_t)sizeof(REAL);
    for (int64_t c = 0; c < problem->channels; c += FEW_CHANNELS) {
        const int64_t channels = conv_transpose_least(FEW_CHANNELS, problem->channels - c);
        const int64_t w = (group * problem->channels + c) * row + map * problem->kernel_size;
        for (int64_t j = 0; j < width; j += span) {
            /* Half types, and what is less than a tile, come by way of the block. */
            const char *weights = (const char *)problem->w + (w + j) * layout->type_bytes;
            int64_t step = row * layout->type_bytes;
            bool copied = false;
            if (widened || width - j < span) {
                for (int64_t i = 0; i < channels; i++) {
                    NAME(widen)(block + i * span, problem->w, w + i * row + j,
                                conv_transpose_least(span, width - j), problem->type);
                }
                weights = (const char *)block;
                step = block_step;
                copied = true;
            }
            int64_t taken;
            for (int64_t p = 0; p < layout->positions; p += taken) {
                NAME(few_tile_function) *const tile =
                    NAME(few_choose)(layout->positions - p, &taken);
                tile(columns + p * layout->pitch + j, layout->pitch,
                     pixels + c * layout->positions + p, layout->positions, weights, step,
                     channels, c == 0, copied ? NULL : block);
                /* The first tile has left a copy whose rows follow each other. */
                weights = (const char *)block;
                step = block_step;
                copied = true;
            }
        }
    }
}

/* Maps [map, map + count) of a group, of all batch items. */
static void NAME(few_compute)(const few_layout *layout, int64_t group, int64_t map, int64_t count,
                              const void *pixels, void *scratch) {
    const conv_transpose_problem *const problem = layout->problem;
    const int64_t out_size = problem->out_size;
    REAL *const block = scratch;
    REAL *const columns = block + FEW_CHANNELS * FEW_VECTORS * LANES;
    REAL *const planes = columns + layout->pitch * layout->positions;
    NAME(few_columns)(layout, group, map, count, pixels, columns, block);
    const REAL *column = columns;
    for (int64_t n = 0; n < problem->batch; n++) {
        int64_t at[CONV_TRANSPOSE_MAX_AXES] = {0};
        int32_t a;
        NAME(clear)(planes, count * out_size);
        do {
            NAME(few_scatter)(layout, at, column, count, planes);
            column += layout->pitch;
            for (a = problem->axis_count; a-- > 0 && ++at[a] == problem->axes[a].in;) {
                at[a] = 0;
            }
        } while (a >= 0);
        for (int64_t m = 0; m < count; m++) {
            const int64_t plane = group * problem->maps + map + m;
            REAL bias = 0;
            if (problem->bias) {
                bias = NAME(element)(problem->bias, plane, problem->type);
            }
            NAME(narrow)(problem->y, (n * problem->groups * problem->maps + plane) * out_size,
                         planes + m * out_size, out_size, bias, problem->type);
        }
    }
}
