"""The rule of MeanVarianceNormalization: the axes along which elements share a mean."""

from _shared.axes import attribute_axes, marked

from opmill_gen.rule_language.language import Ints, Tensor, output, plan


def rules(X: Tensor, *, axes: Ints | None) -> None:
    """Mark the axes; none means all."""
    named = axes if axes is not None else [0, 2, 3]
    if len(named) == 0:
        plan(reduces=[1] * X.rank)
    else:
        plan(reduces=marked(attribute_axes("axes", named, X.rank, True), X.rank))
    output(Y=X.shape)
