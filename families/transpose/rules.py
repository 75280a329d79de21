"""The rule of the family transpose."""

from _shared.axes import permutation

from opmill_gen.rule_language.language import Ints, Tensor, output, plan


def rules(data: Tensor, *, perm: Ints | None) -> None:
    """The dims in the order of the permutation."""
    axes = permutation("perm", perm, data.rank)
    dims: list[int] = []
    for i in range(data.rank):
        dims.append(data.shape[axes[i]])
    output(transposed=dims)
    plan(axes=axes)
