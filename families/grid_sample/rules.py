"""The rule of GridSample: an element for each position of the grid."""

from _shared.resizing import check_interpolated
from _shared.values import check_flag

from opmill_gen.rule_language.language import (
    Tensor,
    output,
    plan,
    require,
    require_attribute,
)


def rules(X: Tensor, grid: Tensor, *, align_corners: int, mode: str, padding_mode: str) -> None:
    """The last axis of the grid has a coordinate for each spatial axis."""
    if two_axes:
        require(X.rank == 4, f"X has rank {X.rank}, expected 4")
    else:
        require(X.rank >= 3, f"X has rank {X.rank}, expected at least 3")
    require(grid.rank == X.rank, f"grid has rank {grid.rank}, expected {X.rank} (the rank of X)")
    last = X.rank - 1
    require(
        grid.shape[last] == X.rank - 2,
        f"grid.shape[{last}] is {grid.shape[last]}, expected {X.rank - 2} (the spatial axes of X)",
    )
    require(
        grid.shape[0] == X.shape[0],
        f"grid.shape[0] is {grid.shape[0]}, expected {X.shape[0]} (as X.shape[0])",
    )
    linear = "bilinear" if two_axes else "linear"
    cubic = "bicubic" if two_axes else "cubic"
    taps = 0
    if mode == "nearest":
        taps = 1
    elif mode == linear:
        taps = 2
    elif mode == cubic:
        taps = 4
    require_attribute(
        taps >= 1,
        f"mode is '{mode}', expected '{linear}', 'nearest' or '{cubic}'",
    )
    check_interpolated(mode, X.type)
    require_attribute(
        padding_mode in ("zeros", "border", "reflection"),
        f"padding_mode is '{padding_mode}', expected 'zeros', 'border' or 'reflection'",
    )
    check_flag("align_corners", align_corners)
    dims = list(X.shape)
    empty = X.shape[0] == 0 or X.shape[1] == 0
    for i in range(2, X.rank):
        dims[i] = grid.shape[i - 1]
        empty = empty or dims[i] == 0
    for i in range(2, X.rank):
        require(empty or X.shape[i] >= 1, f"X.shape[{i}] is {X.shape[i]}, expected at least 1")
    output(Y=dims)
    plan(
        align_corners=align_corners == 1,
        padding_mode=padding_mode,
        taps=taps,
    )
