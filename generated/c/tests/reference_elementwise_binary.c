/* One element after the other, each from the elements at the same index, an axis of 1 read at 0. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"
#include "values.h"

/* A call: its tensors, and what attributes a function asks for. */
typedef struct call {
    const opmill_operator *operator;
    const void *attributes;
    const opmill_tensor *a;
    const opmill_tensor *b;
    const opmill_tensor *c;
} call;

static bool is_floating(const opmill_tensor *tensor) {
    return tensor->type == OPMILL_FLOAT || tensor->type == OPMILL_DOUBLE ||
           tensor->type == OPMILL_FLOAT16 || tensor->type == OPMILL_BFLOAT16;
}

static bool is_signed(const opmill_tensor *tensor) {
    return tensor->type == OPMILL_INT8 || tensor->type == OPMILL_INT16 ||
           tensor->type == OPMILL_INT32 || tensor->type == OPMILL_INT64;
}

/* The bits of an integer, byte by byte, with copies of the sign above those of a signed one. */
static uint64_t bits_of(const opmill_tensor *tensor, int64_t i) {
    const size_t bytes = type_bytes(tensor->type, 1);
    uint64_t bits = 0;
    for (size_t byte = 0; byte < bytes; byte++) { /* little-endian or big, as the machine */
        const size_t position = *(const char *)&(const int16_t){1} ? byte : bytes - 1 - byte;
        bits |= (uint64_t)((const uint8_t *)tensor->data)[(size_t)i * bytes + position] << 8 * byte;
    }
    if (is_signed(tensor) && bytes < 8 && bits >> (8 * bytes - 1) != 0) {
        bits |= UINT64_MAX << 8 * bytes;
    }
    return bits;
}

/* Results of integers wrap around: of the bits, whatever they stand for. A double holds the result
 * of two halves, or so many digits of it that it is rounded as if once. */
#define DEFINE_ARITHMETIC(name, operation, of_bits)                                             \
    static void name(const call *call, int64_t i, int64_t k, int64_t at) {                      \
        const opmill_tensor *const a = call->a, *const b = call->b, *const c = call->c;         \
        if (c->type == OPMILL_FLOAT) {                                                          \
            ((float *)c->data)[at] =                                                            \
                ((const float *)a->data)[i] operation ((const float *)b->data)[k];              \
        } else if (is_floating(c)) {                                                            \
            set_real(c->data, c->type, at,                                                      \
                     get_real(a->data, a->type, i) operation get_real(b->data, b->type, k));    \
        } else {                                                                                \
            set_bits(c->data, c->type, at, of_bits(a, bits_of(a, i), bits_of(b, k)));           \
        }                                                                                       \
    }

static uint64_t sum(const opmill_tensor *tensor, uint64_t a, uint64_t b) {
    (void)tensor;
    return a + b;
}

static uint64_t difference(const opmill_tensor *tensor, uint64_t a, uint64_t b) {
    (void)tensor;
    return a - b;
}

static uint64_t product(const opmill_tensor *tensor, uint64_t a, uint64_t b) {
    (void)tensor;
    return a * b;
}

/* Of the magnitudes, with the sign put back. */
static uint64_t quotient(const opmill_tensor *tensor, uint64_t a, uint64_t b) {
    const bool a_below = is_signed(tensor) && a >> 63 != 0,
               b_below = is_signed(tensor) && b >> 63 != 0;
    const uint64_t magnitude = (a_below ? 0 - a : a) / (b_below ? 0 - b : b);
    return a_below != b_below ? 0 - magnitude : magnitude;
}

/* Of the magnitudes, with the sign of the dividend; then a step on where the divisor's is wanted.
 */
static void remainder_of(const call *call, int64_t i, int64_t k, int64_t at) {
    const bool truncates =
        *(const int64_t *)attribute_of(call->operator, call->attributes, "fmod") != 0;
    const opmill_tensor *const c = call->c;
    if (is_floating(c)) {
        const double a = get_real(call->a->data, c->type, i),
                     b = get_real(call->b->data, c->type, k);
        const double rest = fmod(a, b);
        const double floored = rest == 0 ? copysign(0, b) : (rest < 0) != (b < 0) ? rest + b : rest;
        set_real(c->data, c->type, at, truncates ? rest : floored);
    } else {
        const uint64_t a = bits_of(call->a, i), b = bits_of(call->b, k);
        const bool a_below = is_signed(c) && a >> 63 != 0, b_below = is_signed(c) && b >> 63 != 0;
        const uint64_t magnitude = (a_below ? 0 - a : a) % (b_below ? 0 - b : b);
        const uint64_t rest = a_below ? 0 - magnitude : magnitude;
        const bool moves = !truncates && magnitude != 0 && a_below != b_below;
        set_bits(c->data, c->type, at, moves ? rest + b : rest);
    }
}

/* One place after the other. */
static void shift(const call *call, int64_t i, int64_t k, int64_t at) {
    const char *const direction =
        *(const char *const *)attribute_of(call->operator, call->attributes, "direction");
    const bool left = strcmp(direction, "LEFT") == 0;
    const uint64_t sign = is_signed(call->a) ? bits_of(call->a, i) & (uint64_t)1 << 63 : 0;
    const uint64_t positions = bits_of(call->b, k);
    uint64_t bits = bits_of(call->a, i);
    for (uint64_t position = 0; position < (positions < 64 ? positions : 64); position++) {
        bits = left ? bits << 1 : bits >> 1 | sign;
    }
    set_bits(call->c->data, call->c->type, at, bits);
}

DEFINE_ARITHMETIC(add, +, sum)
DEFINE_ARITHMETIC(divide, /, quotient)
DEFINE_ARITHMETIC(multiply, *, product)
DEFINE_ARITHMETIC(subtract, -, difference)

static bool is_below_zero(const opmill_tensor *tensor, int64_t i) {
    return is_floating(tensor) ? get_real(tensor->data, tensor->type, i) < 0
                               : is_signed(tensor) && bits_of(tensor, i) >> 63 != 0;
}

static void prelu(const call *call, int64_t i, int64_t k, int64_t at) {
    if (is_below_zero(call->a, i)) {
        multiply(call, i, k, at);
    } else {
        copy_element(call->c, at, call->a, i);
    }
}

/* Elements, compared: what follows is below 0, 0, or above it; or they have no order, as a NaN. */
enum { UNORDERED = 2 };

static int compare(const opmill_tensor *a, int64_t i, const opmill_tensor *b, int64_t k) {
    if (a->type == OPMILL_STRING) {
        const int order =
            strcmp(((const char *const *)a->data)[i], ((const char *const *)b->data)[k]);
        return (order > 0) - (order < 0);
    }
    if (is_floating(a)) {
        const double x = get_real(a->data, a->type, i), y = get_real(b->data, b->type, k);
        return x != x || y != y ? UNORDERED : (x > y) - (x < y);
    }
    /* The order of signed integers is that of their bits with the sign's turned over. */
    const uint64_t sign = is_signed(a) ? (uint64_t)1 << 63 : 0;
    const uint64_t x = bits_of(a, i) ^ sign, y = bits_of(b, k) ^ sign;
    return (x > y) - (x < y);
}

#define DEFINE_COMPARISON(name, condition)                                     \
    static void name(const call *call, int64_t i, int64_t k, int64_t at) {     \
        const int order = compare(call->a, i, call->b, k);                     \
        set_whole(call->c->data, call->c->type, at, condition);                \
    }
DEFINE_COMPARISON(equal, order == 0)
DEFINE_COMPARISON(greater, order == 1)
DEFINE_COMPARISON(greater_or_equal, order == 0 || order == 1)
DEFINE_COMPARISON(less, order == -1)
DEFINE_COMPARISON(less_or_equal, order == 0 || order == -1)

#define DEFINE_LOGIC(name, condition)                                          \
    static void name(const call *call, int64_t i, int64_t k, int64_t at) {     \
        const bool a = bits_of(call->a, i) != 0, b = bits_of(call->b, k) != 0; \
        set_whole(call->c->data, call->c->type, at, condition);                \
    }
DEFINE_LOGIC(both, a &&b)
DEFINE_LOGIC(either, a || b)
DEFINE_LOGIC(one_alone, a != b)

#define DEFINE_BITWISE(name, operation)                                         \
    static void name(const call *call, int64_t i, int64_t k, int64_t at) {      \
        const uint64_t a = bits_of(call->a, i), b = bits_of(call->b, k);        \
        set_bits(call->c->data, call->c->type, at, operation);                  \
    }
DEFINE_BITWISE(bits_of_both, a &b)
DEFINE_BITWISE(bits_of_either, a | b)
DEFINE_BITWISE(bits_of_one, a ^ b)

static const struct {
    const char *name;
    void (*compute)(const call *call, int64_t i, int64_t k, int64_t at);
} FUNCTIONS[] = {
    {"add", add},
    {"and", both},
    {"bit_shift", shift},
    {"bitwise_and", bits_of_both},
    {"bitwise_or", bits_of_either},
    {"bitwise_xor", bits_of_one},
    {"div", divide},
    {"equal", equal},
    {"greater", greater},
    {"greater_or_equal", greater_or_equal},
    {"less", less},
    {"less_or_equal", less_or_equal},
    {"mod", remainder_of},
    {"mul", multiply},
    {"or", either},
    {"prelu", prelu},
    {"sub", subtract},
    {"xor", one_alone},
};

/* The axis of the output at which the axes of B begin. */
static int32_t first_axis(const opmill_operator *operator, const void *attributes,
                          const opmill_tensor *a, const opmill_tensor *b, int32_t rank) {
    const int64_t *const broadcast = attribute_of(operator, attributes, "broadcast");
    const bool says = broadcast != NULL && *broadcast == 1 && count_of(b->dims, b->rank) != 1;
    const char *const per_channel = family_parameter(operator, "per_channel");
    const int32_t last = rank - b->rank;
    if (per_channel != NULL && strcmp(per_channel, "true") == 0 && b->rank == 1 && rank > 1 &&
        a->dims[1] == b->dims[0]) {
        return 1;
    }
    return says ? (int32_t)axis_of(operator, attributes, rank, last) : last;
}

void reference_elementwise_binary(const opmill_operator *operator,
                                  const opmill_tensor *const *inputs, int32_t input_count,
                                  const void *attributes, const opmill_tensor *const *outputs,
                                  int32_t output_count) {
    const opmill_tensor *const a = inputs[0], *const b = inputs[1], *const output = outputs[0];
    const int32_t rank = output->rank, begin = first_axis(operator, attributes, a, b, rank);
    int64_t index[OPMILL_MAX_RANK] = {0}, from_a[OPMILL_MAX_RANK], from_b[OPMILL_MAX_RANK];
    const size_t functions = sizeof FUNCTIONS / sizeof FUNCTIONS[0];
    const char *const wanted = family_parameter(operator, "function");
    const call call = {operator, attributes, a, b, output};
    int64_t at = 0;
    size_t found = 0;
    (void)input_count;
    (void)output_count;
    while (found < functions && strcmp(FUNCTIONS[found].name, wanted) != 0) {
        found++;
    }
    if (found == functions) {
        fprintf(stderr, "reference_elementwise_binary has no function %s\n", wanted);
        abort();
    }
    if (count_of(output->dims, rank) == 0) {
        return;
    }
    do {
        for (int32_t i = 0; i < a->rank; i++) {
            from_a[i] = a->dims[i] == 1 ? 0 : index[rank - a->rank + i];
        }
        for (int32_t i = 0; i < b->rank; i++) {
            from_b[i] = b->dims[i] == 1 ? 0 : index[begin + i];
        }
        FUNCTIONS[found].compute(&call, position_of(from_a, a->dims, a->rank),
                                 position_of(from_b, b->dims, b->rank), at++);
    } while (next_index(index, output->dims, rank));
}
