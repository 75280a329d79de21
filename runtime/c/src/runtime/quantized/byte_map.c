/* Looks bytes up in a table: 64 at a time with AVX-512 VBMI, 32 with AVX2, else one by one. */
#include "runtime/quantized/byte_map.h"

#include "opmill/types.h"
#include "runtime/platform/isa.h"
#include "runtime/platform/platform.h"

static void map_plain(uint8_t *to, const uint8_t *from, const uint8_t *table, int64_t count) {
    int64_t i = 0;
    for (; i + 4 <= count; i += 4) {
        const uint8_t first = table[from[i]], second = table[from[i + 1]];
        const uint8_t third = table[from[i + 2]], fourth = table[from[i + 3]];
        to[i] = first;
        to[i + 1] = second;
        to[i + 2] = third;
        to[i + 3] = fourth;
    }
    for (; i < count; i++) {
        to[i] = table[from[i]];
    }
}

#if OPMILL_X86_64

#include <immintrin.h>

OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX2)

/* A shuffle reads a row of 16 entries, and gives 0 where the index is negative. Rows hold their
 * difference from the row before, in bits; the index falls by 16 from row to row, so that the rows
 * up to the entry's own combine to it and the later ones give 0. The second half of the table has
 * an index of its own. */
static void map_avx2(uint8_t *to, const uint8_t *from, const uint8_t *table, int64_t count) {
    enum { WIDTH = 32, ROWS = 8 };
    const __m256i row = _mm256_set1_epi8(16), half = _mm256_set1_epi8((char)0x80);
    __m256i low_rows[ROWS], high_rows[ROWS], low = {0}, high = {0};
    for (int k = 0; k < ROWS; k++) {
        const uint8_t *const entries = table + 16 * k;
        const __m256i next_low =
            _mm256_broadcastsi128_si256(_mm_loadu_si128((const void *)entries));
        const __m256i next_high =
            _mm256_broadcastsi128_si256(_mm_loadu_si128((const void *)(entries + 128)));
        low_rows[k] = _mm256_xor_si256(low, next_low);
        high_rows[k] = _mm256_xor_si256(high, next_high);
        low = next_low;
        high = next_high;
    }
    int64_t i = 0;
    for (; i + WIDTH <= count; i += WIDTH) {
        __m256i index = _mm256_loadu_si256((const void *)(from + i));
        __m256i high_index = _mm256_xor_si256(index, half), entries = {0};
        OPMILL_UNROLLED
        for (int k = 0; k < ROWS; k++) {
            entries = _mm256_xor_si256(entries, _mm256_shuffle_epi8(low_rows[k], index));
            entries = _mm256_xor_si256(entries, _mm256_shuffle_epi8(high_rows[k], high_index));
            index = _mm256_subs_epi8(index, row);
            high_index = _mm256_subs_epi8(high_index, row);
        }
        _mm256_storeu_si256((void *)(to + i), entries);
    }
    map_plain(to + i, from + i, table, count - i);
}

OPMILL_TARGET_END

OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX512 ",avx512vbmi")

static void map_vbmi(uint8_t *to, const uint8_t *from, const uint8_t *table, int64_t count) {
    enum { WIDTH = 64 };
    const __m512i first = _mm512_loadu_si512(table), second = _mm512_loadu_si512(table + 64);
    const __m512i third = _mm512_loadu_si512(table + 128);
    const __m512i fourth = _mm512_loadu_si512(table + 192);
    for (int64_t i = 0; i < count; i += WIDTH) {
        const __mmask64 lanes =
            count - i < WIDTH ? ((__mmask64)1 << (count - i)) - 1 : ~(__mmask64)0;
        const __m512i index = _mm512_maskz_loadu_epi8(lanes, from + i);
        const __m512i low = _mm512_permutex2var_epi8(first, index, second);
        const __m512i high = _mm512_permutex2var_epi8(third, index, fourth);
        const __m512i entries = _mm512_mask_blend_epi8(_mm512_movepi8_mask(index), low, high);
        _mm512_mask_storeu_epi8(to + i, lanes, entries);
    }
}

OPMILL_TARGET_END

#endif

void opmill_map_bytes(uint8_t *to, const uint8_t *from, const uint8_t *table, int64_t count,
                      int32_t isa) {
    enum { MIN_VECTORS = 64 }; /* bytes from which on the rows of a table are worth preparing */
#if OPMILL_X86_64
    if (isa == OPMILL_ISA_AVX512 && opmill_isa_has_vbmi()) {
        map_vbmi(to, from, table, count);
        return;
    }
    if ((isa == OPMILL_ISA_AVX512 || isa == OPMILL_ISA_AVX2) && count >= MIN_VECTORS) {
        map_avx2(to, from, table, count);
        return;
    }
#else
    (void)isa;
#endif
    map_plain(to, from, table, count);
}
