/* The mean of a window, of elements READ(x, i) that are summed as SUM; NAME(function) is the name
 * of each function. */

/* The sum of a column, from the first row to the last. */
static SUM NAME(column)(const SOURCE *x, int32_t at, const window *one) {
    SUM sum = READ(x, at);
    for (int32_t i = 1; i < one->rows; i++) {
        at += one->row_step;
        sum += READ(x, at);
    }
    return sum;
}

static float NAME(mean)(const SOURCE *x, int32_t first, const window *one) {
    SUM lanes[LANES] = {0}, total = 0;
    int32_t j = 0;
    if (one->rows == 0) {
        return (float)(total / (SUM)one->divisor);
    }
    if (!one->is_edge && one->columns >= LANES && one->column_step == 1) {
        for (; j + LANES <= one->columns; j += LANES) {
            for (int32_t k = 0; k < LANES; k++) {
                lanes[k] += NAME(column)(x, first + j + k, one);
            }
        }
        for (int32_t half = LANES / 2; half > 0; half /= 2) {
            for (int32_t k = 0; k < half; k++) {
                lanes[k] += lanes[k + half];
            }
        }
        total = lanes[0];
    } else if (!one->is_edge) {
        total = NAME(column)(x, first, one);
        j = 1;
    }
    for (; j < one->columns; j++) {
        total += NAME(column)(x, first + j * one->column_step, one);
    }
    return (float)(total / (SUM)one->divisor);
}

#undef NAME
#undef SOURCE
#undef READ
#undef SUM
