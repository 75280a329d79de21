"""Runs a rule file as the Python that it is, over integers that refuse to leave int64.

CPython itself executes the file: only its literals, its messages and its imports are prepared, so
that numbers are checked, lists know their bounds, and a message is made where a requirement
fails. Nothing here is shared with the compiler or with what it emits; the two are held against
this.
"""

from __future__ import annotations

import ast
import builtins
import functools
import math
from collections.abc import Collection, Iterator, Mapping
from types import CodeType, FunctionType
from typing import Any, NamedTuple

import numpy as np

from rules_values import (
    INT64_MAX,
    INT64_MIN,
    Float,
    Given,
    Int,
    Outside,
    Overflow,
    Refused,
    TooMany,
    Unknown,
    Unsound,
    Values,
    View,
    ieee,
    own,
    to_type,
)

VERBS = {
    "require": "ShapeError",
    "require_attribute": "AttributeValueError",
    "require_type": "TypeConstraintError",
}


class Outcome(NamedTuple):
    """Outcome of a rule: shapes and plan, or the error's class and text."""

    shapes: dict[str, list[tuple[int, ...]]] | None
    plan: dict[str, Any] | None
    error: str | None = None
    message: str | None = None


def exact(plan: Mapping[str, Any]) -> dict[str, Any]:
    """A plan whose floats are equal where they have the same bits, tensors with the same shape."""
    return {k: _exact(v) for k, v in plan.items()}


def _exact(value: Any) -> Any:
    if hasattr(value, "shape"):  # a tensor, as any executor has it
        return "tensor", tuple(value.shape)
    if isinstance(value, (tuple, list)):
        return tuple(map(_exact, value))
    return float.hex(value) if isinstance(value, float) else value


# Messages


def shown(value: Any) -> str:
    """A value in a message."""
    if isinstance(value, str):
        return escaped(value)
    if isinstance(value, float):
        return "nan" if value != value else format(value, ".9g")
    if isinstance(value, list):
        texts = [int.__repr__(item) for item in list.__iter__(value)]
        return "[" + ", ".join(texts if builtins.len(texts) <= 16 else [*texts[:16], "..."]) + "]"
    if isinstance(value, int):
        return int.__repr__(value)
    raise TypeError(type(value).__name__)


def escaped(text: str) -> str:
    """A caller's text: what is not printable ASCII as hexadecimal bytes, 40 bytes at most."""
    line = ""
    for byte in text.encode("utf-8", "surrogatepass"):
        line += chr(byte) if 32 <= byte <= 126 and byte != 92 else f"\\x{byte:02x}"
    return line[:40]


def whole(label: str, message: str) -> str:
    """The text of an error: the operator, what was wrong, 255 bytes at most."""
    line = ""
    room = 255
    for char in f"{label}: {message}":
        room -= builtins.len(char.encode("utf-8", "backslashreplace"))
        if room < 0:
            break
        line += char
    return line


# Preparing the file


class Prepare(ast.NodeTransformer):
    """Makes literals checked, messages late, and takes imports and annotations away."""

    def __init__(self, constants: frozenset[str]) -> None:
        self.constants = constants

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        kind = {int: "Int", float: "Float"}.get(type(node.value))
        return called(kind, node) if kind else node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        if isinstance(node.operand, ast.Constant) and isinstance(node.op, ast.USub):
            return called("Int" if type(node.operand.value) is int else "Float", node)
        return self.generic_visit(node)

    def visit_List(self, node: ast.List) -> ast.AST:
        return called("own", self.generic_visit(node))

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.AST:
        value = node.value
        literal = isinstance(value, ast.Constant) or (
            isinstance(value, ast.Name) and value.id in self.constants
        )
        counts = isinstance(value, ast.Call) and ast.unparse(value.func) == "counted"
        trusted = literal or counts or (isinstance(value, ast.Attribute) and value.attr == "type")
        node.value = called("plain" if trusted else "shown", self.visit(value))
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in VERBS:
            nothing = ast.arguments([], [], None, [], [], None, [])
            node.args[1] = ast.Lambda(nothing, node.args[1])
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        assert node.value is not None
        return self.visit(ast.Assign([node.target], node.value))

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        return None

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        for argument in (*node.args.args, *node.args.kwonlyargs, *node.args.posonlyargs):
            argument.annotation = None
        node.returns = None
        return self.generic_visit(node)


def called(name: str, node: ast.AST) -> ast.Call:
    """A call of a function of this module; the file cannot have a name that starts so."""
    return ast.Call(ast.Name(f"reference {name}", ast.Load()), [node], [])


def plain(value: Any) -> str:
    """A constant, or a tensor's type, in a message."""
    return value if isinstance(value, str) else shown(value)


def in_bytes(text: Any) -> bytes:
    """A text in UTF-8, as C has it."""
    return str(text).encode("utf-8", "surrogatepass")


def noun(number: int, *words: str) -> str:
    """A number and its noun; the second word is the plural, ``s`` is added where there is none."""
    plural = words[1] if builtins.len(words) > 1 else words[0] + "s"
    return int.__repr__(number) + " " + (words[0] if int(number) == 1 else plural)


def checked_range(*ends: int) -> Iterator[Int]:
    """``range`` over int64."""
    return map(Int, builtins.range(*map(int, ends)))


def whole_number(value: float) -> bool:
    """Return whether a float is one of the integers of int64."""
    return math.isfinite(value) and value.is_integer() and INT64_MIN <= int(value) <= INT64_MAX


class Recorder:
    """Record of a rule's run: its verbs write to it."""

    def __init__(self) -> None:
        self.shapes: dict[str, list[tuple[int, ...]]] = {}
        self.plan: dict[str, Any] = {}

    def output(self, **shapes: list[int]) -> None:
        for name, shape in shapes.items():
            if builtins.len(shape) > 64:
                raise Unsound(f"a shape of {builtins.len(shape)} dims")
            self.shapes.setdefault(name, []).append(tuple(map(int, list.__iter__(shape))))

    def planned(self, **values: Any) -> None:
        for name, value in values.items():
            value = value.given if isinstance(value, View) else value
            listed = isinstance(value, list)
            self.plan[name] = tuple(list.__iter__(value)) if listed else value


def requirement(error: str) -> Any:
    def require(condition: bool, message: Any) -> None:
        if not condition:
            raise Refused(error, message())

    return require


@functools.cache
def prepared(text: str, constants: frozenset[str]) -> CodeType:
    """A file, ready to be executed."""
    tree = ast.fix_missing_locations(Prepare(constants).visit(ast.parse(text)))
    return compile(tree, "<rule>", "exec")


@functools.cache
def plain_functions(text: str) -> dict[str, Any]:
    """A family's functions in plain Python, which run as they are; results are the rule's."""
    names: dict[str, Any] = {}
    exec(compile(text, "<functions>", "exec"), names)

    def of_rule(function: Any) -> Any:
        def call(*arguments: Any) -> Any:
            result = function(*arguments)
            return Int(result) if isinstance(result, int) else own([*map(Int, result)])

        return call

    return {name: of_rule(one) for name, one in names.items() if isinstance(one, FunctionType)}


def run(
    source: str,
    inputs: list[Any],
    attributes: Mapping[str, Any],
    *,
    label: str = "Op-1",
    constants: Mapping[str, Any] | None = None,
    shared: Mapping[str, str] | None = None,
    lacking: Collection[str] = (),
) -> Outcome:
    """Call the rule in ``source``.

    Args:
        source: the rule file.
        inputs: a ``Given``, ``None`` or a list of ``Given`` for each.
        attributes: by name; ``None`` where absent.
        label: the operator, for messages.
        constants: the family's parameters.
        shared: the sources of shared helpers, in the order in which they build on each other.
        lacking: the inputs of the rule that are not among those given.
    """
    recorder = Recorder()
    known = {"MAX_RANK": Int(64)} | {
        name: Int(value) if type(value) is int else value
        for name, value in (constants or {}).items()
    }
    names: dict[str, Any] = {
        **known,
        **{verb: requirement(error) for verb, error in VERBS.items()},
        "output": recorder.output,
        "bound": recorder.output,
        "dynamic": lambda name: None,
        "plan": recorder.planned,
        "range": checked_range,
        "len": lambda values: Int(builtins.len(values)),
        "list": lambda values: own([*list.__iter__(values)]),
        "is_int64": whole_number,
        "is_prepared": lambda: False,
        "int64": lambda value: Int(int(value)),
        "counted": noun,
        "reference Int": Int,
        "reference own": own,
        "reference Float": Float,
        "float": lambda value: Float(np.float64(int(value))),
        "floor": lambda value: ieee(np.floor, value),
        "ceil": lambda value: ieee(np.ceil, value),
        "rounded": to_type,
        "byte_count": lambda text: Int(builtins.len(in_bytes(text))),
        "byte_at": lambda text, index: Int(dict(enumerate(in_bytes(text))).get(int(index), -1)),
        "reference shown": shown,
        "reference plain": plain,
    }
    for module, text in (shared or {}).items():
        if module.endswith(".functions") and f"from {module} import" in source:
            names.update(plain_functions(text))
    helpers = [text for module, text in (shared or {}).items() if "." not in module]
    for text in (*helpers, source):
        mentioned = frozenset(filter(text.__contains__, known))  # so that versions share more files
        exec(prepared(text, mentioned), names)
    arguments = [
        Values(map(View, given)) if isinstance(given, list) else given and View(given)
        for given in inputs
    ]
    code = names["rules"].__code__
    taken = [name for name in code.co_varnames[: code.co_argcount] if name not in lacking]
    given_inputs = dict(zip(taken, arguments, strict=True))
    given_attributes: dict[str, Any] = {name: checked(value) for name, value in attributes.items()}
    try:
        names["rules"](**given_inputs, **given_attributes)
    except Refused as refused:
        return Outcome(None, None, refused.error, whole(label, refused.message))
    except Overflow:
        return Outcome(
            None, None, "ShapeError", f"{label}: output size overflows, expected at most 2^63-1"
        )
    except TooMany as found:
        name, size = found.args
        message = f"{label}: {name} has {size} values, expected at most 128"
        return Outcome(None, None, "ShapeError", message)
    except Unknown as unknown:
        return Outcome(
            None,
            None,
            "OpError",
            f"{label}: value of {unknown} is unknown, expected a tensor with data",
        )
    except Outside:
        return Outcome(None, None, "IndexError")
    return Outcome(recorder.shapes, exact(recorder.plan))


def checked(value: Any) -> Any:
    """An attribute's value as a rule sees it."""
    if type(value) is int:
        return Int(value)
    if type(value) is float:
        return Float(value)
    if isinstance(value, Given):
        return View(value)
    if isinstance(value, (list, tuple)):
        return Values(Int(item) if type(item) is int else item for item in value)
    return value
