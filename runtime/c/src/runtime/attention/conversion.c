/* Elements of one type as those of another one. */
#include "runtime/attention/conversion.h"

#include <string.h>

#include "runtime/numbers/elements.h"

static uint64_t bits_at(const char *from, int64_t i, int32_t bytes) {
    uint64_t eight;
    uint32_t four;
    uint16_t two;
    switch (bytes) {
    case 8:
        memcpy(&eight, from + 8 * i, sizeof eight);
        return eight;
    case 4:
        memcpy(&four, from + 4 * i, sizeof four);
        return four;
    case 2:
        memcpy(&two, from + 2 * i, sizeof two);
        return two;
    default:
        return (uint8_t)from[i];
    }
}

static void put_bits(char *to, int64_t i, int32_t bytes, uint64_t bits) {
    const uint32_t four = (uint32_t)bits;
    const uint16_t two = (uint16_t)bits;
    switch (bytes) {
    case 8:
        memcpy(to + 8 * i, &bits, sizeof bits);
        break;
    case 4:
        memcpy(to + 4 * i, &four, sizeof four);
        break;
    default:
        memcpy(to + 2 * i, &two, sizeof two);
        break;
    }
}

void opmill_attention_convert(const cast_loops *loops, const void *from, int32_t from_type,
                              void *to, int32_t to_type, int64_t count) {
    static const cast_options options = {0};
    const int32_t from_bytes = opmill_type_bytes(from_type), to_bytes = opmill_type_bytes(to_type);
    cast_loop *const loop = loops->between[from_type][to_type];
    if (count == 0) {
        return;
    }
    if (from_type == to_type) {
        memcpy(to, from, (size_t)(count * to_bytes));
    } else if (loop != NULL) {
        loop(to, from, count);
    } else {
        for (int64_t i = 0; i < count; i++) {
            put_bits(to, i, to_bytes,
                     opmill_cast_bits(bits_at(from, i, from_bytes), from_type, to_type, &options));
        }
    }
}
