"""The rule of the family tokenizer: one axis more, whose length only the texts determine.

The kernel reads the separators and the expression.
"""

from opmill_gen.rule_language.language import (
    Tensor,
    bound,
    byte_count,
    counted,
    plan,
    require,
    require_attribute,
)


def check_attributes(mincharnum: int, separator_count: int, expression_size: int) -> None:
    """Numbers of characters, separators and bytes of the expression; -1 of what is absent."""
    require_attribute(mincharnum >= 1, f"mincharnum is {mincharnum}, expected at least 1")
    require_attribute(
        expression_size <= 4096,
        f"tokenexp has {counted(expression_size, 'byte')}, expected at most 4096",
    )
    require_attribute(
        separator_count >= 0 or expression_size >= 0,
        "attributes 'separators' and 'tokenexp' are absent, expected one of them",
    )
    require_attribute(separator_count != 0, "separators has 0 values, expected at least 1")
    require_attribute(
        separator_count > 0 or expression_size > 0, "tokenexp is empty, expected an expression"
    )


def rules(
    X: Tensor,
    *,
    mark: int,
    mincharnum: int,
    pad_value: str,
    separators: Tensor | None,
    tokenexp: str | None,
) -> None:
    """The last axis is at most as long as memory allows. Empty inputs lose their last axis."""
    require(1 <= X.rank <= 2, f"X has rank {X.rank}, expected 1 or 2")
    count = -1
    if separators is not None:
        count = separators.size
    if tokenexp is not None:
        check_attributes(mincharnum, count, byte_count(tokenexp))
        plan(tokenexp=tokenexp)
    else:
        check_attributes(mincharnum, count, -1)
        plan(tokenexp="")
    if X.size > 0:
        bound(Y=X.shape + [576460752303423488 // X.size])  # 2^59 texts, as memory has addresses for
    else:
        bound(Y=X.shape[: X.rank - 1] + [0])
    plan(separators=separators, mark=mark != 0, mincharnum=mincharnum, pad_value=pad_value)
