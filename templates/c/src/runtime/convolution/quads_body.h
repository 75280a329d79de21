/* Inputs and weights of 8-bit integers, four channels in an element: inputs unsigned, weights
 * signed, and where they are not, 128 more or less than they are, as are their zero points. Those
 * of the weights are 0 then; that of the input, which is what lies outside of it too, is subtracted
 * from the sums of each map at last, times the sum of its weights.
 */

/* The zero point of the input. */
static inline REAL NAME(convolution_zero)(const opmill_convolution *convolution) {
    REAL zero = 0;
    if (convolution->x_zero != NULL) {
        zero = NAME(product_element)(convolution->x_zero, convolution->x_type);
    }
    return convolution->x_type == OPMILL_INT8 ? zero + 128 : zero;
}

static inline void NAME(convolution_outside)(REAL *to, int64_t count, REAL zero, int parts) {
    const REAL all = zero * 0x01010101u & 0xffffffffu >> 8 * (TERMS - parts);
    for (int64_t k = 0; k < count; k++) {
        to[k] = all;
    }
}

/* Elements a step apart of channels that are `pitch` bytes apart become quads. */
#define CONVOLUTION_QUADS(STEP)                                                              \
    for (int64_t i = 0; i < count; i++) {                                                    \
        to[i] = ((REAL)a[i * (STEP)] | (REAL)b[i * (STEP)] << 8 | (REAL)c[i * (STEP)] << 16 | \
                 (REAL)d[i * (STEP)] << 24) ^                                                \
                turned * 0x01010101u;                                                        \
    }
static void NAME(convolution_join)(REAL *restrict to, const char *restrict from, int64_t pitch,
                                   int64_t step, int64_t count, int32_t type, REAL zero,
                                   int parts) {
    const uint8_t *const a = (const uint8_t *)from;
    const REAL turned = type == OPMILL_INT8 ? 0x80 : 0;
    (void)zero;
    if (parts < TERMS) {
        for (int64_t i = 0; i < count; i++) {
            to[i] = 0;
            for (int part = 0; part < parts; part++) {
                to[i] |= (a[part * pitch + i * step] ^ turned) << 8 * part;
            }
        }
        return;
    }
    const uint8_t *const b = a + pitch, *const c = b + pitch, *const d = c + pitch;
    if (step == 1) {
        CONVOLUTION_QUADS(1)
    } else if (step == 2) {
        CONVOLUTION_QUADS(2)
    } else {
        CONVOLUTION_QUADS(step)
    }
}
#undef CONVOLUTION_QUADS

/* Weights of some maps from `map` on, of some quads of channels from `channel` on: [term][map],
 * each term `wide` long and filled up with 0. */
static void NAME(convolution_packed_weights)(const opmill_convolution *convolution, int64_t map,
                                             int64_t maps, int64_t wide, int64_t channel,
                                             int64_t channels, REAL *packed) {
    const int64_t taps = convolution->taps, all = convolution->channels * taps;
    const REAL turned = convolution->w_type == OPMILL_UINT8 ? 0x80808080u : 0;
    for (int64_t m = 0; m < wide; m++) {
        REAL *to = packed + m;
        const uint8_t *from =
            (const uint8_t *)convolution->w + (map + m) * all + 4 * channel * taps;
        for (int64_t c = channel; c < channel + channels; c++, from += 4 * taps) {
            const int64_t left = m < maps ? convolution->channels - 4 * c : 0;
            if (left >= 4) {
                for (int64_t tap = 0; tap < taps; tap++, to += wide) {
                    const uint8_t *const at = from + tap;
                    *to = ((REAL)at[0] | (REAL)at[taps] << 8 | (REAL)at[2 * taps] << 16 |
                           (REAL)at[3 * taps] << 24) ^
                          turned;
                }
                continue;
            }
            for (int64_t tap = 0; tap < taps; tap++, to += wide) {
                *to = 0;
                for (int64_t i = 0; i < left; i++) {
                    *to |= (REAL)(from[tap + i * taps] ^ (turned & 0xffu)) << (8 * i);
                }
            }
        }
    }
}
