"""Grids of positions, at which images are sampled."""

from _shared.resizing import check_interpolated

from opmill_gen.rule_language.language import Dims, Ints, require, require_attribute


def taps_of(mode: str, linear: str, cubic: str, type: str) -> int:
    """The elements of an axis that a position takes, by the word of an interpolation."""
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
    check_interpolated(mode, type)
    return taps


def check_padding_mode(padding_mode: str) -> None:
    """One of the words for what is outside of an image."""
    require_attribute(
        padding_mode in ("zeros", "border", "reflection"),
        f"padding_mode is '{padding_mode}', expected 'zeros', 'border' or 'reflection'",
    )


def check_grid(name: str, grid: Dims, x: Dims) -> None:
    """The last axis of the grid has a coordinate for each spatial axis of X."""
    rank = len(x)
    last = rank - 1
    require(len(grid) == rank, f"{name} has rank {len(grid)}, expected {rank} (the rank of X)")
    require(
        grid[last] == rank - 2,
        f"{name}.shape[{last}] is {grid[last]}, expected {rank - 2} (the spatial axes of X)",
    )
    require(
        grid[0] == x[0],
        f"{name}.shape[0] is {grid[0]}, expected {x[0]} (as X.shape[0])",
    )


def sampled_shape(grid: Dims, x: Dims) -> Ints:
    """An element for each position; images without elements have no positions."""
    rank = len(x)
    dims = list(x)
    empty = x[0] == 0 or x[1] == 0
    for i in range(2, rank):
        dims[i] = grid[i - 1]
        empty = empty or dims[i] == 0
    for i in range(2, rank):
        require(empty or x[i] >= 1, f"X.shape[{i}] is {x[i]}, expected at least 1")
    return dims
