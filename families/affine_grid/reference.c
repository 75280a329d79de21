/* Each number of each position. */
#include "reference.h"
#include "values.h"

void reference_affine_grid(const opmill_operator *operator, const opmill_tensor *const *inputs,
                           int32_t input_count, const void *attributes,
                           const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const theta = inputs[0], *const grid = outputs[0];
    const bool align = *(const int64_t *)attribute_of(operator, attributes, "align_corners") == 1;
    const int32_t axes = grid->rank - 2;
    (void)input_count;
    (void)output_count;
    for (int64_t i = 0; i < count_of(grid->dims, grid->rank); i++) {
        const int64_t row = i % axes;
        int64_t rest = i / axes;
        double factors[4] = {0, 0, 0, 0}, sum = 0, coordinates[3] = {0, 0, 0};
        for (int32_t axis = axes; axis > 0; axis--) {
            const double n = (double)grid->dims[axis], k = (double)(rest % grid->dims[axis]);
            rest /= grid->dims[axis];
            coordinates[axes - axis] =
                align ? (n > 1 ? 2 * k / (n - 1) - 1 : -1) : (2 * k + 1) / n - 1;
        }
        for (int32_t k = 0; k <= axes; k++) {
            factors[k] = get_real(theta->data, theta->type, (rest * axes + row) * (axes + 1) + k);
            sum += k < axes ? factors[k] * coordinates[k] : factors[k];
        }
        set_real(grid->data, grid->type, i, sum);
    }
}
