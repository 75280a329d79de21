"""Windows that slide over padded axes: convolutions and poolings. An axis is a picture.

The padding is worked out from ONNX's text and from the shape of the output, not from the rules, so
that tests can compare them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from opmill_gen.figures.svg import ROW, WIDTH, Cells, axis_label, svg, text

LEGEND = """
In the pictures, the row of boxes is a spatial axis of the input with the positions of its elements,
dashed where it is padded. Each row below it is one position of the output: its circles are the
elements in its window, dashed in the padding. Elements without colour are in no window.
"""

LEFT, CELL = 32, 24
MAX_WINDOWS = 12


@dataclass(frozen=True)
class Axis:
    """One spatial axis of a call; positions of the input are counted from its first element."""

    inputs: int
    taps: int
    stride: int
    dilation: int
    begin: int
    end: int
    windows: int

    def window(self, number: int) -> list[int]:
        """The positions of the input in a window; those of padding lie outside of the input."""
        first = number * self.stride - self.begin
        return [first + tap * self.dilation for tap in range(self.taps)]

    @property
    def positions(self) -> range:
        """The positions to draw: a last window may go on beyond the padding."""
        last = self.window(self.windows - 1)[-1]
        return range(-self.begin, max(self.inputs + self.end, last + 1))

    @property
    def is_drawn(self) -> bool:
        """True if there is something to be seen, and a phone is wide enough for it."""
        fits = LEFT + len(self.positions) * CELL <= WIDTH
        return min(self.inputs, self.windows, self.taps) >= 1 and fits

    @property
    def described(self) -> str:
        """The axis in words."""
        first = ", ".join(str(self.window(k)[0]) for k in range(self.windows))
        return (
            f"{self.inputs} elements, padded by {self.begin} before and {self.end} after; kernel "
            f"{self.taps}, stride {self.stride}, dilation {self.dilation}; windows begin at {first}"
        )


def windows(
    inputs: Sequence[int],
    taps: Sequence[int],
    outputs: Sequence[int],
    attributes: Mapping[str, Any],
) -> str | None:
    """The picture of a call; ``None`` where no axis can be drawn.

    Args:
        inputs: the spatial dims of the input.
        taps: those of the kernel.
        outputs: those of the output.
        attributes: what the call gives of strides, dilations, pads and auto_pad.
    """
    drawn: dict[Axis, list[int]] = {}
    for number, axis in enumerate(axes(inputs, taps, outputs, attributes)):
        if axis.windows <= MAX_WINDOWS and axis.is_drawn:
            drawn.setdefault(axis, []).append(number)
    if not drawn:
        return None
    parts: list[str] = []
    top = 0
    for axis, numbers in drawn.items():
        parts += _axis(axis_label(numbers), axis, top)
        top += (axis.windows + 2) * ROW + 6
    width = max(LEFT + len(axis.positions) * CELL for axis in drawn)
    title = ". ".join(f"{axis_label(numbers)}: {axis.described}" for axis, numbers in drawn.items())
    return svg(max(width, 120), top, title, parts)


def axes(
    inputs: Sequence[int],
    taps: Sequence[int],
    outputs: Sequence[int],
    attributes: Mapping[str, Any],
) -> list[Axis]:
    """The spatial axes of a call."""
    n = len(inputs)
    strides = attributes.get("strides") or [1] * n
    dilations = attributes.get("dilations") or [1] * n
    pads = _pads(inputs, taps, outputs, strides, dilations, attributes)
    return [
        Axis(inputs[i], taps[i], strides[i], dilations[i], pads[i], pads[n + i], outputs[i])
        for i in range(n)
    ]


def _pads(
    inputs: Sequence[int],
    taps: Sequence[int],
    outputs: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
    attributes: Mapping[str, Any],
) -> list[int]:
    """The padding before each axis, then that after each."""
    word, n = attributes.get("auto_pad", "NOTSET"), len(inputs)
    if word in ("NOTSET", ""):
        return list(attributes.get("pads") or [0] * (2 * n))
    if word == "VALID":
        return [0] * (2 * n)
    before, after = [], []
    for i in range(n):
        reached = (outputs[i] - 1) * strides[i] + dilations[i] * (taps[i] - 1) + 1
        lacking = max(0, reached - inputs[i])
        more = lacking - lacking // 2
        before.append(lacking // 2 if word == "SAME_UPPER" else more)
        after.append(more if word == "SAME_UPPER" else lacking // 2)
    return before + after


def _axis(label: str, axis: Axis, top: int) -> list[str]:
    """The input, and below it a row for each window."""
    parts = [text(0, top + 14, label, "label")]
    top += ROW
    in_window = {position for k in range(axis.windows) for position in axis.window(k)}
    cells = Cells(CELL)
    for position in axis.positions:
        inside = 0 <= position < axis.inputs
        kind = "cut" if not inside else "kept" if position in in_window else "empty"
        cells.add(_x(axis, position), top, kind, str(position) if inside else "")
    parts += cells.svg()
    for k in range(axis.windows):
        y = top + (k + 1) * ROW + ROW // 2 + 2
        centres = [_x(axis, position) + CELL // 2 for position in axis.window(k)]
        parts.append(text(0, y + 4, f"y{k}", "row"))
        if len(centres) > 1:
            parts.append(f'<path class="opmill-link" d="M{centres[0]} {y}H{centres[-1]}"/>')
        parts += [
            f'<circle cx="{x}" cy="{y}" r="5"'
            + (' class="opmill-tap"/>' if 0 <= p < axis.inputs else ' class="opmill-padded"/>')
            for x, p in zip(centres, axis.window(k), strict=True)
        ]
    return parts


def _x(axis: Axis, position: int) -> int:
    return LEFT + (position - axis.positions[0]) * CELL
