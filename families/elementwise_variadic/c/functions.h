/* The function of each element type, of_<name>(a, b), from the expressions OF_REAL and so on that
 * the kernel defines before it includes this; rows.yaml explains them. */
#include <stdbool.h>
#include <string.h>

#include "runtime/numbers/elements.h"
#include "runtime/elementwise/elementwise_several.h"
#include "runtime/elementwise/elementwise_types.h"
#include "runtime/numbers/halves.h"
#include "runtime/platform/isa.h"
#include "runtime/platform/platform.h"

/* `b` where it is NaN, else a value that is computed in any case: compilers find the instruction
 * for the larger of two numbers in it, which an expression with both conditions hides. */
static inline float float_nan_or(float b, float value) { return b != b ? b : value; }
static inline double double_nan_or(double b, double value) { return b != b ? b : value; }
#define NAN_OR(b, value) _Generic((b), float: float_nan_or, double: double_nan_or)(b, value)

#define DEFINE_FUNCTION(name, element, computed, operand, expression, labels) \
    static inline element of_##name(computed a, computed b) {                 \
        return (element)(expression);                                         \
    }
NUMBERS(DEFINE_FUNCTION)
