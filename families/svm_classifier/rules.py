"""The rule of the family svm_classifier: support vectors grouped by class, or weights alone."""

from _shared.estimators import check_value_count, label_count, row_count, transform_code
from _shared.support_vectors import check_kernel_params, kernel_code

from opmill_gen.rule_language.language import Tensor, counted, output, plan, require_attribute


def vector_count(vectors_per_class: Tensor) -> int:
    """The number of support vectors of all classes."""
    vectors = 0
    for i in range(len(vectors_per_class.values)):
        count = vectors_per_class.values[i]
        require_attribute(count >= 0, f"vectors_per_class[{i}] is {count}, expected at least 0")
        vectors += count
    return vectors


def probability_count(prob_a: Tensor | None, prob_b: Tensor | None) -> int:
    """The number of probability coefficients, of which there are two lists or none."""
    count = prob_a.size if prob_a is not None else 0
    other = prob_b.size if prob_b is not None else 0
    require_attribute(
        other == count, f"prob_b has {counted(other, 'value')}, expected {count} (as prob_a)"
    )
    return count


def rules(
    X: Tensor,
    *,
    classlabels_ints: Tensor | None,
    classlabels_strings: Tensor | None,
    coefficients: Tensor | None,
    kernel_params: Tensor | None,
    kernel_type: str,
    post_transform: str,
    prob_a: Tensor | None,
    prob_b: Tensor | None,
    rho: Tensor | None,
    support_vectors: Tensor | None,
    vectors_per_class: Tensor | None,
) -> None:
    """A label for each row, and scores of its classes or of pairs of them."""
    rows = row_count(X)
    features = X.shape[X.rank - 1]
    classes = label_count(classlabels_ints, classlabels_strings, "classlabels_ints")
    pairs = classes * (classes - 1) // 2
    kernel = kernel_code(kernel_type)
    probabilities = probability_count(prob_a, prob_b)
    require_attribute(
        coefficients is not None, "attribute 'coefficients' is absent, expected a value"
    )
    require_attribute(rho is not None, "attribute 'rho' is absent, expected a value")
    width = classes
    vectors = -1
    if vectors_per_class is not None:
        if vectors_per_class.size > 0:
            check_value_count(
                "vectors_per_class", vectors_per_class.size, classes, "the number of labels"
            )
            vectors = vector_count(vectors_per_class)
    if vectors >= 0:
        check_kernel_params(kernel, kernel_params)
        require_attribute(
            support_vectors is not None, "attribute 'support_vectors' is absent, expected a value"
        )
        if support_vectors is not None:
            check_value_count(
                "support_vectors", support_vectors.size, vectors * features, "vectors * features"
            )
        if coefficients is not None:
            check_value_count(
                "coefficients",
                coefficients.size,
                (classes - 1) * vectors,
                "(classes - 1) * vectors",
            )
        if rho is not None:
            check_value_count("rho", rho.size, pairs, "the number of pairs of classes")
        if probabilities > 0:
            check_value_count("prob_a", probabilities, pairs, "the number of pairs of classes")
        elif classes > 2:
            width = pairs
    else:
        require_attribute(
            probabilities == 0, "prob_a is present without vectors_per_class, expected both"
        )
        if coefficients is not None:
            check_value_count(
                "coefficients", coefficients.size, classes * features, "classes * features"
            )
        if rho is not None:
            require_attribute(rho.size >= 1, "rho has 0 values, expected at least 1")
    output(Y=[rows])
    output(Z=[rows, width])
    plan(classes=classes, coefficients=coefficients, rho=rho, support_vectors=support_vectors)
    plan(kernel=kernel, kernel_params=kernel_params, vectors=vectors)
    plan(vectors_per_class=vectors_per_class, probabilities=probabilities)
    plan(prob_a=prob_a, prob_b=prob_b, transform=transform_code(post_transform))
    plan(labels_ints=classlabels_ints, labels_strings=classlabels_strings)
