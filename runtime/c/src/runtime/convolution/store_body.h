/* Sums become elements of the output. */

/* `count` sums of one map, which lie next to each other in the plane from `position` on. */
static void NAME(convolution_store)(const opmill_convolution *convolution, int64_t item,
                                    int64_t map, int64_t position, REAL *sums, int64_t count) {
    if (convolution->finish != NULL) {
        convolution->finish(convolution, item, map, position, sums, count);
        return;
    }
    const int64_t bytes = opmill_type_bytes(convolution->y_type);
    const int64_t all_maps = convolution->groups * convolution->maps;
    char *const to = (char *)convolution->y +
                     ((item * all_maps + map) * convolution->out_size + position) * bytes;
#if IS_INTEGER
    memcpy(to, sums, (size_t)count * sizeof(REAL));
#else
    int64_t i = 0;
    REAL bias = 0;
    if (convolution->bias != NULL) {
        bias = NAME(product_element)((const char *)convolution->bias + map * bytes,
                                     convolution->y_type);
    }
    const NAME(product_limits) limits = NAME(product_limits_of)(convolution->limits);
    /* The sign of a zero as in a product: it stays without a bias, a bias of -0 adds 0. */
    const VECTOR all =
        convolution->bias != NULL ? OP(add)(OP(repeat)(bias), OP(zero)()) : OP(repeat)((REAL)-0.0);
    if (bytes == (int64_t)sizeof(REAL)) {
        for (; i + LANES <= count; i += LANES) {
            const VECTOR sum = OP(add)(OP(load)(sums + i), all);
            OP(store)(to + i * bytes, NAME(product_limited)(sum, &limits));
        }
        if (i < count) { /* vectors of sums are whole */
            const VECTOR sum = OP(add)(OP(load)(sums + i), all);
            OP(store_part)(to + i * bytes, NAME(product_limited)(sum, &limits), count - i);
        }
        return;
    }
    for (; i < count; i += LANES) {
        const int64_t part = count - i < LANES ? count - i : LANES;
        REAL values[LANES] = {0};
        memcpy(values, sums + i, (size_t)part * sizeof(REAL));
        OP(store)(values, OP(add)(OP(load)(values), all));
        NAME(product_narrow)(to + i * bytes, values, part, convolution->y_type);
    }
#endif
}

/* Of a task with positions in the lanes: [map][row][column]. */
static void NAME(convolution_store_positions)(const opmill_convolution_layout *layout,
                                              const opmill_convolution_task *task, REAL *sums) {
    const opmill_convolution *const convolution = layout->convolution;
    for (int64_t m = 0; m < task->maps; m++) {
        for (int64_t r = 0; r < task->rows; r++) {
            const int64_t row = task->outer * layout->rows_axis.out + task->row + r;
            NAME(convolution_store)(
                convolution, task->item, task->group * convolution->maps + task->map + m,
                row * layout->columns_axis.out + task->column,
                sums + (m * task->rows + r) * layout->sums_pitch, task->columns);
        }
    }
}

/* Of a block of a task with maps in the lanes: [position][map]. */
static void NAME(convolution_store_maps)(const opmill_convolution_layout *layout,
                                         const opmill_convolution_task *task, int64_t first,
                                         int64_t maps, const REAL *sums) {
    const opmill_convolution *const convolution = layout->convolution;
    const bool is_whole = task->columns == layout->columns_axis.out;
    const int64_t positions = task->rows * task->columns;
    const int64_t run = is_whole ? positions : task->columns; /* next to each other in the plane */
    const int64_t wide = (maps + LANES - 1) / LANES * LANES;
    const int64_t map = task->group * convolution->maps + task->map + first;
    enum { TURNED = 4 * LANES }; /* positions that are stored together */
    REAL turned[LANES * TURNED];
    for (int64_t from = 0; from < positions; from += run) {
        const int64_t row = task->outer * layout->rows_axis.out + task->row + from / task->columns;
        const int64_t at = row * layout->columns_axis.out + task->column;
        for (int64_t m = 0; m < maps; m += LANES) {
            for (int64_t p = 0; p < run; p += TURNED) {
                const int64_t count = run - p < TURNED ? run - p : TURNED;
                for (int64_t q = 0; q < count; q += LANES) {
                    NAME(product_transpose)(turned + q, TURNED,
                                            (const char *)(sums + (from + p + q) * wide + m),
                                            wide * (int64_t)sizeof(REAL));
                }
                for (int64_t lane = 0; lane < LANES && m + lane < maps; lane++) {
                    NAME(convolution_store)(convolution, task->item, map + m + lane, at + p,
                                            turned + lane * TURNED, count);
                }
            }
        }
    }
}
