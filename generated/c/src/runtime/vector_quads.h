/* Elements of four bytes for AVX-512 VNNI: of a factor they are unsigned, of a vector beside it
 * signed, and the sum of the four products is added. Sums are u32. The file that includes this has
 * included vector_avx512.h and vector_integers.h; functions from here to QUADS_END run only where
 * opmill_isa_has_vnni says so. */
#ifndef OPMILL_VECTOR_QUADS_H
#define OPMILL_VECTOR_QUADS_H

#include "runtime/platform.h"

OPMILL_TARGET_BEGIN(OPMILL_SETS_VNNI)

#define QUADS_END OPMILL_TARGET_END

#define q8_zero u32_zero
#define q8_load u32_load
#define q8_store u32_store
#define q8_repeat u32_repeat
#define q8_zip_low u32_zip_low
#define q8_zip_high u32_zip_high
static inline u32_vector q8_fma(u32_vector bytes, u32_vector factor, u32_vector sum) {
    return (u32_vector)_mm512_dpbusd_epi32((__m512i)sum, (__m512i)factor, (__m512i)bytes);
}

#define REAL uint32_t
#define VECTOR u32_vector
#define LANES U32_LANES
#define OP(operation) q8_##operation
#define NAME(function) opmill_##function##_q8_avx512
#define UNROLLED OPMILL_UNROLLED
#define HAS_HALF_TYPES 0
#define IS_INTEGER 1
#define IS_PACKED 1
#define TERMS 4

#endif
