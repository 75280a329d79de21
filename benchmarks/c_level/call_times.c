/* What a call of a few numbers takes from C, its checks included: a line for each call, with its
 * nanoseconds behind its name. Argument: how many calls they are the mean of. */
#include <opmill/opmill.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static opmill_context context = OPMILL_CONTEXT_INIT;

static int tile(void) {
    static float x[8], y[16];
    static int64_t counts[] = {2};
    static const int64_t eight[] = {8}, one[] = {1}, sixteen[] = {16};
    const opmill_tensor input = {x, eight, 1, OPMILL_FLOAT};
    const opmill_tensor repeats = {counts, one, 1, OPMILL_INT64};
    opmill_tensor output = {y, sixteen, 1, OPMILL_FLOAT};
    return opmill_tile_13(&input, &repeats, &output, &context);
}

static int expand(void) {
    static float x[8], y[16];
    static int64_t wanted[] = {2, 8};
    static const int64_t eight[] = {8}, two[] = {2};
    const opmill_tensor input = {x, eight, 1, OPMILL_FLOAT};
    const opmill_tensor shape = {wanted, two, 1, OPMILL_INT64};
    opmill_tensor output = {y, wanted, 2, OPMILL_FLOAT};
    return opmill_expand_13(&input, &shape, &output, &context);
}

/* The case `tiny` of the benchmarks. */
static int conv_transpose(void) {
    static float x[9], w[18], y[50];
    static const int64_t x_dims[] = {1, 1, 3, 3}, w_dims[] = {1, 2, 3, 3}, y_dims[] = {1, 2, 5, 5};
    const opmill_tensor input = {x, x_dims, 4, OPMILL_FLOAT};
    const opmill_tensor weights = {w, w_dims, 4, OPMILL_FLOAT};
    opmill_tensor output = {y, y_dims, 4, OPMILL_FLOAT};
    return opmill_conv_transpose_22(&input, &weights, NULL, NULL, &output, &context);
}

static int add(void) {
    static float a[8], b[8], c[8];
    static const int64_t eight[] = {8};
    const opmill_tensor left = {a, eight, 1, OPMILL_FLOAT}, right = {b, eight, 1, OPMILL_FLOAT};
    opmill_tensor sum = {c, eight, 1, OPMILL_FLOAT};
    return opmill_add_14(&left, &right, &sum, &context);
}

static int concat(void) {
    static float a[8], b[8], c[16];
    static const int64_t eight[] = {8}, sixteen[] = {16};
    const opmill_tensor first = {a, eight, 1, OPMILL_FLOAT}, second = {b, eight, 1, OPMILL_FLOAT};
    const opmill_tensor *const inputs[] = {&first, &second};
    const opmill_concat_13_attributes attributes = {0};
    opmill_tensor output = {c, sixteen, 1, OPMILL_FLOAT};
    return opmill_concat_13(inputs, 2, &attributes, &output, &context);
}

static int split(void) {
    static float a[8], b[8], c[16];
    static int64_t lengths[] = {8, 8};
    static const int64_t two[] = {2}, eight[] = {8}, sixteen[] = {16};
    const opmill_tensor input = {c, sixteen, 1, OPMILL_FLOAT};
    const opmill_tensor split = {lengths, two, 1, OPMILL_INT64};
    opmill_tensor first = {a, eight, 1, OPMILL_FLOAT}, second = {b, eight, 1, OPMILL_FLOAT};
    opmill_tensor *const outputs[] = {&first, &second};
    return opmill_split_13(&input, &split, NULL, outputs, 2, &context);
}

static int max_pool(void) {
    static float x[16], y[4];
    static const int64_t two[] = {2, 2}, x_dims[] = {1, 1, 4, 4}, y_dims[] = {1, 1, 2, 2};
    const opmill_tensor input = {x, x_dims, 4, OPMILL_FLOAT};
    opmill_max_pool_22_attributes attributes = OPMILL_MAX_POOL_22_ATTRIBUTES_INIT;
    attributes.kernel_shape = (opmill_ints){two, 2};
    attributes.strides = (opmill_ints){two, 2};
    opmill_tensor output = {y, y_dims, 4, OPMILL_FLOAT};
    return opmill_max_pool_22(&input, &attributes, &output, NULL, &context);
}

static int non_zero(void) {
    static float x[8] = {0, 1, 0, 1};
    static int64_t y[2];
    static const int64_t eight[] = {8}, y_dims[] = {1, 2};
    const opmill_tensor input = {x, eight, 1, OPMILL_FLOAT};
    opmill_tensor output = {y, y_dims, 2, OPMILL_INT64};
    return opmill_non_zero_13(&input, &output, &context);
}

static int infer_tile(void) {
    static int64_t counts[] = {2};
    static const int64_t eight[] = {8}, one[] = {1};
    static opmill_shape shape;
    const opmill_tensor input = {NULL, eight, 1, OPMILL_FLOAT};
    const opmill_tensor repeats = {counts, one, 1, OPMILL_INT64};
    return opmill_tile_13_infer(&input, &repeats, &shape, &context);
}

/* The processor time of this process, in nanoseconds: it has one thread. */
static double now(void) { return (double)clock() * (1e9 / CLOCKS_PER_SEC); }

int main(int count, char **arguments) {
    static const struct {
        const char *name;
        int (*call)(void);
    } calls[] = {
        {"Tile", tile},        {"Expand", expand},    {"ConvTranspose", conv_transpose},
        {"Add", add},          {"Concat", concat},    {"Split", split},
        {"MaxPool", max_pool}, {"NonZero", non_zero}, {"infer-Tile", infer_tile},
    };
    if (count != 2) {
        fputs("usage: call_times CALLS\n", stderr);
        return 2;
    }
    const long repeats = strtol(arguments[1], NULL, 10);
    static char workspace[1 << 20];
    context.workspace = workspace;
    context.workspace_size = sizeof workspace;
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        calls[i].call(); /* one that does not count */
        const double started = now();
        for (long repeat = 0; repeat < repeats; repeat++) {
            if (calls[i].call() != OPMILL_OK) {
                fprintf(stderr, "%s\n", context.error.message);
                return 1;
            }
        }
        printf("%s %.1f\n", calls[i].name, (now() - started) / (double)repeats);
    }
    return 0;
}
