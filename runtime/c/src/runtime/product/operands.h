/* The product of two tensors as NumPy's matmul takes it, from their shapes. */
#ifndef OPMILL_PRODUCT_OPERANDS_H
#define OPMILL_PRODUCT_OPERANDS_H

#include "runtime/call/prepared.h"
#include "runtime/product/product.h"

/* The axes of a batch of products, to which a product points. */
typedef struct opmill_product_batch {
    int64_t dims[OPMILL_MAX_RANK];
    int64_t a_steps[OPMILL_MAX_RANK];
    int64_t b_steps[OPMILL_MAX_RANK];
    int64_t a_zero_steps[OPMILL_MAX_RANK];
    int64_t b_zero_steps[OPMILL_MAX_RANK];
    int32_t a_skipped, b_skipped; /* axes that a tensor lacks in front */
} opmill_product_batch;

int64_t opmill_product_size(const int64_t *dims, int32_t rank);

/* The type in which elements of a type are summed. */
int32_t opmill_product_sums(int32_t type);

/* Everything but the types of the sums and of C, and its data. The result is not empty. */
void opmill_product_of_tensors(opmill_matrix_product *product, opmill_product_batch *batch,
                               const opmill_tensor *a, const opmill_tensor *b);

/* The same of 8-bit integers less their zero points, which may be absent: one for all, a vector for
 * the rows of A or the columns of B, or one for each of these of each matrix. With
 * `has_row_values`, rows of A have other values of their own, by the same indices. */
void opmill_product_of_quantized(opmill_matrix_product *product, opmill_product_batch *batch,
                                 const opmill_tensor *a, const opmill_tensor *a_zero,
                                 const opmill_tensor *b, const opmill_tensor *b_zero,
                                 bool has_row_values);

/* B alone, for opmill_prepare; its zero points may be absent. False where nothing is gained by
 * packing it: a vector, an empty matrix or one column. */
bool opmill_product_of_right(opmill_matrix_product *product, opmill_product_batch *batch,
                             const opmill_tensor *b, const opmill_tensor *b_zero);

/* Describes the packed form of B, or makes it, for a family's function `prepare`; the first key is
 * taken. */
void opmill_product_prepare(opmill_packing *packing, const opmill_matrix_product *product, void *to,
                            const opmill_context *context);

/* True if a zero point or scale is one for all; absent ones are. */
bool opmill_product_is_one(const opmill_tensor *values);

/* From a matrix of the batch to the next, the steps of values of its `lines` rows or columns. */
void opmill_product_steps(int64_t *steps, int32_t rank, const opmill_tensor *values, int64_t lines);

#endif
