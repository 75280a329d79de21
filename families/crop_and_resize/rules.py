"""The rule of CropAndResize: a crop of one size for each region."""

from _shared.values import check_rank

from opmill_gen.rule_language.language import (
    Tensor,
    counted,
    output,
    plan,
    require,
    require_attribute,
)


def rules(
    X: Tensor,
    rois: Tensor,
    batch_indices: Tensor,
    crop_size: Tensor,
    *,
    extrapolation_value: float,
    mode: str,
) -> None:
    """Regions are rows of two corners, each with the number of its image."""
    check_rank("X", X, 4)
    check_rank("rois", rois, 2)
    check_rank("batch_indices", batch_indices, 1)
    check_rank("crop_size", crop_size, 1)
    require(rois.shape[1] == 4, f"rois.shape[1] is {rois.shape[1]}, expected 4")
    require(
        batch_indices.shape[0] == rois.shape[0],
        f"batch_indices.shape[0] is {batch_indices.shape[0]}, expected {rois.shape[0]} "
        f"(the rows of rois)",
    )
    require(
        crop_size.shape[0] == 2,
        f"crop_size has {counted(crop_size.shape[0], 'value')}, expected 2",
    )
    require_attribute(
        mode in ("bilinear", "nearest"), f"mode is '{mode}', expected 'bilinear' or 'nearest'"
    )
    height = crop_size.values[0]
    width = crop_size.values[1]
    require(height >= 1, f"crop_size[0] is {height}, expected at least 1")
    require(width >= 1, f"crop_size[1] is {width}, expected at least 1")
    require(
        X.shape[0] >= 1 or rois.shape[0] == 0,
        f"X.shape[0] is {X.shape[0]}, expected at least 1",
    )
    output(Y=[rois.shape[0], X.shape[1], height, width])
    plan(is_nearest=mode == "nearest", extrapolation=extrapolation_value)
