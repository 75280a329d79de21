"""The rule of Shrink, whose tensors are named `input` and `output`."""

from opmill_gen.rule_language.language import Tensor, output, plan, require_attribute


def rules(input: Tensor, *, bias: float, lambd: float) -> None:
    """Any tensor; the output has its shape. Integers have no place for an infinite sum."""
    require_attribute(
        input.type in ("double", "float", "float16") or -3.5e38 < bias < 3.5e38,
        f"bias is {bias}, expected a finite number (input is {input.type})",
    )
    output(output=input.shape)
    plan(bias=bias, lambd=lambd)
