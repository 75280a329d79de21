/* The loops for each element type and one instruction set; sets.h includes this with SET(name). For
 * each, body.h has ELEMENT, as it is in memory, TOTAL, as it is combined, TOTAL_OF(element) and
 * ELEMENT_OF(total). */
#define NAME(name) SET(name##_float)
#define ELEMENT float
#define TOTAL double
#define TOTAL_OF(element) ((double)(element))
#define ELEMENT_OF(total) ((float)(total))
#include "families/scan/body.h"

#define NAME(name) SET(name##_double)
#define ELEMENT double
#define TOTAL double
#define TOTAL_OF(element) (element)
#define ELEMENT_OF(total) (total)
#include "families/scan/body.h"

#define NAME(name) SET(name##_float16)
#define ELEMENT uint16_t
#define TOTAL double
#define TOTAL_OF(element) ((double)opmill_float16_to_float(element))
#define ELEMENT_OF(total) opmill_float_to_float16((float)(total))
#include "families/scan/body.h"

#define NAME(name) SET(name##_bfloat16)
#define ELEMENT uint16_t
#define TOTAL double
#define TOTAL_OF(element) ((double)opmill_bfloat16_to_float(element))
#define ELEMENT_OF(total) opmill_float_to_bfloat16((float)(total))
#include "families/scan/body.h"

#define NAME(name) SET(name##_32)
#define ELEMENT uint32_t
#define TOTAL uint32_t
#define TOTAL_OF(element) (element)
#define ELEMENT_OF(total) (total)
#include "families/scan/body.h"

#define NAME(name) SET(name##_64)
#define ELEMENT uint64_t
#define TOTAL uint64_t
#define TOTAL_OF(element) (element)
#define ELEMENT_OF(total) (total)
#include "families/scan/body.h"

static opmill_scan_loop *SET(loop_of)(int32_t type) {
    switch (type) {
    case OPMILL_DOUBLE:
        return OPMILL_IF_USED(DOUBLE, SET(scan_double));
    case OPMILL_FLOAT16:
        return OPMILL_IF_USED(FLOAT16, SET(scan_float16));
    case OPMILL_BFLOAT16:
        return OPMILL_IF_USED(BFLOAT16, SET(scan_bfloat16));
    case OPMILL_INT32:
    case OPMILL_UINT32:
        return SET(scan_32);
    case OPMILL_INT64:
    case OPMILL_UINT64:
        return SET(scan_64);
    default:
        return SET(scan_float);
    }
}

#undef SET
