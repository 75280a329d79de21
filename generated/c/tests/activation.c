/* Activations for the references, in double by the functions of math.h. */
#include "activation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double within(double x, double low, double high) {
    const double above = x < low ? low : x;
    return above > high ? high : above;
}

static double softplus(double x) { return x > 50 || isnan(x) ? x : log1p(exp(x)); }

double activation_of(const char *name, double x, double alpha, double beta, double gamma) {
    if (strcmp(name, "Celu") == 0) {
        const double low = alpha * expm1(x / alpha);
        return isnan(low) ? low : fmax(x, 0) + fmin(low, 0);
    }
    if (strcmp(name, "Clip") == 0) {
        return within(x, alpha, beta);
    }
    if (strcmp(name, "Elu") == 0) {
        return x < 0 ? alpha * expm1(x) : x;
    }
    if (strcmp(name, "HardSigmoid") == 0) {
        return within(alpha * x + beta, 0, 1);
    }
    if (strcmp(name, "HardSwish") == 0) {
        return x * within(x / 6 + 0.5, 0, 1);
    }
    if (strcmp(name, "LeakyRelu") == 0) {
        return x < 0 ? alpha * x : x;
    }
    if (strcmp(name, "ParametricSoftplus") == 0) {
        return alpha * softplus(beta * x);
    }
    if (strcmp(name, "Relu") == 0) {
        return x < 0 ? 0 : x;
    }
    if (strcmp(name, "ScaledTanh") == 0) {
        return alpha * tanh(beta * x);
    }
    if (strcmp(name, "Selu") == 0) {
        return gamma * (x < 0 ? alpha * expm1(x) : x);
    }
    if (strcmp(name, "Sigmoid") == 0) {
        return 1 / (1 + exp(-x));
    }
    if (strcmp(name, "Softplus") == 0) {
        return softplus(x);
    }
    if (strcmp(name, "Softsign") == 0) {
        return x / (1 + fabs(x));
    }
    if (strcmp(name, "Tanh") == 0) {
        return tanh(x);
    }
    if (strcmp(name, "ThresholdedRelu") == 0) {
        return x > alpha ? x : 0;
    }
    fprintf(stderr, "no activation is called %s\n", name);
    abort();
}
