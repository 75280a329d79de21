/* VECTOR_BODY, five times: for float (which computes the half types too), double, uint32_t,
 * uint64_t and pairs of 16 bits (IS_PACKED), whose sums are uint32_t. TERMS of a sum are in an
 * element. The file that includes this has included a vector header.
 */
#define TYPES_JOIN2(a, b, c) a##_##b##_##c
#define TYPES_JOIN(a, b, c) TYPES_JOIN2(a, b, c)
#define UNROLLED OPMILL_UNROLLED

#define REAL float
#define VECTOR f32_vector
#define LANES F32_LANES
#define OP(operation) f32_##operation
#define NAME(function) TYPES_JOIN(opmill_##function, f32, VECTOR_SUFFIX)
#define HAS_HALF_TYPES 1
#define IS_INTEGER 0
#define IS_PACKED 0
#define TERMS 1
#include VECTOR_BODY
#undef REAL
#undef VECTOR
#undef LANES
#undef OP
#undef NAME
#undef HAS_HALF_TYPES

#define REAL double
#define VECTOR f64_vector
#define LANES F64_LANES
#define OP(operation) f64_##operation
#define NAME(function) TYPES_JOIN(opmill_##function, f64, VECTOR_SUFFIX)
#define HAS_HALF_TYPES 0
#include VECTOR_BODY
#undef REAL
#undef VECTOR
#undef LANES
#undef OP
#undef NAME
#undef IS_INTEGER

#define REAL uint32_t
#define VECTOR u32_vector
#define LANES U32_LANES
#define OP(operation) u32_##operation
#define NAME(function) TYPES_JOIN(opmill_##function, u32, VECTOR_SUFFIX)
#define IS_INTEGER 1
#include VECTOR_BODY
#undef REAL
#undef VECTOR
#undef LANES
#undef OP
#undef NAME

#define REAL uint64_t
#define VECTOR u64_vector
#define LANES U64_LANES
#define OP(operation) u64_##operation
#define NAME(function) TYPES_JOIN(opmill_##function, u64, VECTOR_SUFFIX)
#include VECTOR_BODY
#undef REAL
#undef VECTOR
#undef LANES
#undef OP
#undef NAME
#undef IS_PACKED
#undef TERMS

#define REAL uint32_t
#define VECTOR p16_vector
#define LANES P16_LANES
#define OP(operation) p16_##operation
#define NAME(function) TYPES_JOIN(opmill_##function, p16, VECTOR_SUFFIX)
#define IS_PACKED 1
#define TERMS 2
#include VECTOR_BODY
