/* The look-up of polynomials in pieces, and their values. */
#include "runtime/math/pieces.h"

#if OPMILL_X86_64
#include <immintrin.h>

/* The larger of two vectors of integers. */
static __m128i larger(__m128i a, __m128i b) {
    const __m128i mask = _mm_cmpgt_epi32(a, b);
    return _mm_or_si128(_mm_and_si128(mask, a), _mm_andnot_si128(mask, b));
}

/* Four elements: their rows are read whole and transposed. */
static void four(const opmill_pieces *pieces, __m128i x, float *value, float *rest) {
    const __m128i bits = _mm_and_si128(x, _mm_set1_epi32(0x7fffffff));
    const __m128i high = _mm_set1_epi32(pieces->high);
    const __m128i above = _mm_cmpgt_epi32(bits, high);
    const __m128 a =
        _mm_castsi128_ps(_mm_or_si128(_mm_and_si128(above, high), _mm_andnot_si128(above, bits)));
    const __m128i moved = _mm_castps_si128(_mm_add_ps(a, _mm_set1_ps(pieces->offset)));
    const __m128i shifted =
        _mm_srl_epi32(larger(moved, _mm_set1_epi32(pieces->low)), _mm_cvtsi32_si128(pieces->shift));
    const __m128i index = _mm_and_si128(shifted, _mm_set1_epi32(pieces->count - 1));
    const float *row_0 = pieces->rows[_mm_cvtsi128_si32(index)];
    const float *row_1 = pieces->rows[_mm_cvtsi128_si32(_mm_shuffle_epi32(index, 1))];
    const float *row_2 = pieces->rows[_mm_cvtsi128_si32(_mm_shuffle_epi32(index, 2))];
    const float *row_3 = pieces->rows[_mm_cvtsi128_si32(_mm_shuffle_epi32(index, 3))];
    __m128 c_0 = _mm_loadu_ps(row_0), c_1 = _mm_loadu_ps(row_1);
    __m128 c_2 = _mm_loadu_ps(row_2), c_3 = _mm_loadu_ps(row_3);
    __m128 c_4 = _mm_loadu_ps(row_0 + 4), c_5 = _mm_loadu_ps(row_1 + 4);
    __m128 c_6 = _mm_loadu_ps(row_2 + 4), c_7 = _mm_loadu_ps(row_3 + 4);
    _MM_TRANSPOSE4_PS(c_0, c_1, c_2, c_3);
    _MM_TRANSPOSE4_PS(c_4, c_5, c_6, c_7);
    const __m128 d = _mm_sub_ps(a, c_0);
    __m128 y = _mm_add_ps(_mm_mul_ps(c_7, d), c_6);
    y = _mm_add_ps(_mm_mul_ps(y, d), c_5);
    y = _mm_add_ps(_mm_mul_ps(y, d), c_4);
    y = _mm_add_ps(_mm_mul_ps(y, d), c_3);
    y = _mm_add_ps(_mm_mul_ps(y, d), c_2);
    _mm_storeu_ps(value, c_1);
    _mm_storeu_ps(rest, _mm_mul_ps(y, d));
}

void opmill_pieces_baseline(const opmill_pieces *pieces, const opmill_bits32 *x, float *value,
                            float *rest, int64_t count) {
    int64_t i = 0;
    for (; i + 4 <= count; i += 4) {
        four(pieces, _mm_loadu_si128((const void *)(x + i)), value + i, rest + i);
    }
    if (i < count) {
        uint32_t last[4] = {0, 0, 0, 0};
        memcpy(last, x + i, (size_t)(count - i) * sizeof *last);
        four(pieces, _mm_loadu_si128((const void *)last), value + i, rest + i);
    }
}

OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX2)

/* The halves of two rows, which belong to elements that are four apart. */
static inline __m256 halves(const float *low, const float *high) {
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(low)), _mm_loadu_ps(high), 1);
}

/* The same of eight elements. */
static inline void eight(const opmill_pieces *pieces, __m256i x, float *value, float *rest) {
    const __m256i bits = _mm256_and_si256(x, _mm256_set1_epi32(0x7fffffff));
    const __m256 a = _mm256_castsi256_ps(_mm256_min_epi32(bits, _mm256_set1_epi32(pieces->high)));
    const __m256i moved = _mm256_castps_si256(_mm256_add_ps(a, _mm256_set1_ps(pieces->offset)));
    const __m256i shifted = _mm256_srl_epi32(
        _mm256_max_epi32(moved, _mm256_set1_epi32(pieces->low)), _mm_cvtsi32_si128(pieces->shift));
    uint32_t index[8];
    _mm256_storeu_si256((void *)index,
                        _mm256_and_si256(shifted, _mm256_set1_epi32(pieces->count - 1)));
    __m256 c[8];
    for (int half = 0; half < 2; half++) {
        const float (*rows)[OPMILL_PIECE_FLOATS] = pieces->rows;
        const __m256 row_0 = halves(rows[index[0]] + 4 * half, rows[index[4]] + 4 * half);
        const __m256 row_1 = halves(rows[index[1]] + 4 * half, rows[index[5]] + 4 * half);
        const __m256 row_2 = halves(rows[index[2]] + 4 * half, rows[index[6]] + 4 * half);
        const __m256 row_3 = halves(rows[index[3]] + 4 * half, rows[index[7]] + 4 * half);
        const __m256d low_01 = _mm256_castps_pd(_mm256_unpacklo_ps(row_0, row_1));
        const __m256d high_01 = _mm256_castps_pd(_mm256_unpackhi_ps(row_0, row_1));
        const __m256d low_23 = _mm256_castps_pd(_mm256_unpacklo_ps(row_2, row_3));
        const __m256d high_23 = _mm256_castps_pd(_mm256_unpackhi_ps(row_2, row_3));
        c[4 * half] = _mm256_castpd_ps(_mm256_unpacklo_pd(low_01, low_23));
        c[4 * half + 1] = _mm256_castpd_ps(_mm256_unpackhi_pd(low_01, low_23));
        c[4 * half + 2] = _mm256_castpd_ps(_mm256_unpacklo_pd(high_01, high_23));
        c[4 * half + 3] = _mm256_castpd_ps(_mm256_unpackhi_pd(high_01, high_23));
    }
    const __m256 d = _mm256_sub_ps(a, c[0]);
    __m256 y = _mm256_add_ps(_mm256_mul_ps(c[7], d), c[6]);
    y = _mm256_add_ps(_mm256_mul_ps(y, d), c[5]);
    y = _mm256_add_ps(_mm256_mul_ps(y, d), c[4]);
    y = _mm256_add_ps(_mm256_mul_ps(y, d), c[3]);
    y = _mm256_add_ps(_mm256_mul_ps(y, d), c[2]);
    _mm256_storeu_ps(value, c[1]);
    _mm256_storeu_ps(rest, _mm256_mul_ps(y, d));
}

void opmill_pieces_avx2(const opmill_pieces *pieces, const opmill_bits32 *x, float *value,
                        float *rest, int64_t count) {
    int64_t i = 0;
    for (; i + 8 <= count; i += 8) {
        eight(pieces, _mm256_loadu_si256((const void *)(x + i)), value + i, rest + i);
    }
    if (i < count) {
        uint32_t last[8] = {0, 0, 0, 0, 0, 0, 0, 0};
        memcpy(last, x + i, (size_t)(count - i) * sizeof *last);
        eight(pieces, _mm256_loadu_si256((const void *)last), value + i, rest + i);
    }
}

OPMILL_TARGET_END
OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX512)

/* One coefficient of sixteen elements, from a column in registers. */
#define COLUMN(number)                                                                \
    const __m512 low_##number = _mm512_loadu_ps(pieces->columns + 32 * number);       \
    const __m512 high_##number = _mm512_loadu_ps(pieces->columns + 32 * number + 16);
#define OF_32(number) _mm512_permutex2var_ps(low_##number, index, high_##number)

/* The same from a column of 64. */
static inline __m512 of_64(const float *column, __m512i index, __mmask16 upper) {
    const __m512 low =
        _mm512_permutex2var_ps(_mm512_loadu_ps(column), index, _mm512_loadu_ps(column + 16));
    const __m512 high =
        _mm512_permutex2var_ps(_mm512_loadu_ps(column + 32), index, _mm512_loadu_ps(column + 48));
    return _mm512_mask_blend_ps(upper, low, high);
}
#define OF_64(number) of_64(pieces->columns + 64 * number, index, upper)

#define TERM(y, coefficient) _mm512_add_ps(_mm512_mul_ps(y, d), coefficient)

/* The permutations look at the low bits of the index alone. */
#define INDEX                                                                               \
    const int64_t left = count - i;                                                         \
    const __mmask16 some = (__mmask16)(left < 16 ? (1u << left) - 1 : 0xffffu);             \
    const __m512i bits = _mm512_and_si512(_mm512_maskz_loadu_epi32(some, x + i),            \
                                          _mm512_set1_epi32(0x7fffffff));                   \
    const __m512 a =                                                                        \
        _mm512_castsi512_ps(_mm512_min_epi32(bits, _mm512_set1_epi32(pieces->high)));       \
    const __m512i moved =                                                                   \
        _mm512_castps_si512(_mm512_add_ps(a, _mm512_set1_ps(pieces->offset)));              \
    const __m512i index = _mm512_srl_epi32(                                                 \
        _mm512_max_epi32(moved, _mm512_set1_epi32(pieces->low)),                            \
        _mm_cvtsi32_si128(pieces->shift));

#define STORE(of)                                                                           \
    const __m512 d = _mm512_sub_ps(a, of(0));                                               \
    const __m512 y_6 = TERM(of(7), of(6));                                                  \
    const __m512 y_5 = TERM(y_6, of(5));                                                    \
    const __m512 y_4 = TERM(y_5, of(4));                                                    \
    const __m512 y_3 = TERM(y_4, of(3));                                                    \
    const __m512 y_2 = TERM(y_3, of(2));                                                    \
    _mm512_storeu_ps(value + i, of(1));                                                     \
    _mm512_storeu_ps(rest + i, _mm512_mul_ps(y_2, d));

void opmill_pieces_avx512(const opmill_pieces *pieces, const opmill_bits32 *x, float *value,
                          float *rest, int64_t count) {
    if (pieces->count == 32) {
        COLUMN(0)
        COLUMN(1)
        COLUMN(2)
        COLUMN(3) COLUMN(4) COLUMN(5) COLUMN(6) COLUMN(7) for (int64_t i = 0; i < count; i += 16) {
            INDEX
            STORE(OF_32)
        }
        return;
    }
    for (int64_t i = 0; i < count; i += 16) {
        INDEX
        const __mmask16 upper = _mm512_test_epi32_mask(index, _mm512_set1_epi32(32));
        STORE(OF_64)
    }
}

OPMILL_TARGET_END

#else

void opmill_pieces_baseline(const opmill_pieces *pieces, const opmill_bits32 *x, float *value,
                            float *rest, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        const int32_t bits = (int32_t)(x[i] & 0x7fffffffu);
        const float a = opmill_float_of_bits((uint32_t)(bits > pieces->high ? pieces->high : bits));
        const int32_t moved = (int32_t)opmill_float_bits(a + pieces->offset);
        const int32_t index = (moved > pieces->low ? moved : pieces->low) >> pieces->shift;
        const float *row = pieces->rows[index & (pieces->count - 1)];
        const float d = a - row[0];
        float y = row[7] * d + row[6];
        y = y * d + row[5];
        y = y * d + row[4];
        y = y * d + row[3];
        y = y * d + row[2];
        value[i] = row[1];
        rest[i] = y * d;
    }
}

#endif
