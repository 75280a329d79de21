/* Positions of the largest and smallest elements, compact. */
#include "families/arg_reduce/compact.h"

#define IS_NAN(x) ((x) != (x))
#define IS_NO_NAN(x) false
#define LARGER(a, b) ((a) > (b))
#define SMALLER(a, b) ((a) < (b))

/* A NaN is taken before any number. */
#define DEFINE(name, element, BETTER, NAN_OF)                                                   \
    void opmill_arg_reduce_compact_##name(const void *x, void *y,                               \
                                          const opmill_arg_reduce_compact_plan *plan) {         \
        int64_t *to = y;                                                                        \
        for (int32_t row = 0; row < plan->rows; row++) {                                        \
            const element *const matrix = (const element *)x + row * plan->length * plan->inner; \
            for (int32_t k = 0; k < plan->inner; k++) {                                         \
                int32_t found = 0;                                                              \
                for (int32_t i = 1; i < plan->length; i++) {                                    \
                    const element a = matrix[i * plan->inner + k];                              \
                    const element b = matrix[found * plan->inner + k];                          \
                    const bool equal = NAN_OF(a) ? NAN_OF(b) : !NAN_OF(b) && a == b;            \
                    const bool better = NAN_OF(a) || (!NAN_OF(b) && BETTER(a, b));              \
                    if (equal ? plan->last : better) {                                          \
                        found = i;                                                              \
                    }                                                                           \
                }                                                                               \
                *to++ = found;                                                                  \
            }                                                                                   \
        }                                                                                       \
    }

DEFINE(largest_float, float, LARGER, IS_NAN)
DEFINE(largest_int8, int8_t, LARGER, IS_NO_NAN)
DEFINE(largest_uint8, uint8_t, LARGER, IS_NO_NAN)
DEFINE(smallest_float, float, SMALLER, IS_NAN)
DEFINE(smallest_int8, int8_t, SMALLER, IS_NO_NAN)
DEFINE(smallest_uint8, uint8_t, SMALLER, IS_NO_NAN)
