"""The rule of ai.onnx Trilu."""

from opmill_gen.rule_language.language import Tensor, output, plan, require


def rules(input: Tensor, k: Tensor | None, *, upper: int) -> None:
    """A diagonal beyond the matrix is moved to its nearest corner."""
    rank = input.rank
    require(rank >= 2, f"input has rank {rank}, expected at least 2")
    diagonal = 0
    if k is not None:
        require(k.size == 1, f"k has shape {k.shape}, expected one element")
        diagonal = k.values[0]
    rows = input.shape[rank - 2]
    columns = input.shape[rank - 1]
    output(output=input.shape)
    plan(diagonal=min(max(diagonal, -rows), columns), upper=upper != 0)
