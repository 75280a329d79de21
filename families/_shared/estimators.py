"""Rows, labels and transforms of linear models, support vector machines and tree ensembles."""

from opmill_gen.rule_language.language import Tensor, counted, require, require_attribute


def row_count(X: Tensor) -> int:
    """The number of rows; features alone are one row."""
    require(1 <= X.rank <= 2, f"X has rank {X.rank}, expected 1 or 2")
    return 1 if X.rank == 1 else X.shape[0]


def transform_code(post_transform: str) -> int:
    """The number of a transform, as TreeEnsemble-5 counts them."""
    require_attribute(
        post_transform in ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"),
        f"post_transform is '{post_transform}', "
        f"expected 'NONE', 'SOFTMAX', 'LOGISTIC', 'SOFTMAX_ZERO' or 'PROBIT'",
    )
    code = 0
    if post_transform == "SOFTMAX":
        code = 1
    elif post_transform == "LOGISTIC":
        code = 2
    elif post_transform == "SOFTMAX_ZERO":
        code = 3
    elif post_transform == "PROBIT":
        code = 4
    return code


def label_count(ints: Tensor | None, texts: Tensor | None, name: str) -> int:
    """The number of labels, of which one list is present; `name` is that of the integers."""
    require_attribute(
        ints is None or texts is None,
        f"classlabels_strings is present beside {name}, expected one of them",
    )
    require_attribute(
        ints is not None or texts is not None,
        f"{name} and classlabels_strings are absent, expected one of them",
    )
    count = 0
    if ints is not None:
        count = ints.size
        require_attribute(count >= 2, f"{name} has {counted(count, 'value')}, expected at least 2")
    elif texts is not None:
        count = texts.size
        require_attribute(
            count >= 2, f"classlabels_strings has {counted(count, 'value')}, expected at least 2"
        )
    return count


def check_value_count(name: str, length: int, expected: int, reason: str) -> None:
    """A list with a given number of values."""
    require_attribute(
        length == expected,
        f"{name} has {counted(length, 'value')}, expected {expected} ({reason})",
    )
