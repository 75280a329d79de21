/* Shifts, which are defined for every a and b: SHIFTED(a, b, leftward) is a with its bits moved by
 * b places, to the right where leftward is 0. Fewer than 0 places, and as many as a has bits or
 * more, leave no bit of it but copies of the sign. */
#ifndef OPMILL_ELEMENTWISE_BINARY_SHIFT_H
#define OPMILL_ELEMENTWISE_BINARY_SHIFT_H

#include <stdint.h>

/* Of unsigned integers, as `wide` ones; `bits` is the width of `type`. */
#define DEFINE_UNSIGNED(name, type, wide, bits)                                             \
    static inline type shifted_##name(type a, type b, double leftward) {                        \
        const int within = b < (bits);                                                      \
        const wide amount = within ? b : 0;                                                 \
        const wide moved = leftward != 0 ? (wide)a << amount : (wide)a >> amount;               \
        return (type)(within ? moved : 0);                                                  \
    }

/* Of signed ones: to the right the bits of ~a move where a is below 0, so that what comes in is
 * ones. */
#define DEFINE_SIGNED(name, type, wide, bits)                                               \
    static inline type shifted_##name(type a, type b, double leftward) {                        \
        const int within = (b >= 0) & (b < (bits));                                         \
        const wide amount = (wide)(within ? b : 0), ones = a < 0 ? ~(wide)0 : 0;            \
        const wide right = (((wide)a ^ ones) >> amount) ^ ones;                             \
        const wide beyond = leftward != 0 ? 0 : ones;                                           \
        const wide moved = leftward != 0 ? (wide)a << amount : right;                           \
        return (type)(within ? moved : beyond);                                             \
    }

DEFINE_SIGNED(int8, int8_t, uint32_t, 8)
DEFINE_SIGNED(int16, int16_t, uint32_t, 16)
DEFINE_SIGNED(int32, int32_t, uint32_t, 32)
DEFINE_SIGNED(int64, int64_t, uint64_t, 64)
DEFINE_UNSIGNED(uint8, uint8_t, uint32_t, 8)
DEFINE_UNSIGNED(uint16, uint16_t, uint32_t, 16)
DEFINE_UNSIGNED(uint32, uint32_t, uint32_t, 32)
DEFINE_UNSIGNED(uint64, uint64_t, uint64_t, 64)

#undef DEFINE_SIGNED
#undef DEFINE_UNSIGNED

#define SHIFTED(a, b, leftward) \
    _Generic((a), int8_t: shifted_int8, int16_t: shifted_int16, int32_t: shifted_int32, \
        int64_t: shifted_int64, uint8_t: shifted_uint8, uint16_t: shifted_uint16, \
        uint32_t: shifted_uint32, uint64_t: shifted_uint64)(a, b, leftward)

#endif
