"""Tensors written in a spec's examples and rejects.

A tensor states its element type and one source of its elements: nested values, bit patterns,
one value for all, an exact formula, or (for expected outputs) the family's oracle.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from fractions import Fraction

from opmill_gen.base.diagnostics import Location
from opmill_gen.base.onnx_types import ElementType, parse_element
from opmill_gen.yaml_reader.decode import Faults, Node, Unreadable, key, read_node, read_value
from opmill_gen.yaml_reader.tree import Entries, Scalar, Tree, describe

MAX_ELEMENTS = 2**17
"""Examples are read, computed and compiled in every run; a larger tensor shows nothing more."""

Element = int | float | complex | str | bool

_REAL = r"(?:inf|nan|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)"
_COMPLEX = re.compile(rf"(?P<re>[-+]?{_REAL})(?P<im>[-+]{_REAL})j\Z")


@dataclass(frozen=True)
class Given:
    """The elements themselves, in row-major order."""

    elements: tuple[Element, ...]


@dataclass(frozen=True)
class Bits:
    """The bit patterns of the elements, in row-major order."""

    patterns: tuple[int, ...]


@dataclass(frozen=True)
class Fill:
    """Every element has this value."""

    element: Element


@dataclass(frozen=True)
class ByOracle:
    """The test computes the elements with the family's oracle."""


@dataclass(frozen=True, kw_only=True)
class Formula(Node):
    """An exact formula: element k is ((start + step * k) mod modulo) * scale + offset."""

    start: int = key("the value at k = 0", default=0)
    step: int = key("the step from one element to the next", default=1)
    modulo: int | None = key("the modulus, where there is one", default=None, form={"minimum": 1})
    scale: Tree | None = key("the number to multiply with", default=None, form={"type": "number"})
    offset: Tree | None = key("the number to add", default=None, form={"type": "number"})

    def number(self, name: str, absent: int) -> int | float:
        """``scale`` or ``offset`` as a number; ``read_tensor`` has checked that it is one."""
        tree = getattr(self, name)
        if tree is None:
            return absent
        value = tree.value
        assert isinstance(value, (int, float))
        return value

    def element(self, k: int) -> Fraction:
        """Element ``k`` of the tensor, exactly."""
        return self.exact(self.counted(k))

    def elements(self, size: int) -> list[Fraction]:
        """The first elements of the tensor, exactly."""
        values = [self.counted(k) for k in range(size)]
        known = {value: self.exact(value) for value in set(values)}
        return [known[value] for value in values]

    def counted(self, k: int) -> int:
        """(start + step * k) mod modulo."""
        value = self.start + self.step * k
        return value if self.modulo is None else value % self.modulo

    def exact(self, value: int) -> Fraction:
        """``value * scale + offset``."""
        scaled = Fraction(value) * Fraction(self.number("scale", 1))
        return scaled + Fraction(self.number("offset", 0))


Source = Given | Bits | Fill | ByOracle | Formula


@dataclass(frozen=True)
class TensorValue:
    """A tensor of an example: its element type, its shape, and where its elements come from."""

    location: Location = field(repr=False, compare=False)
    type: ElementType
    shape: tuple[int, ...]
    source: Source

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    @classmethod
    def from_tree(cls, tree: Tree, faults: Faults) -> TensorValue:
        """Read ``{type: float, value: [[0, 1], [2, 3]]}`` and its relatives."""
        written = read_node(Written, tree, faults)
        try:
            element = parse_element(written.type)
        except ValueError as error:
            raise faults.refuse(written.at("type"), str(error)) from None
        shape, source = written.read_source(element, faults)
        return cls(written.location, element, shape, source)


@dataclass(frozen=True, kw_only=True)
class Written(Node):
    """A tensor."""

    type: str = key("the element type in ONNX's words, as float or int64")
    shape: tuple[int, ...] | None = key("the dims, where the nesting cannot tell", default=None)
    value: Tree | None = key("the elements, nested as the shape", default=None)
    bits: Tree | None = key("the elements' bit patterns, nested as the shape", default=None)
    fill: Tree | None = key("the one value of all elements", default=None)
    formula: Formula | None = key("an exact formula for the elements", default=None)
    oracle: bool = key("whether the family's oracle computes the elements", default=False)

    def read_source(self, element: ElementType, faults: Faults) -> tuple[tuple[int, ...], Source]:
        keys = ("value", "bits", "fill", "formula", "oracle")
        names = [name for name in keys if getattr(self, name) not in (None, False)]
        if len(names) != 1:
            got = " and ".join(names) if names else "none"
            raise faults.refuse(
                self.location,
                f"a tensor has one of value, bits, fill, formula or oracle, got {got}",
            )
        if self.shape is not None and any(d < 0 for d in self.shape):
            raise faults.refuse(self.at("shape"), "dims must be >= 0")
        if self.shape is not None and math.prod(self.shape) > MAX_ELEMENTS:
            raise faults.refuse(
                self.at("shape"),
                f"the tensor has {math.prod(self.shape)} elements, expected at most {MAX_ELEMENTS}",
            )
        if self.value is not None:
            shape, leaves = self.nested(self.value, faults)
            return shape, Given(_all_elements(leaves, element, faults))
        if self.bits is not None:
            if element.is_complex or element is ElementType.STRING:
                raise faults.refuse(
                    self.at("bits"), f"bits cannot describe {element.value}; write the value"
                )
            shape, leaves = self.nested(self.bits, faults)
            return shape, Bits(_all_patterns(leaves, faults))
        if self.shape is None:
            raise faults.refuse(
                self.at(names[0]), f"'{names[0]}' needs a shape; write shape: [2, 3] beside it"
            )
        if self.fill is not None:
            return self.shape, Fill(read_element(self.fill, element, faults))
        if self.formula is not None:
            return self.shape, self.checked_formula(element, faults)
        return self.shape, ByOracle()

    def nested(self, tree: Tree, faults: Faults) -> tuple[tuple[int, ...], list[Tree]]:
        """The shape and the leaves of nested lists, checked against a given shape."""
        shape, leaves = _flatten(tree, faults)
        if self.shape is None:
            return shape, leaves
        if math.prod(self.shape) != len(leaves):
            raise faults.refuse(
                self.at("shape"),
                f"shape {list(self.shape)} does not hold the {len(leaves)} values given",
            )
        return self.shape, leaves

    def checked_formula(self, element: ElementType, faults: Faults) -> Formula:
        assert self.formula is not None
        for name in ("scale", "offset"):
            tree = getattr(self.formula, name)
            if tree is None:
                continue
            number = isinstance(tree, Scalar) and isinstance(tree.value, (int, float))
            if not number or isinstance(tree.value, bool) or not math.isfinite(tree.value):
                raise faults.refuse(tree.location, f"expected a number, got {describe(tree)}")
        if self.formula.modulo is not None and self.formula.modulo < 1:
            raise faults.refuse(self.formula.at("modulo"), "modulo must be >= 1")
        if element is ElementType.STRING or element is ElementType.BOOL:
            raise faults.refuse(
                self.at("formula"), f"a formula gives numbers, not {element.value}; write the value"
            )
        if element.is_integer and self.formula.element(1).denominator != 1:
            raise faults.refuse(self.at("formula"), f"the formula leaves {element.value}")
        return self.formula


def _flatten(tree: Tree, faults: Faults) -> tuple[tuple[int, ...], list[Tree]]:
    if isinstance(tree, Entries):
        raise faults.refuse(tree.location, "expected values or nested lists, got a mapping")
    if isinstance(tree, Scalar):
        return (), [tree]
    parts = [_flatten(item, faults) for item in tree.items]
    if not parts:
        return (0,), []
    inner = parts[0][0]
    for item, (shape, _) in zip(tree.items, parts, strict=True):
        if shape != inner:
            raise faults.refuse(
                item.location,
                f"the nested lists are ragged: shape {list(shape)} beside {list(inner)}",
            )
    return (len(parts), *inner), [leaf for _, leaves in parts for leaf in leaves]


def _all_elements(leaves: list[Tree], element: ElementType, faults: Faults) -> tuple[Element, ...]:
    values: list[Element] = []
    for leaf in leaves:
        try:
            values.append(read_element(leaf, element, faults))
        except Unreadable:
            continue
    if len(values) < len(leaves):
        raise Unreadable
    return tuple(values)


def _all_patterns(leaves: list[Tree], faults: Faults) -> tuple[int, ...]:
    patterns = []
    for leaf in leaves:
        pattern = read_value(int, leaf, faults)
        if not 0 <= pattern < 2**64:
            raise faults.refuse(leaf.location, "a bit pattern is a whole number of 0 to 64 bits")
        patterns.append(pattern)
    return tuple(patterns)


def read_element(tree: Tree, element: ElementType, faults: Faults) -> Element:
    """One element, checked against the element type."""
    if not isinstance(tree, Scalar):
        raise faults.refuse(tree.location, f"expected one {element.value}, got {describe(tree)}")
    value = tree.value
    if element is ElementType.STRING:
        if value is not None or tree.text == "":
            return tree.text
    elif element is ElementType.BOOL:
        if isinstance(value, bool):
            return value
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        if element.is_integer:
            low, high = integer_range(element)
            if isinstance(value, int) and low <= value <= high:
                return value
        elif element.is_complex:
            return complex(value)
        else:
            return negative_zero_kept(tree.text, value)
    elif element.is_complex and isinstance(value, str):
        match = _COMPLEX.match(tree.text)
        if match:
            return complex(float(match["re"]), float(match["im"]))
    raise faults.refuse(tree.location, f"expected a value of {element.value}, got {describe(tree)}")


def negative_zero_kept(text: str, value: int | float) -> int | float:
    """``-0`` is a negative zero in a tensor of floats, as ``-0.0`` is."""
    if value == 0 and text.startswith("-"):
        return -0.0
    return value


def integer_range(element: ElementType) -> tuple[int, int]:
    """The smallest and the largest value of an integer element type."""
    bits = int(element.value.lstrip("uint"))
    if element.value.startswith("u"):
        return 0, 2**bits - 1
    return -(2 ** (bits - 1)), 2 ** (bits - 1) - 1
