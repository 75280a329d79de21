"""The rule of Reshape whose shape is an attribute."""

from _shared.reshaping import reshaped_dims

from opmill_gen.rule_language.language import Ints, Tensor, output, require_attribute


def rules(data: Tensor, *, shape: Ints | None, consumed_inputs: Ints | None) -> None:
    """The dims that the attribute lists. `consumed_inputs` has no effect."""
    require_attribute(shape is not None, "shape is absent, expected the dims of the output")
    output(reshaped=reshaped_dims(data, shape, 0))
