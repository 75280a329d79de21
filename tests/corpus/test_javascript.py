"""The reader of the corpus in JavaScript: its values, and its models in onnxruntime."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnxruntime.capi import onnxruntime_pybind11_state as state

from opmill import conformance

ROOT = Path(__file__).parents[2]
READER = ROOT / "examples" / "corpus" / "corpus.mjs"
OPERATORS = ("Constant", "Relu", "StringConcat", "Tile")
SCRIPT = """
const { modelOf, read, Unsupported } = await import(process.argv[1]);
const [folder, operator] = process.argv.slice(2);
const sent = ({ name, value: { type, dims, data } }) => [
  name, type, dims,
  type === "string" ? data : Buffer.from(new Uint8Array(data.buffer)).toString("base64"),
];
const { versions, cases } = read(folder, "ai.onnx", operator);
for (const one of cases) for (const version of one.versions) {
  try {
    const { model, inputs, outputs } = modelOf(one, version);
    const ends = { model: Buffer.from(model).toString("base64"), inputs: inputs.map(sent) };
    const expected = one.kind === "example" ? outputs.map(sent) : [];
    const { kind, name, origin } = one;
    console.log(JSON.stringify({ kind, name, origin, version, ...ends, outputs: expected }));
  } catch (error) {
    if (!(error instanceof Unsupported)) throw error;
  }
}
"""
DTYPES = {"float": "float32", "double": "float64"}

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node")


def read(corpus: Path, operator: str) -> list[dict[str, Any]]:
    command = ["node", "--input-type=module", "--eval", SCRIPT, READER.as_uri(), corpus, operator]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def array(type_: str, dims: list[int], data: Any) -> Any:
    if type_ == "string":
        return np.array(data, object).reshape(dims)
    dtype = DTYPES.get(type_, type_)
    return np.frombuffer(base64.b64decode(data), dtype).reshape(dims)


def assert_same(found: Any, expected: Any) -> None:
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    np.testing.assert_array_equal(found, expected)
    if found.dtype.kind == "f":
        np.testing.assert_array_equal(np.signbit(found), np.signbit(expected))


@pytest.mark.parametrize("operator", OPERATORS)
def test_the_values_are_those_of_the_kit(corpus: Path, operator: str) -> None:
    kit = {
        (one.example, one.schema.since_version): one
        for one in conformance.cases([operator], rejects=False)
        if one.type is None
    }
    examples = [one for one in read(corpus, operator) if one["kind"] == "example"]
    found = [one for one in examples if one["origin"] != "drawn"]  # which the kit does not have
    seen = set()
    for one in found:
        key = (one["name"], one["version"])
        if key in seen:  # repeated in another type
            continue
        seen.add(key)
        inputs = [value for value in kit[key].input_arrays() if value is not None]
        outputs = [value for value in kit[key].expected_arrays() if value is not None]
        for sent, expected in (*zip(one["inputs"], inputs, strict=True),
                               *zip(one["outputs"], outputs, strict=True)):  # fmt: skip
            assert_same(array(*sent[1:]), expected)
    assert len(seen) > len(kit) // 2, "the others are of types that JavaScript has no array for"


@pytest.mark.parametrize(("operator", "version"), [
    ("Constant", 13), ("Relu", 14), ("StringConcat", 20), ("Tile", 13)
])  # fmt: skip
def test_onnxruntime_computes_the_models(corpus: Path, operator: str, version: int) -> None:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    right = 0
    for one in read(corpus, operator):
        if one["version"] != version or one["kind"] != "example":
            continue
        model = base64.b64decode(one["model"])
        onnx.checker.check_model(onnx.load_from_string(model))
        try:
            session = onnxruntime.InferenceSession(model, options)
            found = session.run(None, {name: array(*rest) for name, *rest in one["inputs"]})
        except (state.NotImplemented, state.InvalidArgument):
            continue  # a type or a size that this runtime does not compute
        for result, (_, *rest) in zip(found, one["outputs"], strict=True):
            assert_same(result, array(*rest))
        right += 1
    assert right > 5


@pytest.mark.slow
def test_the_runner_runs_on_onnxruntime_web(corpus: Path, tmp_path: Path) -> None:
    """The two lines of the README, with the package that ``.ci/run`` installs."""
    packages = Path(sys.prefix, "web", "node_modules")
    if not (packages / "onnxruntime-web").is_dir():
        pytest.skip("onnxruntime-web is not installed; 'make .venv/web.stamp' installs it")
    for path in READER.parent.glob("*.mjs"):
        shutil.copy2(path, tmp_path)
    (tmp_path / "node_modules").symlink_to(packages)
    command = ["node", "run.mjs", corpus, "Relu", "Softmax", "Tile"]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300
    )
    total = json.loads(done.stdout.splitlines()[-1])
    assert (done.returncode, total.get("wrong", 0)) == (0, 0), done.stdout + done.stderr
    assert total["right"] > 50
    assert total["refused (invalid)"] > 5
