"""The script of the panels, run by Node without a page: what it reads, and how it calls C."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "docs" / "_static" / "opmill-try.js"
MODULE = ROOT / "build" / "wasm" / "modules" / "recurrent.js"
NODE = shutil.which("node")

pytestmark = pytest.mark.skipif(NODE is None, reason="Node is not installed")


def run(code: str) -> Any:
    """Return the JSON that a program in JavaScript prints; ``attempt`` returns error messages."""
    program = f"""
        const {{ Library, callOf, parsed }} = require({json.dumps(str(SCRIPT))});
        const attempt = (f) => {{ try {{ return f(); }} catch (e) {{ return e.message; }} }};
        const result = (() => {{ {code} }})();
        Promise.resolve(result).then((value) => console.log(JSON.stringify(value)));
    """
    assert NODE is not None
    done = subprocess.run([NODE, "-e", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("text", "type", "expected"),
    [
        ("[[1, -INF], [nan, 2e3]]", "float", [[2, 2], ["1", "-Infinity", "NaN", "2e3"]]),
        ("9223372036854775807", "int64", [[], ["9223372036854775807"]]),
        ("[true, 0]", "bool", [[2], ["true", "0"]]),
        ('["a", "1"]', "string", [[2], ["a", "1"]]),
    ],
)
def test_a_tensor_is_read(text: str, type: str, expected: list[Any]):
    code = (
        f"const {{ dims, flat }} = parsed({json.dumps(text)}, '{type}', 'X'); return [dims, flat];"
    )
    assert run(code) == expected


EXAMPLE = r"""example "a \"call\""
attribute alpha float 0.5
attribute axes ints 1 -2
attribute none ints
attribute mode string "a b"
attribute names strings "a b" "c"
input X float [2,2] 0 -0.0 nan 1e-05
input absent absent
input B bool [2] 1 0
input S string [1,1] "a \"b\""
input E int64 [2,0]
input scalar uint64 [] 18446744073709551615
outputs 2"""


def test_an_example_of_the_corpus_is_read_as_a_reader_types_it():
    assert run(f"return callOf({json.dumps(EXAMPLE)});") == {
        "name": 'a "call"',
        "attributes": {
            "alpha": "0.5",
            "axes": "[1, -2]",
            "none": "[]",
            "mode": "a b",
            "names": '["a b", "c"]',
        },
        "inputs": [
            ["float", "[[0, -0.0],\n [nan, 1e-05]]"],
            None,
            ["bool", "[true, false]"],
            ["string", '[["a \\"b\\""]]'],
            ["int64", "[[],\n []]"],
            ["uint64", "18446744073709551615"],
        ],
        "outputs": 2,
    }


LIST = 'numbers as 1 or [[1, 2], [3, 4]], texts in quotes as ["a", "b"]'


@pytest.mark.parametrize(
    ("text", "type", "message"),
    [
        ("[1, abc]", "float", f"X is not a nested list of values, expected {LIST}"),
        ("[[1, 2], [3]]", "float", "X has rows of different lengths, expected equal lengths"),
        ("[true]", "float", "X holds true, expected numbers (float)"),
        ("[null]", "double", "X holds null, expected numbers (double)"),
        ("[300]", "int8", "X holds 300, expected integers from -128 to 127 (int8)"),
        ("[-1]", "uint8", "X holds -1, expected integers from 0 to 255 (uint8)"),
        ("[1.5]", "int32", "X holds 1.5, expected integers from -2147483648 to 2147483647 (int32)"),
        ("nan", "int8", "X holds nan, expected integers from -128 to 127 (int8)"),
        ("[2]", "bool", "X holds 2, expected true or false (bool)"),
        ("[1]", "string", "X holds 1, expected texts in quotes (string)"),
    ],
)
def test_what_is_no_tensor_is_an_error_that_names_the_input(text: str, type: str, message: str):
    assert run(f"return attempt(() => parsed({json.dumps(text)}, '{type}', 'X'));") == message


def put(kind: str, text: str) -> Any:
    """The bytes of a struct of one attribute: the list's elements, or the message of an error."""
    return run(f"""
        const memory = new WebAssembly.Memory({{ initial: 1 }});
        const library = new Library({{ exports: {{ memory, __heap_base: {{ value: 1024 }} }} }});
        library.top = 1024;
        const attributes = [{{ name: "a", kind: "{kind}", optional: 0, offset: 0 }}];
        return attempt(() => {{
          const at = library.putAttributes({{ size: 16, defaults: 0, attributes }}, {{ a: {json.dumps(text)} }});
          const [view, list] = [library.view(), library.int(at)];
          const count = Number(view.getBigInt64(at + 8, true));
          const read = {{
            FLOAT: () => view.getFloat32(at, true),
            INT: () => String(view.getBigInt64(at, true)),
            STRING: () => library.text(list),
            FLOATS: (k) => view.getFloat32(list + 4 * k, true),
            INTS: (k) => String(view.getBigInt64(list + 8 * k, true)),
            STRINGS: (k) => library.text(library.int(list + 4 * k)),
          }}["{kind}"];
          return "{kind}".endsWith("S") ? Array.from({{ length: count }}, (_, k) => read(k)) : read();
        }});
    """)  # noqa: E501


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("FLOAT", "-0.5", -0.5),
        ("INT", "9223372036854775807", "9223372036854775807"),
        ("STRING", " a b", " a b"),
        ("FLOATS", "[0.5, -2, 1e3]", [0.5, -2, 1000]),
        ("FLOATS", "[]", []),
        ("INTS", "[1, -2]", ["1", "-2"]),
        ("STRINGS", '["Relu", "Tanh"]', ["Relu", "Tanh"]),
        ("FLOAT", "abc", "attribute a is abc, expected a number"),
        ("FLOAT", "[1]", "attribute a is [1], expected a number"),
        ("INT", "1.5", "attribute a is 1.5, expected an integer"),
        ("INTS", "[1, 2.5]", "attribute a is [1, 2.5], expected a list of integers"),
        ("FLOATS", "0.5", "attribute a is 0.5, expected a list of numbers"),
        ("STRINGS", "Relu", "attribute a is Relu, expected a list of texts in quotes"),
        ("TENSOR", "1", "attribute a is a TENSOR, expected none: this panel cannot give it"),
    ],
)
def test_attributes_of_every_kind_reach_the_library(kind: str, text: str, expected: Any):
    assert put(kind, text) == expected


@pytest.mark.browser  # which runs where the library was built
@pytest.mark.skipif(not MODULE.is_file(), reason="the library is not built as WebAssembly")
def test_activations_decide_what_an_lstm_computes():
    """All gates are Relu(1) = 1, so that c = 1 * 1 and h = 1 * Relu(1)."""
    found = run(f"""
        require({json.dumps(str(MODULE))});
        const bytes = Buffer.from(globalThis.opmillModules.recurrent, "base64");
        const compiled = new WebAssembly.Module(bytes);
        const imports = {{}};
        for (const {{ module, name }} of WebAssembly.Module.imports(compiled))
          (imports[module] ??= {{}})[name] = () => 0;
        const library = new Library(new WebAssembly.Instance(compiled, imports));
        const described = library.describe("opmill_operator_lstm_14");
        const gates = "[[[1], [1], [1], [1]]]";
        const tensors = ["[[[1]]]", gates, gates].map((text) => ({{ type: "float", ...parsed(text, "float", "") }}));
        const given = {{ hidden_size: "1", activations: '["Relu", "Relu", "Relu"]' }};
        return library.call(described, tensors, given, 3).outputs.map(({{ flat }}) => flat);
    """)  # noqa: E501
    assert found == [[1], [1], [1]]
