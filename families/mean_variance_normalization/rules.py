"""The rule of MeanVarianceNormalization: the axes along which elements share a mean."""

from _shared.axes import attribute_axes, marked

from opmill_gen.rule_language.language import Ints, Tensor, output, plan


def rules(X: Tensor, *, axes: Ints | None) -> None:
    """Mark the axes; none means all."""
    if axes is None:
        plan(reduces=marked(attribute_axes("axes", [0, 2, 3], X.rank, True), X.rank))
    elif len(axes) == 0:
        plan(reduces=[1] * X.rank)
    else:
        plan(reduces=marked(attribute_axes("axes", axes, X.rank, True), X.rank))
    output(Y=X.shape)
