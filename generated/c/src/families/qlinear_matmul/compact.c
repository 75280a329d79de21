/* QLinearMatMul, compact: each element of the output is one sum of integers, which is exact, and a
 * factor of its column. */
#include "families/qlinear_matmul/compact.h"

#include "runtime/quantized/compact.h"

enum { COLUMNS = 4 }; /* that are summed together, as they have the elements of a in common */

#define A int8_t
#define B int8_t
#define NAME(name) name##_int8_int8
#include "families/qlinear_matmul/compact_body.h"

#define A uint8_t
#define B int8_t
#define NAME(name) name##_uint8_int8
#include "families/qlinear_matmul/compact_body.h"

#define A int8_t
#define B uint8_t
#define NAME(name) name##_int8_uint8
#include "families/qlinear_matmul/compact_body.h"

#define A uint8_t
#define B uint8_t
#define NAME(name) name##_uint8_uint8
#include "families/qlinear_matmul/compact_body.h"
