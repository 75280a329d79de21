"""Emits a rule as Python: the same order, the same messages, int64 kept by explicit checks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from opmill_gen.base.literals import docstring_text, double_quoted, python_literal
from opmill_gen.rule_language import ir
from opmill_gen.rule_language.emit_python_names import HIDDEN, renamed
from opmill_gen.rule_language.ir import Kind
from opmill_gen.rule_language.reader import LISTS_OF

_INDENT = "    "
_RUNTIME = "opmill._runtime.rule_support"
_ERRORS = "opmill._runtime.errors"
_FUNCTIONS = "opmill._families.{}.functions"
_PYTHON_TYPES = {
    Kind.INT: "int",
    Kind.BOOL: "bool",
    Kind.STR: "str",
    Kind.FLOAT: "float",
    Kind.INTS: "Sequence[int]",
    Kind.FLOATS: "Sequence[float]",
    Kind.STRS: "Sequence[str]",
    Kind.TENSOR: "Tensor",
    Kind.TENSORS: "Sequence[Tensor]",
    Kind.SPARSE: "SparseTensor",
    Kind.OPAQUE: "object",
}
# How tightly an expression binds, as in Python's own grammar.
_CHOICE, _OR, _AND, _NOT, _COMPARE, _SUM, _PRODUCT, _UNARY, _ATOM = range(9)
_ARITHMETIC_LEVEL = {
    ir.ArithmeticOperator.ADD: _SUM,
    ir.ArithmeticOperator.SUBTRACT: _SUM,
    ir.ArithmeticOperator.MULTIPLY: _PRODUCT,
    ir.ArithmeticOperator.FLOOR_DIVIDE: _PRODUCT,
    ir.ArithmeticOperator.MODULO: _PRODUCT,
}

_FROM_RUNTIME = {
    ir.Function.IS_INT64: "is_int64",
    ir.Function.IS_PREPARED: "is_prepared",
    ir.Function.FLOOR: "floored",
    ir.Function.CEIL: "ceiled",
    ir.Function.ROUNDED: "rounded",
    ir.Function.BYTE_COUNT: "byte_count",
    ir.Function.BYTE_AT: "byte_at",
}


@dataclass(frozen=True)
class EmittedPython:
    """The functions of a rule as Python, and the import lines that they need."""

    imports: tuple[str, ...]
    body: str


def emit_python(program: ir.RuleProgram) -> EmittedPython:
    """The helpers and the function ``rules`` of a module."""
    emitter = _Emitter(program)
    functions = [emitter.helper(helper) for helper in program.helpers]
    functions.append(emitter.rule())
    body = "\n\n\n".join("\n".join(lines) for lines in functions) + "\n"
    return EmittedPython(tuple(emitter.import_lines()), body)


@dataclass
class _Emitter:
    program: ir.RuleProgram
    used: set[tuple[str, str]] = field(default_factory=set)
    names: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        self.names = renamed(self.program)

    def name(self, name: str) -> str:
        """Name of a variable or a helper of the rule in the emitted code."""
        return self.names.get(name, name)

    def import_lines(self) -> Iterator[str]:
        by_module: dict[str, list[str]] = {}
        for module, name in sorted(self.used, key=lambda pair: (pair[0], pair[1].lower())):
            by_module.setdefault(module, []).append(name)
        if "collections.abc" in by_module:
            yield f"from collections.abc import {', '.join(by_module.pop('collections.abc'))}"
            yield ""
        for module, names in by_module.items():
            ordered = sorted(names, key=lambda name: (not name[0].isupper(), name))
            yield f"from {module} import {', '.join(ordered)}"

    def runtime(self, name: str) -> str:
        self.used.add((_RUNTIME, name))
        return name

    def annotation(self, parameter: ir.Parameter) -> str:
        text = _PYTHON_TYPES[parameter.kind]
        if "Sequence" in text:
            self.used.add(("collections.abc", "Sequence"))
        if parameter.kind is Kind.SPARSE:
            self.runtime("SparseTensor")
        elif "Tensor" in text:
            self.runtime("Tensor")
        return f"{text} | None" if parameter.optional else text

    # Functions

    def helper(self, helper: ir.Helper) -> list[str]:
        parameters = ", ".join(
            ["op: str", *(f"{self.name(p.name)}: {self.annotation(p)}" for p in helper.parameters)]
        )
        result = _PYTHON_TYPES[helper.result] if helper.result else "None"
        if "Sequence" in result:
            self.used.add(("collections.abc", "Sequence"))
        if helper.result is Kind.TENSOR or helper.result is Kind.TENSORS:
            self.runtime("Tensor")
        lines = [f"def {self.name(helper.name)}({parameters}) -> {result}:"]
        lines += _docstring(helper.doc)
        return lines + self.block(helper.body, 1)

    def rule(self) -> list[str]:
        inputs = [p for p in self.program.parameters if p.role is ir.Role.INPUT]
        keywords = [p for p in self.program.parameters if p.role is not ir.Role.INPUT]
        self.runtime("Derived")
        hidden = any(p.name in HIDDEN for p in keywords)
        parameters = ["op: str", *(f"{self.name(p.name)}: {self.annotation(p)}" for p in inputs)]
        if keywords:
            parameters.append("*")
            parameters += [
                f"{self.name(p.name) if hidden else p.name}: {self.annotation(p)}"
                + ("" if hidden else _default(p))
                for p in keywords
            ]
        name = "_rules" if hidden else "rules"
        lines = [f"def {name}({', '.join(parameters)}) -> Derived:"]
        lines += _docstring(self.program.doc)
        for parameter in keywords:
            if self.name(parameter.name) != parameter.name and not hidden:
                lines.append(f"{_INDENT}{self.name(parameter.name)} = {parameter.name}")
        lines.append(f"{_INDENT}derived = Derived()")
        lines += self.block(self.program.body, 1)
        lines.append(f"{_INDENT}return derived")
        return lines + self.renaming(inputs, keywords) if hidden else lines

    def renaming(self, inputs: list[ir.Parameter], keywords: list[ir.Parameter]) -> list[str]:
        """The function ``rules`` where a keyword has the name of what the rule itself uses."""
        label = "op"
        while any(label == p.name for p in keywords):
            label += "_"
        parameters = [
            f"{label}: str",
            *(f"{self.name(p.name)}: {self.annotation(p)}" for p in inputs),
            "*",
            *(f"{p.name}: {self.annotation(p)}{_default(p)}" for p in keywords),
        ]
        arguments = [
            label,
            *(self.name(p.name) for p in inputs),
            *(f"{self.name(p.name)}={p.name}" for p in keywords),
        ]
        return [
            "",
            "",
            f"def rules({', '.join(parameters)}) -> Derived:",
            *_docstring(self.program.doc),
            f"{_INDENT}return _rules({', '.join(arguments)})",
        ]

    def block(self, statements: Iterable[ir.Statement], depth: int) -> list[str]:
        lines: list[str] = []
        for statement in statements:
            lines += [_INDENT * depth + line for line in self.statement(statement)]
        if all(line.lstrip().startswith("#") for line in lines):
            lines.append(_INDENT * depth + "pass")
        return lines

    # Statements

    def statement(self, statement: ir.Statement) -> list[str]:
        match statement:
            case ir.Comment(text):
                return [f"# {text}".rstrip()]
            case ir.Assign(name, value):
                return [f"{self.name(name)} = {self.text(value)}"]
            case ir.AssignElement(name, index, value, not_negative, _):
                own_list = ir.Variable(LISTS_OF[value.kind], name)
                position = self.index(own_list, index, not_negative)
                return [f"{self.name(name)}[{position}] = {self.text(value)}"]
            case ir.Append(name, value):
                return [f"{self.name(name)}.append({self.text(value)})"]
            case ir.Require():
                return self.require(statement)
            case ir.If():
                return self.branch(statement, "if")
            case ir.For(name, start, stop, body):
                first = "" if start == ir.Constant(Kind.INT, 0) else f"{self.text(start)}, "
                head = f"for {self.name(name)} in range({first}{self.text(stop)}):"
                return [head, *self.block(body, 1)]
            case ir.Call(helper, arguments):
                return [self.helper_call(helper, arguments)]
            case ir.Return(value):
                return [f"return {self.text(value)}"]
            case ir.Output(name, _, shape):
                if shape is None:
                    return []  # the kernel makes it
                return [f"derived.output({double_quoted(name)}, {self.text(shape)})"]
            case ir.Plan(values):
                named = ", ".join(f"{name}={self.planned(value)}" for name, value in values)
                return [f"derived.plan.update({named})"]

    def planned(self, value: ir.Expression) -> str:
        text = self.text(value)
        if value.kind is Kind.TENSOR:
            return f"{self.runtime('contents')}({text})"
        return f"tuple({text})" if value.kind in (Kind.INTS, Kind.FLOATS) else text

    def require(self, statement: ir.Require) -> list[str]:
        error = statement.fault.value
        self.used.add((_ERRORS, error))
        return [
            f"if {self.failing(statement.condition)}:",
            f"{_INDENT}raise {error}(op, {self.message(statement.message)})",
        ]

    def branch(self, statement: ir.If, word: str) -> list[str]:
        lines = [f"{word} {self.text(statement.condition)}:", *self.block(statement.then, 1)]
        otherwise = statement.otherwise
        if len(otherwise) == 1 and isinstance(otherwise[0], ir.If):
            return lines + self.branch(otherwise[0], "elif")
        if otherwise:
            lines += ["else:", *self.block(otherwise, 1)]
        return lines

    def message(self, parts: tuple[str | ir.Expression, ...]) -> str:
        if all(isinstance(part, str) for part in parts):
            return double_quoted("".join(str(part) for part in parts))
        texts: list[str] = []
        values: list[str] = []
        for part in parts:
            if isinstance(part, str):
                texts.append(double_quoted(part)[1:-1].replace("{", "{{").replace("}", "}}"))
            else:
                values.append(self.shown(part))
                texts.append("{}")
        if any('"' in value for value in values):
            # Before Python 3.12 no quote may stand inside the braces of an f-string.
            return f'"{"".join(texts)}".format({", ".join(values)})'
        shown = iter(values)
        return f'f"{"".join("{" + next(shown) + "}" if t == "{}" else t for t in texts)}"'

    def shown(self, value: ir.Expression) -> str:
        """A value as a part of a message."""
        if isinstance(value, ir.Counted):
            words = f"{double_quoted(value.one)}, {double_quoted(value.many)}"
            return f"{self.runtime('counted')}({self.text(value.number)}, {words})"
        trusted = isinstance(value, ir.TensorProperty)
        if value.kind is Kind.INTS:
            return f"{self.runtime('listed')}({self.text(value)})"
        if value.kind is Kind.FLOAT:
            return f"{self.runtime('decimal')}({self.text(value)})"
        if value.kind is Kind.STR and not trusted:
            return f"{self.runtime('quoted')}({self.text(value)})"
        return self.text(value)

    # Expressions

    def failing(self, condition: ir.Expression, level: int = _CHOICE) -> str:
        """The opposite of a condition, as one would write it."""
        match condition:
            case ir.Not(operand):
                return self.text(operand, level)
            case ir.Comparison((left, _) as operands, (relation,)) if _invertible(relation, left):
                return self.text(ir.Comparison(operands, (relation.negated,)), level)
            case ir.OneOf(word, words, negated):
                return self.text(ir.OneOf(word, words, not negated))
            case ir.IsAbsent(name, negated):
                return self.text(ir.IsAbsent(name, not negated))
            case ir.Logic(word, operands) if all(_simple(part) for part in operands):
                other = "or" if word == "and" else "and"
                inner = (_AND if other == "and" else _OR) + 1
                return f" {other} ".join(self.failing(part, inner) for part in operands)
        return f"not {self.text(condition, _UNARY)}"

    def text(self, value: ir.Expression, level: int = _CHOICE) -> str:
        """The source of an expression, in parentheses where it binds less than ``level``."""
        own, source = self.source(value)
        return f"({source})" if own < level else source

    def source(self, value: ir.Expression) -> tuple[int, str]:
        match value:
            case ir.Constant(_, constant):
                negative = isinstance(constant, (int, float)) and constant < 0
                return (_UNARY if negative else _ATOM), python_literal(constant)
            case ir.Variable(_, name):
                return _ATOM, self.name(name)
            case ir.TensorProperty(_, tensor) if tensor.kind is Kind.TENSORS:
                return _ATOM, f"{self.runtime('common_type')}({self.text(tensor)})"
            case ir.TensorProperty(_, tensor, which):
                return _ATOM, f"{self.text(tensor, _ATOM)}.{which.value}"
            case ir.Arithmetic(operator, left, right, checked):
                own = _ARITHMETIC_LEVEL[operator]
                source = f"{self.text(left, own)} {operator.value} {self.text(right, own + 1)}"
                return self.checked(source, own, checked)
            case ir.Negative(operand, checked):
                return self.checked(f"-{self.text(operand, _UNARY)}", _UNARY, checked)
            case ir.FloatArithmetic(ir.FloatOperator.DIVIDE, left, right):
                return _ATOM, f"{self.runtime('divided')}({self.text(left)}, {self.text(right)})"
            case ir.FloatArithmetic(float_operator, left, right):
                own = _PRODUCT if float_operator is ir.FloatOperator.MULTIPLY else _SUM
                sides = self.text(left, own), self.text(right, own + 1)
                return own, f"{sides[0]} {float_operator.value} {sides[1]}"
            case ir.FloatNegative(operand):
                return _UNARY, f"-{self.text(operand, _UNARY)}"
            case ir.Comparison(operands, relations):
                parts = [self.operand(operands[0])]
                for relation, operand in zip(relations, operands[1:], strict=True):
                    parts += [relation.value, self.operand(operand)]
                return _COMPARE, " ".join(parts)
            case ir.OneOf(word, words, negated):
                listed = python_literal(words)
                return _COMPARE, f"{self.text(word, _SUM)} {'not ' if negated else ''}in {listed}"
            case ir.IsAbsent(name, negated):
                return _COMPARE, f"{self.name(name)} is {'not ' if negated else ''}None"
            case ir.Logic(word, operands):
                own = _AND if word == "and" else _OR
                # An `and` within an `or` is in parentheses: readers must not know which binds more.
                return own, f" {word} ".join(self.text(part, _AND + 1) for part in operands)
            case ir.Not(operand):
                return _NOT, f"not {self.text(operand, _NOT)}"
            case ir.Repeated(item, count):
                return _PRODUCT, f"[{self.text(item)}] * {self.text(count, _UNARY)}"
            case ir.Choice(_, condition, yes, no):
                return _CHOICE, (
                    f"{self.text(yes, _OR)} if {self.text(condition, _OR)} "
                    f"else {self.text(no, _OR)}"
                )
        return _ATOM, self.atom(value)

    def operand(self, value: ir.Expression) -> str:
        """An operand of a comparison; lists are compared by their values, whatever holds them."""
        if isinstance(value, ir.NewList):
            items = ", ".join(map(self.text, value.items))
            return f"({items},)" if len(value.items) == 1 else f"({items})"
        return f"tuple({self.text(value)})" if value.kind is Kind.INTS else self.text(value, _SUM)

    def atom(self, value: ir.Expression) -> str:
        match value:
            case ir.FunctionCall(_, function, arguments, checked):
                listed = ", ".join(self.text(argument) for argument in arguments)
                if function in _FROM_RUNTIME:
                    return f"{self.runtime(_FROM_RUNTIME[function])}({listed})"
                if function in (ir.Function.INT64, ir.Function.FLOAT):
                    return f"{'int' if function is ir.Function.INT64 else 'float'}({listed})"
                return self.checked(f"{function.value}({listed})", _ATOM, checked)[1]
            case ir.HelperCall(_, helper, arguments):
                return self.helper_call(helper, arguments)
            case ir.PlainCall(_, family, function, arguments):
                self.used.add((_FUNCTIONS.format(family), function))
                return f"{function}({', '.join(map(self.text, arguments))})"
            case ir.Element(_, values, index, not_negative, _):
                position = self.index(values, index, not_negative)
                return f"{self.text(values, _ATOM)}[{position}]"
            case ir.Tail(_, values, start, stop):
                first = "" if start == ir.Constant(Kind.INT, 0) else self.text(start)
                last = self.text(stop) if stop is not None else ""
                return f"{self.text(values, _ATOM)}[{first}:{last}]"
            case ir.NewList(items):
                return f"[{', '.join(self.text(item) for item in items)}]"
            case ir.Joined():
                return f"[{', '.join(self.spliced(part) for part in _joined(value))}]"
            case ir.Copied(values):
                return f"list({self.text(values)})"
        raise TypeError(type(value).__name__)

    def spliced(self, part: ir.Expression) -> str:
        """A list as a part of a longer one."""
        if isinstance(part, ir.NewList):
            return ", ".join(self.text(item) for item in part.items)
        return f"*{self.text(part, _ATOM)}"

    def index(self, values: ir.Expression, index: ir.Expression, not_negative: bool) -> str:
        if not_negative:
            return self.text(index)
        return f"{self.runtime('inside')}({self.text(index)}, len({self.text(values)}))"

    def helper_call(self, helper: str, arguments: tuple[ir.Expression, ...]) -> str:
        return f"{self.name(helper)}({', '.join(['op', *map(self.text, arguments)])})"

    def checked(self, source: str, level: int, checked: bool) -> tuple[int, str]:
        if not checked:
            return level, source
        return _ATOM, f"{self.runtime('int64')}({source})"


def _default(parameter: ir.Parameter) -> str:
    return "" if parameter.default is None else f" = {python_literal(parameter.default.value)}"


def _joined(value: ir.Expression) -> list[ir.Expression]:
    """The parts of ``a + b + c``."""
    if isinstance(value, ir.Joined):
        return [*_joined(value.left), *_joined(value.right)]
    return [value]


def _simple(condition: ir.Expression) -> bool:
    """True where the opposite of a condition is as easy to read."""
    if isinstance(condition, ir.Comparison):
        first = condition.relations[0]
        return len(condition.relations) == 1 and _invertible(first, condition.operands[0])
    return isinstance(condition, (ir.OneOf, ir.IsAbsent, ir.Not))


def _invertible(relation: ir.Relation, operand: ir.Expression) -> bool:
    """True where the opposite relation holds whenever this one does not: not so with NaN."""
    equality = relation in (ir.Relation.EQUAL, ir.Relation.UNEQUAL)
    return equality or operand.kind is not Kind.FLOAT


def _docstring(doc: str | None) -> list[str]:
    if doc is None:
        return []
    lines = docstring_text(doc).encode("utf-8", "replace").decode().splitlines()
    if len(lines) < 2:
        return [f'{_INDENT}"""{"".join(lines)}"""']
    body = [f"{_INDENT}{line}".rstrip() for line in lines[1:]]
    return [f'{_INDENT}"""{lines[0]}', *body, f'{_INDENT}"""']
