/* Elements in and out, for one type and instruction set: widening, clearing, rounding. Data of the
 * caller need not be aligned for their type.
 */
static void NAME(put)(void *to, int64_t index, REAL value) {
    memcpy((char *)to + index * (int64_t)sizeof value, &value, sizeof value);
}

/* Elements of X or W, from `index` on, as REAL. */
static inline void NAME(widen)(REAL *to, const void *from, int64_t index, int64_t count,
                               int32_t type) {
    int64_t i = 0;
#if HAS_HALF_TYPES
    if (type == OPMILL_FLOAT16 || type == OPMILL_BFLOAT16) {
        const char *const at = (const char *)from + index * 2;
        const bool is_brain = type == OPMILL_BFLOAT16;
        for (; i + LANES <= count; i += LANES) {
            OP(store)(to + i,
                      is_brain ? OP(load_bfloat16)(at + i * 2) : OP(load_float16)(at + i * 2));
        }
        if (i < count) {
            uint16_t bits[LANES] = {0};
            REAL rest[LANES];
            memcpy(bits, at + i * 2, (size_t)(count - i) * 2);
            OP(store)(rest, is_brain ? OP(load_bfloat16)(bits) : OP(load_float16)(bits));
            memcpy(to + i, rest, (size_t)(count - i) * sizeof(REAL));
        }
        return;
    }
#endif
    (void)type;
    const char *const at = (const char *)from + index * (int64_t)sizeof(REAL);
    for (; i + LANES <= count; i += LANES) {
        OP(store)(to + i, OP(load)(at + i * (int64_t)sizeof(REAL)));
    }
    for (; i < count; i++) {
        memcpy(to + i, at + i * (int64_t)sizeof(REAL), sizeof(REAL));
    }
}

/* One element of X, W or the bias. */
static inline REAL NAME(element)(const void *data, int64_t index, int32_t type) {
#if HAS_HALF_TYPES
    if (type == OPMILL_FLOAT16 || type == OPMILL_BFLOAT16) {
        uint16_t bits;
        memcpy(&bits, (const char *)data + index * 2, 2);
        return type == OPMILL_BFLOAT16 ? opmill_bfloat16_to_float(bits)
                                       : opmill_float16_to_float(bits);
    }
#endif
    REAL value;
    (void)type;
    memcpy(&value, (const char *)data + index * (int64_t)sizeof value, sizeof value);
    return value;
}

static inline void NAME(clear)(REAL *to, int64_t count) {
    int64_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        OP(store)(to + i, OP(zero)());
    }
    for (; i < count; i++) {
        to[i] = 0;
    }
}

/* Stores values as elements of Y from `index` on, each plus `bias`. */
static void NAME(narrow)(void *y, int64_t index, const REAL *values, int64_t count, REAL bias,
                         int32_t type) {
    const VECTOR all = OP(repeat)(bias);
    int64_t i = 0;
#if HAS_HALF_TYPES
    if (type == OPMILL_FLOAT16 || type == OPMILL_BFLOAT16) {
        const bool is_brain = type == OPMILL_BFLOAT16;
        char *const to = (char *)y + index * 2;
        for (; i + LANES <= count; i += LANES) {
            const VECTOR value = OP(add)(OP(load)(values + i), all);
            if (is_brain) {
                OP(store_bfloat16)(to + i * 2, value);
            } else {
                OP(store_float16)(to + i * 2, value);
            }
        }
        if (i < count) {
            uint16_t bits[LANES];
            REAL rest[LANES] = {0};
            memcpy(rest, values + i, (size_t)(count - i) * sizeof(REAL));
            const VECTOR value = OP(add)(OP(load)(rest), all);
            if (is_brain) {
                OP(store_bfloat16)(bits, value);
            } else {
                OP(store_float16)(bits, value);
            }
            memcpy(to + i * 2, bits, (size_t)(count - i) * 2);
        }
        return;
    }
#endif
    (void)type;
    char *const to = (char *)y + index * (int64_t)sizeof(REAL);
    for (; i + LANES <= count; i += LANES) {
        OP(store)(to + i * (int64_t)sizeof(REAL), OP(add)(OP(load)(values + i), all));
    }
    for (; i < count; i++) {
        NAME(put)(to, i, values[i] + bias);
    }
}
