/* Regions of images whose numbers are contents of a floating tensor, a row each, and that another
 * thread may change during the call. */
#ifndef OPMILL_REGIONS_H
#define OPMILL_REGIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "opmill/types.h"

/* Maximum distance of a scaled coordinate from 0, so that sizes and their products with the sizes
 * of outputs fit an int64. */
#define OPMILL_REGION_LIMIT 1073741824.0

/* True if every coordinate, from column `first` on, is a number within the limit when it is scaled;
 * else the first one that is not is reported in the context. */
bool opmill_regions_check(const opmill_tensor *rois, int32_t first, double scale,
                          opmill_context *context);

/* True if column 0 of every row is a whole number below `count`; else the first is reported. */
bool opmill_regions_check_batches(const opmill_tensor *rois, int64_t count,
                                  opmill_context *context);

/* A scaled coordinate, read once: what is beyond the limit by now becomes 0. */
double opmill_regions_read(const opmill_tensor *rois, int64_t row, int32_t column, double scale);

/* The number of a batch entry, read once: what is out of range by now becomes 0. */
int64_t opmill_regions_batch(const opmill_tensor *rois, int64_t row, int64_t count);

#endif
