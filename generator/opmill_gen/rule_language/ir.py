"""The rule language as typed, frozen trees: what every emitter reads.

Everything an emitter must know is decided here once: the kind of each expression, whether an
arithmetic step can leave int64, whether an index is proven to lie inside, and how many values a
local list can hold. An emitter for a language without exceptions or big integers lowers the
expressions into steps in the order in which they are written, left to right.
"""

from __future__ import annotations

import enum
import operator
from collections.abc import Callable
from dataclasses import dataclass, field

from opmill_gen.base.diagnostics import Location

MAX_RANK = 64
"""The highest rank of a tensor."""

MAX_LIST = 128
"""The most values that a local list holds: two for each axis, as pads have."""


class Kind(enum.Enum):
    """What a value of the rule language is."""

    INT = "int"
    BOOL = "bool"
    STR = "str"
    FLOAT = "float"
    INTS = "Ints"
    FLOATS = "Floats"
    STRS = "Strs"
    TENSOR = "Tensor"
    TENSORS = "Tensors"
    OPAQUE = "Opaque"


class Extent(enum.Enum):
    """What a rule says of an output's shape."""

    EXACT = "exact"
    BOUND = "bound"
    DYNAMIC = "dynamic"


class Fault(enum.Enum):
    """The error that a failed requirement raises."""

    SHAPE = "ShapeError"
    ATTRIBUTE = "AttributeValueError"
    TYPE = "TypeConstraintError"


class Role(enum.Enum):
    """What a parameter of the rule stands for."""

    INPUT = "input"
    ATTRIBUTE = "attribute"
    OUTPUT_COUNT = "number of outputs"
    ARGUMENT = "argument of a helper"


@dataclass(frozen=True)
class Default:
    """What an attribute is in versions that lack it; ``None`` for absent."""

    value: int | float | str | None


class Promise(enum.Enum):
    """What every caller of a helper proves of an argument."""

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
    """Of an attribute: what holds for a version that lacks it."""


# Expressions


@dataclass(frozen=True)
class Constant:
    """A number, a truth value or a text."""

    kind: Kind
    value: int | bool | str | float


@dataclass(frozen=True)
class Variable:
    """A parameter or a local variable."""

    kind: Kind
    name: str


class Property(enum.Enum):
    """What a tensor offers."""

    RANK = "rank"
    SHAPE = "shape"
    SIZE = "size"
    TYPE = "type"
    VALUES = "values"
    NUMBERS = "numbers"


@dataclass(frozen=True)
class TensorProperty:
    """``X.rank``, ``X.shape``, ``repeats.values``..."""

    kind: Kind
    tensor: Expression
    property: Property


class ArithmeticOperator(enum.Enum):
    """Arithmetic on int64."""

    ADD = "+"
    SUBTRACT = "-"
    MULTIPLY = "*"
    FLOOR_DIVIDE = "//"
    MODULO = "%"


@dataclass(frozen=True)
class Arithmetic:
    """``left operator right`` on int64; ``checked`` where the result may leave int64."""

    operator: ArithmeticOperator
    left: Expression
    right: Expression
    checked: bool
    kind: Kind = Kind.INT


@dataclass(frozen=True)
class Negative:
    """``-operand``; ``checked`` where the operand may be the smallest int64."""

    operand: Expression
    checked: bool
    kind: Kind = Kind.INT


class FloatOperator(enum.Enum):
    """IEEE 754 arithmetic on doubles, to the nearest, ties to even."""

    ADD = "+"
    SUBTRACT = "-"
    MULTIPLY = "*"
    DIVIDE = "/"


@dataclass(frozen=True)
class FloatArithmetic:
    """``left operator right`` on doubles, which never fails: infinities and NaN are results."""

    operator: FloatOperator
    left: Expression
    right: Expression
    kind: Kind = Kind.FLOAT


@dataclass(frozen=True)
class FloatNegative:
    """``-operand`` of a double."""

    operand: Expression
    kind: Kind = Kind.FLOAT


class Relation(enum.Enum):
    """A comparison; lists, texts and truth values know only the first two."""

    EQUAL = "=="
    UNEQUAL = "!="
    LESS = "<"
    LESS_EQUAL = "<="
    GREATER = ">"
    GREATER_EQUAL = ">="

    @property
    def negated(self) -> Relation:
        """The relation that holds where this one does not."""
        return _NEGATED[self]

    def holds(self, left: object, right: object) -> bool:
        """Whether it holds between two constants."""
        return bool(_HOLDS[self](left, right))


_NEGATED = {
    Relation.EQUAL: Relation.UNEQUAL,
    Relation.UNEQUAL: Relation.EQUAL,
    Relation.LESS: Relation.GREATER_EQUAL,
    Relation.LESS_EQUAL: Relation.GREATER,
    Relation.GREATER: Relation.LESS_EQUAL,
    Relation.GREATER_EQUAL: Relation.LESS,
}


_HOLDS: dict[Relation, Callable[..., object]] = {
    Relation.EQUAL: operator.eq,
    Relation.UNEQUAL: operator.ne,
    Relation.LESS: operator.lt,
    Relation.LESS_EQUAL: operator.le,
    Relation.GREATER: operator.gt,
    Relation.GREATER_EQUAL: operator.ge,
}


@dataclass(frozen=True)
class Comparison:
    """``first relation second ...``, where each operand is evaluated once at most."""

    operands: tuple[Expression, ...]
    relations: tuple[Relation, ...]
    kind: Kind = Kind.BOOL


@dataclass(frozen=True)
class OneOf:
    """``word in ("A", "B")``, or ``not in``."""

    word: Expression
    words: tuple[str, ...]
    negated: bool
    kind: Kind = Kind.BOOL


@dataclass(frozen=True)
class IsAbsent:
    """``B is None``, or ``B is not None`` where ``negated``."""

    name: str
    negated: bool
    kind: Kind = Kind.BOOL


@dataclass(frozen=True)
class Logic:
    """``and`` or ``or``, which stop as soon as the result is known."""

    word: str
    operands: tuple[Expression, ...]
    kind: Kind = Kind.BOOL


@dataclass(frozen=True)
class Not:
    """``not operand``."""

    operand: Expression
    kind: Kind = Kind.BOOL


@dataclass(frozen=True)
class Choice:
    """``yes if condition else no``."""

    kind: Kind
    condition: Expression
    yes: Expression
    no: Expression


class Function(enum.Enum):
    """The functions of the language."""

    LEN = "len"
    MIN = "min"
    MAX = "max"
    ABS = "abs"
    IS_INT64 = "is_int64"
    INT64 = "int64"
    FLOAT = "float"
    FLOOR = "floor"
    CEIL = "ceil"
    ROUNDED = "rounded"


@dataclass(frozen=True)
class FunctionCall:
    """A call of a function of the language; ``checked`` where ``abs`` may leave int64."""

    kind: Kind
    function: Function
    arguments: tuple[Expression, ...]
    checked: bool = False


@dataclass(frozen=True)
class Counted:
    """``counted(number, one, many)`` in a message: a number and its noun, in the right form."""

    number: Expression
    one: str
    many: str
    kind: Kind = Kind.STR


@dataclass(frozen=True)
class HelperCall:
    """A call of a helper of the rule file."""

    kind: Kind
    helper: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True)
class Element:
    """``values[index]``. What is not proven of the index is checked when the rule runs."""

    kind: Kind
    values: Expression
    index: Expression
    not_negative: bool
    below_length: bool


@dataclass(frozen=True)
class Tail:
    """``values[start:]`` or ``values[start:stop]``, within the length as in Python."""

    kind: Kind
    values: Expression
    start: Expression
    stop: Expression | None


@dataclass(frozen=True)
class NewList:
    """``[a, b]``: a new list."""

    items: tuple[Expression, ...]
    kind: Kind = Kind.INTS


@dataclass(frozen=True)
class Repeated:
    """``[item] * count``: a new list of at most MAX_LIST values; a count below 0 gives none."""

    item: Expression
    count: Expression
    kind: Kind = Kind.INTS


@dataclass(frozen=True)
class Joined:
    """``left + right``: a new list of at most MAX_LIST values."""

    left: Expression
    right: Expression
    kind: Kind = Kind.INTS


@dataclass(frozen=True)
class Copied:
    """``list(values)``: a new list of at most MAX_LIST values."""

    values: Expression
    kind: Kind = Kind.INTS


Expression = (
    Constant
    | Variable
    | TensorProperty
    | Arithmetic
    | Negative
    | FloatArithmetic
    | FloatNegative
    | Comparison
    | OneOf
    | IsAbsent
    | Logic
    | Not
    | Choice
    | FunctionCall
    | Counted
    | HelperCall
    | Element
    | Tail
    | NewList
    | Repeated
    | Joined
    | Copied
)

# Statements


@dataclass(frozen=True)
class Comment:
    """A comment line of the rule file, without its ``#``."""

    text: str


@dataclass(frozen=True)
class Assign:
    """``name = value``; ``new`` where the name has no value yet on any path."""

    name: str
    value: Expression
    new: bool


@dataclass(frozen=True)
class AssignElement:
    """``values[index] = value``, where the index is as in ``Element``."""

    name: str
    index: Expression
    value: Expression
    not_negative: bool
    below_length: bool


@dataclass(frozen=True)
class Append:
    """``name.append(value)``; the list is proven to stay within MAX_LIST values."""

    name: str
    value: Expression


@dataclass(frozen=True)
class Require:
    """``require(condition, message)``: the message is made only where the condition fails."""

    location: Location = field(compare=False, repr=False)
    condition: Expression
    message: tuple[str | Expression, ...]
    fault: Fault


@dataclass(frozen=True)
class If:
    """``if`` with its ``else``; an ``elif`` is an ``If`` alone in the ``else``."""

    condition: Expression
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]


@dataclass(frozen=True)
class For:
    """``for name in range(start, stop)``; the bounds are evaluated once."""

    name: str
    start: Expression
    stop: Expression
    body: tuple[Statement, ...]


@dataclass(frozen=True)
class Call:
    """A call of a helper that gives no value: it only requires."""

    helper: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True)
class Return:
    """The value of a helper."""

    value: Expression


@dataclass(frozen=True)
class Output:
    """The shape of an output, or of the next value of a variadic one; ``None`` where dynamic."""

    name: str
    extent: Extent
    shape: Expression | None


@dataclass(frozen=True)
class Plan:
    """Values that the kernels receive, by name."""

    values: tuple[tuple[str, Expression], ...]


Statement = (
    Comment | Assign | AssignElement | Append | Require | If | For | Call | Return | Output | Plan
)


@dataclass(frozen=True)
class Helper:
    """A function of the rule file that the rule calls."""

    name: str
    doc: str | None
    parameters: tuple[Parameter, ...]
    result: Kind | None
    body: tuple[Statement, ...]


@dataclass(frozen=True)
class RuleProgram:
    """A rule file, checked: the helpers in the order of their definition, and the rule."""

    path: str
    location: Location = field(compare=False, repr=False)
    doc: str | None
    helpers: tuple[Helper, ...]
    parameters: tuple[Parameter, ...]
    body: tuple[Statement, ...]
    outputs: dict[str, Extent]
    plan: dict[str, Kind]

    @property
    def bounded(self) -> frozenset[str]:
        """The outputs of which the rule gives a bound only."""
        return frozenset(n for n, extent in self.outputs.items() if extent is Extent.BOUND)

    @property
    def counts_outputs(self) -> bool:
        """True where the rule wants to know how many outputs a call asks for."""
        return any(p.role is Role.OUTPUT_COUNT for p in self.parameters)
