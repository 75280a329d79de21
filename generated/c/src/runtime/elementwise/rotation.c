/* Rotation of pairs, in float. */
#include "runtime/elementwise/rotation.h"

#include <string.h>

#include "runtime/numbers/elements.h"
#include "runtime/numbers/halves.h"
#include "runtime/platform/platform.h"

enum { BLOCK = OPMILL_ON_STACK(256, 64) }; /* pairs that are widened at a time */

static void rotate_halves(const float *restrict c, const float *restrict s,
                          const float *restrict x1, const float *restrict x2, float *restrict y1,
                          float *restrict y2, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        y1[i] = c[i] * x1[i] - s[i] * x2[i];
        y2[i] = s[i] * x1[i] + c[i] * x2[i];
    }
}

static void rotate_neighbours(const float *restrict c, const float *restrict s,
                              const float *restrict x, float *restrict y, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        const float first = x[2 * i], second = x[2 * i + 1];
        y[2 * i] = c[i] * first - s[i] * second;
        y[2 * i + 1] = s[i] * first + c[i] * second;
    }
}

static void widen(int32_t type, const uint16_t *from, float *to, int count) {
    if (type == OPMILL_FLOAT16) {
        opmill_float16_widen_baseline(from, to, count);
    } else {
        opmill_bfloat16_widen_baseline(from, to, count);
    }
}

static void narrow(int32_t type, const float *from, uint16_t *to, int count) {
    if (type == OPMILL_FLOAT16) {
        opmill_float16_narrow_baseline(from, to, count);
    } else {
        opmill_bfloat16_narrow_baseline(from, to, count);
    }
}

/* The pairs of one head in float. */
static void rotate_floats(const opmill_rotation *rotation, int64_t row, const float *x, float *y) {
    const int64_t pairs = rotation->pairs;
    const float *const c = (const float *)rotation->cosine + row * pairs;
    const float *const s = (const float *)rotation->sine + row * pairs;
    if (rotation->interleaved) {
        rotate_neighbours(c, s, x, y, pairs);
    } else {
        rotate_halves(c, s, x, x + pairs, y, y + pairs, pairs);
    }
}

/* A block of pairs of every head of a token, in one of the 16-bit types. */
static void rotate_block(const opmill_rotation *rotation, int64_t row, const uint16_t *from,
                         int64_t from_step, uint16_t *to, int64_t to_step, int64_t begin,
                         int count) {
    const int32_t type = rotation->type;
    const int64_t pairs = rotation->pairs;
    float c[BLOCK], s[BLOCK], x[2 * BLOCK], y[2 * BLOCK];
    widen(type, (const uint16_t *)rotation->cosine + row * pairs + begin, c, count);
    widen(type, (const uint16_t *)rotation->sine + row * pairs + begin, s, count);
    for (int64_t i = 0; i < rotation->heads; i++, from += from_step, to += to_step) {
        if (rotation->interleaved) {
            widen(type, from + 2 * begin, x, 2 * count);
            rotate_neighbours(c, s, x, y, count);
            narrow(type, y, to + 2 * begin, 2 * count);
        } else {
            widen(type, from + begin, x, count);
            widen(type, from + pairs + begin, x + BLOCK, count);
            rotate_halves(c, s, x, x + BLOCK, y, y + BLOCK, count);
            narrow(type, y, to + begin, count);
            narrow(type, y + BLOCK, to + pairs + begin, count);
        }
    }
}

void opmill_rotate(const opmill_rotation *rotation, int64_t row, const void *from,
                   int64_t from_step, void *to, int64_t to_step) {
    const int64_t rotated = 2 * rotation->pairs, bytes = opmill_type_bytes(rotation->type);
    if (rotation->type == OPMILL_FLOAT) {
        for (int64_t i = 0; i < rotation->heads; i++) {
            rotate_floats(rotation, row, (const float *)from + i * from_step,
                          (float *)to + i * to_step);
        }
    } else {
        for (int64_t begin = 0; begin < rotation->pairs; begin += BLOCK) {
            const int64_t left = rotation->pairs - begin;
            rotate_block(rotation, row, from, from_step, to, to_step, begin,
                         (int)(left < BLOCK ? left : BLOCK));
        }
    }
    for (int64_t i = 0; i < rotation->heads && rotated < rotation->size; i++) {
        memcpy((char *)to + (i * to_step + rotated) * bytes,
               (const char *)from + (i * from_step + rotated) * bytes,
               (size_t)((rotation->size - rotated) * bytes));
    }
}
