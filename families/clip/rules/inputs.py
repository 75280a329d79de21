"""The rule of Clip where the bounds are inputs."""

from _shared.values import check_one

from opmill_gen.rule_language.language import Tensor, output, plan


def rules(input: Tensor, min: Tensor | None, max: Tensor | None) -> None:
    """Any tensor, bounds of one element each; the output has the shape of the tensor."""
    if min is not None:
        check_one("min", min)
    if max is not None:
        check_one("max", max)
    output(output=input.shape)
    plan(low_given=False, low=0.0, high_given=False, high=0.0)
