"""Types conditions and finds what each side of them shows."""

from __future__ import annotations

import ast

from opmill_gen.base.onnx_types import parse_element
from opmill_gen.rule_language import ir
from opmill_gen.rule_language.ir import Kind, Relation
from opmill_gen.rule_language.ranges import DIM, refine
from opmill_gen.rule_language.reader import Reader, excerpt
from opmill_gen.rule_language.relations import Form, compared
from opmill_gen.rule_language.scope import ABSENT, PRESENT, Fact, Scope, Value, common_ends, given

RELATIONS: dict[type[ast.cmpop], Relation] = {
    ast.Eq: Relation.EQUAL,
    ast.NotEq: Relation.UNEQUAL,
    ast.Lt: Relation.LESS,
    ast.LtE: Relation.LESS_EQUAL,
    ast.Gt: Relation.GREATER,
    ast.GtE: Relation.GREATER_EQUAL,
}
MIRRORED = {
    Relation.EQUAL: Relation.EQUAL,
    Relation.UNEQUAL: Relation.UNEQUAL,
    Relation.LESS: Relation.GREATER,
    Relation.LESS_EQUAL: Relation.GREATER_EQUAL,
    Relation.GREATER: Relation.LESS,
    Relation.GREATER_EQUAL: Relation.LESS_EQUAL,
}


class Conditions(Reader):
    """Reads comparisons, what joins them, and choices."""

    def opposite(self, node: ast.expr, scope: Scope) -> Value:
        """``not`` of an expression."""
        value = self.of_kind(node, scope, Kind.BOOL)
        if isinstance(value.expression, ir.Constant):
            negated: ir.Expression = ir.Constant(Kind.BOOL, not value.expression.value)
        else:
            negated = _negated(value.expression)
        return Value(negated, Kind.BOOL, when_true=value.when_false, when_false=value.when_true)

    def read_BoolOp(self, node: ast.BoolOp, scope: Scope) -> Value:
        word = "and" if isinstance(node.op, ast.And) else "or"
        inner = scope.copy()
        operands: list[ir.Expression] = []
        facts: list[Fact] = []
        alternatives: list[tuple[Scope, tuple[Fact, ...]]] = []
        decided = False
        for part in node.values:
            value = self.of_kind(part, inner, Kind.BOOL)
            found, other = value.when_true, value.when_false
            if word == "or":
                found, other = other, found
            alternatives.append((inner.copy(), other))
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
            expression: ir.Expression = ir.Constant(Kind.BOOL, decided is (word == "or"))
        else:
            expression = operands[0] if len(operands) == 1 else ir.Logic(word, tuple(operands))
        hull = _of_all(alternatives)
        if word == "and":
            return Value(expression, Kind.BOOL, when_true=tuple(facts), when_false=hull)
        return Value(expression, Kind.BOOL, when_true=hull, when_false=tuple(facts))

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
            relation = RELATIONS.get(type(op))
            if relation is None:
                raise self.fault(node, f"'{excerpt(node)}' is not part of the rule language")
            self.comparable(nodes[k + 1], values[k], values[k + 1], relation)
            for one, other in ((k, k + 1), (k + 1, k)):
                constant = values[other].expression
                if isinstance(constant, ir.Constant) and isinstance(constant.value, str):
                    self.element_types(values[one], [(nodes[other], constant.value)])
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

    def element_types(self, side: Value, others: list[tuple[ast.expr, str]]) -> None:
        """A tensor's type is compared with ONNX's words alone: no other can be equal."""
        expression = side.expression
        if isinstance(expression, ir.TensorProperty) and expression.property is ir.Property.TYPE:
            for node, word in others:
                if not word and expression.tensor.kind is Kind.TENSORS:
                    continue  # that of an empty sequence may be open
                try:
                    parse_element(word)
                except ValueError as error:
                    raise self.fault(node, str(error)) from None

    def absence(self, node: ast.Compare, scope: Scope) -> Value:
        negated = isinstance(node.ops[0], ast.IsNot)
        right = node.comparators[0]
        binding = scope.bindings.get(node.left.id) if isinstance(node.left, ast.Name) else None
        none = isinstance(right, ast.Constant) and right.value is None
        if len(node.ops) > 1 or binding is None or not none or not binding.optional:
            raise self.fault(node, "'is' compares an optional parameter with None, nothing else")
        assert isinstance(node.left, ast.Name)
        name = node.left.id
        present, absent = (Fact(given(name), PRESENT),), (Fact(given(name), ABSENT),)
        decided = ir.Constant(Kind.BOOL, not negated) if binding.lacking else None
        return Value(
            decided or ir.IsAbsent(name, negated),
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
        assert isinstance(listed, ast.Tuple)
        self.element_types(word, list(zip(listed.elts, words, strict=True)))
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
        form = scope.joined("choice", ((yes.form, when_true), (no.form, when_false)))
        interval = yes.interval.union(no.interval)
        if form is not None and scope.proves(form):
            interval = interval.meet(DIM)
        return Value(
            expression,
            yes.kind,
            interval,
            yes.length.union(no.length),
            yes.items.union(no.items),
            lists=yes.lists | no.lists,
            form=form,
            below=common_ends(((yes, when_true), (no, when_false))),
            length_form=yes.length_form if yes.length_form == no.length_form else None,
        )


def _compared(left: Value, relation: Relation, right: Value) -> list[Fact]:
    """The facts about either side that follow from a comparison."""
    facts: list[Fact] = []
    if left.kind is Kind.INT:
        if left.subject:
            facts.append(Fact(left.subject, refine(relation, left.interval, right.interval)))
        if right.subject:
            mirrored = refine(MIRRORED[relation], right.interval, left.interval)
            facts.append(Fact(right.subject, mirrored))
        facts += [Fact("", form) for form in compared(left.form, relation, right.form)]
    elif left.kind is Kind.INTS and relation is Relation.EQUAL:
        for one, other in ((left, right), (right, left)):
            if one.length_subject:
                facts.append(Fact(one.length_subject, one.length.meet(other.length)))
        forms = compared(left.length_form, relation, right.length_form)
        facts += [Fact("", form) for form in forms]
    return facts


def _of_all(alternatives: list[tuple[Scope, tuple[Fact, ...]]]) -> tuple[Fact, ...]:
    """Return what one of several alternatives shows and all others prove."""
    for where, facts in alternatives:
        where.assume(facts)
    shown = dict.fromkeys(
        fact for _, facts in alternatives for fact in facts if isinstance(fact.knowledge, Form)
    )
    return tuple(
        fact
        for fact in shown
        if isinstance(fact.knowledge, Form)
        and all(where.proves(fact.knowledge) for where, _ in alternatives)
    )


def _truth(value: bool) -> Value:
    """A condition that is decided here, as one over a family's parameters."""
    return Value(ir.Constant(Kind.BOOL, value), Kind.BOOL)


def _negated(expression: ir.Expression) -> ir.Expression:
    if isinstance(expression, ir.Not):
        return expression.operand
    return ir.Not(expression)
