/* Weights of 2, 4 or 8 bits as floats, in standard C, and which functions read them. */
#include "families/matmul_nbits/weights.h"

#include <stddef.h>

#include "families/matmul_nbits/dots.h"
#include "opmill/isa.h"

void opmill_nbits_widen_2(const nbits_row *row, float *to) {
    const uint8_t *codes = row->codes;
    for (int64_t n = 0; n < row->blocks; n++, codes += row->block / 4) {
        for (int64_t i = 0; i < row->block; i++) {
            *to++ = ((float)(codes[i / 4] >> i % 4 * 2 & 3) - row->zeros[n]) * row->scales[n];
        }
    }
}

void opmill_nbits_widen_4(const nbits_row *row, float *to) {
    const uint8_t *codes = row->codes;
    for (int64_t n = 0; n < row->blocks; n++, codes += row->block / 2) {
        for (int64_t i = 0; i < row->block / 2; i++) {
            *to++ = ((float)(codes[i] & 15) - row->zeros[n]) * row->scales[n];
            *to++ = ((float)(codes[i] >> 4) - row->zeros[n]) * row->scales[n];
        }
    }
}

void opmill_nbits_widen_8(const nbits_row *row, float *to) {
    const uint8_t *codes = row->codes;
    for (int64_t n = 0; n < row->blocks; n++, codes += row->block) {
        for (int64_t i = 0; i < row->block; i++) {
            *to++ = ((float)codes[i] - row->zeros[n]) * row->scales[n];
        }
    }
}

opmill_nbits_widen *opmill_nbits_widen_of(int64_t bits, int32_t isa) {
    if (bits == 2) {
        return opmill_nbits_widen_2;
    }
#if OPMILL_X86_64
    if (isa == OPMILL_ISA_AVX512) {
        return bits == 4 ? opmill_nbits_widen_4_avx512 : opmill_nbits_widen_8_avx512;
    }
    if (isa == OPMILL_ISA_AVX2) {
        return bits == 4 ? opmill_nbits_widen_4_avx2 : opmill_nbits_widen_8_avx2;
    }
#endif
    (void)isa;
    return bits == 4 ? opmill_nbits_widen_4 : opmill_nbits_widen_8;
}

opmill_nbits_dots *opmill_nbits_dots_of(int32_t isa) {
#if OPMILL_X86_64
    if (isa == OPMILL_ISA_AVX512) {
        return opmill_nbits_dots_avx512;
    }
    if (isa == OPMILL_ISA_AVX2) {
        return opmill_nbits_dots_avx2;
    }
#endif
    (void)isa;
    return NULL;
}
