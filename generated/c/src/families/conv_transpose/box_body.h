/* Filling boxes, for one type and instruction set. */

/* Channels [from, to) of `group`. */
static void NAME(box_fill)(const box_layout *layout, const box_part *part, int64_t group,
                       int64_t from, int64_t to, void *data) {
    const conv_transpose_problem *const problem = layout->problem;
    const int32_t outer = layout->axis_count - 1;
    const box_axis *const last = &layout->axes[outer];
    const int64_t pitch = layout->axes[outer - 1].box_stride;

    /* The inputs of a row are x_start .. x_end, after `lead` zeros. */
    const int64_t start = part->first[outer] + last->low;
    const int64_t end = start + part->count[outer] + last->high - last->low;
    const int64_t x_start = start > 0 ? start : 0;
    const int64_t x_end = end < last->shape.in ? end : last->shape.in;
    const int64_t count = x_end > x_start ? x_end - x_start : 0;
    const int64_t lead = count > 0 ? x_start - start : 0;

    for (int64_t c = from; c < to; c++) {
        REAL *const plane = (REAL *)data + c * layout->plane;
        const int64_t x_plane = (group * problem->channels + c) * problem->in_size;
        int64_t at[BOX_MAX_AXES] = {0};
        int32_t a;
        do {
            int64_t x = x_plane + x_start;
            int64_t row = 0;
            bool inside = true;
            for (a = 0; a < outer; a++) {
                const box_axis *const axis = &layout->axes[a];
                const int64_t position = part->first[a] + axis->low + at[a];
                inside = inside && position >= 0 && position < axis->shape.in;
                x += position * axis->x_stride;
                row += at[a] * axis->box_stride;
            }
            if (inside) {
                NAME(clear)(plane + row, lead);
                NAME(widen)(plane + row + lead, problem->x, x, count, problem->type);
                NAME(clear)(plane + row + lead + count, pitch - count);
            } else {
                NAME(clear)(plane + row, pitch + lead);
            }
            a = outer;
            while (a-- > 0) {
                const box_axis *const axis = &layout->axes[a];
                if (++at[a] < part->count[a] + axis->high - axis->low) {
                    break;
                }
                at[a] = 0;
            }
        } while (a >= 0);
    }
}
