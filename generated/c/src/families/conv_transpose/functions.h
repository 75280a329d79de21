/* What is built for each instruction set and type, and chosen among at run time.
 *
 * isa_*.c have the tables; the functions are in the *_body.h of each kernel, which says what they
 * do; their layouts are in the kernel's header.
 */
#ifndef OPMILL_CONV_TRANSPOSE_FUNCTIONS_H
#define OPMILL_CONV_TRANSPOSE_FUNCTIONS_H

#include <stdint.h>

struct phases_layout;
struct box_layout;
struct box_part;
struct columns_chunk;
struct columns_layout;
struct depthwise_layout;
struct small_input_layout;
struct groups_layout;
struct taps_layout;

typedef struct conv_transpose_functions {
    int64_t lanes;
    int64_t element_bytes; /* of what is computed with: float for the half types */
    int64_t max_maps;      /* of a tile of the phases kernel */

    void (*box_fill)(const struct box_layout *layout, const struct box_part *part, int64_t group,
                     int64_t from, int64_t to, void *data);
    void (*phases_pack)(const struct phases_layout *layout, int64_t group, int64_t map,
                        int64_t count, void *packed);
    void (*phases_compute)(const struct phases_layout *layout, const struct box_part *box,
                           int64_t group, int64_t map, int64_t count, const void *data,
                           const void *packed);

    void (*columns_pack)(const struct columns_layout *layout, int64_t group, int64_t map,
                         int64_t count, void *packed);
    void (*columns_product)(const struct columns_layout *layout, const struct columns_chunk *chunk,
                            int64_t group, int64_t maps, int64_t from, int64_t to,
                            const void *packed, void *panel, void *columns);
    void (*columns_add)(const struct columns_layout *layout, const struct columns_chunk *chunk,
                        int64_t group, int64_t map, int64_t from, int64_t to, int64_t maps,
                        const void *columns);

    void (*depthwise_compute)(const struct depthwise_layout *layout, const struct box_part *box,
                              int64_t group, int64_t map, const void *data, void *weights);

    void (*small_input_gather)(const struct small_input_layout *layout, int64_t group,
                               void *pixels);
    void (*small_input_compute)(const struct small_input_layout *layout, int64_t group, int64_t map,
                                int64_t count, const void *pixels, void *scratch);

    void (*groups_compute)(const struct groups_layout *layout, int64_t block, void *scratch);

    void (*taps_compute)(const struct taps_layout *layout, const struct box_part *part,
                         int64_t group, int64_t map, int64_t phase, const void *data,
                         void *scratch);
} conv_transpose_functions;

extern const conv_transpose_functions opmill_conv_transpose_f32_baseline;
extern const conv_transpose_functions opmill_conv_transpose_f64_baseline;
extern const conv_transpose_functions opmill_conv_transpose_f32_avx2;
extern const conv_transpose_functions opmill_conv_transpose_f64_avx2;
extern const conv_transpose_functions opmill_conv_transpose_f32_avx512;
extern const conv_transpose_functions opmill_conv_transpose_f64_avx512;

#endif
