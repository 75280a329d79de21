"""Maps: what an input holds that is given as a dict."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from opmill._runtime import messages
from opmill._runtime.errors import OpError, TypeConstraintError, cut, one_of
from opmill._runtime.public import public
from opmill._runtime.types import element_word


@public
class TypedMap(dict[Any, Any]):
    """A dict that knows its types where it is empty too.

    Args:
        items: the values by their keys.
        key: ONNX's word for the type of the keys, ``string`` or ``int64``; empty for an open one.
        value: ONNX's word for the type of the values; empty for an open one.
    """

    def __init__(self, items: Mapping[Any, Any], key: str = "", value: str = "") -> None:
        super().__init__(items)
        self.key = key
        self.value = value

    @property
    def word(self) -> str:
        """ONNX's word for the type, as ``map(string, float)``; ``map`` for an open one."""
        return f"map({self.key}, {self.value})" if self.key and self.value else "map"


def read_map(label: str, name: str, given: object, allowed: tuple[str, ...]) -> TypedMap:
    """A dict with its types; of no items, those of a ``TypedMap``, or open ones.

    Args:
        label: the operator version, for messages.
        name: the input, for messages.
        given: what is given for it.
        allowed: the types of maps that it may have.

    Raises:
        OpError: it is no dict.
        TypeConstraintError: keys or values of several types, or of one that is not allowed.
    """
    if not isinstance(given, Mapping):
        words = messages.WRONG_TYPE.format(name, type(given).__name__, "a dict")
        raise OpError(label, words)
    items = dict(given)  # which no other thread can change
    key = _only(label, f"keys of {name}", {_word(key) for key in items})
    kinds = {_word(value) for value in items.values()}
    double = "double" if f"map({key}, double)" in allowed else "float"
    kinds = {double if kind == "number" else kind for kind in kinds}
    value = _only(label, f"values of {name}", kinds)
    if not items and isinstance(given, TypedMap):
        key, value = given.key, given.value
    read = TypedMap({_plain(k): v for k, v in items.items()}, key, value)
    if read.word != "map" and read.word not in allowed:
        words = messages.WRONG_TYPE.format(name, read.word, one_of(allowed))
        raise TypeConstraintError(label, words)
    return read


def _word(one: object) -> str:
    """ONNX's word for the type of a key or a value; ``number`` for a float of Python."""
    if isinstance(one, str):
        return "string"
    if isinstance(one, np.generic):
        return element_word(one.dtype) or cut(str(one.dtype), 40)
    if isinstance(one, int) and not isinstance(one, bool):
        return "int64"
    return "number" if isinstance(one, float) else type(one).__name__


def _plain(key: Any) -> Any:
    """A key as Python's own type."""
    return key.item() if isinstance(key, np.generic) else key


def _only(label: str, what: str, words: set[str]) -> str:
    if len(words) > 1:
        first, second = sorted(words)[:2]
        raise TypeConstraintError(
            label, f"{what} have types {first} and {second}, expected one type"
        )
    return next(iter(words), "")
