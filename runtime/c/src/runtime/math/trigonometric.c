/* sin, cos and tan over runs of elements. */
#include "runtime/math/trigonometric.h"

#include <stdbool.h>

#include "runtime/elementwise/elementwise.h"
#include "runtime/math/nan.h"
#include "runtime/math/pieces.h"

#define OPMILL_BITS_OF_USUAL_ANGLE UINT64_C(0x40f0000000000000)

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
        any |= (x[i] & ~OPMILL_SIGN_BIT) > OPMILL_BITS_OF_USUAL_ANGLE;
    }
    return any != 0;
}

static int is_large(double x) { return fabs(x) > OPMILL_LARGE_ANGLE && fabs(x) < INFINITY; }

static int is_unusual(double x) { return fabs(x) > OPMILL_USUAL_ANGLE && fabs(x) < INFINITY; }

/* The results of large angles, of double those above OPMILL_USUAL_ANGLE, one after the other. */
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
                if (is_unusual(value)) {                                                   \
                    const opmill_angle angle =                                             \
                        is_large(value) ? opmill_angle_large(value) : opmill_angle_double(value); \
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

/* The angles of a block of doubles, or false if any is above OPMILL_USUAL_ANGLE. */
typedef struct angle_block {
    double OPMILL_LINES high[OPMILL_MATH_BLOCK];
    double OPMILL_LINES low[OPMILL_MATH_BLOCK];
    uint64_t OPMILL_LINES quadrant[OPMILL_MATH_BLOCK];
} angle_block;

OPMILL_INLINE bool usual_angles(angle_block *block, const opmill_bits64 *restrict x,
                                int64_t count) {
    uint64_t any = 0;
    for (int64_t i = 0; i < count; i++) {
        const opmill_angle angle = opmill_angle_usual_double(opmill_double(x[i]));
        any |= OPMILL_BITS_OF_USUAL_ANGLE - (x[i] & ~OPMILL_SIGN_BIT);
        block->high[i] = angle.r.high;
        block->low[i] = angle.r.low;
        block->quadrant[i] = angle.quadrant;
    }
    return any >> 63 == 0;
}

OPMILL_INLINE opmill_angle angle_of_block(const angle_block *block, int64_t i) {
    const opmill_angle angle = {{block->high[i], block->low[i]}, block->quadrant[i]};
    return angle;
}

/* The same bits for blocks of usual angles, in two passes. */
#define DEFINE_USUAL(function)                                                             \
    OPMILL_INLINE bool function##_usual_double(const opmill_bits64 *restrict x,            \
                                               opmill_bits64 *restrict y, int64_t count) { \
        angle_block block;                                                                 \
        if (!usual_angles(&block, x, count)) {                                             \
            return false;                                                                  \
        }                                                                                  \
        for (int64_t i = 0; i < count; i++) {                                              \
            const double value = opmill_double(x[i]);                                      \
            y[i] = opmill_bits(                                                            \
                opmill_##function##_of_angle_double(value, angle_of_block(&block, i)));    \
        }                                                                                  \
        return true;                                                                       \
    }

#define FUNCTIONS_BY_BLOCKS(LOOP) LOOP(sin) LOOP(cos)
#define LEFT_OVER(call) call;
#define USUAL(call) call

FUNCTIONS_BY_BLOCKS(DEFINE_LEFT)
DEFINE_LEFT(tan)

FUNCTIONS_BY_BLOCKS(DEFINE_USUAL)
DEFINE_USUAL(tan)

DEFINE_BLOCK(sin, opmill_sin_of_parts_float(value, angle.r, angle.low, angle.quadrant))
DEFINE_BLOCK(cos, opmill_cos_of_parts_float(value, angle.r, angle.low, angle.quadrant))

#define FUNCTIONS(LOOP) LOOP(tan)
#include "runtime/math/loops.h"
