"""The checker of examples lets a right operator pass, and refuses each fault that is planted here.

A planted fault is a small subclass of the invented operator. The words that the refusal must say
show that it was refused for that fault, and not by accident.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from opmill_checks.case import Example, full, tensor
from opmill_checks.run import check_example
from opmill_checks.value import Value
from stretch import ONCE, TWICE, OpError, Stretch, planted, refused

GAIN = Example(
    name="gain and B",
    inputs={
        "X": tensor("int32", [[1, 2]]),
        "count": tensor("int64", [2]),
        "B": tensor("int32", 1),
    },
    attributes={"gain": 3, "axes": [0, 1]},
    outputs={"Y": tensor("int32", [[4, 7], [4, 7]])},
)
WORDS = Example(
    name="words",
    inputs={"X": tensor("string", ["é", "", "three"]), "count": tensor("int64", [2])},
    outputs={"Y": tensor("string", ["é", "é", "", "", "three", "three"])},
)
FLAGS = Example(
    name="flags",
    inputs={"X": tensor("bool", [False, False, True]), "count": tensor("int64", [1])},
    outputs={"Y": tensor("bool", [False, False, True])},
)
NONE = Example(
    name="none",
    inputs={"X": full("float", (2, 3), 1), "count": tensor("int64", [0])},
    outputs={"Y": Value("float", (0, 3), ())},
)


def oracle(inputs: Any, attributes: Any) -> dict[str, Value]:
    x, count = inputs["X"], inputs["count"].items[0]
    row = int(np.prod(x.shape[1:]))
    positions = [
        k
        for start in range(0, len(x.items), row)
        for _ in range(count)
        for k in range(start, start + row)
    ]
    return {"Y": x.take((x.shape[0] * count, *x.shape[1:]), positions)}


@pytest.mark.parametrize("example", [TWICE, ONCE, GAIN, WORDS, FLAGS, NONE], ids=lambda e: e.name)
def test_a_right_operator_passes(example: Example) -> None:
    check_example(Stretch(), example)
    if example is not GAIN:
        check_example(Stretch(), example, oracle)


# Wrong results


def changed(position: Any, value: Any) -> Any:
    def compute(self: Any, *arguments: Any) -> Any:
        y = Stretch.compute(self, *arguments)
        y[position] = value
        return y

    return compute


def then(change: Callable[[Any], Any]) -> Any:
    """The right result, changed."""
    return lambda self, *arguments: change(Stretch.compute(self, *arguments))


def quietened(y: Any) -> Any:
    y.view(np.uint32)[2:, 0] |= 0x400000
    return y


@pytest.mark.parametrize(
    ("example", "compute", "words"),
    [
        (
            TWICE,
            changed((0, 0), 2),
            r"1 of 8 elements differ; at \[0, 0\] expected 1\.0 .*got 2\.0",
        ),
        (TWICE, changed((-1, -1), 5.0000005), r"1 of 8 elements differ; at \[3, 1\] expected 5\.0"),
        (TWICE, changed((0, 1), 0.0), r"at \[0, 1\] expected -0\.0 \(0x80000000\), got 0\.0 \(0x0"),
        (TWICE, then(quietened), r"2 of 8 .*nan \(0x7f800001\), got nan \(0x7fc00001\)"),
        (ONCE, then(lambda y: y.astype(np.float64)), "Y: expected dtype float32, got float64"),
        (TWICE, then(lambda y: y[:-1].copy()), r"Y: expected shape \[4, 2\], got \[3, 2\]"),
        (TWICE, then(lambda y: y[None]), r"Y: expected shape \[4, 2\], got \[1, 4, 2\]"),
        (TWICE, then(lambda y: y.reshape(2, 4)), r"Y: expected shape \[4, 2\], got \[2, 4\]"),
        (TWICE, then(lambda y: y.T.copy()), r"Y: expected shape \[4, 2\], got \[2, 4\]"),
        (ONCE, then(lambda y: y.T.copy()), r"2 of 4 elements differ; at \[0, 1\] expected 2\.0"),
        (TWICE, then(lambda y: y.astype(">f4")), "Y: expected native byte order"),
        (TWICE, then(lambda y: y.byteswap()), "elements differ"),
        (TWICE, then(lambda y: y.tolist()), "Y: expected an array, got list"),
        (ONCE, then(np.asfortranarray), "Y: not a contiguous and writable array"),
        (ONCE, then(lambda y: np.frombuffer(y.tobytes(), y.dtype).reshape(y.shape)), "writable"),
        (WORDS, changed(5, "Three"), r"at \[5\] expected 'three', got 'Three'"),
        (WORDS, changed(2, None), r"at \[2\] expected '', got None"),
        (WORDS, then(lambda y: y.astype(object)), "as StringDType: Y: dtype object, where X has"),
        (FLAGS, changed(2, False), r"at \[2\] expected True, got False"),
        (NONE, then(lambda y: y.reshape(3, 0)), r"expected shape \[0, 3\], got \[3, 0\]"),
    ],
)
def test_a_wrong_result_is_refused(example: Example, compute: Any, words: str) -> None:
    refused(words, check_example, planted(compute=compute), example)


def test_results_of_a_wrong_number_are_refused() -> None:
    operator = planted(deliver=lambda self, y, out: (y, y))
    refused("expected a tuple of 1 results", check_example, operator, TWICE)
    operator = planted(deliver=lambda self, y, out: [y])
    refused("expected a tuple of 1 results", check_example, operator, TWICE)


@pytest.mark.parametrize(
    ("error", "words"),
    [(1e-4, None), (1e-2, "4 of 4 elements differ by more than rtol 0.001 and atol 1e-05 allow")],
)
def test_a_tolerance_is_kept(error: float, words: str | None) -> None:
    operator = planted(compute=then(lambda y: y * np.float32(1 + error)))
    accuracy = {"float": (1e-3, 1e-5)}
    if words is None:
        check_example(operator, ONCE, oracle, accuracy)
        refused("4 of 4 elements differ", check_example, operator, ONCE, oracle, {"double": (1, 1)})
    else:
        refused(words, check_example, operator, ONCE, None, accuracy)


# Wrong memory


def written(place: Callable[[Any, Any], None]) -> Any:
    """A delivery that leaves the results right, and does something else too."""

    def deliver(self: Any, y: Any, out: Any) -> Any:
        results = Stretch.deliver(self, y, out)
        if out is not None:
            place(out[0], y)
        return results

    return deliver


def all_but_the_last(self: Any, y: Any, out: Any) -> Any:
    if out is None:
        return (y,)
    out[0].flat[:-1] = y.flat[:-1]
    return (out[0],)


def beside(after: bool) -> Callable[[Any, Any], None]:
    def place(out: Any, y: Any) -> None:
        if out.base is not None and out.base.size > out.size:
            out.base[-16 if after else 15] = y.flat[0]

    return place


def between(out: Any, y: Any) -> None:
    if not out.flags.c_contiguous:
        out.base[17] = y.flat[0]


def gives_a_copy(self: Any, y: Any, out: Any) -> Any:
    return (Stretch.deliver(self, y, out)[0].copy(),)


@pytest.mark.parametrize("example", [ONCE, FLAGS], ids=lambda e: e.name)
@pytest.mark.parametrize(
    ("deliver", "words"),
    [
        (lambda self, y, out: (y,), "with out=: a result is not the buffer"),
        (
            lambda self, y, out: (y if out is None else out[0],),
            "with out=: Y: . of . elements diff",
        ),
        (all_but_the_last, "with out=: Y: 1 of . elements differ"),
        (gives_a_copy, "with out=: a result is not the buffer"),
        (written(beside(after=True)), "with out=: .*memory beside the out= buffer was written to"),
        (written(beside(after=False)), "with out=: .*memory beside the out= buffer was written to"),
        (written(between), "with strided out=: .*memory beside the out= buffer was written to"),
    ],
)
def test_a_wrongly_written_buffer_is_refused(example: Example, deliver: Any, words: str) -> None:
    refused(words, check_example, planted(deliver=deliver), example)


def test_a_buffer_that_overlaps_an_input_is_not_read_after_it_is_written() -> None:
    def call(
        self: Any, inputs: Any, attributes: Any, *, out: Any = None, outputs: Any = None
    ) -> Any:
        x, count, _ = self.read(inputs)
        rows = [row for row in range(x.shape[0]) for _ in range(int(count[0]))]
        y = np.empty((len(rows), *x.shape[1:]), x.dtype) if out is None else out[0]
        for to, row in enumerate(rows):
            y[to] = x[row]
        return (y,)

    refused("in the memory of input 0: Y: ", check_example, planted(__call__=call), TWICE)


def in_place(self: Any, inputs: Any) -> Any:
    arrays = Stretch.read(self, inputs)
    if arrays[0].flags.writeable:
        arrays[0].flat[0] += 0 if arrays[0].flat[0] else 1
        arrays[0].flat[0] *= 1
        arrays[0].flat[-1] += 1
    return arrays


def writes_a_gap(self: Any, inputs: Any) -> Any:
    base = inputs[0].base
    if base is not None and base.ndim == inputs[0].ndim and base.flags.writeable:
        base[(0,) * base.ndim] = 7
    return Stretch.read(self, inputs)


def reshapes(self: Any, inputs: Any) -> Any:
    copies = Stretch.read(self, [one.copy() for one in inputs])
    inputs[0].setflags(write=False)
    return copies


def works_on_the_count(self: Any, inputs: Any) -> Any:
    arrays = Stretch.read(self, [inputs[0].copy(), inputs[1].copy()])
    inputs[1][0] += 1
    return arrays


@pytest.mark.parametrize(
    ("read", "words"),
    [
        (in_place, "elements differ"),
        (writes_a_gap, "with strided inputs: input X: its memory was written to"),
        (reshapes, "with plain inputs: input X: its shape, strides, type or flags were changed"),
        (works_on_the_count, "with plain inputs: input count: its memory was written to"),
    ],
)
def test_a_changed_input_is_refused(read: Any, words: str) -> None:
    refused(words, check_example, planted(read=read), ONCE)


def test_an_input_changed_only_with_a_buffer_is_refused() -> None:
    def call(
        self: Any, inputs: Any, attributes: Any, *, out: Any = None, outputs: Any = None
    ) -> Any:
        results = Stretch.__call__(self, inputs, attributes, out=out)
        if out is not None and not np.may_share_memory(out[0], inputs[0]):
            inputs[1][...] = 0
        return results

    words = "^with out=: input count: its memory was written to"
    refused(words, check_example, planted(__call__=call), ONCE)

    def overlapping(
        self: Any, inputs: Any, attributes: Any, *, out: Any = None, outputs: Any = None
    ) -> Any:
        results = Stretch.__call__(self, inputs, attributes, out=out)
        if out is not None and np.may_share_memory(out[0], inputs[0]):
            inputs[1][...] = 0
        return results

    words = "^with out= in the memory of input 0: input count: its memory was written to"
    refused(words, check_example, planted(__call__=overlapping), ONCE)


def test_an_input_handed_back_is_refused() -> None:
    operator = planted(compute=lambda self, x, count, b, gain: x)
    refused("with plain inputs: Y: shares memory with X", check_example, operator, ONCE)


def test_changed_attributes_are_refused() -> None:
    def call(self: Any, inputs: Any, attributes: Any, **keywords: Any) -> Any:
        results = Stretch.__call__(self, inputs, attributes, **keywords)
        attributes["axes"].append(2)
        return results

    refused("the attributes were", check_example, planted(__call__=call), GAIN)


# Wrong readings of layouts


def only(condition: Callable[[Any], bool]) -> Any:
    """Reads the memory wrongly where an input is in some way."""

    def read(self: Any, inputs: Any) -> Any:
        arrays = Stretch.read(self, inputs)
        if condition(inputs[0]):
            arrays[0] = arrays[0][::-1].copy()
        return arrays

    return read


@pytest.mark.parametrize(
    ("condition", "layout"),
    [
        (lambda x: not x.dtype.isnative, "byte-swapped"),
        (lambda x: not x.flags.writeable, "read-only"),
        (lambda x: not x.flags.aligned, "unaligned"),
        (lambda x: min(x.strides) < 0, "reversed"),
        (lambda x: 0 < x.strides[0] < x.strides[-1], "transposed"),
        (lambda x: x.strides[-1] > x.itemsize and x.strides[0] > x.strides[-1], "strided"),
    ],
)
def test_a_misread_layout_is_refused(condition: Any, layout: str) -> None:
    words = f"^with {layout} inputs: Y: "
    refused(words, check_example, planted(read=only(condition)), ONCE)


def test_swapped_bytes_taken_as_they_are_are_refused() -> None:
    operator = planted(native=lambda self, one: one.view(one.dtype.newbyteorder("=")))
    refused("^with byte-swapped inputs: ", check_example, operator, ONCE)


def test_an_error_for_some_layout_is_refused() -> None:
    def read(self: Any, inputs: Any) -> Any:
        if not inputs[0].flags.writeable:
            raise OpError("Stretch-4: X is read-only")
        return Stretch.read(self, inputs)

    words = "with read-only inputs: raised OpError: Stretch-4: X is read-only"
    refused(words, check_example, planted(read=read), ONCE)


def test_an_absent_input_may_be_none() -> None:
    def read(self: Any, inputs: Any) -> Any:
        if len(inputs) == 3 and inputs[2] is None:
            raise OpError("Stretch-4: B is None")
        return Stretch.read(self, inputs)

    refused("absent inputs given as None: raised", check_example, planted(read=read), ONCE)

    def call(
        self: Any, inputs: Any, attributes: Any, *, out: Any = None, outputs: Any = None
    ) -> Any:
        results = Stretch.__call__(self, inputs, attributes, out=out)
        results[0][0, 0] += len(inputs) == 3
        return results

    words = "with absent inputs given as None: Y: 1 of 4 elements differ"
    refused(words, check_example, planted(__call__=call), ONCE)


# Table and oracle


def test_table_and_oracle_must_agree() -> None:
    wrong = Example(ONCE.name, ONCE.inputs, {"Y": tensor("float", [[1, 2], [3, 5]])})
    refused("the oracle against the table: Y: 1 of 4", check_example, Stretch(), wrong, oracle)
    refused("with plain inputs: Y: 1 of 4", check_example, Stretch(), wrong)


def test_both_judge() -> None:
    """A tolerance that lets the table and the oracle differ does not let the operator choose."""
    rough = Example(ONCE.name, ONCE.inputs, {"Y": tensor("float", [[1, 2], [3, 4.0009765625]])})
    accuracy = {"float": (0.0, 0.001)}
    check_example(Stretch(), rough, oracle, accuracy)
    for error in (0.0015, -0.0005):
        operator = planted(compute=changed((1, 1), 4 + error))
        refused("with plain inputs: Y: 1 of 4", check_example, operator, rough, oracle, accuracy)
