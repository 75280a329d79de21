"""The rule of Resize from version 11 on: scales or sizes, of all axes or of some."""

from _shared.axes import all_axes, attribute_axes
from _shared.resizing import check_interpolated, scaled_size
from _shared.values import check_flag, check_length, check_rank

from opmill_gen.rule_language.language import (
    Dims,
    Ints,
    Tensor,
    counted,
    output,
    plan,
    require,
    require_attribute,
)


def check_words(transformation: str, mode: str, nearest_mode: str, policy: str) -> None:
    """The words of the attributes, as the version has them."""
    known = transformation in (
        "half_pixel",
        "pytorch_half_pixel",
        "align_corners",
        "asymmetric",
        "tf_crop_and_resize",
    )
    if tf_half_pixel_for_nn:
        require_attribute(
            known or transformation == "tf_half_pixel_for_nn",
            f"coordinate_transformation_mode is '{transformation}', expected 'half_pixel', "
            "'pytorch_half_pixel', 'align_corners', 'asymmetric', 'tf_half_pixel_for_nn' or "
            "'tf_crop_and_resize'",
        )
    elif half_pixel_symmetric:
        require_attribute(
            known or transformation == "half_pixel_symmetric",
            f"coordinate_transformation_mode is '{transformation}', expected 'half_pixel', "
            "'half_pixel_symmetric', 'pytorch_half_pixel', 'align_corners', 'asymmetric' or "
            "'tf_crop_and_resize'",
        )
    else:
        require_attribute(
            known,
            f"coordinate_transformation_mode is '{transformation}', expected 'half_pixel', "
            "'pytorch_half_pixel', 'align_corners', 'asymmetric' or 'tf_crop_and_resize'",
        )
    require_attribute(
        mode in ("nearest", "linear", "cubic"),
        f"mode is '{mode}', expected 'nearest', 'linear' or 'cubic'",
    )
    require_attribute(
        nearest_mode in ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil"),
        f"nearest_mode is '{nearest_mode}', expected 'round_prefer_floor', "
        "'round_prefer_ceil', 'floor' or 'ceil'",
    )
    require_attribute(
        policy in ("stretch", "not_larger", "not_smaller"),
        f"keep_aspect_ratio_policy is '{policy}', expected 'stretch', 'not_larger' or "
        "'not_smaller'",
    )


def common_scale(policy: str, sizes: Ints, shape: Dims, axes: Ints) -> float:
    """The smallest or the largest ratio of a size and its axis, by which all axes are scaled."""
    scale = 0.0
    for i in range(len(axes)):
        dim = shape[axes[i]]
        require(
            dim >= 1,
            f"X.shape[{axes[i]}] is 0, expected at least 1 (keep_aspect_ratio_policy is {policy})",
        )
        ratio = float(sizes[i]) / float(dim)
        if i == 0:
            scale = ratio
        elif policy == "not_larger":
            scale = ratio if ratio < scale else scale
        else:
            scale = ratio if ratio > scale else scale
    return scale


def rules(
    X: Tensor,
    roi: Tensor | None,
    scales: Tensor | None,
    sizes: Tensor | None,
    *,
    antialias: int = 0,
    axes: Ints | None = None,
    coordinate_transformation_mode: str,
    cubic_coeff_a: float,
    exclude_outside: int,
    extrapolation_value: float,
    keep_aspect_ratio_policy: str = "stretch",
    mode: str,
    nearest_mode: str,
) -> None:
    """Either scales or sizes, one value for each axis, and the region to which an axis is cut."""
    check_words(coordinate_transformation_mode, mode, nearest_mode, keep_aspect_ratio_policy)
    check_interpolated(mode, X.type)
    check_flag("antialias", antialias)
    check_flag("exclude_outside", exclude_outside)
    require_attribute(
        antialias == 0 or mode != "nearest", "antialias is 1, expected 0 (mode is 'nearest')"
    )
    named = all_axes(X.rank) if axes is None else attribute_axes("axes", axes, X.rank, True)
    named = named[: min(len(named), X.rank)]
    crops = coordinate_transformation_mode == "tf_crop_and_resize"
    require_attribute(
        not crops or X.type != "string",
        "coordinate_transformation_mode is 'tf_crop_and_resize', expected another value for "
        "strings",
    )

    begins = [0.0] * X.rank
    ends = [1.0] * X.rank
    if crops:
        require(roi is not None, "roi is absent, expected a value for tf_crop_and_resize")
        check_rank("roi", roi, 1)
        check_length("roi", roi.size, 2 * len(named), "two for each axis")
        for i in range(len(named)):
            begins[named[i]] = roi.numbers[i]
            ends[named[i]] = roi.numbers[len(named) + i]

    dims = list(X.shape)
    factors = [1.0] * X.rank
    scale_count = 0
    if scales is not None:
        check_rank("scales", scales, 1)
        scale_count = scales.size
    size_count = 0
    if sizes is not None:
        check_rank("sizes", sizes, 1)
        size_count = sizes.size
    require(
        scale_count == 0 or size_count == 0,
        f"sizes has {counted(size_count, 'value')}, expected none beside scales",
    )
    require(
        len(named) == 0 or scale_count > 0 or size_count > 0,
        "scales and sizes are absent, expected one of them",
    )
    if scales is not None and scale_count > 0:
        check_length("scales", scales.size, len(named), "one for each axis")
        for i in range(len(named)):
            axis = named[i]
            scale = scales.numbers[i]
            require(scale > 0.0, f"scales[{i}] is {scale}, expected more than 0")
            size = float(X.shape[axis])
            length = size * scale
            if crops:
                length = size * (ends[axis] - begins[axis]) * scale
            if antialias == 1 and crops:
                # The filter would be longer than the axis.
                require(
                    size * scale >= 0.5 or X.shape[axis] == 0,
                    f"scales[{i}] is {scale}, expected at least half of 1 / {X.shape[axis]} "
                    f"(the size of axis {axis}) with antialias",
                )
            dims[axis] = scaled_size(axis, length)
            factors[axis] = scale
    if sizes is not None and size_count > 0:
        check_length("sizes", sizes.size, len(named), "one for each axis")
        wanted = sizes.values
        for i in range(len(named)):
            require(wanted[i] >= 0, f"sizes[{i}] is {wanted[i]}, expected at least 0")
        if keep_aspect_ratio_policy == "stretch":
            for i in range(len(named)):
                axis = named[i]
                require(
                    wanted[i] == 0 or X.shape[axis] != 0,
                    f"sizes[{i}] is {wanted[i]}, expected 0 (the size of axis {axis})",
                )
                dims[axis] = wanted[i]
                factors[axis] = float(wanted[i]) / float(X.shape[axis])
        else:
            scale = common_scale(keep_aspect_ratio_policy, wanted, X.shape, named)
            for i in range(len(named)):
                axis = named[i]
                factors[axis] = scale
                dims[axis] = scaled_size(axis, scale * float(X.shape[axis]) + 0.5)
    output(Y=dims)
    plan(
        antialias=antialias == 1,
        begins=begins,
        by_sizes=size_count > 0 and keep_aspect_ratio_policy == "stretch",
        cubic_a=cubic_coeff_a,
        ends=ends,
        exclude_outside=exclude_outside == 1,
        extrapolation=extrapolation_value,
        factors=factors,
        mode=mode,
        nearest_mode=nearest_mode,
        transformation=coordinate_transformation_mode,
    )
