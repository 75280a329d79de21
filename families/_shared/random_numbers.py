"""Rules of random numbers: seeds, and the parameters of their distributions."""

from opmill_gen.rule_language.language import (
    MAX_RANK,
    Ints,
    counted,
    require_attribute,
    require_type,
    rounded,
)


def seed_of(seed: float | None) -> float:
    """The seed, 0 if absent."""
    if seed is None:
        return 0.0
    require_attribute(seed == seed, f"seed is {seed}, expected a number")
    return seed


def dims_of(shape: Ints) -> Ints:
    """An attribute that lists the dims of the output."""
    require_attribute(
        len(shape) <= MAX_RANK,
        f"shape has {counted(len(shape), 'value')}, expected at most {MAX_RANK}",
    )
    for i in range(len(shape)):
        require_attribute(shape[i] >= 0, f"shape[{i}] is {shape[i]}, expected at least 0")
    return shape


def check_finite(name: str, value: float) -> None:
    """A parameter of a distribution."""
    require_attribute(-1e39 < value < 1e39, f"{name} is {value}, expected a finite number")


def of_number(value: float, number: int) -> float:
    """A float as an element of the type that has a number in TensorProto.DataType."""
    if number == 10:
        return rounded(value, "float16")
    if number == 16:
        return rounded(value, "bfloat16")
    return value


def check_source(word: str, dtype: int | None) -> None:
    """The type of the input, where it is the output's too."""
    require_type(
        dtype is not None or word in ("float16", "bfloat16", "float", "double"),
        f"input has type {word}, expected float16, bfloat16, float or double (dtype is absent)",
    )


def number_of_output(word: str, dtype: int | None) -> int:
    """The number of the output's type, if one of 16 bits; it is the input's where none is given."""
    if dtype is not None:
        return dtype
    if word == "float16":
        return 10
    if word == "bfloat16":
        return 16
    return 1


def bound_of(name: str, value: float, number: int) -> float:
    """A bound of an interval, in the type of the output."""
    check_finite(name, value)
    nearest = of_number(value, number)
    require_attribute(
        number != 10 or -1e39 < nearest < 1e39,
        f"{name} is {value}, expected -65504 to 65504 (as float16)",
    )
    require_attribute(
        nearest < 1e39, f"{name} is {value}, expected at most 3.38953139e+38 (as bfloat16)"
    )
    require_attribute(
        nearest > -1e39, f"{name} is {value}, expected at least -3.38953139e+38 (as bfloat16)"
    )
    return nearest + 0.0  # no zero is negative


def check_order(low: float, high: float) -> None:
    """An interval that is not upside down."""
    require_attribute(low <= high, f"low is {low}, expected at most {high} (high)")


def check_scale(scale: float) -> None:
    """A standard deviation."""
    require_attribute(
        0.0 <= scale < 1e39, f"scale is {scale}, expected a finite number of at least 0"
    )
