/* Elements in and out, for one type of sums and one instruction set. */

static inline REAL NAME(product_element)(const char *at, int32_t type) {
    REAL value;
#if HAS_HALF_TYPES
    if (type == OPMILL_FLOAT16 || type == OPMILL_BFLOAT16) {
        uint16_t bits;
        memcpy(&bits, at, sizeof bits);
        return type == OPMILL_BFLOAT16 ? opmill_bfloat16_to_float(bits)
                                       : opmill_float16_to_float(bits);
    }
#elif IS_PACKED
    if (type == OPMILL_INT8) {
        return (REAL) * (const int8_t *)at;
    }
    if (type == OPMILL_UINT8) {
        return *(const uint8_t *)at;
    }
#endif
    (void)type;
    memcpy(&value, at, sizeof value);
    return value;
}

#if IS_PACKED
static inline REAL NAME(product_pair)(REAL low, REAL high) { return (low & 0xffffu) | high << 16; }
#else
/* Elements `step` bytes apart, next to each other. */
static void NAME(product_widen)(REAL *to, const char *from, int64_t step, int64_t count,
                                int32_t type) {
    const int64_t bytes = opmill_type_bytes(type);
    int64_t i = 0;
    if (step == bytes && bytes == (int64_t)sizeof(REAL)) {
        memcpy(to, from, (size_t)count * sizeof(REAL));
        return;
    }
    if (bytes == (int64_t)sizeof(REAL) && step == 2 * bytes) { /* a loop that compilers vectorise */
        for (; i < count; i++) {
            memcpy(to + i, from + i * 2 * (int64_t)sizeof(REAL), sizeof(REAL));
        }
        return;
    }
#if HAS_HALF_TYPES
    if (step == 2 && bytes == 2) {
        for (; i + LANES <= count; i += LANES) {
            OP(store)(to + i, type == OPMILL_BFLOAT16 ? OP(load_bfloat16)(from + i * 2)
                                                      : OP(load_float16)(from + i * 2));
        }
    }
#endif
    for (; i < count; i++) {
        to[i] = NAME(product_element)(from + i * step, type);
    }
}
#endif

/* The bounds of opmill_limits as vectors; infinite if unbounded. Integers have none. */
typedef struct NAME(product_limits) {
    VECTOR low, high;
} NAME(product_limits);

#if IS_INTEGER
static inline VECTOR NAME(product_limited)(VECTOR v, const NAME(product_limits) *limits) {
    (void)limits;
    return v;
}
#else
static inline NAME(product_limits) NAME(product_limits_of)(const opmill_limits *limits) {
    const NAME(product_limits) bounds = {
        OP(repeat)(limits != NULL ? (REAL)limits->low : -(REAL)INFINITY),
        OP(repeat)(limits != NULL ? (REAL)limits->high : (REAL)INFINITY),
    };
    return bounds;
}

static inline VECTOR NAME(product_limited)(VECTOR v, const NAME(product_limits) *limits) {
    return OP(lowered)(limits->high, OP(raised)(limits->low, v));
}
#endif

/* LANES rows of `from`, each LANES long and `step` bytes apart, become the columns of `to`. */
static inline void NAME(product_transpose)(REAL *to, int64_t pitch, const char *from,
                                           int64_t step) {
    VECTOR lines[2][LANES];
    int from_line = 0;
    for (int i = 0; i < LANES; i++) {
        lines[0][i] = OP(load)(from + i * step);
    }
    for (int done = 1; done < LANES; done *= 2) {
    UNROLLED for (int i = 0; i < LANES / 2; i++) {
            lines[!from_line][2 * i] = OP(zip_low)(lines[from_line][i], lines[from_line][i + LANES / 2]);
            lines[!from_line][2 * i + 1] =
                OP(zip_high)(lines[from_line][i], lines[from_line][i + LANES / 2]);
        }
        from_line = !from_line;
    }
    for (int i = 0; i < LANES; i++) {
        OP(store)(to + i * pitch, lines[from_line][i]);
    }
}

#if !IS_INTEGER
/* `count` values, at most LANES, become elements of C. */
static inline void NAME(product_narrow)(char *to, const REAL *values, int64_t count, int32_t type) {
#if HAS_HALF_TYPES
    if (type != OPMILL_FLOAT) {
        uint16_t bits[LANES];
        if (type == OPMILL_BFLOAT16) {
            OP(store_bfloat16)(bits, OP(load)(values));
        } else {
            OP(store_float16)(bits, OP(load)(values));
        }
        memcpy(to, bits, (size_t)count * sizeof bits[0]);
        return;
    }
#endif
    (void)type;
    memcpy(to, values, (size_t)count * sizeof values[0]);
}
#endif
