"""Types calls: the functions of the language, and helpers."""

from __future__ import annotations

import ast
from dataclasses import replace

from opmill_gen.rule_language import ir
from opmill_gen.rule_language.ir import Kind
from opmill_gen.rule_language.plain_functions import PlainFunction
from opmill_gen.rule_language.ranges import BYTE, COUNT, INT64, LENGTH, POSITIVE, RANK, Interval
from opmill_gen.rule_language.reader import LISTS, Reader, excerpt
from opmill_gen.rule_language.relations import Form
from opmill_gen.rule_language.scope import WHOLE, Fact, Scope, Value

_ONE = {Kind.INT: "one integer", Kind.FLOAT: "one float", Kind.STR: "a type"}
_OF_TEXT = {Kind.STR: "one text", Kind.INT: "an index"}
ROUNDED = ("float", "double", "float16", "bfloat16")
"""The types that ``rounded`` knows; of any other it leaves a value as it is."""
PROMISES = {
    ir.Promise.COUNT: (f"a Count, from 0 to {ir.MAX_LIST}", COUNT, LENGTH),
    ir.Promise.POSITIVE: ("a Positive, of at least 1", POSITIVE, LENGTH),
    ir.Promise.DIMS: (f"a Dims, of at most {ir.MAX_RANK} values", INT64, RANK),
}
"""The words for what an argument is, its range, and the range of its length."""


class Calls(Reader):
    """Reads calls that give a value."""

    def read_Call(self, node: ast.Call, scope: Scope) -> Value:
        if not isinstance(node.func, ast.Name):
            raise self.fault(node, f"'{excerpt(node.func)}' cannot be called here")
        name = node.func.id
        if name in scope.bindings:
            raise self.fault(node, f"'{name}' is a value here, not a function")
        if name in self.helpers:
            return self.helper(node, self.helpers[name], scope)
        if name in self.plain:
            return self.plain_call(node, self.plain[name], scope)
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
                    argument, f"'{excerpt(argument)}' is {value.kind.value}, expected {wanted}"
                )

    def call_len(self, node: ast.Call, values: list[Value], scope: Scope) -> Value:
        self.arity(node, values, (*LISTS, Kind.TENSORS))
        if len(values) != 1:
            raise self.fault(node, "len takes one list")
        expression = ir.FunctionCall(Kind.INT, ir.Function.LEN, (values[0].expression,))
        return Value(
            expression,
            Kind.INT,
            values[0].length,
            subject=values[0].length_subject,
            form=values[0].length_form,
        )

    def call_min(self, node: ast.Call, values: list[Value], scope: Scope) -> Value:
        return self.extreme(node, values, ir.Function.MIN, min, scope)

    def call_max(self, node: ast.Call, values: list[Value], scope: Scope) -> Value:
        return self.extreme(node, values, ir.Function.MAX, max, scope)

    def extreme(  # type: ignore[no-untyped-def]
        self, node: ast.Call, values: list[Value], function, pick, scope: Scope
    ) -> Value:
        self.arity(node, values, (Kind.INT,))
        if len(values) < 2:
            raise self.fault(node, f"{function.value} takes two integers or more")
        interval = Interval(
            pick(v.interval.low for v in values), pick(v.interval.high for v in values)
        )
        arguments = tuple(v.expression for v in values)
        form = scope.joined(function.value, [(v.form, scope) for v in values])
        forms = [v.form for v in values if v.form is not None]
        if form is not None and form not in forms:
            sign = 1 if function is ir.Function.MAX else -1
            scope.relations |= {Form(0).plus(form, sign).plus(each, -sign) for each in forms}
            scope.ranges.update(dict.fromkeys(form.atoms, interval))
        expression = ir.FunctionCall(Kind.INT, function, arguments)
        return Value(expression, Kind.INT, interval, form=form)

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

    def call_is_prepared(self, node: ast.Call, values: list[Value], scope: Scope) -> Value:
        if values:
            raise self.fault(node, "is_prepared takes no arguments")
        return Value(ir.FunctionCall(Kind.BOOL, ir.Function.IS_PREPARED, ()), Kind.BOOL)

    def call_int64(self, node: ast.Call, values: list[Value], scope: Scope) -> Value:
        self.arity(node, values, (Kind.FLOAT,))
        subject = values[0].subject if len(values) == 1 else None
        if subject is None or scope.facts.get(f"{subject}") != WHOLE:
            raise self.fault(
                node, "int64 takes a float that is known to be whole; require is_int64(...) first"
            )
        expression = ir.FunctionCall(Kind.INT, ir.Function.INT64, (values[0].expression,))
        return Value(expression, Kind.INT)

    def call_float(self, node: ast.Call, values: list[Value], scope: Scope) -> Value:
        return self.to_float(node, values, ir.Function.FLOAT, Kind.INT)

    def call_floor(self, node: ast.Call, values: list[Value], scope: Scope) -> Value:
        return self.to_float(node, values, ir.Function.FLOOR, Kind.FLOAT)

    def call_ceil(self, node: ast.Call, values: list[Value], scope: Scope) -> Value:
        return self.to_float(node, values, ir.Function.CEIL, Kind.FLOAT)

    def call_rounded(self, node: ast.Call, values: list[Value], scope: Scope) -> Value:
        return self.to_float(node, values, ir.Function.ROUNDED, Kind.FLOAT, Kind.STR)

    def call_byte_count(self, node: ast.Call, values: list[Value], scope: Scope) -> Value:
        return self.of_text(node, values, ir.Function.BYTE_COUNT, LENGTH, Kind.STR)

    def call_byte_at(self, node: ast.Call, values: list[Value], scope: Scope) -> Value:
        return self.of_text(node, values, ir.Function.BYTE_AT, BYTE, Kind.STR, Kind.INT)

    def of_text(
        self,
        node: ast.Call,
        values: list[Value],
        function: ir.Function,
        interval: Interval,
        *kinds: Kind,
    ) -> Value:
        """A function of a text's bytes, which gives an integer."""
        if len(values) != len(kinds):
            wanted = " and ".join(_OF_TEXT[kind] for kind in kinds)
            raise self.fault(node, f"{function.value} takes {wanted}")
        for argument, value, kind in zip(node.args, values, kinds, strict=True):
            self.arity_of(argument, value, kind)
        arguments = tuple(value.expression for value in values)
        return Value(ir.FunctionCall(Kind.INT, function, arguments), Kind.INT, interval)

    def arity_of(self, argument: ast.expr, value: Value, kind: Kind) -> None:
        if value.kind is not kind:
            raise self.fault(
                argument, f"'{excerpt(argument)}' is {value.kind.value}, expected {kind.value}"
            )

    def to_float(
        self, node: ast.Call, values: list[Value], function: ir.Function, *kinds: Kind
    ) -> Value:
        """A function that gives a float."""
        if len(values) != len(kinds):
            wanted = " and ".join(_ONE[kind] for kind in kinds)
            raise self.fault(node, f"{function.value} takes {wanted}")
        for argument, value, kind in zip(node.args, values, kinds, strict=True):
            self.arity_of(argument, value, kind)
        if function is ir.Function.ROUNDED:
            self.element_type(node.args[1], values[1])
        arguments = tuple(value.expression for value in values)
        return Value(ir.FunctionCall(Kind.FLOAT, function, arguments), Kind.FLOAT)

    def element_type(self, node: ast.expr, value: Value) -> None:
        """Refuse a text that is not the type of an input, nor one of the words of ROUNDED."""
        expression = value.expression
        property_ = getattr(expression, "property", None)
        word = getattr(expression, "value", None)
        if property_ is not ir.Property.TYPE and word not in ROUNDED:
            words = ", ".join(f'"{name}"' for name in ROUNDED)
            raise self.fault(node, f"write X.type, or one of {words}")

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
            length_form=values[0].length_form,
            below=values[0].below,
        )

    def plain_call(self, node: ast.Call, function: PlainFunction, scope: Scope) -> Value:
        """A call of a plain function, of whose result its annotation says what is known."""
        kinds = function.parameters
        if node.keywords or len(node.args) != len(kinds):
            raise self.fault(
                node,
                f"'{function.name}' takes {len(kinds)} arguments by position, "
                f"got {len(node.args) + len(node.keywords)}",
            )
        arguments = tuple(
            self.of_kind(argument, scope, kind).expression
            for argument, kind in zip(node.args, kinds, strict=True)
        )
        call = ir.PlainCall(function.result, function.family, function.name, arguments)
        return Value(call, function.result, length=function.length, items=function.items)

    def helper(self, node: ast.Call, helper: ir.Helper, scope: Scope) -> Value:
        arguments = self.helper_arguments(node, helper, scope)
        if helper.result is None:
            raise self.fault(node, f"'{helper.name}' gives no value")
        result = self.in_context(helper.name, arguments, scope)
        if result is None:  # atoms of an analysis on its own would be those of every call
            result = replace(self.returned[helper.name], form=None, length_form=None)
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
            form=result.form,
            length_form=result.length_form,
            below=result.below,
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
                if binding.lacking:
                    return Value(ir.Constant(parameter.kind, None), parameter.kind)
                return Value(
                    ir.Variable(parameter.kind, node.id),
                    parameter.kind,
                    subject=node.id,
                    length_form=binding.length_form,
                    identity=binding.atom or node.id,
                )
        value = self.of_kind(node, scope, parameter.kind)
        if parameter.promise is not None:
            words, interval, length = PROMISES[parameter.promise]
            if not (value.interval.inside(interval) and value.length.inside(length)):
                raise self.fault(
                    node,
                    f"'{parameter.name}' of '{helper.name}' is {words}; "
                    f"require that '{excerpt(node)}' is one",
                )
        return value
