/* Every rank from 0 to 64, for the operators that are there; 65 is refused. Most axes have one
 * element, so that the results stay small. */
#include <stdio.h>
#include <string.h>

#include "calls.h"
#include "compare.h"
#include "values.h"

static const int32_t ISAS[] = {OPMILL_ISA_AUTO, OPMILL_ISA_PLAIN};

static void run(const case_table *table, const opmill_operator *operator,
                const opmill_tensor *const *inputs, int32_t count, const void *attributes) {
    static double got[4096], wanted[4096], scratch[65536];
    for (size_t i = 0; i < sizeof ISAS / sizeof ISAS[0]; i++) {
        opmill_context context = OPMILL_CONTEXT_INIT;
        opmill_shape shape;
        int code = opmill_infer(operator, inputs, count, attributes, &shape, 1, &context);
        check(code == OPMILL_OK, "infer succeeds");
        if (code != OPMILL_OK) {
            fail("%s", context.error.message);
            return;
        }
        opmill_tensor output = {got, shape.dims, shape.rank, shape.type};
        opmill_tensor *const outputs[] = {&output};
        const opmill_tensor expected = {wanted, shape.dims, shape.rank, shape.type};
        const opmill_tensor *const referred[] = {&expected};
        check(count_of(shape.dims, shape.rank) <= 4096, "the result fits");
        memset(got, PATTERN, sizeof got);
        context.workspace = scratch;
        context.workspace_size = sizeof scratch;
        context.isa = ISAS[i];
        code = opmill_run(operator, inputs, count, attributes, outputs, 1, &context);
        check(code == OPMILL_OK, "the call succeeds");
        if (code != OPMILL_OK) {
            fail("%s", context.error.message);
        } else if (table->reference != NULL) {
            table->reference(operator, inputs, count, attributes, referred, 1);
            check_elements(&output, &expected, accuracy_of(table, shape.type), "the reference");
        }
    }
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
    const int64_t length = rank;
    const bool tile = strcmp(table->name, "Tile") == 0;
    set_dims(dims, rank, 1, 2, 3);
    set_dims(values, rank, 2, tile ? 3 : 2, tile ? 2 : 3);
    for (int32_t i = 0; i < 64; i++) {
        data[i] = (float)i;
    }
    const opmill_tensor input = {data, dims, rank, OPMILL_FLOAT};
    const opmill_tensor list = {values, &length, 1, OPMILL_INT64};
    const opmill_tensor *const inputs[] = {&input, &list};
    if (!tile && rank == 1) {
        values[0] = 3;
    }
    run(table, operator, inputs, 2, NULL);
    if (!tile) { /* a lower rank takes the ones from the left */
        const opmill_tensor scalar = {data, NULL, 0, OPMILL_FLOAT};
        const opmill_tensor *const from_scalar[] = {&scalar, &list};
        run(table, operator, from_scalar, 2, NULL);
    }
}

static void check_tile_along_axis(const case_table *table, const opmill_operator *operator,
                                  int32_t rank) {
    static float data[64];
    static const float tiles[] = {3};
    int64_t dims[OPMILL_MAX_RANK];
    set_dims(dims, rank, 2, 2, 3);
    for (int32_t i = 0; i < 64; i++) {
        data[i] = (float)i;
    }
    const opmill_tensor input = {data, dims, rank, OPMILL_FLOAT};
    const opmill_tensor count = {(void *)(uintptr_t)tiles, NULL, 0, OPMILL_FLOAT};
    for (int32_t along = -rank; along < rank; along++) {
        float number = (float)along;
        const opmill_tensor axis = {&number, NULL, 0, OPMILL_FLOAT};
        const opmill_tensor *const inputs[] = {&input, &count, &axis};
        opmill_context context = OPMILL_CONTEXT_INIT;
        static float got[64], wanted[64];
        opmill_shape shape;
        about("%s, rank %d, axis %d", operator->label, (int)rank, (int)along);
        check(opmill_infer(operator, inputs, 3, NULL, &shape, 1, &context) == OPMILL_OK,
              "infer succeeds");
        opmill_tensor output = {got, shape.dims, shape.rank, shape.type};
        opmill_tensor *const outputs[] = {&output};
        check(opmill_run(operator, inputs, 3, NULL, outputs, 1, &context) == OPMILL_OK,
              "it succeeds");
        output.data = wanted;
        if (table->reference != NULL) {
            const opmill_tensor *const referred[] = {&output};
            table->reference(operator, inputs, 3, NULL, referred, 1);
        }
        check(memcmp(got, wanted, (size_t)count_of(shape.dims, shape.rank) * sizeof got[0]) == 0,
              "the elements");
    }
}

static void check_conv_transpose(const case_table *table, const opmill_operator *operator,
                                 int32_t rank) {
    static float data[64];
    int64_t x_dims[OPMILL_MAX_RANK], w_dims[OPMILL_MAX_RANK];
    set_dims(x_dims, rank, 2, rank > 4 ? 2 : 1, 3);
    set_dims(w_dims, rank, 1, rank > 4 ? 3 : 1, 2);
    for (int32_t i = 0; i < 64; i++) {
        data[i] = (float)(i % 7);
    }
    const opmill_tensor x = {data, x_dims, rank, OPMILL_FLOAT};
    const opmill_tensor w = {data + 3, w_dims, rank, OPMILL_FLOAT};
    const opmill_tensor *const inputs[] = {&x, &w};
    run(table, operator, inputs, 2, NULL);
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
