"""Reference of the operators of the family elementwise, for one element.

Elementary functions come in decimal arithmetic: nothing of NumPy or of a C library.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

from opmill_checks import elementary
from opmill_checks.rounding import attribute_value, element, rounded
from opmill_checks.value import TYPES, Value, bits_of

FAR = 12000
"""exp(x) of what is farther from 0 is 0 or infinite in every type."""


def function_of(name: str) -> Callable[[float], Any]:
    """An elementary function; at zeros, infinities and beyond its domain it is as Python's math."""
    compute = getattr(elementary, name)

    def function(x: float) -> Any:
        try:
            special = float(getattr(math, name)(x))
        except ValueError:  # not defined there
            return -math.inf if name == "log" and x == 0 else math.nan
        except OverflowError:
            special = math.inf
        if not math.isfinite(x) or x == 0 or (abs(x) > FAR and math.isinf(special)):
            return math.copysign(special, x) if name == "sinh" else special
        return Fraction(compute(Decimal(x))) if abs(x) <= FAR or name != "exp" else 0.0

    return function


def absolute(x: Any) -> Any:
    return abs(x)


def atanh(x: float) -> Any:
    return math.copysign(math.inf, x) if abs(x) == 1 else function_of("atanh")(x)


def binarizer(x: Any, threshold: float) -> Any:
    return type(x)(x > threshold)


def bitwise_not(x: Any) -> Any:
    return -x - 1


def ceil(x: Any) -> Any:
    return _whole(x, math.ceil)


def celu(x: float, alpha: float) -> Any:
    if x != x or alpha != alpha or alpha == 0:
        return 0.0 if x < 0 and alpha == 0 else math.nan
    low = product(alpha, expm1(Fraction(x) / Fraction(alpha) if math.isfinite(x) else x / alpha))
    return x if x > 0 and not low < 0 else min(low, Fraction(0))


def elu(x: float, alpha: float) -> Any:
    return selu(x, alpha, 1.0)


def erf(x: float) -> Any:
    if isinstance(x, int):
        return int(rounded(math.erf(x), "float"))
    return function_of("erf")(x)


def expm1(x: Any) -> Any:
    """exp(x) - 1 of a fraction or a float."""
    if x != x or x == 0:
        return x
    if abs(x) > FAR:
        return math.inf if x > 0 else Fraction(-1)
    return Fraction(elementary.expm1(exact(x)))


def exact(x: Any) -> Decimal:
    """A float as a decimal; of a fraction the nearest one of 60 digits."""
    if isinstance(x, Fraction):
        return elementary.CONTEXT.divide(Decimal(x.numerator), Decimal(x.denominator))
    return Decimal(x)


def floor(x: Any) -> Any:
    return _whole(x, math.floor)


def gelu(x: float, approximate: str = "none") -> Any:
    if not math.isfinite(x) or abs(x) > 200:
        return x if not x < 0 else -0.0 if math.isfinite(x) else math.nan
    with localcontext(elementary.CONTEXT):
        wide = Decimal(x)
        if approximate == "tanh":
            root = (2 / elementary.pi(elementary.DIGITS)).sqrt()
            return times_sigmoid(x, Fraction(2 * root * (wide + Decimal("0.044715") * wide**3)))
        return Fraction(wide * elementary.erfc(-wide / Decimal(2).sqrt()) / 2)


def hard_sigmoid(x: Any, alpha: float, beta: float) -> Any:
    line = product(alpha, x)
    if not (math.isfinite(x) and math.isfinite(alpha) and math.isfinite(beta)):
        line = alpha * x + beta
        return line if line != line else min(max(line, 0.0), 1.0)
    return min(max(Fraction(line) + Fraction(beta), 0), 1) or 0.0


def hard_swish(x: float) -> Any:
    if not math.isfinite(x):
        return math.nan if x < 0 else x
    return Fraction(x) * max(Fraction(0), min(Fraction(1), Fraction(x) / 6 + Fraction(1, 2)))


def is_inf(x: Any, detect_negative: int, detect_positive: int) -> bool:
    return bool(x in (math.inf, -math.inf) and (detect_negative if x < 0 else detect_positive))


def is_nan(x: Any) -> bool:
    return bool(x != x)


def leaky_relu(x: Any, alpha: float) -> Any:
    return x if not x < 0 else product(alpha, x)


def mish(x: float) -> Any:
    """x tanh(log(1 + e)) = x n / (n + 2) with e = exp(x) and n = e (e + 2)."""
    if not math.isfinite(x) or abs(x) > FAR:
        return x if not x < 0 else -0.0 if math.isfinite(x) else math.nan
    e = Fraction(elementary.exp(Decimal(x)))
    n = e * (e + 2)
    return Fraction(x) * n / (n + 2)


def nearest(x: Any) -> Any:
    return _whole(x, round)  # of two, Python's round takes the even one


def negation(x: Any) -> Any:
    return not x


def negative(x: Any) -> Any:
    return -x


def reciprocal(x: Any) -> Any:
    if x == 0 or math.isinf(x):
        return math.copysign(math.inf if x == 0 else 0.0, x)
    return Fraction(1) / Fraction(x) if x == x else math.nan


def relu(x: Any) -> Any:
    return type(x)(0) if x < 0 else x


def selu(x: float, alpha: float, gamma: float) -> Any:
    return product(gamma, x if not x < 0 else product(alpha, expm1(x)))


def shrink(x: Any, bias: float, lambd: float) -> Any:
    step = bias if x < -lambd else -bias if x > lambd else None
    if step is None:
        return type(x)(0)
    if isinstance(x, int):
        return math.trunc(x + Fraction(step))
    if not (math.isfinite(x) and math.isfinite(step)):
        return x + step
    return (Fraction(x) + Fraction(step)) or x + step


def sigmoid(x: float) -> Any:
    return times_sigmoid(1.0, x)


def sign(x: Any) -> Any:
    if x != x:
        return math.nan
    return (x > 0) - (x < 0) if isinstance(x, int) else float((x > 0) - (x < 0))


def softplus(x: float) -> Any:
    if x != x or abs(x) > FAR:
        return 0.0 if x < 0 else x
    return Fraction(elementary.log1p(elementary.exp(Decimal(x))))


def softsign(x: float) -> Any:
    return Fraction(x) / (1 + abs(Fraction(x))) if math.isfinite(x) else math.nan


def square_root(x: Any) -> Any:
    """The exact root, or a number between it and the root's neighbours of 200 bits and more."""
    if x == 0 or x == math.inf:
        return x
    if not x > 0:
        return math.nan
    scaled = int(Fraction(x) * 4**800)  # exact: a double is a multiple of 2 to the power of -1074
    root = math.isqrt(scaled)
    return Fraction(2 * root + (root * root != scaled), 2**801)


def swish(x: float, alpha: float) -> Any:
    if not math.isfinite(x) or alpha != alpha:
        return x * float(sigmoid(alpha * x))
    return times_sigmoid(x, Fraction(x) * Fraction(alpha))


def thresholded_relu(x: Any, alpha: float) -> Any:
    return x if x > alpha else 0.0


def times_sigmoid(x: float, power: Any) -> Any:
    """x / (1 + exp(-power)), of a finite x."""
    if power != power:
        return power
    if abs(power) > FAR:
        return x if power > 0 else 0.0
    return Fraction(x) / (1 + Fraction(elementary.exp(exact(-power))))


def _whole(x: Any, rounding: Callable[[float], int]) -> Any:
    """The whole number that ``rounding`` makes of a finite number, with its sign if it is zero."""
    if not math.isfinite(x):
        return x
    return math.copysign(float(rounding(x)), x)


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "abs": absolute,
    "acos": function_of("acos"),
    "acosh": function_of("acosh"),
    "asin": function_of("asin"),
    "asinh": function_of("asinh"),
    "atan": function_of("atan"),
    "atanh": atanh,
    "binarizer": binarizer,
    "bitwise_not": bitwise_not,
    "ceil": ceil,
    "celu": celu,
    "cos": function_of("cos"),
    "cosh": function_of("cosh"),
    "elu": elu,
    "erf": erf,
    "exp": function_of("exp"),
    "floor": floor,
    "gelu": gelu,
    "hard_sigmoid": hard_sigmoid,
    "hard_swish": hard_swish,
    "is_inf": is_inf,
    "is_nan": is_nan,
    "leaky_relu": leaky_relu,
    "log": function_of("log"),
    "mish": mish,
    "neg": negative,
    "not": negation,
    "reciprocal": reciprocal,
    "relu": relu,
    "round": nearest,
    "selu": selu,
    "shrink": shrink,
    "sigmoid": sigmoid,
    "sign": sign,
    "sin": function_of("sin"),
    "sinh": function_of("sinh"),
    "softplus": softplus,
    "softsign": softsign,
    "sqrt": square_root,
    "swish": swish,
    "tan": function_of("tan"),
    "tanh": function_of("tanh"),
    "thresholded_relu": thresholded_relu,
}
"""Of an element and the attributes that a function names: of integers the exact integer, of floats
the exact number or one of 40 digits, or what is no number."""
TO_BOOL = frozenset({"is_inf", "is_nan", "not"})
"""The functions whose results are bools, whatever they are of."""
OF_NAN: Mapping[str, Callable[[int, int], int]] = {
    "abs": lambda bits, sign: bits & ~sign,
    "neg": lambda bits, sign: bits ^ sign,
}
"""The bits of the result for those of a NaN and of the sign, where a function states them."""


def product(a: Any, b: Any) -> Any:
    """The exact product; infinities, NaNs and the signs of zeros as Python has them."""
    finite = math.isfinite(a) and math.isfinite(b)
    return (Fraction(a) * Fraction(b) if finite else 0) or a * b


def oracle(
    inputs: Mapping[str, Value],
    attributes: Mapping[str, Any],
    *,
    function: str,
    defaults: Mapping[str, Any],
    output_names: Sequence[str],
) -> dict[str, Value]:
    """Each element by itself; one that stays what it is keeps its bits, those of a NaN too."""
    (given,), (name,) = inputs.values(), output_names
    compute = FUNCTIONS[function]
    known = {**defaults, **attributes}
    taken = list(inspect.signature(compute).parameters)[1:]
    operands = {operand: attribute_value(known[operand]) for operand in taken if operand in known}
    results = [compute(item, **operands) for item in given.items]
    if function in TO_BOOL:
        return {name: Value("bool", given.shape, tuple(results))}
    items = tuple(element(given.type, result) for result in results)
    plain = Value(given.type, given.shape, items)
    if given.bits is None:
        return {name: plain}
    sign = 1 << (TYPES[given.type].width - 1)
    bits = list(bits_of(plain.to_array()))
    for k, (new, old) in enumerate(zip(results, given.items, strict=True)):
        if old != old and function in OF_NAN:
            bits[k] = OF_NAN[function](given.bits[k], sign)
        elif new is old:
            bits[k] = given.bits[k]
    return {name: Value(given.type, given.shape, items, tuple(bits))}
