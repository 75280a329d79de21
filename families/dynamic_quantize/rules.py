"""The rule of the family dynamic_quantize."""

from opmill_gen.rule_language.language import Tensor, output


def rules(x: Tensor) -> None:
    """The shape stays; the scale and the zero point are scalars."""
    output(y=x.shape)
    output(y_scale=[])
    output(y_zero_point=[])
