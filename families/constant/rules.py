"""The rule of the family constant."""

from opmill_gen.rule_language.language import (
    SparseTensor,
    Tensor,
    output,
    plan,
    require_attribute,
)


def rules(
    *,
    sparse_value: SparseTensor | None = None,
    value: Tensor | None = None,
    value_float: Tensor | None = None,
    value_floats: Tensor | None = None,
    value_int: Tensor | None = None,
    value_ints: Tensor | None = None,
    value_string: Tensor | None = None,
    value_strings: Tensor | None = None,
) -> None:
    """Exactly one attribute holds the value, whose shape is that of the output."""
    count = 0
    shape: list[int] = []
    if sparse_value is not None:
        count += 1
        shape = list(sparse_value.shape)
    if value is not None:
        count += 1
        shape = list(value.shape)
    if value_float is not None:
        count += 1
    if value_floats is not None:
        count += 1
        shape = list(value_floats.shape)
    if value_int is not None:
        count += 1
    if value_ints is not None:
        count += 1
        shape = list(value_ints.shape)
    if value_string is not None:
        count += 1
    if value_strings is not None:
        count += 1
        shape = list(value_strings.shape)
    require_attribute(count == 1, f"number of attributes with a value is {count}, expected 1")
    output(output=shape)
    plan(sparse_value=sparse_value, value=value)
    plan(value_float=value_float, value_floats=value_floats)
    plan(value_int=value_int, value_ints=value_ints)
    plan(value_string=value_string, value_strings=value_strings)
