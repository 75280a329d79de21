/* The loops for AVX2, and those of float16 by the processor's own conversions. */
#include "loops.h"
#include "runtime/platform/platform.h"

#if OPMILL_X86_64

#include <immintrin.h>
#include <math.h>

#include "runtime/numbers/half.h"

OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX2)

static void own_float16_to_float(void *out, const void *in, int64_t count) {
    const uint16_t *x = in;
    float *y = out;
    int64_t i = 0;
    for (; i + 8 <= count; i += 8) {
        const __m128i halves = _mm_loadu_si128((const __m128i *)(const void *)(x + i));
        _mm256_storeu_ps(y + i, _mm256_cvtph_ps(halves));
    }
    for (; i < count; i++) {
        y[i] = _cvtsh_ss(x[i]);
    }
}

static void own_float_to_float16(void *out, const void *in, int64_t count) {
    const float *x = in;
    uint16_t *y = out;
    int64_t i = 0;
    for (; i + 8 <= count; i += 8) {
        const __m128i halves = _mm256_cvtps_ph(_mm256_loadu_ps(x + i), _MM_FROUND_TO_NEAREST_INT);
        _mm_storeu_si128((__m128i *)(void *)(y + i), halves);
    }
    for (; i < count; i++) {
        y[i] = (uint16_t)_cvtss_sh(x[i], _MM_FROUND_TO_NEAREST_INT);
    }
}

#define CAST_LOOPS opmill_cast_loops_avx2
#define CAST_ISA OPMILL_ISA_AVX2
#define CAST_HALVES(name) own_##name
#include "loops_body.h"

OPMILL_TARGET_END

#endif
