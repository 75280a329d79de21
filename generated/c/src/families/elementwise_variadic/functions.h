/* The function of each element type, of_<name>(a, b), from the expressions OF_REAL and so on that
 * the kernel defines before it includes this; rows.yaml explains them. */
#include <stdbool.h>
#include <string.h>

#include "runtime/elements.h"
#include "runtime/elementwise_several.h"
#include "runtime/elementwise_types.h"
#include "runtime/halves.h"
#include "runtime/isa.h"
#include "runtime/platform.h"

#define DEFINE_FUNCTION(name, element, computed, operand, expression, labels) \
    static inline element of_##name(computed a, computed b) {                 \
        return (element)(expression);                                         \
    }
NUMBERS(DEFINE_FUNCTION)
