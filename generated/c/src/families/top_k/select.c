/* Instantiates select_body.h for narrow and wide pairs of key and index: a heap for small k,
 * otherwise selection followed by a sort. */
#include "families/top_k/select.h"

#include "runtime/numbers/integers.h"
#include "runtime/platform/platform.h"

enum {
    DIGIT = OPMILL_ON_STACK(8, 2), /* bits */
    DIGITS = 1 << DIGIT,
    MAX_INSERTION = 32 /* pairs that are sorted by insertion */
};

#define NAME(name) name##_narrow
#define PAIR top_k_narrow
#define KEY uint32_t
#define MAKE(key, index) ((top_k_narrow)(key) << 32 | (uint64_t)(index))
#define KEY_OF(pair) ((uint32_t)((pair) >> 32))
#define LESS(a, b) ((a) < (b))
#include "families/top_k/select_body.h"

#define NAME(name) name##_wide
#define PAIR top_k_wide
#define KEY uint64_t
#define MAKE(k, i) ((top_k_wide){.key = (k), .index = (uint64_t)(i)})
#define KEY_OF(pair) ((pair).key)
#define LESS(a, b) ((a).key < (b).key || ((a).key == (b).key && (a).index < (b).index))
#include "families/top_k/select_body.h"

void opmill_top_k_offer(top_k_heap *heap, const top_k_keys *kind, const void *keys, int64_t first,
                        int64_t count) {
    if (kind->is_wide) {
        offer_wide(heap, kind, keys, first, count);
    } else {
        offer_narrow(heap, kind, keys, first, count);
    }
}

void opmill_top_k_sort_heap(top_k_heap *heap, bool is_wide) {
    if (is_wide) {
        sort_heap_wide(heap);
    } else {
        sort_heap_narrow(heap);
    }
}

void *opmill_top_k_select(const top_k_keys *kind, const void *keys, int64_t count, int64_t wanted,
                          void *pairs, void *spare) {
    if (kind->is_wide) {
        gather_wide(keys, count, wanted, kind->width, pairs);
        return sort_wide(pairs, spare, wanted, kind->width);
    }
    gather_narrow(keys, count, wanted, kind->width, pairs);
    return sort_narrow(pairs, spare, wanted, kind->width);
}
