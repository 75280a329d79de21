"""The rule of the family fill."""

from _shared.values import check_rank

from opmill_gen.rule_language.language import (
    MAX_RANK,
    Tensor,
    counted,
    output,
    plan,
    require,
    require_attribute,
)


def rules(input: Tensor, *, value: Tensor | None) -> None:
    """The dims are the contents of the input; the value is one element."""
    check_rank("input", input, 1)
    require(
        input.size <= MAX_RANK,
        f"input has {counted(input.size, 'value')}, expected at most {MAX_RANK}",
    )
    if value is not None:
        require_attribute(
            value.size == 1,
            f"attribute 'value' has {counted(value.size, 'element')}, expected 1",
        )
    dims = input.values
    for i in range(len(dims)):
        require(dims[i] >= 0, f"input[{i}] is {dims[i]}, expected at least 0")
    output(output=dims)
    plan(value=value)
