/* opmill_prepare: every example and some products, convolutions and trees with packed inputs or
 * attributes, on every instruction set, beside the same calls without; blocks that are foreign,
 * damaged or short. */
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

/* Sets the workspace of a call; the caller frees it. */
static int take_workspace(prepared_trial *trial, int32_t output_count, guarded *workspace) {
    size_t bytes = 0;
    trial->context.workspace = NULL;
    trial->context.workspace_size = 0;
    const int code = opmill_workspace(trial->operator, trial->inputs, trial->count,
                                      trial->attributes, output_count, &bytes, &trial->context);
    *workspace = guarded_new(code == OPMILL_OK ? bytes : 0, true);
    trial->context.workspace = bytes > 0 ? workspace->data : NULL;
    trial->context.workspace_size = bytes;
    return code;
}

static int run(prepared_trial *trial, call_tensors *outputs) {
    guarded workspace;
    int code = take_workspace(trial, outputs->count, &workspace);
    if (code == OPMILL_OK) {
        code = opmill_run(trial->operator, trial->inputs, trial->count, trial->attributes,
                          outputs->taken, outputs->count, &trial->context);
    }
    check(guarded_intact(&workspace), "nothing beside the workspace is written");
    guarded_free(&workspace);
    trial->context.workspace = NULL;
    trial->context.workspace_size = 0;
    return code;
}

static int prepare(prepared_trial *trial, int32_t input, void *block, size_t bytes) {
    guarded workspace;
    int code = take_workspace(trial, trial->expected->count, &workspace);
    if (code == OPMILL_OK) {
        code = opmill_prepare(trial->operator, trial->inputs, trial->count, trial->attributes,
                              input, block, bytes, &trial->context);
    }
    check(guarded_intact(&workspace), "nothing beside the workspace is written");
    guarded_free(&workspace);
    trial->context.workspace = NULL;
    trial->context.workspace_size = 0;
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
        check(prepare(trial, input, memory.data, bytes - 1) == OPMILL_ERROR_CALL,
              "a short block is refused");
        check(prepare(trial, input, memory.data, bytes) == OPMILL_OK, "the input is packed");
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
    for (int32_t i = OPMILL_PREPARE_ATTRIBUTES;
         i < trial->count && i < trial->operator->input_count && bytes == 0; i++) {
        if (i == OPMILL_PREPARE_ATTRIBUTES || trial->inputs[i] != NULL) {
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
            check_input(&trial, OPMILL_PREPARE_ATTRIBUTES, blocks % 16 == 0);
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

/* A tree of one comparison, as TreeEnsemble-5 has it: the two leaves have the votes 10 and 20. */
typedef struct one_tree {
    const opmill_operator *operator;
    opmill_tensor modes, splits, weights;
    int64_t feature;
    float split;
    _Alignas(16) unsigned char attributes[1024];
} one_tree;

static opmill_tensor vector(const void *values, const int64_t *count, int32_t type) {
    return (opmill_tensor){(void *)(uintptr_t)values, count, 1, type};
}

/* Sets an attribute: the library may be one without the header of this operator. */
static void set(one_tree *tree, const char *name, const void *value, size_t bytes) {
    for (int32_t i = 0; i < tree->operator->attribute_count; i++) {
        if (strcmp(tree->operator->attributes[i].name, name) == 0) {
            memcpy(tree->attributes + tree->operator->attributes[i].offset, value, bytes);
        }
    }
}

static void set_ints(one_tree *tree, const char *name, const int64_t *values, int64_t count) {
    const opmill_ints list = {values, count};
    set(tree, name, &list, sizeof list);
}

static void set_tensor(one_tree *tree, const char *name, const opmill_tensor *tensor) {
    set(tree, name, &tensor, sizeof tensor);
}

static void make_tree(one_tree *tree, const opmill_operator *operator, float split,
                      int64_t feature) {
    static const int64_t zeros[] = {0, 0}, ones[] = {1}, one_node[] = {1}, two_leaves[] = {2};
    static const float votes[] = {10, 20};
    static const uint8_t mode = 0;
    const opmill_int targets = {1, 1};
    tree->operator = operator;
    tree->split = split;
    tree->feature = feature;
    tree->modes = vector(&mode, one_node, OPMILL_UINT8);
    tree->splits = vector(&tree->split, one_node, OPMILL_FLOAT);
    tree->weights = vector(votes, two_leaves, OPMILL_FLOAT);
    memcpy(tree->attributes, operator->defaults, operator->attributes_size);
    set(tree, "n_targets", &targets, sizeof targets);
    set_ints(tree, "leaf_targetids", zeros, 2);
    set_ints(tree, "nodes_featureids", &tree->feature, 1);
    set_ints(tree, "nodes_truenodeids", zeros, 1);
    set_ints(tree, "nodes_falsenodeids", ones, 1);
    set_ints(tree, "nodes_trueleafs", ones, 1);
    set_ints(tree, "nodes_falseleafs", ones, 1);
    set_ints(tree, "tree_roots", zeros, 1);
    set_tensor(tree, "nodes_modes", &tree->modes);
    set_tensor(tree, "nodes_splits", &tree->splits);
    set_tensor(tree, "leaf_weights", &tree->weights);
}

/* A call with another tree or other rows refuses the block. */
static void refuse_tree(const prepared_trial *trial, const opmill_prepared *prepared, float split,
                        int64_t feature, const opmill_tensor *x) {
    one_tree tree;
    prepared_trial other = *trial;
    make_tree(&tree, trial->operator, split, feature);
    other.attributes = tree.attributes;
    other.inputs = &x;
    refuse(&other, prepared, "prepared attribute set is for other attributes or inputs, expected");
}

static void check_trees(void) {
    static _Alignas(OPMILL_BLOCK_ALIGNMENT) unsigned char memory[4096];
    static const int64_t x_dims[] = {2, 2}, wide_dims[] = {2, 3}, y_dims[] = {2, 1};
    const opmill_operator *const operator = opmill_find_operator("ai.onnx.ml", "TreeEnsemble", 5);
    const opmill_context fresh = OPMILL_CONTEXT_INIT;
    float values[] = {0, 1, 1, 0, 0, 0};
    const opmill_tensor x = {values, x_dims, 2, OPMILL_FLOAT};
    const opmill_tensor wide = {values, wide_dims, 2, OPMILL_FLOAT};
    const opmill_tensor *const inputs[] = {&x};
    const int32_t input = OPMILL_PREPARE_ATTRIBUTES;
    one_tree tree;
    call_tensors like;
    size_t bytes = 0;
    if (operator == NULL) {
        return;
    }
    make_tree(&tree, operator, 0.5F, 0);
    memset(&like, 0, sizeof like);
    like.count = 1;
    like.tensors[0] = (opmill_tensor){NULL, y_dims, 2, OPMILL_FLOAT};
    like.given[0] = like.taken[0] = &like.tensors[0];
    about("%s", operator->label);
    check_call(operator, tree.attributes, inputs, 1, &like);
    prepared_trial trial = {operator, tree.attributes, inputs, 1, &like, fresh};
    int code =
        opmill_prepare_size(operator, inputs, 1, tree.attributes, input, &bytes, &trial.context);
    check(code == OPMILL_OK && bytes > 0 && bytes <= sizeof memory, "the size is returned");
    code =
        opmill_prepare(operator, inputs, 1, tree.attributes, input, memory, bytes, &trial.context);
    check(code == OPMILL_ERROR_CALL && strstr(trial.context.error.message, "workspace") != NULL,
          "a workspace is needed");
    check(prepare(&trial, input, memory, bytes) == OPMILL_OK, "the tree is prepared");
    const opmill_prepared prepared = {input, memory, bytes};
    refuse_tree(&trial, &prepared, 0.75F, 0, &x);
    refuse_tree(&trial, &prepared, 0.5F, 1, &x);
    refuse_tree(&trial, &prepared, 0.5F, 0, &wide);
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
    check_trees();
    snprintf(text, sizeof text, "%ld blocks", blocks);
    return finish(text);
}
