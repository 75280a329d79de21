"""The benchmarks: that a run gives a whole report, and that what is committed says what it says.

Nothing here depends on how long anything took.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import opmill
from benchmarks import (
    cases_cast,
    cases_conv_transpose,
    cases_copies,
    cases_elementwise,
    cases_joins,
    cases_language,
    cases_max_pool,
    cases_moves,
    cases_non_zero,
    cases_operators,
    cases_quantised,
    clock,
    generator,
    report,
    scale,
    selection,
    tables,
    whole_run,
)
from benchmarks.__main__ import main
from benchmarks.cases import matches
from benchmarks.clock import Effort
from benchmarks.contenders import open_contenders
from benchmarks.contenders.with_opmill import operator_of
from benchmarks.machine import aligned
from benchmarks.measure import DisagreementError, conv_inputs, copy, max_pool, operator
from benchmarks.selection import Wanted
from benchmarks.summary import reaches, verdicts

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]
BRIEF = Effort(rounds=2, seconds=1e-4)
_ONNX_WORDS = {"float32": "float", "float64": "double"}


@pytest.fixture
def _own_threads():
    before = opmill.get_threads()
    yield
    opmill.set_threads(before)


@pytest.mark.usefixtures("_own_threads")
def test_a_run_gives_a_report_that_can_be_kept_and_drawn():
    wanted = Wanted(("tiny", "Tile 1000x3 *", "dcgan4"), (1,), BRIEF)
    seen: list[str] = []
    found = whole_run.measure(wanted, open_contenders(("numpy",)), (), seen.append)
    assert json.loads(report.dump(found)) == found
    assert [r["case"] for r in found["conv_transpose"]] == ["dcgan4", "tiny"]
    assert [list(r["times"]) for r in found["conv_transpose"]] == [["opmill", "operands"]] * 2
    assert {r["type"] for r in found["copies"]} == set(cases_copies.TYPES.values())
    for record in found["copies"]:
        assert list(record["times"]) == ["opmill", "numpy", "fill"]
        for times in record["times"].values():
            assert 0 < times[0] <= times[1] <= times[2] <= times[3]
    (types,) = found["types"]
    assert list(types["times"]) == ["float32", "float64", "float16", "bfloat16"]
    assert len(seen) == len(found["conv_transpose"]) + len(found["copies"]) + 1
    text = tables.whole(found)
    for record in (*found["conv_transpose"], *found["copies"]):
        assert f"| {record['case']} |" in text


@pytest.mark.usefixtures("_own_threads")
def test_what_stands_beside_a_copy_is_in_the_report_and_its_table():
    patterns = (
        "Relu 1024",
        "* 2 of 1024, axis 0",
        "Cast float32 to float8*",
        "*k2 s2 Indices",
        "Transpose 32x32 *",
        "NonZero*, 1%",
    )
    wanted = Wanted(patterns, (1,), BRIEF)
    found = whole_run.measure(wanted, open_contenders(("numpy",)), (), lambda line: None)
    text = tables.whole(found)
    cases = {"elementwise": 1, "joins": 2, "moves": 3, "cast": 2, "max_pool": 1, "non_zero": 1}
    for key, count in cases.items():
        assert len(found[key]) == count
        for record in found[key]:
            peers = [] if key == "max_pool" else ["numpy"]
            assert list(record["times"]) == ["opmill", *peers, "copy"]
            assert f"| {record['case']} |" in text
    assert {v.what.partition(",")[0] for v in verdicts(found)} >= {"Add", "Cast", "NonZero"}


@pytest.mark.usefixtures("_own_threads")
def test_calls_of_any_operator_are_in_the_report_and_its_table():
    patterns = ("Tanh 1024", "Less 65536 *", "MatMul 64x64 *", "TopK *", "Gather 1024x1024 *")
    wanted = Wanted(patterns, (1,), BRIEF)
    found = whole_run.measure(wanted, open_contenders(("numpy",)), (), lambda line: None)
    text = tables.whole(found)
    peers = {record["case"]: list(record["times"]) for record in found["operators"]}
    assert peers["Tanh 1024"] == ["opmill", "numpy"]
    assert peers["MatMul 64x64 and 64x64"] == ["opmill", "opmill, prepared"]
    assert len(peers) == len({record["case"] for record in found["operators"]}) >= 5
    for record in found["operators"]:
        assert f"| {record['case']} | {record['type']} |" in text
    titles = {v.what.partition(":")[0] for v in verdicts(found)}
    assert "Elementary functions, 1 thread" in titles


def test_opmill_accepts_every_case_of_an_operator():
    for case in (*cases_operators.MAIN, *cases_quantised.MAIN, *cases_language.MAIN):
        inputs = [
            given
            and (
                np.reshape(given.values, given.shape).astype(given.type)
                if given.values is not None
                else opmill.TensorType(_ONNX_WORDS.get(given.type, given.type), given.shape)
            )
            for given in case.inputs
        ]
        assert case.group in cases_operators.GOALS
        assert operator_of(case).infer(inputs, case.attribute, case.outputs)


def record(case: str, threads: int = 1, **more: object) -> dict[str, object]:
    """A record of ConvTranspose in which opmill takes 10 us and the peers as given."""
    times = {name: [9.0, 9.5, float(str(time)), 12.0] for name, time in more.items()}
    return {
        "case": case, "type": "float32", "threads": threads, "flops": 1000, "relative": None,
        "tiny": False, "times": {"opmill": [9.0, 9.5, 10.0, 12.0], **times},
    }  # fmt: skip


def small_report(**parts: object) -> report.Report:
    empty: report.Report = {
        "conv_transpose": [], "copies": [], "types": [], "calls": {}, "memory": [], "generator": []
    }  # fmt: skip
    return empty | parts


def test_networks_are_held_against_onnxruntime_and_have_a_table():
    record = {
        "case": "net_opset9",
        "threads": 1,
        "times": {
            "opmill": [1000.0, 1900.0, 2000.0, 2100.0],
            "onnxruntime, not optimised": [2000.0, 2900.0, 3000.0, 3100.0],
            "onnxruntime": [1000.0, 1400.0, 1500.0, 1600.0],
        },
        "memory": {
            "opmill": 12 << 20,
            "onnxruntime, not optimised": 7 << 20,
            "onnxruntime": 8 << 20,
        },
        "slowest": [["Conv-1", 0.9], ["Relu-6", 0.05]],
        "elsewhere": [],
    }
    fused = record | {"case": "net_opset9, fuse_qdq", "fuse_qdq": True}
    measured = report.load() | {"networks": [record, fused]}
    found = {one.what: one for one in verdicts(measured) if one.what.startswith("Networks")}
    what = "Networks, 1 thread:"
    plain = found[f"{what} speed over onnxruntime, not optimised, geometric mean"]
    assert (plain.found, plain.met) == ("1.50 (1 cases)", True)
    best = found[f"{what} speed over onnxruntime, geometric mean"]
    assert (best.found, best.met) == ("0.75 (1 cases)", False)
    memory = found[f"{what} peak memory over onnxruntime's, worst"]
    assert (memory.found[:4], memory.met) == ("1.50", False)
    row = next(
        line for line in tables.whole(measured).splitlines() if line.startswith("| net_opset9")
    )
    figures = "2.00 | 3.00 | 1.50 | 1.50 | 0.75 | 12 | 7 | 8 | Conv-1 90%, Relu-6 5%"
    assert figures in row
    assert "| net_opset9, fuse_qdq | 1 |" in tables.whole(measured)


def test_a_target_is_missed_where_one_case_is_slower_than_its_faster_peer():
    records = [record("a", onnxruntime=30, torch=20), record("b", onnxruntime=9, torch=40)]
    worst, mean = verdicts(small_report(conv_transpose=records))
    assert (worst.found, worst.met) == ("0.90 (b); missed by 1 of 2", False)
    assert (mean.found, mean.met) == ("1.34 (2 cases)", True)
    records[1] = record("b", onnxruntime=9.5, torch=40)
    assert verdicts(small_report(conv_transpose=records))[0].met


def test_the_first_pool_of_resnet_alone_is_held_against_onnxruntime():
    records = [
        record(case.name, onnxruntime=9) | {"type": case.type} for case in cases_max_pool.MAIN
    ]
    target, reported = verdicts(small_report(max_pool=records))
    assert (target.found, target.met) == (
        "0.90 (MaxPool 1x64x112x112 k3 s2 p1); missed by 1 of 1",
        False,
    )
    assert reported.met is None


def test_a_further_case_is_held_against_its_relative_or_its_operands_whichever_takes_longer():
    tiny = record("tiny", operands=3) | {"tiny": True, "flops": 10}
    main = record("main", operands=3)
    further = [
        record("bound by products", operands=4) | {"relative": "main", "flops": 500},
        record("bound by memory", operands=30) | {"relative": "main", "flops": 100},
        record("neither", operands=4) | {"relative": "main", "flops": 100},
    ]
    for each in (main, *further):
        each["times"] |= {"opmill": [100.0] * 4}
    tiny["times"] |= {"opmill": [1.0] * 4}
    parts = {name: reach.part for name, reach in reaches([tiny, main, *further]).items()}
    expected = {"bound by products": 0.51, "bound by memory": 0.28, "neither": 0.11}
    assert parts == pytest.approx(expected)
    (*_, verdict) = verdicts(small_report(conv_transpose=[tiny, main, *further]))
    assert (verdict.found, verdict.met) == ("0.11 (neither); missed by 3 of 3", False)


def test_a_case_whose_products_take_less_than_a_call_is_told_but_not_held_against_its_relative():
    tiny = record("tiny") | {"tiny": True, "flops": 10}
    main = record("main") | {"flops": 100_000}
    further = [
        record("a call", onnxruntime=99) | {"relative": "main", "flops": 9_000},
        record("work", onnxruntime=99) | {"relative": "main", "flops": 20_000},
    ]
    tiny["times"] |= {"opmill": [1.0] * 4}
    found = verdicts(small_report(conv_transpose=[tiny, main, *further]))
    rates = [v for v in found if "GFLOP/s" in v.what]
    assert [(v.found, v.met) for v in rates] == [
        ("0.20 (work); missed by 1 of 1", False),
        ("0.09 (a call)", None),
    ]


def test_of_disturbed_tries_the_calmest_counts(monkeypatch):
    def spreads(width: float) -> dict[str, clock.Spread]:
        return {"a": clock.Spread(1, 1, 1, 1), "b": clock.Spread(1, 1, 1, 1 + width)}

    for widths, expected in (([0.1], 0.1), ([0.5, 0.1], 0.1), ([0.5, 0.3, 0.4, 0.1], 0.3)):
        tries = iter(widths)
        monkeypatch.setattr(clock, "_measure", lambda *_, left=tries: spreads(next(left)))
        assert clock.compare({"a": int, "b": int}, BRIEF) == spreads(expected)


def test_buffers_are_zero_and_begin_at_a_cache_line():
    for size in (3, 1 << 19, 3 << 20):
        found = aligned((size, 2), np.dtype("float32"))
        assert found.shape == (size, 2)
        assert found.ctypes.data % 64 == 0
        assert not found.any()
        assert found.flags.writeable


def test_limits_from_above_are_missed_where_one_figure_is_larger():
    calls = {"c": {"Tile": [0.1, 0.1, 1.4, 2.0], "Expand": [0.1, 0.1, 1.6, 2.0]}}
    (call,) = verdicts(small_report(calls=calls))
    assert (call.found, call.met) == ("1.60 us (Expand); missed by 1 of 2", False)
    sizes = [(8, 2, 0.5), (80, 20, 0.6), (800, 250, 1.4)]
    rows = [{"specs": n, "full": full, "no_op": no_op} for n, full, no_op in sizes]
    no_op, growth = verdicts(small_report(generator=rows))
    assert no_op.met
    assert (growth.found, growth.met) == ("1.25 (80 to 800 specs); missed by 1 of 1", False)


@pytest.mark.usefixtures("_own_threads")
def test_a_second_output_that_differs_is_a_disagreement():
    class Wrong:
        name = version = "wrong"

        def set_threads(self, threads: int) -> None:
            pass

        def max_pool(self, case, x, out, indices):
            good = ours.max_pool(case, x, out, indices)

            def call() -> None:
                good()
                indices[-1] = 0

            return call

    ours, _ = open_contenders(())
    with pytest.raises(DisagreementError, match="Indices of float32: wrong gives another second"):
        max_pool(cases_max_pool.MAIN[-1], [ours, Wrong()], 1, BRIEF)


def test_of_several_outputs_the_first_is_compared():
    class InNumPy:
        name = version = "in numpy"

        def set_threads(self, threads: int) -> None:
            pass

        def operator(self, case, inputs, outs):
            row, (count,) = inputs
            return lambda: -np.sort(-row, axis=1)[:, :count]

    ours, _ = open_contenders(())
    (top_k,) = (case for case in cases_operators.MAIN if case.operator == "TopK")
    record = operator(top_k, [ours, InNumPy()], 1, BRIEF)
    assert record["times"].keys() == {"opmill", "in numpy"}


def test_contenders_that_disagree_are_not_timed():
    class Wrong:
        name = version = "wrong"

        def set_threads(self, threads: int) -> None:
            pass

        def copy(self, case, x, out):
            return lambda: out.fill(3)

    ours, _ = open_contenders(())
    case = cases_copies.MAIN[-1]
    with pytest.raises(DisagreementError, match="Expand 4096x1 to 4096x3 of uint8: wrong"):
        copy(case, "uint8", [ours, Wrong()], 1, BRIEF)


def test_a_run_leaves_out_what_contenders_disagree_on_and_fails(monkeypatch):
    def refuse(*given):
        raise DisagreementError("Tile: wrong does not give what opmill gives")

    monkeypatch.setattr(selection, "operator_jobs", lambda *given: [refuse])
    finished = CliRunner().invoke(
        main, ["run", "--quick", "--threads", "1", "--peers", "", "--cases", "ReduceMax 1024x64*"]
    )
    assert finished.exit_code == 1
    assert "ReduceMax 1024x64 over 1" in finished.output
    assert "Error: not timed: Tile: wrong does not give what opmill gives" in finished.output


def test_cases_have_names_of_their_own_and_relatives_that_are_main_cases():
    conv = (*cases_conv_transpose.MAIN, *cases_conv_transpose.FURTHER)
    names = [case.name for case in (*conv, *cases_copies.MAIN, *cases_copies.FURTHER)]
    assert len(set(names)) == len(names)
    others = (
        *(cases_elementwise, cases_joins, cases_moves),
        *(cases_cast, cases_max_pool, cases_non_zero),
    )
    for module in others:
        keys = [(case.name, getattr(case, "type", "")) for case in module.MAIN]
        assert len(set(keys)) == len(keys)
    main = {case.name for case in cases_conv_transpose.MAIN}
    assert {case.relative for case in cases_conv_transpose.FURTHER} <= main


def test_shapes_of_cases_are_what_the_operators_infer():
    for case in (*cases_conv_transpose.MAIN, *cases_conv_transpose.FURTHER):
        types = [opmill.TensorType("float", shape) for shape in (case.x, case.w)]
        (inferred,) = opmill.operator("ConvTranspose", 22).infer(types, case.attributes())
        assert inferred.shape == case.y
    for case in (*cases_copies.MAIN, *cases_copies.FURTHER):
        x = np.zeros(case.input, np.int8)
        argument = np.array(case.argument)
        (inferred,) = opmill.operator(case.operator, 13).infer([x, argument], {})
        assert inferred.shape == case.output
    for case in cases_max_pool.MAIN:
        x = opmill.TensorType("float", case.x)
        inferred = opmill.operator("MaxPool", 22).infer([x], case.attributes())[0]
        assert inferred.shape == case.y


def test_patterns_are_globs_over_whole_names():
    assert matches("k3s1", ())
    assert matches("k3s1", ("dcgan*", "K3S1"))
    assert not matches("k3s1_b4", ("k3s1",))


def test_inputs_are_the_same_in_every_run():
    first, second = (conv_inputs(cases_conv_transpose.MAIN[-1], "float32") for _ in range(2))
    assert all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))


def test_synthetic_specs_are_the_projects_own_under_other_names(tmp_path):
    folders = (ROOT / "specs" / "ai.onnx").glob("*/")
    versions = [len(list(folder.glob("[0-9]*.yaml"))) for folder in sorted(folders)]
    made = generator.synthetic_specs(tmp_path, sum(versions) + 1)
    paths = list(tmp_path.glob("*/*/*.yaml"))
    assert made == len([path for path in paths if path.stem.isdecimal()])
    assert made == sum(versions) + versions[0]  # the first operator is copied, whole
    for path in paths:
        name = path.parent.name
        own = ROOT / "specs" / "ai.onnx" / name.partition("Copy")[0] / path.name
        text = own.read_text(encoding="utf-8")
        original = f"operator: {own.parent.name}\n"
        assert path.read_text(encoding="utf-8") == text.replace(original, f"operator: {name}\n", 1)
    index = (tmp_path / "ai.onnx" / "index.yaml").read_text(encoding="utf-8")
    assert re.search(r"^  Abs: (.*)\n  AbsCopy001: \1$", index, re.MULTILINE)


def test_copies_have_python_names_of_their_own(tmp_path):
    own = len(list((ROOT / "specs" / "ai.onnx").glob("*/[0-9]*.yaml")))
    generator.synthetic_specs(tmp_path, 2 * own)
    copy = (tmp_path / "ai.onnx" / "IsNaNCopy001" / "9.yaml").read_text(encoding="utf-8")
    assert "\npython_name: is_nan_copy001\n" in copy


def test_a_project_of_many_versions(tmp_path):
    own = len(list((ROOT / "specs" / "ai.onnx").glob("*/[0-9]*.yaml")))
    project, made = scale.make(tmp_path, 2 * own)
    assert made == 2 * own
    assert (tmp_path / "templates" / "tests" / "operator_versions.py.j2").is_file()
    assert not project.generated.exists()
    (tmp_path / "generated" / "python").mkdir(parents=True)
    (tmp_path / "generated" / "python" / "a.py").write_bytes(b" " * 1_500_000)
    (tmp_path / "generated" / ".opmill-cache").write_bytes(b" " * 9_000_000)
    whole, python, *others = scale.sizes(project)
    assert (whole.measured, python.measured) == ("1.5 MB in 1 files", "1.5 MB")
    assert all(row.measured == "0.0 MB" for row in others)


def test_the_committed_table_says_what_the_report_says():
    table = (report.RESULTS / "README.md").read_text(encoding="utf-8")
    assert table == tables.whole(report.load()), "run 'python -m benchmarks redraw'"


def test_the_committed_plots_are_drawn_from_the_report():
    plots = sorted(report.RESULTS.glob("*.svg"))
    shown = set(re.findall(r"\]\((\w+\.svg)\)", tables.whole(report.load())))
    assert shown == {path.name for path in plots}
    assert len(plots) >= 5
    for path in plots:
        assert report.origin(report.load()) in path.read_text(encoding="utf-8"), path.name
