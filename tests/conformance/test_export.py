"""The export: ONNX's own loader and runner take it as it is, and its bytes are reproducible."""

import hashlib
import json

import numpy as np
import onnx
import pytest
from onnx import numpy_helper
from onnx.backend.test.loader import load_model_tests
from onnx.backend.test.runner import Runner

import opmill
from opmill import conformance
from opmill.onnx_backend import OnnxBackend

UNJUDGED = ("test_identity_v16_optional_without_contents", "test_identity_v16_sequence_string")
"""What ONNX's runner cannot compare: no contents, and strings within a sequence."""


def cases():
    return conformance.cases(["Tile", "Identity"], versions=[13, 16])


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    folder = tmp_path_factory.mktemp("export") / "kit"
    conformance.export(folder, cases())
    return folder


def test_the_loader_of_onnx_finds_every_example(exported):
    names = {
        test.name
        for folder in (exported, exported / "open")
        for test in load_model_tests(data_dir=str(folder), kind="examples")
    }
    listed = json.loads((exported / "cases.json").read_text(encoding="utf-8"))["cases"]
    assert names == {one["name"] for one in listed if "refused" not in one}
    assert len(listed) == len(list(cases()))


def test_the_runner_of_onnx_passes_on_opmill(exported):
    for test in load_model_tests(data_dir=str(exported), kind="examples"):
        model = onnx.load(f"{test.model_dir}/model.onnx")
        prepared = OnnxBackend.prepare(model)
        data = f"{test.model_dir}/test_data_set_0"
        inputs = [
            value(f"{data}/input_{k}.pb", one.type) for k, one in enumerate(model.graph.input)
        ]
        wanted = [
            value(f"{data}/output_{k}.pb", one.type) for k, one in enumerate(model.graph.output)
        ]
        if test.name in UNJUDGED:
            continue
        outputs = list(prepared.run(inputs))
        Runner.assert_similar_outputs(wanted, outputs, test.rtol, test.atol, test.name)


def values(prefix, infos):
    return [value(f"{prefix}_{k}.pb", one.type) for k, one in enumerate(infos)]


def value(path, type_):
    if type_.HasField("sequence_type"):
        return loaded(path, onnx.SequenceProto, numpy_helper.to_list)
    if type_.HasField("optional_type"):
        return loaded(path, onnx.OptionalProto, numpy_helper.to_optional)
    return loaded(path, onnx.TensorProto, numpy_helper.to_array)


def loaded(path, message, convert):
    with open(path, "rb") as stream:
        return convert(message.FromString(stream.read()))


def digest(folder):
    found = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            found.update(f"{path.relative_to(folder)}\n".encode() + path.read_bytes())
    return found.hexdigest()


def test_the_bytes_are_the_same_every_time(exported, tmp_path):
    conformance.export(tmp_path / "again", cases())
    assert digest(tmp_path / "again") == digest(exported)


def test_json_holds_the_tensors(tmp_path):
    chosen = list(conformance.cases(["Tile"], versions=[1]))
    assert conformance.export(tmp_path / "kit", chosen, form="json") == len(chosen)
    assert [path.name for path in (tmp_path / "kit").iterdir()] == ["cases.json"]
    listed = json.loads((tmp_path / "kit" / "cases.json").read_text(encoding="utf-8"))["cases"]
    first = listed[0]
    assert first["inputs"][0] == {"type": "float", "shape": [2, 3], "data": [0, 1, 2, 3, 4, 5]}
    assert np.array(first["outputs"][0]["data"]).size == 12
    refused = next(one for one in listed if "refused" in one)
    assert refused["refused"].startswith("Tile-1: ")
    assert "outputs" not in refused


def test_what_onnx_leaves_open_is_in_a_folder_of_its_own(tmp_path):
    chosen = list(conformance.cases(["TopK"], versions=[24]))
    conformance.export(tmp_path / "kit", chosen)
    listed = json.loads((tmp_path / "kit" / "cases.json").read_text(encoding="utf-8"))["cases"]
    kinds = {"examples": False, "rejects": True}
    for kind, refused in kinds.items():
        for place, is_open in ((kind, False), (f"open/{kind}", True)):
            found = {path.name for path in (tmp_path / "kit" / place).iterdir()}
            assert found == {
                one["name"]
                for one in listed
                if ("refused" in one) is refused and bool(one["rests_on"]) is is_open
            }
    order = next(one for one in listed if one["case"] == "open order")
    assert order["path"] == f"open/examples/{order['name']}"
    (decision,) = order["rests_on"]
    assert (decision["name"], decision["kind"]) == ("order", "silent")
    assert decision["text"] == "With sorted of 0 the order of the outputs is undefined."
    tests = load_model_tests(data_dir=str(tmp_path / "kit" / "open"), kind="examples")
    assert order["name"] in {test.name for test in tests}


def test_a_folder_that_holds_something_is_left_alone(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(opmill.Error, match="is not empty, expected a new or an empty folder"):
        conformance.export(tmp_path, cases())
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_nothing_is_left_of_an_export_that_fails(tmp_path):
    def failing():
        yield from conformance.cases(["Tile"], versions=[1])
        raise RuntimeError("planted")

    with pytest.raises(RuntimeError, match="planted"):
        conformance.export(tmp_path / "kit", failing())
    assert list(tmp_path.iterdir()) == []
