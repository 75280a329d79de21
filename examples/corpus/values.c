/* Elements of tensors in memory: their types, their bit patterns and their numbers. */
#include "values.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static const corpus_format FORMATS[] = {
    {"float", 32, 'f', 8, 23, 127, 'i'},
    {"double", 64, 'f', 11, 52, 1023, 'i'},
    {"float16", 16, 'f', 5, 10, 15, 'i'},
    {"bfloat16", 16, 'f', 8, 7, 127, 'i'},
    {"float8e4m3fn", 8, 'f', 4, 3, 7, 'n'},
    {"float8e4m3fnuz", 8, 'f', 4, 3, 8, 'z'},
    {"float8e5m2", 8, 'f', 5, 2, 15, 'i'},
    {"float8e5m2fnuz", 8, 'f', 5, 2, 16, 'z'},
    {"float8e8m0", 8, 'f', 8, 0, 127, 'e'},
    {"float6e2m3", 6, 'f', 2, 3, 1, 'x'},
    {"float6e3m2", 6, 'f', 3, 2, 3, 'x'},
    {"float4e2m1", 4, 'f', 2, 1, 1, 'x'},
    {"complex64", 32, 'c', 8, 23, 127, 'i'},
    {"complex128", 64, 'c', 11, 52, 1023, 'i'},
    {"string", 8 * (int)sizeof(char *), 's', 0, 0, 0, 'x'},
    {"bool", 8, 'i', 0, 0, 0, 'x'},
    {"int2", 2, 'i', 0, 0, 0, 'x'},
    {"uint2", 2, 'i', 0, 0, 0, 'x'},
    {"int4", 4, 'i', 0, 0, 0, 'x'},
    {"uint4", 4, 'i', 0, 0, 0, 'x'},
    {"int8", 8, 'i', 0, 0, 0, 'x'},
    {"uint8", 8, 'i', 0, 0, 0, 'x'},
    {"int16", 16, 'i', 0, 0, 0, 'x'},
    {"uint16", 16, 'i', 0, 0, 0, 'x'},
    {"int32", 32, 'i', 0, 0, 0, 'x'},
    {"uint32", 32, 'i', 0, 0, 0, 'x'},
    {"int64", 64, 'i', 0, 0, 0, 'x'},
    {"uint64", 64, 'i', 0, 0, 0, 'x'},
};

const corpus_format *corpus_format_of(const char *type) {
    for (size_t i = 0; i < sizeof FORMATS / sizeof FORMATS[0]; i++) {
        if (strcmp(type, FORMATS[i].name) == 0)
            return &FORMATS[i];
    }
    return NULL;
}

int corpus_parts(const corpus_format *format) { return format->kind == 'c' ? 2 : 1; }

size_t corpus_bytes(const char *type, int64_t count) {
    const corpus_format *const format = corpus_format_of(type);
    return format == NULL ? 0
                          : ((size_t)count * (size_t)(format->bits * corpus_parts(format)) + 7) / 8;
}

uint64_t corpus_pattern(const void *data, int bits, int64_t index) {
    const unsigned char *const bytes = data;
    uint64_t pattern = 0;
    for (int i = 0; bits < 8 && i < bits; i++) {
        const int64_t bit = index * bits + i;
        pattern |= (uint64_t)(bytes[bit / 8] >> bit % 8 & 1) << i;
    }
    if (bits == 8)
        return bytes[index];
    if (bits == 16)
        return ((const uint16_t *)data)[index];
    if (bits == 32)
        return ((const uint32_t *)data)[index];
    return bits == 64 ? ((const uint64_t *)data)[index] : pattern;
}

void corpus_set_pattern(void *data, int bits, int64_t index, uint64_t pattern) {
    unsigned char *const bytes = data;
    for (int i = 0; bits < 8 && i < bits; i++) {
        const int64_t bit = index * bits + i;
        bytes[bit / 8] = (unsigned char)(bytes[bit / 8] | (pattern >> i & 1) << bit % 8);
    }
    if (bits == 8)
        bytes[index] = (unsigned char)pattern;
    if (bits == 16)
        ((uint16_t *)data)[index] = (uint16_t)pattern;
    if (bits == 32)
        ((uint32_t *)data)[index] = (uint32_t)pattern;
    if (bits == 64)
        ((uint64_t *)data)[index] = pattern;
}

double corpus_number(const corpus_format *f, uint64_t pattern) {
    const uint64_t one = 1, top = (one << f->exponent) - 1, last = (one << f->fraction) - 1;
    const uint64_t fraction = pattern & last, exponent = pattern >> f->fraction & top;
    const bool negative = f->special != 'e' && pattern >> (f->exponent + f->fraction) & 1;
    double size = exponent > 0
                      ? ldexp((double)(last + 1 + fraction), (int)exponent - f->bias - f->fraction)
                      : ldexp((double)fraction, 1 - f->bias - f->fraction);
    if (f->kind == 'i')
        return f->name[0] == 'u'
                   ? (double)pattern
                   : (double)(int64_t)(pattern << (64 - f->bits)) / ldexp(1, 64 - f->bits);
    if (f->special == 'e')
        return pattern == top ? NAN : ldexp(1, (int)pattern - f->bias);
    if (f->special == 'i' && exponent == top)
        size = fraction != 0 ? NAN : INFINITY;
    if (f->special == 'n' && exponent == top && fraction == last)
        size = NAN;
    if (f->special == 'z' && pattern == one << (f->exponent + f->fraction))
        size = NAN;
    return negative ? -size : size;
}

uint64_t corpus_nearest(const corpus_format *f, double number) {
    const uint64_t infinity = ((UINT64_C(1) << f->exponent) - 1) << f->fraction;
    const uint64_t sign =
        f->special != 'e' && signbit(number) ? UINT64_C(1) << (f->exponent + f->fraction) : 0;
    if (isnan(number))
        return infinity | UINT64_C(1) << (f->fraction - 1);
    if (isinf(number))
        return sign | infinity;
    if (number == 0)
        return sign;
    const int lowest = 1 - f->bias, own = ilogb(number), exponent = own < lowest ? lowest : own;
    const double steps = rint(ldexp(fabs(number), f->fraction - exponent));
    const uint64_t size = ((uint64_t)(exponent - lowest) << f->fraction) + (uint64_t)steps;
    return sign | (f->special == 'i' && size > infinity ? infinity : size);
}
