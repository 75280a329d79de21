"""Calls of Resize and Upsample: scales, sizes, regions and every way to map positions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from opmill_checks.drawing import Call, Dims, Draw, Illegal, choice, happens, integer, vector

Names = frozenset[str]
SCALES = (1.0, 2.0, 0.5, 3.0, 1.5, 0.75, 2.5, 0.6000000238418579)
TRANSFORMATIONS = ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric")
NEAREST = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")


def shape_of(draw: Draw, rank: int) -> Dims:
    """A small shape; few axes are empty."""
    dims = [0 if happens(draw, 3) else integer(draw, 1, 5) for _ in range(rank)]
    if rank and happens(draw, 20):
        dims[integer(draw, 0, rank - 1)] = integer(draw, 6, 40)
    return tuple(dims)


def legal(
    draw: Draw, *, rule: str, attributes: Names, enlarges: bool, tf_half_pixel_for_nn: bool
) -> Call:
    if rule == "region_scales_sizes":
        return of_version_11(draw, attributes, tf_half_pixel_for_nn)
    mode = choice(draw, ("nearest", "bilinear" if rule == "height_and_width" else "linear"))
    rank = 4 if rule == "height_and_width" else choice(draw, (2, 1, 3, 4, 0))
    shape = bounded(shape_of(draw, rank), 60)
    min_scale = 1.0 if enlarges or rule == "height_and_width" else 0.0
    scales = [choice(draw, [scale for scale in SCALES if scale >= min_scale]) for _ in shape]
    for axis in range(rank - 2):  # most of the scales are 1
        scales[axis] = 1.0 if happens(draw, 80) else scales[axis]
    call = Call({"X": shape}).but(mode=mode)
    if rule == "height_and_width":
        return of_type(draw, call.but(height_scale=scales[2], width_scale=scales[3]), "T")
    if rule == "scales_attribute":
        return of_type(draw, call.but(scales=scales), "T")
    return of_type(draw, call.but({"scales": vector(scales)}), "T")


def of_type(draw: Draw, call: Call, variable: str) -> Call:
    """A call of a type that has weighted sums, where the mode has any."""
    if call.attributes.get("mode", "nearest") != "nearest":
        numbers = ("float", "double", "float16", "int32")
        return replace(call, types={variable: f"tensor({choice(draw, numbers)})"})
    if call.attributes.get("coordinate_transformation_mode") == "tf_crop_and_resize":
        return replace(
            call, types={variable: f"tensor({choice(draw, ('uint8', 'float', 'bool'))})"}
        )
    return call


def bounded(shape: Dims, max_size: int) -> Dims:
    dims = list(shape)
    size = 1
    for axis, dim in enumerate(dims):
        dims[axis] = dim if size * max(dim, 1) <= max_size else 1
        size *= max(dims[axis], 1)
    return tuple(dims)


def of_version_11(draw: Draw, attributes: Names, must_have_region: bool) -> Call:
    rank = choice(draw, (2, 1, 3, 4))
    shape = bounded(shape_of(draw, rank), 60)
    words = [*TRANSFORMATIONS, "tf_crop_and_resize"]
    given: dict[str, Any] = {}
    if happens(draw, 70):
        given["coordinate_transformation_mode"] = choice(draw, words)
    mode = choice(draw, ("nearest", "linear", "cubic"))
    given["mode"] = mode
    if mode == "nearest" and happens(draw, 70):
        given["nearest_mode"] = choice(draw, NEAREST)
    if mode == "cubic" and happens(draw, 30):
        given["cubic_coeff_a"] = -0.5
    if happens(draw, 30):
        given["exclude_outside"] = 1
    if "antialias" in attributes and mode != "nearest" and happens(draw, 40):
        given["antialias"] = 1
    named = list(range(rank))
    if "axes" in attributes and happens(draw, 40):
        named = [axis for axis in named if happens(draw, 60)][::-1]
        given["axes"] = [axis - rank if happens(draw, 30) else axis for axis in named]
    none = vector([]) if must_have_region else None
    inputs: dict[str, Any] = {"X": shape, "roi": none, "scales": none, "sizes": None}
    if given.get("coordinate_transformation_mode") == "tf_crop_and_resize":
        begins = [choice(draw, (0.0, 0.25, -0.5, 0.5)) for _ in named]
        ends = [choice(draw, (1.0, 0.75, 1.5, 0.5)) for _ in named]
        inputs["roi"] = vector([*begins, *ends])
        if happens(draw, 50):
            given["extrapolation_value"] = 7.0
    if happens(draw, 50) and named:
        scales = [choice(draw, SCALES) if happens(draw, 60) else 1.0 for _ in named]
        if given.get("coordinate_transformation_mode") == "tf_crop_and_resize":
            scales = [max(scale, 0.5) for scale in scales]
        inputs["scales"] = vector(scales)
    elif named:
        wanted = [0 if shape[axis] == 0 else integer(draw, 0, 7) for axis in named]
        if "keep_aspect_ratio_policy" in attributes and all(shape) and happens(draw, 40):
            given["keep_aspect_ratio_policy"] = choice(draw, ("not_larger", "not_smaller"))
            wanted = [max(1, size) for size in wanted]
        inputs["sizes"] = vector(wanted)
    return of_type(draw, Call(inputs, given), "T1")


def illegal(draw: Draw, *, rule: str) -> Illegal:
    """A scale, a word or a length that is wrong."""
    wrong = choice(draw, ("mode", "scale", "count"))
    kind = "AttributeValueError" if rule != "region_scales_sizes" else "ShapeError"
    shape = (1, 1, 2, 3)
    bad = choice(draw, (0.0, -1.0, float("nan"), float("inf")))
    if rule == "height_and_width":
        call = Call({"X": shape}, {"height_scale": 2.0, "width_scale": 1.0})
        if wrong == "mode":
            return Illegal(call.but(mode=choice(draw, ("linear", "", "cubic"))), kind)
        if wrong == "scale":
            name = choice(draw, ("height_scale", "width_scale"))
            return Illegal(
                call.but(None, **{name: choice(draw, (0.5, 0.0, -1.0, float("nan")))}), kind
            )
        return Illegal(call.but({"X": shape[: choice(draw, (0, 1, 3))]}), "ShapeError")
    scales = [1.0, 1.0, 2.0, 2.0]
    if wrong == "count":
        scales = scales[: integer(draw, 1, 3)]
    elif wrong == "scale":
        scales[integer(draw, 0, 3)] = bad
    if rule == "scales_attribute":
        raises = (
            kind if wrong == "mode" or (wrong == "scale" and bad != float("inf")) else "ShapeError"
        )
        call = Call({"X": shape}, {"scales": scales})
        return Illegal(call.but(mode="bilinear") if wrong == "mode" else call, raises)
    call = Call({"X": shape, "scales": vector(scales)})
    if rule == "region_scales_sizes":
        call = call.but({"roi": vector([]), "sizes": None})
        if wrong == "mode":
            name, word = choice(
                draw,
                (
                    ("mode", "bilinear"),
                    ("nearest_mode", "round"),
                    ("coordinate_transformation_mode", "corners"),
                    ("exclude_outside", 2),
                ),
            )
            return Illegal(call.but(None, **{name: word}), "AttributeValueError")
        if wrong == "count" and happens(draw, 50):
            both = {"scales": vector([1.0] * 4), "sizes": vector([1, 1, 2, 3])}
            return Illegal(call.but(choice(draw, (both, {"scales": vector([])}))), "ShapeError")
        if wrong == "scale" and happens(draw, 50):
            sizes = {"scales": vector([]), "sizes": vector([1, 1, -1, 3])}
            return Illegal(call.but(sizes), "ShapeError")
        return Illegal(call, "ShapeError")
    if wrong == "mode":
        return Illegal(
            call.but(mode=choice(draw, ("bilinear", "cubic", ""))), "AttributeValueError"
        )
    return Illegal(call, "ShapeError")
