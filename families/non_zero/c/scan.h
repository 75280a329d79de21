/* Counting and finding the elements that are not zero, built for several instruction sets.
 *
 * An element is one word of its type's width, or two of a complex type; a mask leaves out the sign
 * of a floating word, so that -0 is zero and NaN is not. */
#ifndef OPMILL_NON_ZERO_SCAN_H
#define OPMILL_NON_ZERO_SCAN_H

#include <stdint.h>

typedef struct non_zero_scan {
    /* How many of the first `count` elements are not zero. */
    int64_t (*count)(const void *data, int64_t count, uint64_t mask);

    /* Writes `first` + k for each element k of `count` that is not zero; `capacity` values at the
     * most. Returns how many it wrote. */
    int64_t (*find)(const void *data, int64_t count, uint64_t mask, int64_t first, int64_t *to,
                    int64_t capacity);
    uint64_t mask;
    int64_t bytes; /* of an element */
} non_zero_scan;

/* What scans tensors of a type on an instruction set, which is there. */
non_zero_scan opmill_non_zero_scan(int32_t type, int32_t isa);

#endif
