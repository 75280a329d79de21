/* The taps of a convolution, for references that compute one output after the other. */
#ifndef OPMILL_TEST_CONVOLUTION_TAPS_H
#define OPMILL_TEST_CONVOLUTION_TAPS_H

#include <stdint.h>

#include "opmill/operator.h"

typedef struct convolution {
    const opmill_tensor *x, *w;
    const opmill_ints *strides, *dilations;
    int64_t group, begin[OPMILL_MAX_RANK]; /* pads before each axis, of spatial ones */
} convolution;

/* A convolution of the attributes of Conv, whose output has the dims of y. */
convolution convolution_of(const opmill_operator *operator, const void *attributes,
                           const opmill_tensor *x, const opmill_tensor *w, const opmill_tensor *y);

/* Adds the product of two elements, by their positions in X and W; in the padding X has none, -1.
 */
typedef void add_product(void *sum, int64_t x_position, int64_t w_position);

/* Calls `add` for each tap of each channel of the output at an index. */
void for_each_tap(const convolution *convolution, const int64_t *index, add_product *add,
                  void *sum);

#endif
