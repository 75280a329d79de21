"""A rule held against the specs that use its family."""

from __future__ import annotations

import pytest

import rules_executors as executors
import rules_reference as reference
from opmill_gen.base.diagnostics import Location
from opmill_gen.rule_language import (
    FormalAttribute,
    FormalInput,
    Signature,
    check_signature,
    parse_rules,
)
from rules_executors import HEADER
from rules_values import Given

PROGRAM = executors.program(
    f"""{HEADER}
def rules(X: Tensor, B: Tensor | None, rest: Tensors, *, axis: int, alpha: float, mode: str,
          pads: Ints | None, scales: Floats | None, words: Strs | None, value: Opaque | None,
          outputs: OutputCount) -> None:
    output(Y=[])
    output(Z=[])
"""
)
PLACE = Location("spec.yaml", 1, 1)
INPUTS = (("X", "single"), ("B", "optional"), ("rest", "variadic"))
ATTRIBUTES = (
    ("axis", "INT", True),
    ("alpha", "FLOAT", True),
    ("mode", "STRING", True),
    ("pads", "INTS", False),
    ("scales", "FLOATS", False),
    ("words", "STRINGS", False),
    ("value", "TENSOR", False),
)
RULE = "the rule in rules.py"


def found(
    inputs: tuple[tuple[str, str], ...] = INPUTS,
    attributes: tuple[tuple[str, str, bool], ...] = ATTRIBUTES,
    outputs: tuple[str, ...] = ("Y", "Z"),
    variadic: frozenset[str] = frozenset(),
) -> list[str]:
    """The mismatches, as they are printed; inputs stand in lines 11 on, attributes in 21 on."""
    signature = Signature(
        PLACE,
        tuple(
            FormalInput(Location("spec.yaml", 11 + place, 3), *formal)
            for place, formal in enumerate(inputs)
        ),
        tuple(
            FormalAttribute(Location("spec.yaml", 21 + place, 3), *formal)
            for place, formal in enumerate(attributes)
        ),
        outputs,
        variadic,
    )
    return [str(fault) for fault in check_signature(PROGRAM, signature)]


def with_input(place: int, *formal: str) -> tuple[tuple[str, str], ...]:
    return (*INPUTS[:place], formal, *INPUTS[place + 1 :])  # type: ignore[return-value]


def with_attribute(place: int, kind: str, certain: bool) -> tuple[tuple[str, str, bool], ...]:
    name = ATTRIBUTES[place][0]
    return (*ATTRIBUTES[:place], (name, kind, certain), *ATTRIBUTES[place + 1 :])


def test_what_fits() -> None:
    assert found() == []
    assert found(outputs=("Z", "Y")) == []


@pytest.mark.parametrize("kind", ["TENSOR", "GRAPH", "SPARSE_TENSOR", "TYPE_PROTO", "TENSORS"])
def test_opaque_is_what_rules_do_not_look_into(kind: str) -> None:
    assert found(attributes=with_attribute(6, kind, False)) == []


@pytest.mark.parametrize(
    ("inputs", "names"),
    [
        (INPUTS[:2], "X, B"),
        ((*INPUTS, ("more", "single")), "X, B, rest, more"),
        ((INPUTS[1], INPUTS[0], INPUTS[2]), "B, X, rest"),
        (with_input(0, "x", "single"), "x, B, rest"),
        ((), ""),
    ],
)
def test_other_inputs(inputs: tuple[tuple[str, str], ...], names: str) -> None:
    wanted = f"spec.yaml:1:1: {RULE} takes the inputs (X, B, rest), this version has ({names})"
    assert found(inputs=inputs) == [wanted]


@pytest.mark.parametrize(
    ("place", "name", "stated", "taken"),
    [
        (0, "X", "optional", "single"),
        (0, "X", "variadic", "single"),
        (1, "B", "variadic", "optional"),
        (2, "rest", "single", "variadic"),
        (2, "rest", "optional", "variadic"),
    ],
)
def test_options_of_inputs(place: int, name: str, stated: str, taken: str) -> None:
    assert found(inputs=with_input(place, name, stated)) == [
        f"spec.yaml:{11 + place}:3: '{name}' is {stated} here and {taken} in {RULE}"
    ]


def test_an_input_may_always_be_given_that_the_rule_allows_to_be_absent() -> None:
    assert found(inputs=with_input(1, "B", "single")) == []


@pytest.mark.parametrize(
    ("place", "name", "stated", "word", "taken"),
    [
        (0, "axis", "FLOAT", "float", "int"),
        (0, "axis", "TENSOR", "Tensor", "int"),
        (1, "alpha", "INTS", "Ints", "float"),
        (2, "mode", "STRINGS", "Strs", "str"),
        (3, "pads", "FLOATS", "Floats", "Ints"),
        (4, "scales", "INTS", "Ints", "Floats"),
        (5, "words", "STRING", "str", "Strs"),
    ],
)
def test_kinds_of_attributes(place: int, name: str, stated: str, word: str, taken: str) -> None:
    certain = ATTRIBUTES[place][2]
    assert found(attributes=with_attribute(place, stated, certain)) == [
        f"spec.yaml:{21 + place}:3: '{name}' is {stated}; annotate it as {word} in {RULE}, "
        f"not as {taken}"
    ]


def test_an_integer_may_be_taken_as_a_float() -> None:
    assert found(attributes=with_attribute(1, "INT", True)) == []


def test_attributes_that_may_be_absent() -> None:
    assert found(attributes=with_attribute(0, "INT", False)) == [
        f"spec.yaml:21:3: 'axis' may be absent; annotate it with '| None' in {RULE}"
    ]
    # A rule serves several versions: what one of them lacks may be there always in another.
    assert found(attributes=with_attribute(3, "INTS", True)) == []


def test_an_attribute_that_the_rule_lacks() -> None:
    assert found(attributes=(*ATTRIBUTES, ("padding", "INTS", False))) == [
        f"spec.yaml:28:3: {RULE} has no keyword 'padding'; expected axis, alpha, mode, pads, "
        "scales, words or value"
    ]
    assert found(attributes=(*ATTRIBUTES, ("scale", "INTS", False))) == [
        f"spec.yaml:28:3: {RULE} has no keyword 'scale'; did you mean 'scales'?"
    ]


def test_an_attribute_that_the_version_lacks() -> None:
    assert found(attributes=ATTRIBUTES[1:]) == [
        f"spec.yaml:1:1: {RULE} takes the attribute 'axis', which this version lacks"
    ]


def test_a_version_may_lack_an_attribute_that_has_a_default() -> None:
    rule = "def rules(X: Tensor, *, axis: int = -1, mode: str) -> None:\n    output(Y=X.shape)\n"
    program = parse_rules("rules.py", HEADER + rule, {}, {})
    inputs = (FormalInput(PLACE, "X", "single"),)
    mode = FormalAttribute(PLACE, "mode", "STRING", True)
    axis = FormalAttribute(PLACE, "axis", "INT", True)
    for attributes in ((mode,), (axis, mode)):
        signature = Signature(PLACE, inputs, attributes, ("Y",), frozenset())
        assert check_signature(program, signature) == []
    without = check_signature(program, Signature(PLACE, inputs, (axis,), ("Y",), frozenset()))
    assert ["takes the attribute 'mode', which this version lacks" in str(f) for f in without] == [
        True
    ]


SKIPS = f"""{HEADER}
def use(bias: Tensor | None, n: int) -> int:
    return n if bias is None else bias.rank

def rules(X: Tensor, beta: Tensor | None = None, bias: Tensor | None = None) -> None:
    require(beta is None or beta.rank == 1, "beta")
    if beta is not None and bias is not None:
        require(beta.rank == bias.rank, "ranks")
    if beta is None:
        output(Y=X.shape)
    else:
        output(Y=beta.shape)
    plan(n=use(beta, 3), has_bias=bias is not None)
"""


def test_a_version_may_lack_an_input_that_has_a_default() -> None:
    for lacking, names in (((), "X beta bias"), (("beta",), "X bias"), (("beta", "bias"), "X")):
        program = parse_rules("rules.py", SKIPS, {}, {}, lacking)
        options = {"X": "single", "beta": "optional", "bias": "single"}
        inputs = tuple(FormalInput(PLACE, name, options[name]) for name in names.split())
        signature = Signature(PLACE, inputs, (), ("Y",), frozenset())
        assert check_signature(program, signature) == []


def test_what_a_version_lacks_is_no_part_of_its_rule() -> None:
    x, beta = Given("X", "float", (2, 3)), Given("beta", "float", (4,))
    lacking = ("beta", "bias")
    bare = parse_rules("rules.py", SKIPS, {}, {}, lacking)
    text = executors.emitted_text(bare)
    assert "beta is" not in text
    assert "if bias" not in text.partition("def rules")[2]
    assert "use(op, None, 3)" in text
    done = executors.run(executors.emitted(bare), [x], {})
    assert done == reference.run(SKIPS, [x], {}, lacking=lacking)
    whole = parse_rules("rules.py", SKIPS, {}, {})
    both = executors.run(executors.emitted(whole), [x, beta, None], {})
    assert both == reference.run(SKIPS, [x, beta, None], {})
    assert both.shapes == {"Y": [(4,)]}


def test_only_inputs_with_a_default_can_be_lacking() -> None:
    program = parse_rules("rules.py", SKIPS, {}, {}, ("X",))
    assert [parameter.name for parameter in program.parameters] == ["X", "beta", "bias"]


def test_a_version_may_lack_the_last_outputs() -> None:
    assert found(outputs=("Y",)) == []


@pytest.mark.parametrize("outputs", [("Z",), ("Y", "Z", "W"), ("Y", "W"), ()])
def test_other_outputs(outputs: tuple[str, ...]) -> None:
    names = ", ".join(sorted(outputs))
    assert found(outputs=outputs) == [
        f"spec.yaml:1:1: {RULE} gives the outputs (Y, Z), this version has ({names})"
    ]


def test_every_mismatch_at_once() -> None:
    assert len(found(INPUTS[:1], ATTRIBUTES[2:], ("Z",))) == 4


TWICE = "may give the output 'Y' more than once, and here it is not variadic; give it once on every"


@pytest.mark.parametrize(
    ("body", "times"),
    [
        ("output(Y=X.shape)", 1),
        ("output(Y=X.shape)\noutput(Y=[X.size])", 2),
        ("if X.rank == 1:\n    output(Y=[])\nelse:\n    output(Y=X.shape)", 1),
        ("if X.rank == 1:\n    output(Y=[])\n    output(Y=[])\nelse:\n    output(Y=X.shape)", 2),
        ("output(Y=[])\nif X.rank == 1:\n    output(Y=[])", 2),
        ("bound(Y=[X.size])\nbound(Y=[X.size])", 2),
        ("output(Y=[])\nfor i in range(X.rank):\n    output(Y=[X.shape[i]])", 2),
    ],
)
def test_only_a_variadic_output_is_given_again(body: str, times: int) -> None:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    program = parse_rules("rules.py", f"{HEADER}def rules(X: Tensor) -> None:\n{lines}", {}, {})
    inputs = (FormalInput(PLACE, "X", "single"),)
    single = check_signature(program, Signature(PLACE, inputs, (), ("Y",), frozenset()))
    assert [TWICE in str(fault) for fault in single] == [True] * (times - 1)
    variadic = Signature(PLACE, inputs, (), ("Y",), frozenset({"Y"}))
    assert check_signature(program, variadic) == []
