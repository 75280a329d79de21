/* All types for one instruction set: reduce.c includes this with SET(name) and has a table SUMS. */
static const float *SET(widened_float16)(const uint16_t *from, float *to, int64_t count) {
    const int eights = (int)(count / 8 * 8);
    SET(opmill_float16_widen)(from, to, eights);
    for (int64_t i = eights; i < count; i++) {
        to[i] = opmill_float16_to_float(from[i]);
    }
    return to;
}

static const float *SET(widened_bfloat16)(const uint16_t *from, float *to, int64_t count) {
    SET(opmill_bfloat16_widen)(from, to, (int)count);
    return to;
}

#define NAME(name) SET(name##_float)
#define ELEMENT float
#define PART float
#define WHOLE double
#define MEMBER real
#define SPACE 1
#define FETCH(from, space, count) (from)
#define STORE(x) ((float)(x))
#include "runtime/reduce_body.h"

#define NAME(name) SET(name##_double)
#define ELEMENT double
#define PART double
#define WHOLE double
#define MEMBER real
#define SPACE 1
#define FETCH(from, space, count) (from)
#define STORE(x) (x)
#include "runtime/reduce_body.h"

#define NAME(name) SET(name##_float16)
#define ELEMENT uint16_t
#define PART float
#define WHOLE double
#define MEMBER real
#define SPACE OPMILL_REDUCE_COLUMNS
#define FETCH(from, space, count) SET(widened_float16)(from, space, count)
#define STORE(x) opmill_float_to_float16((float)(x))
#include "runtime/reduce_body.h"

#define NAME(name) SET(name##_bfloat16)
#define ELEMENT uint16_t
#define PART float
#define WHOLE double
#define MEMBER real
#define SPACE OPMILL_REDUCE_COLUMNS
#define FETCH(from, space, count) SET(widened_bfloat16)(from, space, count)
#define STORE(x) opmill_float_to_bfloat16((float)(x))
#include "runtime/reduce_body.h"

#define NAME(name) SET(name##_32)
#define ELEMENT uint32_t
#define PART uint32_t
#define WHOLE uint32_t
#define MEMBER integer
#define SPACE 1
#define FETCH(from, space, count) (from)
#define STORE(x) (x)
#include "runtime/reduce_body.h"

#define NAME(name) SET(name##_64)
#define ELEMENT uint64_t
#define PART uint64_t
#define WHOLE uint64_t
#define MEMBER integer
#define SPACE 1
#define FETCH(from, space, count) (from)
#define STORE(x) (x)
#include "runtime/reduce_body.h"

/* In the order of enum kinds. */
static const loops SET(SUMS)[] = {
    {SET(part_float), SET(join_float), SET(rows_float), SET(columns_float), 4},
    {SET(part_double), SET(join_double), SET(rows_double), SET(columns_double), 8},
    {SET(part_float16), SET(join_float16), SET(rows_float16), SET(columns_float16), 2},
    {SET(part_bfloat16), SET(join_bfloat16), SET(rows_bfloat16), SET(columns_bfloat16), 2},
    {SET(part_32), SET(join_32), SET(rows_32), SET(columns_32), 4},
    {SET(part_64), SET(join_64), SET(rows_64), SET(columns_64), 8},
};

#undef SET
