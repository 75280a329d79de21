/* The functions for one pair of types, A and B; NAME(function) is the name of each. */

/* The sums of some columns, at most COLUMNS, and of the elements of a. */
static uint32_t NAME(sums)(const A *a, int32_t zero, const B *b, int32_t terms, int32_t step,
                           int32_t columns, uint32_t *sums) {
    uint32_t s = 0, t = 0, u = 0, v = 0, total = 0;
    if (columns == COLUMNS) {
        for (int32_t k = 0; k < terms; k++, b += step) {
            const int32_t element = a[k] - zero;
            s += (uint32_t)(element * b[0]);
            t += (uint32_t)(element * b[1]);
            u += (uint32_t)(element * b[2]);
            v += (uint32_t)(element * b[3]);
            total += (uint32_t)element;
        }
        sums[0] = s, sums[1] = t, sums[2] = u, sums[3] = v;
        return total;
    }
    for (int32_t column = 0; column < columns; column++) {
        sums[column] = total = 0;
        for (int32_t k = 0; k < terms; k++) {
            const int32_t element = a[k] - zero;
            sums[column] += (uint32_t)(element * b[k * step + column]);
            total += (uint32_t)element;
        }
    }
    return total;
}

int NAME(opmill_qlinear_matmul_compact)(const opmill_tensor *a, const opmill_tensor *a_scale,
                                        const opmill_tensor *a_zero, const opmill_tensor *b,
                                        const opmill_tensor *b_scale, const opmill_tensor *b_zero,
                                        const opmill_tensor *y_scale, const opmill_tensor *y_zero,
                                        opmill_tensor *y, const opmill_qlinear_matmul_plan *plan,
                                        opmill_context *context) {
    const int32_t terms = (int32_t)b->dims[0], columns = (int32_t)b->dims[1];
    const int32_t rows = opmill_compact_count(y) / columns;
    const int32_t zero = opmill_compact_number(a_zero, 0);
    const int32_t scale_step = opmill_compact_count(b_scale) > 1;
    const int32_t zero_step = opmill_compact_count(b_zero) > 1;
    const opmill_compact_target target =
        opmill_compact_target_of(y->type, opmill_compact_number(y_zero, 0));
    uint8_t *to = y->data;
    (void)plan;
    (void)context;
    for (int32_t row = 0; row < rows; row++) {
        for (int32_t column = 0, count; column < columns; column += count) {
            uint32_t sums[COLUMNS];
            count = columns - column < COLUMNS ? columns - column : COLUMNS;
            const uint32_t total =
                NAME(sums)((const A *)a->data + row * terms, zero, (const B *)b->data + column,
                           terms, columns, count, sums);
            for (int32_t k = 0; k < count; k++) {
                const int32_t at = column + k;
                const int32_t b_number = opmill_compact_number(b_zero, zero_step * at);
                const int32_t sum = (int32_t)(sums[k] - total * (uint32_t)b_number);
                const float scale = *(const float *)a_scale->data;
                const float both = scale * ((const float *)b_scale->data)[scale_step * at];
                const float factor = both / *(const float *)y_scale->data;
                *to++ = opmill_compact_round((float)sum * factor, &target);
            }
        }
    }
    return OPMILL_OK;
}

#undef A
#undef B
#undef NAME
