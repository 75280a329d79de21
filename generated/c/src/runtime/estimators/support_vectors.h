/* Support vector machines: kernel functions, and probabilities of classes from those of pairs. */
#ifndef OPMILL_SUPPORT_VECTORS_H
#define OPMILL_SUPPORT_VECTORS_H

#include <stdint.h>

#include "opmill/types.h"

/* The kernels, as the rules number them. */
enum {
    OPMILL_SUPPORT_LINEAR = 0,
    OPMILL_SUPPORT_POLY = 1,
    OPMILL_SUPPORT_RBF = 2,
    OPMILL_SUPPORT_SIGMOID = 3
};

/* The kernel function of a row and a support vector. The parameters are gamma, coef0 and degree;
 * LINEAR may lack them. */
double opmill_support_kernel(int64_t kernel, const opmill_tensor *parameters, const double *x,
                             const float *vector, int64_t count);

/* The probability 1 / (1 + exp(a score + b)) of one class against another, 1e-7 to 1 - 1e-7. */
double opmill_pair_probability(double score, double a, double b);

/* Writes the probabilities p of `count` classes. r[i * count + j] is that of class i against class
 * j; q has count * count doubles of scratch memory, qp has count. */
void opmill_couple_probabilities(const double *r, int64_t count, double *q, double *qp, double *p);

#endif
