"""Draws calls of an operator version for another runtime, and reduces the first that fails.

Families describe their calls in ``calls``, oracles compute what comes of them. The runtime works in
a process of its own, which may crash or hang.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Any

import numpy as np

from opmill._compare.shrink import shrunk
from opmill._needed import needed
from opmill._runtime.errors import OpError
from opmill._runtime.operator import Operator
from opmill._runtime.registry import operator as operator_of
from opmill._runtime.schema import Schema
from opmill.conformance import _tables
from opmill.conformance._cases import Case, Sparse, Value
from opmill.conformance._models import InexpressibleError
from opmill.conformance._process import Worker
from opmill.conformance._run import Outcome, Result, judged

_tables.provide()

from opmill_checks.contents import RefusedContents  # noqa: E402
from opmill_checks.interface import positional  # noqa: E402
from opmill_checks.operators import accuracy_of, oracle_of  # noqa: E402
from opmill_checks.parameters import ask, with_parameters  # noqa: E402
from opmill_checks.value import SparseArrays  # noqa: E402

KINDS = ("legal", "illegal")
"""The kinds of calls: ``illegal`` ones only search for crashes."""

_MAX_ENDED = 6
"""The number of processes that calls may end; each of the next takes seconds to start."""

_FAILED = (Outcome.WRONG, Outcome.CRASHED, Outcome.HUNG)


@dataclass(frozen=True)
class Drawable:
    """An operator version whose calls can be drawn.

    Args:
        operator: the operator version.
        accuracy: the tolerance of each element type; a type that is not in it is exact.
        oracle: computes the outputs of a call.
        legal: draws a legal call.
        illegal: draws a call with one fault; ``None`` if the family has none.
    """

    operator: Operator
    accuracy: Mapping[str, tuple[float, float]]
    oracle: Callable[..., Mapping[str, Any]]
    legal: Callable[..., Any]
    illegal: Callable[..., Any] | None

    @property
    def schema(self) -> Schema:
        """The schema of the version."""
        return self.operator.schema


def drawable(schema: Schema, family: str, known: Mapping[str, Any]) -> Drawable | None:
    """Return an operator version with what draws its calls; ``None`` if nothing does.

    Args:
        schema: the operator version.
        family: the name of its family.
        known: the parameters of the family and the rule, as the spec binds them.
    """
    key = (schema.domain, schema.name, schema.since_version)
    oracle, name = oracle_of(key), f"calls.{family}"
    if oracle is None or importlib.util.find_spec(name) is None:
        return None
    if not all(map(schema.is_tensor, (*schema.inputs, *schema.outputs))):
        return None
    calls = importlib.import_module(name)
    words = {
        variable: tuple(one[len("tensor(") : -1] for one in types if one.startswith("tensor("))
        for variable, types in schema.type_constraints.items()
    }
    given = {
        **known,
        "inputs": tuple(one.name for one in schema.inputs),
        "attributes": frozenset(one.name for one in schema.attributes),
        "kinds": {one.name: one.kind for one in schema.attributes},
        "types": words,
    }
    illegal = getattr(calls, "illegal", None)
    return Drawable(
        operator_of(schema.name, schema.since_version, schema.domain),
        accuracy_of(key),
        oracle,
        with_parameters(calls.legal, given),
        None if illegal is None else with_parameters(illegal, given),
    )


@dataclass
class Fuzzed:
    """The calls of an operator version that were computed.

    Args:
        schema: the operator version.
        counts: the number of calls by kind and outcome, as ``legal right``.
        failure: the smallest call that fails, with its outcome.
    """

    schema: Schema
    counts: Counter[str] = field(default_factory=Counter)
    failure: Result | None = None


@dataclass
class Fuzzer:
    """Has drawn calls computed by another runtime.

    Args:
        worker: the process with the runtime.
        end: the time of ``time.monotonic`` after which no further call is computed.
    """

    worker: Worker
    end: float
    _ended: int = 0
    _known: dict[bytes, tuple[Outcome, str]] = field(default_factory=dict)

    def run(self, version: Drawable, kind: str, examples: int, seed: int, found: Fuzzed) -> None:
        """Draw calls of one kind; the smallest one that fails becomes ``found.failure``.

        Args:
            version: the operator version.
            kind: one of ``KINDS``.
            examples: the number of calls.
            seed: all calls follow from it.
            found: the counts to add to.

        Raises:
            ImportError: hypothesis is not installed.
        """
        hypothesis = needed("hypothesis", "opmill fuzz", "hypothesis>=6.100,<7")
        from opmill.conformance import _drawn

        last: list[Any] = []
        drawing = {"legal": _drawn.legal, "illegal": _drawn.illegal}[kind]
        strategy = hypothesis.strategies.composite(drawing)(version)
        reducing = False

        def tried(drawn: Any) -> None:
            nonlocal reducing
            case = _case_of(version, drawn, kind)
            result = None if case is None else self._result(case)
            if result is None:
                return
            failed = result.outcome in _FAILED
            if not reducing:
                found.counts[f"{kind} {result.outcome}"] += 1
            if failed:
                reducing, found.failure = True, result
                last[:] = [drawn]
                raise AssertionError(result.text)

        phases = (hypothesis.Phase.generate, hypothesis.Phase.shrink)
        options = hypothesis.settings(
            max_examples=examples, database=None, deadline=None, phases=phases,
            suppress_health_check=list(hypothesis.HealthCheck), print_blob=False,
            verbosity=hypothesis.Verbosity.quiet, report_multiple_bugs=False,
        )  # fmt: skip
        try:
            hypothesis.seed(seed)(options(hypothesis.given(strategy)(tried)))()
        except AssertionError:
            assert found.failure is not None
            if kind == "legal":
                found.failure = self._reduced(version, last[0], found.failure)

    def _reduced(self, version: Drawable, drawn: Any, failure: Result) -> Result:
        """A failing call with smaller inputs: what is simple to draw need not be small."""
        smallest = failure

        def differs(inputs: Mapping[str, Any]) -> bool:
            nonlocal smallest
            changed = replace(drawn, inputs=list(inputs.values()))
            try:
                version.operator.infer(changed.inputs, changed.attributes, changed.outputs)
            except OpError:
                return False
            case = _case_of(version, changed, "legal")
            if case is None or any(isinstance(k, Value) and not k.items for k in case.outputs):
                return False
            result = self._result(case)
            if result is None or result.outcome is not failure.outcome:
                return False
            smallest = result
            return True

        shrunk({str(k): one for k, one in enumerate(drawn.inputs)}, differs)
        return smallest

    def _result(self, case: Case) -> Result | None:
        """The outcome of a case; ``None`` if it is new and the time is over."""
        try:
            model = case.model().SerializeToString(deterministic=True)
        except InexpressibleError:
            return None
        inputs = [value.to_array() for value in case.inputs if value is not None]
        key = model + repr(case.inputs).encode()
        if key not in self._known:
            if monotonic() > self.end or self._ended == _MAX_ENDED:
                return None
            answer = self.worker.ask(model, inputs)
            self._ended += answer.kind in ("crashed", "hung")
            self._known[key] = judged(case, answer, strict=False)
        return Result(case, *self._known[key])


def _case_of(version: Drawable, drawn: Any, kind: str) -> Case | None:
    """A drawn call as a case; ``None`` if nothing is known of its outcome."""
    schema = version.schema
    attributes = {name: _value(one) for name, one in drawn.attributes.items()}
    inputs = tuple(None if one is None else Value.from_array(one) for one in drawn.inputs)
    count = drawn.outputs or len([one for one in schema.outputs if one.option == "single"])
    if kind == "illegal":
        return Case(schema, "drawn", None, inputs, attributes, error=str(drawn.raises),
                    requested=max(count, 1))  # fmt: skip
    try:
        by_name = dict(ask(version.oracle, _by_name(schema, inputs), attributes, drawn.outputs))
    except RefusedContents:
        return None
    asked = {one.name: by_name[one.name] for one in drawn.asked(schema) if one.name in by_name}
    outputs = tuple(positional(schema.outputs, asked))
    accuracy = tuple(
        version.accuracy.get(one.type) if isinstance(one, Value) else None for one in outputs
    )
    requested = sum(one is not None for one in outputs)
    return Case(schema, "drawn", None, inputs, attributes, outputs, accuracy, requested=requested)


def _by_name(schema: Schema, inputs: tuple[Any, ...]) -> dict[str, Any]:
    """The inputs by name: ``None`` for an absent one, a list for a variadic one."""
    found: dict[str, Any] = {}
    for position, parameter in enumerate(schema.inputs):
        if parameter.option == "variadic":
            found[parameter.name] = list(inputs[position:])
        else:
            found[parameter.name] = inputs[position] if position < len(inputs) else None
    return found


def _value(one: Any) -> Any:
    """An attribute as a case has it."""
    if isinstance(one, SparseArrays):
        parts = Value.from_array(one.values), Value.from_array(one.indices)
        return Sparse(*parts, tuple(one.dims))
    return Value.from_array(one) if isinstance(one, np.ndarray) else one
