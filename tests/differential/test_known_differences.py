"""Each known difference is still one: the example is answered as the file says, not as here."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import opmill
from differential.ending import Ending
from differential.judges import assert_described
from differential.known import FILE, OPEN, Difference, known, operator_of
from differential.runtimes import (
    OnnxRuntime,
    RefusedByRuntime,
    Runtime,
    answer,
    feeds,
    model_of,
    runtimes,
    torch_is_there,
)
from differential.versions import Version, versions
from opmill.conformance._drawn import Drawn
from opmill_checks.compare import differing, mismatch
from opmill_checks.value import Value

RELEASES, KNOWN = known()
RUNTIMES = {runtime.name: runtime for runtime in runtimes(torch=torch_is_there())}
VERSIONS = {version.key: version for version in versions()}
CASES: dict[str, list[tuple[Difference, Version]]] = {}
"""The entries with each of their versions, by the operator."""
for known_difference in KNOWN.entries:
    for label in known_difference.versions:
        if known_difference.runtime in RUNTIMES:
            own = CASES.setdefault(operator_of(label), [])
            own.append((known_difference, VERSIONS[label]))


@pytest.mark.parametrize("name", RUNTIMES)
def test_release(name: str) -> None:
    assert RUNTIMES[name].version == RELEASES[name], (
        f"{FILE} speaks of {name} {RELEASES[name]}: install that, or look at every entry again"
    )


@pytest.fixture(scope="module")
def ending() -> Iterator[Ending]:
    """The program that runs calls which may end its process."""
    with Ending() as program:
        yield program


@pytest.mark.parametrize(
    "operator", [pytest.param(name, marks=pytest.mark.operators(name)) for name in CASES]
)
def test_differences(operator: str, ending: Ending, subtests: pytest.Subtests) -> None:
    for entry, version in CASES[operator]:
        with subtests.test(entry=entry.name, version=version.key):
            assert_is_one(entry, version, ending)


def assert_is_one(entry: Difference, version: Version, ending: Ending) -> None:
    """The condition of an entry holds for its example, which is answered as the entry says."""
    drawn = entry.drawn(version)
    wanted = None
    if entry.legal:
        results = version.operator(drawn.inputs, drawn.attributes, outputs=drawn.outputs)
        wanted = [Value.from_array(result) for result in results]
    else:
        with pytest.raises(opmill.OpError):
            version.operator(drawn.inputs, drawn.attributes, outputs=drawn.outputs)
    found = KNOWN.find(entry.runtime, version, drawn, wanted)
    assert entry in found, "the condition does not hold"
    if "ends" in entry.answers:
        assert entry.runtime == OnnxRuntime.name
        code = ending.code_of(model_of(version, drawn).SerializeToString(), feeds(drawn))
        assert code < 0, f"onnxruntime survives, or ends otherwise ({code}): take it from {FILE}"
        return
    assert_answers(RUNTIMES[entry.runtime], entry, version, wanted)


LAST_BITS = (2.0**-22, 0.0)
"""The relative and absolute tolerance of wrong floats: math libraries of machines differ."""


def assert_answers(
    runtime: Runtime, entry: Difference, version: Version, wanted: list[Value] | None
) -> None:
    """The runtime answers as the entry says, which is not what is wanted."""
    gone = f"{runtime.name} {runtime.version}: '{entry.name}' of {version.label} is not so any more"
    computed = entry.computed(version)
    results = answer(runtime, version, entry.drawn(version))
    if isinstance(results, RefusedByRuntime):
        assert "refuses" in entry.answers, f"{gone}; it refuses: {results}"
        assert entry.answers["refuses"] in str(results), f"{gone}; it says: {results}"
        assert wanted is not None, f"{entry.name}: an illegal call is refused rightly"
        return
    assert "computes" in entry.answers, f"{gone}; it computes {results}; take it from {FILE}"
    for k, (value, result) in enumerate(zip(computed or (), results, strict=computed is not None)):
        is_wrong = wanted is not None and mismatch(wanted[k], result, None) is not None
        accuracy = LAST_BITS if is_wrong and value.type == "float" else None
        assert mismatch(value, result, accuracy) is None, f"{gone}; it computes {result}"
    if entry.is_random and wanted is not None:
        assert_described(wanted, results, what=runtime.name)
    if entry.where is not None:
        assert wanted is not None
        different = differing(wanted[0], results[0], None)
        positions = entry.positions(version, entry.drawn(version), wanted)
        assert set(different) == positions, (
            f"{entry.name}: elements {different} differ, not {positions}"
        )
        assert len(positions) < len(wanted[0].items), (
            f"{entry.name}: no element shows what it is not"
        )
    elif wanted is not None and entry.answers["computes"] not in OPEN:
        pairs = zip(wanted, results, strict=True)
        differences = [mismatch(v, r, version.accuracy.get(v.type)) for v, r in pairs]
        assert any(differences), f"{gone}: it is right"


def test_a_call_that_is_computed_or_refused_ends_no_process() -> None:
    """The judge of the calls that do is able to fail."""
    version = VERSIONS["Add-14"]
    model = model_of(version, Drawn([np.ones(2, np.float32)] * 2, {})).SerializeToString()
    with Ending() as program:
        assert program.code_of(model, {f"in{k}": np.ones(2, np.float32) for k in (0, 1)}) == 0
        assert program.code_of(model, {"in0": np.ones(2, np.float32)}) == 0
        assert program.code_of(b"no model", {}) == 0


def test_the_names_of_an_operator_differ() -> None:
    names = [(e.runtime, e.name, label) for e in KNOWN.entries for label in e.versions]
    assert len(names) == len(set(names))
