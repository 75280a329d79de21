"""MurmurHash3: the author's own check of the oracle, and the types that a model's nodes have."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import parser

import opmill
from opmill_checks.value import Value
from oracles.murmur_hash import hash_of, oracle

VERIFICATION = 0xB0F57EE3
"""The number that SMHasher, the author's test suite, states for this variant."""


def test_the_oracle_has_the_published_verification_value():
    """Hashes of the keys of 0 to 255 bytes, each with its own seed, are hashed again."""
    hashes = [hash_of(bytes(range(size)), 256 - size) for size in range(256)]
    assert hash_of(b"".join(one.to_bytes(4, "little") for one in hashes), 0) == VERIFICATION


@pytest.mark.parametrize("backend", opmill.backends())
@pytest.mark.parametrize(
    ("positive", "word"), [("", "uint32"), ("positive = 1,", "uint32"), ("positive = 0,", "int32")]
)
def test_nodes(backend: str, positive: str, word: str):
    """A Cast follows, for which the type must be known."""
    model = parser.parse_model(
        '<ir_version: 8, opset_import: ["": 21, "com.microsoft": 1]>'
        "g (string[n] x) => (int64[n] y)"
        f"{{ h = com.microsoft.MurmurHash3<{positive} seed = 3>(x) y = Cast<to = 7>(h) }}"
    )
    texts = ("", "a", "opmill", "überall")
    flags = {"positive": 1 if word == "uint32" else 0, "seed": 3}
    expected = oracle({"X": Value("string", (4,), texts)}, flags)["Y"]
    assert expected.type == word
    with opmill.use_backend(backend):
        (y,) = opmill.Model(model).run([np.array(texts, object)])
    assert y.tolist() == list(expected.items)
