/* Weights of 2, 4 or 8 bits as floats. */
#ifndef OPMILL_MATMUL_NBITS_WEIGHTS_H
#define OPMILL_MATMUL_NBITS_WEIGHTS_H

#include <stdint.h>

#include "runtime/platform/platform.h"

/* The codes of a row: blocks of `block` codes, a multiple of 16, the low bits of a byte first, each
 * with a scale and a zero point. */
typedef struct nbits_row {
    const uint8_t *codes;
    int64_t blocks, block;
    const float *zeros, *scales;
} nbits_row;

/* Writes (code - zero) * scale for all codes of a row. */
typedef void opmill_nbits_widen(const nbits_row *row, float *to);

/* For 4 and 8 bits, by any compiler and by instruction sets; for 2 bits by any compiler. */
opmill_nbits_widen opmill_nbits_widen_2;
opmill_nbits_widen opmill_nbits_widen_4;
opmill_nbits_widen opmill_nbits_widen_8;
#if OPMILL_X86_64
opmill_nbits_widen opmill_nbits_widen_4_avx2;
opmill_nbits_widen opmill_nbits_widen_8_avx2;
opmill_nbits_widen opmill_nbits_widen_4_avx512;
opmill_nbits_widen opmill_nbits_widen_8_avx512;
#endif

/* The function for a number of bits and a level of opmill/isa.h. */
opmill_nbits_widen *opmill_nbits_widen_of(int64_t bits, int32_t isa);

#endif
