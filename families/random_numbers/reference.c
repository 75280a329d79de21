/* Each element by itself: the rounds of Philox4x32-10 for its block alone, and for a normal number
 * a bisection of the distribution. */
#include <math.h>
#include <string.h>

#include "reference.h"
#include "values.h"

static uint32_t word_of(uint32_t seed, uint64_t number) {
    uint32_t c[4] = {(uint32_t)(number / 4), (uint32_t)(number / 4 >> 32), 0, 0};
    uint32_t key[2] = {seed, 0};
    for (int round = 0; round < 10; round++) {
        const uint64_t p = (uint64_t)c[0] * 0xd2511f53u, q = (uint64_t)c[2] * 0xcd9e8d57u;
        const uint32_t next[4] = {(uint32_t)(q >> 32) ^ c[1] ^ key[0], (uint32_t)q,
                                  (uint32_t)(p >> 32) ^ c[3] ^ key[1], (uint32_t)p};
        memcpy(c, next, sizeof c);
        key[0] += 0x9e3779b9u;
        key[1] += 0xbb67ae85u;
    }
    return c[number % 4];
}

/* The number whose distance below zero or above it leaves a tail of the probability `tail`. */
static double distance_of(double tail) {
    double near = 0, far = 10;
    for (int i = 0; i < 80; i++) {
        const double middle = (near + far) / 2;
        if (erfc(middle / sqrt(2)) / 2 > tail) {
            near = middle;
        } else {
            far = middle;
        }
    }
    return near;
}

static double parameter(const opmill_operator *operator, const void *attributes, const char *name,
                        double absent) {
    const float *const given = attribute_of(operator, attributes, name);
    return given == NULL ? absent : (double)*given;
}

/* A number as an element holds it. */
static double of_type(double number, int32_t type) {
    switch (type) {
    case OPMILL_DOUBLE:
        return number;
    case OPMILL_FLOAT:
        return (double)(float)number;
    case OPMILL_FLOAT16:
        return value_of_float16(nearest_float16((double)(float)number));
    default:
        return value_of_bfloat16(nearest_bfloat16((double)(float)number));
    }
}

/* The element before another one, which is at most `end` less its spacing above. */
static double before(double end, int32_t type) {
    double step = end == 0 ? 0x1p-1074 : fabs(end) * 0x1p-60;
    while (of_type(end - step, type) >= end) {
        step *= 2;
    }
    return of_type(end - step, type);
}

void reference_random_numbers(const opmill_operator *operator, const opmill_tensor *const *inputs,
                              int32_t input_count, const void *attributes,
                              const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const y = outputs[0];
    const bool normal = strcmp(family_parameter(operator, "distribution"), "normal") == 0;
    const bool wide = y->type == OPMILL_DOUBLE;
    const float seed = (float)parameter(operator, attributes, "seed", 0);
    const double low = of_type(normal ? 0 : parameter(operator, attributes, "low", 0), y->type);
    const double high = of_type(normal ? 0 : parameter(operator, attributes, "high", 1), y->type);
    uint32_t key;
    (void)inputs;
    (void)input_count;
    (void)output_count;
    memcpy(&key, &seed, sizeof key);
    for (int64_t i = 0; i < count_of(y->dims, y->rank); i++) {
        const uint64_t at = (uint64_t)i;
        const uint64_t whole = wide
                                   ? (uint64_t)word_of(key, 2 * at) << 32 | word_of(key, 2 * at + 1)
                                   : (uint64_t)word_of(key, at) << 32;
        if (normal) {
            /* An odd number of 53 or 33 bits. */
            const int bits = wide ? 52 : 32;
            const double odd = (double)((whole >> (64 - bits)) * 2 + 1) * ldexp(1, -bits - 1);
            const double size = odd < 0.5 ? -distance_of(odd) : distance_of(1 - odd);
            const double mean = parameter(operator, attributes, "mean", 0);
            const double scale = parameter(operator, attributes, "scale", 1);
            set_real(y->data, y->type, i, of_type(mean + scale * size, y->type));
        } else {
            const double share = (double)(whole >> 11) * 0x1p-53;
            const double product = share * (high - low);
            const double sum = of_type(low + product, y->type);
            set_real(y->data, y->type, i, sum < high || low == high ? sum : before(high, y->type));
        }
    }
}
