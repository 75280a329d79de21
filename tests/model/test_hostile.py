"""Damaged and hostile models are refused with a message, and read nothing outside their folder."""

from __future__ import annotations

import os
import re

import numpy as np
import pytest
from onnx import StringStringEntryProto, TensorProto, helper, numpy_helper, parser

import damaged_models
import opmill

X = np.ones(4, np.float32)


def model_of(text: str):
    return parser.parse_model(text)


def outside(tmp_path, **fields):
    """A model whose only constant is in a file, and its path."""
    model = model_of("""
    <ir_version: 8, opset_import: ["": 13]>
    g (float[4] x) => (float[4] y) <float[4] w = {1, 2, 3, 4}> { y = Add(x, w) }""")
    tensor = model.graph.initializer[0]
    dims = fields.pop("dims", [4])
    tensor.CopyFrom(TensorProto(name="w", data_type=TensorProto.FLOAT, dims=dims))
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in {"location": "w.data", **fields}.items():
        tensor.external_data.append(StringStringEntryProto(key=key, value=value))
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "w.data").write_bytes(np.arange(8, dtype=np.float32).tobytes())
    (tmp_path / "secret").write_bytes(bytes(64))
    path = folder / "m.onnx"
    path.write_bytes(model.SerializeToString())
    return path


def test_a_file_inside_is_read(tmp_path):
    path = outside(tmp_path, offset="8", length="16")
    assert opmill.Model(path).run([X])[0].tolist() == [3, 4, 5, 6]


@pytest.mark.parametrize("location", ["link", "./w.data", "below/link"])
def test_links_inside_of_the_folder_are_followed(location, tmp_path):
    path = outside(tmp_path, location=location)
    (path.parent / "below").mkdir()
    (path.parent / "link").symlink_to("w.data")
    (path.parent / "below" / "link").symlink_to("../w.data")
    assert opmill.Model(path).run([X])[0].tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("words", "fields"),
    [
        ("keeps its data in '../secret', expected a file in the", {"location": "../secret"}),
        ("keeps its data in 'a/../../secret', expected a file", {"location": "a/../../secret"}),
        ("keeps its data in '/etc/passwd', expected a file in the", {"location": "/etc/passwd"}),
        (r"keeps its data in 'C:\\secret', expected a file", {"location": "C:\\secret"}),
        (r"keeps its data in '..\\secret', expected a file", {"location": "..\\secret"}),
        ("keeps its data in '', expected a file in the model's folder", {"location": ""}),
        ("keeps its data in 'none': No such file or directory", {"location": "none"}),
        ("is bytes 24 to 40 of 'w.data', which has 32", {"offset": "24"}),
        ("is bytes 9223372036854775807 to ", {"offset": str(2**63 - 1)}),
        ("offset is '-4', expected a number of bytes", {"offset": "-4"}),
        ("offset is '1e3', expected a number of bytes", {"offset": "1e3"}),
        (f"offset is '{'9' * 60}', expected a number of bytes", {"offset": "9" * 99}),
        ("has length 12, expected 16 by its type and dims", {"length": "12"}),
        ("is bytes 0 to 4398046511104 of 'w.data', which has 32", {"dims": [1 << 40]}),
        ("has a negative dim", {"dims": [-1]}),
    ],
)
def test_other_places_and_sizes_are_refused(words, fields, tmp_path):
    path = outside(tmp_path, **fields)
    with pytest.raises(opmill.ModelError, match=re.escape(words)):
        opmill.Model(path)


@pytest.mark.parametrize("kind", ["link", "linked folder", "pipe", "folder"])
def test_links_that_lead_out_and_what_is_no_file_are_refused(kind, tmp_path):
    path = outside(tmp_path, location="a/b" if kind == "linked folder" else "it", length="16")
    place = path.parent / "it"
    if kind == "link":
        place.symlink_to("../secret")
    elif kind == "linked folder":
        (tmp_path / "away").mkdir()
        (tmp_path / "away" / "b").write_bytes(bytes(64))
        (path.parent / "a").symlink_to("../away")
    elif kind == "pipe":
        os.mkfifo(place)
    else:
        place.mkdir()
    with pytest.raises(
        opmill.ModelError, match=r"keeps its data in|is no regular file|is a folder"
    ):
        opmill.Model(path)


def test_a_model_in_memory_has_no_folder_unless_it_is_given(tmp_path):
    path = outside(tmp_path, length="16")
    with pytest.raises(opmill.ModelError, match="give the model's path, or the folder"):
        opmill.Model(path.read_bytes())
    assert opmill.Model(path.read_bytes(), folder=path.parent).run([X])[0].tolist() == [1, 2, 3, 4]


def test_what_is_no_model_is_refused(tmp_path):
    for data in (b"", b"\xff" * 100, b"\x0a\xff\xff\xff\xff\x0f", bytes(1000)):
        with pytest.raises(opmill.ModelError, match="is no ONNX model"):
            opmill.Model(data)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(opmill.ModelError, match="is no regular file"):
        opmill.Model(tmp_path / "pipe")
    with pytest.raises(FileNotFoundError):
        opmill.Model(tmp_path / "none")
    with pytest.raises(opmill.ModelError, match="the model has type int, expected a path"):
        opmill.Model(7)


def test_functions_that_call_themselves_are_refused():
    text = """
    <ir_version: 9, opset_import: ["": 18, "own": 1]>
    g (float[4] x) => (float[4] y) { y = own.A (x) }
    <opset_import: ["": 18, "own": 1], domain: "own">
    A (a) => (c) { c = own.B (a) }
    <opset_import: ["": 18, "own": 1], domain: "own">
    B (a) => (c) { c = own.A (a) }
    """
    with pytest.raises(opmill.ModelError, match="calls the function 'A', which calls itself"):
        opmill.Model(model_of(text))


def test_functions_that_stand_for_too_many_nodes_are_refused():
    """Each of 30 functions calls the next one twice: a billion nodes."""
    functions = "".join(
        f"""
    <opset_import: ["": 18, "own": 1], domain: "own">
    F{k} (a) => (c) {{ b = own.F{k + 1} (a) c = own.F{k + 1} (b) }}"""
        for k in range(29)
    )
    text = f"""
    <ir_version: 9, opset_import: ["": 18, "own": 1]>
    g (float[4] x) => (float[4] y) {{ y = own.F0 (x) }}{functions}
    <opset_import: ["": 18], domain: "own">
    F29 (a) => (c) {{ c = Neg (a) }}
    """
    with pytest.raises(opmill.ModelError, match="the model has more than 200000 nodes"):
        opmill.Model(model_of(text))


@pytest.mark.parametrize("deepest", [99, 100, 3000])
def test_functions_inside_of_each_other_are_bounded(deepest):
    functions = "".join(
        f"""
    <opset_import: ["": 18, "own": 1], domain: "own">
    F{k} (a) => (c) {{ c = own.F{k + 1} (a) }}"""
        for k in range(deepest)
    )
    text = f"""
    <ir_version: 9, opset_import: ["": 18, "own": 1]>
    g (float[4] x) => (float[4] y) {{ y = own.F0 (x) }}{functions}
    <opset_import: ["": 18], domain: "own">
    F{deepest} (a) => (c) {{ c = Neg (a) }}
    """
    if deepest < 100:
        assert opmill.Model(model_of(text)).run([X])[0].tolist() == (-X).tolist()
        return
    with pytest.raises(opmill.ModelError, match="more than 100 graphs and functions are inside"):
        opmill.Model(model_of(text))


def test_graphs_inside_of_each_other_are_bounded():
    """A file has at most 33; functions that contain graphs can have more of them."""

    def nested(depth):
        """A function whose loops run a loop each, the innermost one the next function."""
        inner = "own.{next} (v0)"
        for k in range(depth):
            inner = (
                f"Loop <body = b{k} (int64 i{k}, bool c{k}, float[4] v{k}) => (bool d{k}, "
                f"float[4] w{k}) {{ d{k} = Identity(c{k}) w{k} = {inner} }}> "
                f"(n, t, {f'v{k + 1}' if k < depth - 1 else 'a'})"
            )
        return inner

    for count, refused in ((4, False), (5, True)):
        functions = "".join(
            f"""
    <opset_import: ["": 18, "own": 1], domain: "own">
    F{k} (a) => (o) {{
        n = Constant <value = int64 {{1}}> ()
        t = Constant <value = bool {{1}}> ()
        o = {nested(10).replace("{next}", f"F{k + 1}")}
    }}"""
            for k in range(count)
        )
        model = model_of(f"""
    <ir_version: 9, opset_import: ["": 18, "own": 1]>
    g (float[4] x) => (float[4] y) {{ y = own.F0 (x) }}{functions}
    <opset_import: ["": 18], domain: "own">
    F{count} (a) => (c) {{ c = Neg (a) }}""")
        if refused:
            with pytest.raises(opmill.ModelError, match="more than 40 graphs are inside of each"):
                opmill.Model(model)
        else:
            assert opmill.Model(model).run([X])[0].tolist() == (-X).tolist()


def test_constants_that_are_large_are_computed_when_they_are_needed():
    """Planning takes neither time nor memory for what a small file can ask for."""
    text = """
    <ir_version: 8, opset_import: ["": 13]>
    g (float[1] x) => (float[1] y, float[a] z) <int64[1] n = {1099511627776}, float[1] w = {1}> {
        y = Neg(x)
        z = Expand(w, n)
    }"""
    model = opmill.Model(model_of(text))
    assert model.run([X[:1]], outputs=["y"])[0].tolist() == [-1]


def test_memory_that_is_not_there_is_an_error_with_the_node():
    text = """
    <ir_version: 8, opset_import: ["": 13]>
    g (float[1] x, int64[1] n) => (float[a] z) { z = Expand(x, n) }"""
    words = r"^node 0 of ai.onnx: Expand-13: output has shape \[1125899906842624\] and type float"
    with pytest.raises(opmill.ShapeError, match=words):
        opmill.Model(model_of(text)).run([X[:1], np.array([1 << 50])])


def test_a_loop_without_end_is_refused():
    text = """
    <ir_version: 8, opset_import: ["": 16]>
    g (float[1] x) => (float[1] y) {
        y = Loop <body = b (int64 i, bool c, float[1] v) => (bool c2, float[1] w) {
            c2 = Identity(c)
            w = Neg(v)
        }> (, , x)
    }"""
    with pytest.raises(opmill.OpError, match=r"Loop-16: M and cond are absent"):
        opmill.Model(model_of(text)).run([X[:1]])


def test_bytes_of_bools_are_zero_and_one():
    tensor = TensorProto(
        name="w", data_type=TensorProto.BOOL, dims=[4], raw_data=b"\x00\x01\x02\xff"
    )
    text = """
    <ir_version: 8, opset_import: ["": 13]>
    g (bool[4] x) => (bool[4] y) { y = And(x, x) }"""
    model = model_of(text)
    model.graph.node[0].input[1] = "w"
    model.graph.initializer.append(tensor)
    (y,) = opmill.Model(model).run([np.ones(4, bool)])
    assert y.view(np.uint8).tolist() == [0, 1, 1, 1]


def test_a_bool_of_rank_0_is_read():
    text = """
    <ir_version: 8, opset_import: ["": 13]>
    g (bool[2] x) => (bool[2] y, bool z) { z = Constant <value = bool {1}> () y = And(x, w) }"""
    model = model_of(text)
    model.graph.initializer.append(
        TensorProto(name="w", data_type=TensorProto.BOOL, raw_data=b"\2")
    )
    y, z = opmill.Model(model).run([np.array([True, False])])
    assert (y.tolist(), z.tolist()) == ([True, False], True)


@pytest.mark.filterwarnings("ignore:opset .* is newer than")
def test_damaged_models_run_or_are_refused():
    counts = damaged_models.run(1500, seed=1)
    assert counts.ran > 100
    assert counts.refused > 500


def test_a_planted_fault_is_noticed(monkeypatch):
    def fails(*arguments, **more):
        raise KeyError("planted")

    monkeypatch.setattr(opmill.Model, "run", fails)
    with pytest.raises(AssertionError, match="planted"):
        damaged_models.run(50, seed=1)


def test_tensors_of_every_type_are_read_from_files(tmp_path):
    from opmill._runtime.types import _DTYPES, number_of_element

    for word, dtype in _DTYPES.items():
        if word in ("string", "float6e2m3", "float6e3m2"):
            continue
        values = np.arange(5).astype(np.uint8).astype(dtype) if dtype.kind != "b" else np.eye(5)[0]
        array = values.astype(dtype)
        inline = numpy_helper.from_array(array, "w")
        (tmp_path / "w.data").write_bytes(inline.raw_data)
        tensor = TensorProto(name="w", data_type=number_of_element(word), dims=[5])
        tensor.data_location = TensorProto.EXTERNAL
        tensor.external_data.append(StringStringEntryProto(key="location", value="w.data"))
        graph = helper.make_graph(
            [],
            "g",
            [],
            [helper.make_tensor_value_info("w", number_of_element(word), [5])],
            [tensor],
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)])
        (found,) = opmill.Model(model, folder=tmp_path).run([])
        assert found.dtype == array.dtype, word
        assert found.tobytes() == array.tobytes(), word
