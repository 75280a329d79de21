"""Calls of the family fused_matmul: vectors, matrices and stacks, each stored transposed or not."""

from __future__ import annotations

from opmill_checks.drawing import Call, Dims, Draw, Illegal, choice, happens, integer


def stored(dims: Dims, moves_first: int, swaps_last: int) -> Dims:
    """The shape that a transposed operand is stored in, of rank 2 or more."""
    *batch, rows, columns = dims
    if swaps_last:
        rows, columns = columns, rows
    return (rows, *batch, columns) if moves_first else (*batch, rows, columns)


def legal(draw: Draw, *, attributes: frozenset[str]) -> Call:
    """Any of the flags, where the ranks allow it; 2 is as good as 1."""
    m, k, n = (integer(draw, 0, 5) if happens(draw, 90) else integer(draw, 6, 20) for _ in range(3))
    batch = tuple(integer(draw, 1, 3) for _ in range(choice(draw, (0, 0, 1, 2))))
    a = tuple(1 if happens(draw, 20) else dim for dim in batch)
    b = tuple(1 if happens(draw, 20) else dim for dim in batch)
    flags = {name: choice(draw, (0, 1, 2, -1)) for name in ("transA", "transB")}
    if batch and "transBatchA" in attributes and happens(draw, 40):
        flags |= {name: choice(draw, (0, 1)) for name in ("transBatchA", "transBatchB")}
    left = stored((*a, m, k), flags.get("transBatchA", 0), flags["transA"])
    right = stored((*b, k, n), flags.get("transBatchB", 0), flags["transB"])
    if "transBatchA" not in flags:
        left = (k,) if happens(draw, 10) else left
        right = (k,) if happens(draw, 10) else right
    call = Call({"A": left, "B": right}, {name: v for name, v in flags.items() if v})
    return call.but(alpha=choice(draw, (0.5, -2.0, 0.0, 0.1))) if happens(draw, 60) else call


def illegal(draw: Draw, *, attributes: frozenset[str]) -> Illegal:
    """A scalar, sums over axes of different sizes, a batch to move where there is none."""
    m, k, n = integer(draw, 1, 4), integer(draw, 1, 4), integer(draw, 1, 4)
    moves = ("batch", "ranks") if "transBatchA" in attributes else ()
    wrong = choice(draw, ("scalar", "summed", *moves))
    if wrong == "scalar":
        return Illegal(Call({"A": (), "B": (k, n)}), "ShapeError")
    if wrong == "summed":
        call = Call({"A": (k, m), "B": (k + 1, n)}, {"transA": 1})
        return Illegal(call, "ShapeError")
    if wrong == "batch":
        return Illegal(Call({"A": (m, k), "B": (k, n)}, {"transBatchA": 1}), "ShapeError")
    return Illegal(Call({"A": (m, 1, k), "B": (k, n)}, {"transBatchA": 1}), "ShapeError")
