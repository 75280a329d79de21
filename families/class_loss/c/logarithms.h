/* The logarithms of the shares that scores have, of several samples side by side. */
#ifndef OPMILL_CLASS_LOSS_LOGARITHMS_H
#define OPMILL_CLASS_LOSS_LOGARITHMS_H

#include <stdint.h>

#include "opmill/types.h"

/* Of `width` samples, at most OPMILL_LOSS_COLUMNS, the largest score, and the logarithm of the sum
 * of exponentials beside it; where there is a `log_prob`, the logarithms of all shares too. The
 * scores of a class follow each other from `begin` on, those of the next class `step` elements
 * further. */
void opmill_loss_logarithms(const opmill_tensor *scores, int64_t begin, int64_t classes,
                            int64_t step, int64_t width, double *tops, double *logarithms,
                            const opmill_tensor *log_prob);

#endif
