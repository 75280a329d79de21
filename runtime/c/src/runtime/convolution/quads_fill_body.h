/* The part of the input that a task needs, as quads in the order that quads.h states. */

/* The zero point of the input, as an unsigned number. */
static inline REAL NAME(quads_zero)(const opmill_convolution *convolution) {
    const uint8_t zero =
        convolution->x_zero != NULL ? *(const uint8_t *)convolution->x_zero : (uint8_t)0;
    return convolution->x_type == OPMILL_INT8 ? zero ^ 0x80u : zero;
}

/* The bytes of four lines side by side become quads; `line[k]` has those of term k. */
static inline void NAME(quads_join)(REAL *to, const uint8_t *const *line, int64_t count,
                                    REAL turned) {
    for (int64_t i = 0; i < count; i += LANES) {
        const VECTOR quads = OP(join)(line[0] + i, line[1] + i, line[2] + i, line[3] + i);
        OP(store)(to + i, quads ^ OP(repeat)(turned));
    }
}

/* The same of an input that has the lines: nothing behind them is read. */
static inline void NAME(quads_join_input)(REAL *to, const uint8_t *const *line, int64_t count,
                                          REAL turned) {
    const int64_t whole = count / LANES * LANES;
    NAME(quads_join)(to, line, whole, turned);
    if (whole < count) {
        uint8_t last[TERMS][LANES] = {{0}};
        const uint8_t *const rest[] = {last[0], last[1], last[2], last[3]};
        for (int k = 0; k < TERMS; k++) {
            OP(copy_bytes)(last[k], line[k] + whole, count - whole);
        }
        NAME(quads_join)(to + whole, rest, LANES, turned);
    }
}

/* Each four adjacent bytes, one byte or two further than the ones before, become quads. */
static inline void NAME(quads_windows)(REAL *to, const uint8_t *line, int64_t step, int64_t count,
                                       REAL turned) {
    for (int64_t i = 0; i < count; i += LANES) {
        const VECTOR quads = step == 1 ? OP(windows)(line + i) : OP(windows_2)(line + 2 * i);
        OP(store)(to + i, quads ^ OP(repeat)(turned));
    }
}

/* Of an input channel, at a tap of the outer axes: the first row, or NULL where that is outside. */
static const uint8_t *NAME(quads_rows)(const opmill_quads_layout *layout,
                                       const opmill_quads_task *task, int64_t channel,
                                       int64_t tap) {
    const opmill_convolution *const convolution = layout->convolution;
    const int64_t plane =
        (task->item * convolution->groups + task->group) * convolution->channels + channel;
    int64_t outer = task->outer, at = 0, step = layout->rows_axis.in * layout->columns_axis.in;
    for (int32_t i = layout->outer_axes - 1; i >= 0; i--) {
        const opmill_convolution_axis *const axis = &convolution->axes[i];
        const int64_t position =
            outer % axis->out * axis->stride + tap % axis->kernel * axis->dilation - axis->begin;
        if (position < 0 || position >= axis->in) {
            return NULL;
        }
        outer /= axis->out;
        tap /= axis->kernel;
        at += position * step;
        step *= axis->in;
    }
    return (const uint8_t *)convolution->x + plane * convolution->in_size + at;
}

/* Lines that begin with the same column of the input, of all rows of the box for a channel: its
 * elements a stride apart, and the zero point where they lie outside of it. */
static void NAME(quads_lines)(const opmill_quads_layout *layout, const opmill_quads_task *task,
                              const uint8_t *rows, int64_t from, uint8_t zero, uint8_t *line) {
    const opmill_convolution_axis *const h = &layout->rows_axis, *const w = &layout->columns_axis;
    const int64_t step = layout->line_stride, count = layout->line_size;
    const int64_t pitch = layout->lines * layout->line_pitch;
    int64_t begin = from < 0 ? (-from - 1) / step + 1 : 0;
    int64_t end = from < w->in ? (w->in - from - 1) / step + 1 : 0;
    begin = begin > count ? count : begin;
    end = end > count ? count : end;
    for (int64_t phase = 0; phase < layout->row_phases; phase++) {
        const int64_t first =
            task->row * h->stride - h->begin + (layout->rows_by_tap ? phase * h->dilation : phase);
        for (int64_t r = 0; r < layout->phase_rows; r++, line += pitch) {
            const int64_t row = first + r * h->stride;
            int64_t done = 0;
            if (rows != NULL && row >= 0 && row < h->in && end > begin) {
                OP(fill_bytes)(line, begin, zero);
                done =
                    begin + OP(copy_steps)(line + begin, rows + row * w->in + from + begin * step,
                                           step, end - begin, zero);
            }
            OP(fill_bytes)(line + done, count - done, zero);
        }
    }
}

/* Where the line of a tap begins. */
static inline int64_t NAME(quads_tap)(const opmill_quads_layout *layout, int64_t tap) {
    const opmill_convolution_axis *const w = &layout->columns_axis;
    return layout->lines_by_tap
               ? tap * layout->line_pitch
               : tap * w->dilation % w->stride * layout->line_pitch + tap * w->dilation / w->stride;
}

/* The quads of one column of them from the lines of all rows of the box. */
static void NAME(quads_column)(const opmill_quads_layout *layout, const opmill_quads_task *task,
                               const uint8_t *lines, int64_t parts, int64_t column, REAL turned,
                               REAL *to) {
    const int64_t row_size = layout->lines * layout->line_pitch;
    const int64_t taps = layout->columns_axis.kernel;
    const uint8_t *line[TERMS];
    if (layout->takes_windows) {
        for (int64_t r = 0; r < layout->box_rows; r++) {
            NAME(quads_windows)(to + r * layout->columns, lines + r * row_size + column * TERMS,
                                layout->columns_axis.stride, task->columns, turned);
        }
        return;
    }
    for (int64_t k = 0; k < TERMS; k++) {
        if (layout->joins_taps) {
            const int64_t tap = column * TERMS + k;
            line[k] = lines + NAME(quads_tap)(layout, tap < taps ? tap : 0);
        } else {
            const int64_t part = k < parts ? k : 0;
            line[k] = lines + part * layout->box_rows * row_size + NAME(quads_tap)(layout, column);
        }
    }
    for (int64_t r = 0; r < layout->box_rows; r++) {
        NAME(quads_join)(to + r * layout->columns, line, task->columns, turned);
        for (int64_t k = 0; k < TERMS; k++) {
            line[k] += row_size;
        }
    }
}

static void NAME(quads_fill)(const opmill_quads_layout *layout, const opmill_quads_task *task) {
    const opmill_convolution *const convolution = layout->convolution;
    const REAL turned = convolution->x_type == OPMILL_INT8 ? 0x80808080u : 0;
    const uint8_t zero = (uint8_t)(NAME(quads_zero)(convolution) ^ (turned & 0xffu));
    const int64_t step = layout->joins_taps ? 1 : TERMS;
    REAL *to = (REAL *)(void *)task->workspace;
    uint8_t *const lines = (uint8_t *)task->workspace + layout->lines_offset;
    const opmill_convolution_axis *const w = &layout->columns_axis;
    const int64_t from = task->column * w->stride - w->begin;
    const int64_t line_step = layout->lines_by_tap ? w->dilation : 1;
    const int64_t channel_size = layout->box_rows * layout->lines * layout->line_pitch;
    for (int64_t channel = 0; channel < convolution->channels; channel += step) {
        const int64_t left = convolution->channels - channel;
        const int64_t parts = left < step ? left : step;
        if (layout->is_direct) {
            const uint8_t *line[TERMS];
            for (int64_t k = 0; k < TERMS; k++) {
                line[k] =
                    NAME(quads_rows)(layout, task, channel + (k < parts ? k : 0), 0) + task->column;
            }
            NAME(quads_join_input)(to, line, task->columns, turned);
            to += layout->columns;
            continue;
        }
        for (int64_t tap = 0; tap < layout->outer_taps; tap++) {
            for (int64_t k = 0; k < parts; k++) {
                const uint8_t *const rows = NAME(quads_rows)(layout, task, channel + k, tap);
                uint8_t *const first = lines + k * channel_size;
                for (int64_t i = 0; i < layout->lines; i++) {
                    NAME(quads_lines)(layout, task, rows, from + i * line_step, zero,
                                      first + i * layout->line_pitch);
                }
            }
            for (int64_t j = 0; j < layout->column_steps; j++) {
                NAME(quads_column)(layout, task, lines, parts, j, turned, to);
                to += layout->box_rows * layout->columns;
            }
        }
    }
}
