/* A token in vectors of float: strips of columns whose sums stay in registers while the rows pass.
 * The columns of a vector do not depend on each other. */
#define STEP_JOIN2(name, set) opmill_linear_##name##_##set
#define STEP_JOIN(name, set) STEP_JOIN2(name, set)
#define NAME(name) STEP_JOIN(name, VECTOR_SUFFIX)
#define UNROLLED OPMILL_UNROLLED

enum { STRIP = 4 }; /* vectors of a strip: with their sums and values they fill 16 registers */

/* A vector of the old state times its factor. */
OPMILL_INLINE f32_vector NAME(decayed)(const opmill_linear_token *token, int64_t row,
                                       const float *from) {
    const f32_vector old = f32_load(from);
    return token->factors == NULL
               ? old
               : f32_fma(old, f32_repeat(token->factors[row * token->factors_step]), f32_zero());
}

/* What the key reads of the old state; even and odd rows have sums of their own. */
OPMILL_INLINE void NAME(retrieve)(const int vectors, const opmill_linear_token *token,
                                  int64_t column, f32_vector *sums) {
    const float *from = token->from + column;
    const int64_t step = token->from_step;
    f32_vector odd[STRIP];
    int64_t row = 0;
    UNROLLED for (int v = 0; v < vectors; v++) {
        sums[v] = odd[v] = f32_zero();
    }
    for (; row + 2 <= token->rows; row += 2, from += 2 * step) {
        const f32_vector first = f32_repeat(token->key[row]);
        const f32_vector second = f32_repeat(token->key[row + 1]);
        UNROLLED for (int v = 0; v < vectors; v++) {
            sums[v] = f32_fma(NAME(decayed)(token, row, from + v * F32_LANES), first, sums[v]);
        }
        UNROLLED for (int v = 0; v < vectors; v++) {
            odd[v] = f32_fma(NAME(decayed)(token, row + 1, from + step + v * F32_LANES), second,
                             odd[v]);
        }
    }
    UNROLLED for (int v = 0; v < vectors; v++) {
        if (row < token->rows) {
            sums[v] = f32_fma(NAME(decayed)(token, row, from + v * F32_LANES),
                              f32_repeat(token->key[row]), sums[v]);
        }
        sums[v] = f32_add(sums[v], odd[v]);
    }
}

/* The results of a query. */
OPMILL_INLINE void NAME(put)(const int vectors, const opmill_linear_token *token, int64_t query,
                             int64_t column, const f32_vector *sums) {
    float *const result = token->result + query * token->result_step + column;
    UNROLLED for (int v = 0; v < vectors; v++) {
        f32_store(result + v * F32_LANES,
                  f32_fma(sums[v], f32_repeat(token->scale), f32_zero()));
    }
}

/* The new state, which the first query reads as it is computed. */
OPMILL_INLINE void NAME(write)(const int vectors, const opmill_linear_token *token, int64_t column,
                               const f32_vector *values) {
    const float *from = token->from + column;
    float *to = token->to + column;
    f32_vector sums[STRIP];
    UNROLLED for (int v = 0; v < vectors; v++) {
        sums[v] = f32_zero();
    }
    for (int64_t row = 0; row < token->rows; row++) {
        const f32_vector key = f32_repeat(token->key[row]);
        const f32_vector query = f32_repeat(token->query[row]);
        UNROLLED for (int v = 0; v < vectors; v++) {
            const f32_vector state =
                f32_fma(values[v], key, NAME(decayed)(token, row, from + v * F32_LANES));
            f32_store(to + v * F32_LANES, state);
            sums[v] = f32_fma(state, query, sums[v]);
        }
        from += token->from_step;
        to += token->to_step;
    }
    NAME(put)(vectors, token, 0, column, sums);
}

/* The results of a query that is not the first. */
OPMILL_INLINE void NAME(read)(const int vectors, const opmill_linear_token *token, int64_t column,
                              int64_t query) {
    const float *const numbers = token->query + query * token->rows;
    const float *state = token->to + column;
    f32_vector sums[STRIP];
    UNROLLED for (int v = 0; v < vectors; v++) {
        sums[v] = f32_zero();
    }
    for (int64_t row = 0; row < token->rows; row++, state += token->to_step) {
        const f32_vector number = f32_repeat(numbers[row]);
        UNROLLED for (int v = 0; v < vectors; v++) {
            sums[v] = f32_fma(f32_load(state + v * F32_LANES), number, sums[v]);
        }
    }
    NAME(put)(vectors, token, query, column, sums);
}

OPMILL_INLINE void NAME(strip)(const int vectors, const opmill_linear_token *token,
                               int64_t column) {
    f32_vector values[STRIP];
    if (token->corrects) {
        f32_vector sums[STRIP];
        NAME(retrieve)(vectors, token, column, sums);
        UNROLLED for (int v = 0; v < vectors; v++) {
            const f32_vector value = f32_load(token->value + column + v * F32_LANES);
            values[v] = f32_fma(f32_fma(sums[v], f32_repeat(-1), value), f32_repeat(token->beta),
                                f32_zero());
        }
    } else {
        UNROLLED for (int v = 0; v < vectors; v++) {
            values[v] = f32_load(token->value + column + v * F32_LANES);
        }
    }
    NAME(write)(vectors, token, column, values);
    for (int64_t query = 1; query < token->queries; query++) {
        NAME(read)(vectors, token, column, query);
    }
}

/* One column, where less than a vector is left. */
static void NAME(column)(const opmill_linear_token *token, int64_t column) {
    const float *const from = token->from + column;
    float *const to = token->to + column;
    float value = token->value[column], sum = 0;
    for (int64_t row = 0; row < token->rows && token->corrects; row++) {
        const float old = from[row * token->from_step];
        const float factor =
            token->factors == NULL ? 1 : token->factors[row * token->factors_step];
        sum += old * factor * token->key[row];
    }
    value = token->corrects ? token->beta * (value - sum) : value;
    for (int64_t row = 0; row < token->rows; row++) {
        const float old = from[row * token->from_step];
        const float factor =
            token->factors == NULL ? 1 : token->factors[row * token->factors_step];
        to[row * token->to_step] = old * factor + token->key[row] * value;
    }
    for (int64_t query = 0; query < token->queries; query++) {
        const float *const numbers = token->query + query * token->rows;
        sum = 0;
        for (int64_t row = 0; row < token->rows; row++) {
            sum += to[row * token->to_step] * numbers[row];
        }
        token->result[query * token->result_step + column] = sum * token->scale;
    }
}

void NAME(step)(const opmill_linear_token *token) {
    int64_t column = 0;
    for (; column + STRIP * F32_LANES <= token->columns; column += STRIP * F32_LANES) {
        NAME(strip)(STRIP, token, column);
    }
    for (; column + F32_LANES <= token->columns; column += F32_LANES) {
        NAME(strip)(1, token, column);
    }
    for (; column < token->columns; column++) {
        NAME(column)(token, column);
    }
}
