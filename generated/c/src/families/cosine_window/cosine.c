/* Computes the cosine of a window's angle with the library's own cosine, whose bits are the same on
 * every platform. */
#include "cosine.h"

#include "runtime/math/trigonometric.h"

double opmill_window_cosine(double angle) {
    return opmill_cos_of_angle_double(angle, opmill_angle_double(angle));
}
