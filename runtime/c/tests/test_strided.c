/* The strided copy: outputs of any axes, taken from the input at any distances, forward and
 * backward, in every instruction set; some so large that they go around the caches. */
#include <string.h>

#include "compare.h"
#include "guarded.h"
#include "opmill/isa.h"
#include "runtime/copy/strided_copy.h"
#include "values.h"

enum { ROUNDS = 1500, MAX_AXES = 5, MAX_ELEMENTS = 60000, BYTES_BEFORE = 64 };

static uint32_t state = 1;

/* A number below `end`. */
static int64_t draw(int64_t end) {
    state = state * 1664525u + 1013904223u;
    return (int64_t)(state >> 8) % end;
}

/* Axes of the output, and where its first element is in an input of so many elements. */
typedef struct view {
    int32_t rank;
    int64_t dims[MAX_AXES];
    int64_t strides[MAX_AXES];
    int64_t first;
    int64_t in_elements;
} view;

static void swap(int64_t *a, int64_t *b) {
    const int64_t former = *a;
    *a = *b;
    *b = former;
}

/* Every axis of a contiguous input as it is, backward, or in steps; then the axes in any order. */
static view draw_view(void) {
    view drawn = {.rank = (int32_t)draw(MAX_AXES + 1), .in_elements = 1};
    for (int32_t i = drawn.rank - 1; i >= 0; i--) {
        const int64_t capacity = MAX_ELEMENTS / drawn.in_elements;
        const int64_t longest = draw(3) == 0 ? 300 : 9;
        const int64_t size = 1 + draw(capacity < longest ? capacity : longest);
        const int64_t step = draw(3) == 0 ? 1 + draw(3) : 1;
        drawn.dims[i] = draw(40) == 0 ? 0 : (size - 1) / step + 1;
        drawn.strides[i] = step * drawn.in_elements;
        if (draw(4) == 0 && drawn.dims[i] > 0) {
            drawn.first += (drawn.dims[i] - 1) * drawn.strides[i];
            drawn.strides[i] = -drawn.strides[i];
        }
        drawn.in_elements *= size;
    }
    for (int32_t i = drawn.rank - 1; i > 0 && draw(4) > 0; i--) {
        const int32_t other = (int32_t)draw(i + 1);
        swap(&drawn.dims[i], &drawn.dims[other]);
        swap(&drawn.strides[i], &drawn.strides[other]);
    }
    return drawn;
}

/* One bit of an array. */
static int bit_of(const unsigned char *data, int64_t bit) { return data[bit / 8] >> bit % 8 & 1; }

static void check_view(const view *drawn, int32_t type, const opmill_context *context) {
    const int64_t bits = (int64_t)type_bytes(type, 8); /* eight elements have whole bytes */
    const int64_t count = count_of(drawn->dims, drawn->rank);
    const size_t bytes = type_bytes(type, count), in_bytes = type_bytes(type, drawn->in_elements);
    guarded in = guarded_new(in_bytes, draw(2)), out = guarded_new(bytes, draw(2));
    for (size_t i = 0; i < in_bytes; i++) {
        in.data[i] = (unsigned char)draw(256);
    }
    guarded_freeze(&in);
    opmill_strided_copy copy;
    opmill_strided_begin(&copy, type, drawn->first);
    for (int32_t i = 0; i < drawn->rank; i++) {
        opmill_strided_axis(&copy, drawn->dims[i], drawn->strides[i]);
    }
    opmill_strided_run(&copy, in.data, out.data, context);
    int64_t index[MAX_AXES] = {0}, wrong = 0;
    for (int64_t k = 0; k < count; k++) {
        int64_t from = drawn->first;
        for (int32_t i = 0; i < drawn->rank; i++) {
            from += index[i] * drawn->strides[i];
        }
        if (bits % 8 == 0) {
            wrong +=
                memcmp(out.data + k * bits / 8, in.data + from * bits / 8, (size_t)bits / 8) != 0;
        } else {
            for (int64_t bit = 0; bit < bits; bit++) {
                wrong += bit_of(out.data, k * bits + bit) != bit_of(in.data, from * bits + bit);
            }
        }
        for (int32_t i = drawn->rank - 1; i >= 0 && ++index[i] == drawn->dims[i]; i--) {
            index[i] = 0;
        }
    }
    for (int64_t bit = count * bits; bit < (int64_t)bytes * 8; bit++) {
        wrong += bit_of(out.data, bit);
    }
    check(wrong == 0, "every element, and zeros after the last one");
    check(guarded_intact(&in) && guarded_intact(&out), "nothing beside the output");
    guarded_free(&in);
    guarded_free(&out);
}

int main(void) {
    static const int32_t TYPES[] = {OPMILL_UINT8,      OPMILL_FLOAT16, OPMILL_FLOAT, OPMILL_DOUBLE,
                                    OPMILL_COMPLEX128, OPMILL_UINT4,   OPMILL_INT2};
    static const struct {
        int32_t type;
        view view;
    } LARGE[] = {
        /* Matrices, transposed: around the caches, also by whole lines; beyond the caches of a
         * core.
         */
        {OPMILL_DOUBLE, {2, {2100, 1601}, {1, 2100}, 0, 2100 * 1601}},
        {OPMILL_DOUBLE, {2, {1501, 1608}, {1, 1501}, 0, 1501 * 1608}},
        {OPMILL_FLOAT16, {2, {1999, 4032}, {1, 1999}, 0, 1999 * 4032}},
        {OPMILL_UINT8, {2, {3001, 4224}, {1, 3001}, 0, 3001 * 4224}},
        {OPMILL_DOUBLE, {2, {701, 515}, {1, 701}, 0, 701 * 515}},
        {OPMILL_FLOAT, {3, {3, 40, 5001}, {200040, 1, 40}, 0, 3 * 40 * 5001}},
        {OPMILL_FLOAT16, {2, {1101, 1003}, {1, 1101}, 0, 1101 * 1003}},
        {OPMILL_UINT8, {2, {1501, 1499}, {1, 1501}, 0, 1501 * 1499}},
        /* Rows in another order. */
        {OPMILL_DOUBLE, {3, {3, 2050, 1000}, {1000, 3000, 1}, 0, 3 * 2050 * 1000}},
    };
    for (int32_t isa = OPMILL_ISA_PLAIN; opmill_isa_name(isa) != NULL; isa++) {
        if (!opmill_isa_available(isa)) {
            continue;
        }
        opmill_context context = OPMILL_CONTEXT_INIT;
        context.isa = isa;
        for (int round = 0; round < ROUNDS; round++) {
            about("%s, round %d", opmill_isa_name(isa), round);
            const view drawn = draw_view();
            context.threads = (int32_t)draw(4);
            check_view(&drawn, TYPES[draw(7)], &context);
        }
        /* A sample has one or two of them, other ones on each instruction set. */
        const size_t every = (size_t)cases_every();
        for (size_t i = (size_t)isa % every; i < sizeof LARGE / sizeof LARGE[0]; i += every) {
            about("%s, large output %d", opmill_isa_name(isa), (int)i);
            check_view(&LARGE[i].view, LARGE[i].type, &context);
        }
    }
    return finish("strided copies");
}
