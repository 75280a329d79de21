"""Kinds of values, limits, and the parameters of a rule and its helpers."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from opmill_gen.base.diagnostics import Location

MAX_RANK = 64
"""The highest rank of a tensor."""

MAX_LIST = 128
"""The most values that a local list holds: two for each axis, as pads have."""


class Kind(enum.Enum):
    """Kind of a value of the rule language."""

    INT = "int"
    BOOL = "bool"
    STR = "str"
    FLOAT = "float"
    INTS = "Ints"
    FLOATS = "Floats"
    STRS = "Strs"
    TENSOR = "Tensor"
    TENSORS = "Tensors"
    SPARSE = "SparseTensor"
    OPAQUE = "Opaque"


class Extent(enum.Enum):
    """Kind of an output's shape that a rule states: exact or a bound."""

    EXACT = "exact"
    BOUND = "bound"
    DYNAMIC = "dynamic"


class Fault(enum.Enum):
    """The error that a failed requirement raises."""

    SHAPE = "ShapeError"
    ATTRIBUTE = "AttributeValueError"
    TYPE = "TypeConstraintError"


class Role(enum.Enum):
    """Meaning of a parameter of the rule."""

    INPUT = "input"
    ATTRIBUTE = "attribute"
    OUTPUT_COUNT = "number of outputs"
    ARGUMENT = "argument of a helper"


@dataclass(frozen=True)
class Default:
    """Value of a parameter in versions that lack it; ``None`` for absent."""

    value: int | float | str | None


class Promise(enum.Enum):
    """Guarantee that every caller of a helper gives for an argument."""

    COUNT = "Count"
    """An integer from 0 to MAX_LIST."""
    POSITIVE = "Positive"
    """An integer of at least 1."""
    DIMS = "Dims"
    """A list of at most MAX_RANK integers."""


@dataclass(frozen=True)
class Parameter:
    """A parameter of the rule or of one of its helpers."""

    location: Location = field(compare=False, repr=False)
    name: str
    kind: Kind
    optional: bool
    role: Role
    promise: Promise | None = None
    """Of a helper's argument: what every caller proves of it."""
    default: Default | None = None
    """Of an attribute or an input: what holds for a version that lacks it."""
