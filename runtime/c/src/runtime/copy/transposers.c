/* Transposing in standard C, with vectors of 16 bytes, and the choice among all. */
#include "runtime/copy/transposers.h"

#include <string.h>

#include "opmill/types.h"
#include "runtime/copy/transposer_narrow.h"

#if OPMILL_X86_64
#include <emmintrin.h>
#elif OPMILL_NEON
#include <arm_neon.h>
#endif

typedef struct element_16 {
    uint64_t halves[2];
} element_16;

/* Element by element, along the longer side. */
#define DEFINE_TRANSPOSE(BITS, element)                                                            \
    static void transpose_##BITS##_all(const opmill_matrices *m) {                                 \
        const int64_t bytes = (int64_t)sizeof(element);                                            \
        if (m->rows < m->columns) {                                                                \
            for (int64_t j = 0; j < m->rows; j++) {                                                \
                for (int64_t i = 0; i < m->columns; i++) {                                         \
                    memcpy(m->out + i * m->out_step + j * bytes,                                   \
                           m->in + j * m->in_step + i * bytes, sizeof(element));                   \
                }                                                                                  \
            }                                                                                      \
        } else {                                                                                   \
            for (int64_t i = 0; i < m->columns; i++) {                                             \
                for (int64_t j = 0; j < m->rows; j++) {                                            \
                    memcpy(m->out + i * m->out_step + j * bytes,                                   \
                           m->in + j * m->in_step + i * bytes, sizeof(element));                   \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }

#define DEFINE_PLAIN(BITS)                                                                         \
    static void transpose_##BITS##_plain(const opmill_matrices *m) {                               \
        if (!transpose_narrow_##BITS(m)) {                                                            \
            transpose_##BITS##_all(m);                                                             \
        }                                                                                          \
    }

DEFINE_TRANSPOSE(8, uint8_t)
DEFINE_TRANSPOSE(16, uint16_t)
DEFINE_TRANSPOSE(32, uint32_t)
DEFINE_TRANSPOSE(64, uint64_t)
DEFINE_TRANSPOSE(128, element_16)

DEFINE_PLAIN(8)
DEFINE_PLAIN(16)
DEFINE_PLAIN(32)
DEFINE_PLAIN(64)

#undef DEFINE_TRANSPOSE

const opmill_transposer opmill_transposer_plain = {OPMILL_ISA_PLAIN,
                                                   {transpose_8_plain, transpose_16_plain,
                                                    transpose_32_plain, transpose_64_plain,
                                                    transpose_128_all},
                                                   false};

#if OPMILL_X86_64

#define TILE_LANES 1
#define TILE_NARROWER opmill_transposer_plain
typedef __m128i tile_vector;

OPMILL_INLINE __m128i tile_load(const uint8_t *in, int64_t step) {
    (void)step;
    return _mm_loadu_si128((const __m128i *)(const void *)in);
}

OPMILL_INLINE void tile_store(uint8_t *out, __m128i value) {
    _mm_storeu_si128((__m128i *)(void *)out, value);
}

#define tile_store_around tile_store
#define tile_low_8 _mm_unpacklo_epi8
#define tile_high_8 _mm_unpackhi_epi8
#define tile_low_16 _mm_unpacklo_epi16
#define tile_high_16 _mm_unpackhi_epi16
#define tile_low_32 _mm_unpacklo_epi32
#define tile_high_32 _mm_unpackhi_epi32
#define tile_low_64 _mm_unpacklo_epi64
#define tile_high_64 _mm_unpackhi_epi64

#include "runtime/copy/transposer_isa.h"

const opmill_transposer opmill_transposer_16 = {OPMILL_ISA_BASELINE, TILE_RUN, false};

#elif OPMILL_NEON

#define TILE_LANES 1
#define TILE_NARROWER opmill_transposer_plain
typedef uint8x16_t tile_vector;

OPMILL_INLINE uint8x16_t tile_load(const uint8_t *in, int64_t step) {
    (void)step;
    return vld1q_u8(in);
}

OPMILL_INLINE void tile_store(uint8_t *out, uint8x16_t value) { vst1q_u8(out, value); }

#define TILE_ZIP(BITS)                                                                             \
    OPMILL_INLINE uint8x16_t tile_low_##BITS(uint8x16_t a, uint8x16_t b) {                         \
        return vreinterpretq_u8_u##BITS(                                                           \
            vzip1q_u##BITS(vreinterpretq_u##BITS##_u8(a), vreinterpretq_u##BITS##_u8(b)));         \
    }                                                                                              \
    OPMILL_INLINE uint8x16_t tile_high_##BITS(uint8x16_t a, uint8x16_t b) {                        \
        return vreinterpretq_u8_u##BITS(                                                           \
            vzip2q_u##BITS(vreinterpretq_u##BITS##_u8(a), vreinterpretq_u##BITS##_u8(b)));         \
    }

#define tile_store_around tile_store
#define tile_low_8 vzip1q_u8
#define tile_high_8 vzip2q_u8
TILE_ZIP(16)
TILE_ZIP(32)
TILE_ZIP(64)

#include "runtime/copy/transposer_isa.h"

const opmill_transposer opmill_transposer_16 = {OPMILL_ISA_NEON, TILE_RUN, false};

#endif

const opmill_transposer *opmill_transposer_for(int32_t isa) {
    switch (isa) {
#if OPMILL_X86_64
    case OPMILL_ISA_BASELINE:
        return &opmill_transposer_16;
    case OPMILL_ISA_AVX2:
        return &opmill_transposer_avx2;
    case OPMILL_ISA_AVX512:
        return &opmill_transposer_avx512;
#elif OPMILL_NEON
    case OPMILL_ISA_NEON:
        return &opmill_transposer_16;
#endif
    default:
        return &opmill_transposer_plain;
    }
}
