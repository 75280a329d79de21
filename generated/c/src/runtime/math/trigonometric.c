/* sin, cos and tan over runs of elements. */
#include "runtime/math/trigonometric.h"

#include <stdbool.h>

#include "runtime/elementwise/elementwise.h"
#include "runtime/math/nan.h"
#include "runtime/math/pieces.h"

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

/* The results of float: all as if they were up to 2048, then those that are not. */
#define DEFINE_BLOCK(function, of_parts)                                                   \
    OPMILL_INLINE void function##_block(int32_t isa, const opmill_bits32 *restrict x,      \
                                        opmill_bits32 *restrict y, int64_t count) {        \
        (void)isa;                                                                         \
        for (int64_t i = 0; i < count; i++) {                                              \
            const float value = opmill_float_of_bits(x[i]);                                \
            const opmill_angle_parts angle = opmill_angle_in_float(value);                 \
            y[i] = opmill_float_bits(of_parts);                                            \
        }                                                                                  \
        OPMILL_COMPUTE_ABOVE(function, 0x7fffffffu, 0x45000000u)                           \
        function##_left_float(x, y, count);                                                \
    }

/* True if no angle of a block is large, and the tangents are written then: the same bits, in passes
 * that are in float or in double. */
OPMILL_INLINE bool tan_usual_float(const opmill_bits32 *restrict x, opmill_bits32 *restrict y,
                                   int64_t count) {
    double OPMILL_LINES t[OPMILL_MATH_BLOCK];
    float OPMILL_LINES even[OPMILL_MATH_BLOCK], odd[OPMILL_MATH_BLOCK];
    uint32_t OPMILL_LINES quadrant[OPMILL_MATH_BLOCK];
    if (any_large_float(x, count)) {
        return false;
    }
    for (int64_t i = 0; i < count; i++) {
        const opmill_angle angle = opmill_angle_float((double)opmill_float_of_bits(x[i]));
        t[i] = angle.r.high;
        even[i] = (float)t[i];
        quadrant[i] = (uint32_t)angle.quadrant;
    }
    for (int64_t i = 0; i < count; i++) {
        even[i] = opmill_tan_factor_float(even[i]);
    }
    for (int64_t i = 0; i < count; i++) {
        t[i] = opmill_tan_reduced_float(t[i], even[i]);
        even[i] = (float)t[i];
    }
    for (int64_t i = 0; i < count; i++) {
        odd[i] = 1 / even[i];
    }
    for (int64_t i = 0; i < count; i++) {
        odd[i] = opmill_reciprocal_float(t[i], odd[i]);
    }
    for (int64_t i = 0; i < count; i++) {
        const float result = (quadrant[i] & 1) != 0 ? -odd[i] : even[i];
        y[i] = (x[i] & 0x7fffffffu) == 0 ? x[i] : opmill_float_bits(result);
    }
    return true;
}

#define FUNCTIONS_BY_BLOCKS(LOOP) LOOP(sin) LOOP(cos)
#define LEFT_OVER(call) call;
#define USUAL(call) call
#define sin_usual_double(x, y, count) false
#define cos_usual_double(x, y, count) false
#define tan_usual_double(x, y, count) false

FUNCTIONS_BY_BLOCKS(DEFINE_LEFT)
DEFINE_LEFT(tan)

DEFINE_BLOCK(sin, opmill_sin_of_parts_float(value, angle.r, angle.low, angle.quadrant))
DEFINE_BLOCK(cos, opmill_cos_of_parts_float(value, angle.r, angle.low, angle.quadrant))

#define FUNCTIONS(LOOP) LOOP(tan)
#include "runtime/math/loops.h"
