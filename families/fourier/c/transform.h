/* Complex transforms of any length, of several lines at once: planned once for a call. */
#ifndef OPMILL_FOURIER_TRANSFORM_H
#define OPMILL_FOURIER_TRANSFORM_H

#include <stdbool.h>
#include <stdint.h>

#include "families/fourier/passes.h"

enum { FOURIER_MAX_FACTORS = 64 };

/* Lengths that 2, 3 and 5 divide: their factors, and where their roots are. */
typedef struct fourier_factors {
    int64_t length;
    int32_t count;
    int32_t factors[FOURIER_MAX_FACTORS];
    const double *re, *im; /* of a length that is `step` times this one */
    int64_t step;
    const double *single_re, *single_im; /* NULL but for single lines: roots of the first pass */
} fourier_factors;

/* Another length n becomes a convolution of a length that has such factors (Bluestein): with the
 * roots c[k] = e^(-pi i k^2 / n), result k is c[k] times the sum of x[j] c[j] / c[k - j]. */
typedef struct fourier_transform {
    int64_t length;
    int64_t rows; /* of a buffer */
    int64_t lanes;
    bool convolves;
    fourier_factors factors;             /* of the length, or of the convolution */
    const double *chirp_re, *chirp_im;   /* c */
    const double *filter_re, *filter_im; /* the transform of 1 / c, by the convolution's length */
    const fourier_functions *functions;
    int32_t isa;
} fourier_transform;

/* Four buffers of `rows` rows. The parts of the numbers are in the first two; the results are in
 * those that opmill_fourier_run leaves there, which exchanges them. */
typedef struct fourier_buffers {
    double *re, *im, *other_re, *other_im;
} fourier_buffers;

/* Describes a transform of a length of at least 1. */
void opmill_fourier_begin(fourier_transform *transform, int64_t length, int64_t lanes, int32_t isa);

/* The doubles of its tables. */
int64_t opmill_fourier_table_size(const fourier_transform *transform);

/* Fills the tables. `re` and `im` are the roots of a length that is `step` times this one, an even
 * number for a convolution; the buffers are for its use meanwhile. */
void opmill_fourier_fill(fourier_transform *transform, const double *re, const double *im,
                         int64_t step, double *tables, fourier_buffers buffers);

/* Transforms all lanes. */
void opmill_fourier_run(const fourier_transform *transform, fourier_buffers *buffers);

#endif
