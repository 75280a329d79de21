/* RegexFullMatch: the pattern becomes a program in the workspace, and each text runs through its
 * automaton. Categories of characters are Unicode 14.0's. */
#include "families/regex_full_match/kernel.h"

#include "runtime/call/workspace.h"
#include "runtime/regex/search.h"

size_t opmill_regex_full_match_workspace_bytes(const opmill_tensor *X, const opmill_shape *Y,
                                               const opmill_regex_full_match_plan *plan,
                                               const opmill_context *context) {
    (void)X;
    (void)Y;
    (void)context;
    return opmill_workspace_size(opmill_regex_bytes(plan->pattern));
}

int opmill_regex_full_match_compute(const opmill_tensor *X, opmill_tensor *Y,
                                    const opmill_regex_full_match_plan *plan,
                                    opmill_context *context) {
    const regex_pattern pattern = {plan->pattern, "pattern", -1};
    regex_automaton automaton;
    const int code = opmill_regex_compile(&automaton, &pattern,
                                          opmill_workspace_begin(context->workspace), context);
    if (code != OPMILL_OK) {
        return code;
    }
    int64_t count = 1;
    for (int32_t i = 0; i < X->rank; i++) {
        count *= X->dims[i];
    }
    for (int64_t i = 0; i < count; i++) {
        const char *const text = ((const char *const *)X->data)[i];
        ((uint8_t *)Y->data)[i] = opmill_regex_matches(&automaton, text);
    }
    return OPMILL_OK;
}
