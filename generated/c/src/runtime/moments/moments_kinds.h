/* All element types for one instruction set; moments.c includes this with SET(name). */
#include "runtime/numbers/halves_body.h"

#define NAME(name) SET(name##_float)
#define ELEMENT float
#define REAL float
#define WIDENS 0
#define WIDEN(from, space, count) (from)
#define NARROW(from, to, count) ((void)0)
#include "runtime/moments/moments_body.h"

#define NAME(name) SET(name##_double)
#define ELEMENT double
#define REAL double
#define WIDENS 0
#define WIDEN(from, space, count) (from)
#define NARROW(from, to, count) ((void)0)
#include "runtime/moments/moments_body.h"

#define NAME(name) SET(name##_float16)
#define ELEMENT uint16_t
#define REAL float
#define WIDENS 1
#define WIDEN(from, space, count) (SET(opmill_widen_float16)(from, space, count), (space))
#define NARROW(from, to, count) SET(opmill_narrow_float16)(from, to, count)
#include "runtime/moments/moments_body.h"

#define NAME(name) SET(name##_bfloat16)
#define ELEMENT uint16_t
#define REAL float
#define WIDENS 1
#define WIDEN(from, space, count) (SET(opmill_widen_bfloat16)(from, space, count), (space))
#define NARROW(from, to, count) SET(opmill_narrow_bfloat16)(from, to, count)
#include "runtime/moments/moments_body.h"

static const opmill_moments_loops *SET(moments_loops)(int32_t type) {
    switch (type) {
    case OPMILL_FLOAT:
        return &SET(loops_float);
    case OPMILL_DOUBLE:
        return OPMILL_IF_USED(DOUBLE, &SET(loops_double));
    case OPMILL_FLOAT16:
        return OPMILL_IF_USED(FLOAT16, &SET(loops_float16));
    default:
        return &SET(loops_bfloat16);
    }
}

#undef SET
