"""The rule of the family one_hot_encoder: an axis of categories behind those of the input."""

from _shared.values import check_flag

from opmill_gen.rule_language.language import (
    MAX_RANK,
    Tensor,
    output,
    plan,
    require,
    require_attribute,
)


def rules(
    X: Tensor, *, cats_int64s: Tensor | None, cats_strings: Tensor | None, zeros: int
) -> None:
    """Strings for strings, integers for numbers."""
    check_flag("zeros", zeros)
    count = 0
    if X.type == "string":
        require_attribute(
            cats_int64s is None, "cats_int64s is present, expected cats_strings (X has type string)"
        )
        require_attribute(
            cats_strings is not None, "cats_strings is absent, expected a value (X has type string)"
        )
        if cats_strings is not None:
            count = cats_strings.size
            require_attribute(count >= 1, "cats_strings has 0 values, expected at least 1")
    else:
        require_attribute(
            cats_strings is None,
            f"cats_strings is present, expected cats_int64s (X has type {X.type})",
        )
        require_attribute(
            cats_int64s is not None,
            f"cats_int64s is absent, expected a value (X has type {X.type})",
        )
        if cats_int64s is not None:
            count = cats_int64s.size
            require_attribute(count >= 1, "cats_int64s has 0 values, expected at least 1")
    require(X.rank < MAX_RANK, f"X has rank {X.rank}, expected at most {MAX_RANK - 1}")
    output(Y=X.shape + [count])
    plan(cats_int64s=cats_int64s, cats_strings=cats_strings, zeros=zeros == 1)
