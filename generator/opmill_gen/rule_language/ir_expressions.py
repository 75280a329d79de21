"""The expressions of the rule language, each of a kind."""

from __future__ import annotations

import enum
import operator
from collections.abc import Callable
from dataclasses import dataclass

from opmill_gen.rule_language.ir_kinds import Kind


@dataclass(frozen=True)
class Constant:
    """A number, a truth value or a text; ``None`` for a tensor that is absent."""

    kind: Kind
    value: int | bool | str | float | None


@dataclass(frozen=True)
class Variable:
    """A parameter or a local variable."""

    kind: Kind
    name: str


class Property(enum.Enum):
    """Properties of a tensor."""

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
        """Return whether it holds between two constants."""
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
    IS_PREPARED = "is_prepared"
    INT64 = "int64"
    FLOAT = "float"
    FLOOR = "floor"
    CEIL = "ceil"
    ROUNDED = "rounded"
    BYTE_COUNT = "byte_count"
    BYTE_AT = "byte_at"


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
class PlainCall:
    """A call of one of a family's functions in plain Python and C; a list is a new one."""

    kind: Kind
    family: str
    function: str
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
    """``[a, b]``: a new list of integers or of floats."""

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
    | PlainCall
    | Element
    | Tail
    | NewList
    | Repeated
    | Joined
    | Copied
)
