/* Numbers in messages, which the library writes without printf: as "%.9g" of this machine's printf
 * writes them, for doubles of every exponent, halves of the last digit and random bits. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "compare.h"
#include "runtime/call/message.h"

static const char *written(double value, opmill_context *context) {
    opmill_message message = opmill_contents_begin(context);
    opmill_put_float(&message, value);
    return context->error.message;
}

static void check_value(double value) {
    opmill_context context = OPMILL_CONTEXT_INIT;
    char expected[64];
    snprintf(expected, sizeof expected, "%.9g", value);
    const char *got = written(value, &context);
    about("%a", value);
    check(strcmp(got, expected) == 0, "the text of printf");
    if (strcmp(got, expected) != 0) {
        fail("'%s', expected '%s'", got, expected);
    }
}

static void check_text(double value, const char *expected) {
    opmill_context context = OPMILL_CONTEXT_INIT;
    about("%s", expected);
    check(strcmp(written(value, &context), expected) == 0, "the text");
}

int main(void) {
    static const float tenth = 0.1f; /* an object: constants may have more bits on 32-bit x86 */
    check_text((double)NAN, "nan");
    check_text(-(double)NAN, "nan");
    check_text((double)INFINITY, "inf");
    check_text(-(double)INFINITY, "-inf");
    check_text(0.0, "0");
    check_text(-0.0, "-0");
    check_text(1.5, "1.5");
    check_text(-0.0001, "-0.0001");
    check_text(0.00001, "1e-05");
    check_text(123456789.0, "123456789");
    check_text(999999999.5, "1e+09");
    check_text(1e100, "1e+100");
    check_text((double)tenth, "0.100000001");

    for (int power = -1074; power < 1024; power++) {
        const double value = ldexp(1.0, power);
        check_value(value);
        check_value(-1.9999999999999998 * value);
        check_value(nextafter(value, 0.0));
    }
    /* Nine digits and a half, which rounds to even, and its neighbours. */
    for (int i = 0; i < 2000; i++) {
        const double half = 123456000.5 + i;
        check_value(half);
        check_value(nextafter(half, 0.0));
        check_value(nextafter(half, 1e9));
        check_value(half * 1048576);
    }
    uint64_t bits = 0x9e3779b97f4a7c15;
    for (int i = 0; i < 40000; i++) {
        double value;
        bits ^= bits << 13;
        bits ^= bits >> 7;
        bits ^= bits << 17;
        memcpy(&value, &bits, sizeof value);
        if (i % 2 == 0) { /* a number that a message may well contain */
            value = (double)(int64_t)(bits >> 40) / 1e5;
        }
        if (!isnan(value)) {
            check_value(value);
        }
    }
    return finish("numbers in messages");
}
