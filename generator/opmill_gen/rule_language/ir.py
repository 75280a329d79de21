"""The rule language as typed, frozen trees: what every emitter reads.

Everything an emitter must know is decided here once: the kind of each expression, whether an
arithmetic step can leave int64, whether an index is proven to lie inside, and how many values a
local list can hold. An emitter for a language without exceptions or big integers lowers the
expressions into steps in the order in which they are written, left to right.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from opmill_gen.base.diagnostics import Location
from opmill_gen.rule_language.ir_expressions import (
    Arithmetic,
    ArithmeticOperator,
    Choice,
    Comparison,
    Constant,
    Copied,
    Counted,
    Element,
    Expression,
    FloatArithmetic,
    FloatNegative,
    FloatOperator,
    Function,
    FunctionCall,
    HelperCall,
    IsAbsent,
    Joined,
    Logic,
    Negative,
    NewList,
    Not,
    OneOf,
    PlainCall,
    Property,
    Relation,
    Repeated,
    Tail,
    TensorProperty,
    Variable,
)
from opmill_gen.rule_language.ir_kinds import (
    MAX_LIST,
    MAX_RANK,
    Default,
    Extent,
    Fault,
    Kind,
    Parameter,
    Promise,
    Role,
)

__all__ = [
    "MAX_LIST",
    "MAX_RANK",
    "Append",
    "Arithmetic",
    "ArithmeticOperator",
    "Assign",
    "AssignElement",
    "Call",
    "Choice",
    "Comment",
    "Comparison",
    "Constant",
    "Copied",
    "Counted",
    "Default",
    "Element",
    "Expression",
    "Extent",
    "Fault",
    "FloatArithmetic",
    "FloatNegative",
    "FloatOperator",
    "For",
    "Function",
    "FunctionCall",
    "Helper",
    "HelperCall",
    "If",
    "IsAbsent",
    "Joined",
    "Kind",
    "Logic",
    "Negative",
    "NewList",
    "Not",
    "OneOf",
    "Output",
    "Parameter",
    "PlainCall",
    "Plan",
    "Promise",
    "Property",
    "Relation",
    "Repeated",
    "Require",
    "Return",
    "Role",
    "RuleProgram",
    "Statement",
    "Tail",
    "TensorProperty",
    "Variable",
]


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
