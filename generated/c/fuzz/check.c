/* Properties of every call, valid or not:
 *
 *   - infer, measure and run agree on whether it is legal, with one code and one message, and
 *     workspace does not refuse what they accept;
 *   - what is refused has a code, a message that begins with the version's label, and has written
 *     nothing; what is not refused leaves the error as it was;
 *   - no input, attribute, description of an output, or byte beside a block is ever written;
 *   - a legal call has the same result bit for bit when it is repeated, whatever memory and stack
 *     held before, and the same on other threads and instruction sets. Whether it is right, the
 *     tests decide.
 *
 * The preconditions of the library hold here too: data has as many elements as dims say,
 * a string of an attribute ends with NUL, and pointers are valid. A tensor
 * that is too large for that has no data. */
#include <string.h>

#include "calls.h"
#include "compare.h"
#include "run.h"
#include "tally.h"
#include "values.h"

static bool is_missing_isa(const run_outcome *outcome, const manner *how) {
    return how->isa > OPMILL_ISA_BASELINE && outcome->code == OPMILL_ERROR_CALL &&
           strstr(outcome->context.error.message,
                  " is not available, expected one of this machine") != NULL;
}

/* True if the family has declared that it does not compute with a type of the call. */
static bool is_gap(const run_outcome *outcome) {
    return outcome->code == OPMILL_ERROR_TYPE &&
           strstr(outcome->context.error.message, " is not supported in C, expected another: ") !=
               NULL;
}

/* The text behind a number, or behind a range of numbers, as "0 to 3"; the text itself where it
 * begins with neither. */
static const char *behind_numbers(const char *text) {
    static const char DIGITS[] = "-0123456789", TO[] = " to ";
    const char *const end = text + strspn(text, DIGITS);
    const char *const second = end + sizeof TO - 1;
    const bool is_range = end > text && strncmp(end, TO, sizeof TO - 1) == 0;
    return is_range ? second + strspn(second, DIGITS) : end;
}

/* Skips the numbers that both texts have at one place; false where either has none. A range of one
 * number is written as this number. */
static bool skip_numbers(const char **a, const char **b) {
    const char *const behind_a = behind_numbers(*a), *const behind_b = behind_numbers(*b);
    const bool both = behind_a > *a && behind_b > *b;
    *a = both ? behind_a : *a;
    *b = both ? behind_b : *b;
    return both;
}

/* True if two texts are the same but for their numbers. */
static bool same_but_numbers(const char *said, const char *due) {
    while (*said != '\0' && *due != '\0') {
        if (!skip_numbers(&said, &due) && *said++ != *due++) {
            return false;
        }
    }
    return *said == *due;
}

/* True if the kernel refuses contents: with what a reject of the version says that it expects,
 * which may be a range of other numbers, or because a text is not UTF-8, which no reject holds. */
static bool refuses_contents(int code, const opmill_context *context) {
    const case_table *const table = case_table_of(current->operator);
    const char *const said = strstr(context->error.message, ", expected ");
    if (table == NULL || said == NULL) {
        return false;
    }
    if (code == OPMILL_ERROR_CALL && strcmp(said, ", expected UTF-8") == 0) {
        return true;
    }
    for (int32_t i = 0; i < table->reject_count; i++) {
        const case_reject *const reject = &table->rejects[i];
        const char *const due =
            reject->message != NULL ? strstr(reject->message, ", expected ") : NULL;
        if (reject->by_kernel && code == reject->code && due != NULL &&
            same_but_numbers(said, due)) {
            return true;
        }
    }
    return false;
}

static bool is_contents(const run_outcome *outcome) {
    return refuses_contents(outcome->code, &outcome->context);
}

/* Where a family tells how it would compute a call, it is a way that the run could take. Contents
 * that a run would refuse are not looked at. */
static void check_choice(const run_outcome *outcome, const manner *how, const call_arguments *given,
                         int32_t count) {
    opmill_choice choice = {NULL, -1, -1};
    opmill_context context;
    context_begin(&context);
    context.threads = how->threads;
    context.isa = how->isa;
    const int code = opmill_choose(current->operator, given->inputs, given->input_count,
                                   given->attributes, count, &choice, &context);
    check_error(code, &context);
    MUST((code == OPMILL_OK) == (outcome->code == OPMILL_OK || is_contents(outcome)),
         "choose accepts what run accepts", code, &context);
    if (code == OPMILL_OK) {
        if (choice.variant == NULL) { /* the family does not report one */
            return;
        }
        MUST(choice.threads >= 1 && choice.threads <= (how->threads > 1 ? how->threads : 1) &&
                 choice.isa > OPMILL_ISA_AUTO && choice.isa <= OPMILL_ISA_NEON,
             "choose tells a way", code, NULL);
        tally_way(current, choice.variant);
    }
}

/* True if elements are the same bit for bit; of strings, their texts. */
static bool same_bits(const opmill_tensor *a, const opmill_tensor *b, int64_t elements) {
    if (b->type != OPMILL_STRING) {
        return elements == 0 || memcmp(a->data, b->data, type_bytes(b->type, elements)) == 0;
    }
    for (int64_t i = 0; i < elements; i++) {
        const char *text, *other;
        memcpy(&text, (const char *)a->data + (size_t)i * sizeof text, sizeof text);
        memcpy(&other, (const char *)b->data + (size_t)i * sizeof other, sizeof other);
        if (strcmp(text, other) != 0) {
            return false;
        }
    }
    return true;
}

static void check_same(const run_outcome *a, const opmill_tensor *const *b, int32_t count,
                       bool exact, const char *what) {
    const case_table *const table = case_table_of(current->operator);
    for (int32_t i = 0; i < count; i++) {
        const case_accuracy *const accuracy =
            exact || table == NULL || b[i] == NULL ? NULL : accuracy_of(table, b[i]->type);
        if (b[i] == NULL) {
            continue; /* an absent optional one */
        }
        const int64_t elements = count_of(b[i]->dims, b[i]->rank);
        const bool same = accuracy != NULL
                              ? same_elements(a->outputs[i], b[i], accuracy->rtol, accuracy->atol)
                              : same_bits(a->outputs[i], b[i], elements);
        MUST(same, what, a->code, NULL);
    }
}

/* True if sums depend on nothing but the values: their order may not matter to a judge. */
static bool is_exact(const call *from) {
    for (int32_t i = 0; i < from->tensor_count; i++) {
        const call_tensor *const tensor = &from->tensors[i];
        if (tensor->content == CONTENT_WILD) {
            return false;
        }
        for (int32_t k = 0; tensor->content == CONTENT_VALUES && k < tensor->values.count; k++) {
            if (tensor->values.values[k] < -1000 || tensor->values.values[k] > 1000) {
                return false;
            }
        }
    }
    return true;
}

static bool same_words(const opmill_context *a, const opmill_context *b) {
    return memcmp(&a->error, &b->error, sizeof a->error.code) == 0 &&
           strncmp(a->error.message, b->error.message, OPMILL_MESSAGE_SIZE) == 0;
}

/* What infer says. Workspace accepts the same, and more where none is ever needed. */
static int check_infer(const call_arguments *given, opmill_shape *shapes, opmill_context *context) {
    const call *const from = current;
    const bool no_results = (from->spoiled & CALL_NO_RESULTS) != 0;
    const bool no_context = (from->spoiled & CALL_NO_CONTEXT) != 0;
    opmill_context asked;
    size_t needed = 77;
    context_begin(context);
    context_begin(&asked);
    context->threads = asked.threads = from->threads[0];
    scribble(0x5A);
    const int code =
        opmill_infer(from->operator, given->inputs, given->input_count, given->attributes,
                     no_results ? NULL : shapes, from->output_count, no_context ? NULL : context);
    scribble(0xA5);
    const int asked_code = opmill_workspace(
        from->operator, given->inputs, given->input_count, given->attributes, from->output_count,
        no_results ? NULL : &needed, no_context ? NULL : &asked);
    MUST(memory_intact(&given->blocks), "infer leaves the inputs as they were", code, context);
    MUST(code != OPMILL_OK || asked_code == OPMILL_OK, "workspace accepts what infer accepts",
         asked_code, &asked);
    MUST(asked_code == OPMILL_OK || needed == 77,
         "no workspace is returned where a call is refused", asked_code, &asked);
    if (no_context) {
        MUST(code == OPMILL_ERROR_CALL, "a call without a context is refused", code, NULL);
        return code;
    }
    check_error(code, context);
    check_error(asked_code, &asked);
    return code;
}

/* The actual shapes, where data determine them: never beyond the bounds of infer. */
static void check_measure(const call_arguments *given, opmill_shape *shapes, int32_t count) {
    const opmill_operator *const operator = current->operator;
    opmill_shape measured[RUN_OUTPUTS];
    opmill_context context;
    memory results = {.count = 0};
    size_t needed = 0;
    if (count == 0) {
        return;
    }
    context_begin(&context);
    context.threads = current->threads[0];
    (void)opmill_workspace(operator, given->inputs, given->input_count, given->attributes, count,
                           &needed, &context);
    if (needed > RUN_MAX_WORKSPACE) {
        return; /* of a shape that no data were made for */
    }
    context.workspace = needed > 0 ? memory_new(&results, needed, 0) : NULL;
    context.workspace_size = needed;
    const int code = opmill_measure(operator, given->inputs, given->input_count, given->attributes,
                                    measured, count, &context);
    check_error(code, &context);
    MUST(memory_intact(&given->blocks), "measure leaves the inputs as they were", code, &context);
    MUST(memory_intact(&results), "measure writes nothing beside its workspace", code, &context);
    MUST((code == OPMILL_OK) == !given->lacking || refuses_contents(code, &context),
         "measure wants what infer wants, and data", code, &context);
    for (int32_t i = 0; code == OPMILL_OK && i < count; i++) {
        const bool bounded =
            parameter_of(operator->outputs, operator->output_count, i)->bounded != 0;
        bool same = measured[i].type == shapes[i].type && measured[i].rank == shapes[i].rank;
        for (int32_t k = 0; same && k < shapes[i].rank; k++) {
            same = bounded ? measured[i].dims[k] <= shapes[i].dims[k]
                           : measured[i].dims[k] == shapes[i].dims[k];
        }
        MUST(same, "measure stays within what infer tells", code, &context);
        shapes[i] = measured[i];
    }
    memory_free(&results);
}

/* The result again, from memory and stack that held something else. */
static void check_again(const run_outcome *first, const manner *how, const call_arguments *given,
                        const opmill_shape *shapes, int32_t count) {
    run_outcome again;
    manner other = *how;
    other.pattern = (unsigned char)~how->pattern;
    run_begin(&again, &other, given, shapes, count);
    MUST(again.code == OPMILL_OK, "a call succeeds again", again.code, &again.context);
    check_same(&again, (const opmill_tensor *const *)first->outputs, count, true,
               "a call has the same result again, bit for bit");
    run_end(&again);
}

static void check_elsewhere(const run_outcome *first, const call_arguments *given,
                            const opmill_shape *shapes, int32_t count) {
    run_outcome other;
    const manner how = {current->threads[1], current->isa[1], WORKSPACE_RIGHT, OUTPUT_RIGHT, 0x3C};
    run_begin(&other, &how, given, shapes, count);
    MUST(other.code == OPMILL_OK || other.refusable || is_missing_isa(&other, &how),
         "a call succeeds on other threads and instruction sets", other.code, &other.context);
    if (other.code == OPMILL_OK && is_exact(current)) {
        check_same(&other, (const opmill_tensor *const *)first->outputs, count, false,
                   "threads and instruction sets have the same result");
    }
    run_end(&other);
}

/* True if there is room for the outputs that a call asks for: what it says is taken as true, where
 * the last output is variadic. */
static bool has_room(const call *from) {
    const int32_t last = from->operator->output_count - 1;
    return from->output_count <= RUN_OUTPUTS || last < 0 ||
           from->operator->outputs[last].option != OPMILL_VARIADIC;
}

bool call_check(const call *from) {
    call_arguments given;
    opmill_shape shapes[RUN_OUTPUTS];
    opmill_context inferred;
    run_outcome first;
    const manner how = {from->threads[0], from->isa[0], from->workspace, from->output, 0xC3};
    current = from;
    if (!has_room(from)) {
        return false;
    }
    arguments_begin(&given, from);
    const int code = check_infer(&given, shapes, &inferred);
    const int32_t count = code == OPMILL_OK ? from->output_count : 0;
    check_measure(&given, shapes, count);
    run_begin(&first, &how, &given, shapes, count);
    if (code != OPMILL_OK) {
        MUST(first.code != OPMILL_OK, "run refuses what infer refuses", code, &inferred);
        if (!given.lacking && (from->spoiled & CALL_NO_CONTEXT) == 0 &&
            !lacks_graphs(from->operator, &inferred)) { /* then run lacks outputs */
            MUST(first.code == code && same_words(&first.context, &inferred),
                 "run and infer refuse in the same words", code, &inferred);
        }
    } else if (given.lacking || first.refusable) {
        MUST(first.code != OPMILL_OK, "a wrong call is refused", first.code, NULL);
    } else {
        MUST(first.code == OPMILL_OK || is_missing_isa(&first, &how) || is_gap(&first) ||
                 is_contents(&first),
             "run does what infer accepts", first.code, &first.context);
        check_choice(&first, &how, &given, count);
    }
    const bool computed = first.code == OPMILL_OK;
    if (computed) {
        check_again(&first, &how, &given, shapes, count);
        check_elsewhere(&first, &given, shapes, count);
    }
    run_end(&first);
    arguments_end(&given);
    return computed;
}
