/* Each element by itself, with the rounds of Philox4x32-10 for its block alone. */
#include <string.h>

#include "formats.h"
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

void reference_bernoulli(const opmill_operator *operator, const opmill_tensor *const *inputs,
                         int32_t input_count, const void *attributes,
                         const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const x = inputs[0], *const y = outputs[0];
    const float *const seed = attribute_of(operator, attributes, "seed");
    uint32_t key = 0;
    (void)input_count;
    (void)output_count;
    if (seed != NULL) {
        memcpy(&key, seed, sizeof key);
    }
    for (int64_t i = 0; i < count_of(x->dims, x->rank); i++) {
        const uint64_t at = (uint64_t)i;
        const double u = x->type == OPMILL_DOUBLE ? word_of(key, 2 * at) * 0x1p-32 +
                                                        (word_of(key, 2 * at + 1) >> 11) * 0x1p-53
                                                  : word_of(key, at) * 0x1p-32;
        set_whole(y->data, y->type, i, u < number_at(x, i));
    }
}
