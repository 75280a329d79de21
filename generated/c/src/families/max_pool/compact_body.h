/* The function NAME for one type X, whose lowest value is LOWEST. */
int NAME(const opmill_tensor *x, opmill_tensor *y, opmill_tensor *indices,
         const opmill_max_pool_plan *plan, opmill_context *context) {
    const opmill_compact_axis h = axis_of(x, y, plan, x->rank - 4);
    const opmill_compact_axis v = axis_of(x, y, plan, x->rank - 3);
    const int32_t planes = (int32_t)(y->dims[0] * y->dims[1]);
    const X *from = x->data;
    X *to = y->data;
    (void)indices;
    (void)context;
    for (int32_t plane = 0; plane < planes; plane++, from += h.in * v.in) {
        for (int32_t row = 0, top = -h.begin; row < h.out; row++, top += h.stride) {
            int32_t rows, columns;
            const int32_t first_row = top + opmill_compact_taps(&h, top, &rows) * h.dilation;
            for (int32_t column = 0, left = -v.begin; column < v.out; column++, left += v.stride) {
                const int32_t at = left + opmill_compact_taps(&v, left, &columns) * v.dilation;
                X largest = LOWEST;
                for (int32_t i = 0; i < rows; i++) {
                    const X *const one = from + (first_row + i * h.dilation) * v.in + at;
                    for (int32_t j = 0; j < columns; j++) {
                        const X value = one[j * v.dilation];
                        largest = IS_LARGER(value, largest) ? value : largest;
                    }
                }
                *to++ = largest;
            }
        }
    }
    return OPMILL_OK;
}

#undef X
#undef LOWEST
#undef IS_LARGER
#undef NAME
