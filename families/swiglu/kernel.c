/* SwiGLU: the Swish function of the gate by runs, and the product of each run with the other input
 * while it is in the first-level cache. */
#include "families/swiglu/kernel.h"

#include <string.h>

#include "runtime/numbers/elements.h"
#include "runtime/elementwise/elementwise_binary.h"
#include "runtime/numbers/halves.h"
#include "runtime/platform/isa.h"
#include "runtime/math/math.h"
#include "runtime/platform/platform.h"

enum { RUN = OPMILL_ON_STACK(256, 64) };

typedef opmill_swiglu_plan plan_type;

#define LOOPS baseline
#define LOOPS_ISA OPMILL_ISA_BASELINE
#include "families/swiglu/loops_body.h"
#if OPMILL_X86_64
OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX2)
#define LOOPS avx2
#define LOOPS_ISA OPMILL_ISA_AVX2
#include "families/swiglu/loops_body.h"
OPMILL_TARGET_END
OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX512)
#define LOOPS avx512
#define LOOPS_ISA OPMILL_ISA_AVX512
#include "families/swiglu/loops_body.h"
OPMILL_TARGET_END
#endif

static void describe(opmill_binary *binary, const opmill_tensor *A, const plan_type *plan,
                     const opmill_context *context) {
    const int32_t isa = opmill_isa_select(context->isa), bytes = opmill_type_bytes(A->type);
    opmill_binary_loop *loop = NULL;
    switch (isa) {
#if OPMILL_X86_64
    case OPMILL_ISA_AVX512:
        loop = loop_avx512(A->type);
        break;
    case OPMILL_ISA_AVX2:
        loop = loop_avx2(A->type);
        break;
#endif
    default:
        loop = loop_baseline(A->type);
        break;
    }
    opmill_binary_begin(binary, loop, plan, isa, bytes, bytes);
    for (int32_t i = 0; i < A->rank; i++) {
        opmill_binary_axis(binary, A->dims[i], true, true);
    }
}

int opmill_swiglu_compute(const opmill_tensor *A, const opmill_tensor *B, opmill_tensor *Y,
                          const plan_type *plan, opmill_context *context) {
    opmill_binary binary;
    describe(&binary, A, plan, context);
    opmill_binary_run(&binary, A->data, B->data, Y->data, context);
    return OPMILL_OK;
}

void opmill_swiglu_choose(const opmill_tensor *A, const opmill_tensor *B, const opmill_shape *Y,
                          const plan_type *plan, const opmill_context *context,
                          opmill_choice *choice) {
    opmill_binary binary;
    (void)B;
    (void)Y;
    describe(&binary, A, plan, context);
    opmill_binary_choose(&binary, context, choice);
}
