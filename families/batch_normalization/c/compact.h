/* BatchNormalization in little code and memory, for microcontrollers. */
#ifndef OPMILL_BATCH_NORMALIZATION_COMPACT_H
#define OPMILL_BATCH_NORMALIZATION_COMPACT_H

#include "families/batch_normalization/plan.h"

/* The result of opmill_batch_normalization_compute, in the same bits, of floats with given moments:
 * of the outputs Y alone. */
int opmill_batch_normalization_compact(const opmill_tensor *x, const opmill_tensor *scale,
                                       const opmill_tensor *bias, const opmill_tensor *mean,
                                       const opmill_tensor *variance, opmill_tensor *y,
                                       opmill_tensor *running_mean, opmill_tensor *running_variance,
                                       opmill_tensor *saved_mean, opmill_tensor *saved_variance,
                                       const opmill_batch_normalization_plan *plan,
                                       opmill_context *context);

#endif
