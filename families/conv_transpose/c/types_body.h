/* The kernels for float, which computes the half types too, and for double; the file that includes
 * this has included a vector header.
 */
#define TYPES_JOIN2(a, b, c) a##_##b##_##c
#define TYPES_JOIN(a, b, c) TYPES_JOIN2(a, b, c)
#define UNROLLED OPMILL_UNROLLED

#define REAL float
#define VECTOR f32_vector
#define MASK f32_mask
#define LANES F32_LANES
#define OP(operation) f32_##operation
#define NAME(function) TYPES_JOIN(opmill_conv_transpose_##function, f32, VECTOR_SUFFIX)
#define TABLE TYPES_JOIN(opmill_conv_transpose, f32, VECTOR_SUFFIX)
#define HAS_HALF_TYPES 1
#include "kernels_body.h"
#undef REAL
#undef VECTOR
#undef MASK
#undef LANES
#undef OP
#undef NAME
#undef TABLE
#undef HAS_HALF_TYPES

#define REAL double
#define VECTOR f64_vector
#define MASK f64_mask
#define LANES F64_LANES
#define OP(operation) f64_##operation
#define NAME(function) TYPES_JOIN(opmill_conv_transpose_##function, f64, VECTOR_SUFFIX)
#define TABLE TYPES_JOIN(opmill_conv_transpose, f64, VECTOR_SUFFIX)
#define HAS_HALF_TYPES 0
#include "kernels_body.h"
