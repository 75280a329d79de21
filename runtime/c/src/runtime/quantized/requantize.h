/* Sums of products as elements of a quantized output: times a factor, rounded, moved by the zero
 * point. */
#ifndef OPMILL_QUANTIZED_REQUANTIZE_H
#define OPMILL_QUANTIZED_REQUANTIZE_H

#include <stdbool.h>
#include <stdint.h>

#include <opmill/types.h>

#include "runtime/cast/formats.h"
#include "runtime/cast/loops.h"
#include "runtime/quantized/loops.h"

typedef struct opmill_requantizer {
    const quantize_loops *loops;
    const cast_loops *casts;
    bool is_whole; /* the output has integers of 8 bits, from low to high; else floats of 8 bits */
    float low, high, zero;
    cast_small small;
} opmill_requantizer;

/* `type` is an integer or float of 8 bits; the zero point is one number of that type. */
void opmill_requantizer_begin(opmill_requantizer *requantizer, int32_t type, const void *zero_point,
                              int32_t isa);

/* Stores `count` elements. Each sum is a signed integer of 32 bits; `added` is added to it and
 * wraps around. With `factors`, each sum has its own, and `added` is 0. */
void opmill_requantize(const opmill_requantizer *requantizer, const uint32_t *sums, uint32_t added,
                       float factor, const float *factors, int64_t count, uint8_t *out);

/* The same of sums that are doubles, which are rounded to float first. */
void opmill_requantize_doubles(const opmill_requantizer *requantizer, const double *sums,
                               float factor, const float *factors, int64_t count, uint8_t *out);

/* The number of a type of 8 bits that has some bits; a float holds every one. */
float opmill_small_number(uint8_t bits, int32_t type);

/* An element of float, float16 or bfloat16. */
float opmill_scale_at(const opmill_tensor *scales, int64_t index);

#endif
