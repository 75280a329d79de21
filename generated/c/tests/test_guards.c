/* No call touches memory beside its arrays, as compiled here: every example in each of its types,
 * and calls with larger dims that are drawn from it, on each instruction set, with arrays that end
 * where their memory does and with arrays that begin where it does. Both must give the same bits.
 * Compilers may widen a read, so this says something of a build with the flags that ship alone. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "compare.h"
#include "guarded_call.h"
#include "opmill/isa.h"
#include "opmill/operators.h"
#include "values.h"

enum { MAX_ELEMENTS = 4096, ATTEMPTS = 6, DRAWN_CALLS = 2, MAX_LENGTHS = 16 };

static uint64_t state = 21;
static long calls, examples, drawn_calls, packed;

/* Calls of one instruction set, by the end at which their arrays lie. */
static guarded_call runs[2];

/* A number of 0 to limit - 1. */
static int64_t below(int64_t limit) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (int64_t)((state >> 16) % (uint64_t)limit);
}

static bool has_same_elements(const opmill_tensor *a, const opmill_tensor *b) {
    const int64_t count = count_of(a->dims, a->rank);
    if (a->rank != b->rank || memcmp(a->dims, b->dims, (size_t)a->rank * sizeof *a->dims) != 0) {
        return false;
    }
    for (int64_t i = 0; type_has_items(a->type) && i < count; i++) {
        if (!has_same_elements(((const opmill_tensor *const *)a->data)[i],
                               ((const opmill_tensor *const *)b->data)[i])) {
            return false;
        }
    }
    for (int64_t i = 0; a->type == OPMILL_STRING && i < count; i++) {
        if (strcmp(((const char *const *)a->data)[i], ((const char *const *)b->data)[i]) != 0) {
            return false;
        }
    }
    return a->type == OPMILL_STRING || type_has_items(a->type) ||
           memcmp(a->data, b->data, type_bytes(a->type, count)) == 0;
}

/* The call at both ends, plain and packed. */
static void check_call(const plain_call *call, int32_t isa, const opmill_limits *limits) {
    opmill_context context = OPMILL_CONTEXT_INIT;
    context.isa = isa;
    context.limits = limits;
    for (int k = 0; k < 2; k++) {
        guarded_call_run(&runs[k], call, &context);
        if (runs[k].report[0] != '\0') {
            fail("%s on %s", runs[k].report, opmill_isa_name(isa));
        }
        calls++;
        packed += runs[k].packed;
    }
    check(runs[0].code == runs[1].code, "both ends end with the same code");
    for (int32_t i = 0;
         runs[0].code == OPMILL_OK && runs[1].code == OPMILL_OK && i < call->output_count; i++) {
        check(has_same_elements(&runs[0].outputs[i], &runs[1].outputs[i]),
              "both ends give the same bits");
    }
}

/* True if some input can be packed for an instruction set. */
static bool is_preparable(const plain_call *call, int32_t isa) {
    opmill_context context = OPMILL_CONTEXT_INIT;
    size_t bytes = 0;
    context.isa = isa;
    for (int32_t i = 0; i < call->input_count && i < call->operator->input_count; i++) {
        if (call->inputs[i] != NULL &&
            opmill_prepare_size(call->operator, call->inputs, call->input_count, call->attributes,
                                i, &bytes, &context) == OPMILL_OK &&
            bytes > 0) {
            return true;
        }
    }
    return false;
}

/* The call on each instruction set: as it is, with packed inputs, and with limits of its output. */
static void check_everywhere(const plain_call *call) {
    static const opmill_limits LIMITS = {0, INFINITY};
    bool takes_limits = true;
    for (int32_t isa = OPMILL_ISA_PLAIN; opmill_isa_name(isa) != NULL; isa++) {
        if (!opmill_isa_available(isa)) {
            continue;
        }
        check_call(call, isa, NULL);
        if (takes_limits) {
            check_call(call, isa, &LIMITS);
            takes_limits = runs[0].code == OPMILL_OK;
        }
        if (is_preparable(call, isa)) {
            runs[0].packs = runs[1].packs = true;
            check_call(call, isa, NULL);
            runs[0].packs = runs[1].packs = false;
        }
    }
}

/* Dims of the inputs in which each length is changed alike wherever it occurs. */
static void draw_dims(const call_tensors *inputs, int64_t (*dims)[OPMILL_MAX_RANK]) {
    int64_t from[MAX_LENGTHS], to[MAX_LENGTHS];
    int32_t count = 0;
    const bool multiplies = below(3) == 0;
    for (int32_t i = 0; i < inputs->count; i++) {
        for (int32_t k = 0; inputs->given[i] != NULL && k < inputs->given[i]->rank; k++) {
            const int64_t length = inputs->given[i]->dims[k];
            int32_t at = 0;
            while (at < count && from[at] != length) {
                at++;
            }
            if (at == count && count < MAX_LENGTHS) {
                const bool stays = length == 0 || below(length == 1 ? 4 : 2) != 0;
                from[count] = length;
                to[count++] = stays        ? length
                              : multiplies ? length * (1 + below(9))
                                           : 1 + below(below(3) == 0 ? 140 : 40);
            }
            dims[i][k] = at < count ? to[at] : length;
        }
    }
}

/* A tensor of other dims that repeats the elements of one; NULL where that has none. */
static void *repeat(const opmill_tensor *from, int64_t count) {
    const size_t period = type_bytes(from->type, count_of(from->dims, from->rank));
    const size_t bytes = type_bytes(from->type, count);
    unsigned char *const data = calloc(bytes + 1, 1);
    if (data == NULL) {
        abort();
    }
    for (size_t at = 0; at < bytes && period > 0; at += period) {
        memcpy(data + at, from->data, bytes - at < period ? bytes - at : period);
    }
    if (period == 0 && from->type == OPMILL_STRING) {
        for (int64_t i = 0; i < count; i++) {
            ((const char **)(void *)data)[i] = "";
        }
    }
    return data;
}

/* True if the call is legal and of a size to make. */
static bool is_small(const plain_call *call) {
    opmill_shape shapes[MAX_OUTPUTS];
    opmill_context context = OPMILL_CONTEXT_INIT;
    int64_t elements = 0;
    if (opmill_infer(call->operator, call->inputs, call->input_count, call->attributes, shapes,
                     call->output_count, &context) != OPMILL_OK) {
        return false;
    }
    for (int32_t i = 0; i < call->output_count; i++) {
        elements += count_of(shapes[i].dims, shapes[i].rank);
    }
    return elements <= MAX_ELEMENTS;
}

/* A call like another one with other dims. Whether it was legal, and made. */
static bool draw_call(const plain_call *call, const call_tensors *inputs) {
    int64_t dims[MAX_TENSORS][OPMILL_MAX_RANK];
    opmill_tensor tensors[MAX_TENSORS];
    const opmill_tensor *given[MAX_TENSORS];
    plain_call drawn = *call;
    bool fits = true;
    draw_dims(inputs, dims);
    drawn.inputs = given;
    for (int32_t i = 0; i < inputs->count; i++) {
        int64_t elements = 1;
        given[i] = NULL;
        tensors[i].data = NULL;
        if (inputs->given[i] == NULL || !fits) {
            continue;
        }
        for (int32_t k = 0; k < inputs->given[i]->rank; k++) {
            elements = elements > MAX_ELEMENTS ? elements : elements * dims[i][k];
        }
        fits = elements <= MAX_ELEMENTS;
        if (fits) {
            tensors[i] = *inputs->given[i];
            tensors[i].dims = dims[i];
            tensors[i].data = repeat(inputs->given[i], elements);
            given[i] = &tensors[i];
        }
    }
    fits = fits && is_small(&drawn);
    if (fits) {
        check_everywhere(&drawn);
        drawn_calls++;
    }
    for (int32_t i = 0; i < inputs->count; i++) {
        free(tensors[i].data);
    }
    return fits;
}

/* The example in one of its types, and calls that are drawn from it. */
static void check_example(const opmill_operator *operator, const case_example *example,
                          int32_t variable, int32_t type, long draws) {
    call_tensors inputs;
    tensors_of_case(&inputs, example->inputs, example->input_count, operator->inputs,
                    operator->input_count, variable, type);
    const plain_call call = {operator, inputs.given, inputs.count, example->attributes,
                             example->output_count};
    about("%s '%s' (%s)", operator->label, example->name,
          variable >= 0 ? type_name(type) : "as it is");
    if (is_small(&call)) {
        check_everywhere(&call);
        examples++;
    }
    for (long done = 0, tried = 0; done < draws && tried < draws * ATTEMPTS; tried++) {
        about("%s '%s' (%s), draw %ld", operator->label, example->name,
              variable >= 0 ? type_name(type) : "as it is", tried);
        done += draw_call(&call, &inputs);
    }
    tensors_free(&inputs);
}

/* The first input that has the variable; NULL where none has. */
static const opmill_parameter *parameter_with(const opmill_operator *operator, int32_t variable) {
    for (int32_t i = 0; variable >= 0 && i < operator->input_count; i++) {
        if (operator->inputs[i].variable == variable) {
            return &operator->inputs[i];
        }
    }
    return NULL;
}

/* A faulty kernel, which reads one byte beside an array, and computes what is right. */
static int32_t planted_array;

static int planted(const opmill_operator *operator, const opmill_tensor *const *inputs,
                   int32_t input_count, const void *attributes, opmill_tensor *const *outputs,
                   int32_t output_count, opmill_context *context) {
    for (int k = 0; k < 2; k++) {
        if (context == &runs[k].context) {
            const guarded *const memory = &runs[k].arrays[planted_array].memory;
            const volatile unsigned char *const at = memory->data;
            (void)at[runs[k].at_end ? (ptrdiff_t)memory->size : -1];
        }
    }
    return opmill_run(operator, inputs, input_count, attributes, outputs, output_count, context);
}

/* The faulty kernel is noticed at both ends of each array of a call that has them of every kind. */
static void check_planted(void) {
    static const int64_t DIMS[] = {1, 16, 9, 9}, W_DIMS[] = {32, 16, 3, 3}, PADS[] = {1, 1, 1, 1};
    static float x_data[16 * 81], w_data[32 * 16 * 9];
    static unsigned char attributes[1024];
    const opmill_operator *const operator = opmill_find_operator("ai.onnx", "Conv", 11);
    const opmill_tensor x = {x_data, DIMS, 4, OPMILL_FLOAT}, w = {w_data, W_DIMS, 4, OPMILL_FLOAT};
    const opmill_tensor *const inputs[] = {&x, &w};
    const opmill_ints pads = {PADS, 4};
    const plain_call call = {operator, inputs, 2, attributes, 1};
    if (operator == NULL || operator->attributes_size > sizeof attributes) {
        return;
    }
    memcpy(attributes, operator->defaults, operator->attributes_size);
    for (int32_t i = 0; i < operator->attribute_count; i++) {
        if (strcmp(operator->attributes[i].name, "pads") == 0) {
            memcpy(attributes + operator->attributes[i].offset, &pads, sizeof pads);
        }
    }
    for (int k = 0; k < 2; k++) {
        const opmill_context context = OPMILL_CONTEXT_INIT;
        int32_t count = 1;
        runs[k].packs = true;
        for (planted_array = 0; planted_array < count; planted_array++) {
            char reported[REPORT_BYTES];
            runs[k].compute = planted;
            guarded_call_run(&runs[k], &call, &context);
            runs[k].compute = opmill_run;
            count = runs[k].array_count;
            snprintf(reported, sizeof reported, "touches byte %d %s %s, which has %zu", k == 0,
                     k == 0 ? "before" : "after", runs[k].arrays[planted_array].name,
                     runs[k].arrays[planted_array].memory.size);
            check(strcmp(runs[k].report, reported) == 0, "a faulty kernel is noticed");
        }
        check(count >= 9, "the call has arrays of every kind");
        runs[k].packs = false;
        guarded_call_run(&runs[k], &call, &context);
        check(runs[k].report[0] == '\0' && runs[k].code == OPMILL_OK, "the right one is not");
    }
}

/* The arguments: the number of calls drawn from each example in each type; the part of the versions
 * to check and the number of parts, so that several processes share them; the name of the one
 * operator to check. */
int main(int argc, char **argv) {
    const long draws = argc > 1 ? strtol(argv[1], NULL, 10) : DRAWN_CALLS;
    const long part = argc > 3 ? strtol(argv[2], NULL, 10) : 0;
    const long parts = argc > 3 ? strtol(argv[3], NULL, 10) : 1;
    char text[160];
    if (part < 0 || part >= parts) {
        puts("the part is not below the number of parts");
        return 2;
    }
    if (!guarded_has_pages()) {
        puts("no pages to protect");
        return 77;
    }
    runs[1].at_end = true;
    about("a faulty Conv");
    check_planted();
    for (int32_t i = 0; i < case_table_count(); i++) {
        const case_table *const table = case_table_at(i);
        const opmill_operator *const operator = operator_of(table);
        if (operator->runs_graphs != 0) {
            continue; /* the calls are made from inferred shapes */
        }
        if (i % parts != part || (argc > 4 && strcmp(table->name, argv[4]) != 0)) {
            continue;
        }
        for (const case_example *example = next_example(table, NULL); example != NULL;
             example = next_example(table, example)) {
            const int32_t variable = example->each_type - 1;
            const opmill_parameter *const parameter = parameter_with(operator, variable);
            if (!cases_fit(example->inputs, example->input_count)) {
                continue;
            }
            check_example(operator, example, -1, 0, draws);
            for (int32_t t = 0; parameter != NULL && t < parameter->type_count; t++) {
                if (type_form(parameter->types[t]) ==
                    type_form(example->inputs[parameter - operator->inputs].type)) {
                    check_example(operator, example, variable, parameter->types[t], draws);
                }
            }
        }
    }
    guarded_call_free(&runs[0]);
    guarded_call_free(&runs[1]);
    snprintf(text, sizeof text,
             "%ld calls between protected pages, of %ld examples and %ld drawn ones; %ld blocks",
             calls, examples, drawn_calls, packed);
    return finish(text);
}
