"""ONNX's type words are read and written back unchanged; everything else is refused."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import TensorProto, defs

from opmill_gen.base.onnx_types import (
    ElementType,
    MapType,
    OptionalType,
    SequenceType,
    SparseTensorType,
    TensorType,
    TypeVariable,
    parse_concrete,
    parse_element,
    parse_type,
)

SCHEMAS = defs.get_all_schemas_with_history()

NO_TYPE = "is no type; write it as tensor(float) or seq(tensor(float))"
NO_WORD = "is no type; expected tensor, sparse_tensor, seq, optional or map"


def published_types() -> set[str]:
    """Every type that any schema of any domain names."""
    words = {word for s in SCHEMAS for c in s.type_constraints for word in c.allowed_type_strs}
    return words | {word for s in SCHEMAS for f in (*s.inputs, *s.outputs) for word in f.types}


@pytest.mark.parametrize("text", sorted(published_types()))
def test_every_published_type_is_read_and_written_back(text: str):
    assert str(parse_concrete(text)) == text


def test_there_are_many_published_types():
    assert len(published_types()) > 80


def test_every_published_type_of_a_parameter_is_read():
    texts = {f.type_str for s in SCHEMAS for f in (*s.inputs, *s.outputs)}
    assert {"T", "tensor(int64)"} < texts
    for text in texts:
        assert str(parse_type(text)) == text


def test_the_element_types_are_those_of_tensor_proto_in_its_order():
    ours = [element.name for element in ElementType]
    theirs = [n for n, number in sorted(TensorProto.DataType.items(), key=lambda i: i[1]) if number]
    assert ours[: len(theirs)] == theirs


ELEMENTS = st.sampled_from(ElementType)
CONCRETE = st.recursive(
    st.builds(TensorType, ELEMENTS) | st.builds(SparseTensorType, ELEMENTS),
    lambda inner: (
        st.builds(SequenceType, inner)
        | st.builds(OptionalType, inner)
        | st.builds(MapType, ELEMENTS, ELEMENTS | inner)
    ),
    max_leaves=6,
)


@given(CONCRETE)
def test_every_type_is_read_back(type_: TensorType):
    assert parse_type(str(type_)) == type_


def test_a_name_is_a_variable():
    assert parse_type("T1") == TypeVariable("T1")


def test_a_map_is_written_as_onnx_spaces_it():
    assert str(parse_type("map(string,float)")) == "map(string, float)"
    assert str(parse_type("map( int64 , seq(tensor(float)) )")) == "map(int64,seq(tensor(float)))"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", f"'' {NO_TYPE}"),
        ("1T", f"'1T' {NO_TYPE}"),
        ("T\n", f"'T\n' {NO_TYPE}"),
        ("tensor(float", f"'tensor(float' {NO_TYPE}"),
        ("Tensor(float)", f"'Tensor(float)' {NO_TYPE}"),
        ("tensor()", "'' is no element type of ONNX"),
        ("tensor( float)", "' float' is no element type of ONNX; did you mean 'float'?"),
        ("tensor(float32)", "'float32' is no element type of ONNX; did you mean 'float'?"),
        ("tensor(FLOAT)", "'FLOAT' is no element type of ONNX; did you mean 'float'?"),
        ("tensor(T)", "'T' is no element type of ONNX"),
        ("seq(T)", f"'T' {NO_TYPE}"),
        ("seq(float)", f"'float' {NO_TYPE}"),
        ("list(float)", f"'list(...)' {NO_WORD}"),
        ("map(string)", "'map(string)' lacks a value type; write map(string, float)"),
        ("map(str,float)", "'str' is no element type of ONNX; did you mean 'string'?"),
        ("map(string,text)", "'text' is no element type of ONNX"),
        ("map(string,(float))", f"'(float)' {NO_TYPE}"),
        ("int64", "'int64' is an element type; write tensor(int64)"),
        ("float", "'float' is an element type; write tensor(float)"),
    ],
)
def test_what_is_no_type(text: str, message: str):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        parse_type(text)


def test_endless_nesting_is_refused():
    with pytest.raises(ValueError, match="is no type"):
        parse_type("seq(" * 5000 + "tensor(float)" + ")" * 5000)


def test_an_unknown_element_type():
    with pytest.raises(ValueError, match="'half' is no element type of ONNX"):
        parse_element("half")


def test_kinds_of_elements():
    by_kind = {
        kind: {e.value for e in ElementType if getattr(e, kind)}
        for kind in ("is_integer", "is_complex", "is_float")
    }
    assert by_kind["is_complex"] == {"complex64", "complex128"}
    assert by_kind["is_integer"] == {f"{s}int{b}" for s in ("", "u") for b in (2, 4, 8, 16, 32, 64)}
    assert by_kind["is_float"] == {
        "float", "double", "float16", "bfloat16", "float8e4m3fn", "float8e4m3fnuz", "float8e5m2",
        "float8e5m2fnuz", "float8e8m0", "float4e2m1", "float6e2m3", "float6e3m2",
    }  # fmt: skip
    assert not set.union(*by_kind.values()) & {"string", "bool"}
