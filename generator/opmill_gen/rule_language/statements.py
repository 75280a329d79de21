"""Reads the statements of a rule file: assignments, flow, calls."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import replace

from opmill_gen.base.diagnostics import Diagnostic, meant
from opmill_gen.rule_language import ir
from opmill_gen.rule_language.appended import Appended, still_below
from opmill_gen.rule_language.changes import appends, assigned, list_of, required_in, stored
from opmill_gen.rule_language.expressions import Expressions, proven
from opmill_gen.rule_language.ir import Kind, Relation
from opmill_gen.rule_language.ranges import DIM, INT64, LENGTH, Interval, refine
from opmill_gen.rule_language.reader import ITEM_KINDS, LISTS_OF, Consequence, Unsupported
from opmill_gen.rule_language.relations import Form, compared, total, upper_ends
from opmill_gen.rule_language.scope import PRESENT, Binding, Scope, Value, common_ends
from opmill_gen.rule_language.verbs import EXTENTS, FAULTS, Verbs

_VERBS = ("require", "require_attribute", "require_type", "output", "bound", "plan")
_FUNCTIONS = (
    *("abs", "byte_at", "byte_count", "ceil", "counted", "float", "floor", "int64", "is_int64"),
    *("is_prepared", "len", "list", "max", "min", "range", "rounded"),
)
_ANNOTATED = {"list[int]": Kind.INT, "list[float]": Kind.FLOAT}
WORDS = frozenset((*FAULTS, *EXTENTS, "dynamic", "plan", *_FUNCTIONS))
"""Names that the language calls; a local variable or a helper of such a name would hide it."""


class Statements(Verbs):
    """Reads the body of one function; faults are collected."""

    def __init__(
        self,
        expressions: Expressions,
        comments: dict[int, list[str]],
        faults: list[Diagnostic],
        *,
        helper: bool,
    ) -> None:
        self.expressions = expressions
        self.comments = comments
        self.faults = faults
        self.helper = helper
        self.outputs: dict[str, ir.Extent] = {}
        self.plan: dict[str, Kind] = {}
        self.returned: Value | None = None
        self.returning = Scope()
        """What holds wherever a helper returns a value."""
        self.kinds: dict[str, Kind] = {}
        self.growing: dict[str, int] = {}
        self.counting: tuple[str, ...] = ()
        self.appended = Appended(Scope())

    def block(self, nodes: Iterable[ast.stmt], scope: Scope) -> tuple[ir.Statement, ...]:
        """The statements of a block; a faulty one is reported and left out."""
        statements: list[ir.Statement] = []
        for node in nodes:
            for line in self.comments.pop(node.lineno, []):
                statements.append(ir.Comment(line))
            if scope.ended:
                unreached = self.expressions.fault(node, "this can never be reached")
                self.faults.append(unreached.diagnostic)
                break
            try:
                statements += self.statement(node, scope)
            except Unsupported as error:
                if not isinstance(error, Consequence):
                    self.faults.append(error.diagnostic)
                # What it was to assign is unknown now; that is not another fault.
                self.expressions.broken |= assigned([node])
        return tuple(statements)

    def statement(self, node: ast.stmt, scope: Scope) -> tuple[ir.Statement, ...]:
        method = getattr(self, f"read_{type(node).__name__}", None)
        if method is None:
            word = type(node).__name__.lower()
            raise self.expressions.fault(node, f"'{word}' is not part of the rule language")
        found: ir.Statement | tuple[ir.Statement, ...] = method(node, scope)
        return found if isinstance(found, tuple) else (found,)

    # Assignments

    def read_Assign(
        self, node: ast.Assign, scope: Scope
    ) -> ir.Statement | tuple[ir.Statement, ...]:
        if len(node.targets) != 1:
            raise self.expressions.fault(node, "assign one name at a time")
        target = node.targets[0]
        if isinstance(target, ast.Subscript):
            return self.assign_element(node, target, scope)
        if isinstance(target, ast.Tuple):
            return self.unpack(node, target, scope)
        if not isinstance(target, ast.Name):
            raise self.expressions.fault(target, "only a name or an element can be assigned")
        return self.assign(node, target.id, self.expressions.read(node.value, scope), scope)

    def read_AnnAssign(self, node: ast.AnnAssign, scope: Scope) -> ir.Statement:
        text = ast.unparse(node.annotation)
        of = _ANNOTATED.get(text)
        if not isinstance(node.target, ast.Name) or node.value is None or of is None:
            raise self.expressions.fault(
                node,
                "of annotations only 'x: list[int] = ...' and 'x: list[float] = ...' are known",
            )
        if isinstance(node.value, ast.List):
            value = self.expressions.list_of(node.value, of, scope)
        else:
            value = self.expressions.of_kind(node.value, scope, LISTS_OF[of])
        return self.assign(node, node.target.id, value, scope)

    def read_AugAssign(self, node: ast.AugAssign, scope: Scope) -> ir.Statement:
        if not isinstance(node.target, ast.Name):
            raise self.expressions.fault(node.target, "only a name can be updated")
        old = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
        whole = ast.copy_location(ast.BinOp(old, node.op, node.value), node)
        return self.assign(node, node.target.id, self.expressions.read(whole, scope), scope)

    def assign(self, node: ast.AST, name: str, value: Value, scope: Scope) -> ir.Statement:
        old = scope.bindings.get(name)
        self.nameable(node, name, value.kind, scope)
        if value.kind in (Kind.TENSOR, Kind.TENSORS, Kind.SPARSE, Kind.OPAQUE):
            raise self.expressions.fault(node, f"{value.kind.value} cannot be assigned")
        for shared in sorted(value.lists):
            raise self.expressions.fault(
                node, f"'{shared}' would have a second name; copy it with list(...)"
            )
        fresh = (ir.NewList, ir.Repeated, ir.Joined, ir.Copied)
        scope.bind(
            name,
            Binding(
                value.kind,
                own=isinstance(value.expression, fresh),
                interval=value.interval,
                length=value.length,
                items=value.items,
                form=value.form,
                length_form=value.length_form,
                below=value.below,
            ),
        )
        return ir.Assign(name, value.expression, old is None)

    def unpack(self, node: ast.Assign, target: ast.Tuple, scope: Scope) -> tuple[ir.Statement, ...]:
        """``a, _, c = values``: a name for each value of a list, but for ``_``."""
        statements = []
        values = self.expressions.elements(node.value, len(target.elts), scope)
        for name, value in zip(target.elts, values, strict=True):
            if not isinstance(name, ast.Name):
                raise self.expressions.fault(name, "only names can be unpacked into")
            if name.id != "_":
                statements.append(self.assign(name, name.id, value, scope))
        return tuple(statements)

    def nameable(self, node: ast.AST, name: str, kind: Kind, scope: Scope) -> None:
        """Refuse a name that cannot be given a value, or none of this kind."""
        old = scope.bindings.get(name)
        problem = None
        if old is not None and (old.optional or old.constant is not None):
            problem = f"'{name}' is given; choose another name"
        elif name in self.counting:
            problem = f"'{name}' counts the rounds of a loop; choose another name"
        elif name in WORDS:
            problem = f"'{name}' is a word of the rule language; choose another name"
        elif name in self.expressions.helpers or name in self.expressions.plain:
            problem = f"'{name}' is a helper; choose another name"
        elif name in self.outputs:
            problem = f"'{name}' is an output; choose another name"
        else:
            known = old.kind if old is not None else self.kinds.setdefault(name, kind)
            if known is not kind:
                problem = f"'{name}' is {known.value}; it cannot become {kind.value}"
        if problem is not None:
            raise self.expressions.fault(node, problem)

    def own_list(self, node: ast.expr, scope: Scope) -> tuple[str, Binding]:
        if isinstance(node, ast.Name):
            self.expressions.read(node, scope)
        binding = scope.bindings.get(node.id) if isinstance(node, ast.Name) else None
        if binding is None or not binding.own:
            raise self.expressions.fault(
                node, "only a list made here can change; copy another with list(...)"
            )
        assert isinstance(node, ast.Name)
        return node.id, binding

    def assign_element(self, node: ast.Assign, target: ast.Subscript, scope: Scope) -> ir.Statement:
        name, binding = self.own_list(target.value, scope)
        index = self.expressions.of_kind(target.slice, scope, Kind.INT)
        value = self.expressions.of_kind(node.value, scope, ITEM_KINDS[binding.kind])
        values = self.expressions.read(target.value, scope)
        below = still_below(binding.below, value, scope)
        items = binding.items.union(value.interval)
        scope.bindings[name] = replace(binding, items=items, below=below)
        return ir.AssignElement(
            name,
            index.expression,
            value.expression,
            *proven(index, values, scope),
        )

    # Flow

    def read_If(self, node: ast.If, scope: Scope) -> ir.Statement | tuple[ir.Statement, ...]:
        condition = self.expressions.of_kind(node.test, scope, Kind.BOOL)
        if isinstance(condition.expression, ir.Constant):
            return self.decided(node, condition, scope)
        other = scope.copy()
        scope.assume(condition.when_true)
        other.assume(condition.when_false)
        then = self.block(node.body, scope)
        otherwise = self.block(node.orelse, other)
        scope.merge(other)
        return ir.If(condition.expression, then, otherwise)

    def decided(self, node: ast.If, condition: Value, scope: Scope) -> tuple[ir.Statement, ...]:
        """An ``if`` over a family's parameter or a lacking input: one side is part of the rule."""
        taken = condition.expression == ir.Constant(Kind.BOOL, True)
        other = scope.copy()
        other.assume(condition.when_false if taken else condition.when_true)
        live, dead = (node.body, node.orelse) if taken else (node.orelse, node.body)
        kept = dict(self.outputs), dict(self.plan), dict(self.kinds), self.returned, self.returning
        broken = set(self.expressions.broken)
        self.block(dead, other)
        self.outputs, self.plan, self.kinds, self.returned, self.returning = kept
        self.expressions.broken = broken
        return self.block(live, scope)

    def read_For(self, node: ast.For, scope: Scope) -> ir.Statement:
        call, target = node.iter, node.target
        if not (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Name)
            and call.func.id == "range"
            and "range" not in scope.bindings
        ):
            raise self.expressions.fault(node.iter, "a loop runs over range(...)")
        plain = isinstance(target, ast.Name) and not node.orelse and not call.keywords
        if not plain or len(call.args) not in (1, 2):
            raise self.expressions.fault(node, "write a loop as 'for i in range(start, stop):'")
        ends = [self.expressions.of_kind(end, scope, Kind.INT) for end in call.args]
        zero = Value(ir.Constant(Kind.INT, 0), Kind.INT, Interval(0, 0), form=Form(0))
        start, stop = ends if len(ends) == 2 else (zero, ends[0])
        rounds = max(stop.interval.high - start.interval.low, 0)
        if rounds > LENGTH.high:
            raise self.expressions.fault(
                call, "the loop may run without end; bound its end with require first"
            )
        assert isinstance(target, ast.Name)
        self.nameable(node, target.id, Kind.INT, scope)
        if target.id in scope.bindings:
            raise self.expressions.fault(
                node, f"'{target.id}' has a value already; choose another name"
            )
        after = scope.copy()
        outer = self.growing, self.counting
        growing = self.forget_changed(node.body, scope, rounds)
        self.growing = self.growing | growing
        self.counting = (*self.counting, target.id)
        appended, self.appended = self.appended, Appended(after)
        index = Interval(start.interval.low, max(stop.interval.high - 1, start.interval.low))
        scope.bind(target.id, Binding(Kind.INT, interval=index))
        round_ = scope.bindings[target.id].form
        scope.relations |= {
            *compared(start.form, Relation.LESS_EQUAL, round_),
            *compared(round_, Relation.LESS, stop.form),
        }
        body = self.block(node.body, scope)
        self.growing, self.counting = outer
        scope.bindings.pop(target.id, None)  # as in C, it is the loop's own
        given = {fact for fact in scope.facts if fact.startswith("output ")}
        scope.merge(after)
        self.appended.settle(node.body, growing, total(stop.form, start.form, -1), scope)
        self.appended = appended
        if start.interval.high <= 0:
            self.refine_all(node, stop, scope)
        # The loop of a variadic output may well run no round.
        scope.facts.update(dict.fromkeys(given, PRESENT))
        return ir.For(target.id, start.expression, stop.expression, body)

    def refine_all(self, node: ast.For, stop: Value, scope: Scope) -> None:
        """Assume after a loop over all of a list what the loop requires of each value."""
        assert isinstance(node.target, ast.Name)
        index = node.target.id
        changed = assigned(node.body) | stored(node.body) | appends(node.body).keys() | {index}
        for one, relation, other in required_in(node.body):
            name = list_of(one, index)
            binding = scope.bindings.get(name or "")
            free = {part.id for part in ast.walk(other) if isinstance(part, ast.Name)}
            if name is None or name in changed or free & changed:
                continue
            if binding is None or binding.kind is not Kind.INTS:
                continue
            if scope.proves(total(stop.form, binding.length_form, -1)):
                bound = self.expressions.of_kind(other, scope, Kind.INT)
                items = refine(relation, binding.items, bound.interval)
                scope.bindings[name] = replace(binding, items=items)

    def forget_changed(self, body: list[ast.stmt], scope: Scope, rounds: int) -> dict[str, int]:
        """Forget at the start of a loop what its body changes, but for the growth of lists.

        Returns how long each list that grows can be until the loop ends.
        """
        growing: dict[str, int] = {}
        renewed = assigned(body)
        for name in renewed:
            binding = scope.bindings.get(name)
            if binding is not None and not binding.optional and binding.constant is None:
                scope.bind(name, Binding(binding.kind, maybe_unset=binding.maybe_unset))
        for name in stored(body) - renewed:
            if name in scope.bindings and not scope.bindings[name].counts_outputs:
                old = scope.bindings[name]
                scope.bindings[name] = replace(old, items=INT64, below=frozenset())
        for name, (each, node, nested) in appends(body).items():
            binding = scope.bindings.get(name)
            if binding is None or not binding.own or name in renewed:
                continue
            if nested:
                raise self.expressions.fault(
                    node, "append in an inner loop cannot be bounded; use one loop"
                )
            length = scope.interval(f"len({name})", binding.length)
            longest_length = length.high + each * rounds
            if longest_length > ir.MAX_LIST:
                raise self.expressions.fault(
                    node,
                    f"'{name}' may grow beyond {ir.MAX_LIST} values here; "
                    "bound the loop's end with require first",
                )
            growing[name] = longest_length
            longer = Interval(length.low, longest_length)
            scope.bind(
                name,
                replace(binding, length=longer, items=INT64, length_form=None, below=frozenset()),
            )
        return growing

    # Calls

    def read_Expr(self, node: ast.Expr, scope: Scope) -> ir.Statement:
        call = node.value
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
            return self.append(call, call.func, scope)
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            raise self.expressions.fault(node, "an expression alone does nothing")
        name = call.func.id
        if name in scope.bindings and not scope.bindings[name].counts_outputs:
            raise self.expressions.fault(call, f"'{name}' is a value here, not a function")
        if name in FAULTS:
            return self.require(call, FAULTS[name], scope)
        if name in self.expressions.helpers:
            helper = self.expressions.helpers[name]
            if helper.result is not None:
                raise self.expressions.fault(node, f"the value of '{name}' is not used")
            arguments = self.expressions.helper_arguments(call, helper, scope)
            self.expressions.in_context(name, arguments, scope)
            return ir.Call(name, tuple(argument.expression for argument in arguments))
        if name in ("output", "bound", "dynamic", "plan"):
            return self.verb(name, call, scope)
        raise self.expressions.fault(
            node,
            f"'{name}' cannot stand alone; the verbs are require, output, bound, plan"
            f"{meant(name, _VERBS)}",
        )

    def append(self, call: ast.Call, method: ast.Attribute, scope: Scope) -> ir.Statement:
        if method.attr != "append" or len(call.args) != 1 or call.keywords:
            raise self.expressions.fault(call, "of methods only 'append' is in the rule language")
        name, binding = self.own_list(method.value, scope)
        value = self.expressions.of_kind(call.args[0], scope, ITEM_KINDS[binding.kind])
        if value.kind is Kind.INT and scope.proves(value.form):
            value = replace(value, interval=value.interval.meet(DIM))
        length = scope.interval(f"len({name})", binding.length)
        longest_length = min(length.high + 1, self.growing.get(name, length.high + 1))
        if longest_length > ir.MAX_LIST:
            raise self.expressions.fault(call, f"'{name}' may grow beyond {ir.MAX_LIST} values")
        longer = Interval(length.low + 1, longest_length)
        items = binding.items.union(value.interval)
        form = binding.length_form and binding.length_form.shifted(1)
        ends = upper_ends(value.form, scope.relations, scope.ranges)
        below = still_below(binding.below, value, scope) if length.high else ends
        self.appended.add(name, value, scope)
        scope.bind(
            name, replace(binding, length=longer, items=items, length_form=form, below=below)
        )
        return ir.Append(name, value.expression)

    def read_Return(self, node: ast.Return, scope: Scope) -> ir.Statement:
        if not self.helper:
            raise self.expressions.fault(node, "rules() returns nothing; use output(...)")
        if node.value is None:
            raise self.expressions.fault(node, "return a value")
        value = self.expressions.read(node.value, scope)
        scope.ended = True
        if self.returned is None:
            self.returned, self.returning = value, scope.copy()
            return ir.Return(value.expression)
        old, earlier = self.returned, self.returning
        if old.kind is not value.kind:
            raise self.expressions.fault(node, "every return gives the same kind")
        common = Scope(
            relations=earlier.relations & scope.relations,
            ranges={**earlier.ranges, **scope.ranges},
        )
        lengths = (old.length_form, earlier), (value.length_form, scope)
        self.returned = Value(
            value.expression,
            value.kind,
            old.interval.union(value.interval),
            old.length.union(value.length),
            old.items.union(value.items),
            form=common.joined("returned", ((old.form, earlier), (value.form, scope))),
            length_form=common.joined("len(returned)", lengths),
            below=common_ends(((old, earlier), (value, scope))),
        )
        self.returning = common
        return ir.Return(value.expression)

    def read_Pass(self, node: ast.Pass, scope: Scope) -> ir.Statement:
        raise self.expressions.fault(node, "'pass' does nothing; remove it")
