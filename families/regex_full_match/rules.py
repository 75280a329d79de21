"""The rule of the family regex_full_match: a bool for each text. The kernel reads the pattern."""

from opmill_gen.rule_language.language import (
    Tensor,
    byte_count,
    counted,
    output,
    plan,
    require_attribute,
)


def rules(X: Tensor, *, pattern: str | None) -> None:
    """The shape of the texts."""
    output(Y=X.shape)
    if pattern is None:
        plan(pattern="")
    else:
        size = byte_count(pattern)
        require_attribute(
            size <= 4096, f"pattern has {counted(size, 'byte')}, expected at most 4096"
        )
        plan(pattern=pattern)
    require_attribute(pattern is not None, "attribute 'pattern' is absent, expected a value")
