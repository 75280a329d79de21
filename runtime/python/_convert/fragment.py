"""The text of an entry of ``conversions.json``: its conditions, and its nodes in ONNX's syntax.

Names of inputs, outputs and attributes are those of the source version. ``@name`` passes an
attribute on, ``$(...)`` is computed while converting, ``$op`` is the operator, ``_none`` an absent
input. An attribute whose value is ``None`` is left out. ``$each(k: values)[...]`` repeats a text in
which ``$k`` is one of the values after the other, ``$list(k: values)[...]`` with commas between;
``$if(condition)[...]`` is empty if the condition is false.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from onnx import (
    AttributeProto,
    GraphProto,
    NodeProto,
    TensorProto,
    ValueInfoProto,
    helper,
    parser,
)

from opmill._convert.expressions import ExpressionError, LazyNames, value_of
from opmill._convert.facts import Refusal, Scope, Value, type_word, typed
from opmill._convert.folding import arguments, dims_of, run
from opmill._convert.functions import FUNCTIONS
from opmill._onnx.tensors import array_of_tensor, tensor_of_array
from opmill._runtime.registry import operator
from opmill._runtime.schema import Parameter, Schema

_ABSENT = "_none"


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

    def __init__(
        self,
        node: NodeProto,
        schema: Schema,
        scope: Scope,
        let: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.node, self.schema, self.scope = node, schema, scope
        self._let = let
        self.attributes: dict[str, Any] = {one.name: one.default for one in schema.attributes}
        self.aliases = {one.name: one.alias for one in schema.attributes if one.alias}
        for one in node.attribute:
            self.attributes[one.name] = attribute_value(one)
        self.inputs = named(schema.inputs, node.input)
        self.outputs = named(schema.outputs, node.output)
        self._names: LazyNames | None = None

    def names(self) -> LazyNames:
        """The names that the expressions of an entry can use."""
        functions: dict[str, Callable[..., Any]] = {
            "rank": self.rank, "dims": self.dims, "dim": self.dim, "kind": self.kind,
            "type": self.type, "const": self.const, "is_empty": self.is_empty,
            "given": given, "used": given, "array": typed, "computed": self.computed,
            "known": self.known, "known_dim": self.known_dim,
            "tensor": self.tensor, "scalar": self.scalar,
        }  # fmt: skip
        attributes = {self.aliases.get(n, n): value for n, value in self.attributes.items()}
        counted = {"output_count": sum(map(bool, self.node.output))}
        known = {**FUNCTIONS, **functions, **counted, **self.outputs, **self.inputs, **attributes}
        return LazyNames(known, self._let)

    def with_names(self, let: Mapping[str, str]) -> Call:
        """The call with names of expressions."""
        return Call(self.node, self.schema, self.scope, let)

    def with_node(self, node: NodeProto) -> Call:
        """The call of another node of the operator."""
        return Call(node, self.schema, self.scope, self._let)

    def evaluate(self, text: str) -> Any:
        """The value of an expression.

        Raises:
            Refusal: it needs a fact that is unknown, or the call is not valid.
        """
        if self._names is None:
            self._names = self.names()
        try:
            return value_of(text, self._names)
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

    def known_dim(self, value: Value, axis: int) -> int | None:
        """One size of a value; ``None`` where it is unknown, or where the value lacks the axis."""
        dims = dims_of(self.scope.type_of(value.name))
        return dims[axis] if dims is not None and -len(dims) <= axis < len(dims) else None

    def is_empty(self, value: Value) -> bool:
        """Return whether a value is known to have no elements."""
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

    def known(self, value: Value) -> bool:
        """Return whether a value is a constant."""
        try:
            self.scope.constant(value)
        except Refusal:
            return False
        return True

    def tensor(self, value: Value) -> Any:
        """The contents of a constant, as an array."""
        return self.scope.constant(value)

    def scalar(self, value: Value) -> Any:
        """A value without axes: the value itself, or the only element of a constant."""
        return value if self.rank(value) == 0 else self.tensor(value).reshape(())

    def computed(self, *inputs: Any) -> Any:
        """The first result of the operator for other inputs, with the attributes of the call."""
        attributes = arguments(self.node.attribute)
        if attributes is None:
            raise Refusal("an attribute refers to an attribute of a function")
        kernel = operator(self.schema.name, self.schema.since_version, self.schema.domain)
        results = run(
            kernel, [None if one is None else np.asarray(one) for one in inputs], attributes, 1
        )
        if not results:
            raise Refusal(f"the call does not fit {self.schema.label}")
        return results[0]

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
            node = self._node(written, renamed, kinds, values)
            if any(node.output):  # others are outputs that the call does not use
                found.append(node)
        return found

    def _node(
        self,
        written: NodeProto,
        renamed: Callable[[str], str],
        kinds: Callable[[str], Mapping[str, str]],
        values: Sequence[Any],
    ) -> NodeProto:
        """A node as a fragment writes it, with the names and attributes of the model."""
        node = NodeProto(op_type=written.op_type)
        node.input.extend(renamed(name) for name in written.input)
        node.output.extend(renamed(name) for name in written.output)
        while node.input and not node.input[-1]:
            del node.input[-1]
        while len(node.output) > 1 and not node.output[-1]:
            del node.output[-1]
        known = kinds(written.op_type)
        for one in written.attribute:
            if one.type == AttributeProto.GRAPH:
                graph = GraphProto(name=one.g.name)
                graph.input.extend(ValueInfoProto(name=renamed(i.name)) for i in one.g.input)
                graph.node.extend(self._node(n, renamed, kinds, values) for n in one.g.node)
                graph.output.extend(ValueInfoProto(name=renamed(o.name)) for o in one.g.output)
                node.attribute.append(helper.make_attribute(one.name, graph))
                continue
            passed = self._attribute(one, known, values)
            if passed is not None:
                node.attribute.append(passed)
        return node

    def _expanded(self, text: str) -> str:
        """The text with the operator, with all outputs of a variadic one, and with repetitions."""
        while mark := re.search(r"\$(each|list|if)\(", text):
            end = _closing(text, mark.end() - 1)
            close = _closing(text, end + 1, "[]")
            parts = self._repeated(mark[1], text[mark.end() : end], text[end + 2 : close])
            joined = (", " if mark[1] == "list" else " ").join(parts)
            text = f"{text[: mark.start()]}{joined}{text[close + 1 :]}"
        outputs = ", ".join(f"_output{k}" for k in range(len(self.node.output)))
        return text.replace("$outputs", outputs).replace("$op", self.node.op_type)

    def _repeated(self, kind: str, head: str, text: str) -> list[str]:
        """The text under a condition, or once for each item, which stands behind a colon."""
        if kind == "if":
            return [text] if self.evaluate(head) else []
        written, _, items = head.partition(":")
        names = [name.strip() for name in written.split(",")]
        parts = []
        for item in self.evaluate(items):
            part = text
            for name, one in zip(names, item if len(names) > 1 else [item], strict=True):
                part = re.sub(rf"\${name}\b", str(one), part)
            parts.append(part)
        return parts

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

    def _renamed(self, values: Sequence[Any], fresh: Fresh, read: set[str]) -> Callable[[str], str]:
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

    def taken(self) -> frozenset[str]:
        """The names that values have so far."""
        return frozenset(self._taken)

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
        value = tensor_of_array(value)
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
        return array_of_tensor(value)
    if isinstance(value, np.ndarray):
        return value
    array = np.asarray(value)
    if array.size == 0 or array.dtype.kind in "iu":
        return array.astype(np.int64)
    return array.astype(np.float32) if array.dtype.kind == "f" else array


def _closing(text: str, start: int, brackets: str = "()") -> int:
    """The position of the bracket that closes the one at a position."""
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] == brackets[0]) - (text[at] == brackets[1])
        if depth == 0:
            return at
    raise ValueError(f"'{text[start:]}' is not closed")
