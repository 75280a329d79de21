/* Casts, compact. */
#include "families/cast/compact.h"

#include "runtime/numbers/half.h"

/* The power of two by which the fraction of a float, taken for a whole number, is multiplied. */
static int32_t power_of(float x) { return (int32_t)(opmill_float_bits(x) >> 23 & 0xff) - 150; }

/* The magnitude of a float that is a whole number, modulo 2^64; 0 for infinities and NaN. */
static uint64_t size_of(float x, int32_t power) {
    const uint64_t fraction = (opmill_float_bits(x) & 0x7fffffu) | 0x800000u;
    return power < 64 ? fraction << power : 0;
}

/* The low bits of a number without its fraction; below 2^31 and 2^63 the processor converts it. */
static uint32_t low_bits_32(float x) {
    const int32_t power = power_of(x);
    if (power < 8) {
        return (uint32_t)(int32_t)x;
    }
    const uint32_t size = (uint32_t)size_of(x, power);
    return x < 0 ? 0 - size : size;
}

static uint64_t low_bits_64(float x) {
    const int32_t power = power_of(x);
    if (power < 40) {
        return (uint64_t)(int64_t)x;
    }
    const uint64_t size = size_of(x, power);
    return x < 0 ? 0 - size : size;
}

#define DEFINE(name, from, to, result)                                            \
    void opmill_cast_compact_##name(const void *given, void *y,                   \
                                    const opmill_cast_compact_plan *plan) {       \
        for (int32_t i = 0; i < plan->count; i++) {                               \
            const from x = ((const from *)given)[i];                              \
            ((to *)y)[i] = (to)(result);                                          \
        }                                                                         \
    }

#define DEFINE_ALL(name, from, LOW_32, LOW_64)        \
    DEFINE(name##_bool, from, uint8_t, x != 0)        \
    DEFINE(name##_float, from, float, x)              \
    DEFINE(name##_int32, from, uint32_t, LOW_32(x))   \
    DEFINE(name##_int64, from, uint64_t, LOW_64(x))   \
    DEFINE(name##_int8, from, uint8_t, LOW_32(x))     \
    DEFINE(name##_uint8, from, uint8_t, LOW_32(x))

DEFINE_ALL(bool, uint8_t, , )
DEFINE_ALL(float, float, low_bits_32, low_bits_64)
DEFINE_ALL(int32, int32_t, , )
DEFINE_ALL(int64, int64_t, , )
DEFINE_ALL(int8, int8_t, , )
DEFINE_ALL(uint8, uint8_t, , )
