/* Sums and products of quantized elements of 8 bits, and sums of many, for each instruction set. */
#ifndef OPMILL_QUANTIZED_BYTES_H
#define OPMILL_QUANTIZED_BYTES_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/platform/platform.h"

/* True if floats of the vectors that every machine of the target has are rounded at each step. */
#define OPMILL_BYTES_BASELINE (OPMILL_X86_64 || OPMILL_NEON)

/* The numbers of a sum, a * a_factor + (b * b_factor + term), or of a product,
 * (a - a_zero) * (b - b_zero) * factor + term. Each step is rounded to float. */
typedef struct byte_pair {
    bool is_signed;
    float a_factor, b_factor;
    float a_zero, b_zero, factor;
    float term;
} byte_pair;

/* Writes results as the nearest integers, ties to even, limited to the range of the type; NaN
 * becomes its minimum. */
typedef void byte_pair_loop(uint8_t *y, const uint8_t *a, const uint8_t *b, const byte_pair *pair,
                            int64_t count);

typedef struct byte_loops {
    byte_pair_loop *add, *mul;
    int64_t (*sum)(const uint8_t *x, bool is_signed, int64_t count);
    /* Adds each column of `rows` rows, `step` elements apart, to its sum, which wraps around. */
    void (*accumulate)(uint64_t *sums, const uint8_t *x, bool is_signed, int64_t count,
                       int64_t rows, int64_t step);
} byte_loops;

extern const byte_loops opmill_byte_loops_plain, opmill_byte_loops_baseline;
extern const byte_loops opmill_byte_loops_avx2, opmill_byte_loops_avx512;

/* The loops for an instruction set that opmill_isa_select gave. */
const byte_loops *opmill_byte_loops_for(int32_t isa);

#endif
