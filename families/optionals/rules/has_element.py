"""The rule of OptionalHasElement."""

from opmill_gen.rule_language.language import Tensor, output


def rules(input: Tensor | None) -> None:
    """A scalar, whatever the contents are."""
    output(output=[])
