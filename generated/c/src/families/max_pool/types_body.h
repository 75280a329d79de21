/* The rows and the planes kernel for each type; the file that includes this has included a vector
 * header. */
#define TYPES_JOIN2(a, b, c) a##_##b##_##c
#define TYPES_JOIN(a, b, c) TYPES_JOIN2(a, b, c)

#define REAL float
#define VECTOR f32_vector
#define MASK f32_mask
#define LANES F32_LANES
#define LOWEST (-INFINITY)
#define HIGHEST INFINITY
#define OP(operation) f32_##operation
#define NAME(function) TYPES_JOIN(max_pool_##function, f32, VECTOR_SUFFIX)
#define TABLE TYPES_JOIN(opmill_max_pool, f32, VECTOR_SUFFIX)
#define HAS_NAN 1
#define IS_NUMBER(value) ((value) == (value))
#define HAS_HALF_TYPES 1
#include "rows_body.h"
#include "planes_body.h"
#undef REAL
#undef VECTOR
#undef MASK
#undef LANES
#undef LOWEST
#undef HIGHEST
#undef OP
#undef NAME
#undef TABLE
#undef HAS_NAN
#undef IS_NUMBER
#undef HAS_HALF_TYPES

#define REAL double
#define VECTOR f64_vector
#define MASK f64_mask
#define LANES F64_LANES
#define LOWEST (-(double)INFINITY)
#define HIGHEST ((double)INFINITY)
#define OP(operation) f64_##operation
#define NAME(function) TYPES_JOIN(max_pool_##function, f64, VECTOR_SUFFIX)
#define TABLE TYPES_JOIN(opmill_max_pool, f64, VECTOR_SUFFIX)
#define HAS_NAN 1
#define IS_NUMBER(value) ((value) == (value))
#define HAS_HALF_TYPES 0
#include "rows_body.h"
#include "planes_body.h"
#undef REAL
#undef VECTOR
#undef MASK
#undef LANES
#undef LOWEST
#undef HIGHEST
#undef OP
#undef NAME
#undef TABLE
#undef HAS_NAN
#undef IS_NUMBER
#undef HAS_HALF_TYPES

#define REAL int8_t
#define VECTOR s8_vector
#define MASK s8_mask
#define LANES S8_LANES
#define LOWEST (INT8_MIN)
#define HIGHEST INT8_MAX
#define OP(operation) s8_##operation
#define NAME(function) TYPES_JOIN(max_pool_##function, s8, VECTOR_SUFFIX)
#define TABLE TYPES_JOIN(opmill_max_pool, s8, VECTOR_SUFFIX)
#define HAS_NAN 0
#define IS_NUMBER(value) true
#define HAS_HALF_TYPES 0
#include "channels_body.h"
#include "rows_body.h"
#include "planes_body.h"
#undef REAL
#undef VECTOR
#undef MASK
#undef LANES
#undef LOWEST
#undef HIGHEST
#undef OP
#undef NAME
#undef TABLE
#undef HAS_NAN
#undef IS_NUMBER
#undef HAS_HALF_TYPES

#define REAL uint8_t
#define VECTOR u8_vector
#define MASK u8_mask
#define LANES U8_LANES
#define LOWEST (0)
#define HIGHEST UINT8_MAX
#define OP(operation) u8_##operation
#define NAME(function) TYPES_JOIN(max_pool_##function, u8, VECTOR_SUFFIX)
#define TABLE TYPES_JOIN(opmill_max_pool, u8, VECTOR_SUFFIX)
#define HAS_NAN 0
#define IS_NUMBER(value) true
#define HAS_HALF_TYPES 0
#include "channels_body.h"
#include "rows_body.h"
#include "planes_body.h"
#undef REAL
#undef VECTOR
#undef MASK
#undef LANES
#undef LOWEST
#undef HIGHEST
#undef OP
#undef NAME
#undef TABLE
#undef HAS_NAN
#undef IS_NUMBER
#undef HAS_HALF_TYPES
