/* The function of each element type, of_<name>(a, b), from what the kernel that includes this
 * defines: the expressions OF_REAL, OF_INTEGER and so on, which rows.yaml explains; RESULT(type),
 * what becomes of two elements; PARAMETERS(type), the operands that the expressions name. */
#include <stdbool.h>
#include <string.h>

#include "runtime/numbers/elements.h"
#include "runtime/elementwise/elementwise_binary.h"
#include "runtime/elementwise/elementwise_types.h"
#include "runtime/numbers/halves.h"
#include "runtime/platform/isa.h"
#include "runtime/platform/platform.h"

#define DEFINE_FUNCTION(name, element, computed, operand, expression, labels)             \
    static inline RESULT(element) of_##name(computed a, computed b PARAMETERS(operand)) { \
        (void)b;                                                                          \
        return (RESULT(element))(expression);                                             \
    }
NUMBERS(DEFINE_FUNCTION)
