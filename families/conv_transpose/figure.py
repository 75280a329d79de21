"""Draws how a call of ConvTranspose places its output: an axis a picture, for the manual.

It works out the crop from the definition, not from the rule, so that the tests can hold one
against the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from opmill_gen.figures.svg import Arguments

LEGEND = """
In the pictures, a row is one position of the input and a circle one tap of the kernel, above the
position of the output that its product is added to. Positions with a number are the output,
coloured where a tap reaches them; dashed ones are cut off.
"""

CELL = 20
ROW = 22
LEFT = 32
MAX_INPUTS = 10
MAX_POSITIONS = 16


@dataclass(frozen=True)
class Axis:
    """One spatial axis of a call, in positions of the output before it is cropped."""

    inputs: int
    taps: int
    stride: int
    dilation: int
    padding: int
    begin: int
    size: int

    @property
    def full(self) -> int:
        """The positions before cropping, those of output_padding among them."""
        return self.reached + self.padding

    @property
    def reached(self) -> int:
        """The positions up to the last one that a tap reaches."""
        return self.stride * (self.inputs - 1) + self.dilation * (self.taps - 1) + 1

    @property
    def columns(self) -> int:
        """The positions to draw: an output may go on beyond the full size."""
        return max(self.full, self.begin + self.size)


def figure(
    inputs: Arguments,
    attributes: Mapping[str, Any],
    outputs: Arguments,
) -> str | None:
    """The picture of a call as SVG; ``None`` where an axis is too long to be drawn.

    Args:
        inputs: the inputs by name, ``None`` where one is absent.
        attributes: those that the call gives or that have a default.
        outputs: the outputs by name.
    """
    drawn: dict[Axis, list[int]] = {}
    if inputs.get("Pads") is not None:
        pads = inputs["Pads"].integers
        if pads is None:
            return None
        attributes = {**attributes, "pads": pads}
    for number, axis in enumerate(axes(inputs, attributes, outputs)):
        if 1 <= axis.inputs <= MAX_INPUTS and axis.columns <= MAX_POSITIONS:
            drawn.setdefault(axis, []).append(number)
    if not drawn:
        return None
    parts: list[str] = []
    top = 0
    for axis, numbers in drawn.items():
        parts += _axis(_label(numbers), axis, top)
        top += (axis.inputs + 3) * ROW
    width = LEFT + max(axis.columns for axis in drawn) * CELL + 8
    title = "; ".join(_told(_label(numbers), axis) for axis, numbers in drawn.items())
    return "\n".join(
        [
            f'<svg class="opmill-figure" role="img" viewBox="0 0 {width} {top}" '
            f'style="max-width: {width}px" xmlns="http://www.w3.org/2000/svg">',
            f"<title>{title}</title>",
            *parts,
            "</svg>",
        ]
    )


def axes(
    inputs: Arguments,
    attributes: Mapping[str, Any],
    outputs: Arguments,
) -> list[Axis]:
    """The spatial axes of a call."""
    X, W, Y = inputs["X"].shape, inputs["W"].shape, outputs["Y"].shape
    n = len(X) - 2
    ones, zeros = [1] * n, [0] * n
    found = []
    for i in range(n):
        uncropped = Axis(
            inputs=X[2 + i],
            taps=W[2 + i],
            stride=attributes.get("strides", ones)[i],
            dilation=attributes.get("dilations", ones)[i],
            padding=attributes.get("output_padding", zeros)[i],
            begin=0,
            size=Y[2 + i],
        )
        found.append(replace(uncropped, begin=_begin(uncropped, attributes, i)))
    return found


def _begin(axis: Axis, attributes: Mapping[str, Any], i: int) -> int:
    """Number of positions that are cut off at the beginning of an axis."""
    word = attributes.get("auto_pad", "NOTSET")
    if "output_shape" not in attributes and word in ("NOTSET", "VALID"):
        return int(attributes["pads"][i]) if "pads" in attributes else 0
    cut = max(0, axis.full - axis.size)
    return cut // 2 if word == "SAME_UPPER" else cut - cut // 2


def _label(numbers: list[int]) -> str:
    """``axis 0``, or ``axes 0, 1`` where they are all alike."""
    return f"{'axis' if len(numbers) == 1 else 'axes'} {', '.join(map(str, numbers))}"


def _told(label: str, axis: Axis) -> str:
    end = max(0, axis.full - axis.begin - axis.size)
    return (
        f"{label}: {axis.inputs} inputs, {axis.taps} taps, stride {axis.stride}, dilation "
        f"{axis.dilation}, {axis.full} positions, {axis.begin} cut off at the beginning and "
        f"{end} at the end, {axis.size} in the output"
    )


def _axis(label: str, axis: Axis, top: int) -> list[str]:
    """Row by row: where each input's taps fall, then the output under them."""
    parts = [_text(0, top + ROW - 7, label, "opmill-label")]
    top += ROW
    for x in range(axis.inputs):
        y = top + x * ROW
        parts.append(_text(LEFT - 24, y + ROW - 7, f"x{x}"))
        positions = [x * axis.stride + tap * axis.dilation for tap in range(axis.taps)]
        if len(positions) > 1:
            first, last = (LEFT + p * CELL + CELL // 2 for p in (positions[0], positions[-1]))
            parts.append(
                f'<line x1="{first}" x2="{last}" y1="{y + ROW // 2}" y2="{y + ROW // 2}" '
                'class="opmill-link"/>'
            )
        for tap, position in enumerate(positions):
            parts.append(_tap(position, tap, y))
    y = top + axis.inputs * ROW + 6
    parts.append(_text(LEFT - 24, y + ROW - 7, "Y"))
    parts += [_position(p, axis, y) for p in range(axis.columns)]
    return parts


def _tap(position: int, tap: int, y: int) -> str:
    x = LEFT + position * CELL + CELL // 2
    return f'<circle cx="{x}" cy="{y + ROW // 2}" r="9" class="opmill-tap"/>' + _text(
        x, y + ROW // 2 + 4, f"w{tap}", "opmill-middle"
    )


def _position(position: int, axis: Axis, y: int) -> str:
    """A position of the output: kept and numbered, or cut off; kept ones that no tap reaches."""
    is_inside = axis.begin <= position < axis.begin + axis.size
    tapped = any(
        (position - x * axis.stride) % axis.dilation == 0
        and 0 <= (position - x * axis.stride) // axis.dilation < axis.taps
        for x in range(axis.inputs)
    )
    kind = "cut" if not is_inside else "kept" if tapped else "empty"
    x = LEFT + position * CELL
    box = f'<rect x="{x + 1}" y="{y}" width="{CELL - 2}" height="{ROW}" class="opmill-{kind}"/>'
    if not is_inside:
        return box
    return box + _text(x + CELL // 2, y + ROW // 2 + 4, f"{position - axis.begin}", "opmill-middle")


def _text(x: int, y: int, text: str, kind: str = "") -> str:
    named = f' class="{kind}"' if kind else ""
    return f'<text x="{x}" y="{y}"{named}>{text}</text>'
