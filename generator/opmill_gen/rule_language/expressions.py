"""Types expressions of the rule language and works out what is known of their values.

Faults end the expression they stand in (``Unsupported``); the statement's other parts are
reported by later runs, other statements in this one.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import replace

from opmill_gen.diagnostics import Diagnostic, Location
from opmill_gen.rule_language import ir
from opmill_gen.rule_language.ir import Kind, Relation
from opmill_gen.rule_language.ranges import DIM, INT64, LENGTH, Interval, arithmetic, refine
from opmill_gen.rule_language.scope import ABSENT, PRESENT, WHOLE, Fact, Scope, Value

_OPERATORS: dict[type[ast.operator], ir.ArithmeticOperator] = {
    ast.Add: ir.ArithmeticOperator.ADD,
    ast.Sub: ir.ArithmeticOperator.SUBTRACT,
    ast.Mult: ir.ArithmeticOperator.MULTIPLY,
    ast.FloorDiv: ir.ArithmeticOperator.FLOOR_DIVIDE,
    ast.Mod: ir.ArithmeticOperator.MODULO,
}
_RELATIONS: dict[type[ast.cmpop], Relation] = {
    ast.Eq: Relation.EQUAL,
    ast.NotEq: Relation.UNEQUAL,
    ast.Lt: Relation.LESS,
    ast.LtE: Relation.LESS_EQUAL,
    ast.Gt: Relation.GREATER,
    ast.GtE: Relation.GREATER_EQUAL,
}
_MIRRORED = {
    Relation.EQUAL: Relation.EQUAL,
    Relation.UNEQUAL: Relation.UNEQUAL,
    Relation.LESS: Relation.GREATER,
    Relation.LESS_EQUAL: Relation.GREATER_EQUAL,
    Relation.GREATER: Relation.LESS,
    Relation.GREATER_EQUAL: Relation.LESS_EQUAL,
}
LISTS = (Kind.INTS, Kind.FLOATS, Kind.STRS)
ITEM_KINDS = {
    Kind.INTS: Kind.INT,
    Kind.FLOATS: Kind.FLOAT,
    Kind.STRS: Kind.STR,
    Kind.TENSORS: Kind.TENSOR,
}
_PROPERTIES = {
    ir.Property.RANK: Kind.INT,
    ir.Property.SHAPE: Kind.INTS,
    ir.Property.SIZE: Kind.INT,
    ir.Property.TYPE: Kind.STR,
    ir.Property.VALUES: Kind.INTS,
    ir.Property.NUMBERS: Kind.FLOATS,
}


class Unsupported(Exception):
    """An expression or statement is not of the language."""

    def __init__(self, location: Location, message: str) -> None:
        super().__init__(message)
        self.diagnostic = Diagnostic(location, message)


class Consequence(Unsupported):
    """Something is unknown because of a fault that has been reported."""


class Expressions:
    """Reads expressions at a point of a rule.

    Args:
        path: the rule file, for messages.
        helpers: the helpers that can be called here.
    """

    def __init__(self, path: str, helpers: Mapping[str, ir.Helper]) -> None:
        self.path = path
        self.helpers = helpers
        self.returned: dict[str, Value] = {}
        self.broken: set[str] = set()
        self.lists: set[str] = set()

    def fault(self, node: ast.AST, message: str) -> Unsupported:
        """The exception that reports a fault at a node."""
        return Unsupported(self.place(node), message)

    def place(self, node: ast.AST) -> Location:
        """Where a node stands."""
        return Location(self.path, getattr(node, "lineno", 1), getattr(node, "col_offset", 0) + 1)

    def read(self, node: ast.expr, scope: Scope) -> Value:
        """Any expression."""
        method = getattr(self, f"read_{type(node).__name__}", None)
        if method is None:
            raise self.fault(node, f"'{_excerpt(node)}' is not part of the rule language")
        value: Value = method(node, scope)
        return value

    def of_kind(self, node: ast.expr, scope: Scope, kind: Kind) -> Value:
        """An expression that must be of a kind."""
        value = self.read(node, scope)
        if value.kind is not kind:
            hint = ""
            if kind is Kind.BOOL:
                hint = "; write the comparison out, as x != 0 or len(x) > 0"
            raise self.fault(
                node,
                f"'{_excerpt(node)}' is {value.kind.value}, expected {kind.value}{hint}",
            )
        return value

    # Atoms

    def read_Constant(self, node: ast.Constant, scope: Scope) -> Value:
        value = node.value
        if isinstance(value, bool):
            return Value(ir.Constant(Kind.BOOL, value), Kind.BOOL)
        if isinstance(value, int):
            if not Interval(value, value).inside(INT64):
                raise self.fault(node, "the number does not fit int64")
            return Value(ir.Constant(Kind.INT, value), Kind.INT, Interval(value, value))
        if isinstance(value, str):
            return Value(ir.Constant(Kind.STR, value), Kind.STR)
        if isinstance(value, float):
            return Value(ir.Constant(Kind.FLOAT, value), Kind.FLOAT)
        raise self.fault(node, f"'{_excerpt(node)}' cannot stand here")

    def read_Name(self, node: ast.Name, scope: Scope) -> Value:
        if node.id in self.broken:
            raise Consequence(self.place(node), f"'{node.id}' is unknown")
        binding = scope.bindings.get(node.id)
        if binding is None:
            raise self.fault(node, f"'{node.id}' has no value here")
        if binding.maybe_unset:
            raise self.fault(
                node, f"'{node.id}' has a value on some paths only; give it one on all"
            )
        if binding.constant is not None:
            literal = ast.copy_location(ast.Constant(binding.constant), node)
            return self.read_Constant(literal, scope)
        if binding.optional and scope.facts.get(node.id) != PRESENT:
            raise self.fault(
                node, f"'{node.id}' may be None here; guard it with 'if {node.id} is not None'"
            )
        name = node.id
        length_subject = f"len({name})"
        return Value(
            ir.Variable(binding.kind, name),
            binding.kind,
            scope.interval(name, binding.interval),
            scope.interval(length_subject, binding.length),
            binding.items,
            subject=name,
            length_subject=length_subject,
            lists=frozenset((name,) if binding.kind is Kind.INTS and name in self.lists else ()),
        )

    def read_Attribute(self, node: ast.Attribute, scope: Scope) -> Value:
        tensor = self.of_kind(node.value, scope, Kind.TENSOR)
        try:
            which = ir.Property(node.attr)
        except ValueError:
            known = ", ".join(f".{p.value}" for p in ir.Property)
            raise self.fault(node, f"a tensor has no '.{node.attr}'; it has {known}") from None
        name = tensor.subject
        rank = scope.interval(name and f"{name}.rank", Interval(0, ir.MAX_RANK))
        size = scope.interval(name and f"{name}.size", DIM)
        expression = ir.TensorProperty(_PROPERTIES[which], tensor.expression, which)
        value = Value(expression, expression.kind)
        if which is ir.Property.RANK:
            return replace(value, interval=rank, subject=name and f"{name}.rank")
        if which is ir.Property.SIZE:
            return replace(value, interval=size, subject=name and f"{name}.size")
        if which is ir.Property.SHAPE:
            return replace(value, length=rank, items=DIM, length_subject=name and f"{name}.rank")
        if which in (ir.Property.VALUES, ir.Property.NUMBERS):
            length = LENGTH.meet(size)
            return replace(value, length=length, length_subject=name and f"{name}.size")
        return value

    # Arithmetic

    def read_BinOp(self, node: ast.BinOp, scope: Scope) -> Value:
        operator = _OPERATORS.get(type(node.op))
        if operator is None:
            raise self.fault(node, f"'{_excerpt(node)}': the operators are + - * // % on integers")
        left = self.read(node.left, scope)
        right = self.read(node.right, scope)
        if operator is ir.ArithmeticOperator.MULTIPLY and isinstance(node.left, ast.List):
            return self.repeated(node, left, right)
        if operator is ir.ArithmeticOperator.ADD and left.kind is right.kind is Kind.INTS:
            length = arithmetic(operator, left.length, right.length)
            self.bounded(node, length)
            expression = ir.Joined(left.expression, right.expression)
            items = left.items.union(right.items)
            return Value(expression, Kind.INTS, length=length, items=items)
        for side, value in ((node.left, left), (node.right, right)):
            if value.kind is not Kind.INT:
                raise self.fault(
                    side, f"'{_excerpt(side)}' is {value.kind.value}; arithmetic takes integers"
                )
        divides = operator in (ir.ArithmeticOperator.FLOOR_DIVIDE, ir.ArithmeticOperator.MODULO)
        if divides and right.interval.low < 1:
            raise self.fault(
                node.right,
                f"the divisor '{_excerpt(node.right)}' may be less than 1; require that it is not",
            )
        result = arithmetic(operator, left.interval, right.interval)
        checked = not result.inside(INT64)
        expression_ = ir.Arithmetic(operator, left.expression, right.expression, checked)
        return Value(expression_, Kind.INT, result.meet(INT64))

    def repeated(self, node: ast.BinOp, left: Value, right: Value) -> Value:
        assert isinstance(left.expression, ir.NewList)
        if len(left.expression.items) != 1:
            raise self.fault(node.left, "only a list of one value can be repeated")
        if right.kind is not Kind.INT:
            raise self.fault(node.right, f"'{_excerpt(node.right)}' is no integer")
        self.bounded(node, right.interval)
        length = Interval(max(right.interval.low, 0), max(right.interval.high, 0))
        expression = ir.Repeated(left.expression.items[0], right.expression)
        return Value(expression, Kind.INTS, length=length, items=left.items)

    def bounded(self, node: ast.expr, length: Interval) -> None:
        if length.high > ir.MAX_LIST:
            raise self.fault(
                node,
                f"this list may hold more than {ir.MAX_LIST} values; "
                "bound its length with require first",
            )

    def read_UnaryOp(self, node: ast.UnaryOp, scope: Scope) -> Value:
        if isinstance(node.op, ast.Not):
            value = self.of_kind(node.operand, scope, Kind.BOOL)
            if isinstance(value.expression, ir.Constant):
                return _truth(not value.expression.value)
            return Value(
                _negated(value.expression),
                Kind.BOOL,
                when_true=value.when_false,
                when_false=value.when_true,
            )
        if not isinstance(node.op, ast.USub):
            raise self.fault(node, f"'{_excerpt(node)}' is not part of the rule language")
        if isinstance(node.operand, ast.Constant) and type(node.operand.value) in (int, float):
            assert isinstance(node.operand.value, (int, float))
            literal = ast.copy_location(ast.Constant(-node.operand.value), node)
            return self.read_Constant(literal, scope)
        value = self.of_kind(node.operand, scope, Kind.INT)
        result = Interval(-value.interval.high, -value.interval.low)
        expression = ir.Negative(value.expression, not result.inside(INT64))
        return Value(expression, Kind.INT, result.meet(INT64))

    # Conditions

    def read_BoolOp(self, node: ast.BoolOp, scope: Scope) -> Value:
        word = "and" if isinstance(node.op, ast.And) else "or"
        inner = scope.copy()
        operands: list[ir.Expression] = []
        facts: list[Fact] = []
        decided = False
        for part in node.values:
            value = self.of_kind(part, inner, Kind.BOOL)
            found = value.when_true if word == "and" else value.when_false
            facts.extend(found)
            inner.assume(found)
            if decided:
                continue
            if not isinstance(value.expression, ir.Constant):
                operands.append(value.expression)
            elif value.expression.value is (word == "or"):
                decided = True
                operands += [value.expression] if operands else []
        if not operands:
            return _truth(decided is (word == "or"))
        if len(operands) == 1:
            return Value(
                operands[0],
                Kind.BOOL,
                when_true=tuple(facts) if word == "and" else (),
                when_false=tuple(facts) if word == "or" else (),
            )
        expression = ir.Logic(word, tuple(operands))
        if word == "and":
            return Value(expression, Kind.BOOL, when_true=tuple(facts))
        return Value(expression, Kind.BOOL, when_false=tuple(facts))

    def read_Compare(self, node: ast.Compare, scope: Scope) -> Value:
        if isinstance(node.ops[0], (ast.Is, ast.IsNot)):
            return self.absence(node, scope)
        if isinstance(node.ops[0], (ast.In, ast.NotIn)):
            return self.one_of(node, scope)
        nodes = [node.left, *node.comparators]
        values = [self.read(part, scope) for part in nodes]
        relations: list[Relation] = []
        when_true: list[Fact] = []
        when_false: list[Fact] = []
        for k, op in enumerate(node.ops):
            relation = _RELATIONS.get(type(op))
            if relation is None:
                raise self.fault(node, f"'{_excerpt(node)}' is not part of the rule language")
            self.comparable(nodes[k + 1], values[k], values[k + 1], relation)
            relations.append(relation)
            when_true += _compared(values[k], relation, values[k + 1])
            when_false += _compared(values[k], relation.negated, values[k + 1])
        constants = [v.expression for v in values if isinstance(v.expression, ir.Constant)]
        if len(constants) == len(values):
            given = [constant.value for constant in constants]
            return _truth(
                all(r.holds(a, b) for r, a, b in zip(relations, given, given[1:], strict=False))
            )
        expression = ir.Comparison(tuple(v.expression for v in values), tuple(relations))
        return Value(
            expression,
            Kind.BOOL,
            when_true=tuple(when_true),
            when_false=tuple(when_false) if len(relations) == 1 else (),
        )

    def comparable(self, node: ast.expr, left: Value, right: Value, relation: Relation) -> None:
        if left.kind is not right.kind:
            raise self.fault(node, f"{left.kind.value} cannot be compared with {right.kind.value}")
        ordered = left.kind in (Kind.INT, Kind.FLOAT)
        equal = left.kind in (Kind.INT, Kind.FLOAT, Kind.STR, Kind.INTS, Kind.BOOL)
        if not (ordered or (equal and relation in (Relation.EQUAL, Relation.UNEQUAL))):
            raise self.fault(node, f"{left.kind.value} cannot be compared by {relation.value}")

    def absence(self, node: ast.Compare, scope: Scope) -> Value:
        negated = isinstance(node.ops[0], ast.IsNot)
        right = node.comparators[0]
        binding = scope.bindings.get(node.left.id) if isinstance(node.left, ast.Name) else None
        none = isinstance(right, ast.Constant) and right.value is None
        if len(node.ops) > 1 or binding is None or not none or not binding.optional:
            raise self.fault(node, "'is' compares an optional parameter with None, nothing else")
        assert isinstance(node.left, ast.Name)
        name = node.left.id
        present, absent = (Fact(name, PRESENT),), (Fact(name, ABSENT),)
        return Value(
            ir.IsAbsent(name, negated),
            Kind.BOOL,
            when_true=present if negated else absent,
            when_false=absent if negated else present,
        )

    def one_of(self, node: ast.Compare, scope: Scope) -> Value:
        word = self.of_kind(node.left, scope, Kind.STR)
        listed = node.comparators[0]
        words = [
            item.value
            for item in (listed.elts if isinstance(listed, ast.Tuple) else [])
            if isinstance(item, ast.Constant) and isinstance(item.value, str)
        ]
        complete = isinstance(listed, ast.Tuple) and len(words) == len(listed.elts)
        if len(node.ops) > 1 or not words or not complete:
            raise self.fault(listed, '\'in\' takes a tuple of texts, as ("A", "B")')
        negated = isinstance(node.ops[0], ast.NotIn)
        if isinstance(word.expression, ir.Constant):
            return _truth((word.expression.value in words) is not negated)
        return Value(ir.OneOf(word.expression, tuple(words), negated), Kind.BOOL)

    def read_IfExp(self, node: ast.IfExp, scope: Scope) -> Value:
        condition = self.of_kind(node.test, scope, Kind.BOOL)
        when_true, when_false = scope.copy(), scope.copy()
        when_true.assume(condition.when_true)
        when_false.assume(condition.when_false)
        yes = self.read(node.body, when_true)
        no = self.read(node.orelse, when_false)
        if yes.kind is not no.kind:
            raise self.fault(node, f"one side is {yes.kind.value}, the other {no.kind.value}")
        if isinstance(condition.expression, ir.Constant):
            return yes if condition.expression.value else no
        expression = ir.Choice(yes.kind, condition.expression, yes.expression, no.expression)
        return Value(
            expression,
            yes.kind,
            yes.interval.union(no.interval),
            yes.length.union(no.length),
            yes.items.union(no.items),
            lists=yes.lists | no.lists,
        )

    # Lists

    def read_List(self, node: ast.List, scope: Scope) -> Value:
        values = [self.of_kind(item, scope, Kind.INT) for item in node.elts]
        length = Interval(len(values), len(values))
        self.bounded(node, length)
        items = Interval(1, 0)
        for value in values:
            items = items.union(value.interval)
        expression = ir.NewList(tuple(value.expression for value in values))
        return Value(expression, Kind.INTS, length=length, items=items)

    def read_Subscript(self, node: ast.Subscript, scope: Scope) -> Value:
        values = self.read(node.value, scope)
        if values.kind not in ITEM_KINDS:
            raise self.fault(node, f"'{_excerpt(node.value)}' is no list")
        if isinstance(node.slice, ast.Slice):
            if values.kind is Kind.TENSORS:
                raise self.fault(node, "of Tensors only one at a time can be taken")
            return self.tail(node, values, node.slice, scope)
        index = self.of_kind(node.slice, scope, Kind.INT)
        if index.interval.high < 0:
            raise self.fault(
                node.slice, "an index counts from the front; a negative one is not supported"
            )
        kind = ITEM_KINDS[values.kind]
        expression = ir.Element(kind, values.expression, index.expression, *_proven(index, values))
        return Value(expression, kind, values.items)

    def tail(self, node: ast.Subscript, values: Value, part: ast.Slice, scope: Scope) -> Value:
        if part.step is not None:
            raise self.fault(node, "a slice has no step in the rule language")
        bounds: list[Value] = []
        for end in (part.lower, part.upper):
            if end is not None:
                bounds.append(self.of_kind(end, scope, Kind.INT))
                if bounds[-1].interval.low < 0:
                    raise self.fault(end, "the end of a slice may be negative; require that not")
        start = bounds[0] if part.lower is not None else None
        stop = bounds[-1] if part.upper is not None else None
        zero = ir.Constant(Kind.INT, 0)
        expression = ir.Tail(
            values.kind,
            values.expression,
            start.expression if start else zero,
            stop.expression if stop else None,
        )
        skipped = start.interval if start else Interval(0, 0)
        longest = (
            values.length.high if stop is None else min(values.length.high, stop.interval.high)
        )
        shortest = values.length.low if stop is None else min(values.length.low, stop.interval.low)
        length = Interval(max(shortest - skipped.high, 0), max(longest - skipped.low, 0))
        return Value(expression, values.kind, length=length, items=values.items, lists=values.lists)

    # Calls

    def read_Call(self, node: ast.Call, scope: Scope) -> Value:
        if not isinstance(node.func, ast.Name):
            raise self.fault(node, f"'{_excerpt(node.func)}' cannot be called here")
        name = node.func.id
        if name in scope.bindings:
            raise self.fault(node, f"'{name}' is a value here, not a function")
        if name in self.helpers:
            return self.helper(node, self.helpers[name], scope)
        if node.keywords:
            raise self.fault(node, f"'{name}' takes no keywords here")
        if name == "list":
            return self.copied(node, scope)
        method = getattr(self, f"call_{name}", None)
        if method is None:
            raise self.fault(node, f"there is no function '{name}' in the rule language")
        value: Value = method(node, [self.read(argument, scope) for argument in node.args], scope)
        return value

    def arity(self, node: ast.Call, values: list[Value], kinds: tuple[Kind, ...]) -> None:
        for argument, value in zip(node.args, values, strict=False):
            if value.kind not in kinds:
                wanted = " or ".join(kind.value for kind in kinds)
                raise self.fault(
                    argument, f"'{_excerpt(argument)}' is {value.kind.value}, expected {wanted}"
                )

    def call_len(self, node: ast.Call, values: list[Value], scope: Scope) -> Value:
        self.arity(node, values, (*LISTS, Kind.TENSORS))
        if len(values) != 1:
            raise self.fault(node, "len takes one list")
        expression = ir.FunctionCall(Kind.INT, ir.Function.LEN, (values[0].expression,))
        return Value(expression, Kind.INT, values[0].length, subject=values[0].length_subject)

    def call_min(self, node: ast.Call, values: list[Value], scope: Scope) -> Value:
        return self.extreme(node, values, ir.Function.MIN, min)

    def call_max(self, node: ast.Call, values: list[Value], scope: Scope) -> Value:
        return self.extreme(node, values, ir.Function.MAX, max)

    def extreme(self, node: ast.Call, values: list[Value], function, pick) -> Value:  # type: ignore[no-untyped-def]
        self.arity(node, values, (Kind.INT,))
        if len(values) < 2:
            raise self.fault(node, f"{function.value} takes two integers or more")
        interval = Interval(
            pick(v.interval.low for v in values), pick(v.interval.high for v in values)
        )
        arguments = tuple(v.expression for v in values)
        return Value(ir.FunctionCall(Kind.INT, function, arguments), Kind.INT, interval)

    def call_abs(self, node: ast.Call, values: list[Value], scope: Scope) -> Value:
        self.arity(node, values, (Kind.INT,))
        if len(values) != 1:
            raise self.fault(node, "abs takes one integer")
        given = values[0].interval
        low = 0 if given.low <= 0 <= given.high else min(abs(given.low), abs(given.high))
        result = Interval(low, max(abs(given.low), abs(given.high)))
        checked = not result.inside(INT64)
        expression = ir.FunctionCall(Kind.INT, ir.Function.ABS, (values[0].expression,), checked)
        return Value(expression, Kind.INT, result.meet(INT64))

    def call_is_int64(self, node: ast.Call, values: list[Value], scope: Scope) -> Value:
        self.arity(node, values, (Kind.FLOAT,))
        if len(values) != 1:
            raise self.fault(node, "is_int64 takes one float")
        facts = (Fact(values[0].subject, WHOLE),) if values[0].subject else ()
        expression = ir.FunctionCall(Kind.BOOL, ir.Function.IS_INT64, (values[0].expression,))
        return Value(expression, Kind.BOOL, when_true=facts)

    def call_int64(self, node: ast.Call, values: list[Value], scope: Scope) -> Value:
        self.arity(node, values, (Kind.FLOAT,))
        subject = values[0].subject if len(values) == 1 else None
        if subject is None or scope.facts.get(f"{subject}") != WHOLE:
            raise self.fault(
                node, "int64 takes a float that is known to be whole; require is_int64(...) first"
            )
        expression = ir.FunctionCall(Kind.INT, ir.Function.INT64, (values[0].expression,))
        return Value(expression, Kind.INT)

    def copied(self, node: ast.Call, scope: Scope) -> Value:
        values = [self.of_kind(argument, scope, Kind.INTS) for argument in node.args]
        if len(values) != 1:
            raise self.fault(node, "list takes one list of integers")
        self.bounded(node, values[0].length)
        return Value(
            ir.Copied(values[0].expression),
            Kind.INTS,
            length=values[0].length,
            items=values[0].items,
        )

    def helper(self, node: ast.Call, helper: ir.Helper, scope: Scope) -> Value:
        arguments = self.helper_arguments(node, helper, scope)
        if helper.result is None:
            raise self.fault(node, f"'{helper.name}' gives no value")
        result = self.returned[helper.name]
        expression = ir.HelperCall(
            helper.result, helper.name, tuple(argument.expression for argument in arguments)
        )
        # A helper may give back an argument.
        lists = frozenset().union(*(argument.lists for argument in arguments))
        return Value(
            expression,
            helper.result,
            result.interval,
            result.length,
            result.items,
            lists=lists if helper.result in LISTS else frozenset(),
        )

    def helper_arguments(self, node: ast.Call, helper: ir.Helper, scope: Scope) -> list[Value]:
        """The arguments of a call of a helper."""
        if node.keywords or len(node.args) != len(helper.parameters):
            raise self.fault(
                node,
                f"'{helper.name}' takes {len(helper.parameters)} arguments by position, "
                f"got {len(node.args) + len(node.keywords)}",
            )
        arguments: list[Value] = []
        for argument, parameter in zip(node.args, helper.parameters, strict=True):
            arguments.append(self.argument(argument, parameter, helper, scope))
        return arguments

    def argument(
        self, node: ast.expr, parameter: ir.Parameter, helper: ir.Helper, scope: Scope
    ) -> Value:
        if parameter.optional and isinstance(node, ast.Name):
            binding = scope.bindings.get(node.id)
            if binding is not None and binding.optional and binding.kind is parameter.kind:
                return Value(ir.Variable(parameter.kind, node.id), parameter.kind)
        value = self.of_kind(node, scope, parameter.kind)
        if parameter.count and not value.interval.inside(Interval(0, ir.MAX_LIST)):
            raise self.fault(
                node,
                f"'{parameter.name}' of '{helper.name}' is a Count, from 0 to {ir.MAX_LIST}; "
                f"require that '{_excerpt(node)}' is one",
            )
        return value


def _compared(left: Value, relation: Relation, right: Value) -> list[Fact]:
    """What a comparison shows of either side where it holds."""
    facts: list[Fact] = []
    if left.kind is Kind.INT:
        if left.subject:
            facts.append(Fact(left.subject, refine(relation, left.interval, right.interval)))
        if right.subject:
            mirrored = refine(_MIRRORED[relation], right.interval, left.interval)
            facts.append(Fact(right.subject, mirrored))
    elif left.kind is Kind.INTS and relation is Relation.EQUAL:
        for one, other in ((left, right), (right, left)):
            if one.length_subject:
                facts.append(Fact(one.length_subject, one.length.meet(other.length)))
    return facts


def _proven(index: Value, values: Value) -> tuple[bool, bool]:
    """Whether an index is proven not to be negative, and proven to be below the length."""
    return index.interval.low >= 0, index.interval.high < values.length.low


def _truth(value: bool) -> Value:
    """A condition that is decided here, as one over a family's parameters."""
    return Value(ir.Constant(Kind.BOOL, value), Kind.BOOL)


def _negated(expression: ir.Expression) -> ir.Expression:
    if isinstance(expression, ir.Not):
        return expression.operand
    return ir.Not(expression)


def _excerpt(node: ast.AST) -> str:
    """The source of a node, for a message."""
    text = ast.unparse(node)
    return text if len(text) <= 40 else text[:37] + "..."
