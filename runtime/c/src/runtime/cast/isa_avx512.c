/* The loops for AVX-512, and those of float16 by the processor's own conversions. */
#include "loops.h"
#include "runtime/platform/platform.h"

#if OPMILL_X86_64

#include <immintrin.h>
#include <math.h>

#include "runtime/numbers/half.h"

OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX512)

static void own_float16_to_float(void *out, const void *in, int64_t count) {
    const uint16_t *x = in;
    float *y = out;
    int64_t i = 0;
    for (; i + 16 <= count; i += 16) {
        const __m256i halves = _mm256_loadu_si256((const __m256i *)(const void *)(x + i));
        _mm512_storeu_ps(y + i, _mm512_cvtph_ps(halves));
    }
    for (; i < count; i++) {
        y[i] = _cvtsh_ss(x[i]);
    }
}

static void own_float_to_float16(void *out, const void *in, int64_t count) {
    const float *x = in;
    uint16_t *y = out;
    int64_t i = 0;
    for (; i + 16 <= count; i += 16) {
        /* With a mask of all lanes: gcc's unmasked form at -O0 is a macro with a mask of -1, which
         * warns. */
        const __m512 floats = _mm512_loadu_ps(x + i);
        const __m256i halves = _mm512_maskz_cvtps_ph(0xffff, floats, _MM_FROUND_TO_NEAREST_INT);
        _mm256_storeu_si256((__m256i *)(void *)(y + i), halves);
    }
    for (; i < count; i++) {
        y[i] = (uint16_t)_cvtss_sh(x[i], _MM_FROUND_TO_NEAREST_INT);
    }
}

#define CAST_LOOPS opmill_cast_loops_avx512
#define CAST_ISA OPMILL_ISA_AVX512
#define CAST_HALVES(name) own_##name
#include "loops_body.h"

OPMILL_TARGET_END

#endif
