/* Random numbers of the standard normal distribution: its quantiles at random odd multiples of
 * 2^-33, or of 2^-53, by algorithm AS 241 of Wichura, "The percentage points of the normal
 * distribution" (1988), whose error is about 2^-52 of the result. */
#ifndef OPMILL_NORMAL_NUMBERS_H
#define OPMILL_NORMAL_NUMBERS_H

#include "runtime/math/logarithm.h"
#include "runtime/numbers/random_numbers.h"

/* The quotient of two polynomials of degree 7, the highest coefficients first. */
OPMILL_INLINE double opmill_normal_ratio(const double *above, const double *below, double x) {
    double a = above[0] * x + above[1], b = below[0] * x + below[1];
    a = a * x + above[2];
    b = b * x + below[2];
    a = a * x + above[3];
    b = b * x + below[3];
    a = a * x + above[4];
    b = b * x + below[4];
    a = a * x + above[5];
    b = b * x + below[5];
    a = a * x + above[6];
    b = b * x + below[6];
    a = a * x + above[7];
    b = b * x + below[7];
    return a / b;
}

/* For |q| up to 0.425, and any other q of less than 0.5. */
OPMILL_INLINE double opmill_normal_central(double q) {
    static const double above[8] = {2.5090809287301226727e3, 3.3430575583588128105e4,
                                    6.7265770927008700853e4, 4.5921953931549871457e4,
                                    1.3731693765509461125e4, 1.9715909503065514427e3,
                                    1.3314166789178437745e2, 3.3871328727963666080e0};
    static const double below[8] = {5.2264952788528545610e3, 2.8729085735721942674e4,
                                    3.9307895800092710610e4, 2.1213794301586595867e4,
                                    5.3941960214247511077e3, 6.8718700749205790830e2,
                                    4.2313330701600911252e1, 1};
    const double square = q * q;
    return q * opmill_normal_ratio(above, below, 0.180625 - square);
}

/* Of the square root of -log(p), up to 5. */
OPMILL_INLINE double opmill_normal_middle(double root) {
    static const double above[8] = {7.74545014278341407640e-4, 2.27238449892691845833e-2,
                                    2.41780725177450611770e-1, 1.27045825245236838258e0,
                                    3.64784832476320460504e0,  5.76949722146069140550e0,
                                    4.63033784615654529590e0,  1.42343711074968357734e0};
    static const double below[8] = {1.05075007164441684324e-9, 5.47593808499534494600e-4,
                                    1.51986665636164571966e-2, 1.48103976427480074590e-1,
                                    6.89767334985100004550e-1, 1.67638483018380384940e0,
                                    2.05319162663775882187e0,  1};
    return opmill_normal_ratio(above, below, root - 1.6);
}

/* The same above 5, which numbers of 32 bits do not reach. */
OPMILL_INLINE double opmill_normal_far(double root) {
    static const double above[8] = {2.01033439929228813265e-7, 2.71155556874348757815e-5,
                                    1.24266094738807843860e-3, 2.65321895265761230930e-2,
                                    2.96560571828504891230e-1, 1.78482653991729133580e0,
                                    5.46378491116411436990e0,  6.65790464350110377720e0};
    static const double below[8] = {2.04426310338993978564e-15, 1.42151175831644588870e-7,
                                    1.84631831751005468180e-5,  7.86869131145613259100e-4,
                                    1.48753612908506148525e-2,  1.36929880922735805310e-1,
                                    5.99832206555887937690e-1,  1};
    return opmill_normal_ratio(above, below, root - 5);
}

/* The quantiles of a run of probabilities, in their place. The outer ones, about one of seven, are
 * collected and computed together. */
OPMILL_INLINE void opmill_normal_quantiles(double *restrict p) {
    double root[OPMILL_RANDOM_RUN], outer[OPMILL_RANDOM_RUN], side[OPMILL_RANDOM_RUN];
    int position[OPMILL_RANDOM_RUN], count = 0;
    for (int i = 0; i < OPMILL_RANDOM_RUN; i++) {
        const double q = p[i] - 0.5;
        outer[count] = q < 0 ? p[i] : 1 - p[i];
        side[count] = q < 0 ? -1 : 1;
        position[count] = i;
        count += q < -0.425 || q > 0.425;
    }
    for (int i = 0; i < OPMILL_RANDOM_RUN; i++) {
        p[i] = opmill_normal_central(p[i] - 0.5);
    }
    for (int j = 0; j < count; j++) {
        root[j] = sqrt(-opmill_log_of_split(opmill_log_split_normal(outer[j]), 0));
        outer[j] = opmill_normal_middle(root[j]);
    }
    for (int j = 0; j < count; j++) {
        p[position[j]] = side[j] * (root[j] > 5 ? opmill_normal_far(root[j]) : outer[j]);
    }
}

/* A run of numbers of a seed, from number `at` on. */
OPMILL_INLINE void opmill_random_normal(uint64_t key, int64_t at, bool wide, double *restrict x) {
    if (wide) {
        uint32_t words[2 * OPMILL_PHILOX_WORDS];
        opmill_random_pairs(key, at, words);
        for (int i = 0; i < OPMILL_RANDOM_RUN; i++) {
            x[i] = words[2 * i] * 0x1p-32 + ((words[2 * i + 1] >> 12) * 2.0 + 1) * 0x1p-53;
        }
    } else {
        opmill_random_uniform(key, at, false, x);
        for (int i = 0; i < OPMILL_RANDOM_RUN; i++) {
            x[i] += 0x1p-33;
        }
    }
    opmill_normal_quantiles(x);
}

#endif
