/* MelWeightMatrix: zeros, and a triangle for each band. Edges are computed in double from the index
 * of the band, so that the first is the lower edge itself. */
#include "families/mel_weights/kernel.h"

#include <string.h>

#include "families/mel_weights/scale.h"
#include "runtime/numbers/elements.h"
#include "runtime/call/message.h"
#include "runtime/numbers/integers.h"
#include "runtime/numbers/reals.h"

#define FAR 0x1p53 /* no spectrum has so many bins */

typedef struct mel_bands {
    const opmill_mel_weights_plan *plan;
    int64_t count;
    double span; /* the logarithm of how many times the upper edge is the lower one, from -700 on */
} mel_bands;

/* The bin of an edge; a band has three that follow each other. */
static int64_t bin_of(const mel_bands *bands, int64_t edge) {
    const opmill_mel_weights_plan *const plan = bands->plan;
    const double share = (double)edge / (double)(bands->count + 2);
    const double hertz = opmill_mel_hertz(plan->lower, bands->span, share);
    const double exact = (plan->length + 1) * hertz / plan->rate;
    if (!(exact < FAR)) {
        return (int64_t)FAR;
    }
    if (exact <= -FAR) {
        return -(int64_t)FAR;
    }
    const int64_t bin = (int64_t)exact;
    return (double)bin > exact ? bin - 1 : bin;
}

/* True if the first and the last bin of each band are among the rows of the output. */
static bool check(const mel_bands *bands, int64_t rows, opmill_context *context) {
    for (int64_t band = 0; band < bands->count; band++) {
        const int64_t left = bin_of(bands, band), centre = bin_of(bands, band + 1);
        const int64_t right = bin_of(bands, band + 2);
        const int64_t first = opmill_min(left, centre), last = opmill_max(centre, right - 1);
        if (left > centre && right <= centre) {
            continue; /* the edges fall, and the band has no bins */
        }
        if (first < 0 || first >= rows || last >= rows) {
            opmill_message message = opmill_contents_begin(context);
            opmill_put_text(&message, "band ");
            opmill_put_int(&message, band);
            opmill_put_text(&message, " has bin ");
            opmill_put_int(&message, first < 0 || first >= rows ? first : last);
            opmill_put_text(&message, " of the spectrum, expected 0 to ");
            opmill_put_int(&message, rows - 1);
            return false;
        }
    }
    return true;
}

/* An integer has the weight without its fraction, which is 1 or 0. */
static void put(const opmill_tensor *output, int64_t at, double weight) {
    const int8_t one = weight == 1;
    switch (output->type) {
    case OPMILL_FLOAT:
    case OPMILL_DOUBLE:
    case OPMILL_FLOAT16:
    case OPMILL_BFLOAT16:
        opmill_real_put(output->data, output->type, at, weight);
        break;
    case OPMILL_INT16:
    case OPMILL_UINT16:
        ((int16_t *)output->data)[at] = one;
        break;
    case OPMILL_INT32:
    case OPMILL_UINT32:
        ((int32_t *)output->data)[at] = one;
        break;
    case OPMILL_INT64:
    case OPMILL_UINT64:
        ((int64_t *)output->data)[at] = one;
        break;
    default:
        ((int8_t *)output->data)[at] = one;
        break;
    }
}

static void write_band(const mel_bands *bands, int64_t band, const opmill_tensor *output) {
    const int64_t left = bin_of(bands, band), centre = bin_of(bands, band + 1);
    const int64_t right = bin_of(bands, band + 2);
    if (left == centre) {
        put(output, centre * bands->count + band, 1);
    }
    for (int64_t i = left; left < centre && i <= centre; i++) {
        put(output, i * bands->count + band, (double)(i - left) / (double)(centre - left));
    }
    for (int64_t i = centre; i < right; i++) {
        put(output, i * bands->count + band, (double)(right - i) / (double)(right - centre));
    }
}

int opmill_mel_weights_compute(opmill_tensor *output, const opmill_mel_weights_plan *plan,
                               opmill_context *context) {
    const int64_t rows = output->dims[0];
    mel_bands bands = {plan, output->dims[1], 0};
    bands.span = opmill_mel_span(plan->lower, plan->upper);
    if (!check(&bands, rows, context)) {
        return OPMILL_ERROR_CALL;
    }
    if (bands.count > 0) {
        const size_t bytes = (size_t)opmill_type_bytes(output->type);
        memset(output->data, 0, (size_t)rows * (size_t)bands.count * bytes);
    }
    for (int64_t band = 0; band < bands.count; band++) {
        write_band(&bands, band, output);
    }
    return OPMILL_OK;
}
