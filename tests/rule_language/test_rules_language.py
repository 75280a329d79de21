"""Every construct of the rule language, compiled and run, against results worked out by hand."""

from __future__ import annotations

import ast
import re

import pytest

import rules_executors as executors
import rules_reference as reference
from opmill_gen.rule_language import emit_python
from opmill_gen.rule_language.ir import Extent, Kind
from rules_case import Case
from rules_cases import CASES
from rules_executors import HEADER
from rules_reference import Outcome
from rules_values import Given


@pytest.mark.parametrize("name", CASES)
def test_construct(name: str) -> None:
    case: Case = CASES[name]
    program = executors.program(case.source, case.constants)
    plain, proving = executors.emitted(program), executors.proving(program)
    for given, result in case.calls:
        arguments = case.arguments(given)
        wanted = case.outcome(result)
        ran = reference.run(case.source, *arguments, constants=case.constants)
        assert ran == wanted, f"the reference disagrees: {given}"
        for rules in (plain, proving):
            assert executors.run(rules, *arguments) == wanted, given


def rule(body: str, parameters: str = "X: Tensor") -> str:
    return f"{HEADER}\ndef rules({parameters}) -> None:\n    {body}\n    output(Y=[])\n"


# Names


INPUT_NAMES = ("input", "shape", "op", "list", "len", "derived", "self", "tuple", "rules", "x_")
ATTRIBUTE_NAMES = (
    *("min", "max", "len", "list", "op", "derived", "tuple", "int", "range", "self", "label"),
    *("int64", "Tensor", "Sequence", "listed", "quoted", "ShapeError", "float", "type", "op_"),
)


@pytest.mark.parametrize("name", INPUT_NAMES)
def test_an_input_may_have_any_name(name: str) -> None:
    body = (
        f'{name}2 = {name}.rank\n    require({name}2 < 2, f"{{{name}.shape}}")\n    plan(r={name}2)'
    )
    source = rule(body, f"{name}: Tensor, other: Tensor, *, q: int")
    rules = executors.emitted(executors.program(source))
    for shape in ((3,), (4, 5)):
        inputs = [Given(name, "float", shape), Given("other", "float", ())]
        wanted = reference.run(source, inputs, {"q": 1})
        assert executors.run(rules, inputs, {"q": 1}) == wanted
        assert wanted.message == (None if len(shape) == 1 else "Op-1: [4, 5]")


@pytest.mark.parametrize("name", ATTRIBUTE_NAMES)
def test_an_attribute_may_have_any_name(name: str) -> None:
    body = (
        f"x = [{name} + 1, 0]\n    x[{name}] = X.shape[{name}] * 2\n"
        f'    require(x == X.shape or {name} < 1, f"{{x}} of {{{name}}}, {{w}}")\n    plan(r=x)'
    )
    source = rule(body, f"X: Tensor, *, {name}: int, w: str")
    rules = executors.emitted(executors.program(source))
    for value, wanted in (
        (0, Outcome({"Y": [()]}, {"r": (8, 0)})),
        (1, Outcome(None, None, "ShapeError", "Op-1: [2, 10] of 1, a")),
        (2, Outcome(None, None, "IndexError")),
        (
            2**63 - 1,
            Outcome(
                None, None, "ShapeError", "Op-1: output size overflows, expected at most 2^63-1"
            ),
        ),
    ):
        inputs = [Given("X", "float", (4, 5))]
        assert executors.run(rules, inputs, {name: value, "w": "a"}) == wanted
        assert reference.run(source, inputs, {name: value, "w": "a"}) == wanted


def test_every_attribute_name_at_once() -> None:
    names = ", ".join(f"{name}: int" for name in ATTRIBUTE_NAMES)
    source = rule(f"plan(r=[{', '.join(ATTRIBUTE_NAMES)}])", f"X: Tensor, *, {names}")
    values = {name: place for place, name in enumerate(ATTRIBUTE_NAMES)}
    rules = executors.emitted(executors.program(source))
    done = executors.run(rules, [Given("X", "float", ())], values)
    assert done.plan == {"r": tuple(range(len(ATTRIBUTE_NAMES)))}


# What a rule says of outputs and of the plan


def test_outputs_of_every_extent() -> None:
    source = rule('output(A=X.shape)\n    bound(B=[X.size])\n    dynamic("C")')
    program = executors.program(source)
    assert program.outputs == {
        "A": Extent.EXACT,
        "B": Extent.BOUND,
        "C": Extent.DYNAMIC,
        "Y": Extent.EXACT,
    }
    assert program.bounded == {"B"}
    assert not program.counts_outputs
    inputs = [Given("X", "float", (2, 3))]
    done = executors.run(executors.emitted(program), inputs, {})
    assert done == reference.run(source, inputs, {})
    assert done.shapes == {"A": [(2, 3)], "B": [(6,)], "Y": [()]}


def test_outputs_on_both_sides_of_a_condition() -> None:
    source = f"""{HEADER}
def rules(X: Tensor, *, a: int) -> None:
    if a > 0:
        output(Y=[a])
        plan(r=1)
    else:
        output(Y=X.shape)
        plan(r=2)
"""
    rules = executors.emitted(executors.program(source))
    inputs = [Given("X", "float", (2, 3))]
    assert executors.run(rules, inputs, {"a": 5}) == Outcome({"Y": [(5,)]}, {"r": 1})
    assert executors.run(rules, inputs, {"a": 0}) == Outcome({"Y": [(2, 3)]}, {"r": 2})


@pytest.mark.parametrize("outputs", [0, 1, 3])
def test_variadic_outputs(outputs: int) -> None:
    source = f"""{HEADER}
def rules(X: Tensor, *, outputs: OutputCount) -> None:
    require(X.rank == 1, "X must be 1-D")
    require(outputs >= 1, "none")
    each = (X.shape[0] + outputs - 1) // outputs
    for i in range(outputs):
        output(Y=[min(each, X.shape[0] - i * each)])
"""
    program = executors.program(source)
    assert program.counts_outputs
    inputs = [Given("X", "float", (7,))]
    done = executors.run(executors.emitted(program), inputs, {"outputs": outputs})
    assert done == reference.run(source, inputs, {"outputs": outputs})
    wanted = {0: None, 1: [(7,)], 3: [(3,), (3,), (1,)]}[outputs]
    assert done.shapes == (wanted and {"Y": wanted})


def test_the_plan_holds_every_kind() -> None:
    source = rule(
        "plan(i=X.rank, l=X.shape, t=X.type, f=g, b=X.rank > 1, c=p)",
        "X: Tensor, *, g: float, p: Ints",
    )
    program = executors.program(source)
    kinds = (Kind.INT, Kind.INTS, Kind.STR, Kind.FLOAT, Kind.BOOL, Kind.INTS)
    assert program.plan == dict(zip("iltfbc", kinds, strict=True))
    inputs, attributes = [Given("X", "int8", (2, 3))], {"g": 0.5, "p": [1, 2]}
    done = executors.run(executors.emitted(program), inputs, attributes)
    plan = {"i": 2, "l": (2, 3), "t": "int8", "f": (0.5).hex(), "b": True, "c": (1, 2)}
    assert done.plan == plan
    assert type(done.plan["c"]) is tuple, "a kernel must not hold the caller's list"


def test_attributes_that_a_rule_only_looks_at() -> None:
    source = rule(
        "plan(n=len(w) + len(z), first=w[0] if len(w) > 0 else 0.0, "
        "r=1 if value is None else 2, t=z[0] if len(z) > 0 else 'none')",
        "X: Tensor, *, value: Opaque | None, w: Floats, z: Strs",
    )
    rules = executors.emitted(executors.program(source))
    inputs = [Given("X", "float", ())]
    for attributes, plan in (
        ({"value": None, "w": (), "z": ()}, {"n": 0, "first": (0.0).hex(), "r": 1, "t": "none"}),
        (
            {"value": object(), "w": (0.5, 1.0), "z": ("a",)},
            {"n": 3, "first": (0.5).hex(), "r": 2, "t": "a"},
        ),
    ):
        assert executors.run(rules, inputs, attributes).plan == plan
        assert reference.run(source, inputs, attributes).plan == plan


# Shared helpers


SHARED = {
    "axes": f'''{HEADER}
def normal(axis: int, rank: int) -> int:
    """An axis that counts from the front."""
    require_attribute(-rank <= axis < rank, f"axis {{axis}} out of range for rank {{rank}}")
    return axis + rank if axis < 0 else axis
''',
    "sums": f"""{HEADER}
from _shared.axes import normal


def last(values: Ints, axis: int) -> int:
    return values[normal(axis, len(values))]
""",
}


def test_shared_helpers() -> None:
    source = rule(
        "plan(r=last(X.shape, axis) + normal(axis, X.rank))",
        "X: Tensor, *, axis: int",
    ).replace(HEADER, HEADER + "from _shared.sums import last\nfrom _shared.axes import normal\n")
    program = executors.program(source, shared=SHARED)
    assert [helper.name for helper in program.helpers] == ["normal", "last"]
    rules = executors.emitted(program)
    inputs = [Given("X", "float", (5, 6))]
    for axis, wanted in (
        (0, Outcome({"Y": [()]}, {"r": 5})),
        (-1, Outcome({"Y": [()]}, {"r": 7})),
        (2, Outcome(None, None, "AttributeValueError", "Op-1: axis 2 out of range for rank 2")),
    ):
        assert executors.run(rules, inputs, {"axis": axis}) == wanted
        assert reference.run(source, inputs, {"axis": axis}, shared=SHARED) == wanted


# What stays of the text


COMMENTED = f'''{HEADER}
def twice(n: int) -> int:
    """Two times.

    A second paragraph, with a \\\\ and "quotes"."""
    # Above the return.
    return n * 2


def rules(X: Tensor) -> None:
    """The \\"rule\\""""
    # Above an if.
    if X.rank > 1:
        # Above an
        # output.
        output(Y=[twice(X.rank)])
    else:
        # Within else.
        output(Y=[])
'''


def test_comments_and_docstrings_are_kept() -> None:
    text = executors.emitted_text(executors.program(COMMENTED))
    comments = re.findall(r"#.*", text)
    assert comments == [
        "# Above the return.",
        "# Above an if.",
        "# Above an",
        "# output.",
        "# Within else.",
    ]
    functions = {n.name: n for n in ast.parse(text).body if isinstance(n, ast.FunctionDef)}
    assert ast.get_docstring(functions["rules"]) == 'The "rule"'
    wanted = 'Two times.\n\nA second paragraph, with a \\ and "quotes".'
    assert ast.get_docstring(functions["twice"]) == wanted


DOCSTRINGS = {
    "empty": ('""', ""),
    "blank": ('"  "', ""),
    "a quote at the end": ("'say \"x\"'", 'say "x"'),
    "quotes only": ('\'"""\'', '"""'),
    "a backslash at the end": (r"'x\\'", "x\\"),
    "NUL": (r"'a\0b'", "a b"),
    "line separators": (r"'a\u2028b\x0cc\rd'", "a b c d"),
    "a lone surrogate": (r"'a\ud800b'", "a?b"),
    "beyond ASCII": ("'é€'", "é€"),
    "an escape": (r"'\\x00 \\N{BULLET}'", r"\x00 \N{BULLET}"),
}


@pytest.mark.parametrize("name", DOCSTRINGS)
def test_docstrings_cannot_break_out(name: str) -> None:
    written, wanted = DOCSTRINGS[name]
    emitted = emit_python(executors.program(rule(f"{written}\n    n = 1\n    plan(n=n)"))).body
    emitted.encode()
    function = ast.parse(emitted).body[-1]
    assert isinstance(function, ast.FunctionDef)
    assert (ast.get_docstring(function) or "") == wanted


def test_what_is_emitted_is_what_one_would_write() -> None:
    source = f'''{HEADER}
def rules(X: Tensor, B: Tensor | None, *, axis: int, mode: str) -> None:
    """Says the shape."""
    require(X.rank >= 1, f"X must have rank >= 1, got {{X.rank}}")
    require(-X.rank <= axis < X.rank, f"axis {{axis}} is out of range of {{X.shape}}")
    require_attribute(mode in ("a", "b") and B is not None, f"mode '{{mode}}' is unknown")
    total = 0
    for i in range(X.rank):
        total += X.shape[i]
    if total > 9 and keep:
        total = total // 2
    output(Y=[total, 1] + X.shape[1:2])
'''
    assert (
        emit_python(executors.program(source, {"keep": True})).body
        == '''\
def rules(op: str, X: Tensor, B: Tensor | None, *, axis: int, mode: str) -> Derived:
    """Says the shape."""
    derived = Derived()
    if X.rank < 1:
        raise ShapeError(op, f"X must have rank >= 1, got {X.rank}")
    if not (-X.rank <= axis < X.rank):
        raise ShapeError(op, f"axis {axis} is out of range of {listed(X.shape)}")
    if mode not in ("a", "b") or B is None:
        raise AttributeValueError(op, f"mode '{quoted(mode)}' is unknown")
    total = 0
    for i in range(X.rank):
        total = int64(total + X.shape[i])
    if total > 9:
        total = total // 2
    derived.output("Y", [total, 1, *X.shape[1:2]])
    return derived
'''
    )
