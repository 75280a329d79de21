/* The loops of query_rows.h in vectors of float. */
#define QUERY_JOIN2(name, set) opmill_attention_##name##_##set
#define QUERY_JOIN(name, set) QUERY_JOIN2(name, set)
#define NAME(name) QUERY_JOIN(name, VECTOR_SUFFIX)
#define UNROLLED OPMILL_UNROLLED

enum { VALUES = 8 }; /* that are added to a sum at a time */

/* The products of the whole vectors of a query and a key, added lane by lane. */
OPMILL_INLINE f32_vector NAME(query_lanes)(const float *query, const float *key, int64_t size,
                                           float *copy) {
    f32_vector even = f32_zero(), odd = f32_zero();
    int64_t i = 0;
    for (; i + 2 * F32_LANES <= size; i += 2 * F32_LANES) {
        const f32_vector first = f32_load(key + i), second = f32_load(key + i + F32_LANES);
        if (copy != NULL) {
            f32_store(copy + i, first);
            f32_store(copy + i + F32_LANES, second);
        }
        even = f32_fma(first, f32_load(query + i), even);
        odd = f32_fma(second, f32_load(query + i + F32_LANES), odd);
    }
    if (i + F32_LANES <= size) {
        const f32_vector last = f32_load(key + i);
        if (copy != NULL) {
            f32_store(copy + i, last);
        }
        even = f32_fma(last, f32_load(query + i), even);
    }
    return f32_add(even, odd);
}

/* A sum of products with those that do not fill a vector. */
static float NAME(query_rest)(float sum, const float *query, const float *key, int64_t size,
                              float *copy) {
    for (int64_t i = size / F32_LANES * F32_LANES; i < size; i++) {
        if (copy != NULL) {
            copy[i] = key[i];
        }
        sum += key[i] * query[i];
    }
    return sum;
}

/* The scores of a query with as many keys as a vector has lanes: zips of two vectors put their
 * halves above each other, until one vector holds the sums of all. */
static void NAME(query_scores)(float *scores, const float *query, const float *keys, int64_t step,
                               int64_t size, float *copy) {
    f32_vector sums[F32_LANES];
    for (int j = 0; j < F32_LANES; j++) {
        sums[j] =
            NAME(query_lanes)(query, keys + j * step, size, copy == NULL ? NULL : copy + j * size);
    }
    UNROLLED for (int half = F32_LANES / 2; half > 0; half /= 2) {
        UNROLLED for (int j = 0; j < half; j++) {
            sums[j] = f32_add(f32_zip_low(sums[j], sums[j + half]),
                              f32_zip_high(sums[j], sums[j + half]));
        }
    }
    f32_store(scores, sums[0]);
    for (int j = 0; j < F32_LANES && size % F32_LANES != 0; j++) {
        scores[j] = NAME(query_rest)(scores[j], query, keys + j * step, size,
                                   copy == NULL ? NULL : copy + j * size);
    }
}

/* The score of one key, added in the same order. */
static float NAME(query_score)(const float *query, const float *key, int64_t size, float *copy) {
    float lanes[F32_LANES];
    f32_store(lanes, NAME(query_lanes)(query, key, size, copy));
    for (int half = F32_LANES / 2; half > 0; half /= 2) {
        for (int lane = 0; lane < half; lane++) {
            lanes[lane] += lanes[lane + half];
        }
    }
    return NAME(query_rest)(lanes[0], query, key, size, copy);
}

static void NAME(score)(const opmill_attention_query_rows *part) {
    const int64_t size = part->size;
    int64_t j = 0;
    for (; j + F32_LANES <= part->count; j += F32_LANES) {
        for (int64_t row = 0; row < part->rows; row++) {
            float *const copy = row > 0 || part->copy == NULL ? NULL : part->copy + j * size;
            NAME(query_scores)(part->scores + row * part->pitch + j, part->vectors + row * size,
                             part->from + j * part->step, part->step, size, copy);
        }
    }
    for (; j < part->count; j++) {
        for (int64_t row = 0; row < part->rows; row++) {
            float *const copy = row > 0 || part->copy == NULL ? NULL : part->copy + j * size;
            part->scores[row * part->pitch + j] = NAME(query_score)(
                part->vectors + row * size, part->from + j * part->step, size, copy);
        }
    }
}

/* Several values times their weights, in their order; `count` is a constant. */
OPMILL_INLINE void NAME(query_sums)(const int count, float *sums, const float *weights,
                                    const float *values, int64_t step, int64_t size, float *copy) {
    f32_vector factors[VALUES];
    int64_t i = 0;
    UNROLLED for (int k = 0; k < count; k++) {
        factors[k] = f32_repeat(weights[k]);
    }
    for (; i + F32_LANES <= size; i += F32_LANES) {
        f32_vector sum = f32_load(sums + i);
        UNROLLED for (int k = 0; k < count; k++) {
            const f32_vector value = f32_load(values + k * step + i);
            if (copy != NULL) {
                f32_store(copy + k * size + i, value);
            }
            sum = f32_fma(value, factors[k], sum);
        }
        f32_store(sums + i, sum);
    }
    for (; i < size; i++) {
        for (int k = 0; k < count; k++) {
            if (copy != NULL) {
                copy[k * size + i] = values[k * step + i];
            }
            sums[i] += values[k * step + i] * weights[k];
        }
    }
}

static void NAME(sum)(const opmill_attention_query_rows *part) {
    const int64_t size = part->size;
    int64_t j = 0;
    for (; j + VALUES <= part->count; j += VALUES) {
        for (int64_t row = 0; row < part->rows; row++) {
            float *const copy = row > 0 || part->copy == NULL ? NULL : part->copy + j * size;
            NAME(query_sums)(VALUES, part->vectors + row * size, part->scores + row * part->pitch + j,
                             part->from + j * part->step, part->step, size, copy);
        }
    }
    for (; j < part->count; j++) {
        for (int64_t row = 0; row < part->rows; row++) {
            float *const copy = row > 0 || part->copy == NULL ? NULL : part->copy + j * size;
            NAME(query_sums)(1, part->vectors + row * size, part->scores + row * part->pitch + j,
                             part->from + j * part->step, part->step, size, copy);
        }
    }
}

static void NAME(scale)(float *numbers, const double *factors, int64_t count) {
    const double first = factors[0], second = factors[1];
    for (int64_t i = 0; i < count; i++) {
        numbers[i] = (float)((double)numbers[i] * first * second);
    }
}

const opmill_attention_query_loops NAME(query_loops) = {NAME(score), NAME(sum), NAME(scale)};
