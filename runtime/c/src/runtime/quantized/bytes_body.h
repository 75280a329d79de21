/* The loops of bytes.h for one instruction set. The file that includes this one has included a
 * vector header and vector_bytes.h, and defines LOOPS, the name of the loops. */

/* Groups of results; the last one, which may not be whole, by way of buffers. */
#define DEFINE_PAIRS(name)                                                                    \
    static void name(uint8_t *y, const uint8_t *a, const uint8_t *b, const byte_pair *pair,   \
                     int64_t count) {                                                         \
        const byte_pair numbers = *pair; /* no byte that is stored can be one of it */        \
        int64_t i = 0;                                                                        \
        if (pair->is_signed) {                                                                \
            for (; i + U8_GROUP <= count; i += U8_GROUP) {                                    \
                name##_group(y + i, a + i, b + i, &numbers, true);                            \
            }                                                                                 \
        } else {                                                                              \
            for (; i + U8_GROUP <= count; i += U8_GROUP) {                                    \
                name##_group(y + i, a + i, b + i, &numbers, false);                           \
            }                                                                                 \
        }                                                                                     \
        if (i < count) {                                                                      \
            uint8_t of_a[U8_GROUP] = {0}, of_b[U8_GROUP] = {0}, results[U8_GROUP];            \
            memcpy(of_a, a + i, (size_t)(count - i));                                         \
            memcpy(of_b, b + i, (size_t)(count - i));                                         \
            name##_group(results, of_a, of_b, &numbers, pair->is_signed);                     \
            memcpy(y + i, results, (size_t)(count - i));                                      \
        }                                                                                     \
    }

OPMILL_INLINE void add_group(uint8_t *y, const uint8_t *a, const uint8_t *b, const byte_pair *pair,
                             bool is_signed) {
    f32_vector sums[4];
    OPMILL_UNROLLED
    for (int k = 0; k < 4; k++) {
        const f32_vector of_a = f32_load_bytes(a + k * F32_LANES, is_signed);
        const f32_vector of_b = f32_load_bytes(b + k * F32_LANES, is_signed);
        const f32_vector first = of_a * f32_repeat(pair->a_factor);
        const f32_vector second = of_b * f32_repeat(pair->b_factor);
        sums[k] = f32_add(first, f32_add(second, f32_repeat(pair->term)));
    }
    f32_store_bytes(y, sums, is_signed);
}

OPMILL_INLINE void mul_group(uint8_t *y, const uint8_t *a, const uint8_t *b, const byte_pair *pair,
                             bool is_signed) {
    f32_vector results[4];
    OPMILL_UNROLLED
    for (int k = 0; k < 4; k++) {
        const f32_vector of_a = f32_load_bytes(a + k * F32_LANES, is_signed);
        const f32_vector of_b = f32_load_bytes(b + k * F32_LANES, is_signed);
        const f32_vector product =
            (of_a - f32_repeat(pair->a_zero)) * (of_b - f32_repeat(pair->b_zero));
        const f32_vector scaled = product * f32_repeat(pair->factor);
        results[k] = f32_add(scaled, f32_repeat(pair->term));
    }
    f32_store_bytes(y, results, is_signed);
}

DEFINE_PAIRS(add)
DEFINE_PAIRS(mul)
#undef DEFINE_PAIRS

static int64_t sum(const uint8_t *x, bool is_signed, int64_t count) {
    const uint8_t flip = is_signed ? 0x80 : 0;
    u64_vector sums = u64_zero();
    uint64_t lanes[U64_LANES], total = 0;
    int64_t i = 0;
    for (; i + U8_GROUP <= count; i += U8_GROUP) {
        sums = u64_add(sums, u8_sums(x + i, flip));
    }
    if (i < count) {
        sums = u64_add(sums, u8_sums_part(x + i, count - i, flip));
    }
    u64_store(lanes, sums);
    for (int k = 0; k < U64_LANES; k++) {
        total += lanes[k];
    }
    return (int64_t)total - flip * count;
}

/* Of COLUMNS columns and at most MAX_ROWS rows, the sums fit 16 bits. */
enum { COLUMNS = 64, MAX_ROWS = 256 };

static void accumulate_block(uint64_t *sums, const uint8_t *x, uint8_t flip, int64_t rows,
                             int64_t step) {
    uint16_t partial[COLUMNS] = {0};
    for (int64_t row = 0; row < rows; row++, x += step) {
        for (int k = 0; k < COLUMNS; k++) {
            partial[k] = (uint16_t)(partial[k] + (x[k] ^ flip));
        }
    }
    for (int k = 0; k < COLUMNS; k++) {
        sums[k] += partial[k] - (uint64_t)rows * flip;
    }
}

static void accumulate(uint64_t *sums, const uint8_t *x, bool is_signed, int64_t count,
                       int64_t rows, int64_t step) {
    int64_t i = 0;
    for (; rows > 1 && i + COLUMNS <= count; i += COLUMNS) {
        for (int64_t row = 0; row < rows; row += MAX_ROWS) {
            accumulate_block(sums + i, x + row * step + i, is_signed ? 0x80 : 0,
                             rows - row < MAX_ROWS ? rows - row : MAX_ROWS, step);
        }
    }
    for (int64_t row = 0; row < rows; row++, x += step) {
        int64_t k = i;
        for (; k + U64_LANES <= count; k += U64_LANES) {
            const u64_vector numbers =
                is_signed ? u64_load_bytes(x + k, true) : u64_load_bytes(x + k, false);
            u64_store(sums + k, u64_add(u64_load(sums + k), numbers));
        }
        for (; k < count; k++) {
            sums[k] += is_signed ? (uint64_t)(int8_t)x[k] : x[k];
        }
    }
}

const byte_loops LOOPS = {add, mul, sum, accumulate};
