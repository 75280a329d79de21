/* One element after the other: the function and the product each rounded to the element type. */
#include <math.h>

#include "reference.h"
#include "values.h"

void reference_swiglu(const opmill_operator *operator, const opmill_tensor *const *inputs,
                      int32_t input_count, const void *attributes,
                      const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const a = inputs[0], *const b = inputs[1], *const y = outputs[0];
    const int64_t count = count_of(y->dims, y->rank);
    const double alpha = *(const float *)attribute_of(operator, attributes, "alpha");
    (void)input_count;
    (void)output_count;
    for (int64_t i = 0; i < count; i++) {
        const long double x = get_real(a->data, a->type, i);
        set_real(y->data, y->type, i, (double)(x / (1 + expl(-(alpha * x)))));
        const double gate = get_real(y->data, y->type, i);
        set_real(y->data, y->type, i, (double)((long double)gate * get_real(b->data, b->type, i)));
    }
}
