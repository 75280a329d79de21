"""Each known difference is still one: the example is answered as the file says, not as here."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys

import pytest

import opmill
from differential.judges import assert_described
from differential.known import FILE, Difference, known
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
from opmill_checks.compare import differing, mismatch
from opmill_checks.value import Value

RELEASES, KNOWN = known()
RUNTIMES = {runtime.name: runtime for runtime in runtimes(torch=torch_is_there())}
VERSIONS = {version.label: version for version in versions()}
CASES = [
    (entry, VERSIONS[label])
    for entry in KNOWN.entries
    for label in entry.versions
    if entry.runtime in RUNTIMES
]


@pytest.mark.parametrize("name", RUNTIMES)
def test_release(name: str) -> None:
    assert RUNTIMES[name].version == RELEASES[name], (
        f"{FILE} speaks of {name} {RELEASES[name]}: install that, or look at every entry again"
    )


@pytest.mark.parametrize(
    ("entry", "version"), CASES, ids=lambda one: getattr(one, "name", None) or str(one)
)
def test_difference(entry: Difference, version: Version) -> None:
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
        assert_ends_the_process(entry, version)
        return
    assert_answers(RUNTIMES[entry.runtime], entry, version, wanted)


def assert_ends_the_process(entry: Difference, version: Version) -> None:
    """onnxruntime computes the call in a process of its own, which does not survive it."""
    assert entry.runtime == OnnxRuntime.name
    drawn = entry.drawn(version)
    call = pickle.dumps((model_of(version, drawn).SerializeToString(), feeds(drawn)))
    program = (
        "import pickle, sys\n"
        "from differential.runtimes import OnnxRuntime, RefusedByRuntime\n"
        "model, given = pickle.load(sys.stdin.buffer)\n"
        "runtime = OnnxRuntime()\n"
        "print('asked', flush=True)\n"
        "try:\n"
        "    runtime.compute(model, given)\n"
        "except RefusedByRuntime:\n"
        "    pass\n"
        "print('answered', flush=True)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        input=call,
        capture_output=True,
        check=False,
    )
    assert ended.stdout.split() == [b"asked"], f"it survives: take it from {FILE}; {ended}"
    assert ended.returncode < 0, f"it ends otherwise: {ended}"


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
    for value, result in zip(computed or (), results, strict=computed is not None):
        assert mismatch(value, result, None) is None, f"{gone}; it computes {result}"
    if entry.is_random and wanted is not None:
        assert_described(wanted, results, what=runtime.name)
    if entry.where is not None:
        assert wanted is not None
        different = differing(wanted[0], results[0], None)
        places = entry.places(version, entry.drawn(version), wanted)
        assert set(different) == places, f"{entry.name}: elements {different} differ, not {places}"
        assert len(places) < len(wanted[0].items), f"{entry.name}: no element shows what it is not"
    elif wanted is not None:
        pairs = zip(wanted, results, strict=True)
        differences = [mismatch(v, r, version.accuracy.get(v.type)) for v, r in pairs]
        assert any(differences), f"{gone}: it is right"


def test_the_names_of_an_operator_differ() -> None:
    names = [(e.runtime, e.name, label) for e in KNOWN.entries for label in e.versions]
    assert len(names) == len(set(names))
