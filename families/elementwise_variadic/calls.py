"""Calls of operators on any number of tensors: shapes that broadcast together, and others."""

from __future__ import annotations

from opmill_checks.drawing import Call, Draw, Illegal, Several, choice, dims, happens, rank


def legal(draw: Draw, *, attributes: frozenset[str], broadcasts: bool) -> Call:
    """An output shape first; where they broadcast, inputs have 1 for some dims, or lack axes."""
    result = dims(draw, rank(draw))
    inputs: Several = []
    for _ in range(choice(draw, (2, 1, 3, 4, 7))):
        side = [1 if broadcasts and happens(draw, 25) else dim for dim in result]
        while broadcasts and side and happens(draw, 20):
            del side[0]
        inputs.append(tuple(side))
    call = Call({"data_0": inputs})
    if "consumed_inputs" in attributes and happens(draw, 30):
        return call.but(consumed_inputs=choice(draw, ([0, 0], [], [1])))
    return call


def illegal(draw: Draw, *, broadcasts: bool) -> Illegal:
    """Two dims that differ, neither of them 1; without broadcasting, any two shapes that differ."""
    shape = (*dims(draw, rank(draw) % 5, 300), choice(draw, (2, 3, 5)))
    if broadcasts or happens(draw, 30):
        other = (*shape[:-1], choice(draw, (0, shape[-1] + 1)))
    else:
        other = choice(draw, ((*shape[:-1], 1), shape[1:], (1, *shape)))
    inputs: Several = [shape, shape, shape][: choice(draw, (1, 2, 3))]
    return Illegal(Call({"data_0": [*inputs, other]}), "ShapeError")
