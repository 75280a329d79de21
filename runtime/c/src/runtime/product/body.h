/* Products of matrices for one type of sums and one instruction set. */
#include "runtime/product/tile_body.h"

#include "runtime/product/elements_body.h"

#include "runtime/product/store_body.h"

#include "runtime/product/tiles_body.h"

#if TERMS == 2
#include "runtime/product/pack_pairs_body.h"
#elif TERMS == 4
#include "runtime/product/pack_quads_body.h"
#endif

#include "runtime/product/pack_body.h"

#include "runtime/product/panels_body.h"

#if !IS_PACKED
#include "runtime/product/small_rows_body.h"
#endif

static void NAME(product_compute)(const opmill_product_layout *layout, int64_t batch, int64_t row,
                                  int64_t column_task, char *workspace) {
    const opmill_matrix_product *const product = layout->product;
    const int64_t rows = layout->rows < product->m - row ? layout->rows : product->m - row;
    const int64_t column = opmill_product_column(layout, column_task);
    const int64_t end = column_task + 1 < layout->column_tasks
                            ? opmill_product_column(layout, column_task + 1)
                            : product->n;
    const int64_t columns = end - column;
#if !IS_PACKED
    if (layout->variant != OPMILL_PRODUCT_PANELS) {
        NAME(product_rows)(layout, batch, row, column, rows, columns, workspace);
        return;
    }
#endif
    NAME(product_panels)(layout, batch, row, column_task, column, rows, columns, workspace);
}

const opmill_product_functions NAME(product) = {
    LANES, (int64_t)sizeof(REAL), TERMS, NAME(product_compute), NAME(product_pack_panels),
};
