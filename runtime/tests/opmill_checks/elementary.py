"""Elementary functions in decimal arithmetic, to 40 digits and more, by textbook series.

Of what any floating type holds, subnormal numbers and the largest ones too. Slow, and independent
of every mathematical library: Python's decimal contributes exp, ln and the square root.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext

DIGITS = 60
CONTEXT = Context(prec=DIGITS, Emax=MAX_EMAX, Emin=MIN_EMIN)
NEGLIGIBLE = Decimal(10) ** -DIGITS
Function = Callable[[Decimal], Decimal]


def decimal(function: Function) -> Function:
    """The function, computed in a context of its own."""

    def computed(x: Decimal) -> Decimal:
        with localcontext(CONTEXT):
            return function(x)

    return computed


def series(first: Decimal, ratio: Callable[[int], Decimal]) -> Decimal:
    """The sum of terms, each the one before times ``ratio`` of its number, from 1 on."""
    total = term = first
    number = 0
    while abs(term) > abs(total) * NEGLIGIBLE:
        number += 1
        term *= ratio(number)
        total += term
    return total


def pi(digits: int) -> Decimal:
    """Pi by Machin's formula: 16 atan(1/5) - 4 atan(1/239), in integers."""
    one = 10 ** (digits + 10)

    def arc_cotangent(n: int) -> int:
        total = term = one // n
        odd = 1
        while term:
            term //= -n * n
            odd += 2
            total += term // odd
        return total

    return Decimal(16 * arc_cotangent(5) - 4 * arc_cotangent(239)).scaleb(-digits - 10)


@decimal
def exp(x: Decimal) -> Decimal:
    return x.exp()


@decimal
def expm1(x: Decimal) -> Decimal:
    return series(x, lambda n: x / (n + 1)) if abs(x) < 1 else x.exp() - 1


@decimal
def log(x: Decimal) -> Decimal:
    return x.ln()


@decimal
def log1p(x: Decimal) -> Decimal:
    if abs(x) < Decimal("1e-30"):
        return x - x * x / 2
    with localcontext(CONTEXT) as wide:
        wide.prec = 2 * DIGITS
        return (1 + x).ln()


@decimal
def sin(x: Decimal) -> Decimal:
    return turned(x, 0)


@decimal
def cos(x: Decimal) -> Decimal:
    return turned(x, 1)


@decimal
def tan(x: Decimal) -> Decimal:
    return sin(x) / cos(x)


def turned(x: Decimal, quarters: int) -> Decimal:
    """The sine of x plus so many quarters of a turn."""
    digits = DIGITS + 40 + max(0, x.adjusted())
    with localcontext(CONTEXT) as wide:
        wide.prec = digits + 10
        quarter = pi(digits) / 2
        whole = (x / quarter).to_integral_value()
        rest = x - whole * quarter
    rest = +rest
    position = (int(whole) + quarters) % 4
    if position % 2 == 0:
        value = series(rest, lambda n: -rest * rest / (2 * n * (2 * n + 1)))
    else:
        value = series(Decimal(1), lambda n: -rest * rest / (2 * n * (2 * n - 1)))
    return -value if position >= 2 else value


@decimal
def asin(x: Decimal) -> Decimal:
    if abs(x) == 1:
        return pi(DIGITS).copy_sign(x) / 2
    return atan(x / ((1 - x) * (1 + x)).sqrt())


@decimal
def acos(x: Decimal) -> Decimal:
    return pi(DIGITS) if x == -1 else 2 * atan(((1 - x) / (1 + x)).sqrt())


@decimal
def atan(x: Decimal) -> Decimal:
    """Three half-angle formulas, then the series."""
    for _ in range(3):
        x = x / (1 + (1 + x * x).sqrt())
    return 8 * series(x, lambda n: -x * x * (2 * n - 1) / (2 * n + 1))


@decimal
def sinh(x: Decimal) -> Decimal:
    if abs(x) < 1:
        return series(x, lambda n: x * x / (2 * n * (2 * n + 1)))
    return (x.exp() - (-x).exp()) / 2


@decimal
def cosh(x: Decimal) -> Decimal:
    return (x.exp() + (-x).exp()) / 2


@decimal
def tanh(x: Decimal) -> Decimal:
    return sinh(x) / cosh(x) if abs(x) < 200 else Decimal(1).copy_sign(x)


@decimal
def asinh(x: Decimal) -> Decimal:
    size = abs(x)
    return log1p(size + size * size / (1 + (1 + size * size).sqrt())).copy_sign(x)


@decimal
def acosh(x: Decimal) -> Decimal:
    return log1p((x - 1) + ((x - 1) * (x + 1)).sqrt())


@decimal
def atanh(x: Decimal) -> Decimal:
    return log1p(2 * x / (1 - x)) / 2


@decimal
def erf(x: Decimal) -> Decimal:
    """A series of positive terms."""
    if abs(x) > 15:  # 1 - 1e-99
        return Decimal(1).copy_sign(x)
    return 2 * (-x * x).exp() / pi(DIGITS).sqrt() * series(x, lambda n: 2 * x * x / (2 * n + 1))


@decimal
def erfc(x: Decimal) -> Decimal:
    """1 - erf(x); from 2 on a continued fraction."""
    if x < 2:
        return 1 - erf(x)
    below = x
    for n in range(400, 0, -1):
        below = x + Decimal(n) / 2 / below
    return (-x * x).exp() / pi(DIGITS).sqrt() / below
