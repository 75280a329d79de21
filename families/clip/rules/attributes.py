"""The rule of Clip where the bounds are attributes."""

from opmill_gen.rule_language.language import Ints, Tensor, output, plan


def rules(
    input: Tensor,
    *,
    max: float | None = None,
    min: float | None = None,
    consumed_inputs: Ints | None = None,
) -> None:
    """Any tensor and any numbers; the output has the shape of the tensor."""
    output(output=input.shape)
    plan(
        low_given=min is not None,
        low=0.0 if min is None else min,
        high_given=max is not None,
        high=0.0 if max is None else max,
    )
