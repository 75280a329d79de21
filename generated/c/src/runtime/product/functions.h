/* What is built for each type of sums and instruction set; product_body.h has the functions. */
#ifndef OPMILL_PRODUCT_FUNCTIONS_H
#define OPMILL_PRODUCT_FUNCTIONS_H

#include "runtime/platform.h"
#include "runtime/product/product.h"

typedef struct opmill_product_functions {
    int64_t lanes;
    int64_t element_bytes; /* of a sum */
    int64_t terms;         /* of a sum that are taken at a time */
    void (*compute)(const opmill_product_layout *layout, int64_t batch, int64_t row, int64_t column,
                    char *workspace);
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
typedef struct opmill_product_place {
    const char *a, *b;
    char *c;
    const char *a_zero, *b_zero, *bias; /* or NULL */
} opmill_product_place;

void opmill_product_locate(opmill_product_place *place, const opmill_matrix_product *product,
                           int64_t batch);

/* Whether sums begin with what lies in C. */
static inline bool opmill_product_adds(const opmill_product_layout *layout) {
    return layout->scales && layout->product->bias == layout->product->c;
}

/* Vectors of a panel, the widest stretch of B that a tile takes. */
enum { OPMILL_PRODUCT_VECTORS = 3 };

#endif
