/* Loops over the functions of one subject, for float and double and for each instruction set, and
 * the function opmill_math_NAME that picks one. The source that includes this defines
 *
 *     FUNCTIONS(LOOP)   the list of functions, LOOP(NAME) for each: opmill_NAME_double gives the
 *                       result in double, opmill_NAME_float a double that is rounded to the float
 *
 * and, where some arguments need another computation,
 *
 *     LEFT_OVER(call)   calls NAME_left_float or _double(x, y, count), which writes them
 *
 * or where blocks of usual arguments have a shorter one that gives the same bits,
 *
 *     USUAL(call)       calls NAME_usual_float or _double(x, y, count), which does nothing and
 *                       returns false where any argument is not usual
 *
 * Functions whose results in float are computed block by block are listed in
 *
 *     FUNCTIONS_BY_BLOCKS(LOOP)   NAME_block(isa, x, y, count) writes the results of float, of at
 *                                 most OPMILL_MATH_BLOCK elements
 *
 * and where loops of double are for tensors of double alone
 *
 *     HAS_DOUBLES       OPMILL_USES(DOUBLE) */
#include "runtime/math/math.h"

#include "opmill/isa.h"
#include "runtime/math/arithmetic.h"
#include "runtime/math/nan.h"

#ifndef HAS_DOUBLES
#define HAS_DOUBLES true
#endif
#ifndef LEFT_OVER
#define LEFT_OVER(call)
#endif
#ifndef USUAL
#define USUAL(call) false
#endif

#ifndef FUNCTIONS_BY_BLOCKS
#define FUNCTIONS_BY_BLOCKS(LOOP)
#endif

#define LOOPS baseline
#define LOOPS_ISA OPMILL_ISA_BASELINE
#include "runtime/math/loops_body.h"
#if OPMILL_X86_64
OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX2)
#define LOOPS avx2
#define LOOPS_ISA OPMILL_ISA_AVX2
#include "runtime/math/loops_body.h"
OPMILL_TARGET_END
OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX512)
#define LOOPS avx512
#define LOOPS_ISA OPMILL_ISA_AVX512
#include "runtime/math/loops_body.h"
OPMILL_TARGET_END
#endif

#if OPMILL_X86_64
#define PICK(loop, function)                                                                  \
    loop *opmill_math_##function(int32_t type, int32_t isa) {                 \
        const int wide = HAS_DOUBLES && type == OPMILL_DOUBLE;                                           \
        switch (isa) {                                                                     \
        case OPMILL_ISA_AVX512:                                                            \
            return wide ? function##_double_avx512 : function##_float_avx512;              \
        case OPMILL_ISA_AVX2:                                                              \
            return wide ? function##_double_avx2 : function##_float_avx2;                  \
        default:                                                                           \
            return wide ? function##_double_baseline : function##_float_baseline;          \
        }                                                                                  \
    }
#else
#define PICK(loop, function)                                                                  \
    loop *opmill_math_##function(int32_t type, int32_t isa) {                 \
        (void)isa;                                                                         \
        return HAS_DOUBLES && type == OPMILL_DOUBLE ? function##_double_baseline           \
                                                    : function##_float_baseline;           \
    }
#endif

#define PICK_UNARY(function) PICK(opmill_math_loop, function)

FUNCTIONS(PICK_UNARY)
FUNCTIONS_BY_BLOCKS(PICK_UNARY)
