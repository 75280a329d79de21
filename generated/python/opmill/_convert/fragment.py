"""The text of an entry of ``conversions.json``: its conditions, and its nodes in ONNX's syntax.

Names of inputs, outputs and attributes are those of the source version. ``@name`` passes an
attribute on, ``$(...)`` is computed while converting, ``$op`` is the operator, ``_none`` an absent
input. An attribute whose value is ``None`` is left out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from ml_dtypes import finfo
from onnx import AttributeProto, NodeProto, TensorProto, helper, numpy_helper, parser

from opmill._convert.expressions import ExpressionError, value_of
from opmill._convert.facts import WORDS as _TYPE_WORDS
from opmill._convert.facts import Refusal, Scope, Value, type_word, typed
from opmill._convert.folding import dims_of
from opmill._convert.windows import windows
from opmill._runtime.schema import Parameter, Schema
from opmill._runtime.types import number_of_element

_ABSENT = "_none"
_MAX_ELEMENTS = 1 << 24
"""Maximum number of elements of a constant that an entry makes."""


class Reference:
    """An attribute that a function receives from its caller: nothing can be computed with it."""

    def __init__(self, name: str) -> None:
        self._name = name

    def _refuse(self, *_: object) -> Any:
        raise Refusal(f"attribute {self._name} refers to an attribute of a function")

    __bool__ = __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse
    __iter__ = __len__ = __getitem__ = __contains__ = __int__ = __float__ = _refuse
    __hash__ = None  # type: ignore[assignment]


class Call:
    """One node: its attributes with their defaults, its inputs and outputs by name."""

    def __init__(self, node: NodeProto, schema: Schema, scope: Scope) -> None:
        self.node, self.schema, self.scope = node, schema, scope
        self.attributes: dict[str, Any] = {one.name: one.default for one in schema.attributes}
        self.aliases = {one.name: one.alias for one in schema.attributes if one.alias}
        for one in node.attribute:
            self.attributes[one.name] = attribute_value(one)
        self.inputs = named(schema.inputs, node.input)
        self.outputs = named(schema.outputs, node.output)

    def names(self) -> dict[str, Any]:
        """What the expressions of an entry can use."""
        functions: dict[str, Callable[..., Any]] = {
            "rank": self.rank, "dims": self.dims, "dim": self.dim, "kind": self.kind,
            "type": self.type, "const": self.const, "is_empty": self.is_empty,
            "given": given, "used": given, "array": typed,
        }  # fmt: skip
        attributes = {self.aliases.get(n, n): value for n, value in self.attributes.items()}
        counted = {"output_count": sum(map(bool, self.node.output))}
        return {**_BUILTINS, **functions, **counted, **self.outputs, **self.inputs, **attributes}

    def evaluate(self, text: str) -> Any:
        """The value of an expression.

        Raises:
            Refusal: it needs a fact that is unknown, or the call is not valid.
        """
        try:
            return value_of(text, self.names())
        except ExpressionError:
            raise
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            raise Refusal(f"the call does not fit {self.schema.label}: {error}") from error

    def type(self, value: Value) -> str:
        """The element type of a value."""
        word = type_word(self.scope.type_of(value.name))
        if word is None:
            raise Refusal(f"the type of {value.formal} ({value.name}) is unknown")
        return word

    def rank(self, value: Value) -> int:
        """The rank of a value."""
        dims = dims_of(self.scope.type_of(value.name))
        if dims is None:
            raise Refusal(f"the rank of {value.formal} ({value.name}) is unknown")
        return len(dims)

    def dims(self, value: Value, first: int = 0) -> list[int]:
        """The sizes of a value, from an axis on."""
        return [self.dim(value, axis) for axis in range(first, self.rank(value))]

    def dim(self, value: Value, axis: int) -> int:
        """One size of a value."""
        dims = dims_of(self.scope.type_of(value.name))
        if dims is not None and not -len(dims) <= axis < len(dims):
            raise Refusal(f"{value.formal} ({value.name}) has no axis {axis}")
        size = None if dims is None else dims[axis]
        if size is None:
            raise Refusal(f"size {axis} of {value.formal} ({value.name}) is unknown")
        return size

    def is_empty(self, value: Value) -> bool:
        """Whether a value is known to have no elements."""
        return 0 in (dims_of(self.scope.type_of(value.name)) or [])

    def kind(self, value: Value) -> str:
        """Return whether a value is a tensor, a sequence or an optional."""
        type_ = self.scope.type_of(value.name)
        kind: str | None = None if type_ is None else type_.WhichOneof("value")
        if kind is None:
            raise Refusal(f"the type of {value.formal} ({value.name}) is unknown")
        return kind.removesuffix("_type")

    def const(self, value: Value) -> Any:
        """The contents of a constant, as a list or a number."""
        return self.scope.constant(value).tolist()

    def nodes(
        self, text: str, kinds: Callable[[str], Mapping[str, str]], opset: int, fresh: Fresh
    ) -> list[NodeProto]:
        """The nodes of a fragment.

        Args:
            text: the fragment.
            kinds: the kinds of the attributes of an operator at the opset of the fragment.
            opset: that opset.
            fresh: gives new names, and stores constants.
        """
        values: list[Any] = []
        text = "".join(self._substituted(self._expanded(text), values))
        head = f'<domain: "f", opset_import: ["" : {opset}]> f () => () {{ {text} }}'
        parsed = parser.parse_function(head).node
        read = {name for written in parsed for name in written.input}
        renamed = self._renamed(values, fresh, read)
        found: list[NodeProto] = []
        for written in parsed:
            node = NodeProto(op_type=written.op_type)
            node.input.extend(renamed(name) for name in written.input)
            node.output.extend(renamed(name) for name in written.output)
            while node.input and not node.input[-1]:
                del node.input[-1]
            while len(node.output) > 1 and not node.output[-1]:
                del node.output[-1]
            if not any(node.output):
                continue  # of outputs that the call does not use
            known = kinds(written.op_type)
            for one in written.attribute:
                passed = self._attribute(one, known, values)
                if passed is not None:
                    node.attribute.append(passed)
            found.append(node)
        return found

    def _expanded(self, text: str) -> str:
        """The text with the operator, and with all outputs of a variadic one."""
        outputs = ", ".join(f"_output{k}" for k in range(len(self.node.output)))
        return text.replace("$outputs", outputs).replace("$op", self.node.op_type)

    def _substituted(self, text: str, values: list[Any]) -> Iterator[str]:
        """The text with ``$(...)`` and ``@name`` as words that the parser takes."""
        at = 0
        while at < len(text):
            mark = text[at]
            if mark not in "$@":
                yield mark
                at += 1
                continue
            is_attribute = "".join(text[:at]).rstrip().endswith("=")
            if mark == "@":
                word = re.match(r"@(\w+)", text[at:])
                assert word is not None, text
                values.append(self._passed(word[1]))
                at += len(word[0])
            else:
                end = _closing(text, at + 1)
                values.append(self.evaluate(text[at + 2 : end]))
                at = end + 1
            number = len(values) - 1
            yield f'"${number}"' if is_attribute else f"_constant{number}"

    def _passed(self, name: str) -> Any:
        written = {one.name: one for one in self.node.attribute}
        return written.get(name, self.attributes.get(name))

    def _renamed(
        self, values: Sequence[Any], fresh: Fresh, read: set[str]
    ) -> Callable[[str], str]:
        known = {"": "", _ABSENT: ""}
        known.update({f"_output{k}": one for k, one in enumerate(self.node.output)})
        for one in {**self.outputs, **self.inputs}.values():
            if isinstance(one, Value):
                known[one.formal] = one.name
        for formal in read & self.outputs.keys():
            if not known[formal]:
                del known[formal]  # an output that the call does not use, and the fragment does

        def renamed(name: str) -> str:
            if name not in known:
                number = re.fullmatch(r"_constant(\d+)", name)
                if number:
                    value = values[int(number[1])]
                    is_name = isinstance(value, Value)
                    known[name] = value.name if is_name else fresh.constant(array_like(value))
                else:
                    known[name] = fresh.name(name)
            return known[name]

        return renamed

    def _attribute(
        self, one: AttributeProto, kinds: Mapping[str, str], values: Sequence[Any]
    ) -> AttributeProto | None:
        mark = re.fullmatch(rb"\$(\d+)", one.s) if one.type == AttributeProto.STRING else None
        if mark is None:
            return one
        value = values[int(mark[1])]
        return None if value is None else attribute_of(one.name, value, kinds.get(one.name))


class Fresh:
    """Gives names that no value of the model has, and stores constants in a graph."""

    def __init__(self, taken: set[str], store: Callable[[str, Any], None]) -> None:
        self._taken, self._store = taken, store

    def name(self, hint: str) -> str:
        """A new name that begins with a hint."""
        number, name = 0, f"convert_{hint}"
        while name in self._taken:
            number += 1
            name = f"convert_{hint}_{number}"
        self._taken.add(name)
        return name

    def constant(self, array: np.ndarray[Any, Any]) -> str:
        """The name of a new constant."""
        name = self.name("constant")
        self._store(name, array)
        return name


def named(formals: Sequence[Parameter], names: Sequence[str]) -> dict[str, Any]:
    """Values by the names of a schema; a variadic parameter has a list."""
    found: dict[str, Any] = {}
    for position, formal in enumerate(formals):
        if formal.option == "variadic":
            found[formal.name] = [Value(name, formal.name) for name in names[position:]]
        else:
            name = names[position] if position < len(names) else ""
            found[formal.name] = Value(name, formal.name)
    return found


def given(value: Any) -> bool:
    """Return whether a call has an input or an attribute, or uses an output."""
    return bool(value.name) if isinstance(value, Value) else value is not None


def attribute_value(one: AttributeProto) -> Any:
    """An attribute as Python's values; tensors as arrays."""
    if one.ref_attr_name:
        return Reference(one.name)
    value = helper.get_attribute_value(one)
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if one.type == AttributeProto.STRINGS:
        return [text.decode("utf-8", "replace") for text in one.strings]
    if one.type == AttributeProto.TENSOR:
        return value
    return list(value) if hasattr(value, "__len__") else value


def attribute_of(name: str, value: Any, kind: str | None) -> AttributeProto:
    """A value as an attribute of a kind."""
    if isinstance(value, AttributeProto):
        copy = AttributeProto()
        copy.CopyFrom(value)
        copy.name = name
        return copy
    if isinstance(value, np.ndarray):
        value = numpy_helper.from_array(value)
    if kind == "FLOAT":
        value = float(value)
    elif kind == "FLOATS":
        value = [float(one) for one in value]
    if isinstance(value, (list, tuple)) and not value:
        return AttributeProto(name=name, type=AttributeProto.AttributeType.Value(kind or "INTS"))
    return helper.make_attribute(name, value)


def array_like(value: Any) -> np.ndarray[Any, Any]:
    """A value of an expression as a constant: integers are int64, floats float32."""
    if isinstance(value, AttributeProto):
        value = attribute_value(value)
    if isinstance(value, Reference):
        value._refuse()
    if isinstance(value, TensorProto):
        return numpy_helper.to_array(value)
    if isinstance(value, np.ndarray):
        return value
    array = np.asarray(value)
    if array.size == 0 or array.dtype.kind in "iu":
        return array.astype(np.int64)
    return array.astype(np.float32) if array.dtype.kind == "f" else array


def _closing(text: str, start: int) -> int:
    """The position of the bracket that closes the one at a position."""
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] == "(") - (text[at] == ")")
        if depth == 0:
            return at
    raise ValueError(f"'{text[start:]}' is not closed")


def swapped(rank: int, axis: int) -> list[int]:
    """The permutation that exchanges an axis with the last one."""
    order = list(range(rank))
    order[axis], order[-1] = order[-1], order[axis]
    return order


def spread(axes: Sequence[int], pads: Sequence[int], rank: int) -> list[int]:
    """Padding of some axes as padding of all of them."""
    found = [0] * (2 * rank)
    for at, axis in enumerate(axes):
        found[axis % rank] = pads[at]
        found[axis % rank + rank] = pads[at + len(axes)]
    return found


def parts(size: int, count: int) -> list[int]:
    """The sizes of parts that are equal but for the last one."""
    each = -(-size // count)
    return [max(0, min(each, size - each * k)) for k in range(count)]


def fits(dims: Sequence[int], other: Sequence[int]) -> bool:
    """Return whether a shape can be broadcast to another one."""
    pairs = zip(reversed(dims), reversed(other), strict=False)
    return len(other) <= len(dims) and all(two in (1, one) for one, two in pairs)


def positive(axes: Sequence[int], rank: int) -> list[int]:
    """Axes that count from the start."""
    return [axis + rank if axis < 0 else axis for axis in axes]


def single(value: Any) -> Any:
    """The only number of a nested list."""
    while isinstance(value, list):
        (value,) = value
    return value


def filled(dims: Sequence[int], number: float, word: str) -> np.ndarray[Any, Any]:
    """An array of one number."""
    if math.prod(dims) > _MAX_ELEMENTS:
        raise Refusal(f"a constant of dims {list(dims)} is too large")
    return np.broadcast_to(typed(number, word), tuple(dims)).copy()


def triangle(rows: int, columns: int, diagonal: int, upper: int) -> np.ndarray[Any, Any]:
    """Which elements of a matrix are above a diagonal, or below it; those on it always are."""
    offsets = np.arange(columns) - np.arange(rows)[:, None]
    return offsets >= diagonal if upper else offsets <= diagonal


def largest(word: str) -> Any:
    """The largest finite number of a type of floats."""
    limits: Any = finfo
    return float(limits(typed(0, word).dtype).max)


def scattered(axes: Sequence[int] | None, values: Sequence[Any], base: Sequence[Any]) -> list[Any]:
    """A list with the values of some axes; without axes, the values."""
    if axes is None:
        return list(values)
    found = list(base)
    for axis, value in zip(axes, values, strict=True):
        found[axis] = value
    return found


def vector(value: Any) -> list[Any]:
    """A list, or a number as a list of one."""
    return value if isinstance(value, list) else [value]


def inside(
    kernel_shape: Sequence[int], pads: Sequence[int] | None, dilations: Sequence[int] | None
) -> bool:
    """Whether padding is smaller than windows, so that none begins in the padding at the end."""
    count = len(kernel_shape)
    steps = dilations or [1] * count
    ends = pads[count:] if pads else [0] * count
    sizes = [(size - 1) * step + 1 for size, step in zip(kernel_shape, steps, strict=True)]
    return all(end < size for end, size in zip(ends, sizes, strict=True))


def clamped(at: int, rank: int) -> int:
    """An axis of a range, which may count from the end, within 0 and the rank."""
    return max(0, min(rank, at + rank if at < 0 else at))


def name(value: Value, default: Any) -> Any:
    """An input, or a constant where it is absent."""
    return value if value.name else default


def word(number: int) -> str:
    """The name of an element type."""
    return _TYPE_WORDS[number]


_FUNCTIONS: tuple[Callable[..., Any], ...] = (
    swapped, spread, parts, fits, clamped, triangle, largest, scattered, positive, single, vector,
    inside, filled, windows, name, word,
    abs, all, any, float, int, len, list, max, min, range, sorted, sum, zip, enumerate,
)  # fmt: skip

_BUILTINS: dict[str, Any] = {
    **{one.__name__: one for one in _FUNCTIONS},
    "number": number_of_element,
    "float32": lambda one: float(np.float32(one)),
    "prod": math.prod,
    "inf": math.inf,
    "isfinite": math.isfinite,
    "lower": str.lower,
    "upper": str.upper,
}
