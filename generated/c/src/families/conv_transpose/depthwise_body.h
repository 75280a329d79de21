/* The depthwise kernel, for one type and instruction set. */

/* One combination of outer phases and outer steps: rows whose steps follow each other. */
typedef struct NAME(depthwise_rows) {
    const depthwise_layout *layout;
    const REAL *x;              /* the box, at the first step of the first row */
    const REAL *weights;        /* of all taps, stack by stack */
    const int64_t *first_stack; /* of the first phase of the last axis, and of those after it */
    REAL bias;
    int64_t rows;
    int64_t steps; /* of a row */
    int64_t x_row; /* from a row to the next */
    int64_t y;     /* the first output of the first row */
    int64_t y_row;
    int64_t y_count; /* outputs of a row */
} NAME(depthwise_rows);

#include "depthwise_ways.h"

/* acc[row][vector] of `rows` rows and `vectors` vectors += the products of `taps` taps of a stack;
 * all three are constants. */
OPMILL_INLINE void NAME(depthwise_add)(const int rows, const int vectors, const int taps,
                                       VECTOR *acc, const REAL *x, int64_t x_row,
                                       const REAL *weights) {
    VECTOR weight[DEPTHWISE_TAPS];
    UNROLLED for (int t = 0; t < taps; t++) {
        weight[t] = OP(repeat)(weights[t]);
    }
    UNROLLED for (int q = 0; q < rows + taps - 1; q++) {
        UNROLLED for (int v = 0; v < vectors; v++) {
            const VECTOR in = OP(load)(x + q * x_row + v * LANES);
            UNROLLED for (int t = 0; t < taps; t++) {
                if (q - t >= 0 && q - t < rows) {
                    VECTOR *const to = &acc[(q - t) * vectors + v];
                    *to = OP(fma)(in, weight[t], *to);
                }
            }
        }
    }
}

/* The sums of `rows` rows and `vectors` vectors, for one phase of the last axis. */
OPMILL_INLINE void
NAME(depthwise_phase)(const int rows, const int vectors, VECTOR *acc,
                      const NAME(depthwise_rows) *call, const REAL *x, int64_t phase) {
    const depthwise_stacks *const stacks = &call->layout->stacks;
    const int64_t x_row = call->x_row;
    const int64_t end = call->first_stack[phase + 1];
    UNROLLED for (int i = 0; i < rows * vectors; i++) {
        acc[i] = OP(repeat)(call->bias);
    }
    if (!stacks->tall) {
        for (int64_t c = call->first_stack[phase]; c < end; c++) {
            NAME(depthwise_add)(rows, vectors, 1, acc, x + stacks->x[c], x_row, call->weights + c);
        }
        return;
    }
    for (int64_t c = call->first_stack[phase]; c < end; c++) {
        const REAL *weights = call->weights + stacks->taps[c];
        const REAL *const last = call->weights + stacks->taps[c + 1];
        const REAL *at = x + stacks->x[c];
        for (; last - weights >= 4; weights += 4, at += 4 * x_row) {
            NAME(depthwise_add)(rows, vectors, 4, acc, at, x_row, weights);
        }
        if (last - weights == 3) {
            NAME(depthwise_add)(rows, vectors, 3, acc, at, x_row, weights);
        } else if (last - weights == 2) {
            NAME(depthwise_add)(rows, vectors, 2, acc, at, x_row, weights);
        } else if (last - weights == 1) {
            NAME(depthwise_add)(rows, vectors, 1, acc, at, x_row, weights);
        }
    }
}

/* Stores the first `count` lanes, if there are so many, as elements of Y from `index` on. */
static inline void NAME(depthwise_store)(void *y, int64_t index, VECTOR value, int64_t count,
                                         int32_t type) {
#if HAS_HALF_TYPES
    if (type != OPMILL_FLOAT) {
        uint16_t bits[LANES];
        char *const to = (char *)y + index * 2;
        void *const whole = count >= LANES ? (void *)to : bits;
        if (type == OPMILL_BFLOAT16) {
            OP(store_bfloat16)(whole, value);
        } else {
            OP(store_float16)(whole, value);
        }
        if (count < LANES) {
            memcpy(to, bits, (size_t)count * 2);
        }
        return;
    }
#endif
    (void)type;
    char *const to = (char *)y + index * (int64_t)sizeof(REAL);
    if (count >= LANES) {
        OP(store)(to, value);
    } else {
        OP(store_part)(to, value, count);
    }
}

/* `vectors` vectors of steps, from `step` on, of `rows` rows from `row` on: for a stride of one,
 * of two, and for any. */
OPMILL_INLINE void
NAME(depthwise_by_1)(const int rows, const int vectors, const NAME(depthwise_rows) *call,
                     int64_t row, int64_t step) {
    const conv_transpose_problem *const problem = call->layout->problem;
    const int64_t y = call->y + row * call->y_row + step;
    const int64_t left = call->y_count - step;
    VECTOR acc[DEPTHWISE_VECTORS];
    NAME(depthwise_phase)(rows, vectors, acc, call, call->x + row * call->x_row + step, 0);
    UNROLLED for (int r = 0; r < rows; r++) {
        UNROLLED for (int v = 0; v < vectors; v++) {
            NAME(depthwise_store)
            (problem->y, y + r * call->y_row + v * LANES, acc[r * vectors + v], left - v * LANES,
             problem->type);
        }
    }
}

OPMILL_INLINE void
NAME(depthwise_by_2)(const int rows, const int vectors, const NAME(depthwise_rows) *call,
                     int64_t row, int64_t step) {
    const conv_transpose_problem *const problem = call->layout->problem;
    const REAL *const x = call->x + row * call->x_row + step;
    const int64_t y = call->y + row * call->y_row + step * 2;
    const int64_t left = call->y_count - step * 2;
    VECTOR even[DEPTHWISE_VECTORS];
    VECTOR odd[DEPTHWISE_VECTORS];
    NAME(depthwise_phase)(rows, vectors, even, call, x, 0);
    NAME(depthwise_phase)(rows, vectors, odd, call, x, 1);
    UNROLLED for (int r = 0; r < rows; r++) {
        UNROLLED for (int v = 0; v < vectors; v++) {
            const int i = r * vectors + v;
            const int64_t done = v * 2 * LANES;
            const int64_t at = y + r * call->y_row + done;
            NAME(depthwise_store)
            (problem->y, at, OP(zip_low)(even[i], odd[i]), left - done, problem->type);
            if (left - done > LANES) {
                NAME(depthwise_store)
                (problem->y, at + LANES, OP(zip_high)(even[i], odd[i]), left - done - LANES,
                 problem->type);
            }
        }
    }
}

OPMILL_INLINE void
NAME(depthwise_by_any)(const int rows, const int vectors, const NAME(depthwise_rows) *call,
                       int64_t row, int64_t step) {
    const depthwise_layout *const layout = call->layout;
    const conv_transpose_problem *const problem = layout->problem;
    const int64_t stride = problem->axes[problem->axis_count - 1].stride;
    const int64_t phases = layout->box.axes[layout->box.axis_count - 1].phases;
    const int64_t next = DEPTHWISE_VECTORS * LANES; /* from one phase to the next */
    const int64_t left = call->y_count - step * stride;
    const int64_t count = opmill_min(left, vectors * LANES * stride);
    REAL sums[DEPTHWISE_MAX_LAST * DEPTHWISE_VECTORS * LANES];
    VECTOR acc[DEPTHWISE_VECTORS];
    for (int64_t p = 0; p < phases; p++) {
        NAME(depthwise_phase)(rows, vectors, acc, call, call->x + row * call->x_row + step, p);
        UNROLLED for (int i = 0; i < rows * vectors; i++) {
            OP(store)(sums + p * next + i * LANES, acc[i]);
        }
    }
    for (int64_t r = 0; r < rows; r++) {
        const int64_t y = call->y + (row + r) * call->y_row + step * stride;
        const REAL *const of_row = sums + r * vectors * LANES;
#if HAS_HALF_TYPES
        if (problem->type != OPMILL_FLOAT) {
            REAL line[DEPTHWISE_MAX_LAST * DEPTHWISE_VECTORS * LANES];
            NAME(interleave)(line, of_row, next, stride, count);
            NAME(narrow)(problem->y, y, line, count, 0, problem->type);
            continue;
        }
#endif
        NAME(interleave)
        ((char *)problem->y + y * (int64_t)sizeof(REAL), of_row, next, stride, count);
    }
}

typedef void NAME(depthwise_function)(const NAME(depthwise_rows) *call, int64_t row, int64_t step);

#define DEPTHWISE_TILE(BY, ROWS, VECTORS)                                                       \
    static void NAME(depthwise_##BY##_##ROWS##_##VECTORS)(const NAME(depthwise_rows) *call,     \
                                                          int64_t row, int64_t step) {          \
        NAME(depthwise_by_##BY)(ROWS, VECTORS, call, row, step);                                \
    }
/* Eight vectors in all, but four of each phase where two phases are held at once. */
#define DEPTHWISE_TILES(BY)                                                                     \
    DEPTHWISE_TILE(BY, 1, 1)                                                                    \
    DEPTHWISE_TILE(BY, 2, 1)                                                                    \
    DEPTHWISE_TILE(BY, 4, 1)                                                                    \
    DEPTHWISE_TILE(BY, 1, 2)                                                                    \
    DEPTHWISE_TILE(BY, 2, 2)                                                                    \
    DEPTHWISE_TILE(BY, 1, 4)
#define DEPTHWISE_TWICE(BY)                                                                     \
    DEPTHWISE_TILE(BY, 8, 1)                                                                    \
    DEPTHWISE_TILE(BY, 4, 2)                                                                    \
    DEPTHWISE_TILE(BY, 2, 4)                                                                    \
    DEPTHWISE_TILE(BY, 1, 8)
DEPTHWISE_TILES(1)
DEPTHWISE_TWICE(1)
DEPTHWISE_TILE(1, 7, 1)
DEPTHWISE_TILES(2)
DEPTHWISE_TILES(any)
DEPTHWISE_TWICE(any)
#undef DEPTHWISE_TWICE
#undef DEPTHWISE_TILES
#undef DEPTHWISE_TILE

/* The largest power of two that is not above `limit`, as a binary logarithm: 0 to 3. */
static inline int NAME(depthwise_log)(int64_t limit) {
    return limit >= 8 ? 3 : limit >= 4 ? 2 : limit >= 2 ? 1 : 0;
}

static void NAME(depthwise_all_rows)(const NAME(depthwise_rows) *call) {
#define DEPTHWISE_OF(BY, ROWS, VECTORS) NAME(depthwise_##BY##_##ROWS##_##VECTORS)
#define DEPTHWISE_ALL_OF(BY)                                                                    \
    {                                                                                           \
        {DEPTHWISE_OF(BY, 1, 1), DEPTHWISE_OF(BY, 2, 1), DEPTHWISE_OF(BY, 4, 1),                \
         DEPTHWISE_OF(BY, 8, 1)},                                                               \
        {DEPTHWISE_OF(BY, 1, 2), DEPTHWISE_OF(BY, 2, 2), DEPTHWISE_OF(BY, 4, 2)},               \
        {DEPTHWISE_OF(BY, 1, 4), DEPTHWISE_OF(BY, 2, 4)}, {DEPTHWISE_OF(BY, 1, 8)},             \
    }
    /* By the logarithms of vectors and of rows. */
    static NAME(depthwise_function) *const BY_1[4][4] = DEPTHWISE_ALL_OF(1);
    static NAME(depthwise_function) *const BY_ANY[4][4] = DEPTHWISE_ALL_OF(any);
    static NAME(depthwise_function) *const BY_2[4][4] = {
        {DEPTHWISE_OF(2, 1, 1), DEPTHWISE_OF(2, 2, 1), DEPTHWISE_OF(2, 4, 1)},
        {DEPTHWISE_OF(2, 1, 2), DEPTHWISE_OF(2, 2, 2)},
        {DEPTHWISE_OF(2, 1, 4)},
    };
#undef DEPTHWISE_ALL_OF
#undef DEPTHWISE_OF
    const conv_transpose_problem *const problem = call->layout->problem;
    const int64_t stride = problem->axes[problem->axis_count - 1].stride;
    const int64_t phases = call->layout->box.axes[call->layout->box.axis_count - 1].phases;
    NAME(depthwise_function) *const(*const tiles)[4] = stride == 1                  ? BY_1
                                                       : stride == 2 && phases == 2 ? BY_2
                                                                                    : BY_ANY;
    if (NAME(depthwise_has_ways)(call, stride)) {
        NAME(depthwise_all_ways)(call, stride);
        return;
    }
    const int max_log = tiles == BY_2 ? 2 : 3;
    int vectors;
    for (int64_t step = 0; step < call->steps; step += ((int64_t)1 << vectors) * LANES) {
        const int64_t left = (call->steps - step + LANES - 1) / LANES;
        vectors = (int)opmill_min(NAME(depthwise_log)(left), max_log);
        const int rows = /* as a logarithm too */
            (int)opmill_min(NAME(depthwise_log)(call->rows), max_log - vectors);
        NAME(depthwise_function) *tile = tiles[vectors][rows];
        int64_t taken = (int64_t)1 << rows;
        if (taken == 8 && tiles == BY_1 && call->rows % 8 > call->rows % 7) {
            tile = NAME(depthwise_1_7_1); /* as images often have a multiple of seven rows */
            taken = 7;
        }
        int64_t row = 0;
        for (; row + taken <= call->rows; row += taken) {
            tile(call, row, step);
        }
        if (row < call->rows) { /* some rows a second time */
            tile(call, call->rows - taken, step);
        }
    }
}

/* The weights of a map in the order of the stacks. Returns whether all are finite. */
static bool NAME(depthwise_pack)(const depthwise_layout *layout, int64_t map, REAL *weights) {
    const conv_transpose_problem *const problem = layout->problem;
    const depthwise_stacks *const stacks = &layout->stacks;
    const int64_t count = stacks->taps[stacks->first[layout->taps.phases]];
    for (int64_t t = 0; t < count; t++) {
        weights[t] = NAME(element)(problem->w, map * problem->kernel_size + stacks->w[t],
                                   problem->type);
    }
    NAME(clear)(weights + count, (count + LANES - 1) / LANES * LANES - count);
    MASK nan = OP(nan)(OP(zero)());
    for (int64_t t = 0; t < count; t += LANES) { /* what is not finite gives NaN times zero */
        nan = OP(either)(nan, OP(nan)(OP(fma)(OP(load)(weights + t), OP(zero)(), OP(zero)())));
    }
    return !OP(any)(nan);
}

static void NAME(depthwise_compute)(const depthwise_layout *layout, const box_part *box,
                                    int64_t group, int64_t map, const void *data,
                                    void *weights) {
    const conv_transpose_problem *const problem = layout->problem;
    const int32_t outer = layout->box.axis_count - 1;
    const box_axis *const last = &layout->box.axes[outer];
    const box_axis *const row_axis = &layout->box.axes[outer - 1];
    const int64_t y_first = box->first[outer] * last->shape.stride;
    int64_t row[BOX_MAX_AXES];
    int64_t phase[BOX_MAX_AXES] = {0};
    int64_t steps[BOX_MAX_AXES];
    int64_t at[BOX_MAX_AXES] = {0};
    NAME(depthwise_rows) call;
    map += group * problem->maps;
    const bool finite = NAME(depthwise_pack)(layout, map, weights);
    call.layout = layout;
    call.weights = weights;
    call.first_stack = layout->stacks.first;
    call.bias = problem->bias ? NAME(element)(problem->bias, map, problem->type) : 0;
    call.steps = box->count[outer];
    call.x_row = row_axis->box_stride;
    call.y_row = row_axis->shape.stride * row_axis->y_stride;
    call.y_count = opmill_min(last->shape.out - y_first,
                                        box->count[outer] * last->shape.stride);

    int32_t a;
    do {
        /* All combinations of phases on the outer axes; some may have no steps in this box. */
        bool empty = false;
        for (a = 0; a < outer; a++) {
            const conv_transpose_axis *const shape = &layout->box.axes[a].shape;
            const int64_t all = (shape->out - phase[a] + shape->stride - 1) / shape->stride;
            steps[a] = opmill_min(box->count[a], all - box->first[a]);
            empty = empty || steps[a] <= 0;
        }
        call.rows = steps[outer - 1];
        while (!empty) {
            call.x = data;
            call.y = map * problem->out_size + y_first;
            for (a = 0; a < outer; a++) {
                const box_axis *const axis = &layout->box.axes[a];
                row[a] = (box->first[a] + at[a]) * axis->shape.stride + phase[a];
                call.x += at[a] * axis->box_stride;
                call.y += row[a] * axis->y_stride;
            }
            if (finite) {
                NAME(depthwise_all_rows)(&call);
            } else {
                for (int64_t r = 0; r < call.rows; r++) {
                    opmill_conv_transpose_direct_row(problem, row[0], map, row + 1, y_first,
                                                     y_first + call.y_count);
                    row[outer - 1] += row_axis->shape.stride;
                }
            }
            for (a = outer - 1; a-- > 0 && ++at[a] == steps[a];) {
                at[a] = 0;
            }
            empty = a < 0;
        }
        call.first_stack += last->phases;
        for (a = outer; a-- > 0 && ++phase[a] == layout->box.axes[a].phases;) {
            phase[a] = 0;
        }
    } while (a >= 0);
}
