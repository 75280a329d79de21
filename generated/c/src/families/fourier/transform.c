/* Plans complex transforms: lengths with factors 2, 3 and 5 by Stockham passes, all others by
 * Bluestein's convolution of a longer length. Fills the tables and runs the passes. */
#include "families/fourier/transform.h"

#include <stddef.h>
#include <string.h>

#include "families/fourier/roots.h"

/* The factors of a length, fours first; false where a prime above 5 divides it. */
static bool factorize(fourier_factors *factors, int64_t length) {
    static const int32_t radices[] = {4, 2, 5, 3};
    factors->length = length;
    factors->count = 0;
    for (int i = 0; i < 4; i++) {
        for (; length % radices[i] == 0; length /= radices[i]) {
            factors->factors[factors->count++] = radices[i];
        }
    }
    return length == 1;
}

/* The smallest length from `min_length` on that 2, 3 and 5 divide. */
static int64_t convolution_length(int64_t min_length) {
    int64_t best = 1;
    while (best < min_length) {
        best *= 2;
    }
    for (int64_t fives = 1; fives < best; fives *= 5) {
        for (int64_t threes = fives; threes < best; threes *= 3) {
            int64_t length = threes;
            while (length < min_length) {
                length *= 2;
            }
            best = length < best ? length : best;
        }
    }
    return best;
}

void opmill_fourier_begin(fourier_transform *transform, int64_t length, int64_t lanes,
                          int32_t isa) {
    *transform = (fourier_transform){0};
    transform->length = transform->rows = length;
    transform->lanes = lanes;
    transform->isa = isa;
    transform->functions = opmill_fourier_functions(isa);
    transform->convolves = !factorize(&transform->factors, length);
    if (transform->convolves) {
        transform->rows = convolution_length(2 * length - 1);
        (void)factorize(&transform->factors, transform->rows);
    }
}

int64_t opmill_fourier_table_size(const fourier_transform *transform) {
    const int64_t single = transform->lanes == 1 ? 2 * transform->rows : 0;
    return single + (transform->convolves ? 2 * transform->length + 4 * transform->rows : 0);
}

/* The roots of the first pass, in the order in which a single line reads them. */
static void fill_single(fourier_factors *factors, double *re, double *im) {
    if (factors->count == 0) {
        return;
    }
    const int64_t radix = factors->factors[0], parts = factors->length / radix;
    for (int64_t k = 1; k < radix; k++) {
        for (int64_t p = 0; p < parts; p++) {
            re[(k - 1) * parts + p] = factors->re[k * p * factors->step];
            im[(k - 1) * parts + p] = factors->im[k * p * factors->step];
        }
    }
    factors->single_re = re;
    factors->single_im = im;
}

/* One pass after the other, from buffer to buffer. */
static void run_passes(const fourier_factors *factors, const fourier_functions *functions,
                       fourier_buffers *buffers, int64_t lanes) {
    fourier_pass pass = {0, factors->length, lanes, factors->re, factors->im, factors->step};
    for (int32_t i = 0; i < factors->count; i++) {
        fourier_pass now = pass;
        now.radix = factors->factors[i];
        now.parts = pass.parts / now.radix;
        if (i == 0 && lanes == 1 && factors->single_re != NULL) {
            now.re = factors->single_re;
            now.im = factors->single_im;
            now.step = 0;
        }
        functions->pass(&now, buffers->re, buffers->im, buffers->other_re, buffers->other_im);
        *buffers =
            (fourier_buffers){buffers->other_re, buffers->other_im, buffers->re, buffers->im};
        pass.parts = now.parts;
        pass.width *= now.radix;
        pass.step *= now.radix;
    }
}

/* c, and the transform of 1 / c with its negative indices at the end. */
static void fill_convolution(fourier_transform *transform, const double *re, const double *im,
                             int64_t step, double *chirp, double *filter, fourier_buffers buffers) {
    const int64_t length = transform->length, rows = transform->rows;
    const double share = 1.0 / (double)rows;
    int64_t square = 0; /* k^2, in twice the length */
    memset(buffers.re, 0, (size_t)rows * sizeof(double));
    memset(buffers.im, 0, (size_t)rows * sizeof(double));
    for (int64_t k = 0; k < length; k++) {
        const int64_t at = square * (step / 2);
        chirp[k] = re[at];
        chirp[length + k] = im[at];
        buffers.re[k] = re[at] * share;
        buffers.im[k] = -im[at] * share;
        if (k > 0) {
            buffers.re[rows - k] = buffers.re[k];
            buffers.im[rows - k] = buffers.im[k];
        }
        square += 2 * k + 1;
        square -= square >= 2 * length ? 2 * length : 0;
    }
    transform->chirp_re = chirp;
    transform->chirp_im = chirp + length;
    run_passes(&transform->factors, transform->functions, &buffers, 1);
    memcpy(filter, buffers.re, (size_t)rows * sizeof(double));
    memcpy(filter + rows, buffers.im, (size_t)rows * sizeof(double));
    transform->filter_re = filter;
    transform->filter_im = filter + rows;
}

void opmill_fourier_fill(fourier_transform *transform, const double *re, const double *im,
                         int64_t step, double *tables, fourier_buffers buffers) {
    const int64_t rows = transform->rows;
    fourier_factors *const factors = &transform->factors;
    factors->re = re;
    factors->im = im;
    factors->step = step;
    double *const single = tables;
    tables += transform->lanes == 1 ? 2 * rows : 0;
    if (transform->convolves) {
        opmill_fourier_roots(tables, tables + rows, rows, transform->isa);
        factors->re = tables;
        factors->im = tables + rows;
        factors->step = 1;
        tables += 2 * rows;
    }
    if (transform->lanes == 1) {
        fill_single(factors, single, single + rows);
    }
    if (transform->convolves) {
        fill_convolution(transform, re, im, step, tables, tables + 2 * transform->length, buffers);
    }
}

void opmill_fourier_run(const fourier_transform *transform, fourier_buffers *buffers) {
    const fourier_functions *const functions = transform->functions;
    const int64_t length = transform->length, rows = transform->rows, lanes = transform->lanes;
    if (!transform->convolves) {
        run_passes(&transform->factors, functions, buffers, lanes);
        return;
    }
    const size_t rest = (size_t)((rows - length) * lanes) * sizeof(double);
    functions->multiply(buffers->re, buffers->im, transform->chirp_re, transform->chirp_im, length,
                        lanes);
    memset(buffers->re + length * lanes, 0, rest);
    memset(buffers->im + length * lanes, 0, rest);
    run_passes(&transform->factors, functions, buffers, lanes);
    functions->multiply(buffers->re, buffers->im, transform->filter_re, transform->filter_im, rows,
                        lanes);
    /* With its parts exchanged, a transform is the inverse one. */
    fourier_buffers exchanged = {buffers->im, buffers->re, buffers->other_im, buffers->other_re};
    run_passes(&transform->factors, functions, &exchanged, lanes);
    *buffers =
        (fourier_buffers){exchanged.im, exchanged.re, exchanged.other_im, exchanged.other_re};
    functions->multiply(buffers->re, buffers->im, transform->chirp_re, transform->chirp_im, length,
                        lanes);
}
