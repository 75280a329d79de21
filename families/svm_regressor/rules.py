"""The rule of the family svm_regressor: a coefficient for each support vector, or each feature."""

from _shared.estimators import check_value_count, row_count, transform_code
from _shared.support_vectors import check_kernel_params, kernel_code
from _shared.values import check_flag

from opmill_gen.rule_language.language import Tensor, output, plan, require_attribute


def rules(
    X: Tensor,
    *,
    coefficients: Tensor | None,
    kernel_params: Tensor | None,
    kernel_type: str,
    n_supports: int,
    one_class: int,
    post_transform: str,
    rho: Tensor | None,
    support_vectors: Tensor | None,
) -> None:
    """A value for each row."""
    rows = row_count(X)
    features = X.shape[X.rank - 1]
    kernel = kernel_code(kernel_type)
    require_attribute(n_supports >= 0, f"n_supports is {n_supports}, expected at least 0")
    check_flag("one_class", one_class)
    require_attribute(
        coefficients is not None, "attribute 'coefficients' is absent, expected a value"
    )
    require_attribute(rho is not None, "attribute 'rho' is absent, expected a value")
    if rho is not None:
        check_value_count("rho", rho.size, 1, "one offset")
    if n_supports > 0:
        check_kernel_params(kernel, kernel_params)
        require_attribute(
            support_vectors is not None, "attribute 'support_vectors' is absent, expected a value"
        )
        if support_vectors is not None:
            check_value_count(
                "support_vectors",
                support_vectors.size,
                n_supports * features,
                "n_supports * features",
            )
        if coefficients is not None:
            check_value_count("coefficients", coefficients.size, n_supports, "n_supports")
    elif coefficients is not None:
        check_value_count("coefficients", coefficients.size, features, "the number of features")
    output(Y=[rows, 1])
    plan(coefficients=coefficients, rho=rho, support_vectors=support_vectors)
    plan(kernel=kernel, kernel_params=kernel_params, n_supports=n_supports)
    plan(one_class=one_class, transform=transform_code(post_transform))
