"""Lowers expressions of a rule into C: what can fail becomes steps before the expression."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from opmill_gen.base.literals import c_string
from opmill_gen.rule_language import ir
from opmill_gen.rule_language.emit_c_names import c_name
from opmill_gen.rule_language.emit_c_text import (
    ATTRIBUTE_LISTS,
    INDENT,
    OPTIONAL_TYPES,
    TYPES,
    Block,
    NotInCError,
    bare,
    comparison_text,
    constant_text,
    name_of,
    tight,
)
from opmill_gen.rule_language.ir import Kind
from opmill_gen.rule_language.walk import mentioned

_NOTHING = {Kind.INT: "0", Kind.BOOL: "false", Kind.FLOAT: "0", Kind.INTS: "{NULL, 0}"}
"""What a helper's result is before the call: compilers do not see that a call which fails ends
the rule, and warn of a variable without a value."""
_CHECKED = {
    ir.ArithmeticOperator.ADD: "opmill_add",
    ir.ArithmeticOperator.SUBTRACT: "opmill_sub",
    ir.ArithmeticOperator.MULTIPLY: "opmill_mul",
}


FLOAT_LISTS = "lists of floats are made from floats, read one by one, and not passed on"
_NO_NAME = "several tensors have no other name than their parameter's"


@dataclass
class Expressions:
    """Lowers the expressions of one program."""

    program: ir.RuleProgram
    temporaries: int = 0
    lists: set[str] = field(default_factory=set)
    parameters: dict[str, ir.Parameter] = field(default_factory=dict)
    """The parameters of the function that is being written."""
    depth: int = 0
    storages: list[str] = field(default_factory=list)
    """The lists that views outlive the block of, so that they belong to the whole function."""
    inside: set[tuple[ir.Expression, ir.Expression]] = field(default_factory=set)
    """The (list, index) pairs that are known to be inside at the point that is being written."""
    used: set[str] = field(default_factory=set)
    """The names that the function receives without the rule's doing, where it mentions them."""
    typed: frozenset[str] = frozenset()
    """The parameters of the function that are several tensors, with which it gets their type."""

    def leave_if(self, condition: str, result: str) -> list[str]:
        """Lines that leave the function where a condition holds."""
        return [f"if ({condition}) {{", f"{INDENT}return {result};", "}"]

    def failure(self, name: str, *arguments: str) -> str:
        """The call that ends the rule with an error of its own, and gives the error's code."""
        self.used |= {"op", "context"}
        return f"opmill_rule_{name}({', '.join(['op', *arguments, 'context'])})"

    def forget(self, changed: Iterable[str]) -> None:
        """Drop what is known of indices and lists that have changed."""
        names = set(changed)
        self.inside = {pair for pair in self.inside if not mentioned(pair) & names}

    def list_storage(self, name: str, block: Block) -> None:
        """Declare a list, for the whole function where a view of it may leave its block."""
        if self.depth == 0:
            block.add(f"opmill_list {name};")
        else:
            self.storages.append(name)

    def deeper(self, value: ir.Expression, block: Block) -> str:
        """Lower an expression into a block inside of another."""
        self.depth += 1
        text = self.lower(value, block)
        self.depth -= 1
        return text

    def temporary(self) -> str:
        self.temporaries += 1
        return f"t{self.temporaries}"

    def lower(self, value: ir.Expression, block: Block) -> str:
        """The C expression of a value; steps that can fail go before it into the block."""
        match value:
            case ir.Constant(kind, constant):
                return constant_text(kind, constant)
            case ir.Variable(kind, name):
                return self.variable(kind, name)
            case ir.TensorProperty():
                return self.property(value, block)
            case ir.Arithmetic():
                return self.arithmetic(value, block)
            case ir.Negative(operand, checked):
                text = self.lower(operand, block)
                if not checked:
                    return f"-{tight(text)}"
                return self.step(f"opmill_sub(0, {text}, &%)", block)
            case ir.FloatArithmetic(operator, left, right):
                sides = self.lower(left, block), self.lower(right, block)
                if operator is ir.FloatOperator.MULTIPLY:  # which no sum around it may fuse with
                    return f"opmill_product({bare(sides[0])}, {bare(sides[1])})"
                return f"({sides[0]} {operator.value} {sides[1]})"
            case ir.FloatNegative(operand):
                return f"-{tight(self.lower(operand, block))}"
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
                return f"!{tight(self.lower(operand, block))}"
            case ir.Choice():
                return self.choice(value, block)
            case ir.FunctionCall():
                return self.function(value, block)
            case ir.HelperCall(kind, helper, arguments):
                return self.helper_call(kind, helper, arguments, block)
            case ir.PlainCall(Kind.INT):
                return self.plain_call(value, block)
            case ir.Element():
                return self.element(value, block)
            case ir.Tail(_, values, start, stop):
                view = self.lower(values, block)
                first = self.lower(start, block)
                last = self.lower(stop, block) if stop is not None else "INT64_MAX"
                return f"opmill_slice({view}, {first}, {last})"
        return self.new_list(value, block)

    def own(self, name: str) -> str:
        """The C name of a parameter or local of the function that is being written."""
        return name_of(self.parameters[name]) if name in self.parameters else c_name(name)

    def variable(self, kind: Kind, name: str) -> str:
        target = self.own(name)
        if name in self.lists:
            if kind is Kind.FLOATS:
                raise NotInCError(FLOAT_LISTS)
            return f"opmill_list_view(&{target})"
        return f"{target}.value" if self.is_optional_number(name) else target

    def is_optional_number(self, name: str) -> bool:
        """Return whether a name is a parameter that is a number or absent."""
        parameter = self.parameters.get(name)
        return parameter is not None and parameter.optional and parameter.kind in OPTIONAL_TYPES

    def step(self, call: str, block: Block) -> str:
        """A checked step, whose result is a temporary: ``%`` is its name in the call."""
        name = self.temporary()
        block.add(f"int64_t {name};")
        block.add(*self.leave_if(call.replace("%", name), self.failure("overflow")))
        return name

    def property(self, value: ir.TensorProperty, block: Block) -> str:
        if value.tensor.kind is Kind.TENSORS:
            return self.item_type(value.tensor)
        tensor = self.lower(value.tensor, block)
        match value.property:
            case ir.Property.RANK:
                return f"{tensor}->rank"
            case ir.Property.SHAPE:
                sparse = value.tensor.kind is Kind.SPARSE
                return f"opmill_{'sparse_' if sparse else ''}dims({tensor})"
            case ir.Property.TYPE:
                return f"opmill_type_name({tensor}->type)"
            case ir.Property.SIZE:
                return self.step(f"opmill_tensor_size({tensor}, &%)", block)
        if value.property is ir.Property.NUMBERS or not isinstance(value.tensor, ir.Variable):
            raise NotInCError("floats are read one by one, and contents of single inputs only")
        name = self.temporary()
        block.add(f"opmill_ints {name};")
        self.list_storage(f"{name}_storage", block)
        wanted = c_string(value.tensor.name)
        values = f"{tensor}, {wanted}, &{name}_storage, &{name}"
        failed = f"{self.failure('values', values)} != OPMILL_OK"
        block.add(*self.leave_if(failed, "context->error.code"))
        return name

    def arithmetic(self, value: ir.Arithmetic, block: Block) -> str:
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
        block: Block,
    ) -> str:
        left, right = self.lower(operands[0], block), self.lower(operands[1], block)
        so_far = comparison_text(operands[0].kind, left, relations[0], right)
        for relation, operand in zip(relations[1:], operands[2:], strict=True):
            # A later operand is looked at only where everything before it holds.
            inner = Block()
            known = set(self.inside)
            following = self.deeper(operand, inner)
            self.inside = known
            compared = comparison_text(operand.kind, right, relation, following)
            if not inner.lines:
                so_far, right = f"{so_far} && {compared}", following
                continue
            saved, value = self.temporary(), self.temporary()
            block.add(f"bool {saved} = {so_far};", f"{TYPES[operand.kind]}{value} = 0;")
            block.add(f"if ({saved}) {{", *(INDENT + line for line in inner.lines))
            block.add(f"{INDENT}{value} = {bare(following)};")
            block.add(
                f"{INDENT}{saved} = {comparison_text(operand.kind, right, relation, value)};", "}"
            )
            so_far, right = saved, value
        return so_far if len(relations) == 1 else f"({so_far})"

    def absent(self, name: str, negated: bool) -> str:
        target = c_name(name)
        if self.parameters[name].kind in ATTRIBUTE_LISTS:
            return f"{target}.count {'>=' if negated else '<'} 0"
        if self.is_optional_number(name):
            return f"{target}.present {'!=' if negated else '=='} 0"
        return f"{target} {'!=' if negated else '=='} NULL"

    def logic(self, word: str, operands: tuple[ir.Expression, ...], block: Block) -> str:
        """``and`` and ``or``: steps of a later operand run only where it is looked at."""
        mark = "&&" if word == "and" else "||"
        texts = [self.lower(operands[0], block)]
        for position, operand in enumerate(operands[1:], 1):
            inner = Block()
            known, counted = set(self.inside), self.temporaries
            stored = len(self.storages)
            text = self.deeper(operand, inner)
            self.inside = known
            if inner.lines:
                del self.storages[stored:]
                self.temporaries = counted
            else:
                texts.append(text)
                continue
            name = self.temporary()
            so_far = f" {mark} ".join(texts)
            rest = ir.Logic(word, operands[position:]) if position < len(operands) - 1 else operand
            block.add(f"bool {name} = {so_far};")
            block.add(f"if ({name if word == 'and' else '!' + name}) {{")
            nested = Block()
            known = set(self.inside)
            text = bare(self.deeper(rest, nested))
            self.inside = known
            block.add(*(INDENT + line for line in nested.lines), f"{INDENT}{name} = {text};", "}")
            return name
        return f"({f' {mark} '.join(texts)})"

    def choice(self, value: ir.Choice, block: Block) -> str:
        condition = self.lower(value.condition, block)
        yes, no = Block(), Block()
        known = set(self.inside)
        yes_text = self.deeper(value.yes, yes)
        self.inside = set(known)
        no_text = self.deeper(value.no, no)
        self.inside = known
        if not yes.lines and not no.lines:
            return f"({condition} ? {yes_text} : {no_text})"
        name = self.temporary()
        block.add(f"{TYPES[value.kind]}{name};", f"if ({bare(condition)}) {{")
        block.add(*(INDENT + line for line in yes.lines), f"{INDENT}{name} = {yes_text};")
        block.add("} else {", *(INDENT + line for line in no.lines))
        block.add(f"{INDENT}{name} = {no_text};", "}")
        return name

    def function(self, value: ir.FunctionCall, block: Block) -> str:
        if value.function is ir.Function.LEN:
            argument = value.arguments[0]
            if argument.kind is Kind.TENSORS:
                return self.lower_count(argument)
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
            case ir.Function.IS_INT64 | ir.Function.FLOOR | ir.Function.CEIL:
                return f"opmill_{value.function.value}({bare(texts[0])})"
            case ir.Function.BYTE_COUNT | ir.Function.BYTE_AT:
                return f"opmill_{value.function.value}({', '.join(map(bare, texts))})"
            case ir.Function.IS_PREPARED:
                return "opmill_is_prepared(context)"
            case ir.Function.ROUNDED:
                return f"opmill_rounded({', '.join(map(bare, texts))})"
            case ir.Function.FLOAT:
                return f"(double){tight(texts[0])}"
        return f"(int64_t){tight(texts[0])}"

    def lower_tensors(self, value: ir.Expression) -> str:
        if not isinstance(value, ir.Variable):
            raise NotInCError(_NO_NAME)
        self.used.add(c_name(value.name))
        return c_name(value.name)

    def item_type(self, value: ir.Expression) -> str:
        """The element type of a sequence or of a variadic input, which the rule itself receives."""
        name = self.lower_tensors(value)
        if name not in self.typed:
            raise NotInCError("only a rule itself can ask for the type of a sequence")
        self.used.add(f"{name}_type")
        return f"opmill_item_type_name({name}_type)"

    def lower_count(self, value: ir.Expression) -> str:
        """The number of values of a variadic input."""
        if not isinstance(value, ir.Variable):
            raise NotInCError(_NO_NAME)
        count = f"{c_name(value.name)}_count"
        self.used.add(count)
        return count

    def call(
        self, helper: str, arguments: tuple[ir.Expression, ...], results: list[str], block: Block
    ) -> None:
        texts = ["op"]
        self.used |= {"op", "context"}
        parameters = next(h.parameters for h in self.program.helpers if h.name == helper)
        for parameter, argument in zip(parameters, arguments, strict=True):
            if argument.kind is Kind.TENSORS:
                name = self.lower_tensors(argument)
                texts += [name, self.lower_count(argument)]
            elif parameter.optional and parameter.kind in OPTIONAL_TYPES:
                texts.append(self.optional_number(argument, block))
            else:
                texts.append(self.lower(argument, block))
        texts = [bare(text) for text in texts]
        call = f"{c_name(helper)}({', '.join([*texts, *results, 'context'])})"
        block.add(*self.leave_if(f"{call} != OPMILL_OK", "context->error.code"))

    def optional_number(self, argument: ir.Expression, block: Block) -> str:
        """An argument for a parameter that is a number or absent."""
        if isinstance(argument, ir.Variable) and self.is_optional_number(argument.name):
            return c_name(argument.name)
        if argument.kind is Kind.FLOAT:
            raise NotInCError("only an attribute is passed on as a float that may be absent")
        return f"(opmill_int){{{bare(self.lower(argument, block))}, 1}}"

    def helper_call(
        self, kind: Kind, helper: str, arguments: tuple[ir.Expression, ...], block: Block
    ) -> str:
        name = self.temporary()
        results = [f"&{name}"]
        block.add(f"{TYPES[kind]}{name} = {_NOTHING.get(kind, 'NULL')};")
        if kind is Kind.INTS:
            self.list_storage(f"{name}_storage", block)
            results.append(f"&{name}_storage")
        self.call(helper, arguments, results, block)
        return name

    def plain_call(self, value: ir.PlainCall, block: Block, *target: str) -> str:
        """The call of a plain function, which cannot fail; ``target`` is where a list goes."""
        texts = [bare(self.lower(argument, block)) for argument in value.arguments]
        return f"opmill_{value.family}_{value.function}({', '.join([*texts, *target])})"

    def element(self, value: ir.Element, block: Block) -> str:
        if isinstance(value.values, ir.TensorProperty) and value.values.kind is Kind.FLOATS:
            return self.number(value.values, value, block)
        if value.kind is Kind.TENSOR:
            tensors, at = self.lower_tensors(value.values), self.lower(value.index, block)
            self.guard(value.values, value, f"{tensors}_count", at, block)
            return f"{tensors}[{bare(at)}]"
        values, count = self.accessors(value.values, block)
        at = self.lower(value.index, block)
        self.guard(value.values, value, count, at, block)
        text = f"{values}[{bare(at)}]"
        own = isinstance(value.values, ir.Variable) and value.values.name in self.lists
        return f"(double){text}" if value.kind is Kind.FLOAT and not own else text

    def accessors(self, value: ir.Expression, block: Block) -> tuple[str, str]:
        """The pointer to the values of a list, and their number."""
        if isinstance(value, ir.TensorProperty) and value.property is ir.Property.SHAPE:
            tensor = self.lower(value.tensor, block)
            return f"{tensor}->dims", f"{tensor}->rank"
        own = isinstance(value, ir.Variable) and value.name in self.lists
        view = c_name(value.name) if own else self.lower(value, block)  # type: ignore[union-attr]
        return f"{view}.values", f"{view}.count"

    def guard(
        self,
        values: ir.Expression,
        element: ir.Element | ir.AssignElement,
        count: str,
        at: str,
        block: Block,
    ) -> None:
        """Leave where an index is not proven to be inside, unless it was looked at before."""
        pair = (values, element.index)
        if (element.not_negative and element.below_length) or pair in self.inside:
            return
        tests = ([] if element.not_negative else [f"{at} < 0"]) + (
            [] if element.below_length else [f"{bare(at)} >= {count}"]
        )
        self.inside.add(pair)
        self.used.add(count)
        block.add(*self.leave_if(" || ".join(tests), self.failure("index")))

    def number(self, values: ir.TensorProperty, value: ir.Element, block: Block) -> str:
        """One element of a tensor of floats, as a double."""
        tensor = self.lower(values.tensor, block)
        if not isinstance(values.tensor, ir.Variable):
            raise NotInCError("contents are read of single inputs only")
        if not (value.not_negative and value.below_length):
            count = self.step(f"opmill_tensor_size({tensor}, &%)", block)
        else:
            count = ""
        at = self.lower(value.index, block)
        self.guard(values, value, count, at, block)
        name = self.temporary()
        block.add(f"double {name};")
        wanted = c_string(values.tensor.name)
        block.add(
            *self.leave_if(
                f"opmill_tensor_number({tensor}, {at}, &{name})",
                self.failure("value", wanted),
            )
        )
        return name

    def new_list(self, value: ir.Expression, block: Block) -> str:
        """A new list, in a temporary one; the view of it."""
        name = self.temporary()
        match value:
            case ir.Repeated(item, count):
                item_text, count_text = self.lower(item, block), self.lower(count, block)
                self.list_storage(name, block)
                call = f"opmill_list_repeat(&{name}, {item_text}, {count_text})"
                block.add(*self.leave_if(call, self.failure("list")))
            case ir.NewList(items):
                texts = [self.lower(item, block) for item in items]
                self.list_storage(name, block)
                block.add(f"{name}.count = {len(texts)};")
                block.add(*(f"{name}.values[{k}] = {text};" for k, text in enumerate(texts)))
            case ir.Joined(left, right):
                views = [self.lower(left, block), self.lower(right, block)]
                self.list_storage(name, block)
                block.add(f"{name}.count = 0;")
                failed = self.failure("list")
                for view in views:
                    block.add(*self.leave_if(f"opmill_list_extend(&{name}, {view})", failed))
            case ir.Copied(values):
                return self.lower(values, block)
            case ir.PlainCall():
                call = self.plain_call(value, block, f"&{name}")
                self.list_storage(name, block)
                block.add(f"{call};")
            case _:
                raise NotInCError(f"{type(value).__name__} has no form in C")
        return f"opmill_list_view(&{name})"
