/* Filling boxes, for one type and instruction set. */

/* Zeros in whole vectors. What they run over is filled later, or is the slack behind a plane. */
static inline void NAME(wipe)(REAL *to, int64_t count) {
    for (int64_t i = 0; i < count; i += LANES) {
        OP(store)(to + i, OP(zero)());
    }
}

/* `count` elements of X from `index` on, of `size`; more than that may be written, up to whole
 * vectors, as what follows is written later. */
static inline void NAME(box_row)(REAL *to, const void *x, int64_t index, int64_t count,
                                 int64_t size, int32_t type) {
    const int64_t whole = (count + LANES - 1) / LANES * LANES;
    NAME(widen)(to, x, index, index + whole <= size ? whole : count, type);
}

/* Channels [from, to) of `group`, and the slack behind each: vectors that begin with the last steps
 * run into it, and are to meet numbers there. */
static void NAME(box_fill)(const box_layout *layout, const box_part *part, int64_t group,
                           int64_t from, int64_t to, void *data) {
    const conv_transpose_problem *const problem = layout->problem;
    const int32_t outer = layout->axis_count - 1;
    const box_axis *const last = &layout->axes[outer];
    const int64_t pitch = layout->axes[outer - 1].box_stride;
    int64_t at[BOX_MAX_AXES];

    /* The inputs of a row are x_start .. x_end, after `lead` zeros. */
    const int64_t start = part->first[outer] + last->low;
    const int64_t end = start + part->count[outer] + last->high - last->low;
    const int64_t x_start = start > 0 ? start : 0;
    const int64_t x_end = end < last->shape.in ? end : last->shape.in;
    const int64_t count = x_end > x_start ? x_end - x_start : 0;
    const int64_t lead = count > 0 ? x_start - start : 0;

    const int64_t size = problem->batch * problem->groups * problem->channels * problem->in_size;
    for (int64_t c = from; c < to; c++) {
        const box_axis *const rows = &layout->axes[outer - 1];
        const int64_t x_plane = (group * problem->channels + c) * problem->in_size + x_start;
        const int64_t first_row = part->first[outer - 1] + rows->low;
        const int64_t row_count = part->count[outer - 1] + rows->high - rows->low;
        int32_t a;
        for (a = 0; a < outer - 1; a++) {
            at[a] = 0;
        }
        REAL *to_row;
        do {
            to_row = (REAL *)data + c * layout->plane;
            int64_t x = x_plane + first_row * rows->x_stride;
            bool inside = true;
            for (a = 0; a < outer - 1; a++) {
                const box_axis *const axis = &layout->axes[a];
                const int64_t position = part->first[a] + axis->low + at[a];
                inside = inside && position >= 0 && position < axis->shape.in;
                x += position * axis->x_stride;
                to_row += at[a] * axis->box_stride;
            }
            NAME(wipe)(to_row, lead);
            to_row += lead;
            for (int64_t r = first_row; r < first_row + row_count; r++) {
                const int64_t found = inside && r >= 0 && r < rows->shape.in ? count : 0;
                NAME(box_row)(to_row, problem->x, x, found, size, problem->type);
                NAME(wipe)(to_row + found, pitch - found);
                to_row += pitch;
                x += rows->x_stride;
            }
            /* A vector of the last steps reads on: where the box has fewer rows than its layout,
             * into a gap. */
            OP(store)(to_row, OP(zero)());
            for (a = outer - 1; a-- > 0;) {
                const box_axis *const axis = &layout->axes[a];
                if (++at[a] < part->count[a] + axis->high - axis->low) {
                    break;
                }
                at[a] = 0;
            }
        } while (a >= 0);
        REAL *const end = (REAL *)data + (c + 1) * layout->plane;
        NAME(wipe)(to_row, end - LANES - to_row);
        OP(store)(end - LANES, OP(zero)()); /* there is a vector of slack at least */
    }
}
