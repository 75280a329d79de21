/* Passes of a fast Fourier transform of several lines at once, real and imaginary parts apart.
 *
 * A transform of length radix * parts becomes `radix` transforms of length `parts` each, sorted as
 * it goes (Stockham). Adjacent elements, `width` of them, take the same steps: the lines, and what
 * the passes before have divided them into. */
#ifndef OPMILL_FOURIER_PASSES_H
#define OPMILL_FOURIER_PASSES_H

#include <stdint.h>

typedef struct fourier_pass {
    int32_t radix; /* 2, 3, 4 or 5 */
    int64_t parts;
    int64_t width;
    const double *re, *im; /* roots of unity, of which the first of the transform is entry `step` */
    int64_t step;
} fourier_pass;

typedef struct fourier_functions {
    void (*pass)(const fourier_pass *pass, const double *from_re, const double *from_im,
                 double *to_re, double *to_im);
    /* Rows of `width` elements times a complex number each, in place. */
    void (*multiply)(double *re, double *im, const double *by_re, const double *by_im, int64_t rows,
                     int64_t width);
    /* The spectrum of 2 n real numbers, n + 1 rows, of the transform of n numbers whose real parts
     * are those of even index; and what has such a transform, times 2 n, of a spectrum. The roots
     * are those of the length 2 n. */
    void (*spectrum)(const double *from_re, const double *from_im, double *to_re, double *to_im,
                     const double *re, const double *im, int64_t n, int64_t width);
    void (*pairs)(const double *from_re, const double *from_im, double *to_re, double *to_im,
                  const double *re, const double *im, int64_t n, int64_t width);
} fourier_functions;

const fourier_functions *opmill_fourier_functions(int32_t isa);

#endif
