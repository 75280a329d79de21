/* Inverse: Gauss-Jordan elimination in place, with the largest pivot of each column, in double, on
 * a copy of each matrix. */
#include "families/inverse/kernel.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "runtime/platform/parallel.h"
#include "runtime/numbers/reals.h"
#include "runtime/call/workspace.h"

typedef struct inverse_job {
    const opmill_tensor *X;
    opmill_tensor *Y;
    int64_t size;
    double *space; /* for each thread a matrix, and a row for the numbers of its pivots */
} inverse_job;

static double magnitude(double x) { return x < 0 ? -x : x; }

static bool is_finite(double x) { return x - x == 0; }

static int64_t pivot_of(const double *a, int64_t size, int64_t k) {
    int64_t found = k;
    for (int64_t i = k + 1; i < size; i++) {
        found = magnitude(a[i * size + k]) > magnitude(a[found * size + k]) ? i : found;
    }
    return found;
}

static void swap_rows(double *a, int64_t size, int64_t i, int64_t k) {
    for (int64_t j = 0; i != k && j < size; j++) {
        const double other = a[i * size + j];
        a[i * size + j] = a[k * size + j];
        a[k * size + j] = other;
    }
}

static void swap_columns(double *a, int64_t size, int64_t j, int64_t k) {
    for (int64_t i = 0; j != k && i < size; i++) {
        const double other = a[i * size + j];
        a[i * size + j] = a[i * size + k];
        a[i * size + k] = other;
    }
}

/* Divides row `k` by its pivot and subtracts it from the others, whose column `k` becomes that of
 * the inverse. */
static void eliminate(double *a, int64_t size, int64_t k) {
    double *restrict const top = a + k * size;
    const double pivot = top[k];
    top[k] = 1;
    for (int64_t j = 0; j < size; j++) {
        top[j] /= pivot;
    }
    for (int64_t i = 0; i < size; i++) {
        double *restrict const row = a + i * size;
        const double factor = row[k];
        if (i == k || factor == 0) {
            continue;
        }
        row[k] = 0;
        for (int64_t j = 0; j < size; j++) {
            const double product = factor * top[j];
            row[j] -= product;
        }
    }
}

/* Returns whether the matrix has an inverse, which replaces it. */
static bool invert(double *a, double *pivots, int64_t size) {
    for (int64_t k = 0; k < size; k++) {
        const int64_t pivot = pivot_of(a, size, k);
        if (a[pivot * size + k] == 0) {
            return false;
        }
        pivots[k] = (double)pivot; /* a size is below 2^53 */
        swap_rows(a, size, k, pivot);
        eliminate(a, size, k);
    }
    for (int64_t k = size - 1; k >= 0; k--) {
        swap_columns(a, size, k, (int64_t)pivots[k]);
    }
    return true;
}

static void run_matrix(void *state, int64_t task, int32_t worker) {
    const inverse_job *const job = state;
    const int64_t count = job->size * job->size;
    double *const a = job->space + worker * (count + job->size);
    bool legal = true;
    for (int64_t i = 0; i < count; i++) {
        a[i] = opmill_real_at(job->X->data, job->X->type, task * count + i);
        legal = legal && is_finite(a[i]);
    }
    legal = legal && invert(a, a + count, job->size);
    for (int64_t i = 0; i < count; i++) {
        opmill_real_put(job->Y->data, job->Y->type, task * count + i, legal ? a[i] : (double)NAN);
    }
}

/* The number of matrices that have elements. */
static int64_t matrices(const opmill_tensor *X) {
    int64_t count = X->dims[X->rank - 1] > 0 ? 1 : 0;
    for (int32_t i = 0; i < X->rank - 2; i++) {
        count *= X->dims[i];
    }
    return count;
}

static int32_t threads_of(const opmill_tensor *X, const opmill_context *context) {
    const int64_t count = matrices(X);
    const int32_t threads = context->threads > 1 ? context->threads : 1;
    return count < threads ? (int32_t)(count > 1 ? count : 1) : threads;
}

int opmill_inverse_compute(const opmill_tensor *X, opmill_tensor *Y,
                           const opmill_inverse_plan *plan, opmill_context *context) {
    (void)plan;
    if (matrices(X) > 0) {
        inverse_job job = {X, Y, X->dims[X->rank - 1], opmill_workspace_begin(context->workspace)};
        opmill_parallel(matrices(X), threads_of(X, context), run_matrix, &job);
    }
    return OPMILL_OK;
}

size_t opmill_inverse_workspace_bytes(const opmill_tensor *X, const opmill_shape *Y,
                                      const opmill_inverse_plan *plan,
                                      const opmill_context *context) {
    const uint64_t size = (uint64_t)X->dims[X->rank - 1];
    const uint64_t threads = (uint64_t)threads_of(X, context);
    const uint64_t max_count = UINT64_MAX / sizeof(double);
    (void)Y;
    (void)plan;
    if (matrices(X) == 0) {
        return 0;
    }
    return size + 1 > max_count / size / threads
               ? SIZE_MAX
               : opmill_workspace_size(size * (size + 1) * threads * sizeof(double));
}
