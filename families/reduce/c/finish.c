/* Applies the last step of a reduction (mean, root, logarithm) to the totals and rounds them to the
 * type of the output. */
#include "families/reduce/finish.h"

#include <math.h>

#include "runtime/numbers/half.h"
#include "runtime/numbers/used_types.h"

static void mean_of_reals(double *x, int64_t count, int64_t terms) {
    const double divisor = (double)terms;
    for (int64_t i = 0; i < count; i++) {
        x[i] /= divisor;
    }
}

/* Of no integers, 0. */
static void mean_of_wides(opmill_reduce_totals *totals, int64_t count, int64_t terms) {
    for (int64_t i = 0; i < count; i++) {
        const opmill_wide sum = totals->wide[i];
        totals->integer[i] = terms == 0 ? 0 : opmill_wide_quotient(sum, (uint64_t)terms);
    }
}

/* A root that the type does not hold becomes its largest value. */
static void roots_of_wides(opmill_reduce_totals *totals, int32_t type, int64_t count) {
    const uint64_t largest = type == OPMILL_INT32    ? INT32_MAX
                             : type == OPMILL_UINT32 ? UINT32_MAX
                             : type == OPMILL_INT64  ? INT64_MAX
                                                     : UINT64_MAX;
    for (int64_t i = 0; i < count; i++) {
        const opmill_wide sum = totals->wide[i];
        const uint64_t root = opmill_wide_root(sum);
        totals->integer[i] = root < largest ? root : largest;
    }
}

static void roots(double *x, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        x[i] = sqrt(x[i]);
    }
}

static void logs(opmill_math_loop *log_of, double *x, int64_t count) {
    enum { LOGS = OPMILL_ON_STACK(64, 16) };
    double some[LOGS];
    for (int64_t i = 0; i < count; i += LOGS) {
        const int64_t size = count - i < LOGS ? count - i : LOGS;
        log_of(x + i, some, size);
        for (int64_t k = 0; k < size; k++) {
            x[i + k] = some[k];
        }
    }
}

static void add_shifts(double *x, const opmill_reduce_shifts *shifts, bool double_shifts,
                       int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        x[i] += double_shifts ? shifts->double_[i] : (double)shifts->float_[i];
    }
}

/* A double as an integer from `low` to `beyond` - 1, truncated; the nearest of these where it is
 * out of range, the lowest for a NaN. */
static int64_t truncated(double x, double low, double beyond, int64_t lowest, int64_t highest) {
    if (!(x >= low)) {
        return lowest;
    }
    return x >= beyond ? highest : (int64_t)x;
}

static uint64_t truncated_uint64(double x) {
    if (!(x >= 1)) {
        return 0;
    }
    return x >= 0x1p64 ? UINT64_MAX : (uint64_t)x;
}

static void store_reals(const double *x, int32_t type, void *to, int64_t first, int64_t count) {
    switch (type) {
    case OPMILL_FLOAT:
        for (int64_t i = 0; i < count; i++) {
            ((float *)to)[first + i] = (float)x[i];
        }
        break;
    case OPMILL_DOUBLE:
        for (int64_t i = 0; i < count; i++) {
            ((double *)to)[first + i] = x[i];
        }
        break;
    case OPMILL_FLOAT16:
        for (int64_t i = 0; i < count; i++) {
            ((uint16_t *)to)[first + i] = opmill_float_to_float16((float)x[i]);
        }
        break;
    case OPMILL_BFLOAT16:
        for (int64_t i = 0; i < count; i++) {
            ((uint16_t *)to)[first + i] = opmill_float_to_bfloat16((float)x[i]);
        }
        break;
    case OPMILL_INT32:
        for (int64_t i = 0; i < count; i++) {
            ((int32_t *)to)[first + i] =
                (int32_t)truncated(x[i], -0x1p31, 0x1p31, INT32_MIN, INT32_MAX);
        }
        break;
    case OPMILL_UINT32:
        for (int64_t i = 0; i < count; i++) {
            ((uint32_t *)to)[first + i] = (uint32_t)truncated(x[i], 0, 0x1p32, 0, UINT32_MAX);
        }
        break;
    case OPMILL_INT64:
        for (int64_t i = 0; i < count; i++) {
            ((int64_t *)to)[first + i] = truncated(x[i], -0x1p63, 0x1p63, INT64_MIN, INT64_MAX);
        }
        break;
    default: /* uint64 */
        for (int64_t i = 0; i < count; i++) {
            ((uint64_t *)to)[first + i] = truncated_uint64(x[i]);
        }
        break;
    }
}

/* The low bits; of signed integers those of their two's complement. */
static void store_integers(const uint64_t *x, int32_t type, void *to, int64_t first,
                           int64_t count) {
    switch (type) {
    case OPMILL_INT32:
    case OPMILL_UINT32:
        for (int64_t i = 0; i < count; i++) {
            ((uint32_t *)to)[first + i] = (uint32_t)x[i];
        }
        break;
    case OPMILL_INT64:
    case OPMILL_UINT64:
        for (int64_t i = 0; i < count; i++) {
            ((uint64_t *)to)[first + i] = x[i];
        }
        break;
    default: /* int8, uint8 and bool */
        for (int64_t i = 0; i < count; i++) {
            ((uint8_t *)to)[first + i] = (uint8_t)x[i];
        }
        break;
    }
}

static bool is_wide(const opmill_reduce_finish *finish) {
    return (OPMILL_USES_WORDS || OPMILL_USES_LONG_WORDS) && finish->member == OPMILL_REDUCE_WIDE;
}

void opmill_reduce_finish_totals(const opmill_reduce_finish *finish, opmill_reduce_totals *totals,
                                 const opmill_reduce_shifts *shifts, void *to, int64_t first,
                                 int64_t count) {
    switch (finish->last) {
    case OPMILL_REDUCE_AS_IT_IS:
        break;
    case OPMILL_REDUCE_MEAN_OF_TERMS:
        if (is_wide(finish)) {
            mean_of_wides(totals, count, finish->terms);
        } else {
            mean_of_reals(totals->real, count, finish->terms);
        }
        break;
    case OPMILL_REDUCE_ROOT:
        if (is_wide(finish)) {
            roots_of_wides(totals, finish->type, count);
        } else {
            roots(totals->real, count);
        }
        break;
    case OPMILL_REDUCE_LOG:
        logs(finish->log, totals->real, count);
        break;
    case OPMILL_REDUCE_LOG_AND_SHIFT:
        logs(finish->log, totals->real, count);
        add_shifts(totals->real, shifts, finish->double_shifts, count);
        break;
    }
    if (finish->member == OPMILL_REDUCE_REAL) {
        store_reals(totals->real, finish->type, to, first, count);
    } else {
        store_integers(totals->integer, finish->type, to, first, count);
    }
}

void opmill_reduce_shifts_of(const opmill_reduce_totals *largest, opmill_reduce_member member,
                             bool double_shifts, opmill_reduce_shifts *shifts, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        double shift;
        switch (member) {
        case OPMILL_REDUCE_REAL:
            shift = largest->real[i] - largest->real[i] == 0 ? largest->real[i] : 0;
            break;
        case OPMILL_REDUCE_SIGNED_INTEGER:
            shift = (double)largest->signed_integer[i];
            break;
        default:
            shift = (double)largest->integer[i];
            break;
        }
        if (double_shifts) {
            shifts->double_[i] = shift;
        } else {
            shifts->float_[i] = (float)shift;
        }
    }
}
