"""The rule of OptionalGetElement."""

from opmill_gen.rule_language.language import Tensor, output


def rules(input: Tensor) -> None:
    """Any tensor; the output has its shape."""
    output(output=input.shape)
