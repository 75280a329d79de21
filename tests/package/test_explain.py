"""Reports on a call before it runs, and the choice of the instruction set.

That each kernel is reached and computes right is in test_kernels.py.
"""

import contextvars
import dataclasses

import numpy as np
import pytest

import opmill
from native_calls import needs_c, python
from opmill import opset13 as op

TILE = opmill.operator("Tile", 13)
CONV = opmill.operator("ConvTranspose", 22)
LARGE = np.zeros((64, 1, 512), np.float32)
LARGE_CALL = [LARGE, [1, 64, 1]]
X, W = np.ones((1, 16, 20, 20), np.float32), np.ones((16, 8, 3, 3), np.float32)


def fresh(code, **environment):
    """Return the last output of a new interpreter, its errors too."""
    return python(code, **environment).splitlines()[-1]


def test_numpy_has_one_kernel_and_one_thread():
    with opmill.use_backend("numpy"):
        explained = CONV.explain([X, W], {})
    assert explained == opmill.Explanation("numpy", None, None, 1)
    assert dataclasses.asdict(explained)["backend"] == "numpy"


@needs_c
def test_c_tells_kernel_instruction_set_and_threads():
    before = opmill.get_threads()
    try:
        opmill.set_threads(2)
        explained = CONV.explain([X, W], {"strides": [2, 2]})
        opmill.set_threads(1)
        alone = CONV.explain([X, W], {"strides": [2, 2]})
    finally:
        opmill.set_threads(before)
    assert (explained.backend, explained.kernel) == ("c", "phases")
    assert explained.instruction_set == opmill.instruction_sets()[0]
    assert alone == dataclasses.replace(explained, threads=1)
    assert explained.threads in (1, 2)  # 1 where the build has no threads


@needs_c
def test_a_small_call_is_told_to_use_one_thread():
    assert TILE.explain([np.ones((2, 3)), [2, 2]], {}) == opmill.Explanation(
        "c", "small", "plain", 1
    )


@needs_c
@pytest.mark.parametrize(
    "call",
    [LARGE_CALL, [LARGE[::-1], np.array([1, 64, 1])], [LARGE.astype(">f4"), (1, 64, 1)]],
    ids=["plain", "mirrored", "byte-swapped"],
)
def test_what_a_call_holds_does_not_matter(call):
    assert TILE.explain(call, {}) == TILE.explain(LARGE_CALL, {})


@needs_c
def test_what_numpy_moves_on_every_backend_is_told_so():
    text = np.array(["a", "b"], dtype=object)
    expand = opmill.operator("Expand", 13)
    assert expand.explain([text, [3, 2]], {}).backend == "numpy"


def test_an_illegal_call_is_refused_as_when_it_is_made():
    with pytest.raises(opmill.ShapeError) as explained:
        TILE.explain([X, [1]], {})
    with pytest.raises(opmill.ShapeError) as made:
        TILE([X, [1]], {})
    assert str(explained.value) == str(made.value)


@needs_c
def test_instruction_sets_are_listed_best_first():
    names = opmill.instruction_sets()
    assert names[-2:] == ("baseline", "plain")
    assert set(names) <= {"avx512", "neon", "avx2", "baseline", "plain"}
    assert CONV.explain([X, W], {}).instruction_set == names[0]


@needs_c
def test_an_instruction_set_holds_for_the_block_and_the_context():
    with opmill.use_instruction_set("plain"):
        assert CONV.explain([X, W], {}).kernel == "direct"
        with opmill.use_instruction_set("baseline"):
            assert CONV.explain([X, W], {}).instruction_set == "baseline"
        assert CONV.explain([X, W], {}).kernel == "direct"
        elsewhere = contextvars.Context().run(lambda: CONV.explain([X, W], {}))
        assert elsewhere.kernel != "direct"
    assert CONV.explain([X, W], {}).kernel != "direct"


@needs_c
def test_backend_and_instruction_set_are_chosen_apart():
    with opmill.use_instruction_set("plain"):
        with opmill.use_backend("numpy"):
            assert opmill.backend_name() == "numpy"
            with opmill.use_instruction_set("baseline"):
                assert opmill.backend_name() == "numpy"
        assert opmill.backend_name() == "c"
        assert CONV.explain([X, W], {}).kernel == "direct"
    usual = CONV.explain([X, W], {})
    with opmill.use_backend("c"):
        assert CONV.explain([X, W], {}) == usual


@needs_c
def test_a_call_computes_with_the_instruction_set_that_is_chosen():
    expected = op.tile(LARGE, [1, 64, 1])
    for name in opmill.instruction_sets():
        with opmill.use_instruction_set(name):
            np.testing.assert_array_equal(op.tile(*LARGE_CALL), expected)
            np.testing.assert_array_equal(op.tile(LARGE.view(Subclass), [1, 64, 1]), expected)


class Subclass(np.ndarray):
    """An array type that only the Python runtime accepts."""


@needs_c
def test_an_unknown_instruction_set_is_refused_in_words():
    with pytest.raises(opmill.BackendError) as refused:
        opmill.use_instruction_set("sse9")
    assert str(refused.value) == (
        "use_instruction_set asks for instruction set 'sse9', which is not there; "
        f"available: {', '.join(opmill.instruction_sets())}"
    )


TELL = "import opmill; from opmill.tile import v13; import numpy as np; print({})"


@needs_c
def test_the_environment_chooses_until_the_context_does():
    explain = "opmill.operator('ConvTranspose', 22).explain(["
    explain += "np.ones((1, 16, 20, 20)), np.ones((16, 8, 3, 3))], {}).kernel"
    assert fresh(TELL.format(explain), OPMILL_ISA="plain") == "direct"
    chosen = f"[{explain} for _ in [opmill.use_instruction_set('baseline')]]"
    assert fresh(TELL.format(chosen), OPMILL_ISA="plain") == "['phases']"


@needs_c
def test_an_unknown_word_in_the_environment_is_refused():
    assert fresh(TELL.format("1"), OPMILL_ISA="sse9").endswith(
        "OPMILL_ISA asks for instruction set 'sse9', which is not there; "
        f"available: {', '.join(opmill.instruction_sets())}"
    )
