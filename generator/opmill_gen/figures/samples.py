"""Pictures of resized axes: each shows the positions of the output on the axis of the input."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from opmill_gen.figures.svg import ROW, WIDTH, Cells, axis_label, svg, text

LEGEND = """
In the pictures, the upper boxes are an axis of the input and the lower ones that axis of the
output. A line leads from each position of the output to its coordinate on the input's axis, where
an element's coordinate is the middle of its box; the result is taken from the elements around it.
"""

LEFT, CELL, GAP = 24, 24, 52
OUTSIDE = 1.25
"""Distance beyond the ends of the input's axis that is drawn, in elements."""


@dataclass(frozen=True)
class Axis:
    """An axis of a call: its length in the input, and the coordinate of each output position."""

    inputs: int
    coordinates: tuple[float, ...]

    @property
    def is_drawn(self) -> bool:
        """True if there is something to be seen, and a phone is wide enough for it."""
        longest = max(self.inputs, len(self.coordinates))
        moves = list(self.coordinates) != list(range(self.inputs))
        return moves and min(self.inputs, len(self.coordinates)) > 0 and _width(longest) <= WIDTH


def samples(axes: Sequence[Axis]) -> str | None:
    """The picture of a call; ``None`` where no axis can be drawn."""
    drawn: dict[Axis, list[int]] = {}
    for number, axis in enumerate(axes):
        if axis.is_drawn:
            drawn.setdefault(axis, []).append(number)
    if not drawn:
        return None
    parts: list[str] = []
    for k, (axis, numbers) in enumerate(drawn.items()):
        parts += _axis(axis_label(numbers), axis, k * (3 * ROW + GAP + 8))
    width = max(_width(max(axis.inputs, len(axis.coordinates))) for axis in drawn)
    described = [
        f"{axis_label(numbers)}: {axis.inputs} elements, {len(axis.coordinates)} in the output, at "
        + ", ".join(f"{c:.3g}" for c in axis.coordinates)
        for axis, numbers in drawn.items()
    ]
    return svg(max(width, 120), len(drawn) * (3 * ROW + GAP + 8), ". ".join(described), parts)


def _width(positions: int) -> int:
    return 2 * LEFT + positions * CELL


def _axis(label: str, axis: Axis, top: int) -> list[str]:
    """Both rows, and the lines between them; the shorter row is centred."""
    longest = max(axis.inputs, len(axis.coordinates))
    upper = LEFT + (longest - axis.inputs) * CELL // 2
    lower = LEFT + (longest - len(axis.coordinates)) * CELL // 2
    y, cells = top + ROW, Cells(CELL)
    for i in range(axis.inputs):
        cells.add(upper + i * CELL, y, "empty", str(i))
    parts = [text(0, top + 14, label, "label")]
    below = y + ROW + GAP
    links, dots = [], []
    for k, coordinate in enumerate(axis.coordinates):
        cells.add(lower + k * CELL, below, "kept", str(k))
        near = min(max(coordinate, -OUTSIDE), axis.inputs - 1 + OUTSIDE)
        x = f"{upper + (near + 0.5) * CELL:.1f}".removesuffix(".0")
        links.append(f"M{lower + k * CELL + CELL // 2} {below}L{x} {y + ROW + 6}")
        dots.append(f'<circle cx="{x}" cy="{y + ROW + 6}" r="3" class="opmill-dot"/>')
    return [*parts, *cells.svg(), f'<path class="opmill-link" d="{"".join(links)}"/>', *dots]
