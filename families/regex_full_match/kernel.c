/* RegexFullMatch: the pattern becomes a program in the workspace, and each text runs through its
 * automaton. Categories of characters are Unicode 14.0's. */
#include "families/regex_full_match/kernel.h"

#include "families/regex_full_match/automaton.h"
#include "families/regex_full_match/program.h"
#include "runtime/call/workspace.h"

/* Where the parts of the workspace begin, in bytes. */
typedef struct layout {
    size_t code, items, groups, states, places, taken, stack, reached, end;
    size_t place_capacity;
} layout;

/* Places that are remembered, for each instruction and in any case. */
enum { PLACES_EACH = 4, PLACES = 1024 };

static size_t behind(size_t begin, size_t count, size_t bytes) {
    return (begin + count * bytes + 15) / 16 * 16;
}

static layout layout_of(const char *pattern) {
    const regex_sizes sizes = opmill_regex_sizes(pattern);
    const size_t places = sizes.code + 1; /* the end is one */
    layout at = {.code = 0, .place_capacity = PLACES_EACH * places + PLACES};
    at.items = behind(at.code, sizes.code, sizeof(regex_instruction));
    at.groups = behind(at.items, sizes.items, sizeof(regex_item));
    at.states = behind(at.groups, sizes.groups, sizeof(regex_group));
    at.places = behind(at.states, STATES, sizeof(regex_state));
    at.taken = behind(at.places, at.place_capacity, sizeof(int32_t));
    at.stack = behind(at.taken, places, sizeof(int32_t));
    at.reached = behind(at.stack, places, sizeof(int32_t));
    at.end = behind(at.reached, places, sizeof(uint32_t));
    return at;
}

size_t opmill_regex_full_match_workspace_bytes(const opmill_tensor *X, const opmill_shape *Y,
                                               const opmill_regex_full_match_plan *plan,
                                               const opmill_context *context) {
    (void)X;
    (void)Y;
    (void)context;
    return opmill_workspace_size(layout_of(plan->pattern).end);
}

int opmill_regex_full_match_compute(const opmill_tensor *X, opmill_tensor *Y,
                                    const opmill_regex_full_match_plan *plan,
                                    opmill_context *context) {
    const layout at = layout_of(plan->pattern);
    char *const memory = opmill_workspace_begin(context->workspace);
    regex_parser parser = {
        .context = context,
        .pattern = plan->pattern,
        .code = (regex_instruction *)(memory + at.code),
        .items = (regex_item *)(memory + at.items),
        .groups = (regex_group *)(memory + at.groups),
    };
    const int code = opmill_regex_parse(&parser);
    if (code != OPMILL_OK) {
        return code;
    }
    regex_automaton automaton = {
        .code = parser.code,
        .items = parser.items,
        .code_count = parser.code_count,
        .states = (regex_state *)(memory + at.states),
        .places = (int32_t *)(memory + at.places),
        .place_capacity = (int32_t)at.place_capacity,
        .taken = (int32_t *)(memory + at.taken),
        .stack = (int32_t *)(memory + at.stack),
        .reached = (uint32_t *)(memory + at.reached),
    };
    int64_t count = 1;
    for (int32_t i = 0; i < X->rank; i++) {
        count *= X->dims[i];
    }
    opmill_regex_begin(&automaton);
    for (int64_t i = 0; i < count; i++) {
        const char *const text = ((const char *const *)X->data)[i];
        ((uint8_t *)Y->data)[i] = opmill_regex_matches(&automaton, text);
    }
    return OPMILL_OK;
}
