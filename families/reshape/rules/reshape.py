"""The rule of Reshape whose shape is an input."""

from _shared.reshaping import reshaped_dims
from _shared.values import check_rank

from opmill_gen.rule_language.language import Tensor, output


def rules(data: Tensor, shape: Tensor, *, allowzero: int = 0) -> None:
    """The dims that the input lists; of all values of `allowzero`, only 1 sets it."""
    check_rank("shape", shape, 1)
    output(reshaped=reshaped_dims(data, shape.values, allowzero))
