"""The rule of Max, whose output is named `max`."""

from _shared.broadcast import common_shape

from opmill_gen.rule_language.language import Ints, Tensors, output


def rules(data_0: Tensors, *, consumed_inputs: Ints | None = None) -> None:
    """Any number of tensors. The first version's `consumed_inputs` says nothing."""
    output(max=common_shape("data_0", data_0, broadcasts))
