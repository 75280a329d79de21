/* Pow: each element of X to the power of that of Y, which has a type of its own.
 *
 * Where both have the type float or double, powers are computed from element to element. Else
 * operands are converted in pieces, to float where both are floats of 32 bits or fewer, or to
 * double. */
#include "families/pow/kernel.h"

#include <stdbool.h>
#include <string.h>

#include "runtime/numbers/elements.h"
#include "runtime/elementwise/elementwise_several.h"
#include "runtime/numbers/half.h"
#include "runtime/numbers/halves.h"
#include "runtime/platform/isa.h"
#include "runtime/math/math.h"
#include "runtime/platform/platform.h"

enum { RUN = OPMILL_ON_STACK(256, 32) };

/* What a piece is computed with. */
typedef struct power {
    int32_t x_type;
    int32_t y_type;
    int32_t wide_type; /* OPMILL_FLOAT or OPMILL_DOUBLE; OPMILL_UNDEFINED for integers alone */
    int32_t isa;
} power;

typedef union run {
    float OPMILL_LINES of_float[RUN];
    double of_double[RUN];
} run;

static bool is_narrow_float(int32_t type) {
    return type == OPMILL_FLOAT || type == OPMILL_FLOAT16 || type == OPMILL_BFLOAT16;
}

static bool is_integer(int32_t type) { return !is_narrow_float(type) && type != OPMILL_DOUBLE; }

#define EACH(type, value)                        \
    {                                            \
        const type *const x = from;              \
        for (int64_t i = 0; i < count; i++) {    \
            to[i] = value;                       \
        }                                        \
        break;                                   \
    }

/* The conversions of float16, eight at a time and those that are left over. */
static void widen_halves(const uint16_t *from, float *to, int64_t count, int32_t isa) {
    int64_t i = 0;
#if OPMILL_X86_64
    i = isa == OPMILL_ISA_AVX512 || isa == OPMILL_ISA_AVX2 ? count / 8 * 8 : 0;
    opmill_float16_widen_avx2(from, to, (int)i);
#endif
    (void)isa;
    for (; i < count; i++) {
        to[i] = opmill_float16_to_float(from[i]);
    }
}

static void narrow_halves(const float *from, uint16_t *to, int64_t count, int32_t isa) {
    int64_t i = 0;
#if OPMILL_X86_64
    i = isa == OPMILL_ISA_AVX512 || isa == OPMILL_ISA_AVX2 ? count / 8 * 8 : 0;
    opmill_float16_narrow_avx2(from, to, (int)i);
#endif
    (void)isa;
    for (; i < count; i++) {
        to[i] = opmill_float_to_float16(from[i]);
    }
}

static void to_floats(const void *from, int32_t type, float *to, int64_t count, int32_t isa) {
    switch (type) {
    case OPMILL_FLOAT16:
        widen_halves(from, to, count, isa);
        break;
    case OPMILL_BFLOAT16:
        EACH(uint16_t, opmill_bfloat16_to_float(x[i]))
    default:
        EACH(float, x[i])
    }
}

static void to_doubles(const void *from, int32_t type, double *to, int64_t count) {
    switch (type) {
    case OPMILL_FLOAT16:
        EACH(uint16_t, (double)opmill_float16_to_float(x[i]))
    case OPMILL_BFLOAT16:
        EACH(uint16_t, (double)opmill_bfloat16_to_float(x[i]))
    case OPMILL_FLOAT:
        EACH(float, (double)x[i])
    case OPMILL_INT8:
        EACH(int8_t, x[i])
    case OPMILL_INT16:
        EACH(int16_t, x[i])
    case OPMILL_INT32:
        EACH(int32_t, x[i])
    case OPMILL_INT64:
        EACH(int64_t, (double)x[i])
    case OPMILL_UINT8:
        EACH(uint8_t, x[i])
    case OPMILL_UINT16:
        EACH(uint16_t, x[i])
    case OPMILL_UINT32:
        EACH(uint32_t, x[i])
    case OPMILL_UINT64:
        EACH(uint64_t, (double)x[i])
    default:
        EACH(double, x[i])
    }
}

/* NaN and what does not fit become the least integer. */
static int32_t int32_of(double x) {
    return x > -0x1.00000002p31 && x < 0x1p31 ? (int32_t)x : INT32_MIN;
}

static int64_t int64_of(double x) { return x >= -0x1p63 && x < 0x1p63 ? (int64_t)x : INT64_MIN; }

static void from_floats(const float *from, int32_t type, void *to, int64_t count, int32_t isa) {
    if (type == OPMILL_FLOAT16) {
        narrow_halves(from, to, count, isa);
    } else {
        opmill_bfloat16_narrow_baseline(from, to, (int)count);
    }
}

static void from_doubles(const double *from, int32_t type, void *to, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        switch (type) {
        case OPMILL_FLOAT:
            ((float *)to)[i] = (float)from[i];
            break;
        case OPMILL_FLOAT16:
            ((uint16_t *)to)[i] = opmill_float_to_float16((float)from[i]);
            break;
        case OPMILL_BFLOAT16:
            ((uint16_t *)to)[i] = opmill_float_to_bfloat16((float)from[i]);
            break;
        case OPMILL_INT32:
            ((int32_t *)to)[i] = int32_of(from[i]);
            break;
        case OPMILL_INT64:
            ((int64_t *)to)[i] = int64_of(from[i]);
            break;
        default:
            ((double *)to)[i] = from[i];
            break;
        }
    }
}

/* An exponent as its magnitude and sign; of those below 0 only whether they are odd matters. */
static uint64_t exponent_at(const void *y, int32_t type, int64_t i, bool *negative) {
    int64_t value;
    switch (type) {
    case OPMILL_INT8:
        value = ((const int8_t *)y)[i];
        break;
    case OPMILL_INT16:
        value = ((const int16_t *)y)[i];
        break;
    case OPMILL_INT32:
        value = ((const int32_t *)y)[i];
        break;
    case OPMILL_INT64:
        value = ((const int64_t *)y)[i];
        break;
    case OPMILL_UINT8:
        value = ((const uint8_t *)y)[i];
        break;
    case OPMILL_UINT16:
        value = ((const uint16_t *)y)[i];
        break;
    case OPMILL_UINT32:
        value = ((const uint32_t *)y)[i];
        break;
    default:
        *negative = false;
        return ((const uint64_t *)y)[i];
    }
    *negative = value < 0;
    return (uint64_t)value;
}

/* x^y modulo 2^64; of a negative power the reciprocal, truncated, and of 0 `min`. */
static uint64_t integer_power(int64_t x, uint64_t y, bool negative, int64_t min) {
    uint64_t base = (uint64_t)x, result = 1;
    if (negative) {
        return x == 0 ? (uint64_t)min : x == 1 ? 1 : x == -1 ? ((y & 1) != 0 ? UINT64_MAX : 1) : 0;
    }
    for (; y != 0; y >>= 1, base *= base) {
        result = (y & 1) != 0 ? result * base : result;
    }
    return result;
}

/* Powers modulo 2^32 and 2^64 of a block, all bit by bit of the largest exponent: without branches,
 * so that compilers vectorise them. `all` has the bits of all exponents. */
#define DEFINE_POWERS(bits, set)                                                                   \
    static void powers##bits##_##set(uint##bits##_t *restrict x, uint##bits##_t *restrict y,       \
                                     uint##bits##_t *restrict z, int64_t count, uint32_t all) {    \
        for (int64_t i = 0; i < count; i++) {                                                      \
            z[i] = 1;                                                                              \
        }                                                                                          \
        for (; all != 0; all >>= 1) {                                                              \
            for (int64_t i = 0; i < count; i++) {                                                  \
                z[i] = (y[i] & 1) != 0 ? z[i] * x[i] : z[i];                                       \
                x[i] *= x[i];                                                                      \
                y[i] >>= 1;                                                                        \
            }                                                                                      \
        }                                                                                          \
    }

DEFINE_POWERS(32, baseline)
DEFINE_POWERS(64, baseline)
#if OPMILL_X86_64
OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX2)
DEFINE_POWERS(32, avx2)
DEFINE_POWERS(64, avx2)
OPMILL_TARGET_END
OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX512)
DEFINE_POWERS(32, avx512)
DEFINE_POWERS(64, avx512)
OPMILL_TARGET_END
#define POWERS(bits, isa)                                   \
    ((isa) == OPMILL_ISA_AVX512 ? powers##bits##_avx512     \
     : (isa) == OPMILL_ISA_AVX2 ? powers##bits##_avx2       \
                                : powers##bits##_baseline)
#else
#define POWERS(bits, isa) powers##bits##_baseline
#endif

/* Copies exponents; those below 0 become 2^63 and more. */
static void to_exponents(const void *from, int32_t type, uint64_t *to, int64_t count) {
    switch (type) {
    case OPMILL_INT8:
        EACH(int8_t, (uint64_t)x[i])
    case OPMILL_INT16:
        EACH(int16_t, (uint64_t)x[i])
    case OPMILL_INT32:
        EACH(int32_t, (uint64_t)x[i])
    case OPMILL_UINT8:
        EACH(uint8_t, x[i])
    case OPMILL_UINT16:
        EACH(uint16_t, x[i])
    case OPMILL_UINT32:
        EACH(uint32_t, x[i])
    default: /* int64 or uint64 */
        EACH(uint64_t, x[i])
    }
}
#undef EACH

/* Up to RUN elements whose exponents may be anything, one after the other. */
static void compute_any_integers(const power *power, const void *x, int64_t x_step, const void *y,
                                 int64_t y_step, void *to, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        bool negative;
        const uint64_t exponent = exponent_at(y, power->y_type, i * y_step, &negative);
        if (power->x_type == OPMILL_INT32) {
            const int32_t base = ((const int32_t *)x)[i * x_step];
            ((uint32_t *)to)[i] = (uint32_t)integer_power(base, exponent, negative, INT32_MIN);
        } else {
            const int64_t base = ((const int64_t *)x)[i * x_step];
            ((uint64_t *)to)[i] = integer_power(base, exponent, negative, INT64_MIN);
        }
    }
}

/* Up to RUN elements. */
static void compute_integers(const power *power, const void *x, int64_t x_step, const void *y,
                             int64_t y_step, void *to, int64_t count) {
    uint64_t exponents[RUN], all = 0;
    to_exponents(y, power->y_type, exponents, y_step == 0 ? 1 : count);
    for (int64_t i = 0; i < count; i++) {
        exponents[i] = exponents[i * y_step];
        all |= exponents[i];
    }
    if (all >> 32 != 0) {
        compute_any_integers(power, x, x_step, y, y_step, to, count);
    } else if (power->x_type == OPMILL_INT32) {
        uint32_t bases[RUN], left[RUN];
        for (int64_t i = 0; i < count; i++) {
            bases[i] = ((const uint32_t *)x)[i * x_step];
            left[i] = (uint32_t)exponents[i];
        }
        POWERS(32, power->isa)(bases, left, to, count, (uint32_t)all);
    } else {
        uint64_t bases[RUN];
        for (int64_t i = 0; i < count; i++) {
            bases[i] = ((const uint64_t *)x)[i * x_step];
        }
        POWERS(64, power->isa)(bases, exponents, to, count, (uint32_t)all);
    }
}

static void compute_piece(opmill_several_piece *piece, void *to, int64_t count, const void *plan) {
    const power *const power = plan;
    const opmill_several_operand x = opmill_several_read(piece, 0, 0);
    const opmill_several_operand y = opmill_several_read(piece, 1, 1);
    const int32_t x_bytes = opmill_type_bytes(power->x_type);
    const int32_t y_bytes = opmill_type_bytes(power->y_type);
    run x_run, y_run, z_run;
    opmill_math_binary_loop *const loop = opmill_math_pow(power->wide_type, power->isa);
    if (power->x_type == power->wide_type && power->y_type == power->wide_type) {
        loop(x.data, x.is_one, y.data, y.is_one, to, count);
        return;
    }
    for (int64_t at = 0; at < count; at += RUN) {
        const int64_t now = count - at < RUN ? count - at : RUN;
        const char *const from_x = (const char *)x.data + (x.is_one ? 0 : at * x_bytes);
        const char *const from_y = (const char *)y.data + (y.is_one ? 0 : at * y_bytes);
        char *const target = (char *)to + at * x_bytes;
        if (power->wide_type == OPMILL_UNDEFINED) {
            compute_integers(power, from_x, x.is_one ? 0 : 1, from_y, y.is_one ? 0 : 1, target,
                             now);
        } else if (power->wide_type == OPMILL_FLOAT) {
            to_floats(from_x, power->x_type, x_run.of_float, x.is_one ? 1 : now, power->isa);
            to_floats(from_y, power->y_type, y_run.of_float, y.is_one ? 1 : now, power->isa);
            float *const results =
                power->x_type == OPMILL_FLOAT ? (float *)(void *)target : z_run.of_float;
            loop(x_run.of_float, x.is_one, y_run.of_float, y.is_one, results, now);
            if (power->x_type != OPMILL_FLOAT) {
                from_floats(results, power->x_type, target, now, power->isa);
            }
        } else {
            to_doubles(from_x, power->x_type, x_run.of_double, x.is_one ? 1 : now);
            to_doubles(from_y, power->y_type, y_run.of_double, y.is_one ? 1 : now);
            loop(x_run.of_double, x.is_one, y_run.of_double, y.is_one, z_run.of_double, now);
            from_doubles(z_run.of_double, power->x_type, target, now);
        }
    }
}

/* A call: Y with axes of 1 behind its own, where they do not end with those of the output. */
typedef struct call {
    power power;
    opmill_tensor y;
    int64_t y_dims[OPMILL_MAX_RANK];
    const opmill_tensor *inputs[2];
    opmill_several several;
} call;

static void describe(call *call, const opmill_tensor *X, const opmill_tensor *Y,
                     const int64_t *dims, int32_t rank, const opmill_pow_plan *plan,
                     const opmill_context *context) {
    const bool narrow = is_narrow_float(X->type) && is_narrow_float(Y->type);
    const bool integers = is_integer(X->type) && is_integer(Y->type);
    const int32_t isa = opmill_isa_select(context->isa);
    call->power.x_type = X->type;
    call->power.y_type = Y->type;
    call->power.wide_type = integers ? OPMILL_UNDEFINED : narrow ? OPMILL_FLOAT : OPMILL_DOUBLE;
    call->power.isa = isa;
    call->y = *Y;
    call->y.rank = rank - (int32_t)plan->first;
    call->y.dims = call->y_dims;
    for (int32_t i = 0; i < call->y.rank; i++) {
        call->y_dims[i] = i < Y->rank ? Y->dims[i] : 1;
    }
    call->inputs[0] = X;
    call->inputs[1] = &call->y;
    opmill_several_begin(&call->several, compute_piece, &call->power, isa, call->inputs, 2, dims,
                         rank, opmill_type_bytes(X->type));
}

int opmill_pow_compute(const opmill_tensor *X, const opmill_tensor *Y, opmill_tensor *Z,
                       const opmill_pow_plan *plan, opmill_context *context) {
    call call;
    describe(&call, X, Y, Z->dims, Z->rank, plan, context);
    opmill_several_run(&call.several, Z->data, context);
    return OPMILL_OK;
}

void opmill_pow_choose(const opmill_tensor *X, const opmill_tensor *Y, const opmill_shape *Z,
                       const opmill_pow_plan *plan, const opmill_context *context,
                       opmill_choice *choice) {
    call call;
    describe(&call, X, Y, Z->dims, Z->rank, plan, context);
    opmill_several_choose(&call.several, context, choice);
}
