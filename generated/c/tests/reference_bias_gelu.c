/* The Gaussian error linear unit with a bias, one element at a time, in long double. */
#include <math.h>
#include <string.h>

#include "reference.h"
#include "values.h"

void reference_bias_gelu(const opmill_operator *operator, const opmill_tensor *const *inputs,
                         int32_t input_count, const void *attributes,
                         const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const x = inputs[0], *const y = outputs[0];
    const opmill_tensor *const bias = input_count > 1 ? inputs[1] : NULL;
    const bool by_tanh = strcmp(family_parameter(operator, "tanh"), "true") == 0;
    const long double pi = 3.141592653589793238462643383279502884L;
    (void)attributes;
    (void)output_count;
    for (int64_t i = 0; i < count_of(x->dims, x->rank); i++) {
        double sum = get_real(x->data, x->type, i);
        if (bias != NULL) {
            sum += get_real(bias->data, bias->type, i % x->dims[x->rank - 1]);
        }
        if (x->type != OPMILL_DOUBLE) {
            sum = (double)(float)sum;
        }
        const long double z = sum, inner = sqrtl(2 / pi) * (z + 0.044715L * z * z * z);
        const long double result =
            by_tanh ? z / (1 + expl(-2 * inner)) : z * erfcl(-z / sqrtl(2)) / 2;
        set_real(y->data, y->type, i, (double)result);
    }
}
