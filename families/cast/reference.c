/* Cast in the arithmetic of doubles: an element is read as a number, and written as the nearest of
 * the other type, by the definition of each format. */
#include "formats.h"
#include "reference.h"
#include "values.h"

void reference_cast(const opmill_operator *operator, const opmill_tensor *const *inputs,
                    int32_t input_count, const void *attributes,
                    const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const x = inputs[0], *const y = outputs[0];
    const int64_t *const saturate = attribute_of(operator, attributes, "saturate");
    const char *const *const round_mode = attribute_of(operator, attributes, "round_mode");
    const int64_t count = count_of(y->dims, y->rank);
    const bool limits = saturate == NULL || *saturate != 0;
    /* Of the formats without a sign of zero; before 19 there are none. */
    const bool is_infinity_nan = operator->since_version < 24;
    (void)input_count;
    (void)output_count;
    clear_last_byte(y);
    for (int64_t i = 0; i < count; i++) {
        uint64_t written = pattern_at(x, i);
        if (x->type != y->type) {
            const element read = read_element(x, i);
            written = bits_of_element(&read, y->type, limits,
                                      round_mode == NULL ? "up" : *round_mode, is_infinity_nan);
        }
        set_bits(y->data, y->type, i, written);
    }
}
