"""Checks of a drawn call: both backends against the oracle, the reference, the runtimes.

A legal call is computed by every backend, in the drawn layout, into the drawn buffer, and by every
runtime that takes it; the family's oracle judges all of them, and the reference executor of the
rules must derive the same shapes. An illegal call is refused by every backend in the same words,
with nothing written; the reference executor says the same words, and the runtimes refuse it too,
but for the differences that are known.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from onnx import defs

import opmill
import rules_reference
from differential import guarded, signature
from differential.known import Known
from differential.runtimes import RefusedByRuntime, Runtime, answer
from differential.tally import Tally
from differential.versions import Version
from opmill import OpError
from opmill.conformance._drawn import Drawn
from opmill_checks.compare import assert_matches
from opmill_checks.contents import RefusedContents
from opmill_checks.interface import parameter_at, positional
from opmill_checks.parameters import ask
from opmill_checks.run import assert_inferred
from opmill_checks.value import STRING_KINDS, Sparse, SparseArrays, Value, type_of
from opmill_checks.watch import LAYOUTS, Canary, Watched, in_container
from rules_values import Given

Array = Any
Refusal = tuple[str, str]
"""The name of an error's class, and its text."""

Shapes = dict[str, list[tuple[int, ...]]]
"""The shapes of each output: of a variadic one, several."""
LARGEST = 20_000
"""The elements of an output that a guessed call may have and still be computed."""


class Judge:
    """Judges the calls of one operator version, and counts them.

    Args:
        version: whose calls they are.
        runtimes: the others that are asked.
        known: where they are known to differ.
        tally: counts.
    """

    def __init__(
        self, version: Version, runtimes: Sequence[Runtime], known: Known, tally: Tally
    ) -> None:
        self.version = version
        # Others know the operators that ONNX has published, and no more, but onnxruntime its own.
        published = defs.has(version.schema.name, domain=version.schema.domain_in_models)
        self.runtimes = [one for one in runtimes if published or one.name == version.publisher]
        self.known = known
        self.tally = tally

    def legal(self, drawn: Drawn) -> None:
        """A call that must be computed; with all outputs, where it may not ask for so few."""
        self.tally.count(self.version.key, "legal")
        if self.refuses_number_of_outputs(drawn):
            drawn = replace(drawn, outputs=len(self.version.schema.outputs))
        try:
            expected = self.by_oracle(drawn)
        except RefusedContents as refused:
            self.refuses_contents(drawn, refused)
            return
        reference = self.by_reference(drawn)
        assert not isinstance(reference, tuple), f"the reference refuses: {reference}"
        inferred = self.version.operator.infer(drawn.inputs, drawn.attributes, drawn.outputs)
        formals = self.version.schema.outputs
        bounded = {
            parameter.name
            for parameter, one in zip(formals, inferred, strict=False)
            if None in one.shape
        }
        for formal in formals[: len(reference)]:
            if formal.option == "optional" and formal.name not in expected:
                continue  # not computed by such a call; below, none is missing that is asked for
            name, shapes = formal.name, reference[formal.alias or formal.name]
            values = expected[name] if formal.option == "variadic" else [expected[name]]
            right = [value.shape for value in values]
            if name in bounded and len(shapes) == 1 and len(shapes[0]) == len(right[0]):
                pairs = zip(right[0], shapes[0], strict=True)
                right = [tuple(max(dim, largest) for dim, largest in pairs)]
            assert shapes == right, f"{name}: the reference has shape {shapes}, expected {right}"
        asked = {one.name: expected[one.name] for one in drawn.asked(self.version.schema)}
        wanted = positional(formals, asked)
        for backend in self.version.operator.backends:
            with opmill.use_backend(backend):
                self.computed(backend, drawn, wanted)
        for runtime in self.runtimes:
            self.by_runtime(runtime, drawn, wanted)

    def refuses_number_of_outputs(self, drawn: Drawn) -> bool:
        """True if some optional outputs are asked for without others, which rules may forbid."""
        if drawn.outputs in (None, len(self.version.schema.outputs)):
            return False
        refusal = self.refused(drawn)
        return refusal is not None and ": number of outputs is " in refusal[1]

    def refuses_contents(self, drawn: Drawn, refused: RefusedContents) -> None:
        """Every backend refuses an element that rules do not see, in the same words."""
        for backend in self.version.operator.backends:
            self.tally.compared(self.version.key, backend)
            with opmill.use_backend(backend):
                said = self.refusal(drawn)
            assert said[0] == "OpError", said
            assert said[1].endswith(as_shown(refused.reason)) or len(said[1].encode()) >= 250, said

    def illegal(self, drawn: Drawn) -> None:
        """A call that must be refused."""
        self.tally.count(self.version.key, "refused")
        refusal = self.refused(drawn)
        assert refusal is not None, "an illegal call was computed"
        assert refusal[0] == drawn.raises, f"expected {drawn.raises}, got {refusal}"
        for runtime in self.runtimes:
            self.by_runtime(runtime, drawn, None)

    def guess(self, drawn: Drawn) -> None:
        """A call that the reference decides on."""
        refusal = self.refused(drawn)
        if refusal is not None:
            self.tally.count(self.version.key, "refused")
            return
        inferred = self.version.operator.infer(drawn.inputs, drawn.attributes, drawn.outputs)
        if all(math.prod(one.bound) <= LARGEST for one in inferred):
            self.legal(drawn)

    # Opmill

    def computed(self, backend: str, drawn: Drawn, wanted: Sequence[Value]) -> None:
        """A backend computes what is wanted, and writes nowhere else."""
        self.tally.compared(self.version.key, backend)
        operator = self.version.operator
        inputs = [watched(array, drawn, place) for place, array in enumerate(drawn.inputs)]
        given = [one and one.array for one in inputs]
        buffers = [Canary(one.type, one.shape, 0, drawn.out) for one in wanted if drawn.out]
        text = any(one is not None and one.array.dtype.kind in STRING_KINDS for one in inputs)
        if text and drawn.container != "object":
            buffers = []
        out = [buffer.array for buffer in buffers] or None
        results = operator(given, drawn.attributes, out=out, outputs=drawn.outputs)
        assert len(results) == len(wanted)
        for place, (value, result) in enumerate(zip(wanted, results, strict=True)):
            name = f"{backend}: {parameter_at(operator.schema.outputs, place).name}"
            assert_matches(value, result, self.version.accuracy.get(value.type), what=name)
        for canary, result in zip(buffers, results, strict=False):
            assert result is canary.array, "not the out= buffer"
            canary.assert_guards(backend)
        for place, one in enumerate(inputs):
            if one is not None:
                one.assert_unchanged(f"{backend}: input {place}")
        inferred = operator.infer(given, drawn.attributes, drawn.outputs)
        assert_inferred(operator, inferred, wanted)

    def refused(self, drawn: Drawn) -> Refusal | None:
        """Error of ``infer`` and every backend, all in the same words; None for a valid call.

        The signature's judge must agree, and the reference where the signature is right.
        """
        operator = self.version.operator
        try:
            operator.infer(drawn.inputs, drawn.attributes, drawn.outputs)
            refusal = None
        except OpError as error:
            refusal = as_refusal(error)
            for backend in operator.backends:
                with opmill.use_backend(backend):
                    said = self.refusal(drawn)
                assert said == refusal, f"infer says {refusal}, {backend} says {said}"
        fault = signature.fault(self.version.schema, drawn.inputs, drawn.attributes)
        if fault is not None:
            assert refusal is not None, f"computed in spite of a {fault}"
            assert refusal[0] == fault, f"expected {fault}, got {refusal}"
        elif signature.has_sparse_fault(drawn.attributes):
            assert refusal is not None, "computed from a sparse tensor that is none"
            assert refusal[0] == "AttributeValueError", refusal
        elif refusal is not None and signature.names_wrong_type(
            self.version.schema, drawn.attributes
        ):
            assert refusal[0] in ("AttributeValueError", "ShapeError"), refusal
        else:
            self.agrees(self.by_reference(drawn), refusal)
        return refusal

    def refusal(self, drawn: Drawn) -> Refusal:
        """Error of the chosen backend. Nothing may have been written then."""
        operator = self.version.operator
        buffers = self.likely_buffers(drawn)
        inputs = [array if array is None else Watched(array) for array in drawn.inputs]
        said = set()
        for out in (None, [buffer.array for buffer in buffers]):
            try:
                operator(drawn.inputs, drawn.attributes, out=out, outputs=drawn.outputs)
            except OpError as error:
                said.add(as_refusal(error))
            else:
                raise AssertionError("computed what infer refuses")
        assert len(said) == 1, f"out= changes the refusal: {said}"
        for buffer in buffers:
            buffer.assert_untouched("although the call was refused")
        for place, one in enumerate(inputs):
            if one is not None:
                one.assert_unchanged(f"input {place}")
        return said.pop()

    def likely_buffers(self, drawn: Drawn) -> list[Canary]:
        """Buffers as a call would take them that is refused: as ``infer`` has the outputs.

        Where it refuses the call too, any will do; these are like the first input.
        """
        operator = self.version.operator
        try:
            inferred = operator.infer(drawn.inputs, drawn.attributes, drawn.outputs)
        except OpError:
            likely = next((a for a in drawn.inputs if a is not None), np.zeros(1, np.float32))
            type = type_of(likely.dtype)
            count = drawn.outputs or len(operator.schema.outputs)
            return [Canary(type, likely.shape, 0) for _ in range(count)]
        return [Canary(one.type, one.bound, 0) for one in inferred]

    # The judges

    def by_oracle(self, drawn: Drawn) -> dict[str, Any]:
        """Return the oracle's results: a value for each output, a list of a variadic one."""
        assert self.version.oracle is not None, "the family has no oracle"
        self.tally.compared(self.version.key, "oracle")
        given = by_parameter(self.version, drawn.inputs, Value.from_array)
        attributes = {name: as_value(value) for name, value in drawn.attributes.items()}
        return dict(ask(self.version.oracle, given, attributes, drawn.outputs))

    def by_reference(self, drawn: Drawn) -> Refusal | Shapes:
        """Return the result of the family's rule file under CPython: the shapes, or the refusal."""
        self.tally.compared(self.version.key, "reference rules")
        given = by_parameter(self.version, drawn.inputs, lambda array: array)
        inputs = []
        for name, value in given.items():
            if isinstance(value, list):
                inputs.append([as_given(name, array) for array in value])
            else:
                inputs.append(None if value is None else as_given(name, value))
        instance = self.version.instance
        source = instance.rule.text
        attributes = {
            one.alias or one.name: as_read(one, drawn.attributes.get(one.name, one.default), source)
            for one in self.version.schema.attributes
        }
        if "outputs: OutputCount" in source:
            attributes["outputs"] = len(drawn.asked(self.version.schema))
        done = rules_reference.run(
            source,
            inputs,
            attributes,
            label=self.version.label,
            constants=instance.rule_parameters,
            shared=self.version.shared,
            lacking=instance.lacking,
        )
        if done.error is not None:
            return done.error, str(done.message)
        assert done.shapes is not None
        return done.shapes

    @staticmethod
    def agrees(reference: Refusal | Shapes, refusal: Refusal | None) -> None:
        """The reference says the same, but that it does not count an output's bytes."""
        if isinstance(reference, tuple):
            assert refusal == reference
            return
        fits = [signature.countable(shape) for shapes in reference.values() for shape in shapes]
        if refusal is None:
            assert False not in fits, f"{reference} is too large"
        else:
            assert refusal[1].endswith(": output size overflows, expected at most 2^63-1"), (
                f"the reference: {reference}"
            )
            assert None in fits or False in fits, f"{reference} is not too large"

    def by_runtime(self, runtime: Runtime, drawn: Drawn, wanted: Sequence[Value] | None) -> None:
        """Another runtime computes what is wanted, or refuses what is not."""
        label = self.version.key
        if not runtime.takes(self.version, drawn):
            return
        differences = self.known.find(runtime.name, self.version, drawn, wanted)
        positions = set().union(
            *(one.positions(self.version, drawn, wanted) for one in differences)
        )
        random = any(one.is_random for one in differences)
        if any(one.where is None for one in differences) and not (random and wanted is not None):
            self.tally.known(label, runtime.name)
            return
        results = answer(runtime, self.version, drawn)
        self.tally.compared(label, runtime.name)
        if isinstance(results, RefusedByRuntime):
            assert wanted is None, f"{runtime.name} refuses a legal call: {results}"
            return
        assert wanted is not None, f"{runtime.name} computes an illegal call: {results}"
        if random:
            assert_described(wanted, results, what=runtime.name)
            return
        for value, result in zip(wanted, results, strict=True):
            tolerance = self.version.accuracy.get(value.type)
            assert_matches(value, result, tolerance, what=runtime.name, but=positions)


def assert_described(wanted: Sequence[Value], results: Sequence[Array], *, what: str) -> None:
    """Fail unless both have the same types and shapes."""
    found = [(type_of(one.dtype), one.shape) for one in results]
    described = [(one.type, one.shape) for one in wanted]
    assert found == described, f"{what}: {found}, expected {described}"


def by_parameter(
    version: Version, arrays: Sequence[Any], change: Callable[[Any], Any]
) -> dict[str, Any]:
    """The inputs of a call by name: None for an absent one, a list of a variadic one."""
    given: dict[str, Any] = {}
    for place, parameter in enumerate(version.schema.inputs):
        if parameter.option == "variadic":
            given[parameter.name] = [change(array) for array in arrays[place:]]
        else:
            array = arrays[place] if place < len(arrays) else None
            given[parameter.name] = None if array is None else change(array)
    return given


def watched(array: Array, drawn: Drawn, place: int) -> Watched | None:
    """An input in the drawn layout and container, where these can hold it."""
    if array is None:
        return None
    held = in_container(array, drawn.container)
    layout = drawn.layouts[place] if place < len(drawn.layouts) else "plain"
    if layout == "plain":  # a read beside an array ends the process
        return guarded.copy(held, at_end=place % 2 == 0) or Watched(held.copy())
    return LAYOUTS[layout](held) or Watched(held.copy())


def as_given(name: str, array: Array) -> Given:
    """A tensor as the reference executor takes it."""
    value = Value.from_array(array)
    kinds = (int, float)
    numbers = all(type(item) in kinds for item in value.items)
    return Given(name, value.type, value.shape, value.items if numbers else None)


def as_value(value: Any) -> Any:
    """An attribute as an oracle takes it."""
    if isinstance(value, SparseArrays):
        parts = Value.from_array(value.values), Value.from_array(value.indices)
        return Sparse(*parts, tuple(value.dims))
    return Value.from_array(value) if isinstance(value, np.ndarray) else value


ELEMENTS = {"INT": "int64", "FLOAT": "float", "STRING": "string"}


def as_read(attribute: Any, value: Any, source: str) -> Any:
    """An attribute as a rule reads it: one of kind FLOAT is a float32, unless it is a tensor;
    one of kind INT may be a float."""
    if value is None:
        return None
    name = attribute.alias or attribute.name
    if attribute.kind == "TENSOR":
        return as_given(name, value)
    if attribute.kind == "SPARSE_TENSOR":
        return Given(name, type_of(value.values.dtype), tuple(value.dims))
    signature_of_rule = source[source.index("def rules(") :].partition(" -> None:")[0]
    if re.search(rf"\b{name}: Tensor\b", signature_of_rule):
        shape = (len(value),) if isinstance(value, (list, tuple)) else ()
        type = ELEMENTS[attribute.kind.removesuffix("S")]
        items = tuple(value) if attribute.kind == "INTS" else None
        return Given(name, type, shape, items)
    if attribute.kind == "INT" and re.search(rf"\b{name}: float\b", signature_of_rule):
        return float(value)
    return float(np.float32(value)) if attribute.kind == "FLOAT" else value


def as_shown(reason: str) -> str:
    """A text as messages show it: bytes that are no printable ASCII as ``\\x0a``."""
    shown = re.sub(rb"[^ -~]|\\", lambda byte: b"\\x%02x" % byte[0][0], reason.encode("utf-8"))
    return shown.decode("ascii")


def as_refusal(error: OpError) -> Refusal:
    """An error's class and text."""
    return type(error).__name__, str(error)
