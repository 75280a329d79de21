/* MurmurHash3 with 32 bits: the hash of the bytes of each element. Words are read as numbers, so
 * that the bytes of a number count from its low end on every machine. */
#include "families/murmur_hash/kernel.h"

#include <stdbool.h>
#include <string.h>

static int64_t count_of(const opmill_tensor *tensor) {
    int64_t count = 1;
    for (int32_t i = 0; i < tensor->rank; i++) {
        count *= tensor->dims[i];
    }
    return count;
}

static uint32_t rotated(uint32_t word, int32_t bits) { return word << bits | word >> (32 - bits); }

static uint32_t scrambled(uint32_t word) {
    return rotated(word * UINT32_C(0xCC9E2D51), 15) * UINT32_C(0x1B873593);
}

/* The state behind a further word. */
static uint32_t mixed(uint32_t hash, uint32_t word) {
    return rotated(hash ^ scrambled(word), 13) * UINT32_C(5) + UINT32_C(0xE6546B64);
}

/* The hash, from the state behind all bytes and from their number. */
static uint32_t finished(uint32_t hash, uint32_t bytes) {
    hash ^= bytes;
    hash = (hash ^ hash >> 16) * UINT32_C(0x85EBCA6B);
    hash = (hash ^ hash >> 13) * UINT32_C(0xC2B2AE35);
    return hash ^ hash >> 16;
}

/* Up to 4 bytes as a word, the first one lowest. */
static uint32_t word_of(const unsigned char *bytes, size_t count) {
    uint32_t word = 0;
    for (size_t i = 0; i < count; i++) {
        word |= (uint32_t)bytes[i] << 8 * i;
    }
    return word;
}

static uint32_t hash_of_text(const char *text, uint32_t hash) {
    const unsigned char *bytes = (const unsigned char *)text;
    const size_t count = strlen(text);
    size_t left = count;
    for (; left >= 4; left -= 4, bytes += 4) {
        hash = mixed(hash, word_of(bytes, 4));
    }
    return finished(hash ^ scrambled(word_of(bytes, left)), (uint32_t)count);
}

static uint32_t hash_of_number(const unsigned char *number, int64_t bytes, uint32_t hash) {
    if (bytes == 4) {
        uint32_t word;
        memcpy(&word, number, sizeof word);
        return finished(mixed(hash, word), 4);
    }
    uint64_t words;
    memcpy(&words, number, sizeof words);
    return finished(mixed(mixed(hash, (uint32_t)words), (uint32_t)(words >> 32)), 8);
}

int opmill_murmur_hash_compute(const opmill_tensor *X, opmill_tensor *Y,
                               const opmill_murmur_hash_plan *plan, opmill_context *context) {
    const int64_t count = count_of(X);
    const uint32_t seed = (uint32_t)plan->seed;
    unsigned char *to = Y->data; /* int32 has the same bits */
    (void)context;
    if (X->type == OPMILL_STRING) {
        const char *const *const texts = X->data;
        for (int64_t i = 0; i < count; i++, to += sizeof seed) {
            const uint32_t hash = hash_of_text(texts[i], seed);
            memcpy(to, &hash, sizeof hash);
        }
        return OPMILL_OK;
    }
    const bool is_wide =
        X->type == OPMILL_INT64 || X->type == OPMILL_UINT64 || X->type == OPMILL_DOUBLE;
    const int64_t bytes = is_wide ? 8 : 4;
    const unsigned char *from = X->data;
    for (int64_t i = 0; i < count; i++, to += sizeof seed, from += bytes) {
        const uint32_t hash = hash_of_number(from, bytes, seed);
        memcpy(to, &hash, sizeof hash);
    }
    return OPMILL_OK;
}
