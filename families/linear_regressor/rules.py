"""The rule of the family linear_regressor: a coefficient for each target and feature."""

from _shared.estimators import check_value_count, row_count, transform_code

from opmill_gen.rule_language.language import Tensor, output, plan, require_attribute


def rules(
    X: Tensor,
    *,
    coefficients: Tensor | None,
    intercepts: Tensor | None,
    post_transform: str,
    targets: int,
) -> None:
    """A value for each row and target."""
    rows = row_count(X)
    features = X.shape[X.rank - 1]
    require_attribute(targets >= 1, f"targets is {targets}, expected at least 1")
    require_attribute(
        coefficients is not None, "attribute 'coefficients' is absent, expected a value"
    )
    if coefficients is not None:
        check_value_count(
            "coefficients", coefficients.size, targets * features, "targets * features"
        )
    if intercepts is not None:
        check_value_count("intercepts", intercepts.size, targets, "the number of targets")
    output(Y=[rows, targets])
    plan(coefficients=coefficients, intercepts=intercepts, transform=transform_code(post_transform))
