"""``--json``: one document on standard output, the same exit codes, faults as objects."""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import CliRunner

from opmill_gen.cli import main as cli
from small_project import CASES, SPEC, Project

LIST = "opmill-files.txt"
DOCUMENTATION = "python/opmill/com_example/blend/documentation.json"
MODULE = "python/opmill/com_example/blend/v1.py"


def answered(*arguments: str) -> tuple[int, dict[str, Any]]:
    """The exit code and the document; nothing else is printed."""
    result = CliRunner().invoke(cli.main, [*arguments, "--json"], prog_name="opmill")
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert result.stderr == ""
    document = json.loads(result.stdout)
    assert document["ok"] is (result.exit_code == 0)
    return result.exit_code, document


def test_generate(project: Project):
    code, document = answered("generate")
    assert code == 0
    assert MODULE in document["written"]
    assert (document["versions"], document["deleted"], document["faults"]) == (1, [], [])
    assert document["rendered"] <= len(document["written"]) == document["files"]
    project.edit("The factor.", "A factor.")
    (project.root / "generated/extra").write_text("x")
    _, document = answered("generate")
    assert (document["written"], document["rendered"]) == ([LIST, DOCUMENTATION, MODULE], 2)
    assert (document["deleted"], document["foreign"]) == ([], ["extra"])


def test_check(project: Project):
    answered("generate")
    assert answered("generate", "--check")[0] == 0
    project.edit("The factor.", "A factor.")
    (project.root / "generated/extra").write_text("x")
    code, document = answered("generate", "--check")
    assert code == 1
    assert (document["stale"], document["orphaned"]) == ([LIST, DOCUMENTATION, MODULE], [])
    assert document["foreign"] == ["extra"]
    assert document["repair"] == "make generate"


@pytest.mark.parametrize(
    "arguments", [["generate"], ["generate", "--check"], ["verify"], ["show", "Blend"]]
)
def test_faults(project: Project, arguments: list[str]):
    project.edit("support_level:", "suport_level:")
    code, document = answered(*arguments)
    assert code == 2
    assert document["faults"] == [
        {
            "file": SPEC,
            "line": 1,
            "column": 1,
            "message": "key 'support_level' is missing; it gives common or experimental",
            "suggestion": None,
        },
        {
            "file": SPEC,
            "line": 4,
            "column": 1,
            "message": "unknown key 'suport_level'; did you mean 'support_level'?",
            "suggestion": "support_level",
        },
    ]


def test_a_fault_of_a_whole_file(project: Project):
    (project.root / SPEC).write_bytes(b"\xff")
    (fault,) = answered("list")[1]["faults"]
    assert (fault["file"], fault["line"], fault["column"]) == (SPEC, None, None)


def test_cases(project: Project):
    code, document = answered("show", "Blend", "--cases")
    assert (code, document["file"]) == (0, SPEC)
    assert [case["name"] for case in document["examples"]] == ["plain", "doubled"]
    assert document["examples"][1] == {
        "name": "doubled",
        "inputs": {
            "X": {"type": "float", "value": [0.5, 2]},
            "bias": {"type": "float", "value": 3},
        },
        "attributes": {"gain": 2},
        "outputs": {"Y": {"type": "float", "value": [4, 7]}},
    }
    (reject,) = document["rejects"]
    assert (reject["raises"], reject["error"]) == ("ShapeError", "X must be 1-D, got rank 2")


def test_differences(project: Project):
    text = project.text(SPEC).replace("since_version: 1", "since_version: 2")
    changes = "changes: [{what: More., shown_by: plain}]\nsource:"
    project.put(SPEC.replace("1.yaml", "2.yaml"), text.replace("source:", changes))
    document = answered("diff", "Blend", "2", "1")[1]
    assert (document["old"], document["new"]) == (2, 1)
    assert document["changes"] == [
        {"version": 2, "what": "More.", "shown_by": "plain", "undone": True}
    ]
    (facts,) = document["sections"]
    assert facts["title"] == "Facts"
    assert facts["rows"] == [
        {
            "name": "since_version",
            "status": "changed",
            "old": [{"text": "2", "changed": True}],
            "new": [{"text": "1", "changed": True}],
        }
    ]
    assert answered("diff", "Blend", "1", "2")[1]["changes"][0]["undone"] is False
    titles = [s["title"] for s in answered("diff", "Blend", "1", "2", "--all")[1]["sections"]]
    assert titles[:2] == ["Facts", "Summary"]


def test_an_operator_that_is_not_there(project: Project):
    code, document = answered("show", "Blond")
    assert code == 2
    assert document["faults"] == [
        {
            "file": None,
            "line": None,
            "column": None,
            "message": "there is no operator 'Blond'; did you mean 'Blend'?",
            "suggestion": None,
        }
    ]


def test_verify(project: Project):
    code, document = answered("verify")
    assert (code, document["agreed"], document["compared"]) == (0, 0, 0)
    project.put("specs/ai.onnx/Blend/1.yaml", project.text(SPEC).replace("com.example", "ai.onnx"))
    project.put("specs/ai.onnx/Blend/cases.yaml", project.text(CASES))
    code, document = answered("verify")
    assert (code, document["agreed"], document["compared"]) == (1, 0, 1)
    assert [fault["message"] for fault in document["faults"]] == ["onnx has no Blend-1 in ai.onnx"]


def test_list(project: Project):
    _, document = answered("list")
    assert document["operators"] == [
        {
            "operator": "Blend",
            "domain": "com.example",
            "supported": [1],
            "published": [1, 2, 3],
            "families": ["blend"],
        }
    ]
    assert document["domains"] == [
        {"domain": "com.example", "opset": 3, "operators": 1, "versions": 3}
    ]


def test_show(project: Project):
    _, document = answered("show", "Blend")
    assert document["inputs"][1] == {
        "name": "bias",
        "type": "T",
        "option": "optional",
        "homogeneous": True,
        "min_arity": 1,
        "differentiable": None,
        "description": "What is added.",
    }
    assert document["attributes"][1]["default"] == "flat"
    assert document["type_constraints"]["T"]["types"] == ["tensor(float)", "tensor(int32)"]
    assert document["family"] == {
        "name": "blend",
        "with": {"step": 2, "shade": "dark", "loud": False},
    }
    assert (document["examples"], document["rejects"]) == (["plain", "doubled"], ["a matrix"])


@pytest.mark.parametrize("kind", ["spec", "index", "family"])
def test_schema_prints_a_document(kind: str):
    result = CliRunner().invoke(cli.main, ["schema", kind])
    assert result.exit_code == 0
    assert json.loads(result.stdout)["$schema"].endswith("2020-12/schema")
