/* Converts elements of each type to float or double and back; integers are truncated and clamped to
 * their range. */
#include "families/resize/convert.h"

#include <string.h>

#include "runtime/numbers/half.h"

#define INTEGERS(CASE)                                                     \
    CASE(OPMILL_INT8, int8_t, -0x1p7, 0x1p7, INT8_MAX)                     \
    CASE(OPMILL_UINT8, uint8_t, 0, 0x1p8, UINT8_MAX)                       \
    CASE(OPMILL_INT16, int16_t, -0x1p15, 0x1p15, INT16_MAX)                \
    CASE(OPMILL_UINT16, uint16_t, 0, 0x1p16, UINT16_MAX)                   \
    CASE(OPMILL_INT32, int32_t, -0x1p31, 0x1p31, INT32_MAX)                \
    CASE(OPMILL_UINT32, uint32_t, 0, 0x1p32, UINT32_MAX)                   \
    CASE(OPMILL_INT64, int64_t, -0x1p63, 0x1p63, INT64_MAX)                \
    CASE(OPMILL_UINT64, uint64_t, 0, 0x1p64, UINT64_MAX)

#define READ(number, type, low, above, high)                \
    case number:                                            \
        for (int64_t i = 0; i < count; i++) {               \
            ((double *)to)[i] = (double)((const type *)from)[i]; \
        }                                                   \
        break;

void opmill_resize_read(const resize_functions *functions, int32_t type, const void *from, void *to,
                        int64_t count) {
    switch (type) {
    case OPMILL_FLOAT16:
        functions->widen[0](from, to, count);
        break;
    case OPMILL_BFLOAT16:
        functions->widen[1](from, to, count);
        break;
        INTEGERS(READ)
    default:
        break;
    }
}

/* Toward zero, but for what is a rounding error short of the next whole number. */
static double nudged(double value) { return value < 0 ? value - 0x1p-20 : value + 0x1p-20; }

#define WRITE(number, type, low, above, high)                                      \
    case number:                                                                   \
        for (int64_t i = 0; i < count; i++) {                                      \
            const double value = nudged(((const double *)from)[i]);                \
            type whole = 0;                                                        \
            if (value >= (above)) {                                                \
                whole = high;                                                      \
            } else if (value >= (low)) {                                           \
                whole = (type)value;                                               \
            } else if (value < (low)) {                                            \
                whole = (type)(low);                                               \
            }                                                                      \
            ((type *)to)[i] = whole;                                               \
        }                                                                          \
        break;

void opmill_resize_write(const resize_functions *functions, int32_t type, const void *from,
                         void *to, int64_t count) {
    switch (type) {
    case OPMILL_FLOAT16:
        functions->narrow[0](from, to, count);
        break;
    case OPMILL_BFLOAT16:
        functions->narrow[1](from, to, count);
        break;
        INTEGERS(WRITE)
    default:
        break;
    }
}

void opmill_resize_element(int32_t type, double value, void *to) {
    const float narrow = (float)value;
    uint16_t half;
    memset(to, 0, 16);
    switch (type) {
    case OPMILL_BOOL:
        *(uint8_t *)to = value != 0;
        break;
    case OPMILL_FLOAT:
    case OPMILL_COMPLEX64:
        memcpy(to, &narrow, sizeof narrow);
        break;
    case OPMILL_DOUBLE:
    case OPMILL_COMPLEX128:
        memcpy(to, &value, sizeof value);
        break;
    case OPMILL_FLOAT16:
        half = opmill_float_to_float16(narrow);
        memcpy(to, &half, sizeof half);
        break;
    case OPMILL_BFLOAT16:
        half = opmill_float_to_bfloat16(narrow);
        memcpy(to, &half, sizeof half);
        break;
    default:
        opmill_resize_write(NULL, type, &value, to, 1);
        break;
    }
}
