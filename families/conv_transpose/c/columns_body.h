/* The columns kernel for one type and instruction set. */

/* Channels whose weights are asked for ahead of their turn. */
enum { NAME(columns_ahead) = 8 };

/* The weights of `count` maps as [channel][map][tap]. */
static void NAME(columns_pack)(const columns_layout *layout, int64_t group, int64_t map,
                               int64_t count, void *packed) {
    const conv_transpose_problem *const problem = layout->problem;
    const int64_t row_size = problem->maps * problem->kernel_size; /* of W */
    const int64_t rows = count * problem->kernel_size;
    const int64_t type_bytes = opmill_type_bytes(problem->type);
    const bool is_part = count < problem->maps;
    for (int64_t c = 0; c < problem->channels; c++) {
        const int64_t w = (group * problem->channels + c) * row_size + map * problem->kernel_size;
        const int64_t ahead = w + row_size * NAME(columns_ahead);
        for (int64_t i = 0; is_part && i < rows; i += 64 / type_bytes) {
            __builtin_prefetch((const char *)problem->w + (ahead + i) * type_bytes);
        }
        NAME(widen)((REAL *)packed + c * layout->weights_pitch, problem->w, w, rows, problem->type);
    }
}

/* The columns of positions [x, x + vectors * LANES) of one image, of which `count` are there, over
 * channels [from, to): the first tile copies their inputs to a panel for the other tiles. */
static void NAME(columns_span)(const columns_layout *layout, int64_t x, int64_t count,
                               int64_t vectors, int64_t rows, int64_t from, int64_t to,
                               const REAL *packed, REAL *panel, REAL *columns) {
    const conv_transpose_problem *const problem = layout->problem;
    const int64_t type_bytes = opmill_type_bytes(problem->type);
    const int64_t width = vectors * LANES;
    const bool in_place = type_bytes == (int64_t)sizeof(REAL) && count >= width;
    const char *inputs = (const char *)problem->x + (x + from * problem->in_size) * type_bytes;
    int64_t step = problem->in_size * type_bytes;
    if (!in_place) {
        for (int64_t c = from; c < to; c++) {
            REAL *const own = panel + (c - from) * width;
            NAME(widen)(own, problem->x, x + c * problem->in_size, opmill_min(count, width),
                        problem->type);
            if (count < width) {
                NAME(clear)(own + count, width - count);
            }
        }
        inputs = (const char *)panel;
        step = width * (int64_t)sizeof(REAL);
    }
    NAME(product)(columns, layout->pitch, rows, vectors, packed + from * layout->weights_pitch,
                  layout->weights_pitch, inputs, step, to - from, from == 0,
                  in_place ? panel : NULL);
}

/* The columns of `maps` maps at spans [from, to) of a chunk, counted over its images: some channels
 * of a strip of spans, then the next channels. */
static void NAME(columns_product)(const columns_layout *layout, const columns_chunk *chunk,
                                  int64_t group, int64_t maps, int64_t from, int64_t to,
                                  const void *packed, void *panel, void *columns) {
    const conv_transpose_problem *const problem = layout->problem;
    const int64_t positions = (chunk->x_to - chunk->x_from) * layout->slice;
    const int64_t vectors = (positions - 1) / LANES + 1;
    /* Of an image: the first ones have a vector more than the others; none has less than two. */
    const int64_t spans = (vectors + COLUMNS_VECTORS - 1) / COLUMNS_VECTORS;
    const int64_t narrow = vectors / spans;
    const int64_t wider = vectors % spans;
    for (int64_t strip = from; strip < to; strip += layout->spans) {
        const int64_t end = opmill_min(strip + layout->spans, to);
        const int64_t first_image = strip / spans;
        for (int64_t c = 0; c < problem->channels; c += layout->channels) {
            const int64_t c_end = opmill_min(c + layout->channels, problem->channels);
            int64_t image = first_image;
            int64_t index = strip - first_image * spans;
            for (int64_t s = strip; s < end; s++) {
                const int64_t own = narrow + (index < wider ? 1 : 0);
                const int64_t start = (index * narrow + opmill_min(index, wider)) * LANES;
                const int64_t plane =
                    ((chunk->image + image) * problem->groups + group) * problem->channels;
                NAME(columns_span)(
                    layout, plane * problem->in_size + chunk->x_from * layout->slice + start,
                    positions - start, opmill_max(own, 2), maps * problem->kernel_size, c, c_end,
                    packed, panel,
                    (REAL *)columns + layout->base + image * layout->image_pitch + start);
                if (++index == spans) {
                    index = 0;
                    image++;
                }
            }
        }
    }
}

/* Where the taps of the outer axes that meet an input have their columns, for the row of outputs
 * whose coordinates on those axes are `row`; returns how many there are. */
static int64_t NAME(columns_rows)(const columns_layout *layout, const columns_chunk *chunk,
                                  const int64_t *row, int64_t *found) {
    const conv_transpose_problem *const problem = layout->problem;
    int64_t count = 1;
    int64_t tap_stride = problem->kernel_size * layout->pitch;
    int64_t x_stride = problem->in_size;
    found[0] = 0;
    for (int32_t a = 0; a < problem->axis_count - 1; a++) {
        const conv_transpose_axis *const axis = &problem->axes[a];
        int64_t before[COLUMNS_OUTER_TAPS];
        const int64_t reach = row[a] + axis->begin;
        int64_t x = reach / axis->stride;
        int64_t rest = reach - x * axis->stride;
        const int64_t x_start = a == 0 ? chunk->x_from : 0;
        const int64_t jump = axis->dilation / axis->stride;
        const int64_t odd = axis->dilation - jump * axis->stride;
        memcpy(before, found, (size_t)count * sizeof *before);
        tap_stride /= axis->kernel;
        x_stride /= axis->in;
        int64_t to = 0;
        for (int64_t tap = 0; tap < axis->kernel; tap++) {
            if (rest == 0 && x >= 0 && x < axis->in) {
                const int64_t at = tap * tap_stride + (x - x_start) * x_stride;
                for (int64_t i = 0; i < count; i++) {
                    found[to++] = before[i] + at;
                }
            }
            x -= jump;
            rest -= odd;
            if (rest < 0) {
                rest += axis->stride;
                x--;
            }
        }
        count = to;
    }
    return count;
}

/* Outputs of one row: steps [from, to) of the last axis, whose inputs are [x_from, x_to). `columns`
 * is where the column of the first tap would have input 0. */
static void NAME(columns_row)(const columns_layout *layout, const REAL *columns,
                              const int64_t *rows, int64_t row_count, int64_t from, int64_t to,
                              int64_t x_from, int64_t x_to, int64_t y, int64_t y_end, REAL bias) {
    const conv_transpose_problem *const problem = layout->problem;
    REAL sums[COLUMNS_PHASES * LANES];
    for (int64_t step = from; step < to; step += LANES) {
        for (int64_t p = 0; p < layout->phases; p++) {
            VECTOR sum = OP(repeat)(bias);
            for (int64_t t = layout->first[p]; t < layout->first[p + 1]; t++) {
                const int64_t x = step + layout->offset[t];
                const int64_t at = layout->tap[t] * layout->pitch + x;
                if (x >= x_from && x + LANES <= x_to) {
                    for (int64_t r = 0; r < row_count; r++) {
                        sum = OP(add)(sum, OP(load)(columns + (at + rows[r])));
                    }
                    continue;
                }
                const int64_t first = opmill_max(x_from - x, 0);
                const int64_t end = opmill_min(x_to - x, LANES);
                for (int64_t r = 0; first < end && r < row_count; r++) {
                    sum = OP(add)(sum, OP(load_part)(columns + (at + rows[r]), first, end));
                }
            }
            OP(store)(sums + p * LANES, sum);
        }
        const int64_t start = y + (step - from) * layout->phases;
        NAME(store_run)(problem, start, sums, LANES, layout->phases,
                        opmill_min(LANES * layout->phases, y_end - start));
    }
}

/* Rows [from, to) of outputs of a chunk, counted over its images and their maps. */
static void NAME(columns_add)(const columns_layout *layout, const columns_chunk *chunk,
                              int64_t group, int64_t map, int64_t from, int64_t to, int64_t maps,
                              const void *columns) {
    const conv_transpose_problem *const problem = layout->problem;
    const int32_t outer = problem->axis_count - 1;
    const conv_transpose_axis *const last = &problem->axes[outer];
    int64_t found[COLUMNS_OUTER_TAPS];
    int64_t row[CONV_TRANSPOSE_MAX_AXES];
    for (int64_t r = from; r < to; r++) {
        int64_t rest = r;
        for (int32_t a = outer; a-- > 0;) {
            const int64_t first = a == 0 ? chunk->y_from : 0;
            const int64_t extent = a == 0 ? chunk->y_to - first : problem->axes[a].out;
            row[a] = first + rest % extent;
            rest /= extent;
        }
        const int64_t m = rest % maps;
        const int64_t image = rest / maps;
        const int64_t plane =
            ((chunk->image + image) * problem->groups + group) * problem->maps + map + m;
        const int64_t count = NAME(columns_rows)(layout, chunk, row, found);
        const REAL *at = (const REAL *)columns + m * problem->kernel_size * layout->pitch +
                         image * layout->image_pitch + layout->base;
        REAL bias = 0;
        int64_t y = plane;
        for (int32_t a = 0; a < outer; a++) {
            y = y * problem->axes[a].out + row[a];
        }
        y *= last->out;
        if (problem->bias) {
            bias = NAME(element)(problem->bias, plane % (problem->groups * problem->maps),
                                 problem->type);
        }
        if (outer > 0) {
            NAME(columns_row)(layout, at, found, count, 0, (last->out - 1) / last->stride + 1, 0,
                              last->in, y, y + last->out, bias);
        } else {
            NAME(columns_row)(layout, at - chunk->x_from, found, count,
                              chunk->y_from / last->stride, (chunk->y_to - 1) / last->stride + 1,
                              chunk->x_kept, chunk->x_to, y + chunk->y_from, y + chunk->y_to, bias);
        }
    }
}
