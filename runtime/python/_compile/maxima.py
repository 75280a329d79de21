"""The maxima that a caller states: sizes of named dims, and the largest values of tensors.

Each maximum has a key: the name of the dim or of the value; ``name[i]`` for element i of a value
whose elements have maxima of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from opmill._model.errors import ModelError, shown
from opmill._runtime.errors import Error
from opmill._runtime.types import Array, dtype_of


class Maxima:
    """The maxima, and arrays that have them.

    Args:
        given: a number for each dim, and for each value a number or one for each element.

    Raises:
        Error: one is negative.
    """

    def __init__(self, given: Mapping[str, int | Sequence[int]]) -> None:
        self.names = sorted(given)
        self.keys: dict[str, tuple[str, ...]] = {}
        """The keys of the elements, by the name of the value."""
        self.sizes: dict[str, int] = {}
        """The maxima by their keys."""
        for name, numbers in given.items():
            if isinstance(numbers, int):
                self.sizes[name] = numbers
            else:
                self.keys[name] = tuple(f"{name}[{k}]" for k in range(len(numbers)))
                self.sizes.update(zip(self.keys[name], map(int, numbers), strict=True))
        for key, size in self.sizes.items():
            if size < 0:
                raise Error(f"the maximum of {shown(key)} is {size}, expected at least 0")

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def are_whole(self, sizes: Mapping[str, int]) -> bool:
        """Return whether all maxima are reached that are valid together.

        Those of single elements need not be, as the dims of a Reshape.
        """
        return all(sizes[name] == self.sizes[name] for name in self.names if name in sizes)

    def values(
        self, name: str, type_: str, shape: tuple[int, ...], sizes: Mapping[str, int]
    ) -> Array:
        """The elements of a value at given sizes.

        Args:
            name: of the value.
            type_: ONNX's name of the element type.
            shape: its shape.
            sizes: by the keys of the maxima.

        Raises:
            ModelError: the maxima are not as many as the elements.
        """
        found: Any = sizes.get(name)
        if name in self.keys:
            found = np.array([sizes[key] for key in self.keys[name]])
            count = int(np.prod(shape))
            if found.size != count:
                raise ModelError(
                    f"value {shown(name)} has {count} elements and {found.size} maxima, expected "
                    "one maximum, or as many as elements"
                )
            found = found.reshape(shape)
        return np.full(shape, found, dtype_of(type_))
