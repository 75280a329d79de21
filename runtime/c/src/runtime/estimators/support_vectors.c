/* See support_vectors.h. */
#include "runtime/estimators/support_vectors.h"

#include <math.h>

#include "runtime/estimators/estimators.h"
#include "runtime/math/exponential.h"
#include "runtime/math/hyperbolic.h"
#include "runtime/math/power.h"

static double power(double x, double y) {
    return opmill_double(opmill_pow_double_bits(opmill_bits(x), opmill_bits(y)));
}

static double square_distance(const double *x, const float *vector, int64_t count) {
    double sum = 0;
    for (int64_t i = 0; i < count; i++) {
        const double difference = x[i] - (double)vector[i];
        sum += difference * difference;
    }
    return sum;
}

double opmill_support_kernel(int64_t kernel, const opmill_tensor *parameters, const double *x,
                             const float *vector, int64_t count) {
    const float *const p = parameters->data;
    switch (kernel) {
    case OPMILL_SUPPORT_RBF:
        return opmill_exp_double(-(double)p[0] * square_distance(x, vector, count));
    case OPMILL_SUPPORT_POLY:
        return power((double)p[0] * opmill_dot(x, vector, count) + (double)p[1], (double)p[2]);
    case OPMILL_SUPPORT_SIGMOID:
        return opmill_tanh_double((double)p[0] * opmill_dot(x, vector, count) + (double)p[1]);
    default:
        return opmill_dot(x, vector, count);
    }
}

double opmill_pair_probability(double score, double a, double b) {
    const double margin = 1e-7, p = 1 / (1 + opmill_exp_double(score * a + b));
    return p < margin ? margin : p > 1 - margin ? 1 - margin : p;
}

/* The quadratic form whose minimum the probabilities are. */
static void fill_form(const double *r, int64_t count, double *q) {
    for (int64_t i = 0; i < count; i++) {
        double sum = 0;
        for (int64_t j = 0; j < count; j++) {
            const double other = r[j * count + i];
            if (j != i) {
                sum += other * other;
                q[i * count + j] = -other * r[i * count + j];
            }
        }
        q[i * count + i] = sum;
    }
}

/* Computes q p and p q p; returns the latter. */
static double apply_form(const double *q, const double *p, int64_t count, double *qp) {
    double total = 0;
    for (int64_t i = 0; i < count; i++) {
        qp[i] = 0;
        for (int64_t j = 0; j < count; j++) {
            qp[i] += q[i * count + j] * p[j];
        }
        total += p[i] * qp[i];
    }
    return total;
}

static int is_close(const double *qp, double pqp, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        if (!(fabs(qp[i] - pqp) < 0.005 / (double)count)) { /* or NaN */
            return 0;
        }
    }
    return 1;
}

void opmill_couple_probabilities(const double *r, int64_t count, double *q, double *qp, double *p) {
    const int64_t rounds = count > 100 ? count : 100;
    fill_form(r, count, q);
    for (int64_t i = 0; i < count; i++) {
        p[i] = 1 / (double)count;
    }
    for (int64_t round = 0; round < rounds; round++) {
        double pqp = apply_form(q, p, count, qp);
        if (is_close(qp, pqp, count)) {
            break;
        }
        for (int64_t t = 0; t < count; t++) {
            const double own = q[t * count + t], step = (pqp - qp[t]) / own, scale = 1 + step;
            p[t] += step;
            pqp = (pqp + step * (step * own + 2 * qp[t])) / (scale * scale);
            for (int64_t j = 0; j < count; j++) {
                qp[j] = (qp[j] + step * q[t * count + j]) / scale;
                p[j] /= scale;
            }
        }
    }
}
