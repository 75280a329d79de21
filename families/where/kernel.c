/* Where: each element is that of X or that of Y.
 *
 * The loops are plain C that compilers vectorise: the same source for each instruction set. */
#include "families/where/kernel.h"

#include <stdbool.h>
#include <string.h>

#include "runtime/numbers/elements.h"
#include "runtime/elementwise/elementwise_several.h"
#include "runtime/platform/isa.h"
#include "runtime/platform/platform.h"

#define LOOPS baseline
#include "families/where/loops_body.h"
#if OPMILL_X86_64
OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX2)
#define LOOPS avx2
#include "families/where/loops_body.h"
OPMILL_TARGET_END
OPMILL_TARGET_BEGIN(OPMILL_SETS_AVX512)
#define LOOPS avx512
#include "families/where/loops_body.h"
OPMILL_TARGET_END
#endif

static void describe(opmill_several *several, const opmill_tensor *const *inputs,
                     const int64_t *dims, int32_t rank, const opmill_context *context) {
    const int32_t isa = opmill_isa_select(context->isa);
    const int32_t bytes = opmill_type_bytes(inputs[1]->type);
    opmill_several_compute *compute = NULL;
    switch (isa) {
#if OPMILL_X86_64
    case OPMILL_ISA_AVX512:
        compute = choose_avx512(bytes);
        break;
    case OPMILL_ISA_AVX2:
        compute = choose_avx2(bytes);
        break;
#endif
    default:
        compute = choose_baseline(bytes);
        break;
    }
    opmill_several_begin(several, compute, NULL, isa, inputs, 3, dims, rank, bytes);
}

int opmill_where_compute(const opmill_tensor *condition, const opmill_tensor *X,
                         const opmill_tensor *Y, opmill_tensor *output,
                         const opmill_where_plan *plan, opmill_context *context) {
    const opmill_tensor *const inputs[] = {condition, X, Y};
    opmill_several several;
    (void)plan;
    describe(&several, inputs, output->dims, output->rank, context);
    opmill_several_run(&several, output->data, context);
    return OPMILL_OK;
}

void opmill_where_choose(const opmill_tensor *condition, const opmill_tensor *X,
                         const opmill_tensor *Y, const opmill_shape *output,
                         const opmill_where_plan *plan, const opmill_context *context,
                         opmill_choice *choice) {
    const opmill_tensor *const inputs[] = {condition, X, Y};
    opmill_several several;
    (void)plan;
    describe(&several, inputs, output->dims, output->rank, context);
    opmill_several_choose(&several, context, choice);
}
