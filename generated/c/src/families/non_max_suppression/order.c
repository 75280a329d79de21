/* Sorts boxes by score with a radix sort on (key, box) pairs. If few boxes are wanted, only the
 * buckets of the highest scores are sorted, and further ones on request. */
#include "families/non_max_suppression/order.h"

#include <string.h>

enum {
    BUCKET_SHIFT = OPMILL_ON_STACK(21, 24), /* of a key */
    DIGIT = OPMILL_ON_STACK(8, 4),          /* bits of a key that are sorted by at a time */
    DIGITS = 1 << DIGIT,
    MAX_INSERTION = 24, /* entries that are sorted by insertion */
    MIN_PARTED = 256    /* entries that are sorted in parts */
};

/* Falls as the score rises; zeros are equal, and NaN is last. */
static uint32_t key_of(float score) {
    const float number = score == 0 ? 0.0F : score;
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    if (score != score) {
        return UINT32_MAX;
    }
    return (bits & 0x80000000U) != 0 ? bits : ~bits & 0x7fffffffU;
}

static uint64_t entry_of(float score, int64_t box) {
    return (uint64_t)key_of(score) << 32 | (uint64_t)box;
}

static uint32_t bucket_of(uint64_t entry) { return (uint32_t)(entry >> (32 + BUCKET_SHIFT)); }

static void insertion_sort(uint64_t *entries, int64_t count) {
    for (int64_t i = 1; i < count; i++) {
        const uint64_t entry = entries[i];
        int64_t k = i;
        for (; k > 0 && entries[k - 1] > entry; k--) {
            entries[k] = entries[k - 1];
        }
        entries[k] = entry;
    }
}

/* By the digits of the keys, from the lowest on; boxes are in order from the beginning. Returns the
 * list that holds the result. */
static uint64_t *sort(uint64_t *entries, uint64_t *spare, int64_t count) {
    int64_t counts[32 / DIGIT][DIGITS];
    if (count <= MAX_INSERTION) {
        insertion_sort(entries, count);
        return entries;
    }
    memset(counts, 0, sizeof counts);
    for (int64_t i = 0; i < count; i++) {
        for (int32_t digit = 0; digit < 32 / DIGIT; digit++) {
            counts[digit][entries[i] >> (32 + DIGIT * digit) & (DIGITS - 1)]++;
        }
    }
    for (int32_t digit = 0; digit < 32 / DIGIT; digit++) {
        const int32_t shift = 32 + DIGIT * digit;
        int64_t *const at = counts[digit];
        if (at[entries[0] >> shift & (DIGITS - 1)] == count) {
            continue; /* all have the same */
        }
        int64_t first = 0;
        for (int32_t value = 0; value < DIGITS; value++) {
            const int64_t size = at[value];
            at[value] = first;
            first += size;
        }
        for (int64_t i = 0; i < count; i++) {
            spare[at[entries[i] >> shift & (DIGITS - 1)]++] = entries[i];
        }
        uint64_t *const sorted = spare;
        spare = entries;
        entries = sorted;
    }
    return entries;
}

void opmill_nms_order_begin(nms_order *order, const float *scores, int64_t count, bool filters,
                            float lowest, int64_t wanted) {
    int64_t found = 0;
    if (filters) {
        for (int64_t i = 0; i < count; i++) {
            const float score = scores[i];
            order->all[found] = entry_of(score, i);
            found += score >= lowest;
        }
    } else {
        for (; found < count; found++) {
            order->all[found] = entry_of(scores[found], found);
        }
    }
    order->count = found;
    order->wanted = wanted;
    order->bucket = 0;
    if (found < MIN_PARTED || wanted >= found / 2) {
        order->wanted = INT64_MAX;
        return;
    }
    memset(order->sizes, 0, sizeof order->sizes);
    for (int64_t i = 0; i < found; i++) {
        order->sizes[bucket_of(order->all[i])]++;
    }
}

const uint64_t *opmill_nms_order_next(nms_order *order, int64_t *count) {
    *count = 0;
    if (order->bucket == NMS_BUCKETS) {
        return order->part;
    }
    if (order->wanted == INT64_MAX) {
        order->bucket = NMS_BUCKETS;
        *count = order->count;
        return sort(order->all, order->spare, order->count);
    }
    const uint32_t first = (uint32_t)order->bucket;
    int64_t size = 0;
    while (order->bucket < NMS_BUCKETS && size < order->wanted) {
        size += order->sizes[order->bucket++];
    }
    const uint32_t buckets = (uint32_t)order->bucket - first;
    int64_t found = 0;
    for (int64_t i = 0; i < order->count && found < size; i++) {
        const uint64_t entry = order->all[i];
        order->part[found] = entry;
        found += bucket_of(entry) - first < buckets;
    }
    order->wanted *= 2; /* few parts, however many are needed */
    *count = found;
    return sort(order->part, order->spare, found);
}
