/* Each element by itself, with the rounds of Philox4x32-10 for its block alone. */
#include <math.h>
#include <stdbool.h>

#include "formats.h"
#include "reference.h"
#include "values.h"

static uint32_t word_of(uint64_t seed, uint64_t number) {
    uint32_t c[4] = {(uint32_t)(number / 4), (uint32_t)(number / 4 >> 32), 0, 0};
    uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    for (int round = 0; round < 10; round++) {
        const uint64_t p = (uint64_t)c[0] * 0xd2511f53u, q = (uint64_t)c[2] * 0xcd9e8d57u;
        const uint32_t next[4] = {(uint32_t)(q >> 32) ^ c[1] ^ key[0], (uint32_t)q,
                                  (uint32_t)(p >> 32) ^ c[3] ^ key[1], (uint32_t)p};
        for (int i = 0; i < 4; i++) {
            c[i] = next[i];
        }
        key[0] += 0x9e3779b9u;
        key[1] += 0xbb67ae85u;
    }
    return c[number % 4];
}

static void set_product(const opmill_tensor *y, int64_t i, double product) {
    const bool is_byte = y->type != OPMILL_FLOAT && y->type != OPMILL_DOUBLE &&
                         y->type != OPMILL_FLOAT16 && y->type != OPMILL_BFLOAT16;
    if (is_byte) {
        const element rounded = element_of(product);
        ((uint8_t *)y->data)[i] = (uint8_t)bits_of_element(&rounded, y->type, false, "up", true);
    } else {
        set_real(y->data, y->type, i, product);
    }
}

void reference_dropout(const opmill_operator *operator, const opmill_tensor *const *inputs,
                       int32_t input_count, const void *attributes,
                       const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const x = inputs[0], *const y = outputs[0];
    const opmill_tensor *const mask = output_count > 1 ? outputs[1] : NULL;
    const opmill_tensor *const given = input_count > 1 ? inputs[1] : NULL;
    const opmill_tensor *const mode = input_count > 2 ? inputs[2] : NULL;
    const float *const attribute = attribute_of(operator, attributes, "ratio");
    const uint64_t seed = (uint64_t)int_of(operator, attributes, "seed", 0);
    const bool train = mode != NULL ? *(const uint8_t *)mode->data != 0
                                    : int_of(operator, attributes, "is_test", 1) == 0;
    const double ratio = given != NULL       ? number_at(given, 0)
                         : attribute != NULL ? (double)*attribute
                                             : 0.5;
    /* Each is a double of its own: expressions may be wider. */
    const double left = 1 - ratio, scale = 1 / left;
    for (int64_t i = 0; i < count_of(x->dims, x->rank); i++) {
        const bool random = train && ratio != 0;
        const bool is_kept = !random || word_of(seed, (uint64_t)i) * 0x1p-32 >= ratio;
        if (!random) {
            copy_element(y, i, x, i);
        } else {
            const double product = number_at(x, i) * (is_kept ? scale : 0);
            set_product(y, i, y->type == OPMILL_DOUBLE ? product : (double)(float)product);
        }
        if (mask != NULL) {
            set_whole(mask->data, mask->type, i, is_kept);
        }
    }
}
