/* All types for one instruction set: reduce.c includes this with SET(name) and has a table SUMS. */
#define NAME(name) SET(name##_float)
#define ELEMENT float
#define PART float
#define WHOLE double
#define MEMBER real
#define LOAD(x) (x)
#define STORE(x) ((float)(x))
#include "runtime/reduce_body.h"

#define NAME(name) SET(name##_double)
#define ELEMENT double
#define PART double
#define WHOLE double
#define MEMBER real
#define LOAD(x) (x)
#define STORE(x) (x)
#include "runtime/reduce_body.h"

#define NAME(name) SET(name##_float16)
#define ELEMENT uint16_t
#define PART float
#define WHOLE double
#define MEMBER real
#define LOAD(x) opmill_float16_to_float(x)
#define STORE(x) opmill_float_to_float16((float)(x))
#include "runtime/reduce_body.h"

#define NAME(name) SET(name##_bfloat16)
#define ELEMENT uint16_t
#define PART float
#define WHOLE double
#define MEMBER real
#define LOAD(x) opmill_bfloat16_to_float(x)
#define STORE(x) opmill_float_to_bfloat16((float)(x))
#include "runtime/reduce_body.h"

#define NAME(name) SET(name##_32)
#define ELEMENT uint32_t
#define PART uint32_t
#define WHOLE uint32_t
#define MEMBER integer
#define LOAD(x) (x)
#define STORE(x) (x)
#include "runtime/reduce_body.h"

#define NAME(name) SET(name##_64)
#define ELEMENT uint64_t
#define PART uint64_t
#define WHOLE uint64_t
#define MEMBER integer
#define LOAD(x) (x)
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
