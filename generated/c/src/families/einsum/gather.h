/* The elements of a view in another order, or their sums. */
#ifndef OPMILL_EINSUM_GATHER_H
#define OPMILL_EINSUM_GATHER_H

#include "families/einsum/equation.h"

/* Writes, for each index of the labels `order`, the element of the view, or the
 * sum over the view's other labels. `to` lies in row-major order and has the
 * type `type`: that of the view, or of its sums, or of elements that sums are
 * rounded to. Integers wrap around. */
void opmill_einsum_gather(const einsum_view *view, const einsum_equation *equation,
                          const uint8_t *order, int32_t rank, void *to, int32_t type);

#endif
