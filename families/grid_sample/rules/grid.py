"""The rule of ai.onnx GridSample: an element for each position of the grid."""

from _shared.grids import check_grid, check_padding_mode, sampled_shape, taps_of
from _shared.values import check_flag

from opmill_gen.rule_language.language import Tensor, output, plan, require


def rules(X: Tensor, grid: Tensor, *, align_corners: int, mode: str, padding_mode: str) -> None:
    """The last axis of the grid has a coordinate for each spatial axis."""
    if two_axes:
        require(X.rank == 4, f"X has rank {X.rank}, expected 4")
    else:
        require(X.rank >= 3, f"X has rank {X.rank}, expected at least 3")
    check_grid("grid", grid.shape, X.shape)
    linear = "bilinear" if two_axes else "linear"
    cubic = "bicubic" if two_axes else "cubic"
    taps = taps_of(mode, linear, cubic, X.type)
    check_padding_mode(padding_mode)
    check_flag("align_corners", align_corners)
    output(Y=sampled_shape(grid.shape, X.shape))
    plan(
        align_corners=align_corners == 1,
        padding_mode=padding_mode,
        taps=taps,
    )
