"""Measures each node of the runs in a ``with`` block."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar, Token
from dataclasses import dataclass
from time import perf_counter_ns
from types import TracebackType
from typing import TYPE_CHECKING, Any

from opmill._model.graph import Node
from opmill._model.limits import Limited
from opmill._runtime.backend import BackendError
from opmill._runtime.errors import OpError
from opmill._runtime.operator import Operator
from opmill._runtime.public import public

if TYPE_CHECKING:
    from opmill._model.steps import Step

_active: ContextVar[Trace | None] = ContextVar("opmill_trace", default=None)

active = _active.get
"""The trace of the context; ``None`` where nothing is measured."""


@contextmanager
def suspended() -> Iterator[None]:
    """Measure nothing in a ``with`` block."""
    token = _active.set(None)
    try:
        yield
    finally:
        _active.reset(token)


@public
@dataclass(frozen=True, slots=True)
class NodeTrace:
    """The computation of one node.

    Args:
        node: its location in the model, as ``node 2 'relu'``.
        operator: the operator version, as ``Relu-14``.
        domain: the operator's domain.
        kernel: how it was computed: the backend, with the kernel and the instruction set where they
            are known, as ``c tiles avx2``; ``view`` where nothing was copied; ``joined`` where the
            node before it in the list computed it too, as a Conv does with a Relu behind it.
        inputs: the shape of each input, ``None`` for a value that is no tensor.
        outputs: the shape of each output, ``None`` for a value that is no tensor.
        bytes: the size of all its tensors, inputs and outputs.
        seconds: the time that the call took, with that of the nodes in its subgraphs, and of a
            ``joined`` node behind it, whose own time is 0.
        depth: 0 for a node of the model's graph, 1 for one of a subgraph of it, and so on.
    """

    node: str
    operator: str
    domain: str
    kernel: str
    inputs: tuple[tuple[int, ...] | None, ...]
    outputs: tuple[tuple[int, ...] | None, ...]
    bytes: int
    seconds: float
    depth: int


@public
class Trace:
    """The context manager that ``Model.trace`` returns.

    It measures the runs of the model that begin in the ``with`` block, in its thread or task.
    """

    def __init__(
        self,
        model: object,
        progress: Callable[[Sequence[Step]], Iterable[Step]] | None = None,
        *,
        records: bool = True,
    ) -> None:
        """Measure nothing yet.

        Args:
            model: the model whose runs are measured.
            progress: passes on the steps of a run, and may show how far it is.
            records: whether to measure, or only to show progress.
        """
        self.model = model
        """The model whose runs are measured."""
        self.nodes: list[NodeTrace] = []
        """The computed nodes, in order; the nodes of a subgraph follow the node that runs it."""
        self._progress = progress
        self._records = records
        self._depth = 0
        self._token: Token[Trace | None] | None = None

    def __enter__(self) -> Trace:
        """Begin to measure."""
        self._token = _active.set(self)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Stop measuring."""
        assert self._token is not None
        _active.reset(self._token)

    @property
    def seconds(self) -> float:
        """The time of all nodes of the model's graph together."""
        return sum(node.seconds for node in self.nodes if node.depth == 0)

    def run(
        self,
        values: list[Any],
        steps: Sequence[Step],
        compute: Callable[[Step, Sequence[Any]], Sequence[Any]],
    ) -> None:
        """Compute all steps, and measure each; ``compute`` gives the outputs of one."""
        progress = self._progress if self._depth == 0 else None
        items: Iterable[Step] = steps if progress is None else progress(steps)
        for step in items:
            arguments = step.gather(values)
            position = len(self.nodes)
            self._depth += 1
            try:
                started = perf_counter_ns()
                results = compute(step, arguments)
                seconds = (perf_counter_ns() - started) / 1e9
            finally:
                self._depth -= 1
            if self._records:
                records = self._records_of(step, arguments, results, seconds)
                self.nodes[position:position] = records  # before those of its subgraphs
            for number, result in zip(step.outputs, results, strict=True):
                values[number] = result
            for number in step.released:
                values[number] = None

    def _records_of(
        self, step: Step, arguments: Sequence[Any], results: Sequence[Any], seconds: float
    ) -> list[NodeTrace]:
        """The records of a step: one, or two where it has computed two nodes."""
        node, operator = step.node, step.node.operator
        kernel = _kernel(step, arguments, results)
        records = [self._record(node, kernel, arguments, results, seconds)]
        if isinstance(operator, Limited):
            given = (*results, *operator.others)
            records.append(self._record(operator.behind, operator.kernel, given, results, 0.0))
        return records

    def _record(
        self,
        node: Node,
        kernel: str,
        arguments: Sequence[Any],
        results: Sequence[Any],
        seconds: float,
    ) -> NodeTrace:
        return NodeTrace(
            node.location,
            node.label,
            node.domain,
            kernel,
            tuple(_shape(value) for value in arguments if value is not None),
            tuple(_shape(value) for value in results),
            sum(getattr(value, "nbytes", 0) for value in (*arguments, *results)),
            seconds,
            self._depth,
        )


def _kernel(step: Step, arguments: Sequence[Any], results: Sequence[Any]) -> str:
    """The implementation that computed a step, as far as the trace shows it."""
    operator = step.node.operator
    if isinstance(operator, Limited):
        operator = operator.operator
    if not isinstance(operator, Operator):
        return operator.kernel
    if any(results[0] is not None and _views(results[0], given) for given in arguments[:1]):
        return "view"
    try:
        found = operator.explain(arguments, step.attributes, step.wanted)
    except (OpError, BackendError):  # a choice that the call itself did not need
        return "numpy"
    return " ".join(filter(None, (found.backend, found.kernel, found.instruction_set)))


def _views(result: Any, given: Any) -> bool:
    """Return whether a result is in the memory of what was given."""
    base = getattr(result, "base", None)
    return base is not None and (base is given or base is getattr(given, "base", None))


def _shape(value: Any) -> tuple[int, ...] | None:
    shape: tuple[int, ...] | None = getattr(value, "shape", None)
    return shape
