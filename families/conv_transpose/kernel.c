/* ConvTranspose: the entry of the family's kernels, which turns a call into a problem and takes a
 * kernel by shape. Each kernel's header states when it is selected.
 */
#include "families/conv_transpose/kernel.h"

#include "families/conv_transpose/columns.h"
#include "families/conv_transpose/depthwise.h"
#include "families/conv_transpose/direct.h"
#include "families/conv_transpose/small_input.h"
#include "families/conv_transpose/groups.h"
#include "families/conv_transpose/phases.h"
#include "families/conv_transpose/problem.h"
#include "families/conv_transpose/taps.h"
#include "runtime/platform/isa.h"
#include "runtime/platform/platform.h"

/* Minimum number of products before preparations and threading pay off. */
static const double MIN_PREPARED_PRODUCTS = 4096;

/* Beyond so many, which would take days, layouts might not fit an int64: only the workspace of
 * shapes without data is asked for there, and the direct kernel has none. */
static const double MAX_PRODUCTS = 7e16;

/* What is built for an instruction set; NULL where that is standard C alone. */
static const conv_transpose_functions *functions_for(int32_t isa, int32_t type) {
    const conv_transpose_functions *of_float = NULL;
    const conv_transpose_functions *of_double = NULL;
    switch (opmill_isa_select(isa)) {
#if OPMILL_X86_64
    case OPMILL_ISA_AVX512:
        of_float = &opmill_conv_transpose_f32_avx512;
        of_double = &opmill_conv_transpose_f64_avx512;
        break;
    case OPMILL_ISA_AVX2:
        of_float = &opmill_conv_transpose_f32_avx2;
        of_double = &opmill_conv_transpose_f64_avx2;
        break;
#endif
#if OPMILL_GNU
    case OPMILL_ISA_NEON:
    case OPMILL_ISA_BASELINE:
        of_float = &opmill_conv_transpose_f32_baseline;
        of_double = &opmill_conv_transpose_f64_baseline;
        break;
#endif
    default:
        break;
    }
    return type == OPMILL_DOUBLE ? of_double : of_float;
}

/* Which kernel a problem takes, and how it is laid out for it. */
typedef struct way {
    enum { DIRECT, GROUPS, DEPTHWISE, SMALL_INPUT, COLUMNS, TAPS, PHASES } kernel;
    int32_t threads;
    size_t workspace;
    union {
        groups_layout groups;
        depthwise_layout depthwise;
        small_input_layout small_input;
        columns_layout columns;
        taps_layout taps;
        phases_layout phases;
    } layout;
} way;

/* What opmill_conv_transpose_choose calls them, in the same order. */
static const char *const NAMES[] = {"direct",  "groups", "depthwise", "small_input",
                                    "columns", "taps",   "phases"};

static void choose(way *chosen, const conv_transpose_problem *problem,
                   const opmill_context *context) {
    const conv_transpose_functions *const functions = functions_for(context->isa, problem->type);
    int32_t threads = context->threads > 1 ? context->threads : 1;
    chosen->kernel = DIRECT;
    chosen->workspace = 0;
    chosen->threads = threads;
    const double products = (double)problem->batch * (double)problem->groups *
                            (double)problem->channels * (double)problem->in_size *
                            (double)problem->maps * (double)problem->kernel_size;
    if (products < MIN_PREPARED_PRODUCTS) {
        chosen->threads = 1;
        return;
    }
    if (!functions || products > MAX_PRODUCTS) {
        return;
    }
    /* Each thread has a part of the workspace: fewer threads where it would grow too large. */
    for (; chosen->kernel == DIRECT && threads > 0; threads /= 2) {
        if (opmill_conv_transpose_groups_layout(&chosen->layout.groups, problem, functions,
                                                threads)) {
            chosen->kernel = GROUPS;
            chosen->workspace = chosen->layout.groups.bytes;
        } else if (opmill_conv_transpose_depthwise_layout(&chosen->layout.depthwise, problem,
                                                          functions, threads)) {
            chosen->kernel = DEPTHWISE;
            chosen->workspace = chosen->layout.depthwise.bytes;
        } else if (opmill_conv_transpose_small_input_layout(&chosen->layout.small_input, problem,
                                                            functions, threads)) {
            chosen->kernel = SMALL_INPUT;
            chosen->workspace = chosen->layout.small_input.bytes;
        } else if (opmill_conv_transpose_columns_layout(&chosen->layout.columns, problem, functions,
                                                        threads)) {
            chosen->kernel = COLUMNS;
            chosen->workspace = chosen->layout.columns.bytes;
        } else if (opmill_conv_transpose_taps_layout(&chosen->layout.taps, problem, functions,
                                                     threads)) {
            chosen->kernel = TAPS;
            chosen->workspace = chosen->layout.taps.bytes;
        } else if (opmill_conv_transpose_phases_layout(&chosen->layout.phases, problem, functions,
                                                       threads)) {
            chosen->kernel = PHASES;
            chosen->workspace = chosen->layout.phases.bytes;
        }
        if (chosen->kernel != DIRECT) {
            chosen->threads = threads;
        }
    }
}

size_t opmill_conv_transpose_workspace_bytes(const opmill_tensor *x, const opmill_tensor *w,
                                             const opmill_tensor *bias, const opmill_shape *output,
                                             const opmill_conv_transpose_plan *plan,
                                             const opmill_context *context) {
    conv_transpose_problem problem;
    way chosen;
    if (!opmill_conv_transpose_problem(&problem, x, w, bias, NULL, output->dims,
                                       plan->strides.values, plan->dilations.values,
                                       plan->begin.values, plan->group)) {
        return 0;
    }
    choose(&chosen, &problem, context);
    return chosen.workspace > 0 ? chosen.workspace + CONV_TRANSPOSE_ALIGNMENT : 0;
}

int opmill_conv_transpose_compute(const opmill_tensor *x, const opmill_tensor *w,
                                  const opmill_tensor *bias, opmill_tensor *y,
                                  const opmill_conv_transpose_plan *plan, opmill_context *context) {
    conv_transpose_problem problem;
    way chosen;
    if (!opmill_conv_transpose_problem(&problem, x, w, bias, y->data, y->dims, plan->strides.values,
                                       plan->dilations.values, plan->begin.values, plan->group)) {
        return OPMILL_OK;
    }
    choose(&chosen, &problem, context);
    char *workspace = context->workspace;
    if (chosen.workspace > 0) {
        workspace += (size_t)(-(uintptr_t)workspace % CONV_TRANSPOSE_ALIGNMENT);
    }
    switch (chosen.kernel) {
    case GROUPS:
        opmill_conv_transpose_groups(&chosen.layout.groups, workspace);
        break;
    case DEPTHWISE:
        opmill_conv_transpose_depthwise(&chosen.layout.depthwise, workspace);
        break;
    case SMALL_INPUT:
        opmill_conv_transpose_small_input(&chosen.layout.small_input, workspace);
        break;
    case COLUMNS:
        opmill_conv_transpose_columns(&chosen.layout.columns, workspace);
        break;
    case TAPS:
        opmill_conv_transpose_taps(&chosen.layout.taps, workspace);
        break;
    case PHASES:
        opmill_conv_transpose_phases(&chosen.layout.phases, workspace);
        break;
    default:
        opmill_conv_transpose_direct(&problem, chosen.threads);
        break;
    }
    return OPMILL_OK;
}

void opmill_conv_transpose_choose(const opmill_tensor *x, const opmill_tensor *w,
                                  const opmill_tensor *bias, const opmill_shape *output,
                                  const opmill_conv_transpose_plan *plan,
                                  const opmill_context *context, opmill_choice *choice) {
    conv_transpose_problem problem;
    way chosen;
    *choice = (opmill_choice){"empty", OPMILL_ISA_PLAIN, 1};
    if (opmill_conv_transpose_problem(&problem, x, w, bias, NULL, output->dims,
                                      plan->strides.values, plan->dilations.values,
                                      plan->begin.values, plan->group)) {
        choose(&chosen, &problem, context);
        choice->variant = NAMES[chosen.kernel];
        choice->threads = chosen.threads;
        if (chosen.kernel != DIRECT) {
            choice->isa = opmill_isa_select(context->isa);
        }
    }
}
