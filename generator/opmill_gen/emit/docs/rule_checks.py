"""The conditions of a rule, in the order in which they are checked, for the manual.

A helper's conditions stand where the rule calls it, with the call's arguments in place of the
helper's parameters.

What a version decides, by attributes and inputs that it lacks or always has, is worked out, so that
only what it checks is listed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from opmill_gen.check.result import CheckedVersion
from opmill_gen.check.rule_signature import rule_name
from opmill_gen.rule_language import RuleProgram, ir
from opmill_gen.rule_language.text import text_of
from opmill_gen.rule_language.walk import children, mapped, nodes
from opmill_gen.spec.operator_version import Option

_RULE = "rules"
_SHORT = 24
"""Local values with expressions of so many characters are shown by the expression."""
_PLAIN = (
    *(ir.Constant, ir.Variable, ir.TensorProperty, ir.Negative, ir.FloatNegative, ir.Not),
    *(ir.Arithmetic, ir.FloatArithmetic, ir.Joined),
)
"""Values that may be shown in place of their names."""
_CALLS = (ir.FunctionCall, ir.HelperCall, ir.PlainCall, ir.NewList, ir.Repeated, ir.Copied)

_ABSENT = ir.Variable(ir.Kind.OPAQUE, "None")
"""Placeholder in expressions for an attribute that a version lacks."""

Values = Mapping[str, ir.Expression]
"""Expressions that are put in place of names."""


@dataclass(frozen=True)
class Condition:
    """One condition: where it applies, what must hold, and the words of the refusal.

    ``origin`` is the function that states it, and the line there.
    """

    where: tuple[str, ...]
    holds: str
    error: str
    message: str
    origin: tuple[str, int] = field(default=("", 0), compare=False)


def checks_of(version: CheckedVersion) -> tuple[Condition, ...]:
    """Checks of a version."""
    _, stated, present = checks_key(version)
    return conditions(version.instance.program, stated, present)


def checks_key(version: CheckedVersion) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """Key under which versions with identical checks are grouped."""
    spec = version.spec
    stated = [rule_name(spec, attribute) for attribute in spec.attributes]
    present = [
        *(rule_name(spec, one) for one in spec.inputs if one.option is not Option.OPTIONAL),
        *(
            rule_name(spec, one)
            for one in spec.attributes
            if one.required or one.default is not None
        ),
    ]
    return version.instance.rules_name, tuple(stated), tuple(present)


def conditions(
    program: RuleProgram, stated: Collection[str], present: Collection[str] = ()
) -> tuple[Condition, ...]:
    """The conditions of a rule and of the helpers that it calls.

    Args:
        program: the rule, with the family's parameters bound.
        stated: the attributes that the version has, by the rule's names.
        present: the inputs and attributes that every call has, by the rule's names.
    """
    lacking: dict[str, ir.Expression] = {}
    for one in program.parameters:
        if one.default is not None and one.name not in stated:
            value = one.default.value
            lacking[one.name] = _ABSENT if value is None else ir.Constant(one.kind, value)
    checks = _Checks({helper.name: helper for helper in program.helpers}, frozenset(present))
    return tuple(checks.of_function(_RULE, program.body, (), lacking))


@dataclass(frozen=True)
class _Checks:
    """Lists the conditions of functions, which call each other."""

    helpers: Mapping[str, ir.Helper]
    present: frozenset[str]

    def of_function(
        self, name: str, body: tuple[ir.Statement, ...], where: tuple[str, ...], values: Values
    ) -> Iterator[Condition]:
        """Conditions of a function, with values in place of some of its names."""
        decided = _with_values(body, values, self.present)
        short = _short_values(decided)
        yield from self._in(_with_values(decided, short) if short else decided, where, name)

    def _in(
        self, body: tuple[ir.Statement, ...], where: tuple[str, ...], function: str
    ) -> Iterator[Condition]:
        """Conditions of statements, in their order."""
        for statement in body:
            match statement:
                case ir.If(condition, then, otherwise):
                    yield from self._calls(condition, where)
                    test = text_of(condition)
                    yield from self._in(then, (*where, f"if {test}"), function)
                    yield from self._in(otherwise, (*where, f"unless {test}"), function)
                    if then and isinstance(then[-1], ir.Return) and not otherwise:
                        where = (*where, f"unless {test}")  # what follows is not reached otherwise
                case ir.For(name, start, stop, inner):
                    yield from self._calls((start, stop), where)
                    ends = [start, stop] if start != ir.Constant(ir.Kind.INT, 0) else [stop]
                    head = f"for each {name} in range({', '.join(map(text_of, ends))})"
                    yield from self._in(inner, (*where, head), function)
                case _:
                    yield from self._calls(statement, where)
                    if isinstance(statement, ir.Return):
                        return
                    if isinstance(statement, ir.Require):
                        yield from _refusal(statement, where, function)

    def _calls(self, part: object, where: tuple[str, ...]) -> Iterator[Condition]:
        """Conditions of the helpers that are called in a part, those of arguments first."""
        for child in children(part):
            yield from self._calls(child, where)
        if isinstance(part, (ir.Call, ir.HelperCall)):
            helper = self.helpers[part.helper]
            names = (parameter.name for parameter in helper.parameters)
            values = dict(zip(names, part.arguments, strict=True))
            yield from self.of_function(helper.name, helper.body, where, values)


def _refusal(statement: ir.Require, where: tuple[str, ...], function: str) -> Iterator[Condition]:
    condition = statement.condition
    if isinstance(condition, ir.Constant) and condition.value:
        return  # it always holds here
    message = "".join(
        part if isinstance(part, str) else _filled(part) for part in statement.message
    )
    origin = (function, statement.location.line)
    yield Condition(where, text_of(condition), statement.fault.value, message, origin)


def _filled(value: ir.Expression) -> str:
    """Values that a message fills in, in braces; of a number with its noun, the plural."""
    if isinstance(value, ir.Constant):
        return str(value.value)
    if isinstance(value, ir.Counted):
        if isinstance(value.number, ir.Constant):
            number = value.number.value
            return f"{number} {value.one if number == 1 else value.many}"
        return f"{{{text_of(value.number)}}} {value.many}"
    return f"{{{text_of(value)}}}"


def _short_values(body: tuple[ir.Statement, ...]) -> dict[str, ir.Expression]:
    """The local values that have one short expression for all of a function."""
    stored = Counter(node.name for node in nodes(body) if isinstance(node, (ir.Assign, ir.For)))
    found: dict[str, ir.Expression] = {}
    for statement in body:
        if not isinstance(statement, ir.Assign) or not isinstance(statement.value, _PLAIN):
            continue
        value = _known(statement.value, found, frozenset())
        calls = any(isinstance(node, _CALLS) for node in nodes(value))
        if stored[statement.name] == 1 and not calls and len(text_of(value)) <= _SHORT:
            found[statement.name] = value
    return found


def _with_values(
    body: tuple[ir.Statement, ...], values: Values, present: frozenset[str] = frozenset()
) -> tuple[ir.Statement, ...]:
    """Statements with values in place of names, without comments and paths that are not taken."""

    def change(node: ir.Statement | ir.Expression) -> object:
        if isinstance(node, ir.Comment):
            return ()
        if isinstance(node, ir.If):
            if isinstance(node.condition, ir.Constant):
                return node.then if node.condition.value else node.otherwise
            return node
        return _decided(node, values, present)

    changed: tuple[ir.Statement, ...] = mapped(body, change)
    return changed


def _known(node: ir.Expression, values: Values, present: frozenset[str]) -> ir.Expression:
    changed: ir.Expression = mapped(node, lambda one: _decided(one, values, present))
    return changed


def _decided(node: object, values: Values, present: frozenset[str]) -> object:
    """A node whose operands are decided: a value in place of its name, or what follows from it."""
    match node:
        case ir.Variable(name=name):
            return values.get(name, node)
        case ir.IsAbsent(name, negated):
            value = values.get(name, ir.Variable(ir.Kind.OPAQUE, name))
            if value is _ABSENT or not isinstance(value, ir.Variable) or value.name in present:
                return _truth((value is _ABSENT) is not negated)
            return ir.IsAbsent(value.name, negated)
        case ir.FunctionCall(function=ir.Function.IS_PREPARED):
            return _truth(False)  # what is checked is checked once in any case
        case ir.Not(ir.Constant(value=value)):
            return _truth(not value)
        case ir.Negative(ir.Constant(kind, int() | float() as value)):
            return ir.Constant(kind, -value)
        case ir.Arithmetic(
            ir.ArithmeticOperator.SUBTRACT,
            ir.Constant(value=int() as left),
            ir.Constant(value=int() as right),
        ):
            return ir.Constant(ir.Kind.INT, left - right)
        case ir.FloatNegative(ir.Constant(kind, int() | float() as value)):
            return ir.Constant(kind, -value)
        case ir.Logic(word, operands):
            decides = word == "or"
            rest: list[ir.Expression] = []
            for one in operands:
                if not isinstance(one, ir.Constant):
                    rest.append(one)
                elif one.value is decides:
                    return _truth(decides)
            if len(rest) < 2:
                return rest[0] if rest else _truth(not decides)
            return ir.Logic(word, tuple(rest))
        case ir.Comparison(operands, relations):
            constants = [one.value for one in operands if isinstance(one, ir.Constant)]
            if len(constants) == len(operands):
                pairs = zip(relations, constants, constants[1:], strict=False)
                return _truth(all(r.holds(a, b) for r, a, b in pairs))
        case ir.OneOf(ir.Constant(value=value), words, negated):
            return _truth((value in words) is not negated)
        case ir.Choice(_, ir.Constant(value=value), yes, no):
            return yes if value else no
    return node


def _truth(value: bool) -> ir.Constant:
    return ir.Constant(ir.Kind.BOOL, value)
