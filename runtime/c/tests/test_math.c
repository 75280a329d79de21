/* The elementary functions: the same bits on every machine, instruction set and position; results
 * of float close to what the C library of the machine computes in double; NaNs that pass.
 *
 *     test_math          checks
 *     test_math digests  prints the lines of math_digests.h */
#include <inttypes.h>
#include <stdio.h>

#include "compare.h"
#include "math_functions.h"
#include "opmill/isa.h"
#include "runtime/numbers/half.h"

typedef struct digest {
    const char *name;
    uint64_t of_float, of_double;
} digest;

static const digest DIGESTS[] = {
#include "math_digests.h"
};

enum { COUNT = 1 << 15, DIGEST_COUNT = sizeof DIGESTS / sizeof *DIGESTS };

static uint32_t float_x[COUNT], float_y[COUNT], float_z[COUNT];
static uint64_t double_x[COUNT], double_y[COUNT], double_z[COUNT];

/* Edges first; then any bits, and numbers from 2^-20 to 2^12, in turns. */
static void fill(uint32_t *narrow, uint64_t *wide, uint64_t seed) {
    static const float EDGES[] = {0, 0x1p-149f, 0x1p-126f, 0x1p-28f,        0.5f,    1, 1.5f,
                                  2, 104,       0x1p20f,   0x1.fffffep127f, INFINITY};
    const int edges = sizeof EDGES / sizeof *EDGES;
    for (int i = 0; i < COUNT; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const uint64_t bits = seed ^ seed >> 31;
        if (i < 2 * edges) {
            const float edge = i % 2 == 0 ? EDGES[i / 2] : -EDGES[i / 2];
            const double same = (double)edge;
            memcpy(&narrow[i], &edge, sizeof edge);
            memcpy(&wide[i], &same, sizeof same);
        } else if (i % 2 == 0) {
            narrow[i] = (uint32_t)(bits >> 16);
            wide[i] = bits;
        } else {
            const uint64_t exponent = bits % 32;
            narrow[i] = (uint32_t)(((bits >> 16) & 0x807fffffu) | (exponent + 107) << 23);
            wide[i] = (bits & UINT64_C(0x800fffffffffffff)) | (exponent + 1003) << 52;
        }
    }
}

/* FNV-1a over numbers, whatever the order of their bytes. */
static uint64_t hash(uint64_t value, uint64_t number) {
    for (int byte = 0; byte < 8; byte++) {
        value = (value ^ (number >> 8 * byte & 0xff)) * UINT64_C(0x100000001b3);
    }
    return value;
}

static digest digest_of_results(const char *name) {
    digest result = {name, UINT64_C(0xcbf29ce484222325), UINT64_C(0xcbf29ce484222325)};
    for (int i = 0; i < COUNT; i++) {
        result.of_float = hash(result.of_float, float_z[i]);
        result.of_double = hash(result.of_double, double_z[i]);
    }
    return result;
}

static digest digest_of_function(const function *f, int32_t isa) {
    f->loop(OPMILL_FLOAT, isa)(float_x, float_z, COUNT);
    f->loop(OPMILL_DOUBLE, isa)(double_x, double_z, COUNT);
    return digest_of_results(f->name);
}

static digest digest_of_pow(int32_t isa) {
    opmill_math_pow(OPMILL_FLOAT, isa)(float_x, false, float_y, false, float_z, COUNT);
    opmill_math_pow(OPMILL_DOUBLE, isa)(double_x, false, double_y, false, double_z, COUNT);
    return digest_of_results("pow");
}

static digest digest_with_parameters(const parameter_function *f, int32_t isa) {
    f->loop(OPMILL_FLOAT, isa)(float_x, float_z, COUNT, ALPHA, GAMMA);
    f->loop(OPMILL_DOUBLE, isa)(double_x, double_z, COUNT, ALPHA, GAMMA);
    return digest_of_results(f->name);
}

static void check_digest(digest got) {
    bool found = false;
    for (int i = 0; i < DIGEST_COUNT; i++) {
        if (strcmp(DIGESTS[i].name, got.name) == 0) {
            check(DIGESTS[i].of_float == got.of_float, "the bits of float");
            check(DIGESTS[i].of_double == got.of_double, "the bits of double");
            found = true;
        }
    }
    check(found, "a digest");
}

/* One element alone, and runs of every length, give what a long run gives. */
static void check_positions(const function *f, int32_t isa) {
    uint32_t narrow[70];
    uint64_t wide[70];
    f->loop(OPMILL_FLOAT, isa)(float_x, float_z, COUNT);
    f->loop(OPMILL_DOUBLE, isa)(double_x, double_z, COUNT);
    for (int length = 1, start = 0; length < 70; start += length++) {
        f->loop(OPMILL_FLOAT, isa)(float_x + start, narrow, length);
        f->loop(OPMILL_DOUBLE, isa)(double_x + start, wide, length);
        check(memcmp(narrow, float_z + start, sizeof *narrow * (size_t)length) == 0,
              "float at every position");
        check(memcmp(wide, double_z + start, sizeof *wide * (size_t)length) == 0,
              "double at every position");
    }
}

/* Blocks of usual arguments are computed another way than those with a single unusual one, as long
 * runs here have: each element alone gives the same bits. */
static void check_alone(const function *f, int32_t isa) {
    f->loop(OPMILL_DOUBLE, isa)(double_x, double_z, COUNT);
    f->loop(OPMILL_FLOAT, isa)(float_x, float_z, COUNT);
    for (int i = 0; i < COUNT; i++) {
        uint64_t wide;
        uint32_t narrow;
        f->loop(OPMILL_DOUBLE, isa)(double_x + i, &wide, 1);
        f->loop(OPMILL_FLOAT, isa)(float_x + i, &narrow, 1);
        check(wide == double_z[i], "a double alone");
        check(narrow == float_z[i], "a float alone");
    }
}

static void check_pow_alone(int32_t isa) {
    (void)digest_of_pow(isa);
    for (int i = 0; i < COUNT; i++) {
        uint64_t wide;
        uint32_t narrow;
        opmill_math_pow(OPMILL_DOUBLE, isa)(double_x + i, false, double_y + i, false, &wide, 1);
        opmill_math_pow(OPMILL_FLOAT, isa)(float_x + i, false, float_y + i, false, &narrow, 1);
        check(wide == double_z[i], "a power of double alone");
        check(narrow == float_z[i], "a power of float alone");
    }
}

/* The distance from the exact value in units of the last place; a wrong kind of number is far. */
static double error_of(uint32_t bits, double exact) {
    const float y = opmill_float_of_bits(bits);
    const double wide = isinf(y) ? copysign(0x1p128, (double)y) : (double)y;
    int exponent;
    if (isnan(y) || isnan(exact)) {
        return isnan(y) && isnan(exact) ? 0 : INFINITY;
    }
    if (fabs(exact) >= 0x1p128 || (y == 0 && exact == 0)) {
        return (isinf(y) || y == 0) && !signbit(y) == !signbit(exact) ? 0 : INFINITY;
    }
    (void)frexp(exact, &exponent);
    return fabs(ldexp(wide - exact, exponent < -125 ? 149 : 24 - exponent));
}

/* Judges the results of the last call, of all float_x. */
static void check_accuracy(double (*reference)(double x)) {
    for (int i = 0; i < COUNT; i++) {
        const float x = opmill_float_of_bits(float_x[i]);
        const double error = error_of(float_z[i], reference((double)x));
        check(error <= 1, "an error of at most 1 in the last place");
        if (!(error <= 1)) {
            fail("%a gives %a, %g in the last place away", (double)x,
                 (double)opmill_float_of_bits(float_z[i]), error);
        }
    }
}

static void check_nans(const function *f, int32_t isa) {
    const uint32_t narrow[] = {0x7f800001u, 0xff812345u, 0x7fc00000u, 0xffffffffu};
    const uint64_t wide[] = {UINT64_C(0x7ff0000000000001), UINT64_C(0xfff0123456789abc),
                             UINT64_C(0x7ff8000000000000), UINT64_C(0xffffffffffffffff)};
    uint32_t narrow_y[4];
    uint64_t wide_y[4];
    f->loop(OPMILL_FLOAT, isa)(narrow, narrow_y, 4);
    f->loop(OPMILL_DOUBLE, isa)(wide, wide_y, 4);
    for (int i = 0; i < 4; i++) {
        check(narrow_y[i] == (narrow[i] | 0x00400000u), "the NaN of a float");
        check(wide_y[i] == (wide[i] | UINT64_C(0x0008000000000000)), "the NaN of a double");
    }
}

static void print_digest(digest line) {
    printf("{\"%s\", UINT64_C(0x%016" PRIx64 "), UINT64_C(0x%016" PRIx64 ")},\n", line.name,
           line.of_float, line.of_double);
}

int main(int argc, char **argv) {
    const bool print = argc > 1 && strcmp(argv[1], "digests") == 0;
    fill(float_x, double_x, 1);
    fill(float_y, double_y, 2);
    if (print) {
        for (int i = 0; i < FUNCTION_COUNT; i++) {
            print_digest(digest_of_function(&functions[i], opmill_isa_best()));
        }
        for (int i = 0; i < PARAMETER_FUNCTION_COUNT; i++) {
            print_digest(digest_with_parameters(&parameter_functions[i], opmill_isa_best()));
        }
        print_digest(digest_of_pow(opmill_isa_best()));
        return 0;
    }
    check(DIGEST_COUNT == FUNCTION_COUNT + PARAMETER_FUNCTION_COUNT + 1,
          "a digest for each function");
    for (int32_t isa = 0; isa < 8; isa++) {
        if (!opmill_isa_available(isa)) {
            continue;
        }
        for (int i = 0; i < FUNCTION_COUNT; i++) {
            about("%s, %s", functions[i].name, opmill_isa_name(isa));
            check_digest(digest_of_function(&functions[i], isa));
            check_positions(&functions[i], isa);
            check_alone(&functions[i], isa);
            check_nans(&functions[i], isa);
        }
        for (int i = 0; i < PARAMETER_FUNCTION_COUNT; i++) {
            about("%s, %s", parameter_functions[i].name, opmill_isa_name(isa));
            check_digest(digest_with_parameters(&parameter_functions[i], isa));
        }
        about("pow, %s", opmill_isa_name(isa));
        check_digest(digest_of_pow(isa));
        check_pow_alone(isa);
    }
    for (int i = 0; i < FUNCTION_COUNT; i++) {
        about("%s", functions[i].name);
        (void)digest_of_function(&functions[i], opmill_isa_best());
        check_accuracy(functions[i].reference);
    }
    for (int i = 0; i < PARAMETER_FUNCTION_COUNT; i++) {
        about("%s", parameter_functions[i].name);
        (void)digest_with_parameters(&parameter_functions[i], opmill_isa_best());
        check_accuracy(parameter_functions[i].reference);
    }
    return finish("elementary functions");
}
