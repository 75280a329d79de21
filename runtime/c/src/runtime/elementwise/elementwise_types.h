/* The element types that a kernel computes with, from the expressions that it defines before it
 * includes this: OF_REAL, OF_FLOAT, OF_DOUBLE, OF_INTEGER, OF_SIGNED, OF_UNSIGNED, OF_BOOL and
 * OF_STRING, each for a kind of types, absent where no version takes them.
 *
 *     NUMBERS(LOOP)  LOOP(name, element, computed, operand, expression, labels)
 *     HALVES(LOOP)   LOOP(name, labels), for float16 and bfloat16, which are computed as floats
 *
 * An element is computed as the type `computed`, the operands of an expression that are not
 * elements have the type `operand`, and `labels` are those of a switch by element type. */
#ifndef OPMILL_ELEMENTWISE_TYPES_H
#define OPMILL_ELEMENTWISE_TYPES_H

#ifdef OF_REAL
#define OF_FLOAT OF_REAL
#define OF_DOUBLE OF_REAL
#endif

#ifdef OF_FLOAT
#define FLOATS(LOOP) LOOP(float, float, float, float, OF_FLOAT, case OPMILL_FLOAT)
#define HALVES(LOOP) LOOP(float16, case OPMILL_FLOAT16) LOOP(bfloat16, case OPMILL_BFLOAT16)
#else
#define FLOATS(LOOP)
#define HALVES(LOOP)
#endif

#ifdef OF_DOUBLE
#define DOUBLES(LOOP) LOOP(double, double, double, double, OF_DOUBLE, case OPMILL_DOUBLE)
#else
#define DOUBLES(LOOP)
#endif

#ifdef OF_INTEGER
#define INTEGERS(LOOP)                                                  \
    LOOP(integer8, uint8_t, uint32_t, double, OF_INTEGER,               \
         case OPMILL_INT8: case OPMILL_UINT8)                           \
    LOOP(integer16, uint16_t, uint32_t, double, OF_INTEGER,             \
         case OPMILL_INT16: case OPMILL_UINT16)                         \
    LOOP(integer32, uint32_t, uint32_t, double, OF_INTEGER,             \
         case OPMILL_INT32: case OPMILL_UINT32)                         \
    LOOP(integer64, uint64_t, uint64_t, double, OF_INTEGER,             \
         case OPMILL_INT64: case OPMILL_UINT64)
#else
#define INTEGERS(LOOP)
#endif

#ifdef OF_SIGNED
#define SIGNED(LOOP)                                                   \
    LOOP(int8, int8_t, int8_t, double, OF_SIGNED, case OPMILL_INT8)    \
    LOOP(int16, int16_t, int16_t, double, OF_SIGNED, case OPMILL_INT16) \
    LOOP(int32, int32_t, int32_t, double, OF_SIGNED, case OPMILL_INT32) \
    LOOP(int64, int64_t, int64_t, double, OF_SIGNED, case OPMILL_INT64)
#else
#define SIGNED(LOOP)
#endif

#ifdef OF_UNSIGNED
#define UNSIGNED(LOOP)                                                       \
    LOOP(uint8, uint8_t, uint8_t, double, OF_UNSIGNED, case OPMILL_UINT8)    \
    LOOP(uint16, uint16_t, uint16_t, double, OF_UNSIGNED, case OPMILL_UINT16) \
    LOOP(uint32, uint32_t, uint32_t, double, OF_UNSIGNED, case OPMILL_UINT32) \
    LOOP(uint64, uint64_t, uint64_t, double, OF_UNSIGNED, case OPMILL_UINT64)
#else
#define UNSIGNED(LOOP)
#endif

#ifdef OF_BOOL
#define BOOLS(LOOP) LOOP(boolean, uint8_t, uint8_t, double, OF_BOOL, case OPMILL_BOOL)
#else
#define BOOLS(LOOP)
#endif

#ifdef OF_STRING
typedef const char *opmill_text;
#define STRINGS(LOOP) LOOP(string, opmill_text, opmill_text, double, OF_STRING, case OPMILL_STRING)
#else
#define STRINGS(LOOP)
#endif

#define NUMBERS(LOOP)                                                                             \
    FLOATS(LOOP) DOUBLES(LOOP) INTEGERS(LOOP) SIGNED(LOOP) UNSIGNED(LOOP) BOOLS(LOOP) STRINGS(LOOP)

/* More than 16 doubles: compilers unroll shorter loops before they could vectorise them. */
enum { BLOCK_BYTES = 256 };

/* The elements of a block: a constant number, a few vectors, of the wider of two types. */
#define BLOCK_OF(from, to) \
    (BLOCK_BYTES / (int)(sizeof(from) > sizeof(to) ? sizeof(from) : sizeof(to)))

#endif
