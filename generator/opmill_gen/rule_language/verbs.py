"""Reads requirements, outputs and the plan: what a rule says to its callers and its kernels."""

from __future__ import annotations

import ast

from opmill_gen.base.diagnostics import Diagnostic
from opmill_gen.rule_language import ir
from opmill_gen.rule_language.expressions import Expressions
from opmill_gen.rule_language.ir import Kind
from opmill_gen.rule_language.reader import constant_text
from opmill_gen.rule_language.scope import PRESENT, Scope, Value

FAULTS = {
    "require": ir.Fault.SHAPE,
    "require_attribute": ir.Fault.ATTRIBUTE,
    "require_type": ir.Fault.TYPE,
}
EXTENTS = {"output": ir.Extent.EXACT, "bound": ir.Extent.BOUND}
_PLAN_KINDS = (Kind.INT, Kind.INTS, Kind.STR, Kind.BOOL, Kind.FLOAT)
_TENSORS = (Kind.TENSOR, Kind.SPARSE)
_MESSAGE_KINDS = (Kind.INT, Kind.INTS, Kind.STR, Kind.FLOAT)


class Verbs:
    """Reads the calls of verbs; faults are collected."""

    expressions: Expressions
    faults: list[Diagnostic]
    helper: bool
    outputs: dict[str, ir.Extent]
    plan: dict[str, Kind]
    kinds: dict[str, Kind]

    def require(self, call: ast.Call, fault: ir.Fault, scope: Scope) -> ir.Statement:
        if len(call.args) != 2 or call.keywords:
            raise self.expressions.fault(call, 'write require(condition, f"message")')
        condition = self.expressions.of_kind(call.args[0], scope, Kind.BOOL)
        failing = scope.copy()
        failing.assume(condition.when_false)
        scope.assume(condition.when_true)
        message = self.message(call.args[1], failing)
        return ir.Require(self.expressions.location(call), condition.expression, message, fault)

    def message(self, node: ast.expr, scope: Scope) -> tuple[str | ir.Expression, ...]:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return (node.value,)
        if not isinstance(node, ast.JoinedStr):
            raise self.expressions.fault(node, "a message is a text or an f-string")
        parts: list[str | ir.Expression] = []
        for part in node.values:
            if isinstance(part, ast.Constant):
                parts.append(str(part.value))
                continue
            assert isinstance(part, ast.FormattedValue)
            if part.conversion != -1 or part.format_spec is not None:
                raise self.expressions.fault(node, "values in a message have no format")
            if _is_counted(part.value):
                parts.append(self.counted(part.value, scope))
                continue
            value = self.expressions.read(part.value, scope)
            if value.kind not in _MESSAGE_KINDS:
                raise self.expressions.fault(
                    part.value, f"a message cannot show {value.kind.value}"
                )
            shown = value.expression
            parts.append(constant_text(shown) if isinstance(shown, ir.Constant) else shown)
        return _joined_texts(parts)

    def counted(self, node: ast.expr, scope: Scope) -> ir.Expression:
        """A number with its noun, which agrees with it."""
        assert isinstance(node, ast.Call)
        words = [
            word.value
            for word in node.args[1:]
            if isinstance(word, ast.Constant) and isinstance(word.value, str)
        ]
        if node.keywords or len(words) not in (1, 2) or len(words) != len(node.args) - 1:
            raise self.expressions.fault(node, 'write counted(number, "value") in a message')
        number = self.expressions.of_kind(node.args[0], scope, Kind.INT)
        many = words[1] if len(words) == 2 else f"{words[0]}s"
        return ir.Counted(number.expression, words[0], many)

    def verb(self, name: str, call: ast.Call, scope: Scope) -> ir.Statement:
        if self.helper:
            raise self.expressions.fault(call, f"'{name}' belongs in rules(), not in a helper")
        if name == "dynamic":
            word = call.args[0] if len(call.args) == 1 and not call.keywords else None
            if not isinstance(word, ast.Constant) or not isinstance(word.value, str):
                raise self.expressions.fault(call, 'write dynamic("Y")')
            return self.declare(call, word.value, ir.Extent.DYNAMIC, None, scope)
        named = [(keyword.arg, keyword.value) for keyword in call.keywords if keyword.arg]
        if call.args or not named or len(named) < len(call.keywords):
            raise self.expressions.fault(call, f"write {name}(name=value)")
        if name == "plan":
            values = tuple((key, self.planned(key, value, scope)) for key, value in named)
            return ir.Plan(values)
        if len(named) > 1:
            raise self.expressions.fault(call, f"give {name} one output at a time")
        shape = self.expressions.of_kind(named[0][1], scope, Kind.INTS)
        return self.declare(call, named[0][0], EXTENTS[name], shape, scope)

    def planned(self, name: str, node: ast.expr, scope: Scope) -> ir.Expression:
        value = self.tensor_attribute(node, scope) or self.expressions.read(node, scope)
        tensor = value.kind in _TENSORS and self.is_attribute(value, scope)
        if not tensor and value.kind not in _PLAN_KINDS and not self.is_own_list(value, scope):
            raise self.expressions.fault(node, f"a kernel cannot take {value.kind.value}")
        if self.plan.setdefault(name, value.kind) is not value.kind:
            raise self.expressions.fault(node, f"plan '{name}' is of another kind elsewhere")
        scope.facts[f"plan {name}"] = PRESENT
        return value.expression

    def tensor_attribute(self, node: ast.expr, scope: Scope) -> Value | None:
        """An attribute that is a tensor, which the plan takes where it is absent too."""
        binding = scope.bindings.get(node.id) if isinstance(node, ast.Name) else None
        if binding is None or binding.kind not in _TENSORS or not binding.is_attribute:
            return None
        assert isinstance(node, ast.Name)
        return Value(ir.Variable(binding.kind, node.id), binding.kind, subject=node.id)

    def is_attribute(self, value: Value, scope: Scope) -> bool:
        """Return whether a value is an attribute, by its name."""
        binding = scope.bindings.get(value.subject or "")
        return binding is not None and binding.is_attribute

    def is_own_list(self, value: Value, scope: Scope) -> bool:
        """Return whether a value is a list that the rule made, by its name."""
        binding = scope.bindings.get(value.subject or "")
        return isinstance(value.expression, ir.Variable) and binding is not None and binding.own

    def declare(
        self,
        call: ast.Call,
        name: str,
        extent: ir.Extent,
        shape: Value | None,
        scope: Scope,
    ) -> ir.Statement:
        if name in self.kinds:
            raise self.expressions.fault(
                call, f"'{name}' is an output, but a local value too; give that another name"
            )
        if name in scope.bindings and not scope.bindings[name].counts_outputs:
            raise self.expressions.fault(
                call, f"'{name}' is an output, but given to the rule too; outputs have own names"
            )
        if shape is not None and shape.length.high > ir.MAX_RANK:
            raise self.expressions.fault(
                call, f"the shape may have more than {ir.MAX_RANK} dims; bound its length first"
            )
        if self.outputs.setdefault(name, extent) is not extent:
            raise self.expressions.fault(call, f"'{name}' is {self.outputs[name].value} elsewhere")
        scope.facts[f"output {name}"] = PRESENT
        return ir.Output(name, extent, shape.expression if shape else None)


def _is_counted(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and getattr(node.func, "id", None) == "counted"


def _joined_texts(parts: list[str | ir.Expression]) -> tuple[str | ir.Expression, ...]:
    """The parts of a message, with texts that follow each other made one."""
    joined: list[str | ir.Expression] = []
    for part in parts:
        if isinstance(part, str) and joined and isinstance(joined[-1], str):
            joined[-1] += part
        else:
            joined.append(part)
    return tuple(joined)
