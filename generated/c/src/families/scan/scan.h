/* Sums or products of all elements up to each one, along an axis. Floats are combined in double,
 * one after the other, and each result is rounded once; integers wrap around. The order does not
 * depend on the number of threads. */
#ifndef OPMILL_SCAN_SCAN_H
#define OPMILL_SCAN_SCAN_H

#include <stdbool.h>

#include "opmill/types.h"
#include "runtime/platform/platform.h"

enum { OPMILL_SCAN_COLUMNS = OPMILL_ON_STACK(256, 64) /* that are combined together */ };

/* Data as matrices of `length` rows of `inner` elements, one for each position of the axes before
 * the one that is scanned. */
typedef struct opmill_scan {
    const void *x;
    void *y;
    int64_t length, inner;
    bool exclusive, reverse;
} opmill_scan;

/* The columns from `first` to `first + count` - 1 of a matrix, at most OPMILL_SCAN_COLUMNS. */
typedef void opmill_scan_loop(const opmill_scan *scan, int64_t matrix, int64_t first,
                              int64_t count);

/* The loop for an element type and a level of enum opmill_isa. */
typedef opmill_scan_loop *opmill_scan_finder(int32_t type, int32_t isa);

opmill_scan_finder opmill_scan_sums;
opmill_scan_finder opmill_scan_products;

void opmill_scan_run(opmill_scan_finder *finder, const opmill_tensor *x, opmill_tensor *y,
                     int32_t axis, bool exclusive, bool reverse, const opmill_context *context);

#endif
