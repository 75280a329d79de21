/* Table of the types' names and sizes, and access to elements as numbers or bits, independent of
 * the library under test. */
#include "values.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "opmill/types.h"

static const struct {
    const char *name;
    int bits;
} TYPES[] = {
    {"undefined", 0},      {"float", 32},       {"uint8", 8},          {"int8", 8},
    {"uint16", 16},        {"int16", 16},       {"int32", 32},         {"int64", 64},
    {"string", 0},         {"bool", 8},         {"float16", 16},       {"double", 64},
    {"uint32", 32},        {"uint64", 64},      {"complex64", 64},     {"complex128", 128},
    {"bfloat16", 16},      {"float8e4m3fn", 8}, {"float8e4m3fnuz", 8}, {"float8e5m2", 8},
    {"float8e5m2fnuz", 8}, {"uint4", 4},        {"int4", 4},           {"float4e2m1", 4},
    {"float8e8m0", 8},     {"uint2", 2},        {"int2", 2},           {"float6e2m3", 6},
    {"float6e3m2", 6},
};

enum { TYPE_COUNT = sizeof TYPES / sizeof TYPES[0] };

bool type_has_items(int32_t type) { return type >= OPMILL_SEQUENCE; }

int32_t type_element(int32_t type) { return type > 0 ? type % OPMILL_SEQUENCE : type; }

int32_t type_form(int32_t type) { return type - type_element(type); }

const char *type_name(int32_t type) {
    static const char *const OPEN[] = {"%s", "seq", "optional", "optional(seq)"};
    static const char *const FORMS[] = {"%s",
                                        "seq(tensor(%s))",
                                        "optional(tensor(%s))",
                                        "optional(seq(tensor(%s)))",
                                        "map(int64, %s)",
                                        "seq(map(int64, %s))",
                                        NULL,
                                        NULL,
                                        "map(string, %s)",
                                        "seq(map(string, %s))"};
    static char names[sizeof FORMS / sizeof FORMS[0]][TYPE_COUNT][48];
    const int32_t form = type_form(type) / OPMILL_SEQUENCE, element = type_element(type);
    char *const name = names[form][element];
    if (form == 0) {
        return TYPES[type].name;
    }
    if (element == OPMILL_UNDEFINED) {
        return OPEN[form];
    }
    const char *const gap = strchr(FORMS[form], '%');
    snprintf(name, sizeof names[0][0], "%.*s%s%s", (int)(gap - FORMS[form]), FORMS[form],
             TYPES[element].name, gap + 2);
    return name;
}

size_t type_bytes(int32_t type, int64_t count) {
    if (type == OPMILL_STRING) {
        return (size_t)count * sizeof(const char *);
    }
    if (type_has_items(type)) {
        return (size_t)count * sizeof(const opmill_tensor *);
    }
    return ((size_t)count * (size_t)TYPES[type].bits + 7) / 8;
}

int type_parts(int32_t type) {
    return type == OPMILL_COMPLEX64 || type == OPMILL_COMPLEX128 ? 2 : 1;
}

int64_t count_of(const int64_t *dims, int32_t rank) {
    int64_t count = 1;
    for (int32_t i = 0; i < rank; i++) {
        if (dims[i] == 0) {
            return 0;
        }
    }
    for (int32_t i = 0; i < rank; i++) {
        count *= dims[i];
    }
    return count;
}

bool fits_memory(const int64_t *dims, int32_t rank, int32_t type) {
    double bytes = (double)type_bytes(type, 1);
    for (int32_t i = 0; i < rank; i++) {
        bytes *= dims[i] != 0 ? (double)dims[i] : 1;
    }
    return bytes <= (double)PTRDIFF_MAX;
}

/* The pattern of a format with so many bits of exponent and fraction, 16 in all. */
static uint16_t nearest(double value, int exponent_bits, int fraction_bits) {
    const int lowest = 2 - (1 << (exponent_bits - 1));
    const unsigned infinity = ((1u << exponent_bits) - 1) << fraction_bits;
    const unsigned sign = signbit(value) ? 0x8000u : 0;
    int exponent;
    double steps, whole;
    if (isnan(value)) {
        return (uint16_t)(sign | infinity | 1u << (fraction_bits - 1));
    }
    if (isinf(value)) {
        return (uint16_t)(sign | infinity);
    }
    (void)frexp(value, &exponent); /* |value| lies in [2^(exponent - 1), 2^exponent) */
    exponent = value == 0 || exponent - 1 < lowest ? lowest : exponent - 1;
    if (exponent > -lowest + 1) {
        return (uint16_t)(sign | infinity);
    }
    steps = ldexp(fabs(value), fraction_bits - exponent);
    whole = floor(steps);
    if (steps - whole > 0.5 || (steps - whole == 0.5 && fmod(whole, 2) != 0)) {
        whole += 1;
    }
    return (uint16_t)(sign | (((unsigned)(exponent - lowest) << fraction_bits) + (unsigned)whole));
}

static double value_of(uint16_t half, int exponent_bits, int fraction_bits) {
    const int field = half >> fraction_bits & ((1 << exponent_bits) - 1);
    const int fraction = half & ((1 << fraction_bits) - 1);
    const double sign = half & 0x8000u ? -1 : 1;
    if (field == (1 << exponent_bits) - 1) {
        return fraction != 0 ? (double)NAN : sign * (double)INFINITY;
    }
    const int lowest = 2 - (1 << (exponent_bits - 1));
    const int whole = field == 0 ? fraction : fraction + (1 << fraction_bits);
    return sign * ldexp(whole, (field == 0 ? 0 : field - 1) + lowest - fraction_bits);
}

uint16_t nearest_float16(double value) { return nearest(value, 5, 10); }
uint16_t nearest_bfloat16(double value) { return nearest(value, 8, 7); }
double value_of_float16(uint16_t half) { return value_of(half, 5, 10); }
double value_of_bfloat16(uint16_t half) { return value_of(half, 8, 7); }

double get_real(const void *data, int32_t type, int64_t part) {
    switch (type) {
    case OPMILL_FLOAT16:
        return value_of_float16(((const uint16_t *)data)[part]);
    case OPMILL_BFLOAT16:
        return value_of_bfloat16(((const uint16_t *)data)[part]);
    case OPMILL_FLOAT:
    case OPMILL_COMPLEX64:
        return (double)((const float *)data)[part];
    case OPMILL_INT32:
        return (double)((const int32_t *)data)[part];
    case OPMILL_INT64:
        return (double)((const int64_t *)data)[part];
    default:
        return ((const double *)data)[part];
    }
}

void set_real(void *data, int32_t type, int64_t part, double value) {
    switch (type) {
    case OPMILL_FLOAT16:
        ((uint16_t *)data)[part] = nearest_float16(value);
        break;
    case OPMILL_BFLOAT16:
        ((uint16_t *)data)[part] = nearest_bfloat16(value);
        break;
    case OPMILL_FLOAT:
    case OPMILL_COMPLEX64:
        ((float *)data)[part] = (float)value;
        break;
    default:
        ((double *)data)[part] = value;
        break;
    }
}

/* The pattern of the largest number up to |value| in a format of 8 bits or less: for whole numbers
 * that the format has, that number. */
static uint64_t small_pattern(int32_t type, int64_t value) {
    static const struct {
        int fraction_bits, bias;
    } FORMATS[] = {
        [OPMILL_FLOAT8E4M3FN] = {3, 7}, [OPMILL_FLOAT8E4M3FNUZ] = {3, 8},
        [OPMILL_FLOAT8E5M2] = {2, 15},  [OPMILL_FLOAT8E5M2FNUZ] = {2, 16},
        [OPMILL_FLOAT8E8M0] = {0, 127}, [OPMILL_FLOAT4E2M1] = {1, 1},
        [OPMILL_FLOAT6E2M3] = {3, 1},   [OPMILL_FLOAT6E3M2] = {2, 3},
    };
    const int fraction = FORMATS[type].fraction_bits, bias = FORMATS[type].bias;
    const uint64_t sign = value < 0 ? UINT64_C(1) << (TYPES[type].bits - 1) : 0;
    const double size = fabs((double)value);
    uint64_t pattern = 0;
    if (size == 0) {
        return 0;
    }
    for (uint64_t next = 1; next < UINT64_C(1) << (TYPES[type].bits - 1); next++) {
        const int field = (int)(next >> fraction), rest = (int)next & ((1 << fraction) - 1);
        const int whole = field == 0 ? rest : rest + (1 << fraction);
        if (ldexp(whole, (field == 0 ? 1 : field) - bias - fraction) <= size) {
            pattern = next;
        }
    }
    return type == OPMILL_FLOAT8E8M0 ? (uint64_t)(127 + ilogb(size)) : sign | pattern;
}

void set_whole(void *data, int32_t type, int64_t index, int64_t value) {
    switch (type) {
    case OPMILL_FLOAT16:
    case OPMILL_BFLOAT16:
    case OPMILL_FLOAT:
    case OPMILL_DOUBLE:
        set_real(data, type, index, (double)value);
        break;
    case OPMILL_COMPLEX64:
    case OPMILL_COMPLEX128:
        set_real(data, type, 2 * index, (double)value);
        set_real(data, type, 2 * index + 1, 0);
        break;
    case OPMILL_BOOL:
        ((uint8_t *)data)[index] = value != 0;
        break;
    case OPMILL_FLOAT8E4M3FN:
    case OPMILL_FLOAT8E4M3FNUZ:
    case OPMILL_FLOAT8E5M2:
    case OPMILL_FLOAT8E5M2FNUZ:
    case OPMILL_FLOAT8E8M0:
    case OPMILL_FLOAT4E2M1:
    case OPMILL_FLOAT6E2M3:
    case OPMILL_FLOAT6E3M2:
        set_bits(data, type, index, small_pattern(type, value));
        break;
    default:
        set_bits(data, type, index, (uint64_t)value);
        break;
    }
}

void set_bits(void *data, int32_t type, int64_t part, uint64_t pattern) {
    switch (TYPES[type].bits / type_parts(type)) {
    case 8:
        ((uint8_t *)data)[part] = (uint8_t)pattern;
        break;
    case 16:
        ((uint16_t *)data)[part] = (uint16_t)pattern;
        break;
    case 32:
        ((uint32_t *)data)[part] = (uint32_t)pattern;
        break;
    case 64:
        ((uint64_t *)data)[part] = pattern;
        break;
    default: /* below a byte: packed, the first element in the lowest bits */
        for (int64_t i = 0; i < TYPES[type].bits; i++) {
            const int64_t bit = part * TYPES[type].bits + i;
            uint8_t *const byte = (uint8_t *)data + bit / 8;
            const uint8_t mask = (uint8_t)(1u << bit % 8);
            *byte = (uint8_t)((*byte & ~mask) | (pattern >> i & 1 ? mask : 0));
        }
        break;
    }
}
