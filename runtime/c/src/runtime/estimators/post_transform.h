/* The transforms of scores: what post_transform names in linear models, support vector machines and
 * tree ensembles. */
#ifndef OPMILL_POST_TRANSFORM_H
#define OPMILL_POST_TRANSFORM_H

#include <stdint.h>

#include "opmill/types.h"

/* The transforms, numbered as TreeEnsemble-5 does. */
enum {
    OPMILL_TRANSFORM_NONE = 0,
    OPMILL_TRANSFORM_SOFTMAX = 1,
    OPMILL_TRANSFORM_LOGISTIC = 2,
    OPMILL_TRANSFORM_SOFTMAX_ZERO = 3,
    OPMILL_TRANSFORM_PROBIT = 4
};

/* Transforms `count` scores of a floating type from element `first` on, a row, in place: each in
 * double, rounded once. */
void opmill_post_transform(int64_t transform, void *scores, int32_t type, int64_t first,
                           int64_t count);

#endif
