/* Combines an element with an update by name of the reduction: integers as 64-bit patterns, floats
 * as doubles, complex numbers by parts. Declared in combine.h. */
#include "combine.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "reference.h"
#include "values.h"

static bool is_real(int32_t type) {
    return type == OPMILL_FLOAT || type == OPMILL_DOUBLE || type == OPMILL_FLOAT16 ||
           type == OPMILL_BFLOAT16;
}

static bool is_signed(int32_t type) {
    return type == OPMILL_INT8 || type == OPMILL_INT16 || type == OPMILL_INT32 ||
           type == OPMILL_INT64;
}

/* An integer's pattern, extended to 64 bits. */
static uint64_t get_integer(const opmill_tensor *tensor, int64_t index) {
    const size_t bytes = type_bytes(tensor->type, 1);
    const unsigned char *const at = (const unsigned char *)tensor->data + (size_t)index * bytes;
    uint8_t narrow;
    uint16_t half;
    uint32_t word;
    uint64_t wide;
    switch (bytes) {
    case 1:
        memcpy(&narrow, at, sizeof narrow);
        return is_signed(tensor->type) ? (uint64_t)(int64_t)(int8_t)narrow : narrow;
    case 2:
        memcpy(&half, at, sizeof half);
        return is_signed(tensor->type) ? (uint64_t)(int64_t)(int16_t)half : half;
    case 4:
        memcpy(&word, at, sizeof word);
        return is_signed(tensor->type) ? (uint64_t)(int64_t)(int32_t)word : word;
    default:
        memcpy(&wide, at, sizeof wide);
        return wide;
    }
}

static bool is_less(uint64_t a, uint64_t b, int32_t type) {
    return is_signed(type) ? (int64_t)a < (int64_t)b : a < b;
}

/* A double holds the sum and the product of two shorter floats closely enough to be rounded again.
 */
static void combine_reals(const opmill_tensor *target, int64_t to, double update,
                          const char *reduction) {
    const double old = get_real(target->data, target->type, to);
    double result = update;
    if (strcmp(reduction, "add") == 0) {
        result = old + update;
    } else if (strcmp(reduction, "mul") == 0) {
        result = old * update;
    } else if (isnan(old) ||
               (!isnan(update) && (strcmp(reduction, "max") == 0 ? old > update : old < update))) {
        result = old;
    }
    set_real(target->data, target->type, to, result);
}

static void combine_complex(const opmill_tensor *target, int64_t to, const opmill_tensor *updates,
                            int64_t from, bool sums) {
    const int32_t type = target->type;
    const double a = get_real(target->data, type, 2 * to);
    const double b = get_real(target->data, type, 2 * to + 1);
    const double c = get_real(updates->data, type, 2 * from);
    const double d = get_real(updates->data, type, 2 * from + 1);
    double products[4] = {a * c, b * d, a * d, b * c};
    if (type == OPMILL_COMPLEX64) {
        for (int i = 0; i < 4; i++) {
            products[i] = (double)(float)products[i];
        }
    }
    set_real(target->data, type, 2 * to, sums ? a + c : products[0] - products[1]);
    set_real(target->data, type, 2 * to + 1, sums ? b + d : products[2] + products[3]);
}

void combine_element(const opmill_tensor *target, int64_t to, const opmill_tensor *updates,
                     int64_t from, const char *reduction) {
    const int32_t type = target->type;
    const bool sums = strcmp(reduction, "add") == 0;
    const bool products = strcmp(reduction, "mul") == 0;
    const bool largest = strcmp(reduction, "max") == 0;
    if (strcmp(reduction, "none") == 0) {
        copy_element(target, to, updates, from);
    } else if (is_real(type)) {
        combine_reals(target, to, get_real(updates->data, type, from), reduction);
    } else if (type_parts(type) == 2) {
        combine_complex(target, to, updates, from, sums);
    } else {
        const uint64_t old = get_integer(target, to), update = get_integer(updates, from);
        uint64_t result = is_less(old, update, type) == largest ? update : old;
        if (type == OPMILL_BOOL) {
            result = sums || largest ? (old | update) != 0 : (old & update) != 0;
        } else if (sums) {
            result = old + update;
        } else if (products) {
            result = old * update;
        }
        set_bits(target->data, type, to, result);
    }
}
