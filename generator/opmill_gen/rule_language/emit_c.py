"""Emits a rule as C11: the same order, the same messages, int64 kept by checked arithmetic.

C has no exceptions and leaves the order of evaluation open, so an expression that can fail is
lowered into steps, left to right, each of which leaves the function where it fails. Whatever
cannot fail stays one expression.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from opmill_gen.literals import c_string
from opmill_gen.rule_language import ir
from opmill_gen.rule_language.emit_c_names import (
    c_name,
    declared_inside,
    local_variables,
)
from opmill_gen.rule_language.ir import Kind
from opmill_gen.wrapping import wrapped

_INDENT = "    "
_TYPES = {
    Kind.INT: "int64_t ",
    Kind.BOOL: "bool ",
    Kind.STR: "const char *",
    Kind.FLOAT: "double ",
    Kind.INTS: "opmill_ints ",
    Kind.TENSOR: "const opmill_tensor *",
    Kind.OPAQUE: "const void *",
}
_OPTIONAL_TYPES = {Kind.INT: "opmill_optional_int ", Kind.FLOAT: "opmill_optional_float "}
_CODES = {
    ir.Fault.SHAPE: "OPMILL_ERROR_SHAPE",
    ir.Fault.ATTRIBUTE: "OPMILL_ERROR_ATTRIBUTE",
    ir.Fault.TYPE: "OPMILL_ERROR_TYPE",
}
_CHECKED = {
    ir.ArithmeticOperator.ADD: "opmill_add",
    ir.ArithmeticOperator.SUBTRACT: "opmill_sub",
    ir.ArithmeticOperator.MULTIPLY: "opmill_mul",
}
_FRESH = (ir.NewList, ir.Repeated, ir.Joined, ir.Copied)


@dataclass(frozen=True)
class EmittedC:
    """A rule as C: its prototype, the members of its plan, and the functions."""

    prototype: str
    plan: tuple[str, ...]
    body: str


def emit_c(program: ir.RuleProgram, name: str, variadic_outputs: frozenset[str]) -> EmittedC:
    """The function ``opmill_<name>_rules`` with its helpers.

    Args:
        program: the rule.
        name: the name of the family's instance.
        variadic_outputs: the outputs that have any number of values.
    """
    emitter = _Emitter(program, name, variadic_outputs)
    prototype = emitter.prototype()
    functions = [emitter.helper(helper) for helper in program.helpers]
    functions.append(emitter.rule(prototype))
    body = "\n\n".join("\n".join(_fitted(lines)) for lines in functions) + "\n"
    members = tuple(f"{_plan_type(kind)}{key};" for key, kind in program.plan.items())
    return EmittedC(prototype, members, body)


def _fitted(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        yield from wrapped(line)


def _plan_type(kind: Kind) -> str:
    return "opmill_list " if kind is Kind.INTS else _TYPES[kind]


@dataclass
class _Block:
    """The lines of a block that is being written."""

    lines: list[str] = field(default_factory=list)

    def add(self, *lines: str) -> None:
        self.lines.extend(lines)


@dataclass
class _Emitter:
    program: ir.RuleProgram
    name: str
    variadic_outputs: frozenset[str]
    temporaries: int = 0
    lists: set[str] = field(default_factory=set)
    optional: dict[str, Kind] = field(default_factory=dict)
    inside: set[tuple[str, str]] = field(default_factory=set)
    """The (list, index) pairs that are known to be inside at the point that is being written."""

    # Functions

    def parameter(self, parameter: ir.Parameter) -> str:
        name = c_name(parameter.name)
        if parameter.kind is Kind.TENSORS:
            return f"const opmill_tensor *const *{name}, int64_t {name}_count"
        if parameter.optional and parameter.kind in _OPTIONAL_TYPES:
            return f"{_OPTIONAL_TYPES[parameter.kind]}{name}"
        return f"{_TYPES[parameter.kind]}{name}"

    def prototype(self) -> str:
        parameters = ["const char *op", *map(self.parameter, self.program.parameters)]
        for output in self.program.outputs:
            parameters.append(f"opmill_shape *{c_name(output)}")
            if output in self.variadic_outputs:
                parameters.append(f"int64_t {c_name(output)}_count")
        parameters += [f"opmill_{self.name}_plan *plan", "opmill_context *context"]
        return f"int opmill_{self.name}_rules({', '.join(parameters)})"

    def start(self, parameters: Iterable[ir.Parameter], body: tuple[ir.Statement, ...]) -> None:
        self.temporaries = 0
        self.inside = set()
        self.optional = {
            p.name: p.kind for p in parameters if p.optional and p.kind in _OPTIONAL_TYPES
        }
        self.lists = {
            name
            for name, values in local_variables(body).items()
            if any(isinstance(value, _FRESH) for value in values)
        }

    def helper(self, helper: ir.Helper) -> list[str]:
        self.start(helper.parameters, helper.body)
        parameters = ["const char *op", *map(self.parameter, helper.parameters)]
        if helper.result is Kind.INTS:
            parameters += ["opmill_ints *result", "opmill_list *storage"]
        elif helper.result is not None:
            parameters.append(f"{_TYPES[helper.result]}*result")
        parameters.append("opmill_context *context")
        lines = _comment(helper.doc)
        lines += [f"static int {c_name(helper.name)}({', '.join(parameters)}) {{"]
        block = _Block([f"{_INDENT}(void)op;", f"{_INDENT}(void)context;"])
        if helper.result is Kind.INTS:
            block.add(f"{_INDENT}(void)storage;")
        lines += block.lines + self.function_body(helper.body)
        if helper.result is None:
            lines.append(f"{_INDENT}return OPMILL_OK;")
        return [*lines, "}"]

    def rule(self, prototype: str) -> list[str]:
        self.start(self.program.parameters, self.program.body)
        lines = _comment(self.program.doc)
        lines += [f"{prototype} {{"]
        for parameter in self.program.parameters:
            if not _mentions(self.program.body, parameter.name):
                lines.append(f"{_INDENT}(void){c_name(parameter.name)};")
        if not self.program.plan:
            lines.append(f"{_INDENT}plan->unused = 0;")
        for output in sorted(self.variadic_outputs):
            lines.append(f"{_INDENT}int64_t {c_name(output)}_given = 0;")
        lines += self.function_body(self.program.body)
        return [*lines, f"{_INDENT}return OPMILL_OK;", "}"]

    def function_body(self, body: tuple[ir.Statement, ...]) -> list[str]:
        """The statements, after the declarations of variables that outlive their first block."""
        lines: list[str] = []
        for name, values in local_variables(body).items():
            if not declared_inside(body, name):
                kind = values[0].kind
                if name in self.lists:
                    lines.append(f"opmill_list {c_name(name)} = {{.count = 0}};")
                else:
                    zero = "OPMILL_INTS_ABSENT" if kind is Kind.INTS else "0"
                    lines.append(f"{_TYPES[kind]}{c_name(name)} = {zero};")
        lines += self.block(body, {n for n in local_variables(body) if declared_inside(body, n)})
        return [_INDENT + line if line else line for line in lines]

    def block(self, statements: Iterable[ir.Statement], undeclared: set[str]) -> list[str]:
        """The lines of a block. ``undeclared`` holds the names still to be declared inside it."""
        block = _Block()
        known = set(self.inside)
        for statement in statements:
            self.statement(statement, block, undeclared)
        self.inside &= known
        return block.lines

    def nested(self, statements: Iterable[ir.Statement], undeclared: set[str]) -> list[str]:
        return [_INDENT + line for line in self.block(statements, undeclared)]

    # Statements

    def statement(self, statement: ir.Statement, block: _Block, undeclared: set[str]) -> None:
        match statement:
            case ir.Comment(text):
                block.add(f"/* {text.replace('*/', '* /')} */")
            case ir.Assign(name, value):
                self.assign(name, value, block, undeclared)
            case ir.AssignElement(name, index, value, not_negative, below_length):
                stored = self.lower(value, block)
                place = self.lower(index, block)
                target = c_name(name)
                self.guard(f"{target}.count", place, not_negative, below_length, block)
                block.add(f"{target}.values[{_bare(place)}] = {_bare(stored)};")
            case ir.Append(name, value):
                stored = self.lower(value, block)
                target = c_name(name)
                block.add(f"{target}.values[{target}.count++] = {_bare(stored)};")
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
            case ir.Output(name, _, shape):
                self.output(name, shape, block)
            case ir.Plan(values):
                for key, value in values:
                    self.planned(key, value, block)

    def assign(self, name: str, value: ir.Expression, block: _Block, undeclared: set[str]) -> None:
        target = c_name(name)
        new = name in undeclared
        undeclared.discard(name)
        if name in self.lists:
            if new:
                block.add(f"opmill_list {target} = {{.count = 0}};")
            if not (new and value == ir.NewList(())):
                self.fill(target, value, block)
        else:
            text = _bare(self.lower(value, block))
            block.add(f"{_TYPES[value.kind] if new else ''}{target} = {text};")
        self.inside = {pair for pair in self.inside if not _names(pair, target)}

    def fill(self, target: str, value: ir.Expression, block: _Block) -> None:
        """Make the local list ``target`` hold a value, which may be made of its own old values."""
        if value == ir.NewList(()):
            block.add(f"{target}.count = 0;")
            return
        view = self.lower(value, block)
        block.add(
            *self.leave_if(f"opmill_list_set(&{target}, {view})", "opmill_rule_list(op, context)")
        )

    def leave_if(self, condition: str, result: str) -> list[str]:
        return [f"if ({condition}) {{", f"{_INDENT}return {result};", "}"]

    def require(self, statement: ir.Require, block: _Block) -> None:
        condition = _bare(self.lower(_negated(statement.condition), block))
        code = _CODES[statement.fault]
        inner = _Block()
        known = set(self.inside)
        for part in statement.message:
            inner.add(self.put(part, inner))
        self.inside = known
        lines = [
            f"opmill_message message = opmill_message_begin(context, {code}, op);",
            *inner.lines,
        ]
        block.add(f"if ({condition}) {{", *(_INDENT + line for line in lines))
        block.add(f"{_INDENT}return {code};", "}")

    def put(self, part: str | ir.Expression, block: _Block) -> str:
        """The call that adds a part to a message."""
        if isinstance(part, str):
            return f"opmill_put_text(&message, {c_string(part)});"
        text = self.lower(part, block)
        if part.kind is Kind.INT:
            return f"opmill_put_int(&message, {_bare(text)});"
        if part.kind is Kind.INTS:
            return f"opmill_put_list(&message, {text});"
        if part.kind is Kind.FLOAT:
            return f"opmill_put_float(&message, {text});"
        if isinstance(part, ir.TensorProperty):
            return f"opmill_put_text(&message, {text});"
        return f"opmill_put_string(&message, {text}, strlen({text}));"

    def branch(self, statement: ir.If, block: _Block, undeclared: set[str]) -> None:
        condition = _bare(self.lower(statement.condition, block))
        block.add(f"if ({condition}) {{", *self.nested(statement.then, undeclared))
        otherwise = statement.otherwise
        if len(otherwise) == 1 and isinstance(otherwise[0], ir.If):
            inner = _Block()
            known = set(self.inside)
            self.branch(otherwise[0], inner, undeclared)
            self.inside = known
            if inner.lines[0].startswith("if ("):
                block.add("} else " + inner.lines[0], *inner.lines[1:])
                return
            block.add("} else {", *(_INDENT + line for line in inner.lines))
        elif otherwise:
            block.add("} else {", *self.nested(otherwise, undeclared))
        block.add("}")

    def loop(
        self,
        name: str,
        start: ir.Expression,
        stop: ir.Expression,
        body: tuple[ir.Statement, ...],
        block: _Block,
        undeclared: set[str],
    ) -> None:
        first = self.lower(start, block)
        last = self.lower(stop, block)
        if not isinstance(stop, (ir.Constant, ir.Variable)) or _assigns(body, stop):
            self.temporaries += 1
            block.add(f"const int64_t end{self.temporaries} = {_bare(last)};")
            last = f"end{self.temporaries}"
        i = c_name(name)
        self.inside = {pair for pair in self.inside if not _names(pair, i)}
        block.add(f"for (int64_t {i} = {first}; {i} < {last}; {i}++) {{")
        block.add(*self.nested(body, undeclared), "}")

    def give_back(self, value: ir.Expression, block: _Block) -> None:
        if isinstance(value, _FRESH):
            view = self.lower(value, block)
            failed = "opmill_rule_list(op, context)"
            block.add(*self.leave_if(f"opmill_list_set(storage, {view})", failed))
            block.add("*result = opmill_list_view(storage);")
        elif isinstance(value, ir.Variable) and value.name in self.lists:
            block.add(f"*storage = {c_name(value.name)};", "*result = opmill_list_view(storage);")
        else:
            block.add(f"*result = {_bare(self.lower(value, block))};")
        block.add("return OPMILL_OK;")

    def output(self, name: str, shape: ir.Expression | None, block: _Block) -> None:
        assert shape is not None, "an output that only the kernel knows has no shape in C"
        view = self.lower(shape, block)
        target = c_name(name)
        if name not in self.variadic_outputs:
            block.add(f"opmill_set_shape({target}, {view});")
            return
        block.add(f"if ({target}_given < {target}_count) {{")
        block.add(f"{_INDENT}opmill_set_shape(&{target}[{target}_given++], {view});", "}")

    def planned(self, key: str, value: ir.Expression, block: _Block) -> None:
        text = self.lower(value, block)
        if value.kind is Kind.INTS:
            failed = "opmill_rule_list(op, context)"
            block.add(*self.leave_if(f"opmill_list_set(&plan->{key}, {text})", failed))
        else:
            block.add(f"plan->{key} = {_bare(text)};")

    # Expressions

    def temporary(self) -> str:
        self.temporaries += 1
        return f"t{self.temporaries}"

    def lower(self, value: ir.Expression, block: _Block) -> str:
        """The C expression of a value; steps that can fail go before it into the block."""
        match value:
            case ir.Constant(kind, constant):
                return _constant(kind, constant)
            case ir.Variable(kind, name):
                return self.variable(kind, name)
            case ir.TensorProperty():
                return self.property(value, block)
            case ir.Arithmetic():
                return self.arithmetic(value, block)
            case ir.Negative(operand, checked):
                text = self.lower(operand, block)
                if not checked:
                    return f"-{_tight(text)}"
                return self.step(f"opmill_sub(0, {text}, &%)", block)
            case ir.Comparison(operands, relations):
                return self.comparison(operands, relations, block)
            case ir.OneOf(word, words, negated):
                text = self.lower(word, block)
                relation, join = ("!= 0", " && ") if negated else ("== 0", " || ")
                return f"({join.join(f'strcmp({text}, {c_string(w)}) {relation}' for w in words)})"
            case ir.IsAbsent(name, negated):
                return self.absent(name, negated)
            case ir.Logic(word, operands):
                return self.logic(word, operands, block)
            case ir.Not(operand):
                return f"!{_tight(self.lower(operand, block))}"
            case ir.Choice():
                return self.choice(value, block)
            case ir.FunctionCall():
                return self.function(value, block)
            case ir.HelperCall(kind, helper, arguments):
                return self.helper_call(kind, helper, arguments, block)
            case ir.Element():
                return self.element(value, block)
            case ir.Tail(_, values, start, stop):
                view = self.lower(values, block)
                first = self.lower(start, block)
                last = self.lower(stop, block) if stop is not None else "INT64_MAX"
                return f"opmill_slice({view}, {first}, {last})"
        return self.new_list(value, block)

    def variable(self, kind: Kind, name: str) -> str:
        target = c_name(name)
        if name in self.lists:
            return f"opmill_list_view(&{target})"
        if name in self.optional:
            return f"{target}.value"
        return target

    def step(self, call: str, block: _Block) -> str:
        """A checked step, whose result a temporary takes: ``%`` stands for it in the call."""
        name = self.temporary()
        block.add(f"int64_t {name};")
        block.add(*self.leave_if(call.replace("%", name), "opmill_rule_overflow(op, context)"))
        return name

    def property(self, value: ir.TensorProperty, block: _Block) -> str:
        tensor = self.lower(value.tensor, block)
        match value.property:
            case ir.Property.RANK:
                return f"{tensor}->rank"
            case ir.Property.SHAPE:
                return f"opmill_dims({tensor})"
            case ir.Property.TYPE:
                return f"opmill_type_name({tensor}->type)"
            case ir.Property.SIZE:
                return self.step(f"opmill_tensor_size({tensor}, &%)", block)
        assert value.property is ir.Property.VALUES, "floats are read one by one"
        name = self.temporary()
        assert isinstance(value.tensor, ir.Variable)
        block.add(f"opmill_ints {name};")
        wanted = c_string(value.tensor.name)
        block.add(
            *self.leave_if(
                f"opmill_tensor_values({tensor}, &{name})",
                f"opmill_rule_value(op, {wanted}, context)",
            )
        )
        return name

    def arithmetic(self, value: ir.Arithmetic, block: _Block) -> str:
        left = self.lower(value.left, block)
        right = self.lower(value.right, block)
        if value.operator is ir.ArithmeticOperator.FLOOR_DIVIDE:
            return f"opmill_quotient({left}, {right})"
        if value.operator is ir.ArithmeticOperator.MODULO:
            return f"opmill_remainder({left}, {right})"
        if value.checked:
            return self.step(f"{_CHECKED[value.operator]}({left}, {right}, &%)", block)
        return f"({left} {value.operator.value} {right})"

    def comparison(
        self,
        operands: tuple[ir.Expression, ...],
        relations: tuple[ir.Relation, ...],
        block: _Block,
    ) -> str:
        texts = [self.lower(operand, block) for operand in operands]
        parts: list[str] = []
        for k, relation in enumerate(relations):
            left, right = texts[k], texts[k + 1]
            if operands[k].kind is Kind.INTS:
                same = f"opmill_same_ints({left}, {right})"
                parts.append(same if relation is ir.Relation.EQUAL else f"!{same}")
            elif operands[k].kind is Kind.STR:
                parts.append(f"strcmp({left}, {right}) {relation.value} 0")
            else:
                parts.append(f"{left} {relation.value} {right}")
        return parts[0] if len(parts) == 1 else f"({' && '.join(parts)})"

    def absent(self, name: str, negated: bool) -> str:
        kind = next(p.kind for p in self.parameters() if p.name == name)
        target = c_name(name)
        if kind is Kind.INTS:
            return f"{target}.count {'>=' if negated else '<'} 0"
        if kind in _OPTIONAL_TYPES:
            return f"{'' if negated else '!'}{target}.present"
        return f"{target} {'!=' if negated else '=='} NULL"

    def parameters(self) -> Iterator[ir.Parameter]:
        yield from self.program.parameters
        for helper in self.program.helpers:
            yield from helper.parameters

    def logic(self, word: str, operands: tuple[ir.Expression, ...], block: _Block) -> str:
        """``and`` and ``or``: steps of a later operand run only where it is looked at."""
        mark = "&&" if word == "and" else "||"
        texts = [self.lower(operands[0], block)]
        for position, operand in enumerate(operands[1:], 1):
            inner = _Block()
            known, counted = set(self.inside), self.temporaries
            text = self.lower(operand, inner)
            self.inside = known
            if inner.lines:
                self.temporaries = counted
            else:
                texts.append(text)
                continue
            name = self.temporary()
            so_far = f" {mark} ".join(texts)
            rest = ir.Logic(word, operands[position:]) if position < len(operands) - 1 else operand
            block.add(f"bool {name} = {so_far};")
            block.add(f"if ({name if word == 'and' else '!' + name}) {{")
            nested = _Block()
            known = set(self.inside)
            text = _bare(self.lower(rest, nested))
            self.inside = known
            block.add(*(_INDENT + line for line in nested.lines), f"{_INDENT}{name} = {text};", "}")
            return name
        return f"({f' {mark} '.join(texts)})"

    def choice(self, value: ir.Choice, block: _Block) -> str:
        condition = self.lower(value.condition, block)
        yes, no = _Block(), _Block()
        known = set(self.inside)
        yes_text = self.lower(value.yes, yes)
        self.inside = set(known)
        no_text = self.lower(value.no, no)
        self.inside = known
        if not yes.lines and not no.lines:
            return f"({condition} ? {yes_text} : {no_text})"
        name = self.temporary()
        block.add(f"{_TYPES[value.kind]}{name};", f"if ({_bare(condition)}) {{")
        block.add(*(_INDENT + line for line in yes.lines), f"{_INDENT}{name} = {yes_text};")
        block.add("} else {", *(_INDENT + line for line in no.lines))
        block.add(f"{_INDENT}{name} = {no_text};", "}")
        return name

    def function(self, value: ir.FunctionCall, block: _Block) -> str:
        if value.function is ir.Function.LEN:
            argument = value.arguments[0]
            if argument.kind is Kind.TENSORS:
                return f"{self.lower_tensors(argument)}_count"
            if isinstance(argument, ir.Variable) and argument.name in self.lists:
                return f"{c_name(argument.name)}.count"
            return self.accessors(argument, block)[1]
        texts = [self.lower(argument, block) for argument in value.arguments]
        match value.function:
            case ir.Function.MIN | ir.Function.MAX:
                text = texts[0]
                for other in texts[1:]:
                    text = f"opmill_{value.function.value}({text}, {other})"
                return text
            case ir.Function.ABS:
                if value.checked:
                    return self.step(f"opmill_magnitude({texts[0]}, &%)", block)
                return f"({texts[0]} < 0 ? -{texts[0]} : {texts[0]})"
            case ir.Function.IS_INT64:
                return f"opmill_is_int64({texts[0]})"
        return f"(int64_t){_tight(texts[0])}"

    def lower_tensors(self, value: ir.Expression) -> str:
        assert isinstance(value, ir.Variable)
        return c_name(value.name)

    def call(
        self, helper: str, arguments: tuple[ir.Expression, ...], results: list[str], block: _Block
    ) -> None:
        texts = ["op"]
        for argument in arguments:
            optional = isinstance(argument, ir.Variable) and argument.name in self.optional
            if optional:
                texts.append(c_name(argument.name))  # type: ignore[union-attr]
            elif argument.kind is Kind.TENSORS:
                name = self.lower_tensors(argument)
                texts += [name, f"{name}_count"]
            else:
                texts.append(self.lower(argument, block))
        texts = [_bare(text) for text in texts]
        call = f"{c_name(helper)}({', '.join([*texts, *results, 'context'])})"
        block.add(*self.leave_if(f"{call} != OPMILL_OK", "context->error.code"))

    def helper_call(
        self, kind: Kind, helper: str, arguments: tuple[ir.Expression, ...], block: _Block
    ) -> str:
        name = self.temporary()
        results = [f"&{name}"]
        block.add(f"{_TYPES[kind]}{name};")
        if kind is Kind.INTS:
            block.add(f"opmill_list {name}_storage;")
            results.append(f"&{name}_storage")
        self.call(helper, arguments, results, block)
        return name

    def element(self, value: ir.Element, block: _Block) -> str:
        if isinstance(value.values, ir.TensorProperty) and value.values.kind is Kind.FLOATS:
            return self.number(value.values, value, block)
        if value.kind is Kind.TENSOR:
            tensors, place = self.lower_tensors(value.values), self.lower(value.index, block)
            self.guard(f"{tensors}_count", place, value.not_negative, value.below_length, block)
            return f"{tensors}[{_bare(place)}]"
        values, count = self.accessors(value.values, block)
        place = self.lower(value.index, block)
        self.guard(count, place, value.not_negative, value.below_length, block)
        return f"{values}[{_bare(place)}]"

    def accessors(self, value: ir.Expression, block: _Block) -> tuple[str, str]:
        """The pointer to the values of a list, and their number."""
        if isinstance(value, ir.TensorProperty) and value.property is ir.Property.SHAPE:
            tensor = self.lower(value.tensor, block)
            return f"{tensor}->dims", f"{tensor}->rank"
        own = isinstance(value, ir.Variable) and value.name in self.lists
        view = c_name(value.name) if own else self.lower(value, block)  # type: ignore[union-attr]
        return f"{view}.values", f"{view}.count"

    def guard(
        self, count: str, place: str, not_negative: bool, below_length: bool, block: _Block
    ) -> None:
        """Leave where an index is not proven to be inside, unless it was looked at before."""
        if (not_negative and below_length) or (count, place) in self.inside:
            return
        tests = ([] if not_negative else [f"{place} < 0"]) + (
            [] if below_length else [f"{_bare(place)} >= {count}"]
        )
        self.inside.add((count, place))
        block.add(*self.leave_if(" || ".join(tests), "opmill_rule_index(op, context)"))

    def number(self, values: ir.TensorProperty, value: ir.Element, block: _Block) -> str:
        """One element of a tensor of floats, as a double."""
        tensor, place = self.lower(values.tensor, block), self.lower(value.index, block)
        assert isinstance(values.tensor, ir.Variable)
        name = self.temporary()
        block.add(f"double {name};")
        wanted = c_string(values.tensor.name)
        block.add(
            *self.leave_if(
                f"opmill_tensor_number({tensor}, {place}, &{name})",
                f"opmill_rule_value(op, {wanted}, context)",
            )
        )
        return name

    def new_list(self, value: ir.Expression, block: _Block) -> str:
        """A new list, in a temporary one; the view of it."""
        name = self.temporary()
        match value:
            case ir.Repeated(item, count):
                item_text, count_text = self.lower(item, block), self.lower(count, block)
                block.add(f"opmill_list {name};")
                block.add(f"opmill_list_repeat(&{name}, {item_text}, {count_text});")
            case ir.NewList(items):
                texts = [self.lower(item, block) for item in items]
                block.add(f"opmill_list {name} = {{.count = {len(texts)}}};")
                block.add(*(f"{name}.values[{k}] = {text};" for k, text in enumerate(texts)))
            case ir.Joined(left, right):
                views = [self.lower(left, block), self.lower(right, block)]
                block.add(f"opmill_list {name} = {{.count = 0}};")
                failed = "opmill_rule_list(op, context)"
                for view in views:
                    block.add(*self.leave_if(f"opmill_list_extend(&{name}, {view})", failed))
            case ir.Copied(values):
                return self.lower(values, block)
            case _:
                raise TypeError(type(value).__name__)
        return f"opmill_list_view(&{name})"


def _negated(condition: ir.Expression) -> ir.Expression:
    """The opposite of a condition, without a ``!`` where there is a better way to say it."""
    match condition:
        case ir.Not(operand):
            return operand
        case ir.Comparison(operands, (relation,)):
            return ir.Comparison(operands, (relation.negated,))
        case ir.OneOf(word, words, negated):
            return ir.OneOf(word, words, not negated)
        case ir.IsAbsent(name, negated):
            return ir.IsAbsent(name, not negated)
        case ir.Logic(word, operands):
            return ir.Logic("or" if word == "and" else "and", tuple(map(_negated, operands)))
    return ir.Not(condition)


def _constant(kind: Kind, constant: object) -> str:
    if kind is Kind.STR:
        return c_string(str(constant))
    if kind is Kind.BOOL:
        return "true" if constant else "false"
    if kind is Kind.FLOAT:
        return repr(constant)
    assert isinstance(constant, int)
    if constant == -(2**63):
        return "INT64_MIN"
    return str(constant) if abs(constant) < 2**31 else f"INT64_C({constant})"


def _tight(text: str) -> str:
    """An operand that a unary operator binds."""
    plain = text.replace("_", "").replace("->", "").replace(".", "").isalnum()
    return text if plain or _bare(text) != text else f"({text})"


def _bare(text: str) -> str:
    """An expression without the parentheses around the whole of it."""
    if not text.startswith("(") or not text.endswith(")"):
        return text
    depth = 0
    for position, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if depth == 0 and position < len(text) - 1:
            return text
    return text[1:-1]


def _names(pair: tuple[str, str], name: str) -> bool:
    """Whether a name stands in either of two expressions."""
    return any(re.search(rf"\b{re.escape(name)}\b", text) for text in pair)


def _comment(doc: str | None) -> list[str]:
    if doc is None:
        return []
    return [f"/* {' '.join(doc.split()).replace('*/', '* /')} */"]


def _mentions(body: Iterable[ir.Statement], name: str) -> bool:
    return f"'{name}'" in repr(tuple(body))


def _assigns(body: Iterable[ir.Statement], stop: ir.Expression) -> bool:
    return isinstance(stop, ir.Variable) and stop.name in local_variables(tuple(body))
