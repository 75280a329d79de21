/* Means, variances and what normalisations make of elements with them.
 *
 * A set is the elements that share a mean: runs of adjacent elements, at distances that some axes
 * state. Sums are taken as lanes.h says, in float for float, float16 and bfloat16, and blocks are
 * added in double, one run after the other. A variance is that of the differences to a rounded
 * mean, corrected by their own mean. Where float has not the range, all is computed again in
 * double. */
#ifndef OPMILL_MOMENTS_H
#define OPMILL_MOMENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "opmill/types.h"
#include "runtime/platform/platform.h"

enum { OPMILL_MOMENTS_COLUMNS = OPMILL_ON_STACK(256, 32) };

/* The loops over adjacent elements of one type, for one instruction set. */
typedef struct opmill_moments_loops {
    double (*sum)(const void *x, int64_t count);
    /* Adds the sums of x - center and of its square to `sums`. */
    void (*spread)(const void *x, int64_t count, double center, double *sums);
    /* y = (x - center) factor + bias */
    void (*shift)(const void *x, void *y, int64_t count, double center, double factor, double bias);
    /* y = (x - center) factor scale + bias, of at most OPMILL_LANES_CHUNK elements; scale and bias
     * are reals as the loops compute with, and `bias` may be NULL */
    void (*shift_each)(const void *x, void *y, int64_t count, double center, double factor,
                       const void *scale, const void *bias);
    /* y = (x - center) factor + bias, of rows at a distance of `stride` elements, with a center, a
     * factor and a bias for each of their at most OPMILL_MOMENTS_COLUMNS columns */
    void (*shift_columns)(const void *x, void *y, int64_t rows, int64_t stride, int64_t columns,
                          const double *centers, const double *factors, const double *biases);
    /* Elements as reals: in `space`, or where they are. */
    const void *(*widen)(const void *x, void *space, int64_t count);
    /* Reals as elements. */
    void (*narrow)(const void *x, void *y, int64_t count);
    /* y = a + b + bias, of reals; `bias` may be NULL */
    void (*add)(const void *a, const void *b, const void *bias, void *y, int64_t count);
} opmill_moments_loops;

const opmill_moments_loops *opmill_moments_loops_of(int32_t type, int32_t isa);

/* A set: `count` adjacent elements for each position of some axes, the innermost first. */
typedef struct opmill_moments_set {
    int32_t type;
    int64_t count;
    int32_t rank;
    int64_t dims[OPMILL_MAX_RANK];
    int64_t strides[OPMILL_MAX_RANK]; /* in elements */
} opmill_moments_set;

typedef struct opmill_moments {
    double mean;
    double variance; /* of the population */
} opmill_moments;

/* The number of elements. */
int64_t opmill_moments_size(const opmill_moments_set *set);

/* The mean and the variance of the elements that begin at `x`; NaN of none. */
opmill_moments opmill_moments_of(const opmill_moments_loops *loops, const opmill_moments_set *set,
                                 const void *x);

/* The same, all in double: for results that are doubles, of whatever type the elements are. */
opmill_moments opmill_moments_in_double(const opmill_moments_set *set, const void *x);

/* The mean of the squares. */
double opmill_moments_square(const opmill_moments_loops *loops, const opmill_moments_set *set,
                             const void *x);

/* True if float has the range for these numbers, with room for products of them. */
bool opmill_moments_fit(double center, double factor);

/* y = (x - center) factor + bias, of adjacent elements. */
void opmill_moments_shift(const opmill_moments_loops *loops, int32_t type, const void *x, void *y,
                          int64_t count, double center, double factor, double bias);

/* The same of a set, element by element where it was read. */
void opmill_moments_shift_set(const opmill_moments_loops *loops, const opmill_moments_set *set,
                              const void *x, void *y, double center, double factor, double bias);

#endif
