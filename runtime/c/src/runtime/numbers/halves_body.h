/* Runs of any number of 16-bit floats to float and back, for one instruction set; a source that is
 * built for several includes this with SET(name). The results do not overlap what they are of. */
static inline void SET(opmill_widen_float16)(const uint16_t *restrict from, float *restrict to,
                                             int64_t count) {
    const int64_t eights = count / 8 * 8;
    SET(opmill_float16_widen)(from, to, (int)eights);
    for (int64_t i = eights; i < count; i++) {
        to[i] = opmill_float16_to_float(from[i]);
    }
}

static inline void SET(opmill_narrow_float16)(const float *restrict from, uint16_t *restrict to,
                                              int64_t count) {
    const int64_t eights = count / 8 * 8;
    SET(opmill_float16_narrow)(from, to, (int)eights);
    for (int64_t i = eights; i < count; i++) {
        to[i] = opmill_float_to_float16(from[i]);
    }
}

static inline void SET(opmill_widen_bfloat16)(const uint16_t *restrict from, float *restrict to,
                                              int64_t count) {
    SET(opmill_bfloat16_widen)(from, to, (int)count);
}

static inline void SET(opmill_narrow_bfloat16)(const float *restrict from, uint16_t *restrict to,
                                               int64_t count) {
    SET(opmill_bfloat16_narrow)(from, to, (int)count);
}
