/* All panels of B, each with all of k, filled up with 0; behind quads the totals of the columns. */
static void NAME(product_pack_panels)(const opmill_matrix_product *product,
                                      const opmill_product_position *position, char *packed) {
    const int64_t vectors = (product->n + LANES - 1) / LANES;
    const int64_t terms = (product->k + TERMS - 1) / TERMS;
#if TERMS == 4
    REAL *const totals = (REAL *)(void *)packed + vectors * LANES * terms;
    if (terms > 0) {
        memset(totals, 0, (size_t)(vectors * LANES) * sizeof(REAL));
    }
#endif
    for (int64_t p = 0; p < opmill_product_panels(vectors); p++) {
        const int64_t first = opmill_product_panel(p, vectors) * LANES;
        const int64_t width = opmill_product_panel(p + 1, vectors) * LANES - first;
        const int64_t used = width < product->n - first ? width : product->n - first;
        NAME(product_pack_b)((REAL *)(void *)packed + first * terms, product, position, 0,
                             product->k, first, used, width);
#if TERMS == 4
        if (terms > 0) {
            NAME(product_add_rows)(totals + first, (REAL *)(void *)packed + first * terms, terms,
                                   width);
        }
#endif
    }
}

/* A block of C by panels of B, as wide as a tile, one block of k after the other. */
static void NAME(product_panels)(const opmill_product_layout *layout, int64_t batch, int64_t row,
                                 int64_t column_task, int64_t column, int64_t rows, int64_t columns,
                                 char *workspace) {
    const opmill_matrix_product *const product = layout->product;
    opmill_product_position position;
    opmill_product_locate(&position, layout, batch);
    REAL *const packed_a = (REAL *)(void *)workspace;
    REAL *const panel = (REAL *)(void *)(workspace + layout->panel_offset);
    REAL *const buffer = (REAL *)(void *)(workspace + layout->sums_offset);
    const int64_t all_vectors = (columns + LANES - 1) / LANES;
    const int64_t n_vectors = (product->n + LANES - 1) / LANES;
    const int64_t all_terms = (product->k + TERMS - 1) / TERMS;
    int64_t panels = opmill_product_panels(all_vectors), first_panel = 0;
    if (position.packed != NULL) { /* some of those of the whole matrix */
        first_panel = column_task * layout->panels;
        panels = opmill_product_panels(n_vectors) - first_panel;
        panels = layout->panels < panels ? layout->panels : panels;
    }
    const int64_t buffer_pitch = all_vectors * LANES;
    int64_t tail_width = 0;
#if !IS_INTEGER
    const NAME(product_last) last = NAME(product_last_of)(product);
#endif
    int64_t from = 0;
#if TERMS == 4
    REAL *const row_totals = (REAL *)(void *)(workspace + layout->totals_offset);
    REAL *const column_totals = row_totals + rows;
    const bool has_totals = position.packed != NULL && all_terms > 0;
    const bool ignores_rows = NAME(product_ignores_rows)(product, &position);
    memset(row_totals, 0, (size_t)(rows + (has_totals ? 0 : buffer_pitch)) * sizeof(REAL));
    const NAME(product_totals) totals = {row_totals,
                                         has_totals ? (const REAL *)(const void *)position.packed +
                                                          n_vectors * LANES * all_terms + column
                                                    : column_totals};
#endif
    do { /* once where k is 0, for sums of nothing */
        const int64_t depth = layout->depth < product->k - from ? layout->depth : product->k - from;
        const int64_t terms = (depth + TERMS - 1) / TERMS; /* of a block, in elements */
        const REAL *factors = packed_a;
        int64_t factors_row = terms;
        if (layout->packs_a) {
            NAME(product_pack_a)(packed_a, product, &position, row, rows, from, from + depth);
#if TERMS == 4
            if (!ignores_rows) {
                NAME(product_add_factors)(row_totals, packed_a, rows, terms);
            }
#endif
        } else {
            factors = (const REAL *)(const void *)position.a + row * product->a_row +
                      from * product->a_column;
            factors_row = product->a_row;
        }
        for (int64_t p = 0; p < panels; p++) {
            int64_t first = opmill_product_panel(p, all_vectors) * LANES;
            int64_t end = opmill_product_panel(p + 1, all_vectors) * LANES;
            if (position.packed != NULL) {
                first = opmill_product_panel(first_panel + p, n_vectors) * LANES - column;
                end = opmill_product_panel(first_panel + p + 1, n_vectors) * LANES - column;
            }
            const int64_t vectors = (end - first) / LANES;
            const int64_t width = vectors * LANES;
            const int64_t used = width < columns - first ? width : columns - first;
            REAL *sums = buffer + first;
            int64_t pitch = buffer_pitch;
            if (!layout->buffers) {
                pitch = used == width ? product->c_row : width;
                sums = used == width
                           ? (REAL *)(void *)position.c + row * product->c_row + column + first
                           : buffer;
                tail_width = used == width ? 0 : used;
            }
            const char *inputs = (const char *)panel;
            int64_t inputs_step = width * (int64_t)sizeof(REAL);
            if (position.packed != NULL) {
                inputs = position.packed + ((column + first) * all_terms + from / TERMS * width) *
                                               (int64_t)sizeof(REAL);
            } else if (layout->packs_b || used < width) {
                NAME(product_pack_b)(panel, product, &position, from, from + depth, column + first,
                                     used, width);
            } else {
                inputs =
                    position.b + (from * product->b_row + column + first) * (int64_t)sizeof(REAL);
                inputs_step = product->b_row * (int64_t)sizeof(REAL);
            }
            const bool adds = used == width && opmill_product_adds(layout);
            const NAME(product_last) *ending = NULL;
            const REAL *bias = NULL;
#if !IS_INTEGER /* which are stored as they are */
            const bool ends =
                layout->scales && !adds && used == width && from + depth == product->k;
            if (ends) {
                ending = &last;
                bias = NAME(product_bias)(product, &position, row, column + first);
            }
#endif
            NAME(product_block)(sums, pitch, rows, vectors, factors, factors_row, inputs,
                                inputs_step, terms, from == 0 && !adds,
                                position.packed != NULL || inputs == (const char *)panel ? NULL
                                                                                         : panel,
                                ending, bias);
#if TERMS == 4
            if (!has_totals) {
                NAME(product_add_rows)(column_totals + first, (const REAL *)(const void *)inputs,
                                       terms, width);
            }
            if (from + depth == product->k) {
                NAME(product_subtract_zeros)(product, &position, &totals, row, rows, column, first,
                                             used, sums, pitch);
            }
#endif
        }
        from += depth;
    } while (from < product->k);

    if (product->finish != NULL) {
        product->finish(product, batch, row, column, rows, columns, buffer, buffer_pitch);
    } else if (layout->buffers) {
        NAME(product_store)(product, &position, row, column, rows, columns, buffer, buffer_pitch);
    } else if (tail_width > 0) {
        const int64_t first = columns - tail_width;
        NAME(product_store)(product, &position, row, column + first, rows, tail_width, buffer,
                            (tail_width + LANES - 1) / LANES * LANES);
    }
}
