/* Sorts items by a radix sort on (key, index) pairs where a key identifies an element, strings by
 * their first eight bytes and then in full, and slices and complex numbers by merge sort. */
#include "families/unique/order.h"

#include <string.h>

#include "opmill/types.h"
#include "runtime/platform/platform.h"

enum {
    DIGIT = OPMILL_ON_STACK(8, 2), /* bits */
    DIGITS = 1 << DIGIT,
    SMALL = 32 /* items that are sorted by insertion */
};

/* How elements become keys, unsigned numbers in the same order; all NaNs have the largest key. */
typedef struct key_maker {
    int32_t width; /* of an element, or of a part of a complex one, in bits */
    uint64_t mask, sign;
    uint64_t infinity; /* the pattern of a floating type's infinity; 0 of others */
    bool is_bool;
} key_maker;

static bool is_complex(int32_t type) {
    return type == OPMILL_COMPLEX64 || type == OPMILL_COMPLEX128;
}

static key_maker maker_of(const unique_items *items) {
    const int32_t bytes = items->type == OPMILL_STRING ? 8 /* of a key */
                          : is_complex(items->type)    ? items->bytes / 2
                                                       : items->bytes;
    key_maker maker = {8 * bytes, UINT64_MAX >> (64 - 8 * bytes), 0, 0, items->type == OPMILL_BOOL};
    switch (items->type) {
    case OPMILL_FLOAT16:
        maker.infinity = 0x7c00;
        break;
    case OPMILL_BFLOAT16:
        maker.infinity = 0x7f80;
        break;
    case OPMILL_FLOAT:
    case OPMILL_COMPLEX64:
        maker.infinity = 0x7f800000;
        break;
    case OPMILL_DOUBLE:
    case OPMILL_COMPLEX128:
        maker.infinity = UINT64_C(0x7ff0000000000000);
        break;
    case OPMILL_INT8:
    case OPMILL_INT16:
    case OPMILL_INT32:
    case OPMILL_INT64:
        break;
    default:
        return maker; /* unsigned, or bool */
    }
    maker.sign = (uint64_t)1 << (maker.width - 1);
    return maker;
}

static inline uint64_t raw_at(const unsigned char *from, int32_t width) {
    uint16_t two;
    uint32_t four;
    uint64_t eight;
    switch (width) {
    case 8:
        return *from;
    case 16:
        memcpy(&two, from, sizeof two);
        return two;
    case 32:
        memcpy(&four, from, sizeof four);
        return four;
    default:
        memcpy(&eight, from, sizeof eight);
        return eight;
    }
}

static inline uint64_t key_of(uint64_t raw, const key_maker *maker) {
    if (maker->infinity == 0) {
        return maker->is_bool ? raw != 0 : raw ^ maker->sign;
    }
    const uint64_t magnitude = raw & ~maker->sign;
    if (magnitude > maker->infinity) {
        return maker->mask;
    }
    if (magnitude == 0) {
        return maker->sign;
    }
    return (raw & maker->sign) != 0 ? ~raw & maker->mask : raw | maker->sign;
}

/* The first eight bytes of a text, in the order in which strcmp compares them. */
static uint64_t text_key(const unsigned char *element) {
    const char *text;
    uint64_t key = 0;
    memcpy(&text, element, sizeof text);
    for (int i = 0; i < 8; i++) {
        key = key << 8 | (unsigned char)*text;
        text += *text != '\0';
    }
    return key;
}

static inline uint64_t item_key(const unique_items *items, const key_maker *maker, int64_t i) {
    const unsigned char *const element = items->data + i * items->bytes;
    return items->type == OPMILL_STRING ? text_key(element)
                                        : key_of(raw_at(element, maker->width), maker);
}

/* Single elements become pairs of a key and a number, which are sorted by the digits of the key. */
#define NAME(name) name##_narrow
#define PAIR uint64_t
#define MAKE(key, index) ((key) << 32 | (uint64_t)(index))
#define KEY_OF(pair) ((pair) >> 32)
#define INDEX_OF(pair) ((pair)&UINT32_MAX)
#include "families/unique/order_body.h"

typedef struct wide_pair {
    uint64_t key, index;
} wide_pair;

#define NAME(name) name##_wide
#define PAIR wide_pair
#define MAKE(k, i) ((wide_pair){(k), (uint64_t)(i)})
#define KEY_OF(pair) ((pair).key)
#define INDEX_OF(pair) ((pair).index)
#include "families/unique/order_body.h"

/* Compares an element of two items: below 0, 0 or above 0. Complex numbers with a NaN are equal. */
static int compare_elements(const unique_items *items, const key_maker *maker,
                            const unsigned char *a, const unsigned char *b, bool *nan) {
    if (items->type == OPMILL_STRING) {
        const char *left, *right;
        memcpy(&left, a, sizeof left);
        memcpy(&right, b, sizeof right);
        return strcmp(left, right);
    }
    uint64_t x = key_of(raw_at(a, maker->width), maker), y = key_of(raw_at(b, maker->width), maker);
    if (is_complex(items->type)) {
        const int32_t part = items->bytes / 2;
        uint64_t p = key_of(raw_at(a + part, maker->width), maker);
        uint64_t q = key_of(raw_at(b + part, maker->width), maker);
        x = p == maker->mask ? p : x;
        y = q == maker->mask ? q : y;
        p = x == maker->mask ? x : p;
        q = y == maker->mask ? y : q;
        *nan = *nan || x == maker->mask;
        return x != y ? (x < y ? -1 : 1) : p != q ? (p < q ? -1 : 1) : 0;
    }
    *nan = *nan || (maker->infinity != 0 && x == maker->mask);
    return x != y ? (x < y ? -1 : 1) : 0;
}

/* Compares two items; of equal ones `nan` tells whether they have a NaN. */
static int compare_items(const unique_items *items, const key_maker *maker, uint64_t a, uint64_t b,
                         bool *nan) {
    const int64_t step = items->inner * items->bytes;
    *nan = false;
    for (int64_t o = 0; o < items->outer; o++) {
        const unsigned char *x = items->data + (o * items->count + (int64_t)a) * step;
        const unsigned char *y = items->data + (o * items->count + (int64_t)b) * step;
        for (int64_t k = 0; k < items->inner; k++, x += items->bytes, y += items->bytes) {
            const int order = compare_elements(items, maker, x, y, nan);
            if (order != 0) {
                return order;
            }
        }
    }
    return 0;
}

/* Merges runs of sorted numbers, which double in length, between two lists; ties keep their order.
 */
static uint64_t *merge_all(const unique_items *items, const key_maker *maker, uint64_t *from,
                           uint64_t *to, int64_t count) {
    bool nan;
    for (int64_t run = 1; run<count; run = run> count / 2 ? count : 2 * run) {
        for (int64_t begin = 0; begin < count;) {
            const int64_t middle = run < count - begin ? begin + run : count;
            const int64_t end = run < count - middle ? middle + run : count;
            int64_t i = begin, k = middle;
            for (int64_t at = begin; at < end; at++) {
                const bool left = k == end || (i < middle && compare_items(items, maker, from[i],
                                                                           from[k], &nan) <= 0);
                to[at] = left ? from[i++] : from[k++];
            }
            begin = end;
        }
        uint64_t *const other = from;
        from = to;
        to = other;
    }
    return from;
}

static void order_items(const unique_items *items, uint64_t *words) {
    const key_maker maker = maker_of(items);
    uint64_t before = 0;
    for (int64_t i = 0; i < items->count; i++) {
        words[i] = (uint64_t)i;
    }
    const uint64_t *const found =
        merge_all(items, &maker, words, words + items->count, items->count);
    for (int64_t i = 0; i < items->count; i++) {
        const uint64_t index = found[i];
        bool nan = false;
        const bool starts = i == 0 || compare_items(items, &maker, before, index, &nan) != 0 ||
                            (nan && !items->flat);
        words[i] = index | (starts ? UNIQUE_STARTS : 0);
        before = index;
    }
}

/* Texts whose keys are equal and do not end within them, from entry `begin` to `end`. */
static void order_texts(const unique_items *items, const key_maker *maker, uint64_t *words,
                        int64_t begin, int64_t end) {
    bool nan = false;
    words[begin] &= ~UNIQUE_STARTS;
    const uint64_t *const found =
        merge_all(items, maker, words + begin, words + items->count, end - begin);
    memmove(words + begin, found, (size_t)(end - begin) * sizeof *words);
    uint64_t before = words[begin];
    words[begin] |= UNIQUE_STARTS;
    for (int64_t i = begin + 1; i < end; i++) {
        const uint64_t index = words[i];
        words[i] |= compare_items(items, maker, before, index, &nan) != 0 ? UNIQUE_STARTS : 0;
        before = index;
    }
}

static void order_flat_texts(const unique_items *items, const key_maker *maker, uint64_t *words) {
    order_wide(items, maker, words);
    for (int64_t begin = 0, end; begin < items->count; begin = end) {
        const int64_t first = (int64_t)(words[begin] & ~UNIQUE_STARTS);
        end = begin + 1;
        while (end < items->count && (words[end] & UNIQUE_STARTS) == 0) {
            end++;
        }
        if (end > begin + 1 && text_key(items->data + first * items->bytes) % 256 != 0) {
            order_texts(items, maker, words, begin, end);
        }
    }
}

static bool has_keys(const unique_items *items) { return items->flat && !is_complex(items->type); }

static bool is_narrow(const unique_items *items) {
    return items->bytes <= 4 && items->type != OPMILL_STRING && items->count <= (int64_t)UINT32_MAX;
}

int64_t opmill_unique_words(const unique_items *items) {
    return has_keys(items) && !is_narrow(items) ? 4 : 2;
}

void opmill_unique_order(const unique_items *items, uint64_t *words) {
    const key_maker maker = maker_of(items);
    if (!has_keys(items)) {
        order_items(items, words);
    } else if (is_narrow(items)) {
        order_narrow(items, &maker, words);
    } else if (items->type == OPMILL_STRING) {
        order_flat_texts(items, &maker, words);
    } else {
        order_wide(items, &maker, words);
    }
}
