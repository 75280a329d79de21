"""``opmill.Model``: a network that has been read, checked and planned, and runs."""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from copy import copy
from typing import TYPE_CHECKING, Any, Literal, SupportsIndex, overload

from opmill._model.budget import MAX_NODES, Budget, Limits, counted_copy
from opmill._model.constants import Shared, memory_of
from opmill._model.declared import Declared, check_fed, check_result
from opmill._model.errors import FeedError, Missing, ModelError, lacking_error, shown
from opmill._model.graph import Graph, chosen_outputs
from opmill._model.plan import Program, plan
from opmill._model.qdq import Unfused
from opmill._model.qdq import fuse_qdq as fused
from opmill._model.steps import is_watched
from opmill._model.trace import Trace, active, suspended
from opmill._rewrite.rewrite import Rewritten, Unrewritten, rewrite
from opmill._runtime.backend import fixed, follow
from opmill._runtime.counts import as_count, integer_text
from opmill._runtime.public import public

if TYPE_CHECKING:
    from onnx import ModelProto

Fallback = Literal["onnxruntime", "reference"]

_PREPARED = frozenset(
    {"_all", "_input_positions", "_lock", "_names", "_plans", "_positions", "_required", "_shared"}
)
"""The attributes that ``Model._prepare`` sets."""

_ADVICE = (
    "; opmill.Model with fallback='onnxruntime' leaves such nodes to onnxruntime, which has "
    "operators that ONNX dropped"
)

_NO_DEFAULTS: frozenset[int] = frozenset()
"""No inputs that have an initializer, of those that a run is given."""

_MAX_PLANS = 32
"""The number of plans that a model keeps: one for each choice of outputs and of given defaults."""


@public
class Outputs(tuple[Any, ...]):
    """The outputs of a run: a tuple in order, and by name: ``outputs["y"]``, ``dict(outputs)``."""

    _names: tuple[str, ...]

    def __new__(cls, names: Sequence[str], values: Sequence[Any]) -> Outputs:
        """Make the tuple of the values."""
        created = super().__new__(cls, values)
        created._names = tuple(names)
        return created

    def __reduce__(self) -> tuple[Any, ...]:
        return Outputs, (self._names, tuple(self))

    def keys(self) -> tuple[str, ...]:
        """The names, in order."""
        return self._names

    if TYPE_CHECKING:

        @overload
        def __getitem__(self, key: SupportsIndex | str, /) -> Any: ...
        @overload
        def __getitem__(self, key: slice, /) -> tuple[Any, ...]: ...

    def __getitem__(self, key: Any, /) -> Any:
        """The value at a position, or of a name."""
        if isinstance(key, str):
            try:
                return super().__getitem__(self._names.index(key))
            except ValueError:
                raise KeyError(key) from None
        return super().__getitem__(key)


def _maximum(name: str, given: int, lowest: int = 1) -> int:
    """A maximum that a caller gives.

    Raises:
        TypeError: it is no integer.
        ValueError: it is too small.
    """
    try:
        count = as_count(given)
    except TypeError:
        kind = type(given).__name__
        raise TypeError(f"{name} has type {kind}, expected an integer") from None
    if count < lowest:
        raise ValueError(f"{name} is {integer_text(count)}, expected at least {lowest}")
    return count


@public
class Model:
    """An ONNX model that is ready to run, any number of times and in any number of threads.

    Every node is computed by the operator version that the model's opset imports ask for. If, Loop,
    Scan, SequenceMap and FlexAttention run their subgraphs; functions run the nodes of their
    bodies, those of the model as well as those that ONNX publishes for operators that are not
    supported themselves.

    Reading needs the package onnx. A ``ModelProto`` may be changed afterwards: it is not kept.

    Args:
        source: the path of a file, the bytes of a file, or an ``onnx.ModelProto``.
        folder: the folder of the files that hold external data; by default that of the model's
            file. Nothing outside of it is read.
        fallback: the runtime that computes nodes whose operator versions are not supported:
            ``onnxruntime``, or ``reference`` for ONNX's reference evaluator. ``missing`` lists
            these nodes.
        fuse_qdq: whether to compute quantized Conv, Gemm and MatMul in integers, by QLinearConv
            and QLinearMatMul, where a DequantizeLinear is in front and a QuantizeLinear behind. A
            result may then differ by a step of the QuantizeLinear. ``unfused`` lists the nodes for
            which this is not possible.
        optimize: whether to replace nodes by others that compute the same faster but for rounding:
            activations and normalizations in pieces by their operators, BatchNormalization, Mul and
            Add of channels by other weights of the layer before. ``rewritten`` lists what was
            replaced, ``unrewritten`` what only looks like it.
        outputs: the names of the outputs that runs compute, by default all. Nodes that these do not
            need may be of operators that are not supported.
        max_bytes: for models from unknown sources, the maximum of bytes that all values computed
            by a run take at a time, its outputs among them; also of those that loading computes,
            as constants. Inputs, initializers and the scratch memory of kernels do not count. A run
            then computes node by node, which takes longer. ``None`` means any number.
        max_constant_bytes: the maximum of bytes that constants which nodes compute from
            initializers take, beside these; by default 4 times the bytes of the initializers, and
            at least 64 MiB. Constants beyond it are computed in every run. Packed weights do not
            count.
        max_nodes: the maximum number of nodes, those of functions counted at every call.

    Raises:
        OSError: the file cannot be read.
        ImportError: the fallback is needed, and is not installed.
        ModelError: the model is not valid, or holds what is not supported, or exceeds a maximum.
        UnsupportedOperatorError: it needs versions that are not supported; ``missing`` lists them.
        FeedError: it has no output of a name in ``outputs``.
        OpError: a node's attributes are not legal, or it is given a sequence or an optional that
            it does not take.
    """

    def __init__(
        self,
        source: str | os.PathLike[str] | bytes | ModelProto,
        *,
        folder: str | os.PathLike[str] | None = None,
        fallback: Fallback | None = None,
        fuse_qdq: bool = False,
        optimize: bool = False,
        outputs: Sequence[str] | None = None,
        max_bytes: int | None = None,
        max_constant_bytes: int | None = None,
        max_nodes: int = MAX_NODES,
    ) -> None:
        from opmill._onnx.reader import read_graph

        max_nodes = _maximum("max_nodes", max_nodes)
        if max_constant_bytes is not None:
            max_constant_bytes = _maximum("max_constant_bytes", max_constant_bytes, 0)
        max_bytes = None if max_bytes is None else _maximum("max_bytes", max_bytes)
        if fallback not in (None, "onnxruntime", "reference"):
            raise ValueError(f"fallback is {fallback!r}, expected 'onnxruntime' or 'reference'")
        limits = Limits(max_bytes, max_nodes)
        read = read_graph(source, folder, fallback, outputs, limits)
        if read.missing and fallback is None:
            raise lacking_error(read.missing, _ADVICE)
        for words in read.newer:
            warnings.warn(words, stacklevel=2)
        self._graph: Graph = read.graph
        self._max_bytes, self._memory = max_bytes, max_constant_bytes
        self._fallback = fallback
        self.unfused: tuple[Unfused, ...] = ()
        """The nodes that read DequantizeLinear and that ``fuse_qdq`` leaves in floats."""
        if fuse_qdq:
            self._graph, self.unfused = fused(read.graph, read.opsets.get("ai.onnx", 0))
        self.rewritten: tuple[Rewritten, ...] = ()
        """What ``optimize`` replaced."""
        self.unrewritten: tuple[Unrewritten, ...] = ()
        """What ``optimize`` did not replace although it looks like it, with the reasons."""
        if optimize:
            self._graph, self.rewritten, self.unrewritten = rewrite(self._graph)
        self.missing: tuple[Missing, ...] = read.missing
        """The nodes that the fallback computes, with their operator versions."""
        self._partial = outputs is not None
        self.opsets: Mapping[str, int] = read.opsets
        """The version of each domain that the model imports."""
        self._prepare()

    def _prepare(self) -> None:
        """Plan a run of everything, and what else is not copied with a model."""
        if self.missing and self._fallback == "onnxruntime":
            from opmill._onnx.elsewhere import onnxruntime

            onnxruntime()  # where it is not installed, an error now and not in a run
        self._names = names = self.output_names
        self._positions = {name: position for position, name in enumerate(names)}
        self._input_positions = {one.name: k for k, one in enumerate(self._graph.inputs)}
        self._plans: dict[tuple[tuple[int, ...], frozenset[int]], Program] = {}
        memory = memory_of(self._graph.constants.values(), self._memory, self._max_bytes)
        self._shared = Shared(self._graph.size, memory)
        self._lock = threading.Lock()
        self._required = tuple(
            position
            for position, number in enumerate(self._graph.numbers)
            if number not in self._graph.constants
        )
        self._all = tuple(range(len(names)))
        given = [self._graph.numbers[position] for position in self._required]
        self._program(self._all, given).values()

    def __getstate__(self) -> dict[str, Any]:
        """Return the parts of the model that were read, without plans, locks and packed weights."""
        return {name: value for name, value in vars(self).items() if name not in _PREPARED}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        vars(self).update(state)
        self._prepare()

    def __deepcopy__(self, memo: dict[int, Any]) -> Model:
        """A model of its own, that shares the weights, which do not change."""
        return copy(self)

    def __repr__(self) -> str:
        return f"<Model of {', '.join(self.input_names)} -> {', '.join(self.output_names)}>"

    @property
    def inputs(self) -> tuple[Declared, ...]:
        """The inputs without an initializer, which every run needs: a name and a type each."""
        return tuple(self._graph.inputs[position] for position in self._required)

    @property
    def defaults(self) -> tuple[Declared, ...]:
        """The inputs that have an initializer, in whose place a run may be given a value."""
        required = set(self._required)
        return tuple(one for k, one in enumerate(self._graph.inputs) if k not in required)

    @property
    def outputs(self) -> tuple[Declared, ...]:
        """The outputs: a name and a type each."""
        return self._graph.outputs

    @property
    def input_names(self) -> tuple[str, ...]:
        """The names of ``inputs``, in order."""
        return tuple(declared.name for declared in self.inputs)

    @property
    def output_names(self) -> tuple[str, ...]:
        """The names of ``outputs``, in order."""
        return tuple(declared.name for declared in self._graph.outputs)

    @property
    def packed_bytes(self) -> int:
        """The bytes of weights in packed form, which the plans so far hold beside the weights.

        Weights of products and convolutions are packed when the model is read, and again for
        another instruction set. ``trace`` shows which nodes take them.
        """
        packed = {id(one): one for _, one in self._shared.packs.values()}
        return sum(one.nbytes for one in packed.values())

    def run(
        self,
        inputs: Sequence[Any] | Mapping[str, Any],
        outputs: Sequence[str] | None = None,
    ) -> Outputs:
        """Compute the outputs.

        Args:
            inputs: a list with a value for each of ``input_names``, or for each input of the graph;
                or a dict of values by name. A tensor is an array, a sequence a list of arrays, an
                optional without contents ``None``. Types are never cast. Dims must agree with the
                model's where it has a number, and with each other where it has a name, except in
                the tensors of a sequence.
            outputs: the names of the outputs to compute, by default all. Nodes that these do not
                need are not run, and inputs that they do not need may be left out of a dict.

        Returns:
            The outputs: a tuple in order, and by name: ``outputs["Y"]``. The arrays are the
            caller's: no later run changes them.

        Raises:
            FeedError: the inputs do not match the declared ones, or there is no such output.
            OpError: a node refuses its inputs; the text begins with the node.
            ModelError: an output does not have the type that the model declares, or what the run
                computes does not fit into memory or exceeds ``max_bytes``.
            BackendError: OPMILL_BACKEND names a backend that is not available.
        """
        wanted = self._all if outputs is None else self._wanted(outputs)
        results = None
        if self._max_bytes is None and not is_watched():
            program = self._plans.get((wanted, _NO_DEFAULTS))
            results = None if program is None else program.call(inputs)
        if results is None:
            choice = fixed()
            try:
                results = self._run(inputs, wanted, outputs is None and not self._partial)
            finally:
                if choice is not None:
                    follow(choice)
        names = self._names
        if outputs is not None:
            names = tuple([names[position] for position in wanted])
        return Outputs(names, results)

    def _run(
        self, inputs: Sequence[Any] | Mapping[str, Any], wanted: tuple[int, ...], whole: bool
    ) -> Sequence[Any]:
        """The results of any run; the backend does not change meanwhile."""
        graph = self._graph
        fed = self._fed(inputs)
        program = self._program(wanted, (graph.numbers[position] for position, _ in fed))
        if len(fed) < len(graph.inputs):
            self._check_present(program, {position for position, _ in fed}, whole)
        values = program.values()
        bound: dict[str, int] = {}
        for position, value in fed:
            values[graph.numbers[position]] = check_fed(graph.inputs[position], value, bound)
        trace = active()
        if self._max_bytes is None and (trace is None or trace.model is self):
            results = _computed(program, values)
        else:
            with ExitStack() as stack:
                if trace is not None and trace.model is not self:
                    stack.enter_context(suspended())  # it measures the runs of its own model alone
                if self._max_bytes is not None:
                    stack.enter_context(Budget(self._max_bytes).bounding())
                results = _computed(program, values)
        for position, value in zip(wanted, results, strict=True):
            check_result(graph.outputs[position], value)
        if program is self._plans.get((wanted, _NO_DEFAULTS)) and len(fed) == len(self._required):
            numbers = tuple([graph.numbers[position] for position in self._required])
            program.enter(self.input_names, numbers, tuple([value for _, value in sorted(fed)]))
        return results

    def trace(self) -> Trace:
        """Measure the runs of a ``with`` block, node by node::

            with model.trace() as trace:
                model.run(inputs)
            slowest = max(trace.nodes, key=lambda node: node.seconds)

        Returns:
            The context manager, whose ``nodes`` are the measurements.
        """
        return Trace(self)

    def _wanted(self, outputs: Sequence[str]) -> tuple[int, ...]:
        """The positions of outputs."""
        return chosen_outputs(outputs, self._positions)

    def _program(self, wanted: tuple[int, ...], given: Iterable[int]) -> Program:
        """The plan for some outputs, where a run is given the inputs of these numbers."""
        constants = self._graph.constants
        overridden = frozenset([number for number in given if number in constants])
        key = (wanted, overridden)
        found = self._plans.get(key)
        if found is None:
            required = (self._graph.numbers[position] for position in self._required)
            results = [self._graph.results[position] for position in wanted]
            found = plan(
                self._graph,
                results,
                {*required, *overridden},
                shared=self._shared,
            )
            with self._lock:
                if len(self._plans) >= _MAX_PLANS:
                    self._plans.pop(next(iter(self._plans)))
                self._plans[key] = found
        return found

    def _fed(self, given: Sequence[Any] | Mapping[str, Any]) -> list[tuple[int, Any]]:
        """The position of each input that is given, and its value."""
        inputs = self._graph.inputs
        if isinstance(given, Mapping):
            positions = self._input_positions
            for name in given:
                if name not in positions:
                    raise FeedError(
                        f"the model has no input {shown(str(name))}; it has "
                        f"{', '.join(map(shown, positions)) or 'none'}"
                    )
            return [(positions[name], value) for name, value in given.items()]
        if not isinstance(given, (list, tuple)):
            raise FeedError(
                f"inputs has type {type(given).__name__}, expected a list of arrays, or a dict of "
                "arrays by name"
            )
        if len(given) == len(inputs):
            return list(enumerate(given))
        if len(given) != len(self._required):
            raise FeedError(
                f"the model: number of inputs is {len(given)}, expected {len(self._required)}"
            )
        return list(zip(self._required, given, strict=True))

    def _check_present(self, program: Program, given: set[int], whole: bool) -> None:
        """Refuse a run that lacks an input; only those that it needs where it is not the whole."""
        for position in self._required:
            needed = whole or self._graph.numbers[position] in program.needed
            if needed and position not in given:
                raise FeedError(f"input {shown(self._graph.inputs[position].name)} is missing")


def _computed(program: Program, values: list[Any]) -> list[Any]:
    """Run a program and return its results.

    Raises:
        ModelError: they do not fit into memory, or into the budget of the context.
    """
    program.run(values)
    try:
        results = program.outputs(values)
        # The tensors of a sequence may be those of an input or of a constant.
        return [counted_copy(one) if isinstance(one, list) else one for one in results]
    except MemoryError as error:
        raise ModelError(f"the outputs do not fit into memory: {error}") from None
