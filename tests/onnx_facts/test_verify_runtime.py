"""``verify`` and ``import`` read the operators that onnxruntime adds, as those of com.microsoft.

The base is the facts of QuickGelu, transcribed by hand. Each case changes one.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from opmill_gen.cli.main import main
from opmill_gen.onnx import runtime_facts
from opmill_gen.onnx import verify as onnx_verify

pytest.importorskip("onnxruntime")

INDEX = """\
domain: com.microsoft
onnxruntime: 1.31.1
opset: 1

operators:
  QuickGelu: {versions: [1]}
"""
SPEC = """\
operator: QuickGelu
domain: com.microsoft
since_version: 1
support_level: common
function: true
shape_inference: true
deprecated: false
determinism: deterministic
summary: S.
inputs:
  - {name: X, type: T, description: D.}
outputs:
  - {name: Y, type: T, description: D.}
attributes:
  - {name: alpha, kind: FLOAT, default: 1.702, description: D.}
type_constraints:
  T:
    types: [tensor(bfloat16), tensor(double), tensor(float), tensor(float16)]
    description: D.
family: {name: elementwise, rule: alpha, with: {function: swish}}
accuracy: exact
source: {onnxruntime: 1.31.1}
"""


def specs_with(folder: Path, spec: str, index: str = INDEX) -> Path:
    """A folder of specs with this one."""
    specs = folder / "specs"
    (specs / "com.microsoft" / "QuickGelu").mkdir(parents=True)
    (specs / "com.microsoft" / "index.yaml").write_text(index, encoding="utf-8")
    (specs / "com.microsoft" / "QuickGelu" / "1.yaml").write_text(spec, encoding="utf-8")
    cases = "examples: TODO a list\n\nrejects: TODO a list\n"
    (specs / "com.microsoft" / "QuickGelu" / "cases.yaml").write_text(cases, encoding="utf-8")
    return specs


def verified(specs: Path) -> dict[str, object]:
    result = CliRunner().invoke(main, ["verify", "--specs", str(specs), "--json"])
    document: dict[str, object] = json.loads(result.stdout)
    return document


def messages(document: dict[str, object]) -> list[str]:
    """The faults of the spec; the index of one operator lacks all others."""
    return [
        fault["message"]
        for fault in document["faults"]  # type: ignore[attr-defined]
        if "the index has not" not in fault["message"]
    ]


def test_the_base_agrees_with_onnxruntime(tmp_path: Path):
    document = verified(specs_with(tmp_path, SPEC))
    assert messages(document) == []
    assert (document["agreed"], document["compared"]) == (1, 1)
    assert document["uncompared"] == {}


@pytest.mark.parametrize(
    ("ours", "theirs", "message"),
    [
        ("default: 1.702", "default: 1.7", "alpha: default is 1.7000000476837158; onnxruntime "),
        ("name: X", "name: x", "inputs is [x]; onnxruntime has [X]"),
        ("kind: FLOAT, default: 1.702", "kind: INT, default: 1", "alpha: kind is INT; onnxruntime"),
        ("[tensor(bfloat16), ", "[", "type_constraints is "),
        ("shape_inference: true", "shape_inference: false", "shape_inference is False; onnxrunt"),
    ],
)
def test_a_fact_that_differs_is_a_fault(tmp_path: Path, ours: str, theirs: str, message: str):
    assert ours in SPEC
    found = messages(verified(specs_with(tmp_path, SPEC.replace(ours, theirs, 1))))
    assert any(one.startswith(message) for one in found), found


def test_an_operator_that_an_index_lacks_is_a_fault(tmp_path: Path):
    document = verified(specs_with(tmp_path, SPEC))
    faults = [one["message"] for one in document["faults"]]  # type: ignore[attr-defined]
    assert "onnxruntime has FusedMatMul [1], the index has not" in faults


def test_without_onnxruntime_verify_says_what_it_leaves_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    for module in (runtime_facts, onnx_verify):
        monkeypatch.setattr(module, "runtime_release", lambda: None)
    specs = specs_with(tmp_path, SPEC.replace("name: X", "name: x"))
    result = CliRunner().invoke(main, ["verify", "--specs", str(specs)])
    assert result.exit_code == 0, result.output
    said = "com.microsoft: 1 operator versions are not compared, since onnxruntime is not installed"
    assert said in result.stderr
    assert verified(specs)["uncompared"] == {"com.microsoft": 1}


def test_an_import_has_the_facts(tmp_path: Path):
    specs = tmp_path / "specs"
    words = ["import", "QLinearConcat", "--from", "onnxruntime", "--domain", "com.microsoft"]
    result = CliRunner().invoke(main, [*words, "--specs", str(specs)])
    assert result.exit_code == 0, result.output
    text = (specs / "com.microsoft" / "QLinearConcat" / "1.yaml").read_text(encoding="utf-8")
    for line in (
        "  - name: inputs\n    type: TV\n    option: variadic\n    homogeneous: false\n",
        "  - name: axis\n    kind: INT\n    required: true\n",
        "    types: [tensor(float), tensor(int8), tensor(uint8)]\n",
    ):
        assert line in text
    index = (specs / "com.microsoft" / "index.yaml").read_text(encoding="utf-8")
    assert "\nonnxruntime: " in index
    assert "  MatMulNBits: {versions: [1]}\n" in index
    document = verified(specs)
    assert (document["ok"], document["agreed"], document["compared"]) == (True, 1, 1)


def test_a_domain_that_onnxruntime_lacks_is_refused(tmp_path: Path):
    words = ["import", "Tile", "--from", "onnxruntime", "--specs", str(tmp_path / "specs")]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 2
    assert "onnxruntime has no domain 'ai.onnx'" in result.stderr
    assert not (tmp_path / "specs").exists()
