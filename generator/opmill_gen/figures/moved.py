"""Elements that are moved: each element of an output and the one that it copies, in one colour.

A tensor is drawn as matrices of its last two axes, from left to right.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from opmill_gen.figures.svg import ROW, WIDTH, Cells, Pictured, element_text, svg, text
from opmill_gen.spec.tensor_values import Element

LEGEND = """
In the pictures, an element of the output has the colour of the element that it copies. Elements
without colour are not copied; dashed ones of the output are added.
"""

Index = tuple[int, ...]
Origin = tuple[str, Index]
"""The name of an input and the index of one of its elements."""

TINTS = 4
MAX_CELLS = 48
MAX_RANK = 5
LONGEST_TEXT = 6


@dataclass(frozen=True)
class Output:
    """An output, and the element that each of its elements copies.

    Where ``origin`` returns ``None``, the element is ``filled``. ``added`` is true of copies that
    the picture marks as additions, as those of padding.
    """

    name: str
    shape: Sequence[int]
    origin: Callable[[Index], Origin | None]
    filled: Element = 0
    added: Callable[[Index], bool] = lambda index: False


def moved(
    inputs: Mapping[str, Pictured],
    outputs: Sequence[Output],
    tint: Callable[[str, Index], int],
    choosers: Mapping[str, tuple[Pictured, Callable[[Index], int]]] | None = None,
) -> str | None:
    """The picture of a call; ``None`` where it is too large to be drawn or there is nothing to see.

    Args:
        inputs: the tensors whose elements are copied.
        outputs: the outputs.
        tint: the colour of an element, by the name of its input and its index; any number.
        choosers: inputs that choose elements, as indices do, with the colour of each element.
    """
    choosers = choosers or {}
    if not _is_drawn([*inputs.values(), *(c for c, _ in choosers.values())], outputs):
        return None
    origins = [{i: output.origin(i) for i in indices(output.shape)} for output in outputs]
    if len(inputs) == len(outputs) == 1 and _stays(outputs[0], origins[0], inputs):
        return None
    copied = {origin for one in origins for origin in one.values() if origin is not None}
    panels: list[Panel] = []
    for name, tensor in inputs.items():
        kinds = {
            i: f"tint-{tint(name, i) % TINTS}" if (name, i) in copied else "empty"
            for i in indices(tensor.shape)
        }
        panels.append(Panel(name, tensor.shape, kinds, _texts(tensor)))
    for name, (tensor, colour) in choosers.items():
        kinds = {i: f"tint-{colour(i) % TINTS}" for i in indices(tensor.shape)}
        panels.append(Panel(name, tensor.shape, kinds, _texts(tensor)))
    for output, origin_of in zip(outputs, origins, strict=True):
        panels.append(_output_panel(output, origin_of, inputs, tint))
    if not all(panel.is_drawn for panel in panels):
        return None
    described = [
        f"{output.name}, shape {list(output.shape)}: {_origin_texts(list(one.values()), inputs)}"
        for output, one in zip(outputs, origins, strict=True)
    ]
    return _picture(panels, len(panels) - len(outputs), ". ".join(described))


def _is_drawn(tensors: Sequence[Pictured], outputs: Sequence[Output]) -> bool:
    """Return whether the tensors have few elements, which the example states."""
    shapes = [*(tensor.shape for tensor in tensors), *(tuple(one.shape) for one in outputs)]
    small = all(1 <= math.prod(s) <= MAX_CELLS and len(s) <= MAX_RANK for s in shapes)
    return bool(tensors) and small and all(tensor.elements is not None for tensor in tensors)


def _stays(
    output: Output, origins: Mapping[Index, Origin | None], inputs: Mapping[str, Pictured]
) -> bool:
    """Return whether an output is its input: there is nothing to see."""
    [(name, tensor)] = inputs.items()
    same = all(origin == (name, index) for index, origin in origins.items())
    return tuple(output.shape) == tensor.shape and same


def indices(shape: Sequence[int]) -> Iterator[Index]:
    """Every index of a shape, in row-major order."""
    return itertools.product(*(range(dim) for dim in shape))


def position(index: Index, shape: Sequence[int]) -> int:
    """The number of an element in row-major order."""
    number = 0
    for i, dim in zip(index, shape, strict=True):
        number = number * dim + i
    return number


def first_long_axis(shape: Sequence[int]) -> int | None:
    """The first axis with several positions."""
    return next((axis for axis, dim in enumerate(shape) if dim > 1), None)


@dataclass(frozen=True)
class Panel:
    """A tensor of the picture: the class and the text of each element."""

    name: str
    shape: Sequence[int]
    kinds: Mapping[Index, str]
    texts: Mapping[Index, str]

    @property
    def cell(self) -> int:
        """The width of a box."""
        return max(22, 7 * max(map(len, self.texts.values())) + 8)

    @property
    def _columns(self) -> int:
        return self.shape[-1] if self.shape else 1

    @property
    def _rows(self) -> int:
        return self.shape[-2] if len(self.shape) > 1 else 1

    @property
    def is_drawn(self) -> bool:
        """True if its texts are short and a phone is wide enough for it."""
        short = all(len(words) <= LONGEST_TEXT for words in self.texts.values())
        return short and self._columns * self.cell <= WIDTH

    @property
    def _matrices(self) -> int:
        return math.prod(self.shape[:-2])

    @property
    def _in_a_line(self) -> int:
        """Number of matrices that are side by side."""
        return min(self._matrices, (WIDTH + 8) // (self._columns * self.cell + 8))

    @property
    def width(self) -> int:
        """The width of the tensor and its name."""
        line = self._in_a_line * (self._columns * self.cell + 8) - 8
        return max(line, 8 * len(self.name))

    @property
    def height(self) -> int:
        """The height of the tensor and its name."""
        lines = -(-self._matrices // self._in_a_line)
        return ROW + lines * (self._rows * ROW + 6)

    def svg(self, left: int, top: int) -> list[str]:
        """The name, and below it the matrices."""
        cells = Cells(self.cell)
        for index, kind in self.kinds.items():
            line, column_of_line = divmod(position(index[:-2], self.shape[:-2]), self._in_a_line)
            row = index[-2] if len(index) > 1 else 0
            column = index[-1] if index else 0
            x = left + column_of_line * (self._columns * self.cell + 8) + column * self.cell
            y = top + ROW + line * (self._rows * ROW + 6) + row * ROW
            cells.add(x, y, kind, self.texts[index])
        return [text(left, top + 14, self.name, "label"), *cells.svg()]


def _texts(tensor: Pictured) -> dict[Index, str]:
    assert tensor.elements is not None
    return {i: element_text(e) for i, e in zip(indices(tensor.shape), tensor.elements, strict=True)}


def _output_panel(
    output: Output,
    origins: Mapping[Index, Origin | None],
    inputs: Mapping[str, Pictured],
    tint: Callable[[str, Index], int],
) -> Panel:
    known = {name: _texts(tensor) for name, tensor in inputs.items()}
    kinds, texts = {}, {}
    for i, origin in origins.items():
        if origin is None:
            kinds[i], texts[i] = "filled", element_text(output.filled)
            continue
        name, index = origin
        added = " opmill-added" if output.added(i) else ""
        kinds[i], texts[i] = f"tint-{tint(name, index) % TINTS}{added}", known[name][index]
    return Panel(output.name, output.shape, kinds, texts)


def _origin_texts(origins: Sequence[Origin | None], inputs: Mapping[str, Pictured]) -> str:
    """Describe what an output copies: positions in row-major order."""
    words = []
    for name, group in itertools.groupby(origins, lambda origin: origin[0] if origin else ""):
        if not name:
            words.append(f"{len(list(group))} filled in")
            continue
        found = [origin[1] for origin in group if origin is not None]
        numbers = ", ".join(str(position(index, inputs[name].shape)) for index in found)
        words.append(f"{name}[{numbers}]")
    return ", ".join(words)


def _picture(panels: Sequence[Panel], before: int, title: str) -> str:
    """The panels from left to right, in lines; outputs begin a line unless all fit into one."""
    one_line = sum(panel.width + 24 for panel in panels) - 24 <= WIDTH
    parts: list[str] = []
    left = top = line = width = 0
    for k, panel in enumerate(panels):
        breaks = left + panel.width > WIDTH or (k == before and not one_line)
        if k and breaks:
            left, top, line = 0, top + line + 4, 0
        parts += panel.svg(left, top)
        width, line = max(width, left + panel.width), max(line, panel.height)
        left += panel.width + 24
    return svg(width, top + line, title, parts)
