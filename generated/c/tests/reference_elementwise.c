/* One element after the other; one that stays what it is keeps its bits. */
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
    const opmill_tensor *x;
    const opmill_tensor *y;
} call;

/* Element i of integers, as a double. */
static double whole(const opmill_tensor *x, int64_t i) {
    switch (x->type) {
    case OPMILL_INT8:
        return ((const int8_t *)x->data)[i];
    case OPMILL_INT16:
        return ((const int16_t *)x->data)[i];
    case OPMILL_INT32:
        return ((const int32_t *)x->data)[i];
    case OPMILL_INT64:
        return (double)((const int64_t *)x->data)[i];
    case OPMILL_UINT8:
        return ((const uint8_t *)x->data)[i];
    case OPMILL_UINT16:
        return ((const uint16_t *)x->data)[i];
    case OPMILL_UINT32:
        return ((const uint32_t *)x->data)[i];
    default:
        return (double)((const uint64_t *)x->data)[i];
    }
}

static bool is_integer(const opmill_tensor *tensor) {
    switch (tensor->type) {
    case OPMILL_FLOAT:
    case OPMILL_DOUBLE:
    case OPMILL_FLOAT16:
    case OPMILL_BFLOAT16:
        return false;
    default:
        return true;
    }
}

/* Whether element i is below zero: no integer changes its sign on the way to a double. */
static bool is_negative(const opmill_tensor *x, int64_t i) {
    return (is_integer(x) ? whole(x, i) : get_real(x->data, x->type, i)) < 0;
}

/* The bits of an element, with zeros above them, and the bit of its sign. */
static uint64_t bits_of(const opmill_tensor *x, int64_t i) {
    switch (type_bytes(x->type, 1)) {
    case 1:
        return ((const uint8_t *)x->data)[i];
    case 2:
        return ((const uint16_t *)x->data)[i];
    case 4: {
        uint32_t bits;
        memcpy(&bits, (const char *)x->data + 4 * i, sizeof bits);
        return bits;
    }
    default: {
        uint64_t bits;
        memcpy(&bits, (const char *)x->data + 8 * i, sizeof bits);
        return bits;
    }
    }
}

static uint64_t sign_of(const opmill_tensor *x) {
    return (uint64_t)1 << (8 * type_bytes(x->type, 1) - 1);
}

static double number(const call *call, const char *name) {
    return (double)*(const float *)attribute_of(call->operator, call->attributes, name);
}

static void absolute(const call *call, int64_t i) {
    const uint64_t bits = bits_of(call->x, i);
    set_bits(call->y->data, call->y->type, i,
             !is_integer(call->x)      ? bits & ~sign_of(call->x)
             : is_negative(call->x, i) ? 0 - bits
                                       : bits);
}

static void bitwise_not(const call *call, int64_t i) {
    set_bits(call->y->data, call->y->type, i, ~bits_of(call->x, i));
}

static void ceiling(const call *call, int64_t i) {
    set_real(call->y->data, call->y->type, i, ceil(get_real(call->x->data, call->x->type, i)));
}

static void flooring(const call *call, int64_t i) {
    set_real(call->y->data, call->y->type, i, floor(get_real(call->x->data, call->x->type, i)));
}

static void hard_sigmoid(const call *call, int64_t i) {
    const double x = get_real(call->x->data, call->x->type, i);
    const double line = number(call, "alpha") * x + number(call, "beta");
    set_real(call->y->data, call->y->type, i, line < 0 ? 0 : line > 1 ? 1 : line);
}

static void is_inf(const call *call, int64_t i) {
    const bool negative =
        *(const int64_t *)attribute_of(call->operator, call->attributes, "detect_negative") != 0;
    const bool positive =
        *(const int64_t *)attribute_of(call->operator, call->attributes, "detect_positive") != 0;
    const uint64_t bits = type_bytes(call->x->type, 1) == 1 ? bits_of(call->x, i) : 0;
    double x = 0;
    if (call->x->type == OPMILL_FLOAT8E5M2) {
        x = bits == 0x7c ? INFINITY : bits == 0xfc ? -INFINITY : 0;
    } else if (type_bytes(call->x->type, 1) > 1) {
        x = get_real(call->x->data, call->x->type, i);
    }
    set_whole(call->y->data, call->y->type, i, isinf(x) && (x < 0 ? negative : positive));
}

/* The order of an integer and a number: below 0, 0 or above it; of each its multiple of 2^32 comes
 * first. */
static int order_of(const opmill_tensor *x, int64_t i, double limit) {
    const uint64_t bits = bits_of(x, i);
    const bool below = is_negative(x, i);
    const uint64_t wide = below ? bits | ~(2 * sign_of(x) - 1) : bits;
    const double high = below ? (double)(wide >> 32) - 0x1p32 : (double)(wide >> 32);
    const double low = (double)(wide & 0xffffffffu);
    const double limit_high = floor(limit / 0x1p32), limit_low = limit - limit_high * 0x1p32;
    if (isinf(limit)) {
        return limit < 0 ? 1 : -1;
    }
    return high != limit_high ? (high > limit_high) - (high < limit_high)
                              : (low > limit_low) - (low < limit_low);
}

static void binarizer(const call *call, int64_t i) {
    const double threshold = number(call, "threshold");
    const bool above = is_integer(call->x)
                           ? !isnan(threshold) && order_of(call->x, i, threshold) > 0
                           : get_real(call->x->data, call->x->type, i) > threshold;
    set_whole(call->y->data, call->y->type, i, above);
}

/* Of integers: the floor of the sum, or what is next above a sum below 0. */
static void shrink(const call *call, int64_t i) {
    const double lambd = number(call, "lambd"), bias = number(call, "bias");
    const opmill_tensor *const to = call->y;
    if (is_integer(call->x)) {
        const bool ordered = lambd == lambd;
        const bool lower = ordered && order_of(call->x, i, -lambd) < 0;
        const bool upper = ordered && order_of(call->x, i, lambd) > 0;
        const double step = lower ? bias : -bias, whole = floor(step);
        const double high = floor(whole / 0x1p32), low = whole - high * 0x1p32;
        const uint64_t bits =
            (uint64_t)low + ((uint64_t)(high - floor(high / 0x1p32) * 0x1p32) << 32);
        const bool next = step > whole && order_of(call->x, i, -step) < 0;
        set_bits(to->data, to->type, i, lower || upper ? bits_of(call->x, i) + bits + next : 0);
        return;
    }
    const double x = get_real(call->x->data, call->x->type, i);
    const double step = x < -lambd ? bias : -bias;
    const double sum = to->type == OPMILL_DOUBLE ? x + step : (double)((float)x + (float)step);
    set_real(to->data, to->type, i, x < -lambd || x > lambd ? sum : 0);
}

static void is_nan(const call *call, int64_t i) {
    const uint64_t bits = type_bytes(call->x->type, 1) == 1 ? bits_of(call->x, i) : 0;
    bool nan;
    switch (call->x->type) {
    case OPMILL_FLOAT8E4M3FN:
        nan = bits == 0x7f || bits == 0xff;
        break;
    case OPMILL_FLOAT8E5M2:
        nan = (bits > 0x7c && bits < 0x80) || bits > 0xfc;
        break;
    case OPMILL_FLOAT8E4M3FNUZ:
    case OPMILL_FLOAT8E5M2FNUZ:
        nan = bits == 0x80;
        break;
    default:
        nan = isnan(get_real(call->x->data, call->x->type, i));
        break;
    }
    set_whole(call->y->data, call->y->type, i, nan);
}

static void leaky_relu(const call *call, int64_t i) {
    const double x = get_real(call->x->data, call->x->type, i);
    if (is_negative(call->x, i)) { /* a double holds the product of floats exactly */
        set_real(call->y->data, call->y->type, i, number(call, "alpha") * x);
    } else {
        copy_element(call->y, i, call->x, i);
    }
}

/* By the remainder of IEEE 754, which is exact and belongs to the nearest multiple, the even of
 * two. */
static void nearest(const call *call, int64_t i) {
    const double x = get_real(call->x->data, call->x->type, i);
    const double whole = isinf(x) ? x : x - remainder(x, 1);
    set_real(call->y->data, call->y->type, i, copysign(whole, x));
}

static void negation(const call *call, int64_t i) {
    set_whole(call->y->data, call->y->type, i, ((const uint8_t *)call->x->data)[i] == 0);
}

static void negative(const call *call, int64_t i) {
    const uint64_t bits = bits_of(call->x, i);
    set_bits(call->y->data, call->y->type, i,
             is_integer(call->x) ? 0 - bits : bits ^ sign_of(call->x));
}

/* As a root, a quotient in double is rounded a second time without consequence. */
static void reciprocal(const call *call, int64_t i) {
    set_real(call->y->data, call->y->type, i, 1 / get_real(call->x->data, call->x->type, i));
}

static void relu(const call *call, int64_t i) {
    if (is_negative(call->x, i)) {
        set_whole(call->y->data, call->y->type, i, 0);
    } else {
        copy_element(call->y, i, call->x, i);
    }
}

static void sign(const call *call, int64_t i) {
    if (is_integer(call->x)) {
        const int above = bits_of(call->x, i) != 0;
        set_whole(call->y->data, call->y->type, i, is_negative(call->x, i) ? -1 : above);
    } else {
        const double x = get_real(call->x->data, call->x->type, i);
        set_real(call->y->data, call->y->type, i, isnan(x) ? x : (x > 0) - (x < 0));
    }
}

/* A root in double is rounded a second time, which changes nothing: it has more than twice the bits
 * of the narrower formats. */
static void square_root(const call *call, int64_t i) {
    set_real(call->y->data, call->y->type, i, sqrt(get_real(call->x->data, call->x->type, i)));
}

/* Activations, in the widest type that there is. */

static long double expm1_times(long double alpha, long double x) { return alpha * expm1l(x); }

static void celu(const call *call, int64_t i) {
    const long double x = get_real(call->x->data, call->x->type, i), alpha = number(call, "alpha");
    const long double low = expm1_times(alpha, x / alpha);
    const long double y = (x > 0 ? x : 0) + (low > 0 ? 0 : low);
    set_real(call->y->data, call->y->type, i, (double)(isnan(x) ? x : y));
}

static void elu_times(const call *call, int64_t i, long double gamma) {
    const long double x = get_real(call->x->data, call->x->type, i);
    const long double y = x < 0 ? expm1_times(number(call, "alpha"), x) : x;
    set_real(call->y->data, call->y->type, i, (double)(gamma * y));
}

static void elu(const call *call, int64_t i) { elu_times(call, i, 1); }

static void selu(const call *call, int64_t i) { elu_times(call, i, number(call, "gamma")); }

/* Of an integer, the float that is nearest to its error function, truncated. */
static void error_function(const call *call, int64_t i) {
    if (is_integer(call->x)) {
        set_whole(call->y->data, call->y->type, i, (int64_t)(float)erf(whole(call->x, i)));
    } else {
        const double x = get_real(call->x->data, call->x->type, i);
        set_real(call->y->data, call->y->type, i, (double)erfl(x));
    }
}

static void gelu(const call *call, int64_t i) {
    const void *const member = attribute_of(call->operator, call->attributes, "approximate");
    const long double x = get_real(call->x->data, call->x->type, i);
    const long double pi = 3.141592653589793238462643383279502884L;
    const long double inner = sqrtl(2 / pi) * (x + 0.044715L * x * x * x);
    const bool by_tanh = member != NULL && strcmp(*(const char *const *)member, "tanh") == 0;
    const long double y = by_tanh ? x / (1 + expl(-2 * inner)) : x * erfcl(-x / sqrtl(2)) / 2;
    set_real(call->y->data, call->y->type, i, (double)y);
}

static long double hard_swish(long double x) {
    const long double factor =
        (x + 3) / 6; /* whose sum is exact near -3, where the result is small */
    return x * (factor < 0 ? 0 : factor > 1 ? 1 : factor);
}

static long double mish(long double x) { return x * tanhl(log1pl(expl(x))); }

static long double sigmoid(long double x) { return 1 / (1 + expl(-x)); }

static long double softplus(long double x) { return (x < 0 ? 0 : x) + log1pl(expl(-fabsl(x))); }

static long double softsign(long double x) { return x / (1 + fabsl(x)); }

static void swish(const call *call, int64_t i) {
    const long double x = get_real(call->x->data, call->x->type, i);
    const long double y = x / (1 + expl(-number(call, "alpha") * x));
    set_real(call->y->data, call->y->type, i, (double)y);
}

/* By name: a function of the call's element, or of the element alone. */

static void thresholded_relu(const call *call, int64_t i) {
    const double x = get_real(call->x->data, call->x->type, i);
    set_real(call->y->data, call->y->type, i, x > number(call, "alpha") ? x : 0);
}

static const struct {
    const char *name;
    void (*compute)(const call *call, int64_t i);
    long double (*of_real)(long double x);
} FUNCTIONS[] = {
    {"abs", absolute, NULL},
    {"acos", NULL, acosl},
    {"acosh", NULL, acoshl},
    {"asin", NULL, asinl},
    {"asinh", NULL, asinhl},
    {"atan", NULL, atanl},
    {"atanh", NULL, atanhl},
    {"binarizer", binarizer, NULL},
    {"bitwise_not", bitwise_not, NULL},
    {"ceil", ceiling, NULL},
    {"celu", celu, NULL},
    {"cos", NULL, cosl},
    {"cosh", NULL, coshl},
    {"elu", elu, NULL},
    {"erf", error_function, NULL},
    {"exp", NULL, expl},
    {"floor", flooring, NULL},
    {"gelu", gelu, NULL},
    {"hard_sigmoid", hard_sigmoid, NULL},
    {"hard_swish", NULL, hard_swish},
    {"is_inf", is_inf, NULL},
    {"is_nan", is_nan, NULL},
    {"leaky_relu", leaky_relu, NULL},
    {"log", NULL, logl},
    {"mish", NULL, mish},
    {"neg", negative, NULL},
    {"not", negation, NULL},
    {"reciprocal", reciprocal, NULL},
    {"relu", relu, NULL},
    {"round", nearest, NULL},
    {"selu", selu, NULL},
    {"shrink", shrink, NULL},
    {"sigmoid", NULL, sigmoid},
    {"sign", sign, NULL},
    {"sin", NULL, sinl},
    {"sinh", NULL, sinhl},
    {"softplus", NULL, softplus},
    {"softsign", NULL, softsign},
    {"sqrt", square_root, NULL},
    {"swish", swish, NULL},
    {"tan", NULL, tanl},
    {"tanh", NULL, tanhl},
    {"thresholded_relu", thresholded_relu, NULL},
};

void reference_elementwise(const opmill_operator *operator, const opmill_tensor *const *inputs,
                           int32_t input_count, const void *attributes,
                           const opmill_tensor *const *outputs, int32_t output_count) {
    const size_t functions = sizeof FUNCTIONS / sizeof FUNCTIONS[0];
    const char *const wanted = family_parameter(operator, "function");
    const call call = {operator, attributes, inputs[0], outputs[0]};
    size_t found = 0;
    (void)input_count;
    (void)output_count;
    while (found < functions && strcmp(FUNCTIONS[found].name, wanted) != 0) {
        found++;
    }
    if (found == functions) {
        fprintf(stderr, "reference_elementwise has no function %s\n", wanted);
        abort();
    }
    for (int64_t i = 0; i < count_of(call.y->dims, call.y->rank); i++) {
        if (FUNCTIONS[found].of_real == NULL) {
            FUNCTIONS[found].compute(&call, i);
        } else {
            const long double x = get_real(call.x->data, call.x->type, i);
            set_real(call.y->data, call.y->type, i, (double)FUNCTIONS[found].of_real(x));
        }
    }
}
