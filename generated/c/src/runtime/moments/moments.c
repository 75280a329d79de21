/* Computes sums, means and variances of sets of runs, and applies shift and scale to their
 * elements. The loops are selected by type and instruction set; results out of the range of float
 * are computed again in double. */
#include "runtime/moments/moments.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "opmill/isa.h"
#include "runtime/numbers/elements.h"
#include "runtime/numbers/halves.h"
#include "runtime/numbers/used_types.h"
#include "runtime/vectors/lanes.h"
#include "runtime/math/arithmetic.h"
#include "runtime/numbers/reals.h"

#define SET(name) name##_baseline
#include "runtime/moments/moments_kinds.h"
#if OPMILL_X86_64
OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX2)
#define SET(name) name##_avx2
#include "runtime/moments/moments_kinds.h"
OPMILL_TARGET_END
OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX512)
#define SET(name) name##_avx512
#include "runtime/moments/moments_kinds.h"
OPMILL_TARGET_END
#endif

const opmill_moments_loops *opmill_moments_loops_of(int32_t type, int32_t isa) {
#if OPMILL_X86_64
    if (isa == OPMILL_ISA_AVX512) {
        return moments_loops_avx512(type);
    }
    if (isa == OPMILL_ISA_AVX2) {
        return moments_loops_avx2(type);
    }
#else
    (void)isa;
#endif
    return moments_loops_baseline(type);
}

/* One of the runs of a set. */
typedef struct set_position {
    int64_t index[OPMILL_MAX_RANK];
    int64_t offset; /* of its first element */
} set_position;

static void begin(const opmill_moments_set *set, set_position *run) {
    run->offset = 0;
    for (int32_t i = 0; i < set->rank; i++) {
        run->index[i] = 0;
    }
}

/* Goes on to the next run; false after the last one. */
static bool step(const opmill_moments_set *set, set_position *run) {
    for (int32_t i = 0; i < set->rank; i++) {
        run->offset += set->strides[i];
        if (++run->index[i] < set->dims[i]) {
            return true;
        }
        run->offset -= set->dims[i] * set->strides[i];
        run->index[i] = 0;
    }
    return false;
}

int64_t opmill_moments_size(const opmill_moments_set *set) {
    int64_t size = set->count;
    for (int32_t i = 0; i < set->rank; i++) {
        size *= set->dims[i];
    }
    return size;
}

static double sum_of(const opmill_moments_loops *loops, const opmill_moments_set *set,
                     const void *x) {
    const int64_t bytes = opmill_type_bytes(set->type);
    double sum = 0;
    set_position run;
    begin(set, &run);
    do {
        sum += loops->sum((const char *)x + run.offset * bytes, set->count);
    } while (step(set, &run));
    return sum;
}

static double wide_sum_of(const opmill_moments_set *set, const void *x) {
    double sum = 0;
    set_position run;
    begin(set, &run);
    do {
        for (int64_t i = 0; i < set->count; i++) {
            sum += opmill_real_at(x, set->type, run.offset + i);
        }
    } while (step(set, &run));
    return sum;
}

static void spread_of(const opmill_moments_loops *loops, const opmill_moments_set *set,
                      const void *x, double center, double *sums) {
    const int64_t bytes = opmill_type_bytes(set->type);
    set_position run;
    sums[0] = sums[1] = 0;
    begin(set, &run);
    do {
        loops->spread((const char *)x + run.offset * bytes, set->count, center, sums);
    } while (step(set, &run));
}

static void wide_spread_of(const opmill_moments_set *set, const void *x, double center,
                           double *sums) {
    set_position run;
    sums[0] = sums[1] = 0;
    begin(set, &run);
    do {
        for (int64_t i = 0; i < set->count; i++) {
            const double less = opmill_real_at(x, set->type, run.offset + i) - center;
            sums[0] += less;
            sums[1] += less * less;
        }
    } while (step(set, &run));
}

/* True if a mean of squares was in the range of float: no square was infinite, and those that were
 * subnormal or 0 do not matter; 0 is that of differences that are all 0, or of lost ones. */
static bool is_ample(double square) { return square < 0x1p100 && square > 0x1p-100; }

opmill_moments opmill_moments_of(const opmill_moments_loops *loops, const opmill_moments_set *set,
                                 const void *x) {
    const int64_t size = opmill_moments_size(set);
    opmill_moments found = {NAN, NAN};
    double sums[2], sum, center;
    if (size == 0) {
        return found;
    }
    sum = sum_of(loops, set, x);
    if (!(opmill_magnitude(sum) < (double)FLT_MAX)) {
        sum = wide_sum_of(set, x);
    }
    center = sum / (double)size;
    if (!(opmill_magnitude(center) < INFINITY)) {
        found.mean = center;
        return found;
    }
    spread_of(loops, set, x, center, sums);
    if (!is_ample(sums[1] / (double)size)) {
        wide_spread_of(set, x, center, sums);
    }
    sums[0] /= (double)size;
    sums[1] /= (double)size;
    found.mean = center + sums[0];
    found.variance = sums[1] - sums[0] * sums[0];
    found.variance = found.variance < 0 ? 0 : found.variance;
    return found;
}

opmill_moments opmill_moments_in_double(const opmill_moments_set *set, const void *x) {
    const int64_t size = opmill_moments_size(set);
    opmill_moments found = {NAN, NAN};
    double sums[2];
    if (size > 0) {
        found.mean = wide_sum_of(set, x) / (double)size;
        wide_spread_of(set, x, found.mean, sums);
        found.variance = sums[1] / (double)size;
    }
    return found;
}

double opmill_moments_square(const opmill_moments_loops *loops, const opmill_moments_set *set,
                             const void *x) {
    const int64_t size = opmill_moments_size(set);
    double sums[2];
    if (size == 0) {
        return NAN;
    }
    spread_of(loops, set, x, 0, sums);
    if (!is_ample(sums[1] / (double)size)) {
        wide_spread_of(set, x, 0, sums);
    }
    return sums[1] / (double)size;
}

bool opmill_moments_fit(double center, double factor) {
    const double size = opmill_magnitude(factor);
    return opmill_magnitude(center) < 0x1p60 && size < 0x1p40 && (size > 0x1p-40 || size == 0);
}

void opmill_moments_shift(const opmill_moments_loops *loops, int32_t type, const void *x, void *y,
                          int64_t count, double center, double factor, double bias) {
    if (opmill_moments_fit(center, factor)) {
        loops->shift(x, y, count, center, factor, bias);
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        opmill_real_put(y, type, i, (opmill_real_at(x, type, i) - center) * factor + bias);
    }
}

void opmill_moments_shift_set(const opmill_moments_loops *loops, const opmill_moments_set *set,
                              const void *x, void *y, double center, double factor, double bias) {
    const int64_t bytes = opmill_type_bytes(set->type);
    set_position run;
    if (opmill_moments_size(set) == 0) {
        return;
    }
    begin(set, &run);
    do {
        opmill_moments_shift(loops, set->type, (const char *)x + run.offset * bytes,
                             (char *)y + run.offset * bytes, set->count, center, factor, bias);
    } while (step(set, &run));
}
