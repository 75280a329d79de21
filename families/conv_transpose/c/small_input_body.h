/* The kernel for few inputs and many weights, for one type and instruction set. */

/* The inputs of a group as [channel][position]. */
static void NAME(small_input_gather)(const small_input_layout *layout, int64_t group,
                                     void *pixels) {
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
static void NAME(small_input_add)(REAL *y, int64_t y_step, int64_t dilation, const REAL *columns,
                                  int64_t columns_step, int64_t maps, int64_t taps) {
    for (int64_t m = 0; m < maps; m++, y += y_step, columns += columns_step) {
        for (int64_t t = 0; t < taps; t++) {
            y[t * dilation] += columns[t];
        }
    }
}

/* Adds all columns of one position, whose coordinates are `at`, into the planes of its item. */
static void NAME(small_input_scatter)(const small_input_layout *layout, const int64_t *at,
                                      const REAL *columns, int64_t maps, REAL *planes) {
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
        to[a] = opmill_min(to[a], axis->kernel);
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
        NAME(small_input_add)(planes + y, problem->out_size, problem->axes[last].dilation,
                              columns + column, problem->kernel_size, maps, to[last] - from[last]);
        for (a = last; a-- > 0 && ++tap[a] == to[a];) {
            tap[a] = from[a];
        }
    } while (a >= 0);
}

/* The columns of `count` maps: W read in order, some channels at a time. */
static void NAME(small_input_columns)(const small_input_layout *layout, int64_t group, int64_t map,
                                      int64_t count, const REAL *pixels, REAL *columns,
                                      REAL *block) {
    const conv_transpose_problem *const problem = layout->problem;
    const int64_t row = problem->maps * problem->kernel_size;
    const int64_t width = count * problem->kernel_size;
    const int64_t span = SMALL_INPUT_VECTORS * LANES;
    const int64_t block_step = span * (int64_t)sizeof(REAL);
    const bool widened = layout->type_bytes != (int64_t)sizeof(REAL);
    for (int64_t c = 0; c < problem->channels; c += SMALL_INPUT_CHANNELS) {
        const int64_t channels = opmill_min(SMALL_INPUT_CHANNELS, problem->channels - c);
        const int64_t w = (group * problem->channels + c) * row + map * problem->kernel_size;
        for (int64_t j = 0; j < width; j += span) {
            /* Half types, and what is less than a tile, come by way of the block. */
            const char *weights = (const char *)problem->w + (w + j) * layout->type_bytes;
            int64_t step = row * layout->type_bytes;
            bool in_place = true;
            if (widened || width - j < span) {
                const int64_t taken = opmill_min(span, width - j);
                for (int64_t i = 0; i < channels; i++) {
                    NAME(widen)(block + i * span, problem->w, w + i * row + j, taken,
                                problem->type);
                    NAME(clear)(block + i * span + taken, span - taken);
                }
                weights = (const char *)block;
                step = block_step;
                in_place = false;
            }
            NAME(product)(columns + j, layout->pitch, layout->positions, SMALL_INPUT_VECTORS,
                          pixels + c * layout->positions, layout->positions, weights, step,
                          channels, c == 0, in_place ? block : NULL);
        }
    }
}

/* Maps [map, map + count) of a group, of all batch items. */
static void NAME(small_input_compute)(const small_input_layout *layout, int64_t group, int64_t map,
                                      int64_t count, const void *pixels, void *scratch) {
    const conv_transpose_problem *const problem = layout->problem;
    const int64_t out_size = problem->out_size;
    REAL *const block = scratch;
    REAL *const columns = block + SMALL_INPUT_CHANNELS * SMALL_INPUT_VECTORS * LANES;
    REAL *const planes = columns + layout->pitch * layout->positions;
    NAME(small_input_columns)(layout, group, map, count, pixels, columns, block);
    const REAL *column = columns;
    for (int64_t n = 0; n < problem->batch; n++) {
        int64_t at[CONV_TRANSPOSE_MAX_AXES] = {0};
        int32_t a;
        NAME(clear)(planes, count * out_size);
        do {
            NAME(small_input_scatter)(layout, at, column, count, planes);
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
