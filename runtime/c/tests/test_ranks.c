/* Every rank from 0 to 64, for the operators that are there; 65 is refused. Most axes have one
 * element, so that the results stay small: they are those of the call without these axes, of which
 * the corpus has many. */
#include <stdio.h>
#include <string.h>

#include "calls.h"
#include "compare.h"
#include "values.h"

static const int32_t ISAS[] = {OPMILL_ISA_AUTO, OPMILL_ISA_PLAIN};

/* Runs a call into memory for 4096 elements; its output is empty where that fails. */
static opmill_tensor output_of(const opmill_operator *operator, const opmill_tensor *const *inputs,
                               int32_t count, int32_t isa, opmill_shape *shape, double *memory) {
    static double scratch[65536];
    opmill_context context = OPMILL_CONTEXT_INIT;
    opmill_tensor output = {memory, NULL, 0, OPMILL_UNDEFINED};
    opmill_tensor *const outputs[] = {&output};
    int code = opmill_infer(operator, inputs, count, NULL, shape, 1, &context);
    check(code == OPMILL_OK, "infer succeeds");
    if (code == OPMILL_OK) {
        output = (opmill_tensor){memory, shape->dims, shape->rank, shape->type};
        check(count_of(shape->dims, shape->rank) <= 4096, "the result fits");
        memset(memory, PATTERN, 4096 * sizeof *memory);
        context.workspace = scratch;
        context.workspace_size = sizeof scratch;
        context.isa = isa;
        code = opmill_run(operator, inputs, count, NULL, outputs, 1, &context);
        check(code == OPMILL_OK, "the call succeeds");
    }
    if (code != OPMILL_OK) {
        fail("%s", context.error.message);
    }
    return output;
}

/* A call, and the same without axes of one element. */
static void run(const case_table *table, const opmill_operator *operator,
                const opmill_tensor *const *inputs, const opmill_tensor *const *without,
                int32_t count) {
    static double got[4096], wanted[4096];
    opmill_shape shape, short_shape;
    const opmill_tensor expected =
        output_of(operator, without, count, OPMILL_ISA_PLAIN, &short_shape, wanted);
    for (size_t i = 0; i < sizeof ISAS / sizeof ISAS[0]; i++) {
        const opmill_tensor output = output_of(operator, inputs, count, ISAS[i], &shape, got);
        check(count_of(output.dims, output.rank) == count_of(expected.dims, expected.rank),
              "as many elements as without the axes");
        check_elements(&output, &expected, accuracy_of(table, expected.type),
                       "the call without the axes");
    }
}

/* The axes of which one of two lists has another number than 1; returns how many there are. */
static int32_t drop_ones(const int64_t *dims, const int64_t *values, int32_t rank,
                         int64_t *short_dims, int64_t *short_values) {
    int32_t count = 0;
    for (int32_t i = 0; i < rank; i++) {
        if (dims[i] != 1 || values[i] != 1) {
            short_dims[count] = dims[i];
            short_values[count++] = values[i];
        }
    }
    return count;
}

/* 1 everywhere but on the first, the middle and the last axis. */
static void set_dims(int64_t *dims, int32_t rank, int64_t first, int64_t middle, int64_t last) {
    for (int32_t i = 0; i < rank; i++) {
        dims[i] = 1;
    }
    if (rank > 0) {
        dims[rank / 2] = middle;
        dims[0] = first;
        dims[rank - 1] = last;
    }
}

static void check_expand_and_tile(const case_table *table, const opmill_operator *operator,
                                  int32_t rank) {
    static float data[64];
    int64_t dims[OPMILL_MAX_RANK], values[OPMILL_MAX_RANK];
    int64_t short_dims[OPMILL_MAX_RANK], short_values[OPMILL_MAX_RANK];
    const int64_t length = rank;
    const bool tile = strcmp(table->name, "Tile") == 0;
    set_dims(dims, rank, 1, 2, 3);
    set_dims(values, rank, 2, tile ? 3 : 2, tile ? 2 : 3);
    for (int32_t i = 0; i < 64; i++) {
        data[i] = (float)i;
    }
    if (!tile && rank == 1) {
        values[0] = 3;
    }
    const int64_t short_length = drop_ones(dims, values, rank, short_dims, short_values);
    const opmill_tensor input = {data, dims, rank, OPMILL_FLOAT};
    const opmill_tensor list = {values, &length, 1, OPMILL_INT64};
    const opmill_tensor short_input = {data, short_dims, (int32_t)short_length, OPMILL_FLOAT};
    const opmill_tensor short_list = {short_values, &short_length, 1, OPMILL_INT64};
    const opmill_tensor *const inputs[] = {&input, &list}, *const without[] = {&short_input,
                                                                               &short_list};
    run(table, operator, inputs, without, 2);
    if (!tile) { /* a lower rank takes the ones from the left */
        const opmill_tensor scalar = {data, NULL, 0, OPMILL_FLOAT};
        const opmill_tensor *const from_scalar[] = {&scalar, &list};
        const opmill_tensor *const short_from_scalar[] = {&scalar, &short_list};
        run(table, operator, from_scalar, short_from_scalar, 2);
    }
}

static void check_tile_along_axis(const case_table *table, const opmill_operator *operator,
                                  int32_t rank) {
    static float data[64];
    static const float tiles[] = {3};
    int64_t dims[OPMILL_MAX_RANK], tiled[OPMILL_MAX_RANK];
    int64_t short_dims[OPMILL_MAX_RANK], short_tiled[OPMILL_MAX_RANK];
    set_dims(dims, rank, 2, 2, 3);
    for (int32_t i = 0; i < 64; i++) {
        data[i] = (float)i;
    }
    const opmill_tensor input = {data, dims, rank, OPMILL_FLOAT};
    const opmill_tensor count = {(void *)(uintptr_t)tiles, NULL, 0, OPMILL_FLOAT};
    for (int32_t along = -rank; along < rank; along++) {
        float number = (float)along, short_number = 0;
        set_dims(tiled, rank, 1, 1, 1);
        tiled[along < 0 ? along + rank : along] = 3;
        const int32_t short_rank = drop_ones(dims, tiled, rank, short_dims, short_tiled);
        while (short_tiled[(int32_t)short_number] != 3) {
            short_number++;
        }
        const opmill_tensor axis = {&number, NULL, 0, OPMILL_FLOAT};
        const opmill_tensor short_axis = {&short_number, NULL, 0, OPMILL_FLOAT};
        const opmill_tensor short_input = {data, short_dims, short_rank, OPMILL_FLOAT};
        const opmill_tensor *const inputs[] = {&input, &count, &axis};
        const opmill_tensor *const without[] = {&short_input, &count, &short_axis};
        about("%s, rank %d, axis %d", operator->label, (int)rank, (int)along);
        run(table, operator, inputs, without, 3);
    }
}

static void check_conv_transpose(const case_table *table, const opmill_operator *operator,
                                 int32_t rank) {
    static float data[64];
    static const int64_t SHORT_X[] = {2, 1, 2, 3}, SHORT_W[] = {1, 1, 3, 2};
    int64_t x_dims[OPMILL_MAX_RANK], w_dims[OPMILL_MAX_RANK];
    set_dims(x_dims, rank, 2, rank > 4 ? 2 : 1, 3);
    set_dims(w_dims, rank, 1, rank > 4 ? 3 : 1, 2);
    for (int32_t i = 0; i < 64; i++) {
        data[i] = (float)(i % 7);
    }
    const opmill_tensor x = {data, x_dims, rank, OPMILL_FLOAT};
    const opmill_tensor w = {data + 3, w_dims, rank, OPMILL_FLOAT};
    const opmill_tensor short_x = {data, rank > 4 ? SHORT_X : x_dims, rank > 4 ? 4 : rank,
                                   OPMILL_FLOAT};
    const opmill_tensor short_w = {data + 3, rank > 4 ? SHORT_W : w_dims, rank > 4 ? 4 : rank,
                                   OPMILL_FLOAT};
    const opmill_tensor *const inputs[] = {&x, &w}, *const without[] = {&short_x, &short_w};
    run(table, operator, inputs, without, 2);
}

int main(void) {
    for (int32_t i = 0; i < case_table_count(); i++) {
        const case_table *const table = case_table_at(i);
        const opmill_operator *const operator = operator_of(table);
        const bool conv = strcmp(table->name, "ConvTranspose") == 0;
        const bool known =
            conv || strcmp(table->name, "Tile") == 0 || strcmp(table->name, "Expand") == 0;
        if (!known || strcmp(table->domain, "ai.onnx") != 0) {
            continue;
        }
        for (int32_t rank = conv ? 3 : 0; rank <= OPMILL_MAX_RANK; rank++) {
            about("%s, rank %d", operator->label, (int)rank);
            if (conv) {
                check_conv_transpose(table, operator, rank);
            } else if (operator->input_count == 3) {
                check_tile_along_axis(table, operator, rank);
            } else {
                check_expand_and_tile(table, operator, rank);
            }
        }
    }
    check(true, "ranks");
    return finish("ranks 0 to 64");
}
