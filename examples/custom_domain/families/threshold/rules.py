"""The rule of Threshold: the level is one that a pixel can have; the shape stays."""

from opmill_gen.rule_language.language import Tensor, output, plan, require_attribute


def rules(image: Tensor, *, level: int) -> None:
    """Any picture, and a level in the range of 16 bits."""
    require_attribute(0 <= level <= 65535, f"level is {level}, expected 0 to 65535")
    output(mask=image.shape)
    plan(level=level)
