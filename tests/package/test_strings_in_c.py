"""The C library creates strings and reads them: results against Python's own texts and numbers."""

from __future__ import annotations

import random
import unicodedata
from decimal import Decimal

import numpy as np
import pytest

import opmill

pytestmark = pytest.mark.skipif(
    "c" not in opmill.backends(), reason="the native module is not built here"
)

CAST = opmill.operator("Cast", 13)
CONCAT = opmill.operator("StringConcat", 20)
SPLIT = opmill.operator("StringSplit", 20)
NORMALIZE = opmill.operator("StringNormalizer", 10)
STRING, DOUBLE, UINT64 = 8, 11, 13


@pytest.fixture
def no_numpy(monkeypatch):
    """Let the NumPy kernels fail, so that what computes is C."""

    def compute(*arguments, **plan):
        pytest.fail("the NumPy kernel computes")

    for operator in (CAST, CONCAT, SPLIT, NORMALIZE):
        computation = operator._computation
        monkeypatch.setattr(computation, "compute", compute)
        monkeypatch.setattr(computation, "measure", computation.measure and compute)


def doubles(count):
    """Doubles of random bits, integers, powers of two and of ten, and their neighbours."""
    rng = np.random.default_rng(7)
    tens = np.array([float(f"1e{k}") for k in range(-323, 309)])
    twos = np.ldexp(1.0, np.arange(-1074, 1024))
    bits = rng.integers(0, 2**64, count, dtype=np.uint64).view(np.float64)
    whole = rng.integers(-(2**63), 2**63, count // 4).astype(np.float64)
    some = np.concatenate([bits, whole, whole / 100, tens, twos])
    some = np.concatenate([some, np.nextafter(tens, 0), np.nextafter(twos, np.inf)])
    return some[np.isfinite(some)]


def test_doubles_become_the_digits_of_repr(no_numpy):
    x = doubles(4000)
    (texts,) = CAST([x], {"to": STRING})
    for number, text in zip(x.tolist(), texts, strict=True):
        expected = f"{Decimal(repr(number)):f}"
        assert text == (expected.removesuffix(".0") if "." in expected else expected)


def test_floats_become_digits_that_give_them_back(no_numpy):
    x = np.random.default_rng(8).integers(0, 2**32, 4000, dtype=np.uint32).view(np.float32)
    x = x[np.isfinite(x)]
    (texts,) = CAST([x], {"to": STRING})
    assert [np.float32(text) for text in texts] == x.tolist()
    for number, text in zip(x, texts, strict=True):
        assert Decimal(text).normalize() == Decimal(str(number)).normalize()


def test_texts_become_the_doubles_of_python(no_numpy):
    draw = random.Random(9)
    texts = [repr(number) for number in doubles(1000).tolist()]
    for number in doubles(100).tolist():
        middle = (Decimal(number) + Decimal(float(np.nextafter(number, np.inf)))) / 2
        texts += [str(middle), f"{middle}1" if "E" not in str(middle) else str(middle)]
    for _ in range(2000):
        digits = "".join(draw.choices("0123456789", k=draw.randint(1, 60)))
        texts.append(f"{draw.choice('+-')}{digits}.{digits[::-1]}e{draw.randint(-330, 330)}")
    (found,) = CAST([np.array(texts, object)], {"to": DOUBLE})
    assert found.tobytes() == np.array([float(text) for text in texts]).tobytes()


def test_texts_become_integers_modulo_their_range(no_numpy):
    texts = ["18446744073709551617", "-1", "1e70", "12.99", "0.00012e6", "123456789012345678901e-1"]
    (found,) = CAST([np.array(texts)], {"to": UINT64})
    assert found.tolist() == [1, 2**64 - 1, 0, 12, 120, 12345678901234567890]


def test_letters_have_the_case_of_python(no_numpy):
    if unicodedata.unidata_version >= "16":
        pytest.skip("Unicode has more letters than the table")
    letters = [chr(c) for c in range(1, 0x110000) if not 0xD800 <= c < 0xE000]
    for action, changed in (("UPPER", str.upper), ("LOWER", str.lower)):
        (found,) = NORMALIZE([np.array(letters, object)], {"case_change_action": action})
        for letter, text in zip(letters, found, strict=True):
            assert len(text) == 1
            if len(changed(letter)) == 1:
                assert text == changed(letter)


@pytest.mark.parametrize("kind", [object, str])
def test_arrays_of_any_strides(no_numpy, kind):
    x = np.array([["a b", "\u00e4 c"], ["", " d "]], kind)
    both = [[2 * text for text in row] for row in x.T.tolist()]
    assert CONCAT([x.T, x.T])[0].tolist() == both
    parts, counts = SPLIT([x[::-1]], outputs=2)
    assert parts.tolist() == [[["", ""], ["d", ""]], [["a", "b"], ["\u00e4", "c"]]]
    assert counts.tolist() == [[0, 1], [2, 2]]


def test_out_receives_the_strings(no_numpy):
    out = np.array(["before", None], object)
    (found,) = CONCAT([np.array(["a", "b"], object), np.array("c", object)], out=out)
    assert found is out
    assert out.tolist() == ["ac", "bc"]


def test_out_is_as_it_was_where_a_call_is_refused(no_numpy):
    out = np.zeros(2)
    with pytest.raises(opmill.OpError, match=r"^Cast-13: input\[1\] is 'x', expected a number$"):
        CAST([np.array(["1", "x"], object)], {"to": DOUBLE}, out=out)
    assert out.tolist() == [0, 0]


@pytest.mark.parametrize("odd", ["a\0b", "\ud800"])
def test_numpy_computes_what_c_cannot_hold(odd):
    assert CONCAT([np.array([odd], object), np.array(["c"], object)])[0].tolist() == [odd + "c"]


def test_an_explanation_names_the_variant():
    assert CAST.explain([np.array(["1"], object)], {"to": DOUBLE}).kernel == "strings"
