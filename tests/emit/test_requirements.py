"""Conditions of rules as sentences: no names of the rule's own, no code where words say it."""

from __future__ import annotations

import re

import pytest

from checked_tree import checked_tree
from opmill_gen.check.rule_signature import rule_name
from opmill_gen.emit.docs.requirements import grouped, requirement, requirements_of
from opmill_gen.emit.docs.rule_checks import Condition
from opmill_gen.spec.operator_version import Attribute, Parameter

NAMES = ("X", "W", "split", "outputs", "strides", "axes", "mode", "past")


def condition(message: str, *where: str) -> Condition:
    return Condition(where, "x > 0", "ShapeError", message)


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        ("W has rank {W.rank}, expected {X.rank} (the rank of X)",
         "The rank of `W` must be the rank of `X`."),
        ("strides[{i}] is {strides[i]}, expected at least 1", "`strides[i]` must be at least 1."),
        ("strides has {len(strides)} values, expected {X.rank - 2}",
         "The number of values in `strides` must be `X.rank - 2`."),
        ("strides has {len(strides)} values, expected {n}",
         "The number of values in `strides` must fit the other arguments."),
        ("W.shape is {W.shape}, expected {w} (directions, {4 * X.shape[1]})",
         "`W.shape` must be (directions, `4 * X.shape[1]`)."),
        ("axes duplicates axis {a}, expected each axis once", "`axes` must list each axis once."),
        ("mode is '{mode}', expected 'a' or 'b'", "`mode` must be 'a' or 'b'."),
        ("axes[{i}] is {axes[i]}, expected {-X.rank} to {X.rank - 1}",
         "`axes[i]` must be from `-X.rank` to `X.rank - 1`."),
        ("output size is {o} on axis {2 + i}, expected at least 1",
         "The output size on axis `2 + i` must be at least 1."),
        ("split has {len(split)} values, expected {outputs} (the number of outputs)",
         "The number of values in `split` must be the number of outputs."),
        ("input 'past' is absent, expected a value beside X",
         "`past` must be present beside `X`."),
        ("split and axes are absent, expected one of them",
         "An error if `split` and `axes` are absent; expected: one of them."),
        ("X.shape[{along}] is {s}, expected 1 (mode is '{mode}')",
         "`X.shape[…]` must be 1 (depending on `mode`)."),
    ],
)  # fmt: skip
def test_a_message_becomes_a_sentence(message: str, sentence: str):
    assert requirement(condition(message), NAMES) == sentence


@pytest.mark.parametrize(
    ("where", "occasion"),
    [
        (("if W is not None",), "With `W`, `X` must be 1."),
        (("unless W is not None",), "Without `W`, `X` must be 1."),
        (("if X is not None",), "`X` must be 1."),
        (("for each `i in range(n)`", "if mode == 'a'"), "If `mode == 'a'`, `X` must be 1."),
        (("if open == -1", "if mode == 'a'"), "In some calls, `X` must be 1."),
        (("unless len(named) == 0",), "`X` must be 1."),
    ],
)
def test_it_says_when_a_condition_applies(where: tuple[str, ...], occasion: str):
    assert requirement(condition("X is {X}, expected 1", *where), NAMES) == occasion


def test_sentences_are_grouped_in_the_order_of_the_signature():
    checks = [
        condition("output size is {o}, expected at least 1"),
        condition("W has rank {W.rank}, expected 2"),
        condition("X has rank {X.rank}, expected 2"),
        condition("X.shape[0] is {X.shape[0]}, expected at least 1"),
        condition("X has rank {X.rank}, expected 2"),
    ]
    assert [(part.subject, len(part.sentences)) for part in grouped(checks, NAMES)] == [
        ("X", 2),
        ("W", 1),
        ("", 1),
    ]


def test_no_page_shows_a_name_that_only_the_rule_has():
    known = {"len", "min", "max", "range", "rank", "shape", "size", "type", "if", "else", "not"}
    known |= {"is", "in", "or", "and", "None", *"ijkp"}
    sentences = 0
    for version in checked_tree().versions:
        spec = version.spec
        parts: list[Parameter | Attribute] = [*spec.inputs, *spec.attributes, *spec.outputs]
        names = known | {rule_name(spec, part) for part in parts}
        for required in requirements_of(version):
            for sentence in required.sentences:
                sentences += 1
                assert not set("{}") & set(sentence), (spec.label, sentence)
                for code in re.findall(r"`([^`]*)`", sentence):
                    plain = re.sub(r"'[^']*'", "", code)
                    used = set(re.findall(r"(?<![\w.])[A-Za-z_]\w*", plain))
                    assert used <= names, (spec.label, sentence)
    assert sentences > 2500
