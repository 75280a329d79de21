/* Floats as uint8 with the scale and the zero point that their range gives. */
#ifndef OPMILL_QUANTIZED_DYNAMIC_H
#define OPMILL_QUANTIZED_DYNAMIC_H

#include <stdint.h>

#include <opmill/types.h>

/* The range includes 0; where it is 0 alone, the scale is 1, and with a NaN it is NaN. */
void opmill_quantize_dynamically(const float *x, int64_t count, uint8_t *y, float *scale,
                                 uint8_t *zero_point, const opmill_context *context);

#endif
