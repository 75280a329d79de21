/* The place of each element is how many elements of its row come before it. */
#include <math.h>
#include <string.h>

#include "reference.h"
#include "values.h"

typedef struct number {
    double real;
    int64_t whole;
    uint64_t natural; /* only one of the three is not 0 */
} number;

static number number_at(const opmill_tensor *x, int64_t i) {
    number result = {0, 0, 0};
    switch (x->type) {
    case OPMILL_INT8:
        result.whole = ((const int8_t *)x->data)[i];
        break;
    case OPMILL_INT16:
        result.whole = ((const int16_t *)x->data)[i];
        break;
    case OPMILL_INT32:
        result.whole = ((const int32_t *)x->data)[i];
        break;
    case OPMILL_INT64:
        result.whole = ((const int64_t *)x->data)[i];
        break;
    case OPMILL_UINT8:
        result.natural = ((const uint8_t *)x->data)[i];
        break;
    case OPMILL_UINT16:
        result.natural = ((const uint16_t *)x->data)[i];
        break;
    case OPMILL_UINT32:
        result.natural = ((const uint32_t *)x->data)[i];
        break;
    case OPMILL_UINT64:
        result.natural = ((const uint64_t *)x->data)[i];
        break;
    default:
        result.real = get_real(x->data, x->type, i);
        break;
    }
    return result;
}

/* NaN is greater than every number. */
static bool is_less(number a, number b) {
    if (isnan(a.real) || isnan(b.real)) {
        return !isnan(a.real);
    }
    return a.real < b.real || a.whole < b.whole || a.natural < b.natural;
}

static bool is_same(number a, number b) {
    return (isnan(a.real) && isnan(b.real)) ||
           (a.real == b.real && a.whole == b.whole && a.natural == b.natural);
}

static bool comes_before(number a, int64_t at_a, number b, int64_t at_b, bool largest) {
    if (is_same(a, b)) {
        return at_a < at_b;
    }
    return largest ? is_less(b, a) : is_less(a, b);
}

void reference_top_k(const opmill_operator *operator, const opmill_tensor *const *inputs,
                     int32_t input_count, const void *attributes,
                     const opmill_tensor *const *outputs, int32_t output_count) {
    const opmill_tensor *const x = inputs[0];
    const int64_t axis = axis_of(operator, attributes, x->rank, -1);
    const bool largest = int_of(operator, attributes, "largest", 1) == 1;
    const int64_t count = outputs[0]->dims[axis], length = x->dims[axis];
    int64_t index[OPMILL_MAX_RANK] = {0};
    (void)input_count;
    (void)output_count;
    if (count_of(outputs[0]->dims, x->rank) == 0) {
        return;
    }
    do {
        int64_t other[OPMILL_MAX_RANK], position = 0;
        const int64_t from = position_of(index, x->dims, x->rank);
        memcpy(other, index, sizeof other);
        for (int64_t i = 0; i < length; i++) {
            other[axis] = i;
            position += comes_before(number_at(x, position_of(other, x->dims, x->rank)), i,
                                     number_at(x, from), index[axis], largest);
        }
        if (position < count) {
            other[axis] = position;
            const int64_t to = position_of(other, outputs[0]->dims, x->rank);
            copy_element(outputs[0], to, x, from);
            ((int64_t *)outputs[1]->data)[to] = index[axis];
        }
    } while (next_index(index, x->dims, x->rank));
}
