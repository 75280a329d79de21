/* Functions for each instruction set and type, selected at run time: isa_*.c have the
 * tables, rows_body.h and planes_body.h the functions. */
#ifndef OPMILL_MAX_POOL_FUNCTIONS_H
#define OPMILL_MAX_POOL_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct max_pool_problem;
struct planes_band;
struct planes_layout;
struct rows_layout;

typedef struct max_pool_functions {
    int64_t lanes;
    int64_t element_bytes; /* of what is compared: float for the half types */

    /* The largest elements of the windows `from` to `from` + `count` - 1 of a row of X, which has
     * `left` elements from this row on. `staged` is room for the row's part. False where there may
     * be a NaN in the row, which is not looked at further. */
    bool (*reduce)(const struct rows_layout *layout, const void *row, int64_t left, int64_t from,
                   int64_t count, void *largest, void *staged);
    /* The same where windows are long: each is read by itself. */
    bool (*search)(const struct rows_layout *layout, const void *row, int64_t left, int64_t from,
                   int64_t count, void *largest, void *staged);
    /* The largest of several such rows, stored as elements of Y from `output` on. */
    void (*combine)(const struct max_pool_problem *problem, const void *const *rows,
                    int64_t row_count, int64_t output, int64_t count);

    /* What a task of the planes kernel has to do with its memory first. */
    void (*prepare)(const struct planes_layout *layout, void *memory);
    /* The largest elements of all windows of a band, as elements of `type` from `y` on, where
     * `capacity` elements may be written. False where there is a NaN in the band. */
    bool (*result)(const struct planes_layout *layout, const struct planes_band *band, void *memory,
                   void *y, int64_t capacity, int32_t type);
    /* The same into Y, with indices; NULL for integers. False for minus infinity, too. */
    bool (*result_with_positions)(const struct planes_layout *layout,
                                  const struct planes_band *band, void *memory, void *y,
                                  int64_t capacity, int64_t *indices);

    /* The largest of `row_count` elements, one of each row, for each of `count` channels, which
     * lie side by side; NULL for types of more than 8 bits. The first row may be `to`. */
    void (*reduce_channels)(const void *const *rows, int64_t row_count, void *to, int64_t count);
    /* The same of `windows` windows side by side, whose first elements lie `step` bytes apart and
     * whose `taps` elements `tap_step` bytes. Behind the last element, a vector more is read. */
    void (*reduce_lanes)(const void *from, int64_t taps, int64_t tap_step, int64_t windows,
                         int64_t step, void *to, int64_t count);
} max_pool_functions;

extern const max_pool_functions opmill_max_pool_f32_baseline;
extern const max_pool_functions opmill_max_pool_f64_baseline;
extern const max_pool_functions opmill_max_pool_s8_baseline;
extern const max_pool_functions opmill_max_pool_u8_baseline;
extern const max_pool_functions opmill_max_pool_f32_avx2;
extern const max_pool_functions opmill_max_pool_f64_avx2;
extern const max_pool_functions opmill_max_pool_s8_avx2;
extern const max_pool_functions opmill_max_pool_u8_avx2;
extern const max_pool_functions opmill_max_pool_f32_avx512;
extern const max_pool_functions opmill_max_pool_f64_avx512;
extern const max_pool_functions opmill_max_pool_s8_avx512;
extern const max_pool_functions opmill_max_pool_u8_avx512;

#endif
