/* Det: elimination with the largest pivot of each column, in double, on a copy of each matrix. */
#include "families/determinant/kernel.h"

#include <stddef.h>

#include "runtime/platform/parallel.h"
#include "runtime/numbers/reals.h"
#include "runtime/call/workspace.h"

typedef struct determinant_job {
    const opmill_tensor *X;
    opmill_tensor *Y;
    int64_t size;
    double *space; /* a matrix for each thread */
} determinant_job;

static double magnitude(double x) { return x < 0 ? -x : x; }

/* A number as a product with a power of 2^400, so that products of many neither overflow nor
 * vanish. */
typedef struct scaled {
    double number;
    int64_t power;
} scaled;

static scaled scaled_of(double x) {
    scaled result = {x, 0};
    while (magnitude(result.number) > 0x1p400 &&
           magnitude(result.number) <= 0x1.fffffffffffffp1023) {
        result.number *= 0x1p-400;
        result.power++;
    }
    while (result.number != 0 && magnitude(result.number) < 0x1p-400) {
        result.number *= 0x1p400;
        result.power--;
    }
    return result;
}

static scaled product(scaled a, double b) {
    const scaled factor = scaled_of(b);
    scaled result = scaled_of(a.number * factor.number);
    result.power += a.power + factor.power;
    return result;
}

/* The number itself; it is infinite or 0 after a few steps. */
static double unscaled(scaled x) {
    for (int i = 0; i < 8 && x.power > 0; i++, x.power--) {
        x.number *= 0x1p400;
    }
    for (int i = 0; i < 8 && x.power < 0; i++, x.power++) {
        x.number *= 0x1p-400;
    }
    return x.number == 0 ? 0 : x.number; /* never -0 */
}

/* The row of the first NaN in a column, else that of the largest element. */
static int64_t pivot_of(const double *a, int64_t size, int64_t k) {
    int64_t found = k;
    for (int64_t i = k; i < size; i++) {
        const double x = a[i * size + k];
        if (x != x) {
            return i;
        }
        found = magnitude(x) > magnitude(a[found * size + k]) ? i : found;
    }
    return found;
}

static double determinant(double *a, int64_t size) {
    scaled result = {1, 0};
    for (int64_t k = 0; k < size; k++) {
        const int64_t pivot = pivot_of(a, size, k);
        double *restrict const top = a + k * size;
        if (pivot != k) {
            for (int64_t j = k; j < size; j++) {
                const double other = a[pivot * size + j];
                a[pivot * size + j] = top[j];
                top[j] = other;
            }
            result.number = -result.number;
        }
        result = product(result, top[k]);
        for (int64_t i = k + 1; top[k] != 0 && i < size; i++) {
            double *restrict const row = a + i * size;
            const double factor = row[k] / top[k];
            for (int64_t j = k + 1; j < size; j++) {
                const double less = factor * top[j];
                row[j] -= less;
            }
        }
    }
    return unscaled(result);
}

static void run_matrix(void *state, int64_t task, int32_t worker) {
    const determinant_job *const job = state;
    const int64_t count = job->size * job->size;
    double *const a = count > 0 ? job->space + worker * count : NULL;
    for (int64_t i = 0; i < count; i++) {
        a[i] = opmill_real_at(job->X->data, job->X->type, task * count + i);
    }
    opmill_real_put(job->Y->data, job->Y->type, task, determinant(a, job->size));
}

static int64_t matrices(const opmill_tensor *X) {
    int64_t count = 1;
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

int opmill_determinant_compute(const opmill_tensor *X, opmill_tensor *Y,
                               const opmill_determinant_plan *plan, opmill_context *context) {
    determinant_job job = {X, Y, X->dims[X->rank - 1], opmill_workspace_begin(context->workspace)};
    (void)plan;
    opmill_parallel(matrices(X), threads_of(X, context), run_matrix, &job);
    return OPMILL_OK;
}

size_t opmill_determinant_workspace_bytes(const opmill_tensor *X, const opmill_shape *Y,
                                          const opmill_determinant_plan *plan,
                                          const opmill_context *context) {
    const uint64_t size = (uint64_t)X->dims[X->rank - 1];
    const uint64_t threads = (uint64_t)threads_of(X, context);
    (void)Y;
    (void)plan;
    if (size == 0 || matrices(X) == 0) {
        return 0;
    }
    const uint64_t max_count = UINT64_MAX / sizeof(double);
    return size > max_count / size / threads
               ? SIZE_MAX
               : opmill_workspace_size(size * size * threads * sizeof(double));
}
