/* Allocates, seals and checks blocks. With AddressSanitizer each block has its exact size;
 * otherwise 64 pattern bytes on either side detect writes outside of it. */
#include "memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#define EXACT 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define EXACT 1
#endif
#endif
#ifndef EXACT
#define EXACT 0
#endif

enum { BESIDE = 64, PATTERN = 0xA5 };

void *memory_new(memory *all, size_t size, size_t shift) {
    /* Of 0 bytes malloc would give one: a pointer to the end of 16 has none. */
    const size_t before = EXACT ? (size > 0 ? 0 : 16) : BESIDE, after = EXACT ? 0 : BESIDE;
    unsigned char *const block = malloc(before + shift + size + after);
    if (block == NULL || all->count == MEMORY_BLOCKS) {
        fputs("the fuzzer itself is out of memory\n", stderr);
        abort();
    }
    if (!EXACT) {
        memset(block, PATTERN, before + shift + size + after);
    }
    all->blocks[all->count++] = (memory_block){block, block + before + shift, size, false, 0};
    return block + before + shift;
}

static uint64_t sum_of(const memory_block *block) {
    uint64_t sum = block->size, word;
    size_t i = 0;
    for (; i + sizeof word <= block->size; i += sizeof word) {
        memcpy(&word, block->data + i, sizeof word);
        sum = (sum ^ word) * UINT64_C(0x9E3779B97F4A7C15);
        sum ^= sum >> 29;
    }
    for (; i < block->size; i++) {
        sum = (sum ^ block->data[i]) * UINT64_C(0x100000001B3);
    }
    return sum;
}

void memory_seal(memory *all) {
    for (int32_t i = 0; i < all->count; i++) {
        all->blocks[i].sealed = true;
        all->blocks[i].sum = sum_of(&all->blocks[i]);
    }
}

static bool is_pattern(const unsigned char *from, const unsigned char *to) {
    while (from < to && *from == PATTERN) {
        from++;
    }
    return from == to;
}

bool memory_intact(const memory *all) {
    for (int32_t i = 0; i < all->count; i++) {
        const memory_block *const block = &all->blocks[i];
        if (block->sealed && block->sum != sum_of(block)) {
            return false;
        }
        if (!EXACT) {
            const unsigned char *const end = block->data + block->size;
            if (!is_pattern(block->all, block->data) || !is_pattern(end, end + BESIDE)) {
                return false;
            }
        }
    }
    return true;
}

void memory_free(memory *all) {
    for (int32_t i = 0; i < all->count; i++) {
        free(all->blocks[i].all);
    }
    all->count = 0;
}
