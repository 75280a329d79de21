/* The loops for each element type and one instruction set; sets.h includes this with SET(name). For
 * each, body.h has ELEMENT, as it is in memory, VALUE, as it is compared, WIDEN(from, space, count)
 * that gives elements as values, in a space if WIDENS, and whether there may be NaNs: then
 * NAN_FLAG, an integer as wide as a value. */
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

#define HAS_NAN 1
#define NAN_FLAG int32_t
#define LOWEST -INFINITY
#define HIGHEST INFINITY

#define WIDENS 1
#define ELEMENT uint16_t
#define VALUE float
#define NAME(name) SET(name##_float16)
#define WIDEN(from, space, count) SET(widened_float16)(from, space, count)
#include "families/arg_reduce/body.h"
#define NAME(name) SET(name##_bfloat16)
#define WIDEN(from, space, count) SET(widened_bfloat16)(from, space, count)
#include "families/arg_reduce/body.h"
#undef ELEMENT
#undef VALUE
#undef WIDENS

#define WIDENS 0
#define ELEMENT float
#define VALUE float
#define NAME(name) SET(name##_float)
#define WIDEN(from, space, count) (from)
#include "families/arg_reduce/body.h"
#undef ELEMENT
#undef VALUE

#undef NAN_FLAG
#define NAN_FLAG int64_t
#define ELEMENT double
#define VALUE double
#define NAME(name) SET(name##_double)
#define WIDEN(from, space, count) (from)
#include "families/arg_reduce/body.h"
#undef NAN_FLAG
#undef ELEMENT
#undef VALUE

#undef HAS_NAN
#undef LOWEST
#undef HIGHEST
#define HAS_NAN 0

#define LOWEST INT8_MIN
#define HIGHEST INT8_MAX
#define ELEMENT int8_t
#define VALUE int8_t
#define NAME(name) SET(name##_int8)
#define WIDEN(from, space, count) (from)
#include "families/arg_reduce/body.h"
#undef ELEMENT
#undef VALUE
#undef LOWEST
#undef HIGHEST

#define LOWEST 0
#define HIGHEST UINT8_MAX
#define ELEMENT uint8_t
#define VALUE uint8_t
#define NAME(name) SET(name##_uint8)
#define WIDEN(from, space, count) (from)
#include "families/arg_reduce/body.h"
#undef ELEMENT
#undef VALUE
#undef LOWEST
#undef HIGHEST

#define LOWEST INT16_MIN
#define HIGHEST INT16_MAX
#define ELEMENT int16_t
#define VALUE int16_t
#define NAME(name) SET(name##_int16)
#define WIDEN(from, space, count) (from)
#include "families/arg_reduce/body.h"
#undef ELEMENT
#undef VALUE
#undef LOWEST
#undef HIGHEST

#define LOWEST 0
#define HIGHEST UINT16_MAX
#define ELEMENT uint16_t
#define VALUE uint16_t
#define NAME(name) SET(name##_uint16)
#define WIDEN(from, space, count) (from)
#include "families/arg_reduce/body.h"
#undef ELEMENT
#undef VALUE
#undef LOWEST
#undef HIGHEST

#define LOWEST INT32_MIN
#define HIGHEST INT32_MAX
#define ELEMENT int32_t
#define VALUE int32_t
#define NAME(name) SET(name##_int32)
#define WIDEN(from, space, count) (from)
#include "families/arg_reduce/body.h"
#undef ELEMENT
#undef VALUE
#undef LOWEST
#undef HIGHEST

#define LOWEST 0
#define HIGHEST UINT32_MAX
#define ELEMENT uint32_t
#define VALUE uint32_t
#define NAME(name) SET(name##_uint32)
#define WIDEN(from, space, count) (from)
#include "families/arg_reduce/body.h"
#undef ELEMENT
#undef VALUE
#undef LOWEST
#undef HIGHEST

#define LOWEST INT64_MIN
#define HIGHEST INT64_MAX
#define ELEMENT int64_t
#define VALUE int64_t
#define NAME(name) SET(name##_int64)
#define WIDEN(from, space, count) (from)
#include "families/arg_reduce/body.h"
#undef ELEMENT
#undef VALUE
#undef LOWEST
#undef HIGHEST

#define LOWEST 0
#define HIGHEST UINT64_MAX
#define ELEMENT uint64_t
#define VALUE uint64_t
#define NAME(name) SET(name##_uint64)
#define WIDEN(from, space, count) (from)
#include "families/arg_reduce/body.h"
#undef ELEMENT
#undef VALUE
#undef LOWEST
#undef HIGHEST

#undef HAS_NAN
#undef WIDENS

static opmill_arg_loop *SET(loop_of)(int32_t type) {
    switch (type) {
    case OPMILL_DOUBLE:
        return OPMILL_IF_USED(DOUBLE, SET(search_double));
    case OPMILL_FLOAT16:
        return OPMILL_IF_USED(FLOAT16, SET(search_float16));
    case OPMILL_BFLOAT16:
        return OPMILL_IF_USED(BFLOAT16, SET(search_bfloat16));
    case OPMILL_INT8:
        return OPMILL_IF_USED(INT8, SET(search_int8));
    case OPMILL_UINT8:
        return OPMILL_IF_USED(UINT8, SET(search_uint8));
    case OPMILL_INT16:
        return OPMILL_IF_USED(INT16, SET(search_int16));
    case OPMILL_UINT16:
        return OPMILL_IF_USED(UINT16, SET(search_uint16));
    case OPMILL_INT32:
        return OPMILL_IF_USED(INT32, SET(search_int32));
    case OPMILL_UINT32:
        return OPMILL_IF_USED(UINT32, SET(search_uint32));
    case OPMILL_INT64:
        return OPMILL_IF_USED(INT64, SET(search_int64));
    case OPMILL_UINT64:
        return OPMILL_IF_USED(UINT64, SET(search_uint64));
    default:
        return SET(search_float);
    }
}

#undef SET
