/* Finds the first zero in an integer divisor and reports it; compares 1,024 elements at a time in
 * vectors. */
#include "families/elementwise_binary/divisors.h"

#include "runtime/numbers/elements.h"
#include "runtime/call/message.h"

/* A part that compilers compare in vectors; the position is looked for in the part that has it. */
enum { PART = 1024 };

#define DEFINE_FIND(name, type)                                    \
    static int64_t name(const void *data, int64_t count) {         \
        const type *const items = data;                            \
        for (int64_t at = 0; at < count; at += PART) {             \
            const int64_t left = count - at;                       \
            const int part = left < PART ? (int)left : (int)PART;  \
            type zeros = 0;                                        \
            for (int i = 0; i < part; i++) {                       \
                zeros = (type)(zeros | (type)(items[at + i] == 0)); \
            }                                                      \
            for (int i = 0; zeros != 0 && i < part; i++) {         \
                if (items[at + i] == 0) {                          \
                    return at + i;                                 \
                }                                                  \
            }                                                      \
        }                                                          \
        return -1;                                                 \
    }
DEFINE_FIND(find_zero8, uint8_t)
DEFINE_FIND(find_zero16, uint16_t)
DEFINE_FIND(find_zero32, uint32_t)
DEFINE_FIND(find_zero64, uint64_t)

/* The position of the first 0; -1 where there is none. */
static int64_t find_zero(const opmill_tensor *tensor) {
    int64_t count = 1;
    for (int32_t i = 0; i < tensor->rank; i++) {
        count *= tensor->dims[i];
    }
    switch (tensor->type) {
    case OPMILL_INT8:
    case OPMILL_UINT8:
        return find_zero8(tensor->data, count);
    case OPMILL_INT16:
    case OPMILL_UINT16:
        return find_zero16(tensor->data, count);
    case OPMILL_INT32:
    case OPMILL_UINT32:
        return find_zero32(tensor->data, count);
    case OPMILL_INT64:
    case OPMILL_UINT64:
        return find_zero64(tensor->data, count);
    default: /* floats divide by 0 */
        return -1;
    }
}

bool opmill_check_divisors(const opmill_tensor *B, opmill_context *context) {
    int64_t index[OPMILL_MAX_RANK];
    int64_t at = find_zero(B);
    if (at < 0) {
        return true;
    }
    for (int32_t i = B->rank - 1; i >= 0; i--) {
        index[i] = at % B->dims[i];
        at /= B->dims[i];
    }
    opmill_message message = opmill_contents_begin(context);
    opmill_put_text(&message, "B");
    if (B->rank > 0) {
        opmill_put_ints(&message, index, B->rank);
    }
    opmill_put_text(&message, " is 0, expected a divisor that is not 0");
    return false;
}
