/* 8-bit integers in compact kernels: as floats by their scale and zero point, and floats as them in
 * the bits of the loops round_8 of the library. */
#ifndef OPMILL_QUANTIZED_COMPACT_H
#define OPMILL_QUANTIZED_COMPACT_H

#include <stddef.h>
#include <string.h>

#include "opmill/types.h"

typedef struct opmill_compact_target {
    float low, high; /* the range, less the zero point */
    int32_t shift;
} opmill_compact_target;

static inline int32_t opmill_compact_number(const opmill_tensor *numbers, int32_t index) {
    return numbers->type == OPMILL_INT8 ? ((const int8_t *)numbers->data)[index]
                                        : ((const uint8_t *)numbers->data)[index];
}

static inline int32_t opmill_compact_count(const opmill_tensor *tensor) {
    int32_t count = 1;
    for (int32_t i = 0; i < tensor->rank; i++) {
        count *= (int32_t)tensor->dims[i];
    }
    return count;
}

/* `lowest` is the lowest number of the type: -128 or 0. */
static inline opmill_compact_target opmill_compact_range(int32_t lowest, int32_t zero) {
    const int32_t low = lowest - zero;
    const opmill_compact_target target = {(float)low, (float)(low + 255), zero - 0x4b400000};
    return target;
}

/* `type` is int8 or uint8. */
static inline int32_t opmill_compact_lowest(int32_t type) { return type == OPMILL_INT8 ? -128 : 0; }

static inline opmill_compact_target opmill_compact_target_of(int32_t type, int32_t zero) {
    return opmill_compact_range(opmill_compact_lowest(type), zero);
}

/* Adding 1.5 * 2^23 leaves a float no bits for a fraction. A NaN becomes the lowest number. */
static inline uint8_t opmill_compact_round(float number, const opmill_compact_target *target) {
    const float raised = number > target->low ? number : target->low;
    const float moved = (raised < target->high ? raised : target->high) + 0x1.8p23f;
    int32_t bits;
    memcpy(&bits, &moved, sizeof bits);
    return (uint8_t)(bits + target->shift);
}

/* The scale and the zero point of a tensor, and the lowest number of its type: -128 or 0. */
typedef struct opmill_compact_scale {
    float scale;
    int32_t zero, lowest;
} opmill_compact_scale;

/* Elements that are read as DequantizeLinear computes them, with one scale. */
typedef struct opmill_compact_source {
    const uint8_t *from;
    opmill_compact_scale by;
} opmill_compact_source;

static inline opmill_compact_source opmill_compact_source_of(const opmill_tensor *x,
                                                             const opmill_tensor *scale,
                                                             const opmill_tensor *zero) {
    const opmill_compact_source source = {x->data,
                                          {*(const float *)scale->data,
                                           zero != NULL ? opmill_compact_number(zero, 0) : 0,
                                           opmill_compact_lowest(x->type)}};
    return source;
}

static inline float opmill_compact_read(const opmill_compact_source *source, int32_t index) {
    const int32_t bits = source->from[index];
    const int32_t number = source->by.lowest != 0 ? (int8_t)bits : bits;
    return (float)(number - source->by.zero) * source->by.scale;
}

/* Elements that are written as QuantizeLinear computes them, with one scale. */
typedef struct opmill_compact_sink {
    uint8_t *to;
    const opmill_limits *limits; /* of the floats before; or NULL */
    float scale;
    opmill_compact_target target;
} opmill_compact_sink;

static inline opmill_compact_sink opmill_compact_sink_of(const opmill_tensor *y,
                                                         const opmill_tensor *scale,
                                                         const opmill_tensor *zero,
                                                         const opmill_limits *limits) {
    const opmill_compact_sink sink = {
        y->data, limits, *(const float *)scale->data,
        opmill_compact_target_of(y->type, zero != NULL ? opmill_compact_number(zero, 0) : 0)};
    return sink;
}

static inline opmill_compact_sink opmill_compact_sink_by(void *y, const opmill_compact_scale *by,
                                                         const opmill_limits *limits) {
    const opmill_compact_sink sink = {y, limits, by->scale,
                                      opmill_compact_range(by->lowest, by->zero)};
    return sink;
}

static inline void opmill_compact_write(const opmill_compact_sink *sink, int32_t index,
                                        float number) {
    if (sink->limits != NULL) {
        number = sink->limits->low > number ? sink->limits->low : number;
        number = sink->limits->high < number ? sink->limits->high : number;
    }
    sink->to[index] = opmill_compact_round(number / sink->scale, &sink->target);
}

#endif
