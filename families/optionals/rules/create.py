"""The rule of Optional."""

from opmill_gen.rule_language.language import Opaque, Tensor, output, require_attribute


def rules(input: Tensor | None, *, type: Opaque | None) -> None:
    """Contents, or a type."""
    require_attribute(
        input is not None or type is not None,
        "input and type are both absent, expected one of them",
    )
    if input is not None:
        output(output=input.shape)
    else:
        output(output=[])
