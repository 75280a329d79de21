/* Activations: sigmoid, softplus, mish and gelu; elu, celu and swish with parameters. */
#ifndef OPMILL_MATH_ACTIVATION_H
#define OPMILL_MATH_ACTIVATION_H

#include "runtime/math/error_function.h"
#include "runtime/math/hyperbolic.h"

/* From e = exp(-|x|): 1 - e / (1 + e) or, for negative x, e / (1 + e). The latter is e less a small
 * part of it for small e, and else a quotient corrected by what 1 + e lost in rounding. */
OPMILL_INLINE double opmill_sigmoid_of_exp(double x, double e) {
    const opmill_pair below = opmill_sum_ordered(1, e);
    const double t = e / below.high;
    const double rest = 1 - t;
    const double negative = e < 0.25 ? e - e * t : t - t * below.low * rest;
    return x < 0 ? negative : rest;
}

OPMILL_INLINE double opmill_sigmoid_double(double x) {
    return opmill_sigmoid_of_exp(x, opmill_exp_double(-opmill_magnitude(x)));
}

/* log(1 + exp(x)) = max(x, 0) + log(1 + exp(-|x|)). */
OPMILL_INLINE double opmill_softplus_double(double x) {
    const opmill_scaled e = opmill_exp_scaled(-opmill_clamp(opmill_magnitude(x), 0, 800), 0);
    opmill_pair small;
    double log1p;
    small.high = opmill_scale(e.m.high, e.k);
    small.low = opmill_scale(e.m.low, e.k);
    log1p = opmill_log1p_of_pair(small, 0);
    log1p = small.high < 0x1p-54 ? small.high : log1p;
    return (x < 0 ? 0 : x) + log1p;
}

/* The last three multiply x by a factor that decreases to 0: -infinity gives a NaN, as infinity
 * times 0 does, although the limit is 0. */

/* x tanh(log(1 + e)) = x n / (n + 2), with e = exp(x) and n = e (e + 2). */
OPMILL_INLINE double opmill_mish_double(double x) {
    const double a = opmill_clamp(x, -800, 40);
    const opmill_scaled e = opmill_exp_scaled(a, 0);
    opmill_pair power, more, n, below;
    double y;
    power.high = opmill_scale(e.m.high, e.k);
    power.low = opmill_scale(e.m.low, e.k);
    more = opmill_sum(2, power.high);
    more.low += power.low;
    n = opmill_product_of_pairs(power, more);
    below = opmill_sum(2, n.high);
    below.low += n.low;
    y = opmill_scale(a * opmill_quotient(opmill_product_of_pairs(e.m, more), below).high, e.k);
    y = x > 40 ? x : y; /* 1 - tanh(softplus(40)) is below 2^-100 */
    return x == -INFINITY ? NAN : y;
}

/* x erfc(-x / sqrt(2)) / 2; x - |x| erfc(|x| / sqrt(2)) / 2 for positive x. */
OPMILL_INLINE double opmill_gelu_double(double x) {
    const opmill_pair root = {OPMILL_HALF_SQRT_2, OPMILL_HALF_SQRT_2_LOW};
    const double magnitude = opmill_clamp(opmill_magnitude(x), 0, 39.5);
    const opmill_pair half = {0.5 * magnitude, 0};
    const opmill_pair wide = {magnitude, 0};
    const opmill_pair z = opmill_product_of_pairs(wide, root);
    const int small = z.high < 0.75;
    const opmill_pair a = {small ? 0.75 : z.high, small ? 0 : z.low};
    const opmill_scaled c = opmill_erfc_scaled(a, opmill_product(magnitude, half.high));
    const double tail = opmill_scale(opmill_product_of_pairs(half, c.m).high, c.k);
    const double rest = z.low + z.high * opmill_poly_erf_long(z.high * z.high);
    const opmill_pair sum = opmill_sum_ordered(1, x < 0 ? -z.high : z.high);
    const double near_zero = 0.5 * x * (sum.high + (sum.low + (x < 0 ? -rest : rest)));
    const double y = small ? near_zero : x < 0 ? -tail : x - tail;
    return x == -INFINITY ? NAN : y;
}

/* x / (1 + exp(-t)): e = exp(-|t|) leaves 1 / (1 + e), or e / (1 + e) for negative t. */
OPMILL_INLINE double opmill_times_sigmoid(double x, opmill_pair t) {
    const int negative = t.high < 0;
    const double high = opmill_clamp(t.high, -1400, 1400);
    const opmill_scaled e = opmill_exp_scaled(negative ? high : -high, negative ? t.low : -t.low);
    opmill_pair below = opmill_sum_ordered(1, opmill_scale(e.m.high, e.k));
    opmill_pair above;
    double y;
    below.low += opmill_scale(e.m.low, e.k);
    above.high = negative ? e.m.high : 1;
    above.low = negative ? e.m.low : 0;
    y = opmill_scale(x * opmill_quotient(above, below).high, negative ? e.k : 0);
    return ((opmill_magnitude(x) == INFINITY) & (t.high == -INFINITY)) ? NAN : y;
}

/* x / (1 + exp(-2 u)) with u = sqrt(2 / pi) (x + 0.044715 x^3). */
OPMILL_INLINE double opmill_gelu_tanh_double(double x) {
    const opmill_pair first = {OPMILL_GELU_1, OPMILL_GELU_1_LOW};
    const opmill_pair third = {OPMILL_GELU_3, OPMILL_GELU_3_LOW};
    const opmill_pair bounded = {opmill_clamp(x, -30, 30), 0};
    const opmill_pair cubic =
        opmill_product_of_pairs(third, opmill_product(bounded.high, bounded.high));
    opmill_pair factor = opmill_sum(first.high, cubic.high);
    double y;
    factor.low += first.low + cubic.low;
    y = opmill_times_sigmoid(bounded.high, opmill_product_of_pairs(bounded, factor));
    y = x > 30 ? x : y;
    return x == -INFINITY ? NAN : y;
}

/* With parameters: gamma alpha (exp(x) - 1) below 0 and gamma x above. Each product rounds. */
OPMILL_INLINE double opmill_elu_double(double x, double alpha, double gamma) {
    return gamma * (x < 0 ? alpha * opmill_expm1_double(x) : x);
}

/* max(0, x) + min(0, alpha (exp(x / alpha) - 1)). */
OPMILL_INLINE double opmill_celu_double(double x, double alpha, double unused) {
    const double low = alpha * opmill_expm1_double(x / alpha);
    (void)unused;
    return x != x ? x : (x > 0 ? x : 0) + (low > 0 ? 0 : low);
}

/* x / (1 + exp(-alpha x)). */
OPMILL_INLINE double opmill_swish_double(double x, double alpha, double unused) {
    opmill_pair t = opmill_product(x, alpha);
    (void)unused;
    t.low = opmill_magnitude(t.high) < 1000 ? t.low : 0;
    return opmill_times_sigmoid(x, t);
}

/* x / (1 + exp(-x)). */
OPMILL_INLINE double opmill_silu_double(double x) { return opmill_swish_double(x, 1, 0); }

/* The same for results in float. */

OPMILL_INLINE double opmill_sigmoid_float(double x) { return 1 / (1 + opmill_exp_short(-x)); }

OPMILL_INLINE double opmill_softplus_float(double x) {
    return (x < 0 ? 0 : x) + opmill_log1p_float(opmill_exp_short(-opmill_magnitude(x)));
}

OPMILL_INLINE double opmill_mish_float(double x) {
    const double e = opmill_exp_short(x < 52 ? x : 52);
    const double n = e * (e + 2);
    const double y = x * (n / (n + 2));
    return x == -INFINITY ? NAN : y;
}

OPMILL_INLINE double opmill_gelu_float(double x) {
    const double c = opmill_erfc_of_square_float(-OPMILL_HALF_SQRT_2 * x, 0.5 * x * x);
    return x == -INFINITY ? NAN : 0.5 * x * c;
}

OPMILL_INLINE double opmill_gelu_tanh_float(double x) {
    const double u = x * (OPMILL_GELU_1 + OPMILL_GELU_3 * (x * x));
    const double y = x / (1 + opmill_exp_short(-u));
    return x == -INFINITY ? NAN : y;
}

OPMILL_INLINE double opmill_elu_float(double x, double alpha, double gamma) {
    return gamma * (x < 0 ? alpha * opmill_expm1_float(x) : x);
}

OPMILL_INLINE double opmill_celu_float(double x, double alpha, double unused) {
    const double z = x / alpha;
    const double low = alpha * (z == INFINITY ? z : opmill_expm1_float(z));
    (void)unused;
    return x != x ? x : (x > 0 ? x : 0) + (low > 0 ? 0 : low);
}

OPMILL_INLINE double opmill_swish_float(double x, double alpha, double unused) {
    const double t = alpha * x;
    const double y = x / (1 + opmill_exp_short(-t));
    (void)unused;
    return ((opmill_magnitude(x) == INFINITY) & (t == -INFINITY)) ? NAN : y;
}

OPMILL_INLINE double opmill_silu_float(double x) { return opmill_swish_float(x, 1, 0); }

#endif
