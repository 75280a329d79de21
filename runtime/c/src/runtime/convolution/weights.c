/* Weights in the order in which tiles of maps take them: which functions take them, and the form of
 * opmill_prepare. */
#include <string.h>

#include "runtime/convolution/convolution.h"
#include "runtime/convolution/functions.h"
#include "runtime/convolution/quads.h"
#include "runtime/numbers/elements.h"
#include "runtime/numbers/used_types.h"
#include "runtime/platform/isa.h"
#include "runtime/product/operands.h"

const opmill_convolution_functions *opmill_convolution_functions_for(int32_t isa, int32_t type) {
#define TABLES(set)                                                    \
    (OPMILL_USES(DOUBLE) && type == OPMILL_DOUBLE ? &opmill_convolution_f64_##set \
     : OPMILL_USES_WORDS && type == OPMILL_UINT32 ? &opmill_convolution_p16_##set \
                                                  : &opmill_convolution_f32_##set)
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
#undef TABLES
}

/* The packed form: [group][block of maps][term][map]. */
typedef struct packed_form {
    const opmill_convolution_functions *functions;
    int64_t all_channels; /* elements of a group's channels for one tap */
    int64_t terms;        /* channels that an element holds */
    uint64_t bytes;       /* UINT64_MAX where they are too many */
} packed_form;

static packed_form form_of(const opmill_convolution *convolution, int32_t isa) {
    packed_form form = {opmill_convolution_functions_for(isa, convolution->type), 0, 1, 0};
    form.terms = convolution->type == OPMILL_UINT32 ? 2 : 1;
    const int64_t lanes = form.functions->lanes;
    const int64_t all_maps = (convolution->maps - 1) / lanes * lanes + lanes;
    form.all_channels = (convolution->channels - 1) / form.terms + 1;
    const double weights = (double)convolution->groups * (double)all_maps *
                           (double)form.all_channels * (double)convolution->taps *
                           (double)form.functions->element_bytes;
    form.bytes = weights > 0x1p61
                     ? UINT64_MAX
                     : (uint64_t)(convolution->groups * all_maps * form.all_channels) *
                           (uint64_t)(convolution->taps * form.functions->element_bytes);
    return form;
}

bool opmill_convolution_describe_weights(opmill_convolution *convolution, const opmill_tensor *w,
                                         int64_t groups) {
    memset(convolution, 0, sizeof *convolution);
    if (w->rank < 3 || groups < 1 || w->dims[0] % groups != 0) {
        return false;
    }
    convolution->taps = 1;
    for (int32_t i = 0; i < w->rank; i++) {
        if (w->dims[i] == 0) {
            return false;
        }
        convolution->taps *= i < 2 ? 1 : w->dims[i];
    }
    convolution->w = w->data;
    convolution->w_type = w->type;
    convolution->groups = groups;
    convolution->maps = w->dims[0] / groups;
    convolution->channels = w->dims[1];
    convolution->axis_count = w->rank - 2;
    for (int32_t i = 0; i < convolution->axis_count; i++) {
        convolution->axes[i].kernel = w->dims[i + 2];
    }
    return true;
}

bool opmill_convolution_set_zeros(opmill_convolution *convolution, const opmill_tensor *w,
                                  const opmill_tensor *zero) {
    const bool is_one = opmill_product_is_one(zero);
    if (zero != NULL && (zero->data == NULL || zero->type != w->type ||
                         (!is_one && (zero->rank != 1 || zero->dims[0] != w->dims[0])))) {
        return false;
    }
    convolution->type = OPMILL_UINT32;
    convolution->w_zero = zero != NULL ? zero->data : NULL;
    convolution->w_zero_step = !is_one;
    return true;
}

void opmill_convolution_prepare(opmill_packing *packing, const opmill_convolution *convolution,
                                void *to, const opmill_context *context) {
    const int32_t isa = opmill_isa_select(context->isa);
    if (opmill_quads_exist(convolution, isa) && opmill_quads_fit(convolution)) {
        if (to != NULL) {
            opmill_quads_pack(convolution, to);
        } else {
            packing->bytes = opmill_quads_packed_bytes(convolution);
            packing->keys[0] = OPMILL_QUADS_MAPS << 8 | 1;
            packing->keys[1] = convolution->groups;
        }
        return;
    }
    const packed_form form = form_of(convolution, isa);
    const int64_t lanes = form.functions->lanes;
    if (to == NULL) {
        packing->bytes =
            opmill_convolution_positions_in_lanes(convolution->maps, lanes) ? 0 : form.bytes;
        packing->keys[0] = lanes << 16 | form.functions->element_bytes << 8 | form.terms;
        packing->keys[1] = convolution->groups;
        return;
    }
    opmill_convolution_layout layout;
    layout.convolution = convolution;
    layout.functions = form.functions;
    layout.all_channels = form.all_channels;
    for (int64_t group = 0; group < convolution->groups; group++) {
        for (int64_t map = 0; map < convolution->maps; map += OPMILL_CONVOLUTION_VECTORS * lanes) {
            form.functions->pack(&layout, group, map, to);
        }
    }
}
