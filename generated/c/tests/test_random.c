/* Random legal calls that are large enough for every kernel, and for several threads: each
 * instruction set against the plain one on one thread, which the cases of the corpus judge. One
 * call in four has infinities and NaNs.
 * The numbers are the same on every run, and so are the ways that the calls take. */
#include <fenv.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "compare.h"
#include "opmill/operators.h"
#include "values.h"

enum { MAX_PRODUCTS = 420000, MAX_ELEMENTS = 300000, CALLS_OF_A_VERSION = 80 };

static uint64_t state = 20;
static long calls;
static bool with_specials; /* whether `fill` strews infinities and NaNs */

/* The ways that the calls of the family at hand have taken. */
enum { MAX_WAYS = 32 };
static const char *ways[MAX_WAYS];
static int32_t way_count;

/* A number of 0 to limit - 1. */
static int64_t below(int64_t limit) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (int64_t)((state >> 16) % (uint64_t)limit);
}

/* Quarters, of which thousands sum up exactly in a float; any bytes for types without numbers. */
static void fill(const opmill_tensor *tensor) {
    const int64_t count = count_of(tensor->dims, tensor->rank);
    for (int64_t k = 0; k < count; k++) {
        if (tensor->type == OPMILL_STRING) {
            static const char *const WORDS[] = {"", "a", "bc", "def"};
            ((const char **)tensor->data)[k] = WORDS[below(4)];
        } else if (type_bytes(tensor->type, 1) == 1 || tensor->type == OPMILL_INT64) {
            set_whole(tensor->data, tensor->type, k, below(100));
        } else if (tensor->type == OPMILL_FLOAT || tensor->type == OPMILL_DOUBLE ||
                   tensor->type == OPMILL_FLOAT16 || tensor->type == OPMILL_BFLOAT16) {
            static const double SPECIALS[] = {INFINITY, -INFINITY, NAN};
            const bool special = with_specials && below(200) == 0;
            set_real(tensor->data, tensor->type, k,
                     special ? SPECIALS[below(3)] : (double)(below(17) - 8) / 4);
        } else {
            set_whole(tensor->data, tensor->type, k, below(100));
        }
    }
}

static opmill_tensor make(int32_t type, const int64_t *dims, int32_t rank, guarded *memory) {
    const opmill_tensor tensor = {NULL, dims, rank, type};
    *memory = guarded_new(type_bytes(type, count_of(dims, rank)), true);
    opmill_tensor filled = tensor;
    filled.data = memory->data;
    fill(&filled);
    guarded_freeze(memory);
    return filled;
}

static bool is_reached(const char *way) {
    for (int32_t i = 0; i < way_count; i++) {
        if (strcmp(ways[i], way) == 0) {
            return true;
        }
    }
    return false;
}

/* Records and returns the strategy of a call. */
static const char *note_way(const opmill_operator *operator, const opmill_tensor *const *inputs,
                            int32_t count, const void *attributes, opmill_context *context) {
    opmill_choice choice;
    if (opmill_choose(operator, inputs, count, attributes, 1, &choice, context) != OPMILL_OK ||
        choice.variant == NULL) {
        return operator->label;
    }
    if (!is_reached(choice.variant) && way_count < MAX_WAYS) {
        ways[way_count++] = choice.variant;
    }
    return choice.variant;
}

/* Fills a workspace with signalling NaNs of the type that a kernel computes with. */
static void fill_signalling(const guarded *workspace, int32_t type) {
    const uint32_t single = 0x7fa00000u;
    const uint64_t twice = 0x7ff4000000000000u;
    const size_t size = type == OPMILL_DOUBLE ? sizeof twice : sizeof single;
    for (size_t at = 0; at + size <= workspace->size; at += size) {
        memcpy(workspace->data + at, type == OPMILL_DOUBLE ? (const void *)&twice : &single, size);
    }
}

/* Where registers are wider than a float, as those of x87, a mere move of a NaN signals too. */
static const bool signals_tell = FLT_EVAL_METHOD == 0;

/* No numbers but those of the call have been computed with: a signalling NaN would have raised the
 * exception, and garbage that happens to be denormal makes a call several times slower. */
static void check_signals(const char *way) {
    const bool signalled = fetestexcept(FE_INVALID) != 0;
    if (signals_tell && signalled && !with_specials) { /* of those, some give NaN and signal it */
        fail("%s computes with what was in the workspace", way);
    }
}

/* The call without vectors, on one thread. */
static int run_plain(const opmill_operator *operator, const opmill_tensor *const *inputs,
                     int32_t count, const void *attributes, opmill_tensor *const *outputs) {
    opmill_context context = OPMILL_CONTEXT_INIT;
    context.isa = OPMILL_ISA_PLAIN;
    context.threads = 1;
    (void)opmill_workspace(operator, inputs, count, attributes, 1, &context.workspace_size,
                           &context);
    guarded workspace = guarded_new(context.workspace_size, true);
    context.workspace = workspace.data;
    const int code = opmill_run(operator, inputs, count, attributes, outputs, 1, &context);
    guarded_free(&workspace);
    return code;
}

static void run(const case_table *table, const opmill_operator *operator,
                const opmill_tensor *const *inputs, int32_t count, const void *attributes,
                const opmill_shape *shape) {
    static const int32_t THREADS[] = {1, 4};
    const size_t bytes = type_bytes(shape->type, count_of(shape->dims, shape->rank));
    guarded wanted = guarded_new(bytes, true);
    const opmill_tensor expected = {wanted.data, shape->dims, shape->rank, shape->type};
    opmill_tensor target = expected;
    opmill_tensor *const targets[] = {&target};
    check(run_plain(operator, inputs, count, attributes, targets) == OPMILL_OK, "the plain call");
    for (int32_t isa = OPMILL_ISA_AUTO; isa <= OPMILL_ISA_NEON; isa++) {
        for (int i = 0; i < 2; i++) {
            opmill_context context = OPMILL_CONTEXT_INIT;
            guarded memory = guarded_new(bytes, true);
            opmill_tensor output = {memory.data, shape->dims, shape->rank, shape->type};
            opmill_tensor *const outputs[] = {&output};
            size_t needed = 0;
            context.isa = isa;
            context.threads = THREADS[i];
            const char *const way = note_way(operator, inputs, count, attributes, &context);
            check(opmill_workspace(operator, inputs, count, attributes, 1, &needed, &context) ==
                      OPMILL_OK,
                  "the workspace is returned");
            guarded workspace = guarded_new(needed, i == 0);
            context.workspace = workspace.data;
            context.workspace_size = needed;
            fill_signalling(&workspace, shape->type);
            feclearexcept(FE_ALL_EXCEPT);
            const int code = opmill_run(operator, inputs, count, attributes, outputs, 1, &context);
            check_signals(way);
            if (code == OPMILL_OK) {
                calls++;
                check_elements(&output, &expected, accuracy_of(table, shape->type), "plain C");
                check(guarded_intact(&memory) && guarded_intact(&workspace),
                      "nothing beside is written");
            } else {
                check(isa > OPMILL_ISA_BASELINE &&
                          strstr(context.error.message, " is not available, expected ") != NULL,
                      "it succeeds, or there is no such instruction set");
            }
            guarded_free(&workspace);
            guarded_free(&memory);
        }
    }
    guarded_free(&wanted);
}

/* True if the call is legal and its result not too large. */
static bool infer(const opmill_operator *operator, const opmill_tensor *const *inputs,
                  int32_t count, const void *attributes, opmill_shape *shape) {
    opmill_context context = OPMILL_CONTEXT_INIT;
    return opmill_infer(operator, inputs, count, attributes, shape, 1, &context) == OPMILL_OK &&
           count_of(shape->dims, shape->rank) <= MAX_ELEMENTS;
}

static int32_t any_type(const opmill_parameter *parameter) {
    return parameter->types[below(parameter->type_count)];
}

/* Expand and Tile: dims, and a list of values that go with them. */
static bool move_elements(const case_table *table, const opmill_operator *operator, bool tile) {
    int64_t dims[OPMILL_MAX_RANK], values[OPMILL_MAX_RANK];
    const int64_t rank = 1 + below(5);
    const int32_t type = any_type(&operator->inputs[0]);
    int64_t elements = 1;
    for (int64_t i = 0; i < rank; i++) {
        const bool ones = below(2) == 0;
        dims[i] = !tile && ones ? 1 : 1 + below(below(3) == 0 ? 70 : 7);
        values[i] = !tile && !ones ? 1 : 1 + below(below(4) == 0 ? 200 : 5);
        elements *= dims[i] * values[i];
    }
    if (elements > MAX_ELEMENTS || elements < 1000) {
        return false;
    }
    guarded input_memory, list_memory = guarded_new((size_t)rank * sizeof(int64_t), true);
    memcpy(list_memory.data, values, (size_t)rank * sizeof(int64_t));
    const opmill_tensor input = make(type, dims, (int32_t)rank, &input_memory);
    const opmill_tensor list = {list_memory.data, &rank, 1, OPMILL_INT64};
    const opmill_tensor *const inputs[] = {&input, &list};
    opmill_shape shape;
    const bool legal = infer(operator, inputs, 2, NULL, &shape);
    if (legal) {
        run(table, operator, inputs, 2, NULL, &shape);
    }
    guarded_free(&input_memory);
    guarded_free(&list_memory);
    return legal;
}

static void set_attribute(const opmill_operator *operator, unsigned char *attributes,
                          const char *name, const void *value, size_t size) {
    for (int32_t i = 0; i < operator->attribute_count; i++) {
        if (strcmp(operator->attributes[i].name, name) == 0) {
            memcpy(attributes + operator->attributes[i].offset, value, size);
        }
    }
}

static bool transpose_convolution(const case_table *table, const opmill_operator *operator) {
    static const char *const PADS[] = {"SAME_UPPER", "SAME_LOWER", "VALID"};
    /* Many channels, few pixels; wide strides; groups of one channel; one map of many channels. */
    enum { DEEP, WIDE, DEPTHWISE, FLAT };
    const int64_t regime = below(7);
    const bool deep = regime == DEEP;
    const int32_t space = deep ? 2 : 1 + (int32_t)below(3), rank = space + 2;
    const int64_t most_groups = regime == DEPTHWISE && below(2) == 0 ? 40 : 4;
    const bool grouped = regime == DEPTHWISE || (regime > FLAT && below(3) == 0);
    const int64_t group = grouped ? 1 + below(most_groups) : 1;
    const int64_t channels = deep                  ? 64
                             : regime == DEPTHWISE ? group
                             : regime == FLAT      ? 16 + below(20)
                                                   : group * (1 + below(below(2) == 0 ? 4 : 24));
    const int64_t maps = deep             ? 48 + below(16)
                         : regime == FLAT ? 1
                                          : 1 + below(below(2) == 0 ? 3 : 20);
    const int64_t widest = space == 1 ? 200 : space == 2 ? 30 : 8;
    int64_t x_dims[5] = {deep ? 1 : 1 + below(3), channels}, w_dims[5] = {channels, maps};
    int64_t strides[3], dilations[3], padding[3], pads[6], products = x_dims[0] * channels * maps;
    for (int32_t i = 0; i < space; i++) {
        x_dims[2 + i] = 1 + below(widest);
        w_dims[2 + i] = 1 + below(5);
        strides[i] = 1 + below(3);
        dilations[i] = below(4) == 0 ? 2 : 1;
        padding[i] = below(strides[i] > dilations[i] ? strides[i] : dilations[i]);
        pads[i] = below(3);
        pads[space + i] = below(3);
        if (regime == DEEP) {
            x_dims[2 + i] = 1 + below(2);
            w_dims[2 + i] = 7;
        } else if (group > 8 && i == space - 1) {
            x_dims[2 + i] = 1 + below(8); /* short rows of many groups */
        } else if (regime == DEPTHWISE && space > 1 && below(2) == 0) {
            x_dims[2 + i] = 1 + below(20);
            w_dims[2 + i] = 1 + below(16);
            strides[i] = 1 + below(15); /* as many phases as there may be */
        } else if (regime == WIDE && i == space - 1) {
            x_dims[2 + i] = 1 + below(20);
            w_dims[2 + i] = 16 + below(30);
            strides[i] = 16 + below(10);
            dilations[i] = 1;
        }
        products *= x_dims[2 + i] * w_dims[2 + i];
    }
    if (products > MAX_PRODUCTS || products < 2000) {
        return false;
    }
    unsigned char *const attributes = malloc(operator->attributes_size);
    if (attributes == NULL) {
        abort();
    }
    memcpy(attributes, operator->defaults, operator->attributes_size);
    const opmill_ints lists[] = {
        {strides, space}, {dilations, space}, {padding, space}, {pads, 2 * space}};
    set_attribute(operator, attributes, "strides", &lists[0], sizeof lists[0]);
    set_attribute(operator, attributes, "dilations", &lists[1], sizeof lists[1]);
    set_attribute(operator, attributes, "output_padding", &lists[2], sizeof lists[2]);
    set_attribute(operator, attributes, "group", &group, sizeof group);
    if (below(3) == 0) {
        set_attribute(operator, attributes, "auto_pad", &PADS[below(3)], sizeof PADS[0]);
    } else {
        set_attribute(operator, attributes, "pads", &lists[3], sizeof lists[3]);
    }
    const int32_t type = any_type(&operator->inputs[0]);
    const int64_t all_maps = maps * group;
    guarded x_memory, w_memory, b_memory;
    const opmill_tensor x = make(type, x_dims, rank, &x_memory);
    const opmill_tensor w = make(type, w_dims, rank, &w_memory);
    const opmill_tensor b = make(type, &all_maps, 1, &b_memory);
    const opmill_tensor *const inputs[] = {&x, &w, &b};
    const int32_t count = 2 + (int32_t)below(2);
    opmill_shape shape;
    const bool legal = infer(operator, inputs, count, attributes, &shape);
    if (legal) {
        run(table, operator, inputs, count, attributes, &shape);
    }
    guarded_free(&x_memory);
    guarded_free(&w_memory);
    guarded_free(&b_memory);
    free(attributes);
    return legal;
}

/* The names of the family's kernels: with one that is built for vectors, all have been reached. */
static void check_convolution_ways(void) {
    static const char *const NAMES[] = {"direct",  "groups", "depthwise", "small_input",
                                        "columns", "taps",   "phases"};
    check(is_reached("direct"), "the direct kernel is reached");
    for (size_t i = 0; way_count > 1 && i < sizeof NAMES / sizeof NAMES[0]; i++) {
        about("ConvTranspose, the kernel %s", NAMES[i]);
        check(is_reached(NAMES[i]), "it is reached");
    }
}

/* The argument: how many calls of each version. Fewer than by default do not reach every kernel. */
int main(int argc, char **argv) {
    const long calls_of_a_version = argc > 1 ? strtol(argv[1], NULL, 10) : CALLS_OF_A_VERSION;
    char text[64];
    for (int32_t i = 0; i < case_table_count(); i++) {
        const case_table *const table = case_table_at(i);
        const opmill_operator *const operator = operator_of(table);
        const bool conv = strcmp(table->name, "ConvTranspose") == 0;
        const bool tile = strcmp(table->name, "Tile") == 0;
        if (strcmp(table->domain, "ai.onnx") != 0 ||
            !(conv ||
              ((tile || strcmp(table->name, "Expand") == 0) && operator->input_count == 2))) {
            continue;
        }
        way_count = 0;
        for (long drawn = 0, tried = 0; drawn < calls_of_a_version && tried < 10000; tried++) {
            with_specials = tried % 4 == 3;
            about("%s, random call %ld", operator->label, tried);
            drawn += conv ? transpose_convolution(table, operator)
                          : move_elements(table, operator, tile);
        }
        printf("%s:", operator->label);
        for (int32_t k = 0; k < way_count; k++) {
            printf(" %s", ways[k]);
        }
        printf("\n");
        if (conv && calls_of_a_version >= CALLS_OF_A_VERSION) {
            check_convolution_ways();
        }
    }
    check(true, "random calls");
    snprintf(text, sizeof text, "%ld random calls%s", calls,
             signals_tell ? "" : ", whose signals do not tell");
    return finish(text);
}
