/* Inputs and weights of 8-bit integers less their zero points, two channels in an element. */

/* Elements a step apart of channels that are `pitch` bytes apart become pairs. */
#define CONVOLUTION_PAIRS(ELEMENT, STEP)                                              \
    for (int64_t i = 0; i < count; i++) {                                             \
        to[i] = NAME(product_pair)((REAL)((const ELEMENT *)from)[i * (STEP)] - zero,  \
                                   (REAL)((const ELEMENT *)next)[i * (STEP)] - zero); \
    }
#define CONVOLUTION_STEPS(ELEMENT)                                                        \
    if (parts == 1) {                                                                     \
        for (int64_t i = 0; i < count; i++) {                                             \
            to[i] = ((REAL)((const ELEMENT *)from)[i * step] - zero) & 0xffffu;           \
        }                                                                                 \
    } else if (step == 1) {                                                               \
        CONVOLUTION_PAIRS(ELEMENT, 1)                                                     \
    } else {                                                                              \
        CONVOLUTION_PAIRS(ELEMENT, step)                                                  \
    }
static void NAME(convolution_join)(REAL *restrict to, const char *restrict from, int64_t pitch,
                                   int64_t step, int64_t count, int32_t type, REAL zero,
                                   int parts) {
    const char *const next = from + (parts - 1) * pitch;
    if (type == OPMILL_INT8) {
        CONVOLUTION_STEPS(int8_t)
    } else {
        CONVOLUTION_STEPS(uint8_t)
    }
}
#undef CONVOLUTION_STEPS
#undef CONVOLUTION_PAIRS

static REAL NAME(convolution_weight_zero)(const opmill_convolution *convolution, int64_t map) {
    if (convolution->w_zero == NULL) {
        return 0;
    }
    return NAME(product_element)((const char *)convolution->w_zero + map * convolution->w_zero_step,
                                 convolution->w_type);
}

/* One term of some maps, whose weights are `all` elements apart: those of a channel and, `taps`
 * elements further, of the next one; without it 0. */
#define CONVOLUTION_TERM(ELEMENT)                                                              \
    const ELEMENT *const at = (const ELEMENT *)w;                                               \
    for (int64_t m = 0; m < maps; m++) {                                                        \
        packed[m] = NAME(product_pair)(                                                         \
            (REAL)at[m * all] - zeros[m], is_last ? 0 : (REAL)at[m * all + taps] - zeros[m]);   \
    }
static inline void NAME(convolution_pair_term)(REAL *restrict packed, const char *w, int64_t maps,
                                               int64_t all, int64_t taps, bool is_last,
                                               const REAL *restrict zeros, int32_t type) {
    if (type == OPMILL_INT8) {
        CONVOLUTION_TERM(int8_t)
    } else {
        CONVOLUTION_TERM(uint8_t)
    }
}
#undef CONVOLUTION_TERM

/* Weights of some maps from `map` on, of some pairs of channels from `channel` on: [term][map],
 * each term `wide` long and filled up with 0. */
static void NAME(convolution_packed_weights)(const opmill_convolution *convolution, int64_t map,
                                             int64_t maps, int64_t wide, int64_t channel,
                                             int64_t channels, REAL *packed) {
    const int64_t taps = convolution->taps, all = convolution->channels * taps;
    const char *const w = (const char *)convolution->w;
    REAL zeros[OPMILL_CONVOLUTION_VECTORS * LANES];
    for (int64_t m = 0; m < maps; m++) {
        zeros[m] = NAME(convolution_weight_zero)(convolution, map + m);
    }
    for (int64_t c = channel; c < channel + channels; c++) {
        const bool is_last = 2 * c + 1 == convolution->channels;
        for (int64_t tap = 0; tap < taps; tap++) {
            NAME(convolution_pair_term)(packed, w + map * all + 2 * c * taps + tap, maps, all, taps,
                                        is_last, zeros, convolution->w_type);
            for (int64_t m = maps; m < wide; m++) {
                packed[m] = 0;
            }
            packed += wide;
        }
    }
}
