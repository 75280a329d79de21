/* opmill_prepare: every example and some products and convolutions with packed inputs, on every
 * instruction set, beside the same calls without; blocks that are foreign, damaged or short. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "compare.h"
#include "opmill/isa.h"
#include "opmill/operators.h"
#include "values.h"

static long blocks;

/* A call, and its outputs without blocks. */
typedef struct prepared_trial {
    const opmill_operator *operator;
    const void *attributes;
    const opmill_tensor *const *inputs;
    int32_t count;
    const call_tensors *expected;
    opmill_context context;
} prepared_trial;

static int run(prepared_trial *trial, call_tensors *outputs) {
    size_t bytes = 0;
    trial->context.workspace = NULL;
    trial->context.workspace_size = 0;
    int code = opmill_workspace(trial->operator, trial->inputs, trial->count, trial->attributes,
                                outputs->count, &bytes, &trial->context);
    if (code != OPMILL_OK) {
        return code;
    }
    guarded workspace = guarded_new(bytes, true);
    trial->context.workspace = bytes > 0 ? workspace.data : NULL;
    trial->context.workspace_size = bytes;
    code = opmill_run(trial->operator, trial->inputs, trial->count, trial->attributes,
                      outputs->taken, outputs->count, &trial->context);
    check(guarded_intact(&workspace), "nothing beside the workspace is written");
    guarded_free(&workspace);
    return code;
}

static void refuse(prepared_trial *trial, const opmill_prepared *prepared, const char *words) {
    call_tensors outputs;
    trial->context.prepared = prepared;
    trial->context.prepared_count = 1;
    tensors_like(&outputs, trial->expected, true);
    check(run(trial, &outputs) == OPMILL_ERROR_CALL, "the block is refused");
    check(strstr(trial->context.error.message, words) != NULL, "in the right words");
    check(tensors_untouched(&outputs), "nothing is written");
    tensors_free(&outputs);
}

/* What is not the block that opmill_prepare has made for this call. */
static void check_refusals(prepared_trial *trial, opmill_prepared prepared, unsigned char *block) {
    opmill_prepared other = prepared;
    const opmill_context context = trial->context;
    for (size_t at = 0; at < 704 && at < prepared.bytes; at += 1 + at % 61) {
        block[at] ^= 0x10;
        refuse(trial, &prepared, " is foreign or damaged, expected ");
        block[at] ^= 0x10;
    }
    other.bytes = prepared.bytes - 1;
    refuse(trial, &other, ", expected at least ");
    other.bytes = 1;
    refuse(trial, &other, " has 1 byte, expected at least ");
    other = prepared;
    other.block = block + 1;
    refuse(trial, &other, " is misaligned, expected ");
    other = prepared;
    other.input = trial->operator->input_count;
    refuse(trial, &other, "position of a prepared input is ");
    if (trial->context.isa != OPMILL_ISA_PLAIN) {
        trial->context.isa = OPMILL_ISA_PLAIN;
        refuse(trial, &prepared, ", expected plain");
    }
    trial->context = context;
}

/* Packs one input. The block ends where its memory does. */
static void check_input(prepared_trial *trial, int32_t input, bool is_first) {
    size_t bytes = 0;
    int code = opmill_prepare_size(trial->operator, trial->inputs, trial->count, trial->attributes,
                                   input, &bytes, &trial->context);
    check(code == OPMILL_OK, "the size is returned");
    if (code != OPMILL_OK || bytes == 0) {
        return;
    }
    const size_t rounded =
        (bytes + OPMILL_BLOCK_ALIGNMENT - 1) / OPMILL_BLOCK_ALIGNMENT * OPMILL_BLOCK_ALIGNMENT;
    guarded memory = guarded_new(rounded, true);
    if ((uintptr_t)memory.data % OPMILL_BLOCK_ALIGNMENT == 0) {
        call_tensors outputs;
        const opmill_prepared prepared = {input, memory.data, bytes};
        tensors_like(&outputs, trial->expected, true);
        blocks++;
        check(opmill_prepare(trial->operator, trial->inputs, trial->count, trial->attributes, input,
                             memory.data, bytes - 1, &trial->context) == OPMILL_ERROR_CALL,
              "a short block is refused");
        check(opmill_prepare(trial->operator, trial->inputs, trial->count, trial->attributes, input,
                             memory.data, bytes, &trial->context) == OPMILL_OK,
              "the input is packed");
        check(guarded_intact(&memory), "nothing beside the block is written");
        trial->context.prepared = &prepared;
        trial->context.prepared_count = 1;
        code = run(trial, &outputs);
        check(code == OPMILL_OK, "the call succeeds");
        for (int32_t i = 0; code == OPMILL_OK && i < outputs.count; i++) {
            check(memcmp(outputs.memory[i].data, trial->expected->memory[i].data,
                         outputs.memory[i].size) == 0,
                  "the bits are the same");
        }
        if (is_first) {
            check_refusals(trial, prepared, memory.data);
        }
        trial->context.prepared = NULL;
        trial->context.prepared_count = 0;
        tensors_free(&outputs);
    }
    guarded_free(&memory);
}

/* True if a call has an input to pack, so that it is worth a run. */
static bool is_preparable(prepared_trial *trial) {
    size_t bytes = 0;
    for (int32_t i = 0; i < trial->count && i < trial->operator->input_count && bytes == 0; i++) {
        if (trial->inputs[i] != NULL) {
            check(opmill_prepare_size(trial->operator, trial->inputs, trial->count,
                                      trial->attributes, i, &bytes, &trial->context) == OPMILL_OK,
                  "the size is returned, 0 where there is nothing to prepare");
        }
    }
    return bytes > 0;
}

/* The call on each instruction set, without and with each of its inputs packed. */
static void check_call(const opmill_operator *operator, const void *attributes,
                       const opmill_tensor *const *inputs, int32_t count,
                       const call_tensors *like) {
    for (int32_t isa = OPMILL_ISA_PLAIN; isa <= OPMILL_ISA_NEON; isa++) {
        call_tensors expected;
        const opmill_context fresh = OPMILL_CONTEXT_INIT;
        prepared_trial trial = {operator, attributes, inputs, count, &expected, fresh};
        if (!opmill_isa_available(isa)) {
            continue;
        }
        trial.context.isa = isa;
        tensors_like(&expected, like, true);
        if (is_preparable(&trial) && run(&trial, &expected) == OPMILL_OK) {
            for (int32_t i = 0; i < count && i < operator->input_count; i++) {
                if (inputs[i] != NULL && operator->inputs[i].option != OPMILL_VARIADIC) {
                    check_input(&trial, i, blocks % 16 == 0);
                }
            }
        }
        tensors_free(&expected);
    }
}

static opmill_tensor drawn(const int64_t *dims, int32_t rank, float *values) {
    int64_t size = 1;
    for (int32_t i = 0; i < rank; i++) {
        size *= dims[i];
    }
    for (int64_t i = 0; i < size; i++) {
        values[i] = (float)(i * 7919 % 1009) / 64.0f - 7.0f;
    }
    return (opmill_tensor){values, dims, rank, OPMILL_FLOAT};
}

/* Shapes at which panels and tiles end in every way. */
static void check_sizes(const opmill_operator *operator, const int64_t *x_dims,
                        const int64_t *w_dims, int32_t rank) {
    static float x_values[1 << 14], w_values[1 << 16];
    const opmill_tensor x = drawn(x_dims, rank, x_values), w = drawn(w_dims, rank, w_values);
    const opmill_tensor *const inputs[] = {&x, &w};
    opmill_context context = OPMILL_CONTEXT_INIT;
    opmill_shape shape;
    call_tensors like;
    about("%s", operator->label);
    if (opmill_infer(operator, inputs, 2, NULL, &shape, 1, &context) != OPMILL_OK) {
        fail("%s", context.error.message);
        return;
    }
    memset(&like, 0, sizeof like);
    like.count = 1;
    like.tensors[0] = (opmill_tensor){NULL, shape.dims, shape.rank, shape.type};
    like.given[0] = like.taken[0] = &like.tensors[0];
    check_call(operator, NULL, inputs, 2, &like);
}

int main(void) {
    char text[64];
    for (int32_t i = 0; i < case_table_count(); i++) {
        const case_table *const table = case_table_at(i);
        for (const case_example *example = next_example(table, NULL); example != NULL;
             example = next_example(table, example)) {
            call_tensors inputs, like;
            if (!cases_fit(example->inputs, example->input_count) ||
                !cases_fit(example->outputs, example->output_count)) {
                continue;
            }
            about("%s '%s'", operator_of(table)->label, example->name);
            tensors_of_case(&inputs, example->inputs, example->input_count, NULL, 0, -1, 0);
            tensors_of_case(&like, example->outputs, example->output_count, NULL, 0, -1, 0);
            check_call(operator_of(table), example->attributes, inputs.given, inputs.count, &like);
            tensors_free(&inputs);
            tensors_free(&like);
        }
    }
    const opmill_operator *const product = opmill_find_operator("ai.onnx", "MatMul", 13);
    for (int64_t n = 2; product != NULL && n < 120; n += 7) {
        const int64_t a[] = {5 + n % 9, 23}, b[] = {23, n};
        check_sizes(product, a, b, 2);
    }
    const opmill_operator *const convolution = opmill_find_operator("ai.onnx", "Conv", 11);
    for (int64_t maps = 3; convolution != NULL && maps < 80; maps += 11) {
        const int64_t side = 1 + maps % 2 * 2, x[] = {1, 5, 9, 8}, w[] = {maps, 5, side, side};
        check_sizes(convolution, x, w, 4);
    }
    snprintf(text, sizeof text, "%ld blocks", blocks);
    return finish(text);
}
