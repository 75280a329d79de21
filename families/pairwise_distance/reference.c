/* One sum for each pair of rows, in the order of the columns. */
#include <math.h>
#include <string.h>

#include "reference.h"
#include "values.h"

void reference_pairwise_distance(const opmill_operator *operator,
                                 const opmill_tensor *const *inputs, int32_t input_count,
                                 const void *attributes, const opmill_tensor *const *outputs,
                                 int32_t output_count) {
    const opmill_tensor *const a = inputs[0], *const b = inputs[1];
    const char *const *const metric = attribute_of(operator, attributes, "metric");
    const int64_t columns = a->dims[1], count = b->dims[0];
    (void)input_count;
    (void)output_count;
    for (int64_t at = 0; at < a->dims[0] * count; at++) {
        double total = 0;
        for (int64_t k = 0; k < columns; k++) {
            const double difference = get_real(a->data, a->type, at / count * columns + k) -
                                      get_real(b->data, b->type, at % count * columns + k);
            total += difference * difference;
        }
        const int root = *metric != NULL && strcmp(*metric, "euclidean") == 0;
        set_real(outputs[0]->data, a->type, at, root ? sqrt(total) : total);
    }
}
