/* Every example of every version, for every type that it is to be repeated for: on each instruction
 * set, on several threads, with the outputs at either end of guarded memory. */
#include <stdio.h>
#include <string.h>

#include "calls.h"
#include "compare.h"
#include "opmill/isa.h"
#include "opmill/operators.h"
#include "runtime/platform/isa.h"
#include "runtime/platform/parallel.h"
#include "values.h"

static long calls;

typedef struct setting {
    int32_t isa;
    int32_t threads;
    bool at_end;
} setting;

static const setting SETTINGS[] = {
    {OPMILL_ISA_AUTO, 0, true},     {OPMILL_ISA_AUTO, 3, false},  {OPMILL_ISA_PLAIN, 1, true},
    {OPMILL_ISA_BASELINE, 1, true}, {OPMILL_ISA_AVX2, 1, true},   {OPMILL_ISA_AVX512, 1, true},
    {OPMILL_ISA_NEON, 1, true},     {OPMILL_ISA_PLAIN, 2, false},
};

enum { SETTING_COUNT = sizeof SETTINGS / sizeof SETTINGS[0] };

/* True if a setting computes otherwise than all before it: builds without threads have one,
 * and where there are no wide vectors the best instruction set is the baseline. Whether one that
 * this machine lacks is refused, the first example of a version shows. */
static bool is_distinct(const setting *wanted, bool is_first) {
    const int32_t isa = opmill_isa_select(wanted->isa);
    const int32_t threads = opmill_parallel_threads(wanted->threads);
    if (isa < 0) {
        return is_first;
    }
    for (const setting *other = SETTINGS; other < wanted; other++) {
        if (opmill_isa_select(other->isa) == isa &&
            opmill_parallel_threads(other->threads) == threads) {
            return false;
        }
    }
    return true;
}

static bool is_missing_isa(const opmill_context *context) {
    return strstr(context->error.message, " is not available, expected one of this machine") !=
           NULL;
}

/* For a bounded output, infer returns dims that are not below the actual ones. */
static void check_shapes(const opmill_operator *operator, const opmill_shape *shapes, bool measured,
                         const call_tensors *expected) {
    for (int32_t i = 0; i < expected->count; i++) {
        const opmill_tensor *const wanted = &expected->tensors[i];
        if (wanted->type == OPMILL_UNDEFINED) {
            continue; /* the example does not request it */
        }
        const bool bounded =
            !measured && parameter_of(operator->outputs, operator->output_count, i)->bounded != 0;
        bool same = shapes[i].type == wanted->type && shapes[i].rank == wanted->rank;
        for (int32_t k = 0; same && k < wanted->rank; k++) {
            same = bounded ? shapes[i].dims[k] >= wanted->dims[k]
                           : shapes[i].dims[k] == wanted->dims[k];
        }
        check(same, measured ? "the measured type and shape" : "the inferred type and shape");
    }
}

/* With the contents, and with none, where infer may ask for some. */
static void check_infer(const opmill_operator *operator, const call_tensors *inputs,
                        const void *attributes, const call_tensors *expected) {
    opmill_shape shapes[MAX_TENSORS];
    opmill_context context = OPMILL_CONTEXT_INIT;
    int code = opmill_infer(operator, inputs->given, inputs->count, attributes, shapes,
                            expected->count, &context);
    if (operator->runs_graphs != 0) {
        check(code == OPMILL_ERROR_CALL && lacks_graphs(operator, &context), "infer is refused");
        return;
    }
    check(code == OPMILL_OK, "infer succeeds");
    if (code != OPMILL_OK) {
        fail("%s", context.error.message);
        return;
    }
    check_shapes(operator, shapes, false, expected);
    opmill_tensor bare[MAX_TENSORS];
    const opmill_tensor *given[MAX_TENSORS];
    for (int32_t i = 0; i < inputs->count; i++) {
        bare[i] = inputs->tensors[i];
        bare[i].data = type_has_items(bare[i].type) ? bare[i].data : NULL; /* it has dims */
        given[i] = inputs->given[i] != NULL ? &bare[i] : NULL;
    }
    code =
        opmill_infer(operator, given, inputs->count, attributes, shapes, expected->count, &context);
    if (code == OPMILL_OK) {
        check_shapes(operator, shapes, false, expected);
    } else {
        check(code == OPMILL_ERROR_CALL &&
                  strstr(context.error.message, " is unknown, expected a tensor with data") != NULL,
              "infer asks for a value");
    }
}

/* Checks measure in the context of a run. */
static void check_measure(const opmill_operator *operator, const case_example *example,
                          const call_tensors *inputs, const call_tensors *expected,
                          opmill_context *context) {
    opmill_shape shapes[MAX_TENSORS];
    const int code = opmill_measure(operator, inputs->given, inputs->count, example->attributes,
                                    shapes, expected->count, context);
    if (operator->runs_graphs != 0) {
        check(code == OPMILL_ERROR_CALL && lacks_graphs(operator, context), "measure is refused");
        return;
    }
    check(code == OPMILL_OK || is_missing_isa(context), "measure succeeds");
    if (code == OPMILL_OK) {
        check_shapes(operator, shapes, true, expected);
    }
}

/* Checks the functions that describe a call before it runs. */
static void check_choice(const opmill_operator *operator, const case_example *example,
                         const call_tensors *inputs, const call_tensors *expected,
                         opmill_context *context) {
    opmill_choice choice = {NULL, OPMILL_ISA_AUTO, 0};
    const int code = opmill_choose(operator, inputs->given, inputs->count, example->attributes,
                                   expected->count, &choice, context);
    if (code != OPMILL_OK) {
        check(is_missing_isa(context), "a choice is refused only for the instruction set");
        return;
    }
    if (choice.variant == NULL) { /* the family does not report one */
        return;
    }
    check(choice.variant[0] != '\0', "the variant has a name");
    check(opmill_isa_available(choice.isa), "the chosen instruction set is there");
    check(context->isa == OPMILL_ISA_AUTO || choice.isa <= context->isa,
          "none beyond the wanted one is chosen");
    check(choice.threads >= 1 && (choice.threads == 1 || choice.threads <= context->threads),
          "no more threads than wanted");
}

static void run(const case_table *table, const opmill_operator *operator,
                const case_example *example, const call_tensors *inputs,
                const call_tensors *expected, const setting *how) {
    opmill_context context = OPMILL_CONTEXT_INIT;
    call_tensors outputs;
    size_t bytes = 0;
    guarded texts = guarded_new(0, true);
    const opmill_block_allocator strings = {&texts, provide_block};
    context.strings = context.sequences = &strings;
    context.threads = how->threads;
    context.isa = how->isa;
    check(opmill_workspace(operator, inputs->given, inputs->count, example->attributes,
                           expected->count, &bytes, &context) == OPMILL_OK,
          "the workspace is returned");
    check_choice(operator, example, inputs, expected, &context);
    guarded workspace = guarded_new(bytes, false);
    context.workspace = bytes > 0 ? workspace.data : NULL;
    context.workspace_size = bytes;
    check_measure(operator, example, inputs, expected, &context);
    tensors_like(&outputs, expected, how->at_end);
    const int code = opmill_run(operator, inputs->given, inputs->count, example->attributes,
                                outputs.taken, outputs.count, &context);
    calls++;
    if (code != OPMILL_OK && is_missing_isa(&context)) {
        check(how->isa > OPMILL_ISA_BASELINE, "the plain levels are always there");
        check(tensors_untouched(&outputs), "nothing is written");
    } else {
        check(code == OPMILL_OK, "the call succeeds");
        if (code != OPMILL_OK) {
            fail("%s", context.error.message);
        }
        check(tensors_intact(&outputs) && guarded_intact(&workspace) && guarded_intact(&texts),
              "nothing beside is written");
        check((texts.size > 0) == creates_values(operator, &outputs),
              "memory for new values is requested");
        for (int32_t i = 0; code == OPMILL_OK && i < outputs.count; i++) {
            check_elements(&outputs.tensors[i], &expected->tensors[i],
                           accuracy_of(table, outputs.tensors[i].type), "the table");
        }
    }
    tensors_free(&outputs);
    guarded_free(&workspace);
    guarded_free(&texts);
}

static void *provide_nothing(void *user, size_t bytes) {
    (void)bytes;
    (*(int *)user)++;
    return NULL;
}

/* Values that are created are refused without an allocator, without its function, and where that
 * has no memory. */
static void check_lacking_block(const opmill_operator *operator, const case_example *example,
                                const call_tensors *inputs, const call_tensors *expected) {
    int requests = 0;
    const opmill_block_allocator lacking[] = {{&requests, NULL}, {&requests, provide_nothing}};
    const opmill_block_allocator *const given[] = {NULL, &lacking[0], &lacking[1]};
    opmill_context context = OPMILL_CONTEXT_INIT;
    call_tensors outputs;
    size_t bytes = 0;
    if (!creates_values(operator, expected)) {
        return;
    }
    (void)opmill_workspace(operator, inputs->given, inputs->count, example->attributes,
                           expected->count, &bytes, &context);
    guarded workspace = guarded_new(bytes, true);
    tensors_like(&outputs, expected, true);
    context.workspace = workspace.data;
    context.workspace_size = bytes;
    for (int i = 0; i < 3; i++) {
        context.strings = context.sequences = given[i];
        const int code = opmill_run(operator, inputs->given, inputs->count, example->attributes,
                                    outputs.taken, outputs.count, &context);
        check_refused(code, &context, &outputs, OPMILL_ERROR_CALL, NULL);
        const char *const member =
            operator->creates_tensors != 0 ? "context->sequences" : "context->strings";
        check(strstr(context.error.message, i < 2 ? member : " is NULL, expected ") != NULL,
              "the words of the error");
    }
    check(requests == 1, "memory is requested once");
    tensors_free(&outputs);
    guarded_free(&workspace);
}

/* Without an optional output the others are the same. */
static void check_absent(const case_table *table, const opmill_operator *operator,
                         const case_example *example, const call_tensors *inputs,
                         const call_tensors *expected) {
    for (int32_t absent = 0; absent < expected->count; absent++) {
        opmill_context context = OPMILL_CONTEXT_INIT;
        call_tensors outputs;
        size_t bytes = 0;
        if (absent >= operator->output_count || /* another value of a variadic one */
            operator->outputs[absent].option != OPMILL_OPTIONAL ||
            expected->tensors[absent].type == OPMILL_UNDEFINED) { /* absent already */
            continue;
        }
        /* A rule may want all outputs or the first alone. */
        opmill_shape shapes[MAX_TENSORS];
        if (absent + 1 == expected->count &&
            opmill_infer(operator, inputs->given, inputs->count, example->attributes, shapes,
                         absent, &context) != OPMILL_OK) {
            continue;
        }
        tensors_like(&outputs, expected, true);
        outputs.taken[absent] = NULL;
        check(opmill_workspace(operator, inputs->given, inputs->count, example->attributes,
                               outputs.count, &bytes, &context) == OPMILL_OK,
              "the workspace is returned");
        guarded workspace = guarded_new(bytes, true);
        context.workspace = bytes > 0 ? workspace.data : NULL;
        context.workspace_size = bytes;
        const int code = opmill_run(operator, inputs->given, inputs->count, example->attributes,
                                    outputs.taken, outputs.count, &context);
        calls++;
        check(code == OPMILL_OK, "the call succeeds without an optional output");
        check(tensors_intact(&outputs) && guarded_intact(&workspace) &&
                  guarded_untouched(&outputs.memory[absent]),
              "nothing beside is written");
        for (int32_t i = 0; code == OPMILL_OK && i < outputs.count; i++) {
            if (i != absent) {
                check_elements(&outputs.tensors[i], &expected->tensors[i],
                               accuracy_of(table, outputs.tensors[i].type), "the table");
            }
        }
        tensors_free(&outputs);
        guarded_free(&workspace);
    }
}

/* One byte less workspace than needed is refused. */
static void check_small_workspace(const opmill_operator *operator, const case_example *example,
                                  const call_tensors *inputs, const call_tensors *expected) {
    opmill_context context = OPMILL_CONTEXT_INIT;
    call_tensors outputs;
    size_t bytes = 0;
    (void)opmill_workspace(operator, inputs->given, inputs->count, example->attributes,
                           expected->count, &bytes, &context);
    if (bytes == 0) {
        return;
    }
    guarded workspace = guarded_new(bytes, true);
    tensors_like(&outputs, expected, true);
    for (int present = 0; present < 2; present++) {
        context.workspace = present ? workspace.data : NULL;
        context.workspace_size = bytes - 1;
        const int code = opmill_run(operator, inputs->given, inputs->count, example->attributes,
                                    outputs.taken, outputs.count, &context);
        check_refused(code, &context, &outputs, OPMILL_ERROR_CALL, NULL);
        check(guarded_untouched(&workspace), "the workspace is not touched");
    }
    tensors_free(&outputs);
    guarded_free(&workspace);
}

/* The type variable of the outputs that follow a variable of the inputs: itself, if an output has
 * it; else that of an output whose first source of type it is. */
static int32_t output_variable(const opmill_operator *operator, int32_t variable) {
    const opmill_type_source *const sources = operator->type_sources;
    const int32_t count = operator->type_source_count;
    for (int32_t i = 0; i < operator->output_count; i++) {
        if (operator->outputs[i].variable == variable) {
            return variable;
        }
    }
    for (int32_t i = 0; variable >= 0 && i < count; i++) {
        const bool is_first = i == 0 || sources[i - 1].output != sources[i].output;
        if (is_first && sources[i].variable == variable && sources[i].type == OPMILL_UNDEFINED) {
            return operator->outputs[sources[i].output].variable;
        }
    }
    return variable;
}

static void check_example(const case_table *table, const opmill_operator *operator,
                          const case_example *example, int32_t variable, int32_t type) {
    const bool is_first = example == next_example(table, NULL);
    const char *const suffix = variable >= 0 ? type_name(type) : "as it is";
    call_tensors inputs, expected;
    tensors_of_case(&inputs, example->inputs, example->input_count, operator->inputs,
                    operator->input_count, variable, type);
    tensors_of_case(&expected, example->outputs, example->output_count, operator->outputs,
                    operator->output_count, output_variable(operator, variable), type);
    about("%s '%s' (%s)", operator->label, example->name, suffix);
    check_infer(operator, &inputs, example->attributes, &expected);
    check_small_workspace(operator, example, &inputs, &expected);
    check_lacking_block(operator, example, &inputs, &expected);
    check_absent(table, operator, example, &inputs, &expected);
    for (int i = 0; i < SETTING_COUNT; i++) {
        if (!is_distinct(&SETTINGS[i], is_first)) {
            continue;
        }
        about("%s '%s' (%s, instruction set %d, %d threads)", operator->label, example->name,
              suffix, (int)SETTINGS[i].isa, (int)SETTINGS[i].threads);
        run(table, operator, example, &inputs, &expected, &SETTINGS[i]);
    }
    tensors_free(&inputs);
    tensors_free(&expected);
}

/* The types of a variable, from any input that has it. */
static const opmill_parameter *having(const opmill_operator *operator, int32_t variable) {
    for (int32_t i = 0; i < operator->input_count; i++) {
        if (operator->inputs[i].variable == variable) {
            return &operator->inputs[i];
        }
    }
    return NULL;
}

/* True if an example can be repeated in a type of a variable: its inputs are of this kind,
 * tensors, sequences or optionals, and no input of another variable has to follow. */
static bool takes_type(const case_example *example, const opmill_operator *operator,
                       int32_t variable, int32_t type) {
    for (int32_t i = 0; i < operator->type_source_count; i++) {
        const opmill_type_source *const source = &operator->type_sources[i];
        if (operator->outputs[source->output].variable == variable && source->variable >= 0 &&
            source->variable != variable) {
            return false;
        }
    }
    for (int32_t i = 0; i < example->input_count; i++) {
        if (parameter_of(operator->inputs, operator->input_count, i)->variable == variable) {
            return type_form(example->inputs[i].type) == type_form(type);
        }
    }
    return true;
}

static bool has_gap(const opmill_operator *operator, int32_t type) {
    for (int32_t i = 0; i < operator->gap_count; i++) {
        if (operator->gaps[i].type == type) {
            return true;
        }
    }
    return false;
}

/* True if an input or an output is a map or a sequence of maps, which cases cannot state. */
static bool has_maps(const opmill_operator *operator) {
    return (operator->input_count > 0 && operator->inputs[0].types[0] >= OPMILL_MAP_INT64) ||
           (operator->output_count > 0 && operator->outputs[0].types[0] >= OPMILL_MAP_INT64);
}

int main(void) {
    char text[256];
    long examples = 0, of_other_types = 0, too_large = 0, left_out = 0;
    for (int32_t i = 0; i < case_table_count(); i++) {
        const case_table *const table = case_table_at(i);
        const opmill_operator *const operator = operator_of(table);
        left_out += table->left_out;
        about("%s", operator->label);
        check(next_example(table, NULL) != NULL || has_maps(operator),
              "the version has an example");
        for (const case_example *example = next_example(table, NULL); example != NULL;
             example = next_example(table, example)) {
            const int32_t variable = example->each_type - 1;
            const opmill_parameter *const parameter = having(operator, variable);
            if (!cases_fit(example->inputs, example->input_count) ||
                !cases_fit(example->outputs, example->output_count)) {
                too_large++;
                continue;
            }
            check_example(table, operator, example, -1, 0);
            examples += example->is_repeated ? 0 : 1;
            of_other_types += example->is_repeated ? 1 : 0;
            for (int32_t t = 0; parameter != NULL && t < parameter->type_count; t++) {
                if (has_gap(operator, parameter->types[t]) ||
                    !takes_type(example, operator, variable, parameter->types[t])) {
                    continue;
                }
                check_example(table, operator, example, variable, parameter->types[t]);
                of_other_types++;
            }
        }
    }
    snprintf(text, sizeof text,
             "%d versions, %ld examples, %ld of them in another type, %ld calls; %ld too large for "
             "the machine, %ld cases that C cannot call",
             (int)case_table_count(), examples, of_other_types, calls, too_large, left_out);
    return finish(text);
}
