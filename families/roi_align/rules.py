"""The rule of RoiAlign: a grid of bins for each region."""

from _shared.values import check_rank

from opmill_gen.rule_language.language import (
    Tensor,
    output,
    plan,
    require,
    require_attribute,
)


def rules(
    X: Tensor,
    rois: Tensor,
    batch_indices: Tensor,
    *,
    coordinate_transformation_mode: str = "output_half_pixel",
    mode: str,
    output_height: int,
    output_width: int,
    sampling_ratio: int,
    spatial_scale: float,
) -> None:
    """Regions are rows of two corners, each with the number of its image."""
    check_rank("X", X, 4)
    check_rank("rois", rois, 2)
    check_rank("batch_indices", batch_indices, 1)
    require(rois.shape[1] == 4, f"rois.shape[1] is {rois.shape[1]}, expected 4")
    require(
        batch_indices.shape[0] == rois.shape[0],
        f"batch_indices.shape[0] is {batch_indices.shape[0]}, expected {rois.shape[0]} "
        f"(the rows of rois)",
    )
    require_attribute(
        coordinate_transformation_mode in ("half_pixel", "output_half_pixel"),
        f"coordinate_transformation_mode is '{coordinate_transformation_mode}', "
        f"expected 'half_pixel' or 'output_half_pixel'",
    )
    require_attribute(mode in ("avg", "max"), f"mode is '{mode}', expected 'avg' or 'max'")
    require_attribute(
        1 <= output_height <= 2147483647,
        f"output_height is {output_height}, expected 1 to 2147483647",
    )
    require_attribute(
        1 <= output_width <= 2147483647,
        f"output_width is {output_width}, expected 1 to 2147483647",
    )
    require_attribute(
        0 <= sampling_ratio <= 65536,
        f"sampling_ratio is {sampling_ratio}, expected 0 to 65536",
    )
    require(
        X.shape[0] >= 1 or rois.shape[0] == 0,
        f"X.shape[0] is {X.shape[0]}, expected at least 1",
    )
    output(Y=[rois.shape[0], X.shape[1], output_height, output_width])
    plan(
        half_pixel=coordinate_transformation_mode == "half_pixel",
        is_max=mode == "max",
        sampling_ratio=sampling_ratio,
        scale=spatial_scale,
    )
