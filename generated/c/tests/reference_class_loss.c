/* Sample by sample, with the functions of the C library, in double. */
#include <math.h>
#include <string.h>

#include "reference.h"
#include "values.h"

static int64_t class_of(const opmill_tensor *target, int64_t i) {
    return target->type == OPMILL_INT32 ? ((const int32_t *)target->data)[i]
                                        : ((const int64_t *)target->data)[i];
}

/* Of the element at `position`, the logarithm of its share among the classes of its sample. */
static double logarithm(const opmill_tensor *data, int64_t position, int64_t inner) {
    const int64_t classes = data->dims[1], width = classes * inner;
    const int64_t first = position / width * width + position % inner;
    double largest = -INFINITY, sum = 0;
    for (int64_t i = 0; i < classes; i++) {
        largest = fmax(largest, get_real(data->data, data->type, first + i * inner));
    }
    for (int64_t i = 0; i < classes; i++) {
        sum += exp(get_real(data->data, data->type, first + i * inner) - largest);
    }
    return get_real(data->data, data->type, position) - largest - log(sum);
}

void reference_class_loss(const opmill_operator *operator, const opmill_tensor *const *inputs,
                          int32_t input_count, const void *attributes,
                          const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const data = inputs[0], *const target = inputs[1];
    const opmill_tensor *const weight = input_count > 2 ? inputs[2] : NULL;
    const bool scores = strcmp(operator->name, "SoftmaxCrossEntropyLoss") == 0;
    const int64_t *const ignored = attribute_of(operator, attributes, "ignore_index");
    const char *const *const given = attribute_of(operator, attributes, "reduction");
    const char *const reduction = given == NULL ? "mean" : *given;
    const bool none = strcmp(reduction, "none") == 0;
    const int64_t samples = count_of(target->dims, target->rank);
    const int64_t inner = data->rank > 2 ? count_of(data->dims + 2, data->rank - 2) : 1;
    double sum = 0, applied = 0;
    for (int64_t i = 0; i < samples; i++) {
        const int64_t class = class_of(target, i);
        double loss = 0;
        if (ignored == NULL || class != *ignored) {
            const int64_t position = (i / inner * data->dims[1] + class) * inner + i % inner;
            const double x = scores ? logarithm(data, position, inner)
                                    : get_real(data->data, data->type, position);
            const double w = weight == NULL ? 1 : get_real(weight->data, weight->type, class);
            loss = -x * w;
            applied += w;
        }
        sum += loss;
        if (none) {
            set_real(outputs[0]->data, data->type, i, loss);
        }
    }
    if (!none) {
        const bool mean = strcmp(reduction, "mean") == 0;
        set_real(outputs[0]->data, data->type, 0, mean ? sum / applied : sum);
    }
    for (int64_t i = 0;
         output_count > 1 && outputs[1] != NULL && i < count_of(data->dims, data->rank); i++) {
        set_real(outputs[1]->data, data->type, i, logarithm(data, i, inner));
    }
}
