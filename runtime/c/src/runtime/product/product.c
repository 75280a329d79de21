/* Plans and runs matrix products: selects the functions by type and instruction set, blocks rows,
 * columns and terms for the caches, packs panels of B and splits C into tasks. */
#include "runtime/product/product.h"

#include "runtime/numbers/elements.h"
#include "runtime/numbers/used_types.h"
#include "runtime/platform/isa.h"
#include "runtime/platform/parallel.h"
#include "runtime/product/functions.h"

enum {
    /* Of C, of a task: rows whose block of A stays in a second-level cache, and vectors of columns,
     * of which there are fewer where tasks would be few. */
    ROWS = 128,
    VECTORS = 24,
    MIN_TASKS = 8,
    /* Of k, of a block: a panel of B is a part of that cache. */
    DEPTH = 512,
    /* Up to so many rows are summed row by row of B, over so many columns at a time, or are dots.
     */
    SMALL_ROWS = 4,
    SMALL_ROWS_COLUMNS = 1024
};

/* Minimum number of products before threading pays off. */
static const double MIN_THREADED_PRODUCTS = 1 << 17;

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

static int64_t divided_up(int64_t a, int64_t b) { return a / b + (a % b != 0); }

static size_t aligned(size_t bytes) {
    return (bytes + OPMILL_PRODUCT_ALIGNMENT - 1) / OPMILL_PRODUCT_ALIGNMENT *
           OPMILL_PRODUCT_ALIGNMENT;
}

static const opmill_product_functions *of_type(int32_t type, const opmill_product_functions *f32,
                                               const opmill_product_functions *f64,
                                               const opmill_product_functions *u32,
                                               const opmill_product_functions *u64,
                                               const opmill_product_functions *p16) {
    switch (type) {
    case OPMILL_INT16: /* pairs, as is_packed says */
        return OPMILL_USES_BYTES ? p16 : NULL;
    case OPMILL_DOUBLE:
        return OPMILL_IF_USED(DOUBLE, f64);
    case OPMILL_UINT32:
        return OPMILL_USES_WORDS ? u32 : NULL;
    case OPMILL_UINT64:
        return OPMILL_USES_LONG_WORDS ? u64 : NULL;
    default:
        return f32;
    }
}

#define TABLES(set)                                                                          \
    of_type(type, &opmill_product_f32_##set, &opmill_product_f64_##set, &opmill_product_u32_##set, \
            &opmill_product_u64_##set, &opmill_product_p16_##set)

static const opmill_product_functions *functions_for(int32_t isa, int32_t type) {
    switch (isa) {
#if OPMILL_X86_64
    case OPMILL_ISA_AVX512:
        return TABLES(avx512);
    case OPMILL_ISA_AVX2:
        return TABLES(avx2);
#endif
#if OPMILL_GNU
    case OPMILL_ISA_NEON:
    case OPMILL_ISA_BASELINE:
        return TABLES(baseline);
#endif
    default:
        return TABLES(plain);
    }
}

/* True if the elements of A and B are summed as they are. */
static bool is_direct(const opmill_matrix_product *product, int32_t element_type) {
    return opmill_type_bytes(element_type) == opmill_type_bytes(product->type);
}

/* True if a sum takes several terms at a time, which are products of 8-bit integers. */
static bool is_packed(const opmill_matrix_product *product) {
    return product->type == OPMILL_UINT32 && opmill_type_bytes(product->a_type) == 1;
}

/* The functions that compute the product. */
static const opmill_product_functions *functions_of(const opmill_matrix_product *product,
                                                    int32_t isa) {
#if OPMILL_X86_64
    if (isa == OPMILL_ISA_AVX512 && is_packed(product) && opmill_isa_has_vnni()) {
        return &opmill_product_q8_avx512;
    }
#endif
    return functions_for(isa, is_packed(product) ? OPMILL_INT16 : product->type);
}

/* The bytes of one matrix B in its packed form; behind quads are the totals of their columns. */
static uint64_t packed_matrix(const opmill_matrix_product *product,
                              const opmill_product_functions *functions) {
    const uint64_t width =
        (uint64_t)divided_up(product->n, functions->lanes) * (uint64_t)functions->lanes;
    const uint64_t terms = (uint64_t)divided_up(product->k, functions->terms) +
                           (functions->terms == 4 && product->k > 0);
    const uint64_t bytes = (uint64_t)functions->element_bytes;
    return terms > 0 && width > (UINT64_MAX >> 1) / bytes / terms ? UINT64_MAX
                                                                  : width * terms * bytes;
}

uint64_t opmill_product_packed_bytes(const opmill_matrix_product *product,
                                     const opmill_context *context) {
    const uint64_t matrix =
        packed_matrix(product, functions_of(product, opmill_isa_select(context->isa)));
    return matrix > (UINT64_MAX >> 1) / (uint64_t)product->batches
               ? UINT64_MAX
               : matrix * (uint64_t)product->batches;
}

int64_t opmill_product_packed_order(const opmill_matrix_product *product,
                                    const opmill_context *context) {
    const opmill_product_functions *const functions =
        functions_of(product, opmill_isa_select(context->isa));
    return functions->lanes << 16 | functions->element_bytes << 8 | functions->terms;
}

void opmill_product_lay_out(opmill_product_layout *layout, const opmill_matrix_product *product,
                            const opmill_context *context) {
    const int32_t isa = opmill_isa_select(context->isa);
    const opmill_product_functions *const functions = functions_of(product, isa);
    const int64_t lanes = functions->lanes;
    const bool a_direct = is_direct(product, product->a_type);
    const bool b_direct = is_direct(product, product->b_type);
    const size_t bytes = (size_t)functions->element_bytes;
    const int64_t taken = functions->terms;
    layout->product = product;
    layout->functions = functions;
    layout->isa = isa;
    layout->panels = 0;
    layout->packed_step = 0;
    layout->variant = OPMILL_PRODUCT_PANELS;
    if (product->m <= SMALL_ROWS && a_direct && b_direct && !product->only_packed) {
        if (product->b_column == 1 || product->n == 1) {
            layout->variant = OPMILL_PRODUCT_ROWS;
        } else if (product->b_row == 1 && product->a_column == 1) {
            layout->variant = OPMILL_PRODUCT_DOTS;
        }
    }
    layout->buffers =
        product->finish != NULL || opmill_type_bytes(product->c_type) != (int32_t)bytes;
    layout->scales = !layout->buffers &&
                     (product->bias != NULL || product->alpha != 1 || product->limits != NULL);
    const double products =
        (double)product->batches * (double)product->m * (double)product->n * (double)product->k;
    layout->rows = smaller(product->m, ROWS);
    layout->row_tasks = divided_up(product->m, layout->rows);
    if (layout->variant == OPMILL_PRODUCT_PANELS) {
        /* One thread takes as many columns as few rows leave memory for; several share them. */
        int64_t vectors = context->threads > 1 ? VECTORS : VECTORS * (ROWS / layout->rows);
        while (context->threads > 1 && products >= MIN_THREADED_PRODUCTS &&
               vectors > 2 * OPMILL_PRODUCT_VECTORS &&
               (double)product->batches * (double)layout->row_tasks *
                       (double)divided_up(product->n, vectors * lanes) <
                   MIN_TASKS) {
            vectors /= 2;
        }
        layout->columns = smaller(product->n, vectors * lanes);
        layout->depth = smaller(product->k, taken * DEPTH);
        layout->packs_a = !a_direct || product->a_column != 1;
        layout->packs_b = !b_direct || product->b_column != 1;
        if (product->b_packed != NULL) {
            layout->panels = vectors / OPMILL_PRODUCT_VECTORS;
            layout->packed_step = (size_t)packed_matrix(product, functions);
        }
    } else {
        layout->columns = smaller(product->n, SMALL_ROWS_COLUMNS);
        layout->depth = product->k;
        layout->packs_a = layout->packs_b = false;
    }
    layout->column_tasks = divided_up(product->n, layout->columns);
    if (layout->panels > 0) {
        layout->column_tasks =
            divided_up(opmill_product_panels(divided_up(product->n, lanes)), layout->panels);
    }

    /* Rows of A, a panel of B, sums: of the whole task, or of its last panel alone. */
    const size_t width = (size_t)(OPMILL_PRODUCT_VECTORS * lanes);
    const size_t terms = (size_t)divided_up(layout->depth, taken);
    size_t at = 0;
    if (layout->packs_a) {
        at += aligned((size_t)layout->rows * terms * bytes);
    }
    layout->panel_offset = at;
    if (layout->variant == OPMILL_PRODUCT_PANELS && layout->panels == 0) {
        at += aligned(terms * width * bytes);
    }
    layout->sums_offset = at;
    if (layout->buffers) {
        at += aligned((size_t)layout->rows * (size_t)(divided_up(layout->columns, lanes) * lanes) *
                      bytes);
    } else if (layout->variant == OPMILL_PRODUCT_PANELS && product->n % lanes != 0) {
        at += aligned((size_t)layout->rows * width * bytes);
    }
    layout->totals_offset = at;
    if (taken == 4) {
        at += aligned(
            ((size_t)layout->rows + (size_t)(divided_up(layout->columns, lanes) * lanes)) * bytes);
    }
    layout->bytes = at;

    const double tasks =
        (double)product->batches * (double)layout->row_tasks * (double)layout->column_tasks;
    layout->threads = 1;
    if (context->threads > 1 && products >= MIN_THREADED_PRODUCTS) {
        layout->threads = tasks < context->threads ? (int32_t)tasks : context->threads;
        layout->threads = opmill_parallel_threads(layout->threads);
    }
}

size_t opmill_product_workspace(const opmill_product_layout *layout) {
    return layout->bytes > 0 ? layout->bytes * (size_t)layout->threads + OPMILL_PRODUCT_ALIGNMENT
                             : 0;
}

void opmill_product_choice(const opmill_product_layout *layout, opmill_choice *choice) {
    static const char *const NAMES[] = {"panels", "rows", "dots"};
    const char *const name = layout->panels > 0 ? "packed_panels" : NAMES[layout->variant];
    *choice = (opmill_choice){name, layout->isa, layout->threads};
}

/* The address some bytes further. A matrix without elements may have none: kernels, which read
   nothing there, add offsets to this one. */
static const char *further(const void *address, int64_t bytes) {
    static const char nothing = 0;
    return address != NULL ? (const char *)address + bytes : &nothing;
}

void opmill_product_locate(opmill_product_position *position, const opmill_product_layout *layout,
                           int64_t batch) {
    const opmill_matrix_product *const product = layout->product;
    int64_t a = 0, b = 0, a_zero = 0, b_zero = 0, rest = batch;
    for (int32_t i = product->batch_rank - 1; i >= 0; i--) {
        const int64_t index = rest % product->batch_dims[i];
        rest /= product->batch_dims[i];
        a += index * product->a_batch[i];
        b += index * product->b_batch[i];
        a_zero += product->a_zero_batch != NULL ? index * product->a_zero_batch[i] : 0;
        b_zero += product->b_zero_batch != NULL ? index * product->b_zero_batch[i] : 0;
    }
    const int64_t c_bytes = opmill_type_bytes(product->c_type);
    position->a = further(product->a, a * opmill_type_bytes(product->a_type));
    position->b = further(product->b, b * opmill_type_bytes(product->b_type));
    position->packed = NULL;
    if (layout->panels > 0) {
        const int64_t matrix = product->k > 0 ? b / product->k / product->n : 0;
        position->packed = (const char *)product->b_packed + (size_t)matrix * layout->packed_step;
    }
    position->c =
        product->c != NULL ? (char *)product->c + batch * product->c_batch * c_bytes : NULL;
    position->a_zero = product->a_zero != NULL ? (const char *)product->a_zero + a_zero : NULL;
    position->b_zero = product->b_zero != NULL ? (const char *)product->b_zero + b_zero : NULL;
    position->bias = product->bias != NULL
                         ? (const char *)product->bias + batch * product->bias_batch * c_bytes
                         : NULL;
}

typedef struct run {
    const opmill_product_layout *layout;
    char *workspace;
} run;

static void run_task(void *state, int64_t task, int32_t worker) {
    const run *const of = state;
    const opmill_product_layout *const layout = of->layout;
    const int64_t per_batch = layout->row_tasks * layout->column_tasks;
    const int64_t rest = task % per_batch;
    layout->functions->compute(layout, task / per_batch, rest / layout->column_tasks * layout->rows,
                               rest % layout->column_tasks,
                               of->workspace + (size_t)worker * layout->bytes);
}

void opmill_product_run(const opmill_product_layout *layout, void *workspace) {
    char nothing = 0; /* what offsets of 0 are added to where no workspace is needed */
    run state = {layout, workspace != NULL ? workspace : &nothing};
    if (layout->bytes > 0) {
        state.workspace += (size_t)(-(uintptr_t)workspace % OPMILL_PRODUCT_ALIGNMENT);
    }
    opmill_parallel(layout->product->batches * layout->row_tasks * layout->column_tasks,
                    layout->threads, run_task, &state);
}

void opmill_product_pack(const opmill_matrix_product *product, void *packed,
                         const opmill_context *context) {
    opmill_product_layout layout;
    layout.product = product;
    layout.functions = functions_of(product, opmill_isa_select(context->isa));
    layout.panels = 0;
    const uint64_t step = packed_matrix(product, layout.functions);
    for (int64_t batch = 0; batch < product->batches; batch++) {
        opmill_product_position position;
        opmill_product_locate(&position, &layout, batch);
        layout.functions->pack(product, &position, (char *)packed + (uint64_t)batch * step);
    }
}
