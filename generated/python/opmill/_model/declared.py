"""Types and shapes that a model declares for its inputs and outputs, and checks against them.

A value is an array; a list of arrays, which is a sequence; a dict, which is a map; or ``None``, an
optional without contents. An optional with contents is one of the first two.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import repeat
from typing import Any, NamedTuple, NoReturn

import numpy as np

from opmill._model.errors import FeedError, ModelError, plain, shown
from opmill._runtime import messages
from opmill._runtime.buffers import shape_text
from opmill._runtime.containers import TensorSequence
from opmill._runtime.errors import TypeConstraintError, one_of
from opmill._runtime.maps import TypedMap
from opmill._runtime.schema import Parameter, Schema, value_name
from opmill._runtime.types import Array, dtype_of, element_word

Bound = dict[str, int]
"""The number that each named dim has had so far."""


class DeclaredTensor(NamedTuple):
    """A tensor.

    Args:
        element: ONNX's word for the element type; ``None`` where the model does not say.
        dims: for each dim its number, its name, or ``None``; ``None`` where the rank is open.
    """

    element: str | None
    dims: tuple[int | str | None, ...] | None

    @property
    def word(self) -> str:
        """ONNX's word for the type, as ``tensor(float)``."""
        return "tensor" if self.element is None else f"tensor({self.element})"

    def accepts(self, value: Any, bound: Bound) -> bool:
        """Return whether a value passes ``check``, as far as that is quick to find out."""
        if type(value) is not np.ndarray:
            return False
        if self.element is not None and element_word(value.dtype) != self.element:
            return False
        if self.dims is None or value.shape == self.dims:
            return True
        return len(self.dims) == value.ndim and all(
            dim is None or size == (bound.setdefault(dim, size) if isinstance(dim, str) else dim)
            for dim, size in zip(self.dims, value.shape, strict=True)
        )

    def check(self, what: str, value: Any, bound: Bound, also: str = "") -> Array:
        """The array that is given; see ``check_fed``."""
        if not isinstance(value, (np.ndarray, np.generic)) or isinstance(value, np.ma.MaskedArray):
            raise FeedError(f"{what} has type {type(value).__name__}, expected a NumPy array{also}")
        array: Array = np.asarray(value)
        word = element_word(array.dtype)
        if self.element is not None and word != self.element:
            given = _object_word(array) or word or array.dtype
            raise FeedError(f"{what} has type {given}, expected {self.element}")
        self._check_dims(what, array, bound)
        return array

    def _check_dims(self, what: str, array: Array, bound: Bound) -> None:
        if self.dims is None:
            return
        text = shape_text(array.shape)
        if len(self.dims) != array.ndim:
            raise FeedError(f"{what} has shape {text}, expected rank {len(self.dims)}")
        for axis, (dim, size) in enumerate(zip(self.dims, array.shape, strict=True)):
            expected = bound.setdefault(dim, size) if isinstance(dim, str) else dim
            if expected is not None and expected != size:
                name = f" ({shown(dim)})" if isinstance(dim, str) else ""
                raise FeedError(
                    f"{what} has shape {text}, expected {expected}{name} at axis {axis}"
                )

    def holds(self, value: Any) -> bool:
        """Return whether a result is of the declared type."""
        return isinstance(value, np.ndarray) and self.element in (None, element_word(value.dtype))


def _object_word(array: Array) -> str | None:
    """Describe the type of an array of objects that are not strings: ``object array of float``."""
    if array.dtype != object:
        return None
    kinds = sorted({type(item).__name__ for item in array.flat if not isinstance(item, str)})
    return f"object array of {plain(kinds[0])}" if kinds else None


_ANY = DeclaredTensor(None, None)


class DeclaredSequence(NamedTuple):
    """A sequence of tensors of one element type.

    Args:
        item: what each of them is. A name among its dims says nothing: the tensors of a sequence
            may differ in shape, as those of ONNX's own tests do under one name.
    """

    item: DeclaredTensor

    @property
    def word(self) -> str:
        """ONNX's word for the type, as ``seq(tensor(float))``."""
        return f"seq({self.item.word})"

    def check(self, what: str, value: Any, bound: Bound, also: str = "") -> TensorSequence:
        """The arrays that are given; see ``check_fed``."""
        if not isinstance(value, (list, tuple)):
            raise FeedError(
                f"{what} has type {type(value).__name__}, expected a list of NumPy arrays{also}"
            )
        arrays = [
            self.item.check(f"element {position} of {what}", item, {})
            for position, item in enumerate(value)
        ]
        return TensorSequence(arrays, self.item.element)

    def holds(self, value: Any) -> bool:
        """Return whether a result is of the declared type."""
        if not isinstance(value, list):
            return False
        dtype = getattr(value, "dtype", None)
        same = dtype is None or self.item.element in (None, element_word(dtype))
        return same and all(map(self.item.holds, value))


class DeclaredOptional(NamedTuple):
    """A tensor or a sequence that may be lacking."""

    item: DeclaredTensor | DeclaredSequence

    @property
    def word(self) -> str:
        """ONNX's word for the type, as ``optional(tensor(float))``."""
        return f"optional({self.item.word})"

    def check(self, what: str, value: Any, bound: Bound) -> Array | list[Array] | None:
        """The contents that are given; see ``check_fed``."""
        return None if value is None else self.item.check(what, value, bound, " or None")

    def holds(self, value: Any) -> bool:
        """Return whether a result is of the declared type."""
        return value is None or self.item.holds(value)


class DeclaredMap(NamedTuple):
    """A map.

    Args:
        key: ONNX's word for the type of the keys, ``string`` or ``int64``.
        value: that of the values.
    """

    key: str
    value: str

    @property
    def word(self) -> str:
        """ONNX's word for the type, as schemas have it: ``map(int64, float)``."""
        return f"map({self.key}, {self.value})"

    def check(self, what: str, value: Any, bound: Bound) -> TypedMap:
        """The dict that is given, its numbers as the model declares them; see ``check_fed``."""
        if not isinstance(value, Mapping):
            raise FeedError(f"{what} has type {type(value).__name__}, expected a dict")
        items = {}
        for key, one in dict(value).items():
            if not _is_of(key, self.key):
                kind = type(key).__name__
                raise FeedError(f"{what} has a key of type {kind}, expected {self.key}")
            if not _is_of(one, self.value):
                kind = type(one).__name__
                raise FeedError(f"{what} has a value of type {kind}, expected {self.value}")
            items[key] = one if isinstance(one, str) else dtype_of(self.value).type(one)
        return TypedMap(items, self.key, self.value)

    def holds(self, value: Any) -> bool:
        """Return whether a result is of the declared type, as far as its keys and values tell."""
        return isinstance(value, dict) and all(
            _is_of(key, self.key) and _is_of(one, self.value) for key, one in value.items()
        )


def _is_of(one: Any, word: str) -> bool:
    """Return whether a key or a value is of a type; a number of Python's is of any that has it."""
    if isinstance(one, (bool, str)) or word == "string":
        return isinstance(one, str) and word == "string"
    if isinstance(one, np.generic):
        return element_word(one.dtype) == word
    return isinstance(one, int) or (isinstance(one, float) and "int" not in word)


class DeclaredOther(NamedTuple):
    """A type that this package has no values of; a fallback may return some.

    Args:
        word: ONNX's word for the type, as ``seq(map(int64, tensor(float)))``.
    """

    word: str

    def check(self, what: str, value: Any, bound: Bound) -> NoReturn:
        """Refuse what is given; see ``check_fed``."""
        raise FeedError(
            f"{what} is declared as {self.word}, expected a tensor, a sequence of tensors, or an "
            "optional of these"
        )

    def holds(self, value: Any) -> bool:
        """Return whether a result is of the declared type; nothing here can tell."""
        return True


class Declared(NamedTuple):
    """A graph's input or output as the model declares it.

    Args:
        name: its name.
        type: its type; ``None`` where the model does not say.
    """

    name: str
    type: DeclaredTensor | DeclaredSequence | DeclaredOptional | DeclaredMap | DeclaredOther | None

    def described(self) -> str:
        """The type in ONNX's words, with the dims of a tensor: ``tensor(float)[n, 3]``."""
        if self.type is None:
            return "any type"
        if not isinstance(self.type, DeclaredTensor) or self.type.dims is None:
            return self.type.word
        dims = ("?" if dim is None else str(dim) for dim in self.type.dims)
        return f"{self.type.word}[{', '.join(dims)}]"


def check_fed(wanted: Declared, value: Any, bound: Bound) -> Any:
    """Check and return the value fed to an input: an array, a list of arrays, or ``None``.

    Args:
        wanted: what the model declares.
        value: what is given.
        bound: the number that each named dim has had so far; grows.

    Raises:
        FeedError: it is no array, or no list of arrays, or one of another type or shape.
    """
    type_ = _ANY if wanted.type is None else wanted.type
    if type(type_) is DeclaredTensor and type_.accepts(value, bound):
        return value
    return type_.check(f"input {shown(wanted.name)}", value, bound)


def check_result(wanted: Declared, value: Any) -> None:
    """Refuse a result that is not of the type that the model declares.

    Raises:
        ModelError: it is of another type.
    """
    if wanted.type is not None and not wanted.type.holds(value):
        raise ModelError(
            f"output {shown(wanted.name)} is declared as {_shortened(wanted.type.word)}, "
            f"but is {_shortened(word_of(value))}"
        )


def word_of(value: Any) -> str:
    """ONNX's word for the type of a value; ``seq`` and ``optional`` of unknown contents."""
    if value is None:
        return "optional"
    if isinstance(value, dict):
        return "map"
    if isinstance(value, list):
        dtype = getattr(value, "dtype", None)
        if not value and dtype is not None:
            return f"seq(tensor({element_word(dtype)}))"
        return f"seq({word_of(value[0])})" if value else "seq"
    return f"tensor({element_word(value.dtype)})"


def container_outputs(schema: Schema, given: Sequence[str | None]) -> list[str | None]:
    """Find the outputs of a call that are sequences or optionals, because inputs are.

    Values do not tell: an optional with contents looks like these.

    Args:
        schema: the operator version that is called.
        given: for each input its type where it is no tensor.

    Returns:
        The same for each output of the schema.

    Raises:
        TypeConstraintError: the operator version does not take such an input.
    """
    bound: dict[str, str] = {}
    for position, (word, parameter) in enumerate(zip(given, _spread(schema.inputs), strict=False)):
        if word is None:
            continue
        if word not in _types_of(schema, parameter):
            name, wanted = value_name(schema.inputs, position), _listed(schema, parameter, word)
            raise TypeConstraintError(schema.label, messages.WRONG_TYPE.format(name, word, wanted))
        bound[parameter.type] = word
    return [bound.get(parameter.type) for parameter in schema.outputs]


def _spread(parameters: tuple[Parameter, ...]) -> Iterator[Parameter]:
    """The parameter of each input of a call; the last one again and again where it is variadic."""
    yield from parameters
    if parameters and parameters[-1].option == "variadic":
        yield from repeat(parameters[-1])


def _types_of(schema: Schema, parameter: Parameter) -> tuple[str, ...]:
    return schema.type_constraints.get(parameter.type, (parameter.type,))


def _listed(schema: Schema, parameter: Parameter, word: str) -> str:
    """The types that a message names: those of the same kind where there are any, else all."""
    types = _types_of(schema, parameter)
    kind = word[: word.index("(") + 1]
    words = [_shortened(type_) for type_ in types if type_.startswith(kind)]
    return one_of(words or [_shortened(type_) for type_ in types])


def _shortened(word: str) -> str:
    """``float`` for ``tensor(float)``, as messages have it; other types as they are."""
    return word[len("tensor(") : -1] if word.startswith("tensor(") else word
