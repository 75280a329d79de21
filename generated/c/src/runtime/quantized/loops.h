/* Quotients and products of quantization and their rounding to integers, for each instruction set.
 */
#ifndef OPMILL_QUANTIZED_LOOPS_H
#define OPMILL_QUANTIZED_LOOPS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct quantize_loops {
    int32_t isa;
    void (*divide)(float *q, const float *x, float scale, int64_t count);
    void (*divide_each)(float *q, const float *x, const float *scales, int64_t count);
    /* q + zero to the nearest, ties to even, held between low and high; NaN becomes low. All three
     * numbers are whole. The result has 8 or 16 bits. */
    void (*round_8)(uint8_t *y, const float *q, float zero, float low, float high, int64_t count);
    void (*round_16)(uint16_t *y, const float *q, float zero, float low, float high, int64_t count);
    void (*round_8_each)(uint8_t *y, const float *q, const float *zeros, float low, float high,
                         int64_t count);
    void (*round_16_each)(uint16_t *y, const float *q, const float *zeros, float low, float high,
                          int64_t count);
    /* x * factor to the nearest integer, of two the higher one. */
    void (*round_up)(float *q, const double *x, double factor, int64_t count);
    /* round_8 of x / scale. */
    void (*quantize_8)(uint8_t *y, const float *x, float scale, float zero, float low, float high,
                       int64_t count);
    /* Sums of 32 bits, signed, with `added` to each, which wraps around, as floats times factors,
     * plus terms, each step rounded; `terms` may be NULL. */
    void (*scale_sums)(float *q, const uint32_t *sums, uint32_t added, float factor,
                       const float *terms, int64_t count);
    void (*scale_sums_each)(float *q, const uint32_t *sums, const float *factors,
                            const float *terms, int64_t count);
    /* q + p, to q. */
    void (*add)(float *q, const float *p, int64_t count);
    /* Extends low and high, which are numbers, by what is beyond; true where there is a NaN. */
    bool (*extend)(const float *x, int64_t count, float *low, float *high);
} quantize_loops;

/* The loops for an instruction set that opmill_isa_select gave. */
const quantize_loops *opmill_quantize_loops_for(int32_t isa);

#endif
