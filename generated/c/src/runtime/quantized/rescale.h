/* Elements of 8 bits with the scale and the zero point of another tensor. */
#ifndef OPMILL_QUANTIZED_RESCALE_H
#define OPMILL_QUANTIZED_RESCALE_H

#include <stdbool.h>
#include <stdint.h>

#include <opmill/types.h>

/* Writes a table for opmill_map_bytes: for the bits of each element, those of the element that it
 * becomes; returns whether any element may change. The difference from the zero point, the product
 * and the quotient are of float. All zero points have one type. */
bool opmill_rescale_table(uint8_t *table, const opmill_tensor *scale, const opmill_tensor *zero,
                          const opmill_tensor *to_scale, const opmill_tensor *to_zero, int32_t isa);

#endif
