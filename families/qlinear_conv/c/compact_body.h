/* The functions for one pair of types, X and W; NAME(function) is the name of each. */

/* The sum of one map. */
static uint32_t NAME(sum)(const X *x, const W *w, const window *one, const geometry *g) {
    uint32_t sum = 0;
    for (int32_t c = 0; c < one->channels; c++) {
        for (int32_t i = 0; i < one->rows; i++) {
            const X *from = x + c * g->plane + i * one->row_step;
            const W *weights = w + c * one->w_channel_step + i * one->w_row_step;
            for (int32_t j = one->columns; j > 0; j--, from += one->column_step) {
                sum += (uint32_t)((*from - g->x_zero) * *weights++);
            }
        }
    }
    return sum;
}

/* The sums of MAPS maps. */
static void NAME(sums)(const X *x, const W *w, const window *one, const geometry *g,
                       uint32_t *sums) {
    const int32_t next = g->map_weights, step = one->column_step, zero = g->x_zero;
    uint32_t s = 0, t = 0, u = 0, v = 0;
    for (int32_t c = 0; c < one->channels; c++) {
        for (int32_t i = 0; i < one->rows; i++) {
            const X *from = x + c * g->plane + i * one->row_step;
            const W *weights = w + c * one->w_channel_step + i * one->w_row_step;
            for (int32_t j = one->columns; j > 0; j--, from += step, weights++) {
                const int32_t element = *from - zero;
                s += (uint32_t)(element * weights[0]);
                t += (uint32_t)(element * weights[next]);
                u += (uint32_t)(element * weights[2 * next]);
                v += (uint32_t)(element * weights[3 * next]);
            }
        }
    }
    sums[0] = s, sums[1] = t, sums[2] = u, sums[3] = v;
}

/* The sum of the elements of a window, which a zero point of w multiplies. */
static uint32_t NAME(total)(const X *x, const window *one, const geometry *g) {
    uint32_t total = 0;
    for (int32_t c = 0; c < one->channels; c++) {
        for (int32_t i = 0; i < one->rows; i++) {
            for (int32_t j = 0; j < one->columns; j++) {
                const X *const from = x + c * g->plane + i * one->row_step + j * one->column_step;
                total += (uint32_t)(*from - g->x_zero);
            }
        }
    }
    return total;
}

int NAME(opmill_qlinear_conv_compact)(const opmill_tensor *x, const opmill_tensor *x_scale,
                                      const opmill_tensor *x_zero, const opmill_tensor *w,
                                      const opmill_tensor *w_scale, const opmill_tensor *w_zero,
                                      const opmill_tensor *y_scale, const opmill_tensor *y_zero,
                                      const opmill_tensor *bias, opmill_tensor *y,
                                      const opmill_qlinear_conv_plan *plan,
                                      opmill_context *context) {
    const geometry g = geometry_of(x, x_zero, w, y, plan);
    const opmill_compact_target target =
        opmill_compact_target_of(y->type, opmill_compact_number(y_zero, 0));
    const int32_t each = opmill_compact_count(w_zero) > 1; /* whether maps have scales */
    const int32_t out = g.rows.out * g.columns.out, all_maps = g.maps * g.groups;
    const uint32_t *const biases = bias != NULL ? bias->data : NULL;
    const X *from = x->data;
    uint8_t *to = y->data;
    (void)context;
    for (int32_t item = 0; item < (int32_t)y->dims[0]; item++) {
        for (int32_t map = 0, count; map < all_maps; map += count, to += count * out) {
            const W *const weights = (const W *)w->data + map * g.map_weights;
            uint32_t added[MAPS];
            int32_t zeros[MAPS], any_zero = 0;
            float factors[MAPS];
            count = g.maps - map % g.maps < MAPS ? 1 : MAPS;
            for (int32_t m = 0; m < count; m++) {
                const int32_t at = each * (map + m);
                const float scale = *(const float *)x_scale->data;
                factors[m] = scale * ((const float *)w_scale->data)[at];
                factors[m] = factors[m] / *(const float *)y_scale->data;
                zeros[m] = opmill_compact_number(w_zero, at);
                any_zero |= zeros[m];
                added[m] = biases != NULL ? biases[map + m] : 0;
            }
            for (int32_t row = 0, i = 0; row < g.rows.out; row++) {
                for (int32_t column = 0; column < g.columns.out; column++, i++) {
                    const window one = window_of(&g, row, column);
                    uint32_t sums[MAPS] = {0}, total = 0;
                    if (one.rows > 0 && one.columns > 0) {
                        if (count == MAPS) {
                            NAME(sums)(from + one.x, weights + one.w, &one, &g, sums);
                        } else {
                            sums[0] = NAME(sum)(from + one.x, weights + one.w, &one, &g);
                        }
                        total = any_zero != 0 ? NAME(total)(from + one.x, &one, &g) : 0;
                    }
                    for (int32_t m = 0; m < count; m++) {
                        const uint32_t sum = sums[m] - total * (uint32_t)zeros[m] + added[m];
                        const float scaled = (float)(int32_t)sum * factors[m];
                        to[m * out + i] = opmill_compact_round(scaled, &target);
                    }
                }
            }
            if ((map + count) % g.maps == 0) { /* the next group */
                from += g.channels * g.plane;
            }
        }
    }
    return OPMILL_OK;
}

#undef X
#undef W
#undef NAME
