/* All loops for one instruction set: keys.c includes this with SET(name). */
#define KEY uint32_t
#define WORD uint8_t
#define NAME(name) SET(name##_8_narrow)
#include "families/top_k/keys_body.h"
#define WORD uint16_t
#define NAME(name) SET(name##_16_narrow)
#include "families/top_k/keys_body.h"
#define WORD uint32_t
#define NAME(name) SET(name##_32_narrow)
#include "families/top_k/keys_body.h"
#undef KEY

#define KEY uint64_t
#define WORD uint8_t
#define NAME(name) SET(name##_8_wide)
#include "families/top_k/keys_body.h"
#define WORD uint16_t
#define NAME(name) SET(name##_16_wide)
#include "families/top_k/keys_body.h"
#define WORD uint32_t
#define NAME(name) SET(name##_32_wide)
#include "families/top_k/keys_body.h"
#define WORD uint64_t
#define NAME(name) SET(name##_64_wide)
#include "families/top_k/keys_body.h"
#undef KEY

#define SKIP(KEY)                                                            \
    const KEY *const all = keys;                                             \
    const KEY below = (KEY)limit;                                            \
    for (; count - first >= TOP_K_RUN; first += TOP_K_RUN) {                 \
        KEY found = 0;                                                       \
        for (int i = 0; i < TOP_K_RUN; i++) {                                \
            found |= (KEY)(all[first + i] < below);                          \
        }                                                                    \
        if (found != 0) {                                                    \
            break;                                                           \
        }                                                                    \
    }                                                                        \
    return first;

static int64_t SET(skip_narrow)(const void *keys, int64_t first, int64_t count, uint64_t limit) {
    SKIP(uint32_t)
}

static int64_t SET(skip_wide)(const void *keys, int64_t first, int64_t count, uint64_t limit) {
    SKIP(uint64_t)
}

#undef SKIP

/* By the width of elements, 8 << i bits: of integers and of floats, and of narrow and wide keys. */
static const top_k_loops SET(LOOPS) = {
    {{SET(read_whole_8_narrow), SET(read_whole_16_narrow), SET(read_whole_32_narrow), NULL},
     {SET(read_whole_8_wide), SET(read_whole_16_wide), SET(read_whole_32_wide),
      SET(read_whole_64_wide)}},
    {{SET(read_real_8_narrow), SET(read_real_16_narrow), SET(read_real_32_narrow), NULL},
     {SET(read_real_8_wide), SET(read_real_16_wide), SET(read_real_32_wide),
      SET(read_real_64_wide)}},
    {SET(skip_narrow), SET(skip_wide)},
};

#undef SET
