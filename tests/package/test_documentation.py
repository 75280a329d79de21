"""``SCHEMA.documentation``: what the specs say in words, beside what they say in facts."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

import opmill
from checked_tree import checked_tree

ROOT = Path(__file__).parents[2]
MAX_POOL = opmill.operator("MaxPool", 22).schema


@pytest.mark.each_version
@pytest.mark.parametrize("version", checked_tree().versions, ids=lambda one: one.spec.label)
def test_every_text_of_a_spec_is_there(version) -> None:
    spec = version.spec
    schema = opmill.operator(spec.operator, spec.since_version, spec.domain).schema
    found = schema.documentation
    texts = {"summary": found.summary}
    for title in ("inputs", "outputs", "attributes", "type_constraints"):
        texts.update({f"{title}.{name}": text for name, text in getattr(found, title).items()})
    assert texts == {key: text.strip() for key, text in spec.prose().items()}
    assert found.changes == tuple(change.what.strip() for change in spec.changes)
    assert [(e.name, e.kind, e.text, e.decision, e.evidence) for e in found.errata] == [
        (e.name or "", e.kind.value, e.text.strip(), e.decision.strip(), e.evidence.strip())
        for e in spec.errata
    ]
    unused = [name for name, one in spec.type_constraints.items() if one.unused]
    assert schema.unused_types == tuple(unused)
    for attribute, stated in zip(schema.attributes, spec.attributes, strict=True):
        assert attribute.allowed == stated.allowed


def test_words_of_a_file() -> None:
    """As the file of the specification has them, read without the generator."""
    stated = yaml.safe_load((ROOT / "specs/ai.onnx/MaxPool/22.yaml").read_text(encoding="utf-8"))
    found = MAX_POOL.documentation
    assert found.summary == stated["summary"].strip()
    for part in stated["attributes"]:
        assert found.attributes[part["name"]] == part["description"].strip()
    assert found is MAX_POOL.documentation


def test_a_text_that_changed_is_that_of_the_version() -> None:
    old, new = (opmill.operator("Tile", number).schema.documentation for number in (1, 13))
    assert old.inputs["input"] != new.inputs["input"]
    assert old.inputs.keys() == {"input", "tiles", "axis"}
    assert new.inputs.keys() == {"input", "repeats"}
    assert not old.changes
    assert opmill.operator("Tile", 6).schema.documentation.changes


def test_a_type_variable_that_nothing_uses() -> None:
    assert opmill.operator("Tile", 1).schema.unused_types == ("T1",)
    assert opmill.operator("Tile", 13).schema.unused_types == ()


def test_a_schema_of_no_version() -> None:
    schema = replace(MAX_POOL, name="Nothing")
    with pytest.raises(LookupError, match=r"^Nothing-22 of ai\.onnx has no documentation$"):
        _ = schema.documentation


def test_nothing_is_read_before_it_is_asked_for() -> None:
    code = (
        "import sys, opmill; s = opmill.operator('MaxPool', 22).schema\n"
        "import json as standard\n"
        "before = 'opmill._runtime.documentation' in sys.modules\n"
        "s.documentation\n"
        "print(standard.dumps([before, 'opmill._runtime.documentation' in sys.modules]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert json.loads(done.stdout) == [False, True]
