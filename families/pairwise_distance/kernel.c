/* CDist: the squares of differences are added in double, in several sums that compilers turn into
 * lanes of a vector. */
#include "families/pairwise_distance/kernel.h"

#include <math.h>

#include "runtime/platform/parallel.h"

enum { LANES = 8 };

typedef struct distance_job {
    const opmill_tensor *A, *B;
    opmill_tensor *C;
    int64_t columns;
    bool root;
} distance_job;

#define SQUARES(name, element)                                                          \
    static double name(const element *a, const element *b, int64_t columns) {           \
        double sums[LANES] = {0};                                                       \
        int64_t k = 0;                                                                  \
        for (; columns - k >= LANES; k += LANES) {                                      \
            for (int64_t lane = 0; lane < LANES; lane++) {                              \
                const double difference = (double)a[k + lane] - (double)b[k + lane];    \
                sums[lane] += difference * difference;                                  \
            }                                                                           \
        }                                                                               \
        for (; k < columns; k++) {                                                      \
            const double difference = (double)a[k] - (double)b[k];                      \
            sums[0] += difference * difference;                                         \
        }                                                                               \
        const double left = (sums[0] + sums[1]) + (sums[2] + sums[3]);                  \
        return left + ((sums[4] + sums[5]) + (sums[6] + sums[7]));                      \
    }

SQUARES(squares_of_floats, float)
SQUARES(squares_of_doubles, double)

static void run_row(void *state, int64_t row, int32_t worker) {
    const distance_job *const job = state;
    const int64_t columns = job->columns, count = job->B->dims[0];
    (void)worker;
    for (int64_t i = 0; i < count; i++) {
        const int64_t at = row * count + i;
        if (job->C->type == OPMILL_FLOAT) {
            const float *const a = job->A->data, *const b = job->B->data;
            const double total =
                columns == 0 ? 0 : squares_of_floats(a + row * columns, b + i * columns, columns);
            ((float *)job->C->data)[at] = (float)(job->root ? sqrt(total) : total);
        } else {
            const double *const a = job->A->data, *const b = job->B->data;
            const double total =
                columns == 0 ? 0 : squares_of_doubles(a + row * columns, b + i * columns, columns);
            ((double *)job->C->data)[at] = job->root ? sqrt(total) : total;
        }
    }
}

/* Below this number of squares, one thread is faster than several. */
static const int64_t min_squares = 1 << 15;

int opmill_pairwise_distance_compute(const opmill_tensor *A, const opmill_tensor *B,
                                     opmill_tensor *C, const opmill_pairwise_distance_plan *plan,
                                     opmill_context *context) {
    distance_job job = {A, B, C, A->dims[1], plan->root};
    const int64_t rows = A->dims[0], each = B->dims[0];
    if (rows > 0 && each > 0) {
        const double squares = (double)rows * (double)each * (double)job.columns;
        const int32_t threads = squares < (double)min_squares ? 1 : context->threads;
        opmill_parallel(rows, threads, run_row, &job);
    }
    return OPMILL_OK;
}
