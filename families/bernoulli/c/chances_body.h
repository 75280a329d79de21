/* The loops of one instruction set. The file that includes this defines LOOPS, the name of the set.
 * A run has a constant number of elements, which compilers vectorise. */
#define JOIN_AGAIN(name, set) name##_##set
#define JOIN(name, set) JOIN_AGAIN(name, set)

/* A run of probabilities as doubles, and zeros after the last. */
static inline void JOIN(load, LOOPS)(const bernoulli_chances *chances, int64_t at, int32_t count,
                                     double *restrict p) {
    const unsigned char *const from = chances->from + at * chances->from_bytes;
    const size_t bytes = (size_t)count * (size_t)chances->from_bytes;
    float wide[OPMILL_RANDOM_RUN] = {0};
    uint16_t narrow[OPMILL_RANDOM_RUN] = {0};
    switch (chances->from_type) {
    case OPMILL_DOUBLE:
        memset(p, 0, OPMILL_RANDOM_RUN * sizeof p[0]);
        memcpy(p, from, bytes);
        return;
    case OPMILL_FLOAT:
        memcpy(wide, from, bytes);
        break;
    case OPMILL_FLOAT16:
        memcpy(narrow, from, bytes);
        JOIN(opmill_float16_widen, LOOPS)(narrow, wide, OPMILL_RANDOM_RUN);
        break;
    default:
        memcpy(narrow, from, bytes);
        JOIN(opmill_bfloat16_widen, LOOPS)(narrow, wide, OPMILL_RANDOM_RUN);
        break;
    }
    for (int i = 0; i < OPMILL_RANDOM_RUN; i++) {
        p[i] = (double)wide[i];
    }
}

static bool JOIN(check, LOOPS)(const bernoulli_chances *chances, int64_t at, int32_t count) {
    double p[OPMILL_RANDOM_RUN];
    int legal = 1;
    JOIN(load, LOOPS)(chances, at, count, p);
    for (int i = 0; i < OPMILL_RANDOM_RUN; i++) {
        legal &= (p[i] >= 0) & (p[i] <= 1);
    }
    return legal != 0;
}

#define STORE(type)                                                 \
    {                                                               \
        type y[OPMILL_RANDOM_RUN];                                  \
        const type one = (type)chances->one;                        \
        for (int i = 0; i < OPMILL_RANDOM_RUN; i++) {               \
            y[i] = (type)(u[i] < p[i] ? one : 0);                   \
        }                                                           \
        memcpy(to, y, (size_t)count * sizeof y[0]);                 \
        break;                                                      \
    }

static void JOIN(compute, LOOPS)(const bernoulli_chances *chances, int64_t at, int32_t count) {
    unsigned char *const to = chances->to + at * chances->to_bytes;
    double u[OPMILL_RANDOM_RUN], p[OPMILL_RANDOM_RUN];
    opmill_random_uniform(chances->key, at, chances->from_type == OPMILL_DOUBLE, u);
    JOIN(load, LOOPS)(chances, at, count, p);
    switch (chances->to_bytes) {
    case 1:
        STORE(uint8_t)
    case 2:
        STORE(uint16_t)
    case 4:
        STORE(uint32_t)
    default:
        STORE(uint64_t)
    }
}

#undef STORE
#undef JOIN
#undef JOIN_AGAIN
#undef LOOPS
