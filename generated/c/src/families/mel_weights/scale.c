/* Computes positions on the mel scale with the library's own logarithm and expm1, whose bits are
 * the same on every platform. */
#include "scale.h"

#include "runtime/math/exponential.h"
#include "runtime/math/logarithm.h"

double opmill_mel_span(double lower, double upper) {
    return opmill_log_double((700 + upper) / (700 + lower));
}

double opmill_mel_hertz(double lower, double span, double share) {
    const double exponent = share * span;
    const double height = (700 + lower) * opmill_expm1_double(exponent);
    return lower + height;
}
