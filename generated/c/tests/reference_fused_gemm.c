/* FusedGemm, one element after the other, summed and activated in double. */
#include <math.h>
#include <string.h>

#include "activation.h"
#include "reference.h"
#include "values.h"

static double number(const opmill_operator *operator, const void *attributes, const char *name) {
    const float *const given = attribute_of(operator, attributes, name);
    return given != NULL ? (double)*given : 0;
}

void reference_fused_gemm(const opmill_operator *operator, const opmill_tensor *const *inputs,
                          int32_t input_count, const void *attributes,
                          const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const a = inputs[0], *const b = inputs[1], *const y = outputs[0];
    const opmill_tensor *const c = input_count > 2 ? inputs[2] : NULL;
    const char *const name = *(const char *const *)attribute_of(operator, attributes, "activation");
    const double alpha = number(operator, attributes, "alpha");
    const double beta = number(operator, attributes, "beta");
    const bool flips_a = *(const int64_t *)attribute_of(operator, attributes, "transA") != 0;
    const bool flips_b = *(const int64_t *)attribute_of(operator, attributes, "transB") != 0;
    const int64_t m = y->dims[0], n = y->dims[1], depth = a->dims[flips_a ? 0 : 1];
    (void)output_count;
    for (int64_t element = 0; element < m * n; element++) {
        const int64_t i = element / n, j = element % n;
        double sum = 0;
        for (int64_t k = 0; k < depth; k++) {
            sum += get_real(a->data, a->type, flips_a ? k * m + i : i * depth + k) *
                   get_real(b->data, b->type, flips_b ? j * depth + k : k * n + j);
        }
        sum *= alpha;
        if (c != NULL && beta != 0) {
            const int64_t columns = c->rank > 0 ? c->dims[c->rank - 1] : 1;
            const int64_t row = c->rank > 1 && c->dims[0] > 1 ? i * columns : 0;
            sum += beta * get_real(c->data, c->type, row + (columns > 1 ? j : 0));
        }
        set_real(y->data, y->type, element,
                 activation_of(name, sum, number(operator, attributes, "activation_alpha"),
                               number(operator, attributes, "activation_beta"),
                               number(operator, attributes, "activation_gamma")));
    }
}
