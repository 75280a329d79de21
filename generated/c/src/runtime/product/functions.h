/* Functions for each type of sums and instruction set; product_body.h defines them. */
#ifndef OPMILL_PRODUCT_FUNCTIONS_H
#define OPMILL_PRODUCT_FUNCTIONS_H

#include "runtime/platform/platform.h"
#include "runtime/product/product.h"

struct opmill_product_position;

typedef struct opmill_product_functions {
    int64_t lanes;
    int64_t element_bytes; /* of a sum */
    int64_t terms;         /* of a sum that are taken at a time */
    /* A task: a block of C from `row` on, of the columns of `column_task`. */
    void (*compute)(const opmill_product_layout *layout, int64_t batch, int64_t row,
                    int64_t column_task, char *workspace);
    /* All panels of B, one after the other, each with all of k. */
    void (*pack)(const opmill_matrix_product *product,
                 const struct opmill_product_position *position, char *packed);
} opmill_product_functions;

#define OPMILL_PRODUCT_TABLES(set)                               \
    extern const opmill_product_functions opmill_product_f32_##set; \
    extern const opmill_product_functions opmill_product_f64_##set; \
    extern const opmill_product_functions opmill_product_u32_##set; \
    extern const opmill_product_functions opmill_product_u64_##set; \
    extern const opmill_product_functions opmill_product_p16_##set;
OPMILL_PRODUCT_TABLES(plain)
#if OPMILL_GNU
OPMILL_PRODUCT_TABLES(baseline)
#endif
#if OPMILL_X86_64
OPMILL_PRODUCT_TABLES(avx2)
OPMILL_PRODUCT_TABLES(avx512)
extern const opmill_product_functions opmill_product_q8_avx512; /* where there is VNNI */
#endif
#undef OPMILL_PRODUCT_TABLES

/* The matrices of one product of a batch. */
typedef struct opmill_product_position {
    const char *a, *b;
    const char *packed; /* or NULL */
    char *c;
    const char *a_zero, *b_zero, *bias; /* or NULL */
} opmill_product_position;

void opmill_product_locate(opmill_product_position *position, const opmill_product_layout *layout,
                           int64_t batch);

/* True if sums begin with what lies in C. */
static inline bool opmill_product_adds(const opmill_product_layout *layout) {
    return layout->scales && layout->product->bias != NULL &&
           layout->product->bias == layout->product->c;
}

/* Vectors of a panel, the widest stretch of B that a tile takes. */
enum { OPMILL_PRODUCT_VECTORS = 3 };

/* B is packed in panels that are all about as wide: the vector of columns that a panel begins with,
 * and the number of panels. */
static inline int64_t opmill_product_panels(int64_t vectors) {
    return (vectors + OPMILL_PRODUCT_VECTORS - 1) / OPMILL_PRODUCT_VECTORS;
}

static inline int64_t opmill_product_panel(int64_t panel, int64_t vectors) {
    return panel * vectors / opmill_product_panels(vectors);
}

/* The first column of a task. */
static inline int64_t opmill_product_column(const opmill_product_layout *layout, int64_t task) {
    const int64_t n = layout->product->n, lanes = layout->functions->lanes;
    if (layout->panels == 0) {
        return task * layout->columns;
    }
    const int64_t vectors = (n + lanes - 1) / lanes;
    return opmill_product_panel(task * layout->panels, vectors) * lanes;
}

#endif
