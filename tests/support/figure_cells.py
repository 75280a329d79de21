"""Contents of a picture of the manual, read from its SVG: labels, boxes, texts and circles."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from checked_tree import checked_tree
from differential.versions import Version, versions
from opmill._runtime.versions import MODULES
from opmill_gen.check.result import CheckedVersion
from opmill_gen.emit.docs.figures import example_figure
from opmill_gen.spec.cases import Example

SVG = "{http://www.w3.org/2000/svg}"
_BOX = re.compile(r"M(\d+) (\d+)h(\d+)v(\d+)h-\3z")


@dataclass(frozen=True)
class Box:
    """A box: where it begins, how large it is, its classes and its text."""

    x: int
    y: int
    width: int
    height: int
    kinds: tuple[str, ...]
    text: str

    @property
    def colour(self) -> str | None:
        """The class of its colour, where it has one."""
        return next((kind for kind in self.kinds if kind.startswith("opmill-tint-")), None)


@dataclass(frozen=True)
class Part:
    """A label and the boxes below it, up to the next labels."""

    label: str
    x: int
    y: int
    boxes: tuple[Box, ...]

    def in_order(self, shape: Sequence[int]) -> list[Box]:
        """The boxes of a tensor in row-major order: matrices stand from left to right, in lines."""
        rows, columns = ([1, 1, *shape])[-2:]
        xs, ys = (sorted({getattr(box, name) for box in self.boxes}) for name in "xy")

        def key(box: Box) -> tuple[int, int, int, int]:
            line, row = divmod(ys.index(box.y), rows)
            matrix, column = divmod(xs.index(box.x), columns)
            return line, matrix, row, column

        return sorted(self.boxes, key=key)


@dataclass(frozen=True)
class Picture:
    """A picture: its text alternative, its parts, its circles and what else it holds."""

    root: ElementTree.Element

    @property
    def title(self) -> str:
        return self.root.findtext(f"{SVG}title") or ""

    @property
    def size(self) -> tuple[int, int]:
        left, top, width, height = map(int, self.root.attrib["viewBox"].split())
        assert (left, top) == (0, 0)
        return width, height

    @property
    def texts(self) -> list[tuple[int, int, str, str]]:
        """Each text with its place and its class."""
        return [
            (int(e.attrib["x"]), int(e.attrib["y"]), e.text or "", e.attrib.get("class", ""))
            for e in self.root.iter(f"{SVG}text")
        ]

    @property
    def circles(self) -> list[tuple[float, float, str]]:
        """Each circle with its place and its class."""
        return [
            (float(e.attrib["cx"]), float(e.attrib["cy"]), e.attrib["class"])
            for e in self.root.iter(f"{SVG}circle")
        ]

    @property
    def boxes(self) -> list[Box]:
        texts = {(x, y): text for x, y, text, kind in self.texts if not kind}
        found = []
        for path in self.root.iter(f"{SVG}path"):
            for match in _BOX.finditer(path.attrib["d"]):
                x, y, width, height = map(int, match.groups())
                middle = (x + width // 2, y + height // 2 + 4)
                kinds = tuple(path.attrib["class"].split())
                found.append(Box(x, y, width, height, kinds, texts.get(middle, "")))
        return found

    @property
    def parts(self) -> list[Part]:
        labels = [(y, x, text) for x, y, text, kind in self.texts if kind == "opmill-label"]
        owned: dict[tuple[int, int, str], list[Box]] = {label: [] for label in labels}
        for box in self.boxes:
            line = max(y for y, x, _ in labels if y <= box.y)
            owned[max(label for label in labels if label[0] == line and label[1] <= box.x)] += [box]
        return [Part(text, x, y, tuple(boxes)) for (y, x, text), boxes in owned.items()]


def read(svg: str) -> Picture:
    """A picture; it must be well-formed."""
    return Picture(ElementTree.fromstring(svg))


def pictured(family: str) -> Iterator[tuple[CheckedVersion, Version, Example, Picture]]:
    """Every example of a family that has a picture, with what computes its version."""
    computed = {version.module: version for version in versions() if version.domain == "ai.onnx"}
    for version in checked_tree().versions:
        spec = version.spec
        module = MODULES[spec.domain, spec.operator, spec.since_version]
        if version.instance.family.name == family and module in computed:
            for example in version.spec.examples:
                drawn = example_figure(version, example)
                if drawn is not None:
                    yield version, computed[module], example, read(drawn)
