/* Vectors of sixteen bytes in GNU C, for what the compiler may assume by default: SSE2 on
 * x86-64, NEON on AArch64. The operations that the kernels' templates use are named here; the
 * headers of other instruction sets have the same names.
 */
#ifndef OPMILL_VECTOR_BASELINE_H
#define OPMILL_VECTOR_BASELINE_H

#include "runtime/numbers/half.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__aarch64__)
#include <arm_neon.h>
#define VECTOR_REGISTERS 32
#else
#define VECTOR_REGISTERS 16
#endif

#define VECTOR_END
#define VECTOR_BYTES 16
#define VECTOR_SUFFIX baseline
enum { F32_LANES = 4, F64_LANES = 2 };
typedef float f32_vector __attribute__((vector_size(16)));
typedef double f64_vector __attribute__((vector_size(16)));
typedef int32_t f32_mask __attribute__((vector_size(16)));
typedef int64_t f64_mask __attribute__((vector_size(16)));

/* Loads and stores need no alignment. */
static inline f32_vector f32_zero(void) { return (f32_vector){0, 0, 0, 0}; }
static inline f32_vector f32_load(const void *p) {
    f32_vector v;
    memcpy(&v, p, sizeof v);
    return v;
}
static inline void f32_store(void *p, f32_vector v) { memcpy(p, &v, sizeof v); }
static inline f32_vector f32_repeat(float x) { return (f32_vector){x, x, x, x}; }
static inline f32_vector f32_add(f32_vector a, f32_vector b) { return a + b; }

/* low > v ? low : v, and high < v ? high : v, which leave a NaN of v as it is. */
static inline f32_vector f32_raised(f32_vector low, f32_vector v) {
    const f32_mask below = low > v;
    return (f32_vector)((below & (f32_mask)low) | (~below & (f32_mask)v));
}
static inline f32_vector f32_lowered(f32_vector high, f32_vector v) {
    const f32_mask above = high < v;
    return (f32_vector)((above & (f32_mask)high) | (~above & (f32_mask)v));
}

/* a * b + c; rounded once where the processor can. */
static inline f32_vector f32_fma(f32_vector a, f32_vector b, f32_vector c) {
#if defined(__aarch64__)
    return (f32_vector)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#else
    return a * b + c;
#endif
}

/* Where v is NaN; either of two such answers; whether it is so anywhere. */
static inline f32_mask f32_nan(f32_vector v) { return v != v; }
static inline f32_mask f32_either(f32_mask a, f32_mask b) { return a | b; }
static inline bool f32_any(f32_mask m) { return (m[0] | m[1] | m[2] | m[3]) != 0; }

/* a0 b0 a1 b1 ..., the first and the second half of it. */
static inline f32_vector f32_zip_low(f32_vector a, f32_vector b) {
    return (f32_vector){a[0], b[0], a[1], b[1]};
}
static inline f32_vector f32_zip_high(f32_vector a, f32_vector b) {
    return (f32_vector){a[2], b[2], a[3], b[3]};
}

/* a0 a2 ... b0 b2 ... */
static inline f32_vector f32_unzip(f32_vector a, f32_vector b) {
    return (f32_vector){a[0], a[2], b[0], b[2]};
}
/* Elements at even and at odd positions in an order that f32_ordered makes that of f32_unzip. */
static inline f32_vector f32_evens(f32_vector a, f32_vector b) { return f32_unzip(a, b); }
static inline f32_vector f32_odds(f32_vector a, f32_vector b) {
    return (f32_vector){a[1], a[3], b[1], b[3]};
}
static inline f32_vector f32_ordered(f32_vector v) { return v; }

/* Lanes [from, to) from memory, zero in the others, 0 <= from, to <= lanes; `count` lanes into
 * memory, 0 < count < lanes. Nothing else is touched. */
static inline f32_vector f32_load_part(const void *p, int64_t from, int64_t to) {
    float lanes[4] = {0, 0, 0, 0};
    if (from < to) {
        memcpy(lanes + from, (const char *)p + from * 4, (size_t)(to - from) * 4);
    }
    return f32_load(lanes);
}
static inline void f32_store_part(void *p, f32_vector v, int64_t count) {
    memcpy(p, &v, (size_t)count * 4);
}

/* The lanes of f32_load_part, for several vectors. */
typedef struct f32_part_lanes {
    int64_t from, to;
} f32_part_lanes;
static inline f32_part_lanes f32_part(int64_t from, int64_t to) {
    return (f32_part_lanes){from, to};
}
static inline f32_vector f32_load_lanes(const void *p, f32_part_lanes lanes) {
    return f32_load_part(p, lanes.from, lanes.to);
}

/* Only the first `used` of each `group` lanes, one after another; groups of four and eight that are
 * smaller than a vector, and more than half of one used. */
static inline f32_vector f32_squeeze(f32_vector v, int group, int64_t used) {
    (void)group; /* never less than a vector */
    (void)used;
    return v;
}

/* Widened on the way in; rounded to the nearest, ties to even, on the way out. */
static inline f32_vector f32_load_float16(const void *p) {
    uint16_t h[4];
    memcpy(h, p, sizeof h);
    return (f32_vector){opmill_float16_to_float(h[0]), opmill_float16_to_float(h[1]),
                        opmill_float16_to_float(h[2]), opmill_float16_to_float(h[3])};
}
static inline void f32_store_float16(void *p, f32_vector v) {
    const uint16_t h[4] = {opmill_float_to_float16(v[0]), opmill_float_to_float16(v[1]),
                           opmill_float_to_float16(v[2]), opmill_float_to_float16(v[3])};
    memcpy(p, h, sizeof h);
}
static inline f32_vector f32_load_bfloat16(const void *p) {
    uint16_t h[4];
    memcpy(h, p, sizeof h);
    return (f32_vector){opmill_bfloat16_to_float(h[0]), opmill_bfloat16_to_float(h[1]),
                        opmill_bfloat16_to_float(h[2]), opmill_bfloat16_to_float(h[3])};
}
static inline void f32_store_bfloat16(void *p, f32_vector v) {
    const uint16_t h[4] = {opmill_float_to_bfloat16(v[0]), opmill_float_to_bfloat16(v[1]),
                           opmill_float_to_bfloat16(v[2]), opmill_float_to_bfloat16(v[3])};
    memcpy(p, h, sizeof h);
}

static inline f64_vector f64_zero(void) { return (f64_vector){0, 0}; }
static inline f64_vector f64_load(const void *p) {
    f64_vector v;
    memcpy(&v, p, sizeof v);
    return v;
}
static inline void f64_store(void *p, f64_vector v) { memcpy(p, &v, sizeof v); }
static inline f64_vector f64_repeat(double x) { return (f64_vector){x, x}; }
static inline f64_vector f64_add(f64_vector a, f64_vector b) { return a + b; }
static inline f64_vector f64_raised(f64_vector low, f64_vector v) {
    const f64_mask below = low > v;
    return (f64_vector)((below & (f64_mask)low) | (~below & (f64_mask)v));
}
static inline f64_vector f64_lowered(f64_vector high, f64_vector v) {
    const f64_mask above = high < v;
    return (f64_vector)((above & (f64_mask)high) | (~above & (f64_mask)v));
}
static inline f64_vector f64_fma(f64_vector a, f64_vector b, f64_vector c) {
#if defined(__aarch64__)
    return (f64_vector)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
#else
    return a * b + c;
#endif
}
static inline f64_mask f64_nan(f64_vector v) { return v != v; }
static inline f64_mask f64_either(f64_mask a, f64_mask b) { return a | b; }
static inline bool f64_any(f64_mask m) { return (m[0] | m[1]) != 0; }
static inline f64_vector f64_zip_low(f64_vector a, f64_vector b) {
    return (f64_vector){a[0], b[0]};
}
static inline f64_vector f64_zip_high(f64_vector a, f64_vector b) {
    return (f64_vector){a[1], b[1]};
}
static inline f64_vector f64_unzip(f64_vector a, f64_vector b) { return (f64_vector){a[0], b[0]}; }
static inline f64_vector f64_evens(f64_vector a, f64_vector b) { return f64_unzip(a, b); }
static inline f64_vector f64_odds(f64_vector a, f64_vector b) { return (f64_vector){a[1], b[1]}; }
static inline f64_vector f64_ordered(f64_vector v) { return v; }

static inline f64_vector f64_load_part(const void *p, int64_t from, int64_t to) {
    double lanes[2] = {0, 0};
    if (from < to) {
        memcpy(lanes + from, (const char *)p + from * 8, (size_t)(to - from) * 8);
    }
    return f64_load(lanes);
}
typedef f32_part_lanes f64_part_lanes;
static inline f64_part_lanes f64_part(int64_t from, int64_t to) { return f32_part(from, to); }
static inline f64_vector f64_load_lanes(const void *p, f64_part_lanes lanes) {
    return f64_load_part(p, lanes.from, lanes.to);
}
static inline void f64_store_part(void *p, f64_vector v, int64_t count) {
    memcpy(p, &v, (size_t)count * 8);
}
static inline f64_vector f64_squeeze(f64_vector v, int group, int64_t used) {
    (void)group;
    (void)used;
    return v;
}

#endif
