/* Each element by itself, with the norm of its row in units of the row's largest size. */
#include <math.h>
#include <string.h>

#include "reference.h"
#include "values.h"

static double item_of(const opmill_tensor *x, int64_t i) { return get_real(x->data, x->type, i); }

/* NaN where an element is. */
static double largest_of(const opmill_tensor *x, int64_t first, int64_t length, double sign) {
    double largest = sign == 0 ? 0 : -INFINITY;
    for (int64_t i = first; i < first + length; i++) {
        const double item = sign == 0 ? fabs(item_of(x, i)) : item_of(x, i);
        largest = isnan(item) || isnan(largest) ? NAN : item > largest ? item : largest;
    }
    return largest;
}

void reference_normalizer(const opmill_operator *operator, const opmill_tensor *const *inputs,
                          int32_t input_count, const void *attributes,
                          const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const x = inputs[0];
    const char *const *const norm = attribute_of(operator, attributes, "norm");
    const int64_t length = x->dims[x->rank - 1], count = count_of(x->dims, x->rank);
    const int is_max = strcmp(*norm, "MAX") == 0, is_sum = strcmp(*norm, "L1") == 0;
    (void)input_count;
    (void)output_count;
    for (int64_t at = 0; at < count; at++) {
        const int64_t first = at - at % length;
        const double largest = largest_of(x, first, length, is_max ? 1 : 0);
        const double unit = is_max || largest == 0 || !isfinite(largest) ? 1 : largest;
        double sum = 0;
        for (int64_t i = first; i < first + length; i++) {
            const double part = fabs(item_of(x, i)) / unit;
            sum += is_sum ? part : part * part;
        }
        const double divisor = is_max ? largest : is_sum ? sum : sqrt(sum);
        const double item = item_of(x, at);
        set_real(outputs[0]->data, OPMILL_FLOAT, at, divisor == 0 ? item : item / unit / divisor);
    }
}
