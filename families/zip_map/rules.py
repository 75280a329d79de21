"""The rule of the family zip_map: a label for each column."""

from opmill_gen.rule_language.language import (
    Tensor,
    counted,
    dynamic,
    plan,
    require,
    require_attribute,
)


def check_labels(name: str, count: int, columns: int) -> None:
    """A list with a label for each column, at least one."""
    require_attribute(count >= 1, f"{name} has 0 values, expected at least 1")
    require_attribute(
        count == columns,
        f"{name} has {counted(count, 'value')}, expected {columns} (the last axis of X)",
    )


def rules(
    X: Tensor, *, classlabels_int64s: Tensor | None, classlabels_strings: Tensor | None
) -> None:
    """One row or several, and one list of labels."""
    require(1 <= X.rank <= 2, f"X has rank {X.rank}, expected 1 or 2")
    given = 0 if classlabels_int64s is None else 1
    given += 0 if classlabels_strings is None else 1
    require_attribute(given == 1, f"number of classlabels attributes is {given}, expected 1")
    columns = X.shape[X.rank - 1]
    if classlabels_int64s is not None:
        check_labels("classlabels_int64s", classlabels_int64s.size, columns)
    if classlabels_strings is not None:
        check_labels("classlabels_strings", classlabels_strings.size, columns)
    dynamic("Z")
    plan(classlabels_int64s=classlabels_int64s, classlabels_strings=classlabels_strings)
