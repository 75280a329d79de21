/* Measures the elementary functions of float, on the best instruction set of this machine.
 *
 *     measure FUNCTION STEP    every STEP-th float, from all of them; 1 takes about a minute
 *
 * prints the largest error in units of the last place of the exact result, where it occurs, and
 * how many results are not the nearest float. A wrong infinity, zero, sign or NaN is an error. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "math_functions.h"
#include "opmill/isa.h"
#include "runtime/half.h"

enum { BLOCK = 4096 };

/* The distance of y from the exact value in units of the last place of the latter. */
static double error_of(float y, double exact) {
    int exponent;
    double wide = y;
    if (isnan(y) || isnan(exact)) {
        return isnan(y) && isnan(exact) ? 0 : INFINITY;
    }
    if (isinf(exact)) {
        return wide == exact ? 0 : INFINITY;
    }
    if (y == 0 && exact == 0) {
        return !signbit(y) == !signbit(exact) ? 0 : INFINITY;
    }
    if (isinf(y)) { /* the next number, if floats had more exponents */
        wide = y > 0 ? 0x1p128 : -0x1p128;
        if (fabs(exact) > 0x1p128) {
            return 0;
        }
    }
    (void)frexp(exact, &exponent);
    exponent = exponent - 24 < -149 ? -149 : exponent - 24;
    exponent = exponent > 104 ? 104 : exponent;
    return fabs(ldexp(wide - exact, -exponent));
}

int main(int argc, char **argv) {
    const function *chosen = NULL;
    const int64_t step = argc == 3 ? atoll(argv[2]) : 0;
    static float x[BLOCK], y[BLOCK];
    double largest = 0;
    float at = 0;
    int64_t inexact = 0;
    for (int i = 0; i < FUNCTION_COUNT && argc == 3; i++) {
        chosen = strcmp(functions[i].name, argv[1]) == 0 ? &functions[i] : chosen;
    }
    if (chosen == NULL || step < 1) {
        fputs("usage: measure FUNCTION STEP\n", stderr);
        return 2;
    }
    for (int64_t bits = 0; bits <= UINT32_MAX;) {
        int64_t count = 0;
        for (; count < BLOCK && bits <= UINT32_MAX; bits += step) {
            x[count++] = opmill_float_of_bits((uint32_t)bits);
        }
        chosen->loop(OPMILL_FLOAT, opmill_isa_best())(x, y, count);
        for (int64_t i = 0; i < count; i++) {
            const double exact = chosen->reference((double)x[i]);
            const double error = error_of(y[i], exact);
            inexact += error > 0.5;
            if (error > largest) {
                largest = error;
                at = x[i];
            }
        }
    }
    printf("{\"function\": \"%s\", \"step\": %" PRId64 ", \"error\": %.4f, \"at\": \"%a\", "
           "\"not_nearest\": %" PRId64 "}\n",
           chosen->name, step, largest, (double)at, inexact);
    return 0;
}
