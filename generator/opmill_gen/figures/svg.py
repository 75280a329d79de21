"""Parts that all pictures share: arguments of an example, and shapes and texts of an SVG.

Colours are classes of the manual's style sheet, which has them for light and dark themes. A
picture is at most ``WIDTH`` wide, so that its text is legible on a phone.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from opmill_gen.spec.tensor_values import Element

WIDTH = 336
ROW = 20


@dataclass(frozen=True)
class Pictured:
    """A tensor of an example. ``elements`` is ``None`` where the example does not state them."""

    shape: tuple[int, ...]
    elements: tuple[Element, ...] | None

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    @property
    def integers(self) -> list[int] | None:
        """The elements as integers; ``None`` where they are not stated or not all whole."""
        if self.elements is None:
            return None
        whole = [e for e in self.elements if isinstance(e, (int, float)) and e == int(e)]
        return [int(e) for e in whole] if len(whole) == self.size else None


Arguments = Mapping[str, Any]
"""By name a ``Pictured``, a list of them for a variadic or a sequence, or ``None``."""


@dataclass
class Cells:
    """Boxes of one size, gathered by class: one path for each."""

    width: int
    height: int = ROW

    def __post_init__(self) -> None:
        self._boxes: dict[str, list[tuple[int, int]]] = {}
        self._texts: list[str] = []

    def add(self, x: int, y: int, kind: str, words: str = "") -> None:
        """A box with its upper left corner at ``x`` and ``y``, and a text in its middle."""
        self._boxes.setdefault(kind, []).append((x, y))
        if words:
            self._texts.append(text(x + self.width // 2, y + self.height // 2 + 4, words))

    def svg(self) -> list[str]:
        """The boxes, then the texts."""
        box = f"h{self.width - 2}v{self.height - 2}h-{self.width - 2}z"
        paths = [
            f'<path class="opmill-{kind}" d="'
            + "".join(f"M{x + 1} {y + 1}{box}" for x, y in corners)
            + '"/>'
            for kind, corners in self._boxes.items()
        ]
        return [*paths, *self._texts]


def text(x: int, y: int, words: str, kind: str = "") -> str:
    """A text; without a class it is centred on ``x``."""
    named = f' class="opmill-{kind}"' if kind else ""
    return f'<text x="{x}" y="{y}"{named}>{html.escape(words)}</text>'


def svg(width: int, height: int, title: str, parts: Iterable[str]) -> str:
    """The picture; ``title`` is its text alternative."""
    return "\n".join(
        [
            f'<svg class="opmill-figure opmill-cells" role="img" viewBox="0 0 {width} {height}" '
            f'style="max-width: {width}px" xmlns="http://www.w3.org/2000/svg">',
            f"<title>{html.escape(title)}</title>",
            *parts,
            "</svg>",
        ]
    )


def axis_label(numbers: Sequence[int]) -> str:
    """``axis 0``, or ``axes 0, 1`` where they are alike."""
    return f"{'axis' if len(numbers) == 1 else 'axes'} {', '.join(map(str, numbers))}"


def element_text(element: Element) -> str:
    """An element as short as a cell needs it."""
    if isinstance(element, bool):
        return "T" if element else "F"
    if isinstance(element, float):
        return f"{element:.4g}"
    return str(element)
