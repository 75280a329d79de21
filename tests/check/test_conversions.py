"""Steps between two versions of an operator that need an entry in ``conversions.yaml``."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from opmill._convert.step import LEGACY as LEGACY_OF_PACKAGE
from opmill_gen.check.conversions import LEGACY, unsettled
from opmill_gen.spec.operator_version import AttributeKind, Option


def version(number: int, inputs: str = "X", attributes: str = "") -> Any:
    """A version: inputs as ``X`` or ``X?``; attributes as ``axis:INT``, required with a ``!``."""
    options = {"?": Option.OPTIONAL}
    return SimpleNamespace(
        since_version=number,
        label=f"Blend-{number}",
        inputs=[
            SimpleNamespace(name=one.strip("?"), option=options.get(one[1:], Option.SINGLE))
            for one in inputs.split()
        ],
        outputs=[SimpleNamespace(name="Y", option=Option.SINGLE)],
        attributes=[
            SimpleNamespace(
                name=one.partition(":")[0],
                kind=AttributeKind(one.partition(":")[2].strip("!")),
                required=one.endswith("!"),
            )
            for one in attributes.split()
        ],
    )


@pytest.mark.parametrize(
    ("older", "newer", "up", "down"),
    [
        (version(1), version(2), None, None),
        (version(1), version(2, "X B?"), None, None),
        (
            version(1),
            version(2, "X B"),
            "Blend-2 requires input B",
            "Blend-1 has no input B",
        ),
        (version(1), version(2, attributes="mode:STRING"), None, None),
        (
            version(1),
            version(2, attributes="mode:STRING!"),
            "Blend-2 requires attribute mode",
            "Blend-1 has no attribute mode",
        ),
        (version(1, attributes="axis:INT"), version(2), "Blend-2 has no attribute axis", None),
        (version(1, attributes="consumed_inputs:INTS"), version(2), None, None),
        (
            version(1, attributes="p:FLOAT"),
            version(2, attributes="p:INT"),
            "attribute p is INT in Blend-2",
            "attribute p is FLOAT in Blend-1",
        ),
    ],
)
def test_unsettled(older: Any, newer: Any, up: str | None, down: str | None):
    assert unsettled(older, newer) == up
    assert unsettled(newer, older) == down


def test_package_drops_the_same_attributes():
    assert LEGACY == LEGACY_OF_PACKAGE
