/* Runs calls of the corpus with opmill's C library. It is an example of a runtime: replace this
 * file by one for yours. */
#include "runner.h"

#include <opmill/operator.h>
#include <opmill/operators.h>
#include <string.h>

enum { MAX_TENSORS = 64 };

static const char *const TYPES[] = {
    [OPMILL_FLOAT] = "float",
    [OPMILL_UINT8] = "uint8",
    [OPMILL_INT8] = "int8",
    [OPMILL_UINT16] = "uint16",
    [OPMILL_INT16] = "int16",
    [OPMILL_INT32] = "int32",
    [OPMILL_INT64] = "int64",
    [OPMILL_STRING] = "string",
    [OPMILL_BOOL] = "bool",
    [OPMILL_FLOAT16] = "float16",
    [OPMILL_DOUBLE] = "double",
    [OPMILL_UINT32] = "uint32",
    [OPMILL_UINT64] = "uint64",
    [OPMILL_COMPLEX64] = "complex64",
    [OPMILL_COMPLEX128] = "complex128",
    [OPMILL_BFLOAT16] = "bfloat16",
    [OPMILL_FLOAT8E4M3FN] = "float8e4m3fn",
    [OPMILL_FLOAT8E4M3FNUZ] = "float8e4m3fnuz",
    [OPMILL_FLOAT8E5M2] = "float8e5m2",
    [OPMILL_FLOAT8E5M2FNUZ] = "float8e5m2fnuz",
    [OPMILL_UINT4] = "uint4",
    [OPMILL_INT4] = "int4",
    [OPMILL_FLOAT4E2M1] = "float4e2m1",
    [OPMILL_FLOAT8E8M0] = "float8e8m0",
    [OPMILL_UINT2] = "uint2",
    [OPMILL_INT2] = "int2",
    [OPMILL_FLOAT6E2M3] = "float6e2m3",
    [OPMILL_FLOAT6E3M2] = "float6e3m2",
};
enum { TYPE_COUNT = sizeof TYPES / sizeof TYPES[0] };

static opmill_tensor tensor_of(const corpus_tensor *from) {
    opmill_tensor tensor = {from->data, from->dims, from->rank, OPMILL_UNDEFINED};
    for (int32_t type = OPMILL_FLOAT; type < TYPE_COUNT; type++) {
        if (strcmp(from->type, TYPES[type]) == 0) {
            tensor.type = type;
        }
    }
    return tensor;
}

/* Sets a member of an attribute struct; returns 0 if the attribute is of another kind. */
static int set_member(unsigned char *member, const opmill_attribute *attribute,
                      const corpus_attribute *given) {
    static const char *const KINDS[] = {
        [OPMILL_KIND_FLOAT] = "float",    [OPMILL_KIND_INT] = "int",
        [OPMILL_KIND_STRING] = "string",  [OPMILL_KIND_TENSOR] = "tensor",
        [OPMILL_KIND_FLOATS] = "floats",  [OPMILL_KIND_INTS] = "ints",
        [OPMILL_KIND_STRINGS] = "strings"};
    const int32_t kind = attribute->kind;
    if (kind > OPMILL_KIND_STRINGS || strcmp(given->kind, KINDS[kind]) != 0) {
        return 0;
    }
    if (kind == OPMILL_KIND_INT && attribute->optional) {
        *(opmill_int *)(void *)member = (opmill_int){given->ints[0], 1};
    } else if (kind == OPMILL_KIND_FLOAT && attribute->optional) {
        *(opmill_float *)(void *)member = (opmill_float){given->floats[0], 1};
    } else if (kind == OPMILL_KIND_INT) {
        *(int64_t *)(void *)member = given->ints[0];
    } else if (kind == OPMILL_KIND_FLOAT) {
        *(float *)(void *)member = given->floats[0];
    } else if (kind == OPMILL_KIND_STRING) {
        *(const char **)(void *)member = given->strings[0];
    } else if (kind == OPMILL_KIND_INTS) {
        *(opmill_ints *)(void *)member = (opmill_ints){given->ints, given->count};
    } else if (kind == OPMILL_KIND_FLOATS) {
        *(opmill_floats *)(void *)member = (opmill_floats){given->floats, given->count};
    } else if (kind == OPMILL_KIND_STRINGS) {
        *(opmill_strings *)(void *)member = (opmill_strings){given->strings, given->count};
    } else {
        opmill_tensor *const tensor = corpus_memory(1, sizeof *tensor);
        *tensor = tensor_of(&given->tensor);
        *(const opmill_tensor **)(void *)member = tensor;
    }
    return 1;
}

/* The attribute struct of a call; NULL if a struct cannot hold what it gives. */
static void *attributes_of(const opmill_operator *op, const corpus_call *call) {
    unsigned char *const members = corpus_memory(op->attributes_size, 1);
    int known = 0;
    if (op->attributes_size > 0) {
        memcpy(members, op->defaults, op->attributes_size);
    }
    for (int32_t i = 0; i < op->attribute_count; i++) {
        int is_given = 0;
        for (int k = 0; k < call->attribute_count; k++) {
            if (strcmp(call->attributes[k].name, op->attributes[i].name) == 0) {
                is_given = set_member(members + op->attributes[i].offset, &op->attributes[i],
                                      &call->attributes[k]);
            }
        }
        known += is_given;
        if (op->attributes[i].required && !is_given) {
            return NULL;
        }
    }
    return known == call->attribute_count ? members : NULL;
}

/* Whether the library lacks a type of the call. */
static int has_gap(const opmill_operator *op, const corpus_tensor *tensors, int count) {
    for (int i = 0; i < count; i++) {
        for (int32_t k = 0; tensors[i].type != NULL && k < op->gap_count; k++) {
            if (strcmp(tensors[i].type, TYPES[op->gaps[k].type]) == 0) {
                return 1;
            }
        }
    }
    return 0;
}

/* The caller's memory of a call. `requested` has the outputs that are not absent. */
typedef struct memory {
    opmill_tensor outputs[MAX_TENSORS];
    const corpus_tensor *requested;
} memory;

static int outputs_of(void *user, const opmill_shape *shapes, opmill_tensor **outputs,
                      int32_t output_count) {
    memory *const own = user;
    for (int32_t i = 0; i < output_count; i++) {
        int64_t count = 1;
        int64_t *const dims = corpus_memory((size_t)shapes[i].rank, sizeof *dims);
        for (int32_t k = 0; k < shapes[i].rank; k++) {
            count *= dims[k] = shapes[i].dims[k];
        }
        void *const data = corpus_memory(corpus_bytes(TYPES[shapes[i].type], count), 1);
        own->outputs[i] = (opmill_tensor){data, dims, shapes[i].rank, shapes[i].type};
        outputs[i] = own->requested[i].type != NULL ? &own->outputs[i] : NULL;
    }
    return OPMILL_OK;
}

static int workspace_of(void *user, size_t bytes, opmill_context *context) {
    (void)user;
    context->workspace = corpus_memory(bytes, 1);
    context->workspace_size = bytes;
    return OPMILL_OK;
}

static void *strings_of(void *user, size_t bytes) {
    (void)user;
    return corpus_memory(bytes, 1);
}

enum corpus_outcome corpus_run(const corpus_call *call, corpus_tensor *outputs, char *message) {
    const opmill_operator *const op =
        opmill_find_operator(call->domain, call->operator, (int32_t)call->version);
    void *const attributes = op != NULL ? attributes_of(op, call) : NULL;
    opmill_tensor tensors[MAX_TENSORS], *computed[MAX_TENSORS];
    const opmill_tensor *inputs[MAX_TENSORS] = {NULL};
    opmill_shape *const shapes = corpus_memory(MAX_TENSORS, sizeof *shapes);
    memory own = {.requested = outputs};
    const opmill_allocator allocator = {&own, outputs_of, workspace_of};
    const opmill_block_allocator strings = {NULL, strings_of};
    opmill_context context = OPMILL_CONTEXT_INIT;
    context.strings = &strings;
    if (attributes == NULL || has_gap(op, call->inputs, call->input_count) ||
        has_gap(op, outputs, call->output_count)) {
        return CORPUS_ABSENT;
    }
    for (int i = 0; i < call->input_count; i++) {
        if (call->inputs[i].type != NULL) {
            tensors[i] = tensor_of(&call->inputs[i]);
            inputs[i] = &tensors[i];
        }
    }
    if (opmill_run_allocating(op, inputs, call->input_count, attributes, shapes, computed,
                              call->output_count, &allocator, &context) != OPMILL_OK) {
        const char *const words = strstr(context.error.message, ": ");
        strcpy(message, words != NULL ? words + 2 : context.error.message);
        return CORPUS_REFUSED;
    }
    for (int i = 0; i < call->output_count; i++) {
        outputs[i].type = TYPES[own.outputs[i].type];
        outputs[i].dims = own.outputs[i].dims;
        outputs[i].rank = own.outputs[i].rank;
        outputs[i].data = own.outputs[i].data;
    }
    return CORPUS_COMPUTED;
}
