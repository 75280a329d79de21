/* Vectors of one number in standard C, with the operations of vector_baseline.h that kernels for
 * any compiler use: the same loops, one element at a time.
 */
#ifndef OPMILL_VECTOR_PLAIN_H
#define OPMILL_VECTOR_PLAIN_H

#include "runtime/numbers/half.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define VECTOR_REGISTERS 16
#define VECTOR_END
#define VECTOR_SUFFIX plain
enum { F32_LANES = 1, F64_LANES = 1, U32_LANES = 1, U64_LANES = 1, P16_LANES = 1 };

#define VECTOR_OF_ONE(prefix, real)                                                            \
    typedef real prefix##_vector;                                                              \
    static inline real prefix##_zero(void) { return 0; }                                       \
    static inline real prefix##_load(const void *p) {                                          \
        real v;                                                                                \
        memcpy(&v, p, sizeof v);                                                               \
        return v;                                                                              \
    }                                                                                          \
    static inline void prefix##_store(void *p, real v) { memcpy(p, &v, sizeof v); }            \
    static inline real prefix##_repeat(real x) { return x; }                                   \
    static inline real prefix##_add(real a, real b) { return a + b; }                          \
    static inline real prefix##_raised(real low, real v) { return low > v ? low : v; }         \
    static inline real prefix##_lowered(real high, real v) { return high < v ? high : v; }     \
    static inline real prefix##_fma(real a, real b, real c) { return a * b + c; }              \
    static inline real prefix##_load_part(const void *p, int64_t from, int64_t to) {           \
        return from < to ? prefix##_load(p) : 0;                                               \
    }                                                                                          \
    typedef bool prefix##_part_lanes; /* whether there is one */                               \
    static inline bool prefix##_part(int64_t from, int64_t to) { return from < to; }           \
    static inline real prefix##_load_lanes(const void *p, bool is_there) {                     \
        return is_there ? prefix##_load(p) : 0;                                                \
    }                                                                                          \
    static inline void prefix##_store_part(void *p, real v, int64_t count) {                   \
        (void)count;                                                                           \
        prefix##_store(p, v);                                                                  \
    }                                                                                          \
    static inline real prefix##_unzip(real a, real b) {                                        \
        (void)b;                                                                               \
        return a;                                                                              \
    }                                                                                          \
    static inline real prefix##_evens(real a, real b) {                                        \
        (void)b;                                                                               \
        return a;                                                                              \
    }                                                                                          \
    static inline real prefix##_odds(real a, real b) {                                         \
        (void)a;                                                                               \
        return b;                                                                              \
    }                                                                                          \
    static inline real prefix##_ordered(real v) { return v; }                                  \
    static inline real prefix##_zip_low(real a, real b) {                                      \
        (void)b;                                                                               \
        return a;                                                                              \
    }                                                                                          \
    static inline real prefix##_zip_high(real a, real b) {                                     \
        (void)a;                                                                               \
        return b;                                                                              \
    }
VECTOR_OF_ONE(f32, float)
VECTOR_OF_ONE(f64, double)
VECTOR_OF_ONE(u32, uint32_t)
VECTOR_OF_ONE(u64, uint64_t)
#undef VECTOR_OF_ONE

typedef uint32_t p16_vector;
#define p16_zero u32_zero
#define p16_load u32_load
#define p16_store u32_store
#define p16_repeat u32_repeat
#define p16_zip_low u32_zip_low
#define p16_zip_high u32_zip_high
static inline uint32_t p16_fma(uint32_t a, uint32_t b, uint32_t c) {
    const uint32_t sign = 0x8000u;
    const uint32_t low = (((a & 0xffffu) ^ sign) - sign) * (((b & 0xffffu) ^ sign) - sign);
    return c + low + ((a >> 16 ^ sign) - sign) * ((b >> 16 ^ sign) - sign);
}

static inline float f32_load_float16(const void *p) {
    uint16_t half;
    memcpy(&half, p, sizeof half);
    return opmill_float16_to_float(half);
}
static inline void f32_store_float16(void *p, float v) {
    const uint16_t half = opmill_float_to_float16(v);
    memcpy(p, &half, sizeof half);
}
static inline float f32_load_bfloat16(const void *p) {
    uint16_t half;
    memcpy(&half, p, sizeof half);
    return opmill_bfloat16_to_float(half);
}
static inline void f32_store_bfloat16(void *p, float v) {
    const uint16_t half = opmill_float_to_bfloat16(v);
    memcpy(p, &half, sizeof half);
}

#endif
