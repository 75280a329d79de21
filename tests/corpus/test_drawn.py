"""Drawn calls in the corpus: NumPy's backend agrees with them, and every family has some."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import opmill
from checked_tree import checked_tree
from opmill._runtime.versions import MODULES
from opmill_checks.compare import assert_matches
from opmill_checks.drawing import Chance, choice, happens, integer, permutation, several
from opmill_checks.value import TYPES, Value, array_of_bits
from opmill_gen.emit.corpus import drawn
from opmill_gen.emit.corpus.oracles import Oracles

ROOT = Path(__file__).parents[2]
LARGE = [18740250, 172581297151601616]
OPERATORS = ("ConvTranspose", "Gather", "Pad", "Softmax", "Split", "Tile")


def cases_of(operator: str) -> list[tuple[Any, list[drawn.DrawnCase]]]:
    found = [one for one in checked_tree().versions if one.spec.operator == operator]
    versions = [one for one in found if one.spec.domain == "ai.onnx"]
    return list(zip(versions, drawn.drawn_cases(versions, Oracles()), strict=True))


def arrays(given: dict[str, Any]) -> list[Any]:
    values = []
    for one in given.values():
        values += one if isinstance(one, list) else [one]
    return [one and one.to_array() for one in values]


def argument(value: Any) -> Any:
    return value.to_array() if isinstance(value, Value) else value


@pytest.mark.parametrize("operator", OPERATORS)
def test_numpy_computes_the_same(operator: str) -> None:
    """The kernels in NumPy, which the C tests do not run, judge the oracle and the drawing."""
    for version, cases in cases_of(operator):
        spec = version.spec
        module = MODULES[spec.domain, spec.operator, spec.since_version]
        compute = importlib.import_module(module).OPERATOR
        tolerances = {
            element.value: (float(one.rtol), float(one.atol))
            for element, one in spec.accuracy.tolerances.items()
        }
        assert sum(case.raises is None for case in cases) >= drawn.LEGAL // 2
        assert sum(case.raises is not None for case in cases) >= drawn.INVALID // 2
        for case in cases:
            inputs = arrays(dict(case.inputs))
            attributes = {name: argument(value) for name, value in case.attributes.items()}
            expected = [
                value
                for one in case.outputs.values()
                for value in (one if isinstance(one, list) else [one])
            ]
            with opmill.use_backend("numpy"):
                if case.raises is not None:
                    with pytest.raises(getattr(opmill, case.raises)):
                        compute(inputs, attributes, outputs=case.requested)
                    continue
                results = compute(inputs, attributes, outputs=len(expected))
            for value, result in zip(expected, results, strict=True):
                assert_matches(value, result, tolerances.get(value.type), what=case.name)


def test_versions_share_the_calls_of_one_instance() -> None:
    (_, first), (_, second), (_, third) = cases_of("Tile")
    assert [case.name.split(" ")[-2] for case in third] == ["Tile-13"] * len(third)
    assert {id(case) for case in second} <= {id(case) for case in third}
    assert all("Tile-1 " in case.name for case in first)
    types = {case.inputs["input"].type for case in third}
    assert len(types) > 4
    assert "bfloat16" not in {case.inputs["input"].type for case in second}


def test_half_of_the_calls_reach_the_ends_of_vectors() -> None:
    """The widest vector has 64 bytes."""
    for operator in ("Relu", "Add", "Softmax"):
        version, cases = cases_of(operator)[-1]
        sizes = [
            len(value.items) * TYPES[value.type].width // 8
            for case in cases
            if case.raises is None
            for value in case.outputs.values()
        ]
        assert sum(size > 128 and size % 64 != 0 for size in sizes) >= len(sizes) // 4, version
        assert max(sizes) <= 16 * drawn.MAX_ELEMENTS


def test_what_is_drawn_follows_from_the_seed_alone() -> None:
    """The values are those of every release of Python and of Hypothesis: a corpus has them."""
    draw = Chance("seed")
    assert [integer(draw, -5, 5) for _ in range(6)] == [-4, -3, 4, -2, -5, 5]
    assert [integer(draw, 0, 2**62) for _ in range(2)] == LARGE
    assert permutation(draw, "abcde") == ["d", "c", "b", "e", "a"]
    assert several(draw, 0, 9, 4) == [5]
    assert (choice(draw, "abc"), happens(draw, 50)) == ("a", False)
    lengths = [integer(draw, 1, 140) for _ in range(400)]
    assert {7, 9, 15, 16, 17, 31, 33, 47, 63, 65, 127, 129} <= set(lengths) <= set(range(1, 141))
    assert 0.4 < sum(happens(draw, 50) for _ in range(400)) / 400 < 0.6
    with pytest.raises(TypeError, match="expected the functions of opmill_checks"):
        draw(SimpleNamespace())  # type: ignore[arg-type]


def test_bits_of_a_bool_are_written() -> None:
    from opmill_gen.emit.corpus.values import tensor_text

    odd = Value.from_array(array_of_bits("bool", [0, 1, 0x46]))
    assert tensor_text(odd) == "bool [3] bits 0 1 46"
    assert tensor_text(Value("bool", (2,), (True, False))) == "bool [2] 1 0"


def test_the_reader_counts_drawn_cases(corpus: Path) -> None:
    spec = importlib.util.spec_from_file_location(
        "corpus_reader_of_drawn", ROOT / "examples" / "corpus" / "corpus.py"
    )
    assert spec is not None
    assert spec.loader is not None
    reader = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = reader
    spec.loader.exec_module(reader)
    tile = reader.read(corpus / "ai.onnx" / "Tile.txt")
    cases = [one for one in tile.cases if one.origin == "drawn"]
    assert len(cases) >= drawn.LEGAL + drawn.INVALID
    refused = [one for one in cases if one.kind == "reject"]
    assert {one.raises for one in refused} == {("ShapeError", "")}
    names = {one.name for one in tile.errata}
    assert all(set(one.rests_on) == names for one in cases)


def test_no_nan_is_signalling() -> None:
    """Cases are read on processors that cannot move such a float without changing it."""
    signalling = array_of_bits("float", [0x7F800001, 0xFFBFFFFF, 0x7FC00000, 0x7F800000, 5])
    bits = drawn._quiet(signalling).view(np.uint32)
    assert bits.tolist() == [0x7FC00001, 0xFFFFFFFF, 0x7FC00000, 0x7F800000, 5]
    double = array_of_bits("double", [0x7FF0000000000001])
    assert drawn._quiet(double).view(np.uint64).tolist() == [0x7FF8000000000001]
