/* The loops for each type and one instruction set; sets.h includes this with SET(name). For each,
 * body.h has ELEMENT, as it is in memory, SOURCE, as it is added, SUM, WIDEN(from, space, count)
 * that gives elements as sources, in a space if WIDENS, and NARROW(from, to, count) that stores
 * sums or, if WIDENS, sources. */
#define WIDENS 1
#define ELEMENT uint16_t
#define SOURCE float

static const float *SET(widened_float16)(const uint16_t *from, float *to, int64_t count) {
    const int eights = (int)(count / 8 * 8);
    SET(opmill_float16_widen)(from, to, eights);
    for (int64_t i = eights; i < count; i++) {
        to[i] = opmill_float16_to_float(from[i]);
    }
    return to;
}

static void SET(narrow_float16)(const float *from, uint16_t *to, int64_t count) {
    const int eights = (int)(count / 8 * 8);
    SET(opmill_float16_narrow)(from, to, eights);
    for (int64_t i = eights; i < count; i++) {
        to[i] = opmill_float_to_float16(from[i]);
    }
}

static const float *SET(widened_bfloat16)(const uint16_t *from, float *to, int64_t count) {
    SET(opmill_bfloat16_widen)(from, to, (int)count);
    return to;
}

#define WIDEN(from, space, count) SET(widened_float16)(from, space, count)
#define NARROW(from, to, count) SET(narrow_float16)(from, to, count)
#if !NORMS
#define NAME(name) SET(name##_float16)
#define SUM float
#include "families/pool/body.h"
#endif
#define NAME(name) SET(name##_float16_wide)
#define SUM double
#include "families/pool/body.h"
#undef WIDEN
#undef NARROW

#define WIDEN(from, space, count) SET(widened_bfloat16)(from, space, count)
#define NARROW(from, to, count) SET(opmill_bfloat16_narrow)(from, to, (int)(count))
#if !NORMS
#define NAME(name) SET(name##_bfloat16)
#define SUM float
#include "families/pool/body.h"
#endif
#define NAME(name) SET(name##_bfloat16_wide)
#define SUM double
#include "families/pool/body.h"
#undef WIDEN
#undef NARROW

#undef WIDENS
#undef ELEMENT
#undef SOURCE
#define WIDENS 0
#define WIDEN(from, space, count) (from)

#define ELEMENT float
#define SOURCE float
#if !NORMS
#define NAME(name) SET(name##_float)
#define SUM float
#include "families/pool/body.h"
#endif
#define NAME(name) SET(name##_float_wide)
#define SUM double
#include "families/pool/body.h"
#undef ELEMENT
#undef SOURCE

#define ELEMENT double
#define SOURCE double
#define NAME(name) SET(name##_double)
#define SUM double
#include "families/pool/body.h"
#undef ELEMENT
#undef SOURCE

#undef WIDENS
#undef WIDEN

static opmill_pool_loop *SET(loop_of)(int32_t type, bool wide) {
    switch (type) {
    case OPMILL_DOUBLE:
        return OPMILL_IF_USED(DOUBLE, SET(rows_double));
#if NORMS
    case OPMILL_FLOAT16:
        return OPMILL_IF_USED(FLOAT16, SET(rows_float16_wide));
    case OPMILL_BFLOAT16:
        return OPMILL_IF_USED(BFLOAT16, SET(rows_bfloat16_wide));
    default:
        (void)wide;
        return SET(rows_float_wide);
#else
    case OPMILL_FLOAT16:
        return OPMILL_IF_USED(FLOAT16, wide ? SET(rows_float16_wide) : SET(rows_float16));
    case OPMILL_BFLOAT16:
        return OPMILL_IF_USED(BFLOAT16, wide ? SET(rows_bfloat16_wide) : SET(rows_bfloat16));
    default:
        return wide ? SET(rows_float_wide) : SET(rows_float);
#endif
    }
}

#undef SET
