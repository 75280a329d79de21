/* (x - zero) * scale, for each instruction set, in float or in double. */
#ifndef OPMILL_DEQUANTIZE_LOOPS_H
#define OPMILL_DEQUANTIZE_LOOPS_H

#include <stdint.h>

typedef struct dequantize_loops {
    int32_t isa;
    void (*scale)(float *y, const float *x, float zero, float scale, int64_t count);
    void (*scale_each)(float *y, const float *x, const float *zeros, const float *scales,
                       int64_t count);
    /* Floats as operands, and integers of 32 bits, whose zero points may be some too. */
    void (*wide_each)(double *y, const float *x, const float *zeros, const float *scales,
                      int64_t count);
    void (*wide_whole)(double *y, const int32_t *x, int32_t zero, float scale, int64_t count);
} dequantize_loops;

/* The loops for an instruction set that opmill_isa_select gave. */
const dequantize_loops *opmill_dequantize_loops_for(int32_t isa);

#endif
