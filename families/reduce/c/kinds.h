/* All kinds of elements for one instruction set; sets.h includes this with SET(name). The operation
 * defines LANE_COUNT as body.h says, and
 *
 *     EXPONENTIALS  1 where the exponentials of elements are combined, else 0
 *     REALS         1: floats; 2: integers as doubles too; 0: none. Wholes are doubles
 *     WRAPPING      1: 32 and 64 bits modulo 2^32 and 2^64; else 0
 *     ORDERED       1: integers of 32 and 64 bits; 2: of 8 bits and bools too;
 *                   3: of 32 and 64 bits with a sign alone; 0: none
 *
 * and of each that is not 0 the macros of body.h under its own name, as REAL_MAP(x),
 * WRAPPING_MAP(x) and ORDERED_MAP(x). Those of ORDERED may use UNSIGNED, LARGEST, LOWEST, HIGHEST,
 * BITS, MAGNITUDE(x) and WIDE_OF(x), which are of each type. */
#if REALS
static const float *SET(widened_float16)(const uint16_t *from, float *to, int64_t count) {
    const int eights = (int)(count / 8 * 8);
    SET(opmill_float16_widen)(from, to, eights);
    for (int64_t i = eights; i < count; i++) {
        to[i] = opmill_float16_to_float(from[i]);
    }
    return to;
}

static const float *SET(widened_bfloat16)(const uint16_t *from, float *to, int64_t count) {
    SET(opmill_bfloat16_widen)(from, to, (int)count);
    return to;
}

#define NAME(name) SET(name##_float)
#define ELEMENT float
#define SOURCE float
#define SHIFT float_
#define WIDEN(from, space, count) (from)
#define WIDENS 0
#include "families/reduce/real.h"

#define NAME(name) SET(name##_double)
#define ELEMENT double
#define SOURCE double
#define SHIFT double_
#define WIDEN(from, space, count) (from)
#define WIDENS 0
#include "families/reduce/real.h"

#define NAME(name) SET(name##_float16)
#define ELEMENT uint16_t
#define SOURCE float
#define SHIFT float_
#define WIDEN(from, space, count) SET(widened_float16)(from, space, count)
#define WIDENS 1
#include "families/reduce/real.h"

#define NAME(name) SET(name##_bfloat16)
#define ELEMENT uint16_t
#define SOURCE float
#define SHIFT float_
#define WIDEN(from, space, count) SET(widened_bfloat16)(from, space, count)
#define WIDENS 1
#include "families/reduce/real.h"

#endif

#if REALS == 2
static const double *SET(widened_int32)(const int32_t *from, double *to, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        to[i] = (double)from[i];
    }
    return to;
}

static const double *SET(widened_uint32)(const uint32_t *from, double *to, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        to[i] = (double)from[i];
    }
    return to;
}

static const double *SET(widened_int64)(const int64_t *from, double *to, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        to[i] = (double)from[i];
    }
    return to;
}

static const double *SET(widened_uint64)(const uint64_t *from, double *to, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        to[i] = (double)from[i];
    }
    return to;
}

#define NAME(name) SET(name##_int32_as_double)
#define ELEMENT int32_t
#define SOURCE double
#define SHIFT double_
#define WIDEN(from, space, count) SET(widened_int32)(from, space, count)
#define WIDENS 1
#include "families/reduce/real.h"

#define NAME(name) SET(name##_uint32_as_double)
#define ELEMENT uint32_t
#define SOURCE double
#define SHIFT double_
#define WIDEN(from, space, count) SET(widened_uint32)(from, space, count)
#define WIDENS 1
#include "families/reduce/real.h"

#define NAME(name) SET(name##_int64_as_double)
#define ELEMENT int64_t
#define SOURCE double
#define SHIFT double_
#define WIDEN(from, space, count) SET(widened_int64)(from, space, count)
#define WIDENS 1
#include "families/reduce/real.h"

#define NAME(name) SET(name##_uint64_as_double)
#define ELEMENT uint64_t
#define SOURCE double
#define SHIFT double_
#define WIDEN(from, space, count) SET(widened_uint64)(from, space, count)
#define WIDENS 1
#include "families/reduce/real.h"

#endif

#if WRAPPING
#define NAME(name) SET(name##_wrapping_32)
#define ELEMENT uint32_t
#define SOURCE uint32_t
#define PART uint32_t
#define WHOLE uint64_t
#define MEMBER integer
#define MEMBER_KIND OPMILL_REDUCE_INTEGER
#define WIDEN(from, space, count) (from)
#define WIDENS 0
#define MAP(x) WRAPPING_MAP(x)
#define COMBINE(a, b) WRAPPING_COMBINE(a, b)
#define IDENTITY WRAPPING_IDENTITY
#define WHOLE_OF(part) ((WHOLE)(part))
#define JOIN(a, b) WRAPPING_COMBINE(a, b)
#include "families/reduce/body.h"

#define NAME(name) SET(name##_wrapping_64)
#define ELEMENT uint64_t
#define SOURCE uint64_t
#define PART uint64_t
#define WHOLE uint64_t
#define MEMBER integer
#define MEMBER_KIND OPMILL_REDUCE_INTEGER
#define WIDEN(from, space, count) (from)
#define WIDENS 0
#define MAP(x) WRAPPING_MAP(x)
#define COMBINE(a, b) WRAPPING_COMBINE(a, b)
#define IDENTITY WRAPPING_IDENTITY
#define WHOLE_OF(part) ((WHOLE)(part))
#define JOIN(a, b) WRAPPING_COMBINE(a, b)
#include "families/reduce/body.h"

#endif

#if ORDERED
#define NAME(name) SET(name##_int32)
#define ELEMENT int32_t
#define BITS 32
#define UNSIGNED uint32_t
#define LARGEST int64_t
#define LARGEST_MEMBER signed_integer
#define LARGEST_KIND OPMILL_REDUCE_SIGNED_INTEGER
#define LOWEST INT32_MIN
#define HIGHEST INT32_MAX
#define WIDE_OF(x) opmill_wide_of_signed(x)
#define MAGNITUDE(x) ((x) < 0 ? 0 - (UNSIGNED)(x) : (UNSIGNED)(x))
#include "families/reduce/ordered.h"

#define NAME(name) SET(name##_int64)
#define ELEMENT int64_t
#define BITS 64
#define UNSIGNED uint64_t
#define LARGEST int64_t
#define LARGEST_MEMBER signed_integer
#define LARGEST_KIND OPMILL_REDUCE_SIGNED_INTEGER
#define LOWEST INT64_MIN
#define HIGHEST INT64_MAX
#define WIDE_OF(x) opmill_wide_of_signed(x)
#define MAGNITUDE(x) ((x) < 0 ? 0 - (UNSIGNED)(x) : (UNSIGNED)(x))
#include "families/reduce/ordered.h"

#endif

#if ORDERED && ORDERED != 3
#define NAME(name) SET(name##_uint32)
#define ELEMENT uint32_t
#define BITS 32
#define UNSIGNED uint32_t
#define LARGEST uint64_t
#define LARGEST_MEMBER integer
#define LARGEST_KIND OPMILL_REDUCE_INTEGER
#define LOWEST 0
#define HIGHEST UINT32_MAX
#define WIDE_OF(x) opmill_wide_of_unsigned(x)
#define MAGNITUDE(x) (x)
#include "families/reduce/ordered.h"

#define NAME(name) SET(name##_uint64)
#define ELEMENT uint64_t
#define BITS 64
#define UNSIGNED uint64_t
#define LARGEST uint64_t
#define LARGEST_MEMBER integer
#define LARGEST_KIND OPMILL_REDUCE_INTEGER
#define LOWEST 0
#define HIGHEST UINT64_MAX
#define WIDE_OF(x) opmill_wide_of_unsigned(x)
#define MAGNITUDE(x) (x)
#include "families/reduce/ordered.h"

#endif

#if ORDERED == 2
#define NAME(name) SET(name##_int8)
#define ELEMENT int8_t
#define BITS 8
#define UNSIGNED uint8_t
#define LARGEST int64_t
#define LARGEST_MEMBER signed_integer
#define LARGEST_KIND OPMILL_REDUCE_SIGNED_INTEGER
#define LOWEST INT8_MIN
#define HIGHEST INT8_MAX
#define WIDE_OF(x) opmill_wide_of_signed(x)
#define MAGNITUDE(x) ((x) < 0 ? 0 - (UNSIGNED)(x) : (UNSIGNED)(x))
#include "families/reduce/ordered.h"

#define NAME(name) SET(name##_uint8)
#define ELEMENT uint8_t
#define BITS 8
#define UNSIGNED uint8_t
#define LARGEST uint64_t
#define LARGEST_MEMBER integer
#define LARGEST_KIND OPMILL_REDUCE_INTEGER
#define LOWEST 0
#define HIGHEST UINT8_MAX
#define WIDE_OF(x) opmill_wide_of_unsigned(x)
#define MAGNITUDE(x) (x)
#include "families/reduce/ordered.h"

/* A bool may be any byte; one that is not 0 is true. */
static const uint8_t *SET(truths)(const uint8_t *from, uint8_t *to, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        to[i] = from[i] != 0;
    }
    return to;
}

#define TRUTHS 1
#define NAME(name) SET(name##_bool)
#define ELEMENT uint8_t
#define BITS 8
#define UNSIGNED uint8_t
#define LARGEST uint64_t
#define LARGEST_MEMBER integer
#define LARGEST_KIND OPMILL_REDUCE_INTEGER
#define LOWEST 0
#define HIGHEST 1
#define WIDE_OF(x) opmill_wide_of_unsigned(x)
#define MAGNITUDE(x) (x)
#include "families/reduce/ordered.h"

#undef TRUTHS
#endif

static const opmill_reduce_loops *SET(loops_of)(opmill_reduce_kind kind) {
    switch (kind) {
#if REALS
    case OPMILL_REDUCE_DOUBLE:
        return OPMILL_IF_USED(DOUBLE, &SET(loops_double));
    case OPMILL_REDUCE_FLOAT16:
        return OPMILL_IF_USED(FLOAT16, &SET(loops_float16));
    case OPMILL_REDUCE_BFLOAT16:
        return OPMILL_IF_USED(BFLOAT16, &SET(loops_bfloat16));
#endif
#if REALS == 2
    case OPMILL_REDUCE_INT32_AS_DOUBLE:
        return OPMILL_IF_USED(INT32, &SET(loops_int32_as_double));
    case OPMILL_REDUCE_UINT32_AS_DOUBLE:
        return OPMILL_IF_USED(UINT32, &SET(loops_uint32_as_double));
    case OPMILL_REDUCE_INT64_AS_DOUBLE:
        return OPMILL_IF_USED(INT64, &SET(loops_int64_as_double));
    case OPMILL_REDUCE_UINT64_AS_DOUBLE:
        return OPMILL_IF_USED(UINT64, &SET(loops_uint64_as_double));
#endif
#if WRAPPING
    case OPMILL_REDUCE_UINT32:
        return OPMILL_IF_USED(UINT32, &SET(loops_wrapping_32));
    case OPMILL_REDUCE_UINT64:
        return OPMILL_IF_USED(UINT64, &SET(loops_wrapping_64));
#endif
#if WRAPPING && !ORDERED
    case OPMILL_REDUCE_INT32:
        return OPMILL_IF_USED(INT32, &SET(loops_wrapping_32));
    case OPMILL_REDUCE_INT64:
        return OPMILL_IF_USED(INT64, &SET(loops_wrapping_64));
#endif
#if ORDERED
    case OPMILL_REDUCE_INT32:
        return OPMILL_IF_USED(INT32, &SET(loops_int32));
    case OPMILL_REDUCE_INT64:
        return OPMILL_IF_USED(INT64, &SET(loops_int64));
#endif
#if ORDERED && ORDERED != 3
    case OPMILL_REDUCE_UINT32:
        return OPMILL_IF_USED(UINT32, &SET(loops_uint32));
    case OPMILL_REDUCE_UINT64:
        return OPMILL_IF_USED(UINT64, &SET(loops_uint64));
#endif
#if ORDERED == 2
    case OPMILL_REDUCE_INT8:
        return OPMILL_IF_USED(INT8, &SET(loops_int8));
    case OPMILL_REDUCE_UINT8:
        return OPMILL_IF_USED(UINT8, &SET(loops_uint8));
    case OPMILL_REDUCE_BOOL:
        return OPMILL_IF_USED(BOOL, &SET(loops_bool));
#endif
    default:
#if REALS
        return &SET(loops_float);
#else
        return NULL;
#endif
    }
}

#undef SET
