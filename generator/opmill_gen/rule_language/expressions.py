"""Types expressions of the rule language and works out what is known of their values.

Conditions and calls stand in files of their own.
"""

from __future__ import annotations

import ast
from dataclasses import replace

from opmill_gen.base.diagnostics import meant
from opmill_gen.rule_language import ir
from opmill_gen.rule_language.calls import Calls
from opmill_gen.rule_language.conditions import Conditions
from opmill_gen.rule_language.ir import Kind
from opmill_gen.rule_language.ranges import DIM, INT64, LENGTH, RANK, Interval, arithmetic
from opmill_gen.rule_language.reader import ITEM_KINDS, LISTS_OF, Consequence, excerpt
from opmill_gen.rule_language.relations import Form, atom, key, product, total
from opmill_gen.rule_language.scope import PRESENT, Scope, Value, common_ends, given

_OPERATORS: dict[type[ast.operator], ir.ArithmeticOperator] = {
    ast.Add: ir.ArithmeticOperator.ADD,
    ast.Sub: ir.ArithmeticOperator.SUBTRACT,
    ast.Mult: ir.ArithmeticOperator.MULTIPLY,
    ast.FloorDiv: ir.ArithmeticOperator.FLOOR_DIVIDE,
    ast.Mod: ir.ArithmeticOperator.MODULO,
}
_FLOAT_OPERATORS: dict[type[ast.operator], ir.FloatOperator] = {
    ast.Add: ir.FloatOperator.ADD,
    ast.Sub: ir.FloatOperator.SUBTRACT,
    ast.Mult: ir.FloatOperator.MULTIPLY,
    ast.Div: ir.FloatOperator.DIVIDE,
}
_PROPERTIES = {
    ir.Property.RANK: Kind.INT,
    ir.Property.SHAPE: Kind.INTS,
    ir.Property.SIZE: Kind.INT,
    ir.Property.TYPE: Kind.STR,
    ir.Property.VALUES: Kind.INTS,
    ir.Property.NUMBERS: Kind.FLOATS,
}


class Expressions(Conditions, Calls):
    """Reads expressions at a point of a rule.

    Args:
        path: the rule file, for messages.
        helpers: the helpers that can be called here.
    """

    # Atoms

    def read_Constant(self, node: ast.Constant, scope: Scope) -> Value:
        value = node.value
        if isinstance(value, bool):
            return Value(ir.Constant(Kind.BOOL, value), Kind.BOOL)
        if isinstance(value, int):
            if not Interval(value, value).inside(INT64):
                raise self.fault(node, "the number does not fit int64")
            return Value(
                ir.Constant(Kind.INT, value), Kind.INT, Interval(value, value), form=Form(value)
            )
        if isinstance(value, str):
            return Value(ir.Constant(Kind.STR, value), Kind.STR)
        if isinstance(value, float):
            return Value(ir.Constant(Kind.FLOAT, value), Kind.FLOAT)
        raise self.fault(node, f"'{excerpt(node)}' cannot stand here")

    def read_Name(self, node: ast.Name, scope: Scope) -> Value:
        if node.id in self.broken:
            raise Consequence(self.location(node), f"'{node.id}' is unknown")
        binding = scope.bindings.get(node.id)
        if binding is None:
            raise self.fault(node, f"'{node.id}' has no value here{meant(node.id, scope.bindings)}")
        if binding.maybe_unset:
            raise self.fault(
                node, f"'{node.id}' has a value on some paths only; give it one on all"
            )
        if binding.constant is not None:
            literal = ast.copy_location(ast.Constant(binding.constant), node)
            return self.read_Constant(literal, scope)
        if binding.optional and scope.facts.get(given(node.id)) != PRESENT:
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
            form=binding.form,
            length_form=binding.length_form,
            below=binding.below,
            identity=binding.atom or name if binding.kind is Kind.TENSOR else binding.identity,
            lists=frozenset(
                (name,) if binding.kind in LISTS_OF.values() and name in self.lists else ()
            ),
        )

    def read_Attribute(self, node: ast.Attribute, scope: Scope) -> Value:
        tensor = self.read(node.value, scope)
        if tensor.kind is Kind.TENSORS and node.attr == ir.Property.TYPE.value:
            of_all = ir.TensorProperty(Kind.STR, tensor.expression, ir.Property.TYPE)
            return Value(of_all, Kind.STR)
        if tensor.kind is not Kind.SPARSE:
            tensor = self.of_kind(node.value, scope, Kind.TENSOR)
        try:
            which = ir.Property(node.attr)
        except ValueError:
            known = ", ".join(f".{p.value}" for p in ir.Property)
            raise self.fault(node, f"a tensor has no '.{node.attr}'; it has {known}") from None
        if tensor.kind is Kind.SPARSE and which not in (ir.Property.RANK, ir.Property.SHAPE):
            raise self.fault(node, "of a sparse tensor a rule knows .rank and .shape")
        name = tensor.subject
        rank = scope.interval(name and f"{name}.rank", Interval(0, ir.MAX_RANK))
        size = scope.interval(name and f"{name}.size", DIM)
        expression = ir.TensorProperty(_PROPERTIES[which], tensor.expression, which)
        of = f"{tensor.identity}.{which.value}" if tensor.identity else None
        value = Value(expression, expression.kind, identity=of)
        if which is ir.Property.RANK:
            form = self.of_tensor(tensor, "rank", RANK, scope)
            return replace(value, interval=rank, subject=name and f"{name}.rank", form=form)
        if which is ir.Property.SIZE:
            form = self.of_tensor(tensor, "size", DIM, scope)
            return replace(value, interval=size, subject=name and f"{name}.size", form=form)
        if which is ir.Property.SHAPE:
            return replace(
                value,
                length=rank,
                items=DIM,
                length_subject=name and f"{name}.rank",
                length_form=self.of_tensor(tensor, "rank", RANK, scope),
            )
        if which in (ir.Property.VALUES, ir.Property.NUMBERS):
            length = LENGTH.meet(size)
            return replace(
                value,
                length=length,
                length_subject=name and f"{name}.size",
                length_form=self.of_tensor(tensor, "size", DIM, scope),
            )
        return value

    def of_tensor(self, tensor: Value, what: str, interval: Interval, scope: Scope) -> Form | None:
        """The rank or the size of a tensor, as an atom; its range on any path."""
        if tensor.identity is None:
            return None
        found = f"{tensor.identity}.{what}"
        scope.ranges.setdefault(found, interval)
        return atom(found)

    # Arithmetic

    def read_BinOp(self, node: ast.BinOp, scope: Scope) -> Value:
        left = self.read(node.left, scope)
        right = self.read(node.right, scope)
        if Kind.FLOAT in (left.kind, right.kind):
            return self.on_floats(node, left, right)
        operator = _OPERATORS.get(type(node.op))
        if operator is None:
            raise self.fault(
                node,
                f"'{excerpt(node)}': the operators are + - * // % on integers, + - * / on floats",
            )
        if operator is ir.ArithmeticOperator.MULTIPLY and isinstance(node.left, ast.List):
            return self.repeated(node, left, right)
        if operator is ir.ArithmeticOperator.ADD and left.kind is right.kind is Kind.INTS:
            length = arithmetic(operator, left.length, right.length)
            self.bounded(node, length)
            expression = ir.Joined(left.expression, right.expression)
            items = left.items.union(right.items)
            below = common_ends(((left, scope), (right, scope)))
            form = total(left.length_form, right.length_form)
            return Value(
                expression, Kind.INTS, length=length, items=items, length_form=form, below=below
            )
        for side, value in ((node.left, left), (node.right, right)):
            if value.kind is not Kind.INT:
                raise self.fault(
                    side, f"'{excerpt(side)}' is {value.kind.value}; arithmetic takes integers"
                )
        divides = operator in (ir.ArithmeticOperator.FLOOR_DIVIDE, ir.ArithmeticOperator.MODULO)
        if divides and right.interval.low < 1:
            raise self.fault(
                node.right,
                f"the divisor '{excerpt(node.right)}' may be less than 1; require that it is not",
            )
        result = arithmetic(operator, left.interval, right.interval)
        checked = not result.inside(INT64)
        expression_ = ir.Arithmetic(operator, left.expression, right.expression, checked)
        forms = {
            ir.ArithmeticOperator.ADD: lambda: total(left.form, right.form),
            ir.ArithmeticOperator.SUBTRACT: lambda: total(left.form, right.form, -1),
            ir.ArithmeticOperator.MULTIPLY: lambda: product(left.form, right.form),
        }
        form = forms.get(operator, lambda: None)()
        return Value(expression_, Kind.INT, result.meet(INT64), form=form)

    def on_floats(self, node: ast.BinOp, left: Value, right: Value) -> Value:
        """Arithmetic on floats, which takes no integers: ``float(n)`` makes one a float."""
        operator = _FLOAT_OPERATORS.get(type(node.op))
        if operator is None:
            raise self.fault(node, f"'{excerpt(node)}': the operators are + - * / on floats")
        for side, value in ((node.left, left), (node.right, right)):
            if value.kind is not Kind.FLOAT:
                hint = f"; write float({excerpt(side)})" if value.kind is Kind.INT else ""
                raise self.fault(
                    side, f"'{excerpt(side)}' is {value.kind.value}, expected float{hint}"
                )
        expression = ir.FloatArithmetic(operator, left.expression, right.expression)
        return Value(expression, Kind.FLOAT)

    def repeated(self, node: ast.BinOp, left: Value, right: Value) -> Value:
        assert isinstance(left.expression, ir.NewList)
        if len(left.expression.items) != 1:
            raise self.fault(node.left, "only a list of one value can be repeated")
        if right.kind is not Kind.INT:
            raise self.fault(node.right, f"'{excerpt(node.right)}' is no integer")
        self.bounded(node, right.interval)
        length = Interval(max(right.interval.low, 0), max(right.interval.high, 0))
        expression = ir.Repeated(left.expression.items[0], right.expression, left.kind)
        form = right.form if right.interval.low >= 0 else None
        return Value(expression, left.kind, length=length, items=left.items, length_form=form)

    def read_UnaryOp(self, node: ast.UnaryOp, scope: Scope) -> Value:
        if isinstance(node.op, ast.Not):
            return self.opposite(node.operand, scope)
        if not isinstance(node.op, ast.USub):
            raise self.fault(node, f"'{excerpt(node)}' is not part of the rule language")
        if isinstance(node.operand, ast.Constant) and type(node.operand.value) in (int, float):
            assert isinstance(node.operand.value, (int, float))
            literal = ast.copy_location(ast.Constant(-node.operand.value), node)
            return self.read_Constant(literal, scope)
        value = self.read(node.operand, scope)
        if value.kind is Kind.FLOAT:
            return Value(ir.FloatNegative(value.expression), Kind.FLOAT)
        value = self.of_kind(node.operand, scope, Kind.INT)
        result = Interval(-value.interval.high, -value.interval.low)
        expression = ir.Negative(value.expression, not result.inside(INT64))
        form = product(value.form, Form(-1))
        return Value(expression, Kind.INT, result.meet(INT64), form=form)

    # Lists

    def read_List(self, node: ast.List, scope: Scope) -> Value:
        values = [self.read(item, scope) for item in node.elts]
        of = Kind.FLOAT if values and values[0].kind is Kind.FLOAT else Kind.INT
        return self.list_of(node, of, scope)

    def list_of(self, node: ast.List, of: Kind, scope: Scope) -> Value:
        """A new list of integers or floats."""
        values = [self.of_kind(item, scope, of) for item in node.elts]
        length = Interval(len(values), len(values))
        self.bounded(node, length)
        items = Interval(1, 0)
        for value in values:
            items = items.union(value.interval)
        kind = LISTS_OF[of]
        expression = ir.NewList(tuple(value.expression for value in values), kind)
        form = Form(len(values))
        return Value(expression, kind, length=length, items=items, length_form=form)

    def read_Subscript(self, node: ast.Subscript, scope: Scope) -> Value:
        values = self.read(node.value, scope)
        if values.kind not in ITEM_KINDS:
            raise self.fault(node, f"'{excerpt(node.value)}' is no list")
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
        expression = ir.Element(
            kind, values.expression, index.expression, *proven(index, values, scope)
        )
        named = values.identity is not None and not values.lists and index.form is not None
        identity = f"{values.identity}[{key(index.form)}]" if named and index.form else None
        if kind is not Kind.INT:
            return Value(expression, kind, values.items, identity=identity)
        form = self.item(identity, values, scope)
        return Value(expression, kind, values.items, form=form)

    def item(self, identity: str | None, values: Value, scope: Scope) -> Form:
        """An integer of a list as an atom, with what is known of all of them.

        Of a list that can change it is another atom each time.
        """
        if identity is None:
            one = scope.unknown("item", values.items)
        else:
            one = atom(identity)
            is_dim = identity.partition("[")[0].endswith(".shape")
            scope.ranges.setdefault(identity, DIM if is_dim else INT64)
            if values.items.low > INT64.low and not is_dim:
                scope.relations |= {one.shifted(-values.items.low)}
        scope.relations |= {end.plus(one, -1).shifted(-1) for end in values.below}
        return one

    def elements(self, node: ast.expr, count: int, scope: Scope) -> list[Value]:
        """The values of a named list that is known to have so many of them."""
        values = self.read(node, scope)
        if not isinstance(node, ast.Name) or values.kind not in LISTS_OF.values():
            raise self.fault(node, "only a list that has a name can be unpacked")
        if values.length != Interval(count, count):
            raise self.fault(
                node, f"'{node.id}' must be known to have {count} values, one for each name"
            )
        indices = (ast.copy_location(ast.Constant(i), node) for i in range(count))
        elements = (ast.Subscript(node, index, ast.Load()) for index in indices)
        return [self.read(ast.copy_location(element, node), scope) for element in elements]

    def tail(self, node: ast.Subscript, values: Value, part: ast.Slice, scope: Scope) -> Value:
        if part.step is not None:
            raise self.fault(node, "a slice has no step in the rule language")
        bounds: list[Value] = []
        for end in (part.lower, part.upper):
            if end is not None:
                bounds.append(self.of_kind(end, scope, Kind.INT))
                if bounds[-1].interval.low < 0:
                    raise self.fault(end, _end_problem(node, end))
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
        return Value(
            expression,
            values.kind,
            length=length,
            items=values.items,
            lists=values.lists,
            below=values.below,
            length_form=_length_of_part(values, start, stop, scope),
        )


def proven(index: Value, values: Value, scope: Scope) -> tuple[bool, bool]:
    """Return whether an index is proven not to be negative, and proven to be below the length."""
    beyond = total(values.length_form, index.form, -1)
    return (
        index.interval.low >= 0 or scope.proves(index.form),
        index.interval.high < values.length.low
        or (beyond is not None and scope.proves(beyond.shifted(-1))),
    )


def _length_of_part(
    values: Value, start: Value | None, stop: Value | None, scope: Scope
) -> Form | None:
    """The length of ``values[start:stop]`` where the ends are proven to be in order."""
    first = start.form if start is not None else Form(0)
    last = stop.form if stop is not None else values.length_form
    length = total(last, first, -1)
    within = stop is None or scope.proves(total(values.length_form, last, -1))
    return length if within and scope.proves(length) else None


def _end_problem(node: ast.Subscript, end: ast.expr) -> str:
    """Advice about an end of a slice that may be negative; for a literal, the replacement."""
    if not (
        isinstance(end, ast.UnaryOp)
        and isinstance(end.op, ast.USub)
        and isinstance(end.operand, ast.Constant)
    ):
        return "the end of a slice may be negative; require that not"
    values = node.value
    if isinstance(values, ast.Attribute) and values.attr == "shape":
        length = f"{excerpt(values.value)}.rank"
    else:
        length = f"len({excerpt(values)})"
    low_end = excerpt(end.operand)
    return (
        f"a slice counts from the front; write {length} - {low_end} for its end, where {length} >= "
        f"{low_end} is required"
    )
