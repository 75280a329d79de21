"""Emits a rule as C11: the same order, the same messages, int64 kept by checked arithmetic.

C has no exceptions and leaves the order of evaluation open, so an expression that can fail is
lowered into steps, left to right, each of which leaves the function where it fails. Whatever
cannot fail stays one expression.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from opmill_gen.base.literals import c_comment, c_string
from opmill_gen.base.wrap import wrapped
from opmill_gen.rule_language import ir
from opmill_gen.rule_language.emit_c_expressions import FLOAT_LISTS, Expressions
from opmill_gen.rule_language.emit_c_names import (
    c_name,
    changed_by,
    declared_inside,
    local_variables,
)
from opmill_gen.rule_language.emit_c_text import (
    INDENT,
    LIST_TYPES,
    OPTIONAL_TYPES,
    PLAN_TYPES,
    TYPES,
    Block,
    NotInCError,
    bare,
    name_of,
)
from opmill_gen.rule_language.ir import Kind
from opmill_gen.rule_language.reader import LISTS_OF
from opmill_gen.rule_language.walk import mentioned, typed_tensors

_CODES = {
    ir.Fault.SHAPE: "OPMILL_ERROR_SHAPE",
    ir.Fault.ATTRIBUTE: "OPMILL_ERROR_ATTRIBUTE",
    ir.Fault.TYPE: "OPMILL_ERROR_TYPE",
}
_FRESH = (ir.NewList, ir.Repeated, ir.Joined, ir.Copied)


@dataclass(frozen=True)
class EmittedC:
    """A rule as C.

    Args:
        prototype: of the rule's function.
        plan: the members of its plan.
        helpers: the functions that it calls, each after those that it calls itself: names, texts.
        function: the rule's function.
    """

    prototype: str
    plan: tuple[str, ...]
    helpers: tuple[tuple[str, str], ...]
    function: str

    @property
    def body(self) -> str:
        """All functions."""
        return "\n\n".join((*(text for _, text in self.helpers), self.function)) + "\n"


def emit_c(
    program: ir.RuleProgram, name: str, plan: str, variadic_outputs: frozenset[str]
) -> EmittedC:
    """The function ``opmill_<name>_rules`` with its helpers.

    Raises:
        NotInCError: the rule uses something that C cannot hold.

    Args:
        program: the rule.
        name: the name of the rule.
        plan: the name of the plan, as ``opmill_<plan>_plan``.
        variadic_outputs: the outputs that have any number of values.
    """
    emitter = _Emitter(program, name=name, plan=plan, variadic_outputs=variadic_outputs)
    helpers = tuple(
        (c_name(helper.name), "\n".join(_fitted(emitter.helper(helper))))
        for helper in program.helpers
    )
    emitter.typed = frozenset(map(c_name, typed_tensors(program)))  # helpers receive no types
    prototype = emitter.prototype()
    function = "\n".join(_fitted(emitter.rule(prototype)))
    members = tuple(f"{_plan_type(kind)}{key};" for key, kind in program.plan.items())
    return EmittedC(prototype, members, helpers, function)


def _fitted(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        yield from wrapped(line)


def _plan_type(kind: Kind) -> str:
    return PLAN_TYPES.get(kind, TYPES[kind])


@dataclass
class _Emitter(Expressions):
    """Emits the functions and statements of one program."""

    name: str = ""
    plan: str = ""
    variadic_outputs: frozenset[str] = frozenset()

    # Functions

    def parameter(self, parameter: ir.Parameter) -> str:
        name = name_of(parameter)
        if parameter.kind is Kind.TENSORS:
            own_type = f", int32_t {name}_type" if name in self.typed else ""
            return f"const opmill_tensor *const *{name}, int32_t {name}_count{own_type}"
        if parameter.optional and parameter.kind in OPTIONAL_TYPES:
            return f"{OPTIONAL_TYPES[parameter.kind]}{name}"
        return f"{TYPES[parameter.kind]}{name}"

    def prototype(self) -> str:
        parameters = ["const char *op", *map(self.parameter, self.program.parameters)]
        for output, extent in self.program.outputs.items():
            if extent is ir.Extent.DYNAMIC:
                continue
            several = "s" if output in self.variadic_outputs else ""
            parameters.append(f"opmill_shape{several} *{c_name(output)}")
        parameters += [f"opmill_{self.plan}_plan *plan", "opmill_context *context"]
        return f"int opmill_{self.name}_rules({', '.join(parameters)})"

    def start(self, parameters: Iterable[ir.Parameter], body: tuple[ir.Statement, ...]) -> None:
        self.temporaries = 0
        self.inside = set()
        self.used = set()
        self.storages = []
        self.parameters = {parameter.name: parameter for parameter in parameters}
        self.lists = {
            name
            for name, values in local_variables(body).items()
            if any(_is_new(value) for value in values)
        } | _kept_from_calls(body)

    def helper(self, helper: ir.Helper) -> list[str]:
        self.start(helper.parameters, helper.body)
        parameters = ["const char *op", *map(self.parameter, helper.parameters)]
        if helper.result in (Kind.FLOATS, Kind.STRS):
            raise NotInCError(FLOAT_LISTS)
        if helper.result is Kind.INTS:
            parameters += ["opmill_ints *result", "opmill_list *storage"]
        elif helper.result is not None:
            parameters.append(f"{TYPES[helper.result]}*result")
        parameters.append("opmill_context *context")
        lines = _comment(helper.doc)
        lines += [f"static int {c_name(helper.name)}({', '.join(parameters)}) {{"]
        lines += self.used_body(helper.parameters, helper.body, helper.result)
        if helper.result is None:
            lines.append(f"{INDENT}return OPMILL_OK;")
        return [*lines, "}"]

    def rule(self, prototype: str) -> list[str]:
        self.start(self.program.parameters, self.program.body)
        lines = _comment(self.program.doc)
        lines += [f"{prototype} {{"]
        if not self.program.plan:
            lines.append(f"{INDENT}(void)plan;")
        lines += self.used_body(self.program.parameters, self.program.body)
        return [*lines, f"{INDENT}return OPMILL_OK;", "}"]

    def used_body(
        self,
        parameters: Iterable[ir.Parameter],
        body: tuple[ir.Statement, ...],
        result: Kind | None = None,
    ) -> list[str]:
        """A function's statements, after what keeps compilers silent of unused parameters."""
        written = self.function_body(body)
        used = {self.own(name) for name in mentioned(body) - self.several()} | self.used
        given: list[str] = []
        for parameter in parameters:
            name = name_of(parameter)
            given.append(name)
            if parameter.kind is Kind.TENSORS:
                given += [f"{name}_count", *([f"{name}_type"] if name in self.typed else [])]
        given += ["op", *(["storage"] if result is Kind.INTS else []), "context"]
        return [f"{INDENT}(void){name};" for name in given if name not in used] + written

    def several(self) -> set[str]:
        """The variadic inputs: a function may use one of their values alone, or their number."""
        return {p.name for p in self.parameters.values() if p.kind is Kind.TENSORS}

    def function_body(self, body: tuple[ir.Statement, ...]) -> list[str]:
        """The statements, after the declarations of variables that outlive their first block."""
        lines: list[str] = []
        for name, values in local_variables(body).items():
            if not declared_inside(body, name):
                kind = values[0].kind
                if name in self.lists:
                    lines += _empty_list(c_name(name), kind)
                else:
                    zero = "OPMILL_INTS_ABSENT" if kind is Kind.INTS else "0"
                    lines.append(f"{TYPES[kind]}{c_name(name)} = {zero};")
        inside = {name for name in local_variables(body) if declared_inside(body, name)}
        written = self.block(body, inside)
        lines += [f"opmill_list {name};" for name in self.storages]
        lines += written
        return [INDENT + line if line else line for line in lines]

    def block(self, statements: Iterable[ir.Statement], undeclared: set[str]) -> list[str]:
        """The lines of a block. ``undeclared`` holds the names still to be declared inside it."""
        block = Block()
        known = set(self.inside)
        for statement in statements:
            self.statement(statement, block, undeclared)
        self.inside &= known
        return block.lines

    def nested(self, statements: Iterable[ir.Statement], undeclared: set[str]) -> list[str]:
        self.depth += 1
        lines = self.block(statements, undeclared)
        self.depth -= 1
        return [INDENT + line for line in lines]

    # Statements

    def statement(self, statement: ir.Statement, block: Block, undeclared: set[str]) -> None:
        match statement:
            case ir.Comment(text):
                block.add(f"/* {c_comment(text)} */")
            case ir.Assign(name, value):
                self.assign(name, value, block, undeclared)
            case ir.AssignElement(name, index, value):
                stored = self.lower(value, block)
                position = self.lower(index, block)
                target = c_name(name)
                own_list = ir.Variable(LISTS_OF[value.kind], name)
                self.guard(own_list, statement, f"{target}.count", position, block)
                block.add(f"{target}.values[{bare(position)}] = {bare(stored)};")
                self.forget([name])
            case ir.Append(name, value):
                stored = self.lower(value, block)
                target = c_name(name)
                failed = self.failure("list")
                block.add(*self.leave_if(f"opmill_list_is_full({target}.count)", failed))
                block.add(f"{target}.values[{target}.count++] = {bare(stored)};")
                self.forget([name])
            case ir.Require():
                self.require(statement, block)
            case ir.If():
                self.branch(statement, block, undeclared)
            case ir.For(name, start, stop, body):
                self.loop(name, start, stop, body, block, undeclared)
            case ir.Call(helper, arguments):
                self.call(helper, arguments, [], block)
            case ir.Return(value):
                self.give_back(value, block)
            case ir.Output(_, ir.Extent.DYNAMIC, _):
                pass
            case ir.Output(name, _, shape):
                self.output(name, shape, block)
            case ir.Plan(values):
                for key, value in values:
                    self.planned(key, value, block)

    def assign(self, name: str, value: ir.Expression, block: Block, undeclared: set[str]) -> None:
        target = self.own(name)
        new = name in undeclared
        undeclared.discard(name)
        if name in self.lists:
            if new:
                block.add(*_empty_list(target, value.kind))
            if not (new and _is_empty(value)):
                self.fill(target, value, block)
        else:
            text = bare(self.lower(value, block))
            block.add(f"{TYPES[value.kind] if new else ''}{target} = {text};")
        self.forget([name])

    def fill(self, target: str, value: ir.Expression, block: Block) -> None:
        """Make the local list ``target`` hold a value, which may be made of its own old values."""
        if _is_empty(value):
            block.add(f"{target}.count = 0;")
            return
        if value.kind is Kind.FLOATS:
            self.fill_floats(target, value, block)
            return
        if isinstance(value, ir.PlainCall):
            block.add(f"{self.plain_call(value, block, f'&{target}')};")
            return
        view = self.lower(value, block)
        block.add(*self.leave_if(f"opmill_list_set(&{target}, {view})", self.failure("list")))

    def fill_floats(self, target: str, value: ir.Expression, block: Block) -> None:
        """Make the local list ``target`` hold new floats, read before the first is written."""
        match value:
            case ir.NewList(items):
                names = [self.temporary() for _ in items]
                texts = [bare(self.lower(item, block)) for item in items]
                pairs = list(zip(names, texts, strict=True))
                block.add(*(f"const double {name} = {text};" for name, text in pairs))
                block.add(f"{target}.count = {len(items)};")
                block.add(*(f"{target}.values[{k}] = {name};" for k, name in enumerate(names)))
            case ir.Repeated(item, count):
                texts = [bare(self.lower(part, block)) for part in (item, count)]
                call = f"opmill_floats_repeat(&{target}, {', '.join(texts)})"
                block.add(*self.leave_if(call, self.failure("list")))
            case _:
                raise NotInCError(FLOAT_LISTS)

    def require(self, statement: ir.Require, block: Block) -> None:
        condition = bare(self.lower(_negated(statement.condition), block))
        code = _CODES[statement.fault]
        self.used |= {"op", "context"}
        inner = Block()
        known = set(self.inside)
        self.depth += 1
        for part in statement.message:
            inner.add(self.put(part, inner))
        self.depth -= 1
        self.inside = known
        lines = [
            f"opmill_message message = opmill_message_begin(context, {code}, op);",
            *inner.lines,
        ]
        block.add(f"if ({condition}) {{", *(INDENT + line for line in lines))
        block.add(f"{INDENT}return {code};", "}")

    def put(self, part: str | ir.Expression, block: Block) -> str:
        """The call that adds a part to a message."""
        if isinstance(part, str):
            return f"opmill_put_text(&message, {c_string(part)});"
        if isinstance(part, ir.Counted):
            words = f"{c_string(part.one)}, {c_string(part.many)}"
            return f"opmill_put_count(&message, {bare(self.lower(part.number, block))}, {words});"
        text = self.lower(part, block)
        if part.kind is Kind.INT:
            return f"opmill_put_int(&message, {bare(text)});"
        if part.kind is Kind.INTS:
            return f"opmill_put_list(&message, {text});"
        if part.kind is Kind.FLOAT:
            return f"opmill_put_float(&message, {text});"
        if isinstance(part, ir.TensorProperty):
            return f"opmill_put_text(&message, {text});"
        return f"opmill_put_string(&message, {text}, strlen({text}));"

    def branch(self, statement: ir.If, block: Block, undeclared: set[str]) -> None:
        condition = bare(self.lower(statement.condition, block))
        block.add(f"if ({condition}) {{", *self.nested(statement.then, undeclared))
        otherwise = statement.otherwise
        if len(otherwise) == 1 and isinstance(otherwise[0], ir.If):
            inner = Block()
            known = set(self.inside)
            self.depth += 1
            self.branch(otherwise[0], inner, undeclared)
            self.depth -= 1
            self.inside &= known
            if inner.lines[0].startswith("if ("):
                block.add("} else " + inner.lines[0], *inner.lines[1:])
                return
            block.add("} else {", *(INDENT + line for line in inner.lines))
        elif otherwise:
            block.add("} else {", *self.nested(otherwise, undeclared))
        block.add("}")

    def loop(
        self,
        name: str,
        start: ir.Expression,
        stop: ir.Expression,
        body: tuple[ir.Statement, ...],
        block: Block,
        undeclared: set[str],
    ) -> None:
        first = self.lower(start, block)
        last = self.lower(stop, block)
        if not isinstance(stop, (ir.Constant, ir.Variable)) or _assigns(body, stop):
            self.temporaries += 1
            block.add(f"const int64_t end{self.temporaries} = {bare(last)};")
            last = f"end{self.temporaries}"
        i = c_name(name)
        changed = [name, *changed_by(body)]
        self.forget(changed)
        block.add(f"for (int64_t {i} = {first}; {i} < {last}; {i}++) {{")
        block.add(*self.nested(body, undeclared), "}")
        self.forget(changed)

    def give_back(self, value: ir.Expression, block: Block) -> None:
        if value.kind is Kind.INTS and not self.is_callers(value):
            view = self.lower(value, block)
            failed = self.failure("list")
            self.used.add("storage")
            block.add(*self.leave_if(f"opmill_list_set(storage, {view})", failed))
            block.add("*result = opmill_list_view(storage);")
        else:
            block.add(f"*result = {bare(self.lower(value, block))};")
        block.add("return OPMILL_OK;")

    def is_callers(self, value: ir.Expression) -> bool:
        """True if the values of a list belong to the caller, so that a view of them may go back."""
        match value:
            case ir.Variable(_, name):
                return name in self.parameters and name not in self.lists
            case ir.Tail(_, values, _, _):
                return self.is_callers(values)
            case ir.TensorProperty():
                return True
            case ir.Choice(_, _, yes, no):
                return self.is_callers(yes) and self.is_callers(no)
        return False

    def output(self, name: str, shape: ir.Expression | None, block: Block) -> None:
        assert shape is not None
        view = self.lower(shape, block)
        target = c_name(name)
        verb = "give" if name in self.variadic_outputs else "set"
        block.add(f"opmill_{verb}_shape({target}, {view});")

    def planned(self, key: str, value: ir.Expression, block: Block) -> None:
        if value.kind is Kind.FLOATS and isinstance(value, ir.Variable):
            block.add(f"opmill_floats_copy(&plan->{key}, &{self.own(value.name)});")
            return
        text = self.lower(value, block)
        if value.kind is Kind.TENSOR:
            block.add(f"opmill_plan_tensor(&plan->{key}, {text});")
        elif value.kind is Kind.INTS:
            failed = self.failure("list")
            block.add(*self.leave_if(f"opmill_list_set(&plan->{key}, {text})", failed))
        else:
            block.add(f"plan->{key} = {bare(text)};")


def _negated(condition: ir.Expression) -> ir.Expression:
    """The opposite of a condition, without a ``!`` where there is a better way to say it."""
    match condition:
        case ir.Not(operand):
            return operand
        case ir.Comparison(operands, (relation,)) if _has_opposite(operands, relation):
            return ir.Comparison(operands, (relation.negated,))
        case ir.OneOf(word, words, negated):
            return ir.OneOf(word, words, not negated)
        case ir.IsAbsent(name, negated):
            return ir.IsAbsent(name, not negated)
        case ir.Logic(word, operands):
            return ir.Logic("or" if word == "and" else "and", tuple(map(_negated, operands)))
    return ir.Not(condition)


def _has_opposite(operands: tuple[ir.Expression, ...], relation: ir.Relation) -> bool:
    """Return whether the opposite relation holds wherever this one does not: not so with NaN."""
    ordered = relation not in (ir.Relation.EQUAL, ir.Relation.UNEQUAL)
    return not (operands[0].kind is Kind.FLOAT and ordered)


def _is_new(value: ir.Expression) -> bool:
    """Return whether a value is a list that nobody else has, or may be one."""
    if isinstance(value, ir.Choice):
        return _is_new(value.yes) or _is_new(value.no)
    if isinstance(value, ir.PlainCall):
        return value.kind is Kind.INTS
    return isinstance(value, _FRESH)


def _kept_from_calls(body: Iterable[ir.Statement], looping: bool = False) -> set[str]:
    """The names that loops give a list of a helper, which the next round must not change."""
    kept: set[str] = set()
    for statement in body:
        match statement:
            case ir.Assign(name, ir.HelperCall(Kind.INTS)) if looping:
                kept.add(name)
            case ir.For():
                kept |= _kept_from_calls(statement.body, True)
            case ir.If():
                kept |= _kept_from_calls((*statement.then, *statement.otherwise), looping)
    return kept


def _comment(doc: str | None) -> list[str]:
    if doc is None:
        return []
    return [f"/* {c_comment(' '.join(doc.split()))} */"]


def _assigns(body: Iterable[ir.Statement], stop: ir.Expression) -> bool:
    return isinstance(stop, ir.Variable) and stop.name in local_variables(tuple(body))


def _is_empty(value: ir.Expression) -> bool:
    return isinstance(value, ir.NewList) and not value.items


def _empty_list(name: str, kind: Kind) -> list[str]:
    """A new list. An initializer would clear all elements, which takes longer than most rules."""
    return [f"{LIST_TYPES[kind]}{name};", f"{name}.count = 0;"]
