/* Calls that are wrong in themselves, for every version: each ends with a code and a message, and
 * writes nothing. A legal call is taken from the tables and spoiled in one place at a time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "compare.h"
#include "runtime/call/driver.h"
#include "values.h"

static long refused, string_inputs;

/* A legal call, and its parts to spoil. */
typedef struct call {
    const opmill_operator *operator;
    const void *attributes;
    call_tensors inputs, expected, outputs;
    opmill_context context;
    guarded workspace, texts;
    opmill_string_allocator strings;
} call;

static void call_begin(call *made, const case_table *table, const case_example *example) {
    memset(made, 0, sizeof *made);
    made->operator = operator_of(table);
    made->attributes = example->attributes;
    tensors_of_case(&made->inputs, example->inputs, example->input_count, NULL, 0, -1, 0);
    tensors_of_case(&made->expected, example->outputs, example->output_count, NULL, 0, -1, 0);
    tensors_like(&made->outputs, &made->expected, true);
    size_t bytes = 0;
    (void)opmill_workspace(made->operator, made->inputs.given, made->inputs.count, made->attributes,
                           made->outputs.count, &bytes, &made->context);
    made->workspace = guarded_new(bytes, true);
    made->context.workspace = made->workspace.data;
    made->context.workspace_size = bytes;
    made->texts = guarded_new(0, true);
    made->strings = (opmill_string_allocator){&made->texts, provide_strings};
    made->context.strings = &made->strings;
}

static void call_end(call *made) {
    tensors_free(&made->inputs);
    tensors_free(&made->expected);
    tensors_free(&made->outputs);
    guarded_free(&made->workspace);
    guarded_free(&made->texts);
}

static int run(call *made) {
    memset(&made->context.error, 0, sizeof made->context.error);
    return opmill_run(made->operator, made->inputs.given, made->inputs.count, made->attributes,
                      made->outputs.taken, made->outputs.count, &made->context);
}

/* The spoiled call is refused; with a code where there is only one that is right. */
static void expect(call *made, int32_t code, const char *what) {
    about("%s: %s", made->operator->label, what);
    const int got = run(made);
    check(got != OPMILL_OK, "the call is refused");
    check_refused(got, &made->context, &made->outputs, code != OPMILL_OK ? code : got, NULL);
    refused++;
}

/* The words tell which parameter is wrong. */
static void expect_named(call *made, int32_t code, const char *what, const char *name) {
    expect(made, code, what);
    check(strstr(made->context.error.message, name) != NULL, "the message names the parameter");
}

/* So is infer, with the same words. */
static void expect_in_infer(call *made, const char *what) {
    opmill_shape shapes[MAX_TENSORS];
    opmill_context context = OPMILL_CONTEXT_INIT;
    about("%s: %s", made->operator->label, what);
    const int code = run(made);
    const int inferred = opmill_infer(made->operator, made->inputs.given, made->inputs.count,
                                      made->attributes, shapes, made->outputs.count, &context);
    check(code == inferred, "run and infer agree");
    check_refused(inferred, &context, NULL, code, made->context.error.message);
    refused++;
}

/* Whether infer refuses the call, which writes nothing. */
static bool is_refused(call *made) {
    opmill_shape shapes[MAX_TENSORS];
    opmill_context context = OPMILL_CONTEXT_INIT;
    return opmill_infer(made->operator, made->inputs.given, made->inputs.count, made->attributes,
                        shapes, made->outputs.count, &context) != OPMILL_OK;
}

static void spoil_tensor(call *made, opmill_tensor *tensor, const char *name, bool is_input) {
    static const int32_t RANKS[] = {-1, INT32_MIN, 65, INT32_MAX};
    static const int32_t TYPES[] = {0, -1, 29, INT32_MAX, INT32_MIN};
    static const int64_t DIMS[] = {-1, INT64_MIN, INT64_MAX, INT64_MAX - 1, INT64_C(1) << 62};
    const opmill_tensor kept = *tensor;
    char what[256];
    for (size_t i = 0; i < sizeof RANKS / sizeof RANKS[0]; i++) {
        snprintf(what, sizeof what, "%s of rank %d", name, (int)RANKS[i]);
        tensor->rank = RANKS[i];
        expect_named(made, OPMILL_ERROR_CALL, what, name);
        if (is_input) {
            expect_in_infer(made, what);
        }
        *tensor = kept;
    }
    for (size_t i = 0; i < sizeof TYPES / sizeof TYPES[0]; i++) {
        snprintf(what, sizeof what, "%s of type %d", name, (int)TYPES[i]);
        tensor->type = TYPES[i];
        expect_named(made, OPMILL_ERROR_TYPE, what, name);
        *tensor = kept;
    }
    /* A kernel that measures reads contents: of bytes there may be so many, and there are not. */
    const bool reads = is_input && made->operator->implementation->measure != NULL &&
                       type_bytes(kept.type, 1) == 1;
    for (size_t i = 0; i < sizeof DIMS / sizeof DIMS[0] && kept.rank > 0; i++) {
        if (reads && DIMS[i] > 0) {
            continue;
        }
        int64_t dims[OPMILL_MAX_RANK];
        snprintf(what, sizeof what, "%s with a dim of %lld", name, (long long)DIMS[i]);
        memcpy(dims, kept.dims, (size_t)kept.rank * sizeof dims[0]);
        dims[kept.rank - 1] = DIMS[i];
        tensor->dims = dims;
        /* bytes of type 1 may be that many: then the shape is what is wrong */
        expect_named(made, DIMS[i] < 0 ? OPMILL_ERROR_CALL : OPMILL_OK, what,
                     DIMS[i] < 0 ? name : "");
        for (int32_t k = 0; k < kept.rank; k++) {
            dims[k] = DIMS[i];
        }
        expect_named(made, DIMS[i] < 0 ? OPMILL_ERROR_CALL : OPMILL_OK, what,
                     DIMS[i] < 0 ? name : "");
        *tensor = kept;
    }
    if (kept.rank > 0) {
        snprintf(what, sizeof what, "%s without dims", name);
        tensor->dims = NULL;
        expect_named(made, OPMILL_ERROR_CALL, what, name);
        *tensor = kept;
    }
    if (count_of(kept.dims, kept.rank) == 0) {
        return; /* it has no data to lack */
    }
    snprintf(what, sizeof what, "%s without data", name);
    tensor->data = NULL;
    expect_named(made, OPMILL_ERROR_CALL, what, name);
    *tensor = kept;
    if (type_bytes(kept.type, 1) > 1) {
        snprintf(what, sizeof what, "%s at an odd address", name);
        tensor->data = (char *)kept.data + 1;
        expect_named(made, OPMILL_ERROR_CALL, what, name);
        *tensor = kept;
    }
}

/* The last string of an input is NULL. */
static void spoil_strings(call *made, opmill_tensor *tensor, const char *name) {
    const size_t count = (size_t)count_of(tensor->dims, tensor->rank);
    const char **const strings = malloc(count * sizeof *strings);
    void *const kept = tensor->data;
    char text[128];
    if (strings == NULL) {
        abort();
    }
    memcpy(strings, kept, count * sizeof *strings);
    strings[count - 1] = NULL;
    tensor->data = strings;
    snprintf(text, sizeof text, "%s.data[%d] is NULL, expected a string", name, (int)count - 1);
    expect_named(made, OPMILL_ERROR_CALL, "a string that is NULL", text);
    expect_in_infer(made, "a string that is NULL");
    tensor->data = kept;
    free(strings);
}

/* An example with strings; NULL where a version takes none. */
static const case_example *example_with_strings(const case_table *table) {
    for (const case_example *example = next_example(table, NULL); example != NULL;
         example = next_example(table, example)) {
        for (int32_t i = 0; i < example->input_count; i++) {
            const case_tensor *const input = &example->inputs[i];
            if (input->type == OPMILL_STRING && count_of(input->dims, input->rank) > 0) {
                return example;
            }
        }
    }
    return NULL;
}

static void check_strings(const case_table *table) {
    const case_example *const example = example_with_strings(table);
    char name[NAME_BYTES];
    call made;
    if (example == NULL) {
        return;
    }
    call_begin(&made, table, example);
    for (int32_t i = 0; i < made.inputs.count; i++) {
        opmill_tensor *const tensor = &made.inputs.tensors[i];
        if (made.inputs.given[i] != NULL && tensor->type == OPMILL_STRING &&
            count_of(tensor->dims, tensor->rank) > 0) {
            value_name(name, sizeof name, made.operator->inputs, made.operator->input_count, i);
            spoil_strings(&made, tensor, name);
            string_inputs++;
        }
    }
    call_end(&made);
}

static void spoil_output(call *made) {
    opmill_tensor *const output = &made->outputs.tensors[0];
    const opmill_tensor kept = *output;
    int64_t dims[OPMILL_MAX_RANK + 1] = {0};
    if (kept.rank > 0) {
        memcpy(dims, kept.dims, (size_t)kept.rank * sizeof dims[0]);
        output->dims = dims;
        dims[0]--;
        expect(made, OPMILL_ERROR_SHAPE, "an output that is too small");
        dims[0]++;
        output->rank--;
        expect(made, OPMILL_ERROR_SHAPE, "an output of lower rank");
        *output = kept;
    }
    for (int32_t type = OPMILL_FLOAT; type <= OPMILL_FLOAT6E3M2; type++) {
        output->type = type;
        if (type != kept.type) {
            expect(made, OPMILL_ERROR_TYPE, "an output of another type");
        }
    }
    *output = kept;
    for (int32_t i = 0; i < made->outputs.count; i++) {
        const opmill_operator *const operator = made->operator;
        if (parameter_of(operator->outputs, operator->output_count, i)->option != OPMILL_OPTIONAL) {
            made->outputs.taken[i] = NULL;
            expect(made, OPMILL_ERROR_CALL, "a required output that is NULL");
            made->outputs.taken[i] = &made->outputs.tensors[i];
        }
    }
    for (int32_t i = 0; i < made->inputs.count; i++) {
        if (made->inputs.given[i] == NULL || made->inputs.memory[i].size == 0) {
            continue;
        }
        const size_t input_bytes = made->inputs.memory[i].size;
        const size_t element = type_bytes(kept.type, 1);
        unsigned char *const start = made->inputs.memory[i].data;
        output->data = start;
        if ((size_t)start % element == 0) {
            expect(made, OPMILL_ERROR_CALL, "an output that begins where an input does");
        }
        output->data = start + (input_bytes - 1) / element * element;
        if ((size_t)output->data % element == 0) {
            expect(made, OPMILL_ERROR_CALL, "an output that begins at an input's last element");
        }
        output->data = start - (made->outputs.memory[0].size - element);
        if ((size_t)output->data % element == 0) {
            expect(made, OPMILL_ERROR_CALL, "an output that ends in an input's first element");
        }
        *output = kept;
    }
}

static bool is_variadic(const opmill_parameter *parameters, int32_t count) {
    return count > 0 && parameters[count - 1].option == OPMILL_VARIADIC;
}

static void spoil_counts(call *made) {
    static const int32_t COUNTS[] = {0, -1, INT32_MIN, 60};
    const int32_t inputs = made->inputs.count, outputs = made->outputs.count;
    const opmill_tensor *many[64];
    opmill_tensor *much[64];
    for (int32_t i = 0; i < 64; i++) {
        many[i] = made->inputs.given[0];
        much[i] = made->outputs.taken[0];
    }
    for (size_t i = 0; i < sizeof COUNTS / sizeof COUNTS[0]; i++) {
        opmill_shape shapes[64];
        const bool any_inputs = is_variadic(made->operator->inputs, made->operator->input_count);
        const bool any_outputs = is_variadic(made->operator->outputs, made->operator->output_count);
        int code;
        if (COUNTS[i] <= 0 || !any_inputs) {
            about("%s: %d inputs", made->operator->label, (int)COUNTS[i]);
            code = opmill_run(made->operator, many, COUNTS[i], made->attributes,
                              made->outputs.taken, outputs, &made->context);
            check_refused(code, &made->context, &made->outputs, OPMILL_ERROR_CALL, NULL);
        }
        if ((COUNTS[i] > 0 && any_outputs) ||
            (COUNTS[i] == 0 && least_outputs(made->operator) == 0)) {
            continue; /* any number may be asked for, or none where all are optional */
        }
        about("%s: %d outputs", made->operator->label, (int)COUNTS[i]);
        code = opmill_run(made->operator, made->inputs.given, inputs, made->attributes, much,
                          COUNTS[i], &made->context);
        check_refused(code, &made->context, &made->outputs, OPMILL_ERROR_CALL, NULL);
        code = opmill_infer(made->operator, made->inputs.given, inputs, made->attributes, shapes,
                            COUNTS[i], &made->context);
        check_refused(code, &made->context, &made->outputs, OPMILL_ERROR_CALL, NULL);
        refused += 3;
    }
}

static void spoil_pointers(call *made) {
    const opmill_operator *const operator = made->operator;
    const int32_t inputs = made->inputs.count, outputs = made->outputs.count;
    opmill_shape shapes[MAX_TENSORS];
    opmill_context *const context = &made->context;
    size_t bytes = 0;
    about("%s: NULL", operator->label);
    check(opmill_run(operator, made->inputs.given, inputs, made->attributes, made->outputs.taken,
                     outputs, NULL) == OPMILL_ERROR_CALL,
          "run without a context");
    check(opmill_infer(operator, made->inputs.given, inputs, made->attributes, shapes, outputs,
                       NULL) == OPMILL_ERROR_CALL,
          "infer without a context");
    check(opmill_workspace(operator, made->inputs.given, inputs, made->attributes, outputs, &bytes,
                           NULL) == OPMILL_ERROR_CALL,
          "workspace without a context");
    check_refused(
        opmill_run(operator, NULL, inputs, made->attributes, made->outputs.taken, outputs, context),
        context, &made->outputs, OPMILL_ERROR_CALL, NULL);
    check_refused(
        opmill_run(operator, made->inputs.given, inputs, made->attributes, NULL, outputs, context),
        context, &made->outputs, OPMILL_ERROR_CALL, NULL);
    check_refused(opmill_infer(operator, made->inputs.given, inputs, made->attributes, NULL,
                               outputs, context),
                  context, NULL, OPMILL_ERROR_CALL, NULL);
    check_refused(opmill_workspace(operator, made->inputs.given, inputs, made->attributes, outputs,
                                   NULL, context),
                  context, NULL, OPMILL_ERROR_CALL, NULL);
    check(tensors_untouched(&made->outputs), "nothing is written");
    for (int32_t i = 0; i < made->inputs.count; i++) {
        const opmill_tensor *const kept = made->inputs.given[i];
        made->inputs.given[i] = NULL;
        if (parameter_of(operator->inputs, operator->input_count, i)->option != OPMILL_OPTIONAL) {
            expect(made, OPMILL_ERROR_CALL, "a required input that is NULL");
            expect_in_infer(made, "a required input that is NULL");
        }
        made->inputs.given[i] = kept;
    }
    refused += 7;
}

static void spoil_context(call *made) {
    static const int32_t ISAS[] = {-1, 6, 99, INT32_MAX, INT32_MIN};
    static const int32_t THREADS[] = {-1, INT32_MIN};
    for (size_t i = 0; i < sizeof ISAS / sizeof ISAS[0]; i++) {
        made->context.isa = ISAS[i];
        expect(made, OPMILL_ERROR_CALL, "an instruction set that there is not");
    }
    for (int32_t isa = OPMILL_ISA_AUTO; isa <= OPMILL_ISA_NEON; isa++) {
        about("%s: instruction set %d", made->operator->label, (int)isa);
        made->context.isa = isa;
        const int code = run(made);
        check(code == OPMILL_OK || (isa > OPMILL_ISA_BASELINE && code == OPMILL_ERROR_CALL),
              "computed, or not available");
    }
    made->context.isa = OPMILL_ISA_AUTO;
    for (size_t i = 0; i < sizeof THREADS / sizeof THREADS[0]; i++) {
        about("%s: %d threads", made->operator->label, (int)THREADS[i]);
        made->context.threads = THREADS[i];
        check(run(made) == OPMILL_OK, "a number of threads below 1 is the caller's alone");
    }
    made->context.threads = 0;
}

/* An attribute that is a tensor of no type, without data, without dims, of a negative dim. */
static void spoil_tensor_attribute(call *made, void *member) {
    static const int64_t one[] = {1}, negative[] = {-1};
    static float data[] = {1.0f};
    const opmill_tensor typeless = {data, one, 1, 99}, empty = {NULL, one, 1, OPMILL_FLOAT};
    const opmill_tensor shapeless = {data, NULL, 1, OPMILL_FLOAT};
    const opmill_tensor below = {data, negative, 1, OPMILL_FLOAT};
    const opmill_tensor ranked = {data, one, OPMILL_MAX_RANK + 1, OPMILL_FLOAT};
    const opmill_tensor *tensor = &typeless;
    memcpy(member, &tensor, sizeof tensor);
    expect(made, OPMILL_ERROR_ATTRIBUTE, "a tensor of no type of ONNX");
    expect_in_infer(made, "a tensor of no type of ONNX");
    tensor = &empty;
    memcpy(member, &tensor, sizeof tensor);
    expect(made, OPMILL_ERROR_CALL, "a tensor whose data is NULL");
    tensor = &shapeless;
    memcpy(member, &tensor, sizeof tensor);
    expect(made, OPMILL_ERROR_CALL, "a tensor whose dims are NULL");
    tensor = &below;
    memcpy(member, &tensor, sizeof tensor);
    expect(made, OPMILL_ERROR_CALL, "a tensor with a negative dim");
    tensor = &ranked;
    memcpy(member, &tensor, sizeof tensor);
    expect(made, OPMILL_ERROR_CALL, "a tensor of too many axes");
    static const char *no_string[] = {NULL};
    const opmill_tensor holed = {no_string, one, 1, OPMILL_STRING};
    tensor = &holed;
    memcpy(member, &tensor, sizeof tensor);
    expect(made, OPMILL_ERROR_CALL, "a string tensor with a NULL");
}

/* An attribute that is a sparse tensor without parts, without dims, of another place. */
static void spoil_sparse_attribute(call *made, void *member) {
    static const int64_t one[] = {1}, large[] = {INT64_MAX, INT64_MAX};
    static float data[] = {1.0f};
    static int64_t places[] = {0}, beyond[] = {1};
    const opmill_tensor values = {data, one, 1, OPMILL_FLOAT}, bare = {NULL, one, 1, OPMILL_FLOAT};
    const opmill_tensor indices = {places, one, 1, OPMILL_INT64};
    const opmill_tensor outside = {beyond, one, 1, OPMILL_INT64};
    const opmill_sparse_tensor wrong[] = {
        {NULL, &indices, one, 1},     {&values, NULL, one, 1},      {&values, &indices, NULL, 1},
        {&values, &indices, one, -1}, {&values, &indices, one, 65}, {&values, &outside, one, 1}};
    const opmill_sparse_tensor bodiless = {&bare, &indices, one, 1};
    const opmill_sparse_tensor huge = {&values, &indices, large, 2};
    const opmill_sparse_tensor *sparse;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        sparse = &wrong[i];
        memcpy(member, &sparse, sizeof sparse);
        expect(made, OPMILL_ERROR_ATTRIBUTE, "a sparse tensor whose parts do not fit");
        expect_in_infer(made, "a sparse tensor whose parts do not fit");
    }
    sparse = &bodiless;
    memcpy(member, &sparse, sizeof sparse);
    expect(made, OPMILL_ERROR_CALL, "a sparse tensor whose values have no data");
    sparse = &huge;
    memcpy(member, &sparse, sizeof sparse);
    check(is_refused(made), "a sparse tensor that is too large, or one value too many");
}

/* Whether an attribute may be any text. */
static bool takes_any_text(const char *name) {
    static const char *const NAMES[] = {"default_string", "delimiter", "locale"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        if (strcmp(name, NAMES[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Each attribute spoiled by itself, the others as they were. */
static void spoil_attributes(call *made) {
    static int64_t ones[300];
    static char long_text[6000];
    const opmill_operator *const operator = made->operator;
    const void *const kept = made->attributes;
    unsigned char *const changed = malloc(operator->attributes_size + 1);
    if (changed == NULL) {
        abort();
    }
    for (size_t i = 0; i < 300; i++) {
        ones[i] = 1;
    }
    memset(long_text, 0xff, sizeof long_text - 1);
    made->attributes = changed;
    for (int32_t i = 0; i < operator->attribute_count; i++) {
        const opmill_attribute *const attribute = &operator->attributes[i];
        void *const member = changed + attribute->offset;
        memcpy(changed, kept != NULL ? kept : operator->defaults, operator->attributes_size);
        if (attribute->kind == OPMILL_KIND_INTS) {
            const opmill_ints none = {NULL, 2}, many = {ones, 300}, most = {NULL, INT64_MAX};
            memcpy(member, &none, sizeof none);
            expect(made, OPMILL_ERROR_ATTRIBUTE, "a list of two values that is NULL");
            expect_in_infer(made, "a list of two values that is NULL");
            memcpy(member, &most, sizeof most);
            expect(made, OPMILL_ERROR_ATTRIBUTE, "an endless list that is NULL");
            memcpy(member, &many, sizeof many);
            if (is_refused(made)) { /* not where a version ignores the list */
                expect(made, OPMILL_OK, "a list of 300 values");
                expect_in_infer(made, "a list of 300 values");
            }
        } else if (attribute->kind == OPMILL_KIND_FLOATS) {
            const opmill_floats none = {NULL, 2}, most = {NULL, INT64_MAX};
            memcpy(member, &none, sizeof none);
            expect(made, OPMILL_ERROR_ATTRIBUTE, "a list of two floats that is NULL");
            memcpy(member, &most, sizeof most);
            expect(made, OPMILL_ERROR_ATTRIBUTE, "an endless list of floats that is NULL");
        } else if (attribute->kind == OPMILL_KIND_STRINGS) {
            static const char *const absent[] = {"Tanh", NULL};
            const opmill_strings none = {NULL, 2}, holed = {absent, 2};
            memcpy(member, &none, sizeof none);
            expect(made, OPMILL_ERROR_ATTRIBUTE, "a list of two texts that is NULL");
            memcpy(member, &holed, sizeof holed);
            expect(made, OPMILL_ERROR_ATTRIBUTE, "a list with a text that is NULL");
        } else if (attribute->kind == OPMILL_KIND_TENSOR) {
            spoil_tensor_attribute(made, member);
        } else if (attribute->kind == OPMILL_KIND_SPARSE_TENSOR) {
            spoil_sparse_attribute(made, member);
        } else if (attribute->kind == OPMILL_KIND_STRING) {
            const char *text = long_text;
            memcpy(member, &text, sizeof text);
            if (!takes_any_text(attribute->name)) {
                expect(made, OPMILL_ERROR_ATTRIBUTE, "a text of 5,999 odd bytes");
            }
            text = NULL;
            memcpy(member, &text, sizeof text);
            memcpy(&text, (const char *)operator->defaults + attribute->offset, sizeof text);
            if (text != NULL) { /* there is a default, which NULL does not stand for */
                expect(made, OPMILL_ERROR_ATTRIBUTE, "a text that is NULL");
                expect_in_infer(made, "a text that is NULL");
            }
        }
    }
    made->attributes = kept;
    free(changed);
}

/* An output of the bound's shape instead of the measured one, and measure without data or place. */
static void spoil_measure(call *made) {
    const opmill_operator *const operator = made->operator;
    const int32_t inputs = made->inputs.count, outputs = made->outputs.count;
    opmill_shape shapes[MAX_TENSORS];
    opmill_context *const context = &made->context;
    about("%s: measure", operator->label);
    check(opmill_infer(operator, made->inputs.given, inputs, made->attributes, shapes, outputs,
                       context) == OPMILL_OK,
          "infer succeeds");
    for (int32_t i = 0; i < outputs; i++) {
        opmill_tensor *const output = &made->outputs.tensors[i];
        const opmill_tensor kept = *output;
        const opmill_parameter *const parameter =
            parameter_of(operator->outputs, operator->output_count, i);
        output->dims = shapes[i].dims;
        if (parameter->bounded != 0 &&
            count_of(shapes[i].dims, shapes[i].rank) != count_of(kept.dims, kept.rank)) {
            expect_named(made, OPMILL_ERROR_SHAPE, "an output as large as the bound",
                         parameter->name);
        }
        *output = kept;
    }
    check(opmill_measure(operator, made->inputs.given, inputs, made->attributes, shapes, outputs,
                         NULL) == OPMILL_ERROR_CALL,
          "measure without a context");
    check_refused(opmill_measure(operator, made->inputs.given, inputs, made->attributes, NULL,
                                 outputs, context),
                  context, NULL, OPMILL_ERROR_CALL, NULL);
    for (int32_t i = 0; i < inputs; i++) {
        opmill_tensor *const input = &made->inputs.tensors[i];
        const opmill_tensor kept = *input;
        input->data = NULL;
        if (made->inputs.given[i] != NULL && count_of(kept.dims, kept.rank) > 0) {
            check_refused(opmill_measure(operator, made->inputs.given, inputs, made->attributes,
                                         shapes, outputs, context),
                          context, NULL, OPMILL_ERROR_CALL, NULL);
        }
        *input = kept;
    }
}

int main(void) {
    char text[64], name[NAME_BYTES];
    for (int32_t i = 0; i < case_table_count(); i++) {
        const case_example *const witness = witness_of(case_table_at(i));
        call made;
        check_strings(case_table_at(i));
        if (witness == NULL) {
            continue;
        }
        call_begin(&made, case_table_at(i), witness);
        const opmill_operator *const operator = made.operator;
        for (int32_t k = 0; k < made.inputs.count; k++) {
            if (made.inputs.given[k] != NULL) {
                value_name(name, sizeof name, operator->inputs, operator->input_count, k);
                spoil_tensor(&made, &made.inputs.tensors[k], name, true);
            }
        }
        for (int32_t k = 0; k < made.outputs.count; k++) {
            value_name(name, sizeof name, operator->outputs, operator->output_count, k);
            spoil_tensor(&made, &made.outputs.tensors[k], name, false);
        }
        spoil_output(&made);
        spoil_counts(&made);
        spoil_pointers(&made);
        spoil_attributes(&made);
        spoil_measure(&made);
        spoil_context(&made);
        call_end(&made);
    }
    check(string_inputs > 0 || case_table_count() < 100, "some inputs are strings");
    snprintf(text, sizeof text, "%ld bad calls", refused);
    return finish(text);
}
