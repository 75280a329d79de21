"""Expressions of rules as text, in the syntax of rule files: for pages and messages."""

from __future__ import annotations

import enum

from opmill_gen.rule_language import ir


class _Level(enum.IntEnum):
    """How tightly an expression binds; one that binds less needs parentheses."""

    CHOICE = 0
    OR = 1
    AND = 2
    NOT = 3
    COMPARISON = 4
    SUM = 5
    PRODUCT = 6
    SIGN = 7
    ATOM = 8


_SUMS = ("+", "-")


def text_of(expression: ir.Expression) -> str:
    """The source of an expression, without needless parentheses."""
    return _text(expression)[1]


def _text(node: ir.Expression) -> tuple[_Level, str]:
    match node:
        case ir.Constant(value=value):
            is_negative = isinstance(value, (int, float)) and repr(value).startswith("-")
            return (_Level.SIGN if is_negative else _Level.ATOM), repr(value)
        case ir.Variable(name=name):
            return _Level.ATOM, name
        case ir.TensorProperty(_, tensor, which):
            return _Level.ATOM, f"{_inside(tensor, _Level.ATOM)}.{which.value}"
        case ir.Arithmetic(operator, left, right) | ir.FloatArithmetic(operator, left, right):
            return _operation(left, operator.value, right)
        case ir.Joined(left, right):
            return _operation(left, "+", right)
        case ir.Repeated(item, count):
            return _operation(ir.NewList((item,)), "*", count)
        case ir.Negative(operand) | ir.FloatNegative(operand):
            return _Level.SIGN, f"-{_inside(operand, _Level.SIGN)}"
        case ir.Comparison(operands, relations):
            first, *rest = (_inside(one, _Level.SUM) for one in operands)
            pairs = zip(relations, rest, strict=True)
            return _Level.COMPARISON, first + "".join(f" {r.value} {one}" for r, one in pairs)
        case ir.OneOf(word, words, negated):
            listed = f"({', '.join(map(repr, words))}{',' if len(words) == 1 else ''})"
            relation = "not in" if negated else "in"
            return _Level.COMPARISON, f"{_inside(word, _Level.SUM)} {relation} {listed}"
        case ir.IsAbsent(name, negated):
            return _Level.COMPARISON, f"{name} is not None" if negated else f"{name} is None"
        case ir.Logic(word, operands):
            level = _Level.OR if word == "or" else _Level.AND
            parts = (_inside(one, _Level(level + 1)) for one in operands)
            return level, f" {word} ".join(parts)
        case ir.Not(operand):
            return _Level.NOT, f"not {_inside(operand, _Level.NOT)}"
        case ir.Choice(_, condition, yes, no):
            sides = [_inside(one, _Level.OR) for one in (yes, condition)]
            return _Level.CHOICE, f"{sides[0]} if {sides[1]} else {text_of(no)}"
        case ir.FunctionCall(_, function, arguments):
            return _Level.ATOM, f"{function.value}({_list(arguments)})"
        case ir.HelperCall(_, helper, arguments) | ir.PlainCall(_, _, helper, arguments):
            return _Level.ATOM, f"{helper}({_list(arguments)})"
        case ir.Counted(number, one, many):
            return _Level.ATOM, f"counted({text_of(number)}, {one!r}, {many!r})"
        case ir.Element(_, values, index):
            return _Level.ATOM, f"{_inside(values, _Level.ATOM)}[{text_of(index)}]"
        case ir.Tail(_, values, start, stop):
            first = "" if start == ir.Constant(ir.Kind.INT, 0) and stop else text_of(start)
            end = "" if stop is None else text_of(stop)
            return _Level.ATOM, f"{_inside(values, _Level.ATOM)}[{first}:{end}]"
        case ir.NewList(items):
            return _Level.ATOM, f"[{_list(items)}]"
        case ir.Copied(values):
            return _Level.ATOM, f"list({text_of(values)})"


def _list(items: tuple[ir.Expression, ...]) -> str:
    return ", ".join(map(text_of, items))


def _operation(left: ir.Expression, operator: str, right: ir.Expression) -> tuple[_Level, str]:
    """A sum or a product: of the same level, the right operand needs parentheses."""
    level = _Level.SUM if operator in _SUMS else _Level.PRODUCT
    return level, f"{_inside(left, level)} {operator} {_inside(right, _Level(level + 1))}"


def _inside(node: ir.Expression, level: _Level) -> str:
    """The text of an operand, in parentheses if it binds less than the level."""
    own, text = _text(node)
    return text if own >= level else f"({text})"
