/* The windows of windows_body.h, read from the input itself where vectors of a part of a row cost
 * little: no box is filled. The sums are the same. */

#define PART OP(part_lanes)

/* The lanes of a vector of elements from `from` on that are inside of a row. */
static inline PART NAME(convolution_part)(int64_t from, int64_t size) {
    const int64_t before = from < 0 ? -from : 0, left = size - from;
    const int64_t begin = before < LANES ? before : LANES, end = left < LANES ? left : LANES;
    return OP(part)(begin, end > begin ? end : begin);
}

/* Adjacent elements, and 0 in place of those outside of the row: `is_inside` is a constant and
 * states that there are none. */
OPMILL_INLINE VECTOR NAME(convolution_read)(const bool is_inside, const REAL *from, PART part) {
    return is_inside ? OP(load)(from) : OP(load_lanes)(from, part);
}

/* The elements of the taps of a row of windows, which are constants `stride` apart: at a stride of
 * 2, two taps share what is read, and lanes are in the order of OP(evens). */
OPMILL_INLINE void NAME(convolution_taken)(const int size, const int stride, const bool is_inside,
                                           const REAL *line, const PART (*parts)[2],
                                           VECTOR *taken) {
    UNROLLED for (int j = 0; j < size; j += stride) {
        const REAL *const at = line + j;
        const VECTOR first = NAME(convolution_read)(is_inside, at, parts[j][0]);
        taken[j] = first;
        if (stride == 2) {
            const VECTOR second = NAME(convolution_read)(is_inside, at + LANES, parts[j][1]);
            taken[j] = OP(evens)(first, second);
            taken[j + 1] = OP(odds)(first, second); /* unused behind the last tap */
        }
    }
}

/* Where windows lie in a plane of the input: the row and the column of the first one, which may be
 * outside, and the lengths. */
typedef struct NAME(convolution_plane_position) {
    const REAL *x;
    int64_t row, column, rows, columns;
} NAME(convolution_plane_position);

enum { NAME(convolution_max_size) = 5 };

/* A vector of each of ROWS rows of the output. */
OPMILL_INLINE void NAME(convolution_plane_vector)(
    const int size, const int stride, const bool is_inside, REAL *y, int64_t y_row,
    const NAME(convolution_plane_position) *position, const PART (*parts)[2], const VECTOR *weight,
    VECTOR start, const NAME(product_limits) *limits) {
    enum { ROWS = OPMILL_CONVOLUTION_ROWS };
    VECTOR sums[ROWS];
    UNROLLED for (int r = 0; r < ROWS; r++) {
        sums[r] = start;
    }
    UNROLLED for (int i = 0; i < (ROWS - 1) * stride + size; i++) {
        const int64_t row = position->row + i;
        const bool is_row = row >= 0 && row < position->rows;
        const REAL *const line = position->x + (is_row ? row : 0) * position->columns + position->column;
        VECTOR taken[NAME(convolution_max_size) + 1];
        if (is_row) {
            NAME(convolution_taken)(size, stride, is_inside, line, parts, taken);
        } else {
            UNROLLED for (int j = 0; j < size; j++) {
                taken[j] = OP(zero)();
            }
        }
        UNROLLED for (int j = 0; j < size; j++) {
            UNROLLED for (int r = 0; r < ROWS; r++) {
                const int tap = i - r * stride;
                if (tap >= 0 && tap < size) {
                    sums[r] = OP(fma)(taken[j], weight[tap * size + j], sums[r]);
                }
            }
        }
    }
    UNROLLED for (int r = 0; r < ROWS; r++) {
        const VECTOR sum = NAME(product_limited)(sums[r], limits);
        OP(store)(y + r * y_row, stride == 2 ? OP(ordered)(sum) : sum);
    }
}

/* `rows` rows of the output, at least ROWS; `first` is the place of the window of their first
 * element. Vectors and rows at an end begin where they end with it; what vectors write behind short
 * rows is overwritten by the rows that follow or, where these are too few, takes a detour. */
OPMILL_INLINE void NAME(convolution_plane_rows)(
    const int size, const int stride, REAL *y, int64_t y_row,
    const NAME(convolution_plane_position) *first, const REAL *weights, int64_t rows, int64_t columns,
    VECTOR start, const NAME(product_limits) *limits, REAL *detour) {
    enum { ROWS = OPMILL_CONVOLUTION_ROWS, MAX_SIZE = NAME(convolution_max_size) };
    const NAME(product_limits) ends = *limits;
    const int64_t last = columns > LANES ? columns - LANES : 0;
    NAME(convolution_plane_position) position = *first;
    PART parts[MAX_SIZE][2] = {{OP(part)(0, 0)}};
    int64_t parts_column = -1; /* that they are of */
    VECTOR weight[MAX_SIZE * MAX_SIZE];
    UNROLLED for (int k = 0; k < size * size; k++) {
        weight[k] = OP(repeat)(weights[k]);
    }
    for (int64_t at = 0; at < rows; at += ROWS) {
        const int64_t r = at < rows - ROWS ? at : rows - ROWS;
        const bool takes_detour = columns < LANES && (rows - r - ROWS + 1) * y_row < LANES;
        REAL *const to = takes_detour ? detour : y + r * y_row;
        const int64_t to_row = takes_detour ? LANES : y_row;
        position.row = first->row + r * stride;
        for (int64_t i = 0; i < columns; i += LANES) {
            const int64_t column = i < last ? i : last;
            position.column = first->column + column * stride;
            if (position.column >= 0 && position.column + size - 1 + stride * LANES <= position.columns) {
                NAME(convolution_plane_vector)(size, stride, true, to + column, to_row, &position,
                                               NULL, weight, start, &ends);
                continue;
            }
            if (column != parts_column) {
                UNROLLED for (int k = 0; k < size * stride; k++) {
                    parts[k / stride][k % stride] = NAME(convolution_part)(
                        position.column + k / stride + k % stride * LANES, position.columns);
                }
            }
            parts_column = column;
            NAME(convolution_plane_vector)(size, stride, false, to + column, to_row, &position,
                                           (const PART(*)[2])parts, weight, start, &ends);
        }
        for (int64_t i = 0; takes_detour && i < ROWS; i++) {
            memcpy(y + (r + i) * y_row, detour + i * LANES, (size_t)columns * sizeof(REAL));
        }
    }
}

typedef void NAME(convolution_plane_function)(REAL *y, int64_t y_row,
                                              const NAME(convolution_plane_position) *first,
                                              const REAL *weights, int64_t rows, int64_t columns,
                                              VECTOR start, const NAME(product_limits) *limits,
                                              REAL *detour);

#define CONVOLUTION_PLANE(SIZE, STRIDE)                                                          \
    static void NAME(convolution_plane_##SIZE##_##STRIDE)(                                       \
        REAL * y, int64_t y_row, const NAME(convolution_plane_position) * first,                    \
        const REAL *weights, int64_t rows, int64_t columns, VECTOR start,                        \
        const NAME(product_limits) *limits, REAL *detour) {                                      \
        NAME(convolution_plane_rows)(SIZE, STRIDE, y, y_row, first, weights, rows, columns,      \
                                     start, limits, detour);                                     \
    }
CONVOLUTION_PLANE(3, 1)
CONVOLUTION_PLANE(3, 2)
CONVOLUTION_PLANE(5, 1)
CONVOLUTION_PLANE(5, 2)
#undef CONVOLUTION_PLANE

/* The function for the windows of a task, or NULL. */
static NAME(convolution_plane_function) *NAME(convolution_plane_of)(
    const opmill_convolution_layout *layout, const opmill_convolution_task *task) {
    const opmill_convolution_axis *const h = &layout->rows_axis, *const w = &layout->columns_axis;
    /* Narrower vectors take parts of rows element by element. */
    enum { MIN_BYTES = 32 };
    if (LANES * sizeof(REAL) < MIN_BYTES || !layout->is_direct || layout->all_channels != 1 ||
        layout->outer_axes != 0 || task->rows < OPMILL_CONVOLUTION_ROWS ||
        h->kernel != w->kernel || h->stride != w->stride || h->dilation != 1 || w->dilation != 1) {
        return NULL;
    }
    if (h->kernel == 3) {
        return h->stride == 1   ? NAME(convolution_plane_3_1)
               : h->stride == 2 ? NAME(convolution_plane_3_2)
                                : NULL;
    }
    if (h->kernel == 5) {
        return h->stride == 1   ? NAME(convolution_plane_5_1)
               : h->stride == 2 ? NAME(convolution_plane_5_2)
                                : NULL;
    }
    return NULL;
}
#undef PART
