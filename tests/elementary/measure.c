/* Measures an elementary function of float, on the best instruction set of this machine.
 *
 *     measure FUNCTION STEP    every STEP-th float, from all of them; 1 takes a minute or two
 *
 * prints the largest error in units of the last place of the exact result, where it occurs, and
 * how many results are not the nearest float. A wrong infinity, zero, sign or NaN is an error
 * without bound. The reference is the machine's C library in double. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "math_functions.h"
#include "opmill/isa.h"
#include "runtime/numbers/half.h"

enum { BLOCK = 4096 };

/* 2^k for a normal result. */
static double power_of_two(int k) {
    const uint64_t bits = (uint64_t)(k + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

/* The distance of y from the exact value in units of the last place of the latter. */
static double error_of(float y, double exact) {
    double wide = (double)y;
    uint64_t bits;
    int unit;
    if (isnan(y) || isnan(exact)) {
        return isnan(y) && isnan(exact) ? 0 : INFINITY;
    }
    if (fabs(exact) >= 0x1p128 || (y == 0 && exact == 0)) {
        return (isinf(y) || y == 0) && !signbit(y) == !signbit(exact) ? 0 : INFINITY;
    }
    if (isinf(y)) { /* the next number, if floats had more exponents */
        wide = y > 0 ? 0x1p128 : -0x1p128;
    }
    memcpy(&bits, &exact, sizeof bits);
    unit = (int)(bits >> 52 & 0x7ff) - 1023 - 23;
    return fabs(wide - exact) * power_of_two(unit < -149 ? 149 : -unit);
}

int main(int argc, char **argv) {
    const function *one = NULL;
    const parameter_function *with = NULL;
    const int64_t step = argc == 3 ? atoll(argv[2]) : 0;
    const int32_t isa = opmill_isa_best();
    static float x[BLOCK], y[BLOCK];
    double largest = 0;
    float at = 0;
    int64_t inexact = 0;
    for (int i = 0; i < FUNCTION_COUNT && argc == 3; i++) {
        one = strcmp(functions[i].name, argv[1]) == 0 ? &functions[i] : one;
    }
    for (int i = 0; i < PARAMETER_FUNCTION_COUNT && argc == 3; i++) {
        with = strcmp(parameter_functions[i].name, argv[1]) == 0 ? &parameter_functions[i] : with;
    }
    if ((one == NULL && with == NULL) || step < 1) {
        fputs("usage: measure FUNCTION STEP\n", stderr);
        return 2;
    }
    double (*const reference)(double) = one != NULL ? one->reference : with->reference;
    for (int64_t bits = 0; bits <= UINT32_MAX;) {
        int64_t count = 0;
        for (; count < BLOCK && bits <= UINT32_MAX; bits += step) {
            x[count++] = opmill_float_of_bits((uint32_t)bits);
        }
        if (one != NULL) {
            one->loop(OPMILL_FLOAT, isa)(x, y, count);
        } else {
            with->loop(OPMILL_FLOAT, isa)(x, y, count, ALPHA, GAMMA);
        }
        for (int64_t i = 0; i < count; i++) {
            const double exact = reference((double)x[i]);
            const double error = error_of(y[i], exact);
            inexact += error > 0.5;
            if (error > largest) {
                largest = error;
                at = x[i];
            }
        }
    }
    printf("{\"step\": %" PRId64 ", \"error\": %.4f, \"at\": \"%a\", \"not_nearest\": %" PRId64
           "}\n",
           step, largest, (double)at, inexact);
    return 0;
}
