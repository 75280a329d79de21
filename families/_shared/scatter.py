"""Combination of an element of the output with an update in scatters."""

from opmill_gen.rule_language.language import Tensor, require_attribute


def check_reduction(data: Tensor, reduction: str, with_extremes: bool) -> None:
    """A word that the version has, and a type that can be combined so."""
    if with_extremes:
        require_attribute(
            reduction in ("none", "add", "mul", "max", "min"),
            f"reduction is '{reduction}', expected 'none', 'add', 'mul', 'max' or 'min'",
        )
    else:
        require_attribute(
            reduction in ("none", "add", "mul"),
            f"reduction is '{reduction}', expected 'none', 'add' or 'mul'",
        )
    require_attribute(
        reduction == "none" or data.type != "string",
        f"reduction is '{reduction}', expected 'none' for strings",
    )
    require_attribute(
        reduction in ("none", "add", "mul") or data.type not in ("complex64", "complex128"),
        f"reduction is '{reduction}', expected 'none', 'add' or 'mul' for complex numbers",
    )
