/* sin, cos and tan over runs of elements. */
#include "runtime/math/trigonometric.h"

#include <stdbool.h>

#include "runtime/elementwise.h"
#include "runtime/math/nan.h"

/* True if any of `count` elements is a large angle; infinities and NaNs may count. */
static int any_large_float(const opmill_bits32 *x, int64_t count) {
    uint32_t any = 0;
    for (int64_t i = 0; i < count; i++) {
        any |= (x[i] & 0x7fffffffu) > 0x49800000u; /* OPMILL_LARGE_ANGLE */
    }
    return any != 0;
}

static int any_large_double(const opmill_bits64 *x, int64_t count) {
    uint64_t any = 0;
    for (int64_t i = 0; i < count; i++) {
        any |= (x[i] & ~OPMILL_SIGN_BIT) > UINT64_C(0x4130000000000000);
    }
    return any != 0;
}

static int is_large(double x) { return fabs(x) > OPMILL_LARGE_ANGLE && fabs(x) < INFINITY; }

/* The results of large angles, one after the other. */
#define DEFINE_LEFT(function)                                                              \
    static void function##_left_float(const opmill_bits32 *x, opmill_bits32 *y, int64_t count) { \
        if (any_large_float(x, count)) {                                                   \
            for (int64_t i = 0; i < count; i++) {                                          \
                const float value = opmill_float_of_bits(x[i]);                            \
                if (is_large((double)value)) {                                             \
                    const opmill_angle angle = opmill_angle_large((double)value);          \
                    y[i] = opmill_result_float(                                            \
                        x[i], (float)opmill_##function##_of_angle_float(value, angle));    \
                }                                                                          \
            }                                                                              \
        }                                                                                  \
    }                                                                                      \
    static void function##_left_double(const opmill_bits64 *x, opmill_bits64 *y, int64_t count) { \
        if (any_large_double(x, count)) {                                                  \
            for (int64_t i = 0; i < count; i++) {                                          \
                const double value = opmill_double(x[i]);                                  \
                if (is_large(value)) {                                                     \
                    const opmill_angle angle = opmill_angle_large(value);                  \
                    y[i] = opmill_result_double(                                           \
                        x[i], opmill_##function##_of_angle_double(value, angle));          \
                }                                                                          \
            }                                                                              \
        }                                                                                  \
    }

/* Whether no angle of a block is large, and the results are written then: the same bits in two
 * passes, of which the second is in float alone. */
#define DEFINE_USUAL(function)                                                             \
    OPMILL_INLINE bool function##_usual_float(const opmill_bits32 *restrict x,             \
                                              opmill_bits32 *restrict y, int64_t count) {  \
        float r[OPMILL_MATH_BLOCK], low[OPMILL_MATH_BLOCK];                                \
        uint32_t quadrant[OPMILL_MATH_BLOCK];                                              \
        if (any_large_float(x, count)) {                                                   \
            return false;                                                                  \
        }                                                                                  \
        for (int64_t i = 0; i < count; i++) {                                              \
            const opmill_angle angle =                                                     \
                opmill_angle_float((double)opmill_float_of_bits(x[i]));                    \
            r[i] = (float)angle.r.high;                                                    \
            low[i] = (float)(angle.r.high - (double)r[i]);                                 \
            quadrant[i] = (uint32_t)angle.quadrant;                                        \
        }                                                                                  \
        for (int64_t i = 0; i < count; i++) {                                              \
            y[i] = opmill_float_bits(opmill_##function##_of_parts_float(                   \
                opmill_float_of_bits(x[i]), r[i], low[i], quadrant[i]));                   \
        }                                                                                  \
        return true;                                                                       \
    }

DEFINE_USUAL(sin)
DEFINE_USUAL(cos)

#define FUNCTIONS(LOOP) LOOP(sin) LOOP(cos) LOOP(tan)
#define LEFT_OVER(call) call;
#define USUAL(call) call
#define sin_usual_double(x, y, count) false
#define cos_usual_double(x, y, count) false
#define tan_usual_double(x, y, count) false
#define tan_usual_float(x, y, count) false

FUNCTIONS(DEFINE_LEFT)

#include "runtime/math/loops.h"
