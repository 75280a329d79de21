/* The part of the input that a task needs, for some channels: padded, in the type of the sums, less
 * the zero point, in the order that opmill_convolution_layout states. */

#if TERMS != 4
/* Elements outside of the input, which is without its zero point in the box. */
static inline void NAME(convolution_outside)(REAL *to, int64_t count, REAL zero, int part) {
    (void)zero;
    for (int64_t k = 0; k < count && part == 0; k++) {
        to[k] = 0;
    }
}
#endif

/* Elements `from + i * step` of a row, and the zero point where they lie outside of it. Where an
 * element holds several channels, these are those of its `part`; the first one clears the rest. */
static void NAME(convolution_strip)(REAL *to, const char *line, int64_t length, int64_t from,
                                    int64_t step, int64_t count, int64_t bytes, int32_t type,
                                    REAL zero, int part) {
    int64_t i = 0, end = count;
    if (from < 0) {
        i = (-from - 1) / step + 1;
        i = i < count ? i : count;
    }
    if (line == NULL || from >= length) {
        i = end = count;
    } else if ((length - from - 1) / step + 1 < count) {
        end = (length - from - 1) / step + 1;
    }
    end = end > i ? end : i;
    NAME(convolution_outside)(to, i, zero, part);
    if (end > i) {
        const char *const first = line + (from + i * step) * bytes;
#if IS_PACKED
        NAME(convolution_part)(to + i, first, step, end - i, type, zero, part);
#else
        NAME(product_widen)(to + i, first, step * bytes, end - i, type);
        (void)zero;
#endif
    }
    NAME(convolution_outside)(to + end, count - end, zero, part);
}

static void NAME(convolution_plane)(const opmill_convolution_layout *layout,
                                    const opmill_convolution_task *task, int64_t channel, REAL *box,
                                    int part) {
    const opmill_convolution *const convolution = layout->convolution;
    const opmill_convolution_axis *const h = &layout->rows_axis, *const w = &layout->columns_axis;
    const int64_t bytes = opmill_type_bytes(convolution->x_type);
    const int64_t inner_size = h->in * w->in;
    REAL zero = 0;
#if TERMS == 4
    zero = NAME(convolution_zero)(convolution);
#elif IS_PACKED
    if (convolution->x_zero != NULL) {
        zero = NAME(product_element)(convolution->x_zero, convolution->x_type);
    }
#endif
    const int64_t plane =
        (task->item * convolution->groups + task->group) * convolution->channels + channel;
    const char *const x = (const char *)convolution->x + plane * convolution->in_size * bytes;
    for (int64_t tap = 0; tap < layout->outer_taps; tap++) {
        /* Along the outer axes and, where rows are laid out by tap, along that of the rows. */
        int64_t rest = layout->rows_by_tap ? tap / h->kernel : tap;
        int64_t outer = task->outer, at = 0, step = inner_size;
        bool inside = true;
        for (int32_t i = layout->outer_axes - 1; i >= 0; i--) {
            const opmill_convolution_axis *const axis = &convolution->axes[i];
            const int64_t position = outer % axis->out * axis->stride +
                                     rest % axis->kernel * axis->dilation - axis->begin;
            outer /= axis->out;
            rest /= axis->kernel;
            inside = inside && position >= 0 && position < axis->in;
            at += position * step;
            step *= axis->in;
        }
        for (int64_t r = 0; r < layout->box_rows; r++) {
            const int64_t row = layout->rows_by_tap ? (task->row + r) * h->stride +
                                                          tap % h->kernel * h->dilation - h->begin
                                                    : task->row * h->stride + r - h->begin;
            const char *const line =
                inside && row >= 0 && row < h->in ? x + (at + row * w->in) * bytes : NULL;
            for (int64_t s = 0; s < layout->strips; s++) {
                const int64_t shift = layout->strips_by_tap ? s * w->dilation : s;
                NAME(convolution_strip)(box, line, w->in,
                                        task->column * w->stride + shift - w->begin, w->stride,
                                        layout->strip_size, bytes, convolution->x_type, zero, part);
                box += layout->strip_size;
            }
        }
    }
}

static void NAME(convolution_fill)(const opmill_convolution_layout *layout,
                                   const opmill_convolution_task *task, int64_t channel,
                                   int64_t channels, REAL *box) {
    for (int64_t c = channel; c < channel + channels; c++) {
        for (int part = 0; part < TERMS && TERMS * c + part < layout->convolution->channels;
             part++) {
            NAME(convolution_plane)(layout, task, TERMS * c + part, box, part);
        }
        box += layout->outer_taps * layout->plane_size;
    }
}
