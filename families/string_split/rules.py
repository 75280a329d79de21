"""The rule of the family string_split: one axis more, whose length only the texts tell."""

from opmill_gen.rule_language.language import MAX_RANK, Tensor, bound, output, plan, require


def rules(X: Tensor, *, delimiter: str | None, maxsplit: int | None) -> None:
    """The last axis is at most as long as memory allows."""
    require(X.rank < MAX_RANK, f"X has rank {X.rank}, expected at most {MAX_RANK - 1}")
    splits = -1
    if maxsplit is not None:
        splits = max(maxsplit, -1)
    max_parts = 0
    if X.size > 0:
        max_parts = 576460752303423488 // X.size  # 2^59 texts, as many as there are addresses for
        if splits >= 0:
            max_parts = min(max_parts, splits + 1 if splits < max_parts else max_parts)
    bound(Y=X.shape + [max_parts])
    output(Z=X.shape)
    if delimiter is not None:
        plan(delimiter=delimiter, maxsplit=splits)
    else:
        plan(delimiter="", maxsplit=splits)
