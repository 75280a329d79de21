/* The conversions of 16-bit floats: all 65,536 patterns to float and back, both paths, and the
 * rounding of every pattern's neighbourhood, judged by arithmetic on numbers. */
#include <math.h>
#include <stdio.h>

#include "compare.h"
#include "runtime/numbers/half.h"
#include "values.h"

typedef struct format {
    const char *name;
    double (*value_of)(uint16_t);
    uint16_t (*nearest)(double);
    float (*widen)(uint16_t);
    uint16_t (*narrow)(float);
    uint16_t infinity, quiet;
    int fraction_bits;
} format;

static const format FORMATS[] = {
    {"float16, standard C", value_of_float16, nearest_float16, opmill_float16_to_float_standard,
     opmill_float_to_float16_standard, 0x7c00, 0x200, 10},
    {"float16", value_of_float16, nearest_float16, opmill_float16_to_float, opmill_float_to_float16,
     0x7c00, 0x200, 10},
    {"bfloat16", value_of_bfloat16, nearest_bfloat16, opmill_bfloat16_to_float,
     opmill_float_to_bfloat16, 0x7f80, 0x40, 7},
};

/* The float itself, its neighbours, and what lies halfway to the next pattern. */
static void check_rounding(const format *f, uint16_t pattern) {
    const float here = f->widen(pattern), next = f->widen((uint16_t)(pattern + 1));
    const float middle = (float)(((double)here + (double)next) / 2);
    const float tried[] = {here,   nextafterf(here, INFINITY),   nextafterf(here, -INFINITY),
                           middle, nextafterf(middle, INFINITY), nextafterf(middle, -INFINITY)};
    for (int i = 0; i < 6; i++) {
        const uint16_t got = f->narrow(tried[i]), wanted = f->nearest((double)tried[i]);
        check(got == wanted || isnan(tried[i]), "the nearest pattern");
        if (got != wanted && !isnan(tried[i])) {
            fail("%.9g becomes 0x%04x, expected 0x%04x", (double)tried[i], got, wanted);
        }
    }
}

int main(void) {
#if OPMILL_GNU && defined(__F16C__)
    if (!__builtin_cpu_supports("avx2")) { /* none has it without F16C */
        puts("no F16C here: not run");
        return 77;
    }
#endif
    for (size_t i = 0; i < sizeof FORMATS / sizeof FORMATS[0]; i++) {
        const format *const f = &FORMATS[i];
        for (unsigned pattern = 0; pattern <= 0xffff; pattern++) {
            const uint16_t half = (uint16_t)pattern;
            const float wide = f->widen(half);
            const double value = f->value_of(half);
            about("%s 0x%04x", f->name, pattern);
            if (isnan(value)) {
                check(isnan(wide), "a NaN stays one");
                check(f->narrow(wide) == (half | f->quiet), "a NaN keeps sign and payload");
                continue;
            }
            check((double)wide == value && !signbit(wide) == !signbit(value), "the value");
            check(f->narrow(wide) == half, "there and back");
            if ((half & 0x7fff) < f->infinity) {
                check_rounding(f, half);
            }
        }
    }
    for (unsigned pattern = 0; pattern <= 0xffff; pattern++) {
        about("float16 0x%04x", pattern);
        check(opmill_float_bits(opmill_float16_to_float((uint16_t)pattern)) ==
                  opmill_float_bits(opmill_float16_to_float_standard((uint16_t)pattern)),
              "both paths agree");
    }
    /* Two roundings would differ: the float just above a tie must not become the tie first. */
    for (unsigned high = 0; high <= 0xffff; high++) {
        for (unsigned low = 0; low < 3; low++) {
            static const unsigned LOW[] = {0x0001, 0x8000, 0xffff};
            const float value = opmill_float_of_bits(high << 16 | LOW[low]);
            about("float bits %04x%04x", high, LOW[low]);
            check(opmill_float_to_float16(value) == opmill_float_to_float16_standard(value),
                  "both paths agree");
            if (!isnan(value)) {
                check(opmill_float_to_float16(value) == nearest_float16((double)value),
                      "the nearest float16");
                check(opmill_float_to_bfloat16(value) == nearest_bfloat16((double)value),
                      "the nearest bfloat16");
            }
        }
    }
    return finish("all patterns of float16 and bfloat16");
}
