"""The rule of EyeLike: any matrix, any diagonal."""

from _shared.values import check_rank

from opmill_gen.rule_language.language import Opaque, Tensor, output, plan


def rules(input: Tensor, *, dtype: Opaque | None, k: int) -> None:
    """The shape of the input; a diagonal outside of it leaves zeros alone."""
    check_rank("input", input, 2)
    output(output=input.shape)
    plan(k=k)
