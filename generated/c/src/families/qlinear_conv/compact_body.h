/* The sums for one pair of types, X and W; NAME(function) is the name of each. */

/* The sum of one map. */
static uint32_t NAME(single)(const uint8_t *x, const uint8_t *w, const window *one,
                             int32_t x_zero) {
    const int32_t step = one->column_step;
    uint32_t sum = 0;
    for (int32_t c = one->channels; c > 0; c--) {
        const uint8_t *row = x, *w_row = w;
        for (int32_t i = one->rows; i > 0; i--) {
            const X *from = (const X *)row;
            const W *weights = (const W *)w_row;
            for (const W *const end = weights + one->columns; weights < end; from += step) {
                sum += (uint32_t)((*from - x_zero) * *weights++);
            }
            row += one->row_step;
            w_row += one->w_row_step;
        }
        x += one->channel_step;
        w += one->w_channel_step;
    }
    return sum;
}

/* Adds the products of a row of taps to the sums of MAPS maps, whose weights are `next` apart. */
static void NAME(several)(const uint8_t *x, const uint8_t *w, int32_t count, int32_t step,
                          int32_t x_zero, int32_t next, uint32_t *sums) {
    const X *from = (const X *)x;
    const W *weights = (const W *)w, *later = weights + 2 * next, *const end = weights + count;
    uint32_t s = sums[0], t = sums[1], u = sums[2], v = sums[3];
    do { /* with a variable for each of the registers that there are */
        const int32_t element = *from - x_zero;
        from += step;
        t += (uint32_t)(element * weights[next]);
        s += (uint32_t)(element * *weights++);
        v += (uint32_t)(element * later[next]);
        u += (uint32_t)(element * *later++);
    } while (weights < end);
    sums[0] = s, sums[1] = t, sums[2] = u, sums[3] = v;
}

/* The sum of the elements of x, which a zero point of w multiplies. */
static uint32_t NAME(total)(const uint8_t *x, const window *one, int32_t x_zero) {
    uint32_t total = 0;
    for (int32_t c = 0; c < one->channels; c++) {
        for (int32_t i = 0; i < one->rows; i++) {
            for (int32_t j = 0; j < one->columns; j++) {
                const int32_t at = c * one->channel_step + i * one->row_step + j * one->column_step;
                total += (uint32_t)(((const X *)x)[at] - x_zero);
            }
        }
    }
    return total;
}

void NAME(opmill_qlinear_conv_compact)(const void *x, const void *w, const void *factors,
                                       const void *bias, const void *w_zero, void *y,
                                       const opmill_qlinear_conv_compact_plan *plan) {
    static const loops loops = {NAME(single), NAME(several), NAME(total)};
    const scaling by = {factors, bias, w_zero};
    convolve(x, w, by, y, plan, &loops);
}

#undef X
#undef W
#undef NAME
