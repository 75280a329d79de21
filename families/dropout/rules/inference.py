"""The rule of versions that have no switch: they copy, whatever the ratio is."""

from opmill_gen.rule_language.language import Opaque, Tensor, output, plan


def rules(data: Tensor, *, ratio: Opaque) -> None:
    """Both outputs have the shape of the input."""
    output(output=data.shape)
    output(mask=data.shape)
    plan(training=False, probability=0.0, seed=0)
