/* Each n-gram of the pool is looked for at each position of each row. */
#include <stdbool.h>
#include <string.h>

#include "reference.h"
#include "values.h"

static bool is_token(const opmill_tensor *x, int64_t i, const opmill_ints *integers,
                     const opmill_strings *texts, int64_t k) {
    if (x->type == OPMILL_STRING) {
        return strcmp(((const char *const *)x->data)[i], texts->values[k]) == 0;
    }
    return (x->type == OPMILL_INT32 ? ((const int32_t *)x->data)[i]
                                    : ((const int64_t *)x->data)[i]) == integers->values[k];
}

void reference_tf_idf(const opmill_operator *operator, const opmill_tensor *const *inputs,
                      int32_t input_count, const void *attributes,
                      const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const x = inputs[0];
    const opmill_ints *const starts = attribute_of(operator, attributes, "ngram_counts");
    const opmill_ints *const indexes = attribute_of(operator, attributes, "ngram_indexes");
    const opmill_ints *const integers = attribute_of(operator, attributes, "pool_int64s");
    const opmill_strings *const texts = attribute_of(operator, attributes, "pool_strings");
    const opmill_floats *const weights = attribute_of(operator, attributes, "weights");
    const char *const *const mode = attribute_of(operator, attributes, "mode");
    const int64_t skips = int_of(operator, attributes, "max_skip_count", 0);
    const int64_t shortest = int_of(operator, attributes, "min_gram_length", 1);
    const int64_t longest = int_of(operator, attributes, "max_gram_length", 1);
    const int64_t length = x->dims[x->rank - 1], rows = x->rank == 2 ? x->dims[0] : 1;
    const int64_t width = outputs[0]->dims[outputs[0]->rank - 1];
    const int64_t pool = x->type == OPMILL_STRING ? texts->count : integers->count;
    (void)input_count;
    (void)output_count;
    for (int64_t row = 0; row < rows; row++) {
        float *const result = (float *)outputs[0]->data + row * width;
        int64_t gram = 0;
        for (int64_t i = 0; i < width; i++) {
            result[i] = 0;
        }
        for (int64_t n = 1; n <= starts->count; n++) {
            const int64_t end = n < starts->count ? starts->values[n] : pool;
            for (int64_t at = starts->values[n - 1]; at < end; at += n, gram++) {
                int64_t found = 0;
                for (int64_t i = 0; i < length; i++) {
                    for (int64_t s = 0; s <= (n > 1 ? skips : 0) && s < length; s++) {
                        int64_t k = 0;
                        while (
                            k < n && i + k * (s + 1) < length &&
                            is_token(x, row * length + i + k * (s + 1), integers, texts, at + k)) {
                            k++;
                        }
                        found += k == n;
                    }
                }
                if (found > 0 && shortest <= n && n <= longest) {
                    float part = strcmp(*mode, "IDF") == 0 ? 1 : (float)found;
                    if (strcmp(*mode, "TF") != 0 && weights->count >= 0) {
                        part = part * weights->values[gram];
                    }
                    result[indexes->values[gram]] += part;
                }
            }
        }
    }
}
