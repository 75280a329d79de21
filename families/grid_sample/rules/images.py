"""The rule of com.microsoft's GridSample, which names the grid otherwise."""

from _shared.grids import check_grid, check_padding_mode, sampled_shape, taps_of
from _shared.values import check_flag

from opmill_gen.rule_language.language import Tensor, output, plan, require, require_type


def rules(X: Tensor, Grid: Tensor, *, align_corners: int, mode: str, padding_mode: str) -> None:
    """Images have two axes, and a type that the output has too."""
    require_type(
        X.type in ("float16", "float", "double"),
        f"X has type {X.type}, expected float16, float or double",
    )
    require(X.rank == 4, f"X has rank {X.rank}, expected 4")
    check_grid("Grid", Grid.shape, X.shape)
    taps = taps_of(mode, "bilinear", "bicubic", X.type)
    check_padding_mode(padding_mode)
    check_flag("align_corners", align_corners)
    output(Y=sampled_shape(Grid.shape, X.shape))
    plan(
        align_corners=align_corners == 1,
        padding_mode=padding_mode,
        taps=taps,
    )
