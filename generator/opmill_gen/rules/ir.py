"""A rule program: what a rule file says, typed and analysed, for the emitters to write down.

Whatever an emitter could have to decide has been decided here: every expression has its type, every
operation says whether it needs a check at run time, every list how long it can get. Nodes
are compared by identity, so that facts about them can be collected before they are set.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass

from opmill_gen.diagnostics import Location

MAX_LIST = 128
"""A list of the rule itself holds at most so many values: the pads of a tensor of rank 64."""

MAX_RANK = 64


class Type(enum.Enum):
    """The types of the language, by the words that a rule file uses for them."""

    INT = "int"
    BOOL = "bool"
    STR = "str"
    FLOAT = "float"
    INTS = "Ints"  # only read, of any length: an attribute, a shape, a tensor's values
    FLOATS = "Floats"
    STRS = "Strs"
    LIST = "list"  # of integers, the rule's own, at most MAX_LIST
    TENSOR = "Tensor"
    TENSORS = "Tensors"
    OPAQUE = "Opaque"
    NONE = "None"
    UNKNOWN = "?"  # of an expression that a fault was reported for


class Refusal(enum.Enum):
    """The error that an unmet requirement raises, by the verb that states it."""

    SHAPE = "require"
    ATTRIBUTE = "require_attribute"
    TYPE = "require_type"


class Extent(enum.Enum):
    """What a rule knows of an output's shape, by the verb that states it."""

    EXACT = "output"
    BOUNDED = "bound"
    DYNAMIC = "dynamic"


class Role(enum.Enum):
    """What a parameter is, as its place and annotation tell."""

    INPUT = "input"
    ATTRIBUTE = "attribute"
    OUTPUT_COUNT = "output count"
    HELPER = "helper"


@dataclass(frozen=True, eq=False)
class Expr:
    """An expression. The keyword fields are set once the analysis has found them."""

    place: Location
    type: Type = field(default=Type.UNKNOWN, kw_only=True)
    checked: bool = field(default=False, kw_only=True)
    """Whether a check is needed at run time: the overflow of an operation, the upper end of an
    index or slice; of a text in a message, whether it may be hostile."""
    deferred: bool = field(default=False, kw_only=True)
    """Whether, in a language whose integers cannot overflow, the check of the enclosing operation
    does for this one too."""
    limit: int = field(default=0, kw_only=True)
    """The largest number of values that an expression of type LIST can have."""


@dataclass(frozen=True, eq=False)
class Broken(Expr):
    """In place of what could not be read; never in a finished program."""


@dataclass(frozen=True, eq=False)
class Const(Expr):
    value: int | bool | str | float | None


@dataclass(frozen=True, eq=False)
class Name(Expr):
    name: str


@dataclass(frozen=True, eq=False)
class Field(Expr):
    """rank, shape, size, type, values or numbers of a tensor."""

    tensor: Expr
    field: str


@dataclass(frozen=True, eq=False)
class Arith(Expr):
    """``+ - * // %`` of integers, or ``+`` of lists. The divisor is proven to be at least 1."""

    operator: str
    left: Expr
    right: Expr


@dataclass(frozen=True, eq=False)
class Negative(Expr):
    operand: Expr


@dataclass(frozen=True, eq=False)
class Not(Expr):
    operand: Expr


@dataclass(frozen=True, eq=False)
class Logic(Expr):
    """``and`` or ``or``, from left to right, no further than needed."""

    operator: str
    operands: tuple[Expr, ...]


@dataclass(frozen=True, eq=False)
class Compare(Expr):
    """``a < b <= c``: as many operators as operands less one; each operand is evaluated once."""

    operators: tuple[str, ...]
    operands: tuple[Expr, ...]


@dataclass(frozen=True, eq=False)
class IsNone(Expr):
    operand: Name
    negated: bool


@dataclass(frozen=True, eq=False)
class Member(Expr):
    """``word in ("a", "b")``."""

    word: Expr
    words: tuple[str, ...]
    negated: bool


@dataclass(frozen=True, eq=False)
class Choice(Expr):
    """``then if condition else other``."""

    condition: Expr
    then: Expr
    other: Expr


@dataclass(frozen=True, eq=False)
class Index(Expr):
    """One item. The index is proven to be at least 0."""

    items: Expr
    index: Expr


@dataclass(frozen=True, eq=False)
class Slice(Expr):
    """Some of the items; the ends are proven to be at least 0, and cut to the length if checked."""

    items: Expr
    start: Expr | None
    stop: Expr | None


@dataclass(frozen=True, eq=False)
class Display(Expr):
    """``[a, b]``."""

    items: tuple[Expr, ...]


@dataclass(frozen=True, eq=False)
class Repeat(Expr):
    """``[item] * count``. The count is proven to be at least 0."""

    item: Expr
    count: Expr


@dataclass(frozen=True, eq=False)
class Builtin(Expr):
    """len, min, max, abs, list, is_int64 or int64. What int64 is given is proven to be one."""

    function: str
    arguments: tuple[Expr, ...]


@dataclass(frozen=True, eq=False)
class Call(Expr):
    """A call of a helper function."""

    function: str
    arguments: tuple[Expr, ...]


@dataclass(frozen=True, eq=False)
class Statement:
    place: Location
    comments: tuple[str, ...] = field(default=(), kw_only=True)


@dataclass(frozen=True, eq=False)
class Assign(Statement):
    name: str
    value: Expr


@dataclass(frozen=True, eq=False)
class SetItem(Statement):
    target: Index
    value: Expr


@dataclass(frozen=True, eq=False)
class Append(Statement):
    items: Name
    value: Expr


@dataclass(frozen=True, eq=False)
class If(Statement):
    condition: Expr
    then: tuple[Statement, ...]
    other: tuple[Statement, ...]


@dataclass(frozen=True, eq=False)
class For(Statement):
    """``for name in range(start, stop)``; the bounds are evaluated once."""

    name: str
    start: Expr | None
    stop: Expr
    body: tuple[Statement, ...]


@dataclass(frozen=True, eq=False)
class Require(Statement):
    """The message's parts are evaluated only where the condition does not hold."""

    refusal: Refusal
    condition: Expr
    message: tuple[str | Expr, ...]


@dataclass(frozen=True, eq=False)
class Output(Statement):
    """An output's shape: at most MAX_RANK dims, each proven to be at least 0."""

    name: str
    extent: Extent
    shape: Expr | None


@dataclass(frozen=True, eq=False)
class Plan(Statement):
    name: str
    value: Expr


@dataclass(frozen=True, eq=False)
class Return(Statement):
    value: Expr | None


@dataclass(frozen=True, eq=False)
class Evaluate(Statement):
    """A helper that is called for what it requires."""

    call: Call


@dataclass(frozen=True)
class Parameter:
    name: str
    type: Type
    optional: bool
    role: Role
    place: Location
    counts: bool = False
    """Whether it is annotated Count: every call is proven to give it a value from 0 to 128."""


@dataclass(frozen=True)
class Local:
    """A variable: its type and, of a list, the largest number of values."""

    type: Type
    limit: int


@dataclass(frozen=True, eq=False)
class Function:
    """``rules`` itself, or a helper."""

    name: str
    place: Location
    docstring: str | None
    parameters: tuple[Parameter, ...]
    returns: Type
    body: tuple[Statement, ...]
    locals: Mapping[str, Local] = field(default_factory=dict)


@dataclass(frozen=True)
class RuleProgram:
    """A rule file, compiled for one use of its family."""

    path: str
    rules: Function
    helpers: tuple[Function, ...]
    """Those that are called, each after the ones it calls."""
    outputs: Mapping[str, Extent]
    repeated: frozenset[str]
    """The outputs that do not get exactly one shape on every path: variadic ones, if legal."""
    plan: Mapping[str, Local]
    needs_values: frozenset[str]
    """The inputs whose contents decide something."""

    @property
    def bounded(self) -> frozenset[str]:
        """The outputs of which the rule knows a bound only."""
        return frozenset(n for n, extent in self.outputs.items() if extent is Extent.BOUNDED)

    @property
    def counts_outputs(self) -> bool:
        """Whether the rule asks how many outputs a call wants."""
        return any(p.role is Role.OUTPUT_COUNT for p in self.rules.parameters)


def walk(node: object) -> Iterator[Expr | Statement]:
    """The expressions and statements of a function, a statement or an expression."""
    if isinstance(node, tuple):
        for item in node:
            yield from walk(item)
    elif is_dataclass(node):
        if isinstance(node, (Expr, Statement)):
            yield node
        for part in fields(node):
            yield from walk(getattr(node, part.name))
