"""The rule of the family linear_classifier: a coefficient for each class and feature."""

from _shared.estimators import check_value_count, label_count, row_count, transform_code

from opmill_gen.rule_language.language import Opaque, Tensor, output, plan


def rules(
    X: Tensor,
    *,
    classlabels_ints: Tensor | None,
    classlabels_strings: Tensor | None,
    coefficients: Tensor,
    intercepts: Tensor | None,
    multi_class: Opaque,
    post_transform: str,
) -> None:
    """A label for each row, and a score for each row and class."""
    rows = row_count(X)
    features = X.shape[X.rank - 1]
    classes = label_count(classlabels_ints, classlabels_strings, "classlabels_ints")
    scores = classes
    if classes == 2 and features >= 1 and coefficients.size == features:
        scores = 1
    check_value_count("coefficients", coefficients.size, scores * features, "classes * features")
    if intercepts is not None:
        check_value_count(
            "intercepts", intercepts.size, scores, "the number of rows of coefficients"
        )
    output(Y=[rows])
    output(Z=[rows, classes])
    plan(coefficients=coefficients, intercepts=intercepts, scores=scores)
    plan(transform=transform_code(post_transform))
    plan(labels_ints=classlabels_ints, labels_strings=classlabels_strings)
