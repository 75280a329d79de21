/* The loops of every type for an instruction set, SET. */
#define JOIN_NAMES(type, set, x) type##_##set##_##x
#define JOIN_EXPANDED(type, set, x) JOIN_NAMES(type, set, x)
#define JOIN_SET(x, set) x##_##set
#define JOIN_SET_EXPANDED(x, set) JOIN_SET(x, set)
#define AS_IT_IS(x) (x)

#define TYPE float
#define REAL float
#define LOAD AS_IT_IS
#define STORE AS_IT_IS
#define NAME(x) JOIN_EXPANDED(floats, SET, x)
#include "families/roi_align/bins_body.h"

#define TYPE double
#define REAL double
#define LOAD AS_IT_IS
#define STORE AS_IT_IS
#define NAME(x) JOIN_EXPANDED(doubles, SET, x)
#include "families/roi_align/bins_body.h"

#define TYPE uint16_t
#define REAL float
#define LOAD opmill_float16_to_float
#define STORE opmill_float_to_float16
#define NAME(x) JOIN_EXPANDED(float16s, SET, x)
#include "families/roi_align/bins_body.h"

#define TYPE uint16_t
#define REAL float
#define LOAD opmill_bfloat16_to_float
#define STORE opmill_float_to_bfloat16
#define NAME(x) JOIN_EXPANDED(bfloat16s, SET, x)
#include "families/roi_align/bins_body.h"

static const roi_functions *JOIN_SET_EXPANDED(functions_of, SET)(int32_t type) {
    switch (type) {
    case OPMILL_FLOAT:
        return &JOIN_EXPANDED(floats, SET, functions);
    case OPMILL_DOUBLE:
        return &JOIN_EXPANDED(doubles, SET, functions);
    case OPMILL_FLOAT16:
        return &JOIN_EXPANDED(float16s, SET, functions);
    default:
        return &JOIN_EXPANDED(bfloat16s, SET, functions);
    }
}

#undef AS_IT_IS
#undef JOIN_NAMES
#undef JOIN_EXPANDED
#undef JOIN_SET
#undef JOIN_SET_EXPANDED
#undef SET
