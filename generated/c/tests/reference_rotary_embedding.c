/* Each element by the formula, in double. */
#include "reference.h"
#include "values.h"

void reference_rotary_embedding(const opmill_operator *operator, const opmill_tensor *const *inputs,
                                int32_t input_count, const void *attributes,
                                const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const x = inputs[0], *const y = outputs[0];
    const bool leading = inputs[1]->type == OPMILL_INT64; /* positions stand before the tables */
    const opmill_tensor *const ids = leading ? inputs[1] : input_count > 3 ? inputs[3] : NULL;
    const opmill_tensor *const cosine = inputs[leading ? 2 : 1], *sine = inputs[leading ? 3 : 2];
    const bool flat = x->rank == 3, follows = ids != NULL && ids->rank == 1;
    const bool neighbours = int_of(operator, attributes, "interleaved", 0) != 0;
    const int64_t given = int_of(operator, attributes, "rotary_embedding_dim", 0);
    const int64_t named = int_of(operator, attributes, "num_heads", 0);
    const int64_t heads = !flat ? 1 : named > 0 ? named : x->dims[2] / (2 * cosine->dims[1]);
    const int64_t size = x->dims[x->rank - 1] / heads, length = x->dims[flat ? 1 : 2];
    const int64_t rotated = given != 0 ? given : size, pairs = rotated / 2;
    const int64_t each = flat ? 1 : x->dims[1]; /* heads between batch and sequence */
    (void)output_count;
    for (int64_t i = 0; i < count_of(x->dims, x->rank); i++) {
        const int64_t position = i % size, line = i / size / heads;
        const int64_t token = line / (each * length) * length + line % length;
        if (position >= rotated) {
            copy_element(y, i, x, i);
            continue;
        }
        const bool second = neighbours ? position % 2 == 1 : position >= pairs;
        const int64_t far = neighbours ? 1 : pairs, other = second ? i - far : i + far;
        const int64_t *const rows = ids != NULL ? ids->data : NULL;
        const int64_t row = follows ? rows[0] + token % length : ids != NULL ? rows[token] : token;
        const int64_t entry = row * pairs + (neighbours ? position / 2 : position % pairs);
        const double c = get_real(cosine->data, x->type, entry);
        const double s = get_real(sine->data, x->type, entry);
        const double a = get_real(x->data, x->type, i), b = get_real(x->data, x->type, other);
        set_real(y->data, y->type, i, second ? s * b + c * a : c * a - s * b);
    }
}
