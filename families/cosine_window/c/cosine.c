#include "cosine.h"

#include "runtime/math/trigonometric.h"

double opmill_window_cosine(double angle) {
    return opmill_cos_of_angle_double(angle, opmill_angle_double(angle));
}
