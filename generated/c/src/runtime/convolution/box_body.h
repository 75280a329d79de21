/* The part of the input that a task needs, for some channels: padded, in the type of the sums, less
 * the zero point, in the order that opmill_convolution_layout states. */

#if IS_PACKED
/* Elements outside of the input, which is without its zero point in the box. */
static inline void NAME(convolution_outside)(REAL *to, int64_t count) {
    for (int64_t k = 0; k < count; k++) {
        to[k] = 0;
    }
}
#endif

#if !IS_PACKED
/* Elements outside of the input. Rows are short: whole vectors are stored, and what they write
 * beyond a strip is written again by the next one, or lies behind the box. */
static inline void NAME(convolution_outside)(REAL *to, int64_t count) {
    if (count > 0) {
        OP(store)(to, OP(zero)());
    }
    for (int64_t k = LANES; k < count; k += LANES) {
        OP(store)(to + k, OP(zero)());
    }
}

/* Adjacent elements, in the same way. */
static inline void NAME(convolution_copy)(REAL *to, const REAL *from, int64_t count) {
    int64_t k = 0;
    for (; k + LANES <= count; k += LANES) {
        OP(store)(to + k, OP(load)(from + k));
    }
    if (k < count && k > 0) {
        OP(store)(to + count - LANES, OP(load)(from + count - LANES));
    } else if (k < count) {
        OP(store)(to, OP(load_part)(from, 0, count));
    }
}

/* Every other element. Nothing behind the last one is read. */
static inline void NAME(convolution_halve)(REAL *to, const REAL *from, int64_t count) {
    int64_t k = 0;
    for (; k + LANES < count; k += LANES) {
        OP(store)(to + k, OP(unzip)(OP(load)(from + 2 * k), OP(load)(from + 2 * k + LANES)));
    }
    if (k > 0 || count == LANES) {
        const REAL *const last = from + 2 * (count - LANES);
        OP(store)(to + count - LANES,
                  OP(unzip)(OP(load)(last), OP(load_part)(last + LANES, 0, LANES - 1)));
    } else {
        const int64_t all = 2 * count - 1, low = all < LANES ? all : LANES;
        OP(store)(to,
                  OP(unzip)(OP(load_part)(from, 0, low), OP(load_part)(from + low, 0, all - low)));
    }
}
#endif

/* Range of the elements of a strip that lie inside of a row: [begin, end), the first at `from`. */
typedef struct NAME(convolution_inside) {
    int64_t begin, end, from;
} NAME(convolution_inside);

static NAME(convolution_inside)
    NAME(convolution_inside_of)(const opmill_convolution_layout *layout,
                                const opmill_convolution_task *task, int64_t strip) {
    const opmill_convolution_axis *const w = &layout->columns_axis;
    const int64_t shift = layout->strips_by_tap ? strip * w->dilation : strip;
    const int64_t from = task->column * w->stride + shift - w->begin, count = layout->strip_size;
    NAME(convolution_inside) inside = {0, 0, 0};
    if (from < 0) {
        inside.begin = (-from - 1) / w->stride + 1;
        inside.begin = inside.begin < count ? inside.begin : count;
    }
    if (from < w->in) {
        inside.end = (w->in - from - 1) / w->stride + 1;
        inside.end = inside.end < count ? inside.end : count;
    }
    inside.end = inside.end > inside.begin ? inside.end : inside.begin;
    inside.from = from + inside.begin * w->stride;
    return inside;
}

/* A strip of a row, and the zero point where it lies outside of it. An element holds as many
 * channels as there are `parts`. */
static inline void NAME(convolution_strip)(const opmill_convolution_layout *layout, REAL *to,
                                           const char *line, int64_t bytes,
                                           const NAME(convolution_inside) *inside, REAL zero,
                                           int parts) {
    const int64_t step = layout->columns_axis.stride, size = layout->strip_size;
    const int64_t begin = line != NULL ? inside->begin : size;
    const int64_t end = line != NULL ? inside->end : size;
    const int32_t type = layout->convolution->x_type;
#if IS_PACKED
    NAME(convolution_outside)(to, begin);
    if (end > begin) {
        NAME(convolution_join)(to + begin, line + inside->from * bytes,
                               layout->convolution->in_size, step, end - begin, type, zero, parts);
    }
    NAME(convolution_outside)(to + end, size - end);
#else
    (void)zero;
    (void)parts;
    NAME(convolution_outside)(to, begin);
    if (end > begin) {
        const char *const from = line + inside->from * bytes;
        if (bytes == (int64_t)sizeof(REAL) && step == 1) {
            NAME(convolution_copy)(to + begin, (const REAL *)(const void *)from, end - begin);
        } else if (bytes == (int64_t)sizeof(REAL) && step == 2) {
            NAME(convolution_halve)(to + begin, (const REAL *)(const void *)from, end - begin);
        } else {
            NAME(product_widen)(to + begin, from, step * bytes, end - begin, type);
        }
    }
    NAME(convolution_outside)(to + end, size - end);
#endif
}

static void NAME(convolution_plane)(const opmill_convolution_layout *layout,
                                    const opmill_convolution_task *task, int64_t channel, REAL *box,
                                    int parts) {
    const opmill_convolution *const convolution = layout->convolution;
    const opmill_convolution_axis *const h = &layout->rows_axis, *const w = &layout->columns_axis;
    const int64_t bytes = opmill_type_bytes(convolution->x_type);
    const int64_t inner_size = h->in * w->in;
    REAL zero = 0;
#if IS_PACKED
    if (convolution->x_zero != NULL) {
        zero = NAME(product_element)(convolution->x_zero, convolution->x_type);
    }
#endif
    const int64_t plane =
        (task->item * convolution->groups + task->group) * convolution->channels + channel;
    const char *const x = (const char *)convolution->x + plane * convolution->in_size * bytes;
    enum { FIRST = 7 }; /* strips that are the same in all rows, and one that is not kept */
    NAME(convolution_inside) first[FIRST + 1];
    for (int64_t s = 0; s < layout->strips && s < FIRST; s++) {
        first[s] = NAME(convolution_inside_of)(layout, task, s);
    }
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
                if (s >= FIRST) {
                    first[FIRST] = NAME(convolution_inside_of)(layout, task, s);
                }
                NAME(convolution_strip)(layout, box, line, bytes, &first[s < FIRST ? s : FIRST],
                                        zero, parts);
                box += layout->strip_size;
            }
        }
    }
}

static void NAME(convolution_fill)(const opmill_convolution_layout *layout,
                                   const opmill_convolution_task *task, int64_t channel,
                                   int64_t channels, REAL *box) {
    for (int64_t c = channel; c < channel + channels; c++) {
        const int64_t left = layout->convolution->channels - TERMS * c;
        if (left > 0) { /* there may be no channel at all */
            NAME(convolution_plane)(layout, task, TERMS * c, box, left < TERMS ? (int)left : TERMS);
        }
        box += layout->outer_taps * layout->plane_size;
    }
}
