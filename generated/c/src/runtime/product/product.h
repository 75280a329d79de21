/* Products of matrices, for every operator that needs one: C = A B, of one pair of matrices or of
 * many.
 *
 *     c[i][j] = alpha * (sum over k of a[i][k] * b[k][j]) + beta * bias[i][j]
 *
 * Floats and doubles are summed in their own type, float16 and bfloat16 in float, and the result is
 * rounded to the type of C once. The 8-bit integers are summed in 32 bits, less their zero points;
 * all integers wrap around. With the unit roundoff u of the type that is summed in, the error of an
 * element is at most about (k + 3) u times the sum of the magnitudes |alpha a b| and |beta bias|.
 * What is summed in which order depends on the shapes and the instruction set alone, not on the
 * number of threads.
 */
#ifndef OPMILL_PRODUCT_H
#define OPMILL_PRODUCT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <opmill/types.h>

struct opmill_matrix_product;

/* Stores the sums of a block of C, rows from `row` and columns from `column` on, where the product
 * does not store them itself; a row of sums is `pitch` elements long. */
typedef void opmill_product_finish(const struct opmill_matrix_product *product, int64_t batch,
                                   int64_t row, int64_t column, int64_t rows, int64_t columns,
                                   const void *sums, int64_t pitch);

/* Steps are in elements. All of `m`, `n` and `batches` are at least 1, `k` may be 0. */
typedef struct opmill_matrix_product {
    int64_t m, n, k;
    int32_t type; /* of the sums: OPMILL_FLOAT, OPMILL_DOUBLE, OPMILL_UINT32 or OPMILL_UINT64 */
    int32_t a_type,
        b_type; /* of the elements; of integers their sign does not matter beyond 8 bits */
    int32_t c_type;
    const void *a, *b;
    void *c;
    int64_t a_row, a_column, b_row, b_column;
    int64_t c_row; /* the columns of C lie next to each other */

    /* B as opmill_product_pack has packed it for the same instruction set, one matrix after the
     * other, or NULL. Then steps of `b_batch` are multiples of k * n. */
    const void *b_packed;
    bool only_packed; /* whether B is there in this form alone, which few rows take too then */

    /* The matrices of each product of a batch: indices in row-major order, and a step for each
     * axis. */
    int64_t batches;
    int32_t batch_rank;
    const int64_t *batch_dims, *a_batch, *b_batch;
    int64_t c_batch;

    /* Zero points of 8-bit integers, of the type of the matrix, or NULL: one, or one for each row
     * of A or column of B (a step of 1), and of each matrix, with steps as a_batch. */
    const void *a_zero, *b_zero;
    int64_t a_zero_row, b_zero_column;
    const int64_t *a_zero_batch, *b_zero_batch;

    /* Of floating types: bias is of the type of C, or NULL; c_type may be narrower than `type`. It
     * may be C itself, with the same steps and an alpha and a beta of 1. */
    double alpha, beta;
    const void *bias;
    int64_t bias_row, bias_column, bias_batch;

    /* Of the elements of C, which is of the type of the sums then, or NULL; without `finish`, and
     * where bias is not C. */
    const opmill_limits *limits;

    opmill_product_finish *finish; /* or NULL */
    const void *state;             /* for `finish` */
} opmill_matrix_product;

/* Layout of a product: its blocks, and the memory that they need. */
typedef struct opmill_product_layout {
    const opmill_matrix_product *product;
    const struct opmill_product_functions *functions;
    enum { OPMILL_PRODUCT_PANELS, OPMILL_PRODUCT_ROWS, OPMILL_PRODUCT_DOTS } variant;
    int32_t isa;
    int32_t threads;
    int64_t rows, columns; /* of C, of a task */
    int64_t depth;         /* of k, of a block */
    int64_t row_tasks, column_tasks;
    int64_t panels;     /* of a task where B is packed; otherwise 0 */
    size_t packed_step; /* from a packed matrix B to the next, in bytes */
    bool packs_a, packs_b,
        buffers; /* whether rows of A, panels of B, sums have a place of their own */
    bool scales; /* whether sums that lie in C are multiplied, limited, or a bias is added there */
    size_t panel_offset, sums_offset; /* behind the rows of A */
    size_t
        totals_offset; /* of each row of A and column of B, where zero points are subtracted last */
    size_t bytes;      /* of one worker */
} opmill_product_layout;

enum { OPMILL_PRODUCT_ALIGNMENT = 64 };

/* Lays a product out; its data may be missing. */
void opmill_product_lay_out(opmill_product_layout *layout, const opmill_matrix_product *product,
                            const opmill_context *context);

/* The bytes of workspace that opmill_product_run needs, at any address. */
size_t opmill_product_workspace(const opmill_product_layout *layout);

void opmill_product_run(const opmill_product_layout *layout, void *workspace);

/* The bytes of B in a packed form, which all products of many rows can take; UINT64_MAX where they
 * are too many. Of the product everything that concerns B is set, `k`, `n` and the types; its
 * batches are those of B. */
uint64_t opmill_product_packed_bytes(const opmill_matrix_product *product,
                                     const opmill_context *context);

/* The order of numbers in that form, as far as it depends on the machine, in a few bits. */
int64_t opmill_product_packed_order(const opmill_matrix_product *product,
                                    const opmill_context *context);

void opmill_product_pack(const opmill_matrix_product *product, void *packed,
                         const opmill_context *context);

/* Sets the report of opmill_choose. */
void opmill_product_choice(const opmill_product_layout *layout, opmill_choice *choice);

#endif
