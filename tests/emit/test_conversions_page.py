"""The page about conversions: what its tables make of a record."""

from __future__ import annotations

import pytest

from opmill_gen.emit.docs.conversions import conversions_page, summary_of
from opmill_gen.load.test_records import Records

SILENT = {
    "example": "Blend-13: first axis",
    "examples": 2,
    "to": 12,
    "model": "<ir_version: 7>",
    "before": "float32[1] [1.0]",
    "after": "float32[1] [0.5]",
}
RECORDS = Records(
    {
        "conversions": {
            "onnx": "1.23.2",
            "networks": {
                "13": {"opmill": {"exact": 3, "close": 1, "refused": 2}, "onnx": {"right": 2}}
            },
            "node_tests": {"13": {"opmill": {"exact": 9}, "onnx": {"right": 4, "silent": 1}}},
            "operators": {
                "Blend": {
                    "steps": {
                        "new>11 down": {
                            "examples": {"close": 4, "differs": 2, "refused": 1},
                            "differs": ["far from 1", "infinity"],
                            "reasons": ["X is float16, which is new in opset 9"],
                        },
                        "11>13 up": {
                            "examples": {"exact": 5},
                            "onnx": {"right": 5},
                            "onnxruntime": {"right": 3, "apart": 1, "not run": 1},
                            "apart": ["no axis"],
                        },
                        "11>13 down": {
                            "examples": {"exact": 6, "refused": 2},
                            "reasons": ["axes (a) is computed, expected a constant"],
                            "onnx": {"right": 4, "silent": 2, "no adapter": 2},
                            "silent": SILENT,
                        },
                    },
                    "chains": [
                        {"from": 11, "to": 28, "examples": {"exact": 5}},
                        {
                            "from": 28,
                            "to": 11,
                            "examples": {"exact": 6, "differs": 1, "refused": 1},
                        },
                    ],
                }
            },
        }
    }
)
CONVERSIONS = {
    "Blend": {
        "new>11": {
            "down": [
                {"when": "one", "nodes": "", "differs": ["far from 1"], "why": "squares overflow"},
                {"nodes": "", "differs": ["infinity", "far from 1"], "why": "0 times infinity"},
            ]
        }
    }
}
PAGE = conversions_page([], RECORDS, CONVERSIONS)


@pytest.mark.parametrize(
    ("examples", "word"),
    [
        ({"exact": 3}, "exact"),
        ({"exact": 3, "not run": 1}, "exact"),
        ({"exact": 3, "refused": 1}, "conditional"),
        ({"exact": 3, "refused": 1, "close": 1}, "approximated"),
        ({"exact": 3, "differs": 1}, "approximated"),
        ({"refused": 3}, "impossible"),
        ({"not run": 3}, "not run"),
        ({"exact": 3, "different": 1}, "faulty"),
    ],
)
def test_word_of_a_step(examples: dict[str, int], word: str):
    assert summary_of(examples) == word


def test_summaries_count_steps_by_direction():
    counts = {row["word"]: row["counts"] for row in PAGE["summaries"]}
    assert counts == {"exact": [1, 0, 0], "conditional": [0, 1, 0], "approximated": [0, 0, 1]}
    assert [row["counts"] for row in PAGE["step_totals"]] == [[1, 0, 0, 0], [0, 0, 0, 1]]


def test_runs_of_onnxruntime():
    assert [row["counts"] for row in PAGE["runtime"]] == [[3, 0, 1, 0, 1], [0] * 5, [0] * 5]
    (apart,) = PAGE["apart"]
    assert (apart["name"], apart["examples"]) == ("Blend", "no axis")


def test_examples_of_both_converters():
    up, down = PAGE["examples"]
    assert (up["right"], up["refused"], up["onnx"]) == (5, 0, [5, 0, 0, 0, 0, 0])
    assert (down["right"], down["refused"], down["onnx"]) == (6, 2, [4, 2, 0, 0, 0, 2])


def test_differing_examples_have_reasons():
    first, second = PAGE["differing"]
    assert (first["step"], first["example"]) == ("11 to older opsets", "far from 1")
    assert first["reason"] == "squares overflow; 0 times infinity"
    assert (second["example"], second["reason"]) == ("infinity", "0 times infinity")


def test_moves_and_chains():
    (networks,) = PAGE["networks"]
    assert (networks["models"], networks["right"], networks["exact"], networks["onnx"]) == (
        6,
        4,
        3,
        2,
    )
    (_, (nodes,)), (_, newer) = PAGE["node_tests"]
    assert not newer
    assert (nodes["models"], nodes["onnx"], nodes["silent"]) == (9, 4, 1)
    assert [row["counts"] for row in PAGE["chains"]] == [[5, 0, 0, 0, 0], [6, 0, 1, 1, 0]]


def test_conditions_leave_out_types():
    (row,) = PAGE["conditions"]
    assert (row["step"], row["refused"]) == ("13 to 11", 2)
    assert row["reasons"] == r"axes \(a\) is computed, expected a constant"


def test_a_silent_difference_has_a_reproduction():
    (one,) = PAGE["silent"]
    assert (one["title"], one["example"], one["to"]) == ("Blend 13 to 11", "first axis", 12)
    assert one["text"].splitlines()[1:4] == [
        "<ir_version: 7>",
        "# before: float32[1] [1.0]",
        "# after:  float32[1] [0.5]",
    ]


def test_cells_of_a_step():
    new, step = PAGE["steps"]
    assert new["cells"] == ["", "", "approximated 4 of 7", ""]
    assert step["cells"] == [
        "exact 5",
        "right 5",
        "conditional 6 of 8",
        "right 4 of 8, **2 silent**",
    ]


def test_without_a_record_there_are_no_rows():
    page = conversions_page([], Records(), {})
    assert (page["steps"], page["silent"], page["networks"]) == ([], [], [])
