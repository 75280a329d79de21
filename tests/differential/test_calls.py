"""The quick profile: some calls of every version, the same every time, drawn without Hypothesis.

``make fuzz`` runs more, and makes a call that fails small.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from differential.judges import Judge
from differential.known import Difference, Known, known
from differential.run import KINDS, applies, run_without_hypothesis
from differential.runtimes import Runtime, runtimes
from differential.tally import Tally
from differential.versions import Version, versions
from opmill.conformance._drawn import Drawn

EXAMPLES = {"legal": 20, "illegal": 25, "guess": 20}
FEWER = {"legal": 5, "illegal": 8, "guess": 5}
"""Of other versions of a family: they share rules, kernels and drawing with the one of EXAMPLES."""
RUNTIMES = runtimes(torch=False)
NEWEST = {one.family: one for one in versions()}
"""The version of each family that has EXAMPLES, as ``make mutate`` asks it about mutants."""


def examples(version: Version, kind: str) -> int:
    """Number of calls of a version that are judged."""
    return (EXAMPLES if version is NEWEST[version.family] else FEWER)[kind]


def judge(version: Version, others: Sequence[Runtime] = RUNTIMES) -> Judge:
    return Judge(version, others, known()[1], Tally())


@pytest.mark.each_version
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("version", versions(), ids=str)
def test_calls(version: Version, kind: str) -> None:
    judging = judge(version)
    assert applies(judging, kind), "a family says what its calls are, in calls.py"
    count = examples(version, kind)
    run_without_hypothesis(judging, kind, count)
    counts = judging.tally.as_data()[version.key]
    if kind == "legal":
        smallest = min(counts["compared"][name] for name in ("oracle", *version.operator.backends))
        assert smallest >= count
    elif kind == "guess" and takes_all(version):
        assert counts["refused"] == 0
        assert counts["legal"] >= count // 4
    elif kind == "guess":
        # Others are legal and too large to compute: three of four of StringSplit's.
        assert max(counts["refused"], counts["legal"]) >= count // 8
    else:
        assert counts["refused"] >= count // 4


def takes_all(version: Version) -> bool:
    """True if no guess is wrong: the family knows no illegal call, no attribute is required."""
    required = any(attribute.required for attribute in version.schema.attributes)
    return version.illegal is None and not required


# The judge notices


class Planted:
    """An operator that answers as another does, with something wrong planted."""

    def __init__(self, operator: Any, fault: str) -> None:
        self.operator = operator
        self.fault = fault
        self.backends = operator.backends
        self.schema = operator.schema

    def __call__(
        self, inputs: Any, attributes: Any, *, out: Any = None, outputs: int | None = None
    ) -> tuple[Any, ...]:
        try:
            results: tuple[Any, ...] = self.operator(inputs, attributes, out=out, outputs=outputs)
        except ValueError:
            if self.fault == "written" and out:
                out[0].reshape(-1)[:1] = 0
            raise
        if self.fault == "element" and results[0].size:
            first = (0,) * results[0].ndim
            wrong = np.array([results[0][first]])
            wrong.view(np.uint8)[0] ^= 1
            results[0][first] = wrong[0]
        if self.fault == "input":
            inputs[0].reshape(-1)[:1] = 0
        return results

    def infer(self, inputs: Any, attributes: Any, outputs: int | None = None) -> Any:
        if self.fault == "accepted":
            attributes = {}
        return self.operator.infer(inputs, attributes, outputs)


def exact() -> Version:
    """A version without attributes, whose results are exact; of one input, for short reports."""
    return next(
        one
        for one in versions()
        if not one.accuracy and not one.schema.attributes and len(one.schema.inputs) == 1
    )


def planted(fault: str) -> Judge:
    """The judge of a version with a fault planted."""
    version = exact()
    fields = {name: getattr(version, name) for name in version.__dataclass_fields__}
    return judge(Version(**fields | {"operator": Planted(version.operator, fault)}), ())


@pytest.mark.parametrize(
    ("fault", "kind", "words"),
    [
        ("element", "legal", "elements differ"),
        ("input", "legal", "memory was written to"),
        ("written", "illegal", "buffer was written to"),
        ("accepted", "illegal", "computed in spite of a AttributeValueError"),
    ],
)
def test_the_judge_notices(fault: str, kind: str, words: str) -> None:
    with pytest.raises(AssertionError, match=words):
        run_without_hypothesis(planted(fault), kind, EXAMPLES[kind])


def test_the_judge_notices_another_runtime() -> None:
    class Wrong:
        name, version = "wrong", "1"

        def takes(self, version: Version, drawn: Drawn) -> bool:
            return True

        def run(self, version: Version, drawn: Drawn) -> list[Any]:
            return [np.zeros(3, np.float32)]

    with pytest.raises(AssertionError, match="wrong: expected"):
        run_without_hypothesis(judge(exact(), [Wrong()]), "legal", 10)
    with pytest.raises(AssertionError, match="wrong computes an illegal call"):
        run_without_hypothesis(judge(exact(), [Wrong()]), "illegal", 10)


def test_elements_that_are_known_to_differ_are_not_compared() -> None:
    """A runtime that gets numbers wrong that an integer cannot hold, and another one wrong too."""

    class Wrong:
        name, version = "wrong", "1"

        def __init__(self, *results: int) -> None:
            self.results = results

        def takes(self, version: Version, drawn: Drawn) -> bool:
            return True

        def run(self, version: Version, drawn: Drawn) -> list[Any]:
            return [np.array(self.results, np.int8)]

    version = next(one for one in versions() if one.label == "Cast-24")
    drawn = Drawn([np.array([1, 1000, 2], np.float32)], {"to": 3})
    entry = Difference(
        name="out of range",
        runtime="wrong",
        versions=("Cast-24",),
        legal=True,
        when=compile("result == 'int8'", "", "eval"),
        where=compile("not fits(x, result)", "", "eval"),
        example={},
        answers={},
    )
    Judge(version, [Wrong(1, 77, 2)], Known([entry]), Tally()).legal(drawn)
    with pytest.raises(AssertionError, match="wrong: 1 of 3 elements differ; at \\[2\\]"):
        Judge(version, [Wrong(1, 77, 3)], Known([entry]), Tally()).legal(drawn)


def test_a_refusal_is_asked_with_a_buffer_of_the_outputs_type() -> None:
    """A text that is no number is refused by its contents, in the same words with ``out=``."""
    version = next(one for one in versions() if one.label == "Cast-24")
    drawn = Drawn([np.array(["no number"], object)], {"to": 1})
    judging = judge(version, ())
    judging.legal(drawn)
    (buffer,) = judging.likely_buffers(drawn)
    assert (buffer.array.dtype, buffer.array.shape) == (np.float32, (1,))
