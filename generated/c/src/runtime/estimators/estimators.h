/* Shared parts of linear models, support vector machines, tree ensembles: rows of features, sums
 * and labels. */
#ifndef OPMILL_ESTIMATORS_H
#define OPMILL_ESTIMATORS_H

#include <stddef.h>
#include <stdint.h>

#include "opmill/types.h"

/* The number of features of a row of X, which is [N, F], or [F] for one row. */
int64_t opmill_feature_count(const opmill_tensor *X);

/* Scratch memory for the features of `rows` rows, as doubles; SIZE_MAX if a size_t cannot hold it.
 */
size_t opmill_features_bytes(const opmill_tensor *X, int64_t rows);

/* Writes `rows` rows of X from row `first` on as doubles. */
void opmill_read_features(const opmill_tensor *X, int64_t first, int64_t rows, double *features);

/* The sum of products, in double. */
double opmill_dot(const double *x, const float *weights, int64_t count);

/* Writes a score for each of `count` rows of coefficients; the intercepts may be absent. */
void opmill_linear_scores(const double *features, int64_t feature_count,
                          const opmill_tensor *coefficients, const opmill_tensor *intercepts,
                          float *scores, int64_t count);

/* The position of the largest score, the first of several; a NaN is never larger. */
int64_t opmill_largest_score(const float *scores, int64_t count);

/* Writes label `index` of the list that is present as element `row` of Y. */
void opmill_put_label(const opmill_tensor *Y, int64_t row, const opmill_tensor *integers,
                      const opmill_tensor *texts, int64_t index);

#endif
