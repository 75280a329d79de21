"""From a model to calls of kernels: constants folded, shapes derived, plans constant.

The nodes are those that ``opmill.Model`` runs on the backend ``c``, in its order and with its
fusions, so that results have the same bits. Whatever cannot be compiled is collected: the error
has all nodes and reasons.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

from opmill._compile.bounds import Bounds, stand_in
from opmill._compile.compact import compact_entry
from opmill._compile.control import add_control
from opmill._compile.direct import Direct, direct_call
from opmill._compile.inputs import add_inputs
from opmill._compile.kernels import kernel_entry, plan_members, without_kernel
from opmill._compile.literals import is_constant_tensor, is_supported, member_text
from opmill._compile.maxima import Maxima
from opmill._compile.network import (
    Call,
    Network,
    Pack,
    Port,
    Statement,
    Value,
    open_value_bytes,
)
from opmill._compile.opened import add_maximum, add_open, advice
from opmill._compile.quantized import Fusion, Planned
from opmill._model.control import Control
from opmill._model.errors import ModelError, shown
from opmill._model.graph import ABSENT, Graph
from opmill._model.limits import Limited
from opmill._model.plan import Program
from opmill._model.segments import READING_SHAPES
from opmill._model.steps import Step
from opmill._model.views import passes_elements
from opmill._runtime.errors import Error
from opmill._runtime.operator import Operator
from opmill._runtime.prepared import is_packed, unpacked
from opmill._runtime.public import public
from opmill._runtime.types import TensorType, dtype_of, element_word

_MAX_FOLDED = 16 << 20
"""A node is a constant only where it computes at most so many bytes."""


@public
class CompileError(ModelError):
    """A model cannot be compiled to C; ``reasons`` has each node and why."""

    def __init__(self, reasons: Sequence[str]) -> None:
        self.reasons = tuple(reasons)
        super().__init__("\n".join(reasons))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.reasons,), self.__dict__


def network_of(
    graph: Graph,
    program: Program,
    name: str,
    isa: str,
    dims: Mapping[str, int],
    shapes: Mapping[str, tuple[int, ...]],
    *,
    pack: bool,
    compact: bool = False,
    maxima: Maxima,
    names: Mapping[int, str],
) -> Network:
    """The calls of a model.

    The backend ``c`` and the instruction set are chosen by the caller.

    Args:
        graph: the model.
        program: the plan of a run of it.
        name: its name.
        isa: the instruction set.
        dims: the sizes of named dims.
        shapes: the whole shapes of inputs.
        pack: whether to take weights in packed form.
        compact: whether to prefer compact kernels.
        maxima: of the named dims whose sizes the caller chooses at run time, and of values.
        names: of the values, by number.

    Raises:
        CompileError: the model cannot be compiled.
    """
    front = Front(graph, program, name, isa, pack, compact, maxima, names)
    return front.network(dims, shapes)


class Front:
    """Collects the calls of a model, and the reasons why there are none."""

    def __init__(
        self,
        graph: Graph,
        program: Program,
        name: str,
        isa: str,
        pack: bool,
        compact: bool,
        maxima: Maxima,
        names: Mapping[int, str],
    ) -> None:
        self.graph = graph
        self.program = program
        self.pack = pack
        self.reasons: list[str] = []
        self.known: dict[int, Any] = {}
        self.lost: set[int] = set()
        self.net = Network(name, isa, [], [], {}, [], [], [], compact, maxima)
        self.names = names
        self.bounded: set[str] = set()
        self.bounds = Bounds(maxima, len(program.joined_steps))
        self.values = self.net.values
        self.constant_of: dict[tuple[str, tuple[int, ...], bytes], int] = {}
        self.numbers = len(program.first)
        self.step = 0
        self.depth = 0
        self.results = set(program.results)
        self.owners: dict[int, Value] = {}
        self.fusion = Fusion(self, program) if compact else None

    def network(self, dims: Mapping[str, int], shapes: Mapping[str, tuple[int, ...]]) -> Network:
        graph, program, net = self.graph, self.program, self.net
        add_inputs(self, dims, shapes)
        for number, value in enumerate(program.values()):
            if value is not None and number != ABSENT and number not in net.values:
                self.known[number] = value
        owners = self.owners
        # A value that is two outputs is computed into the first; of an empty shape until then.
        for position, number in enumerate(program.results):
            net.outputs.append(Port(graph.outputs[position].name, number))
            if number not in self.known and number not in net.values:
                owners.setdefault(number, Value("float", (), "output", position))
        for step in program.joined_steps:
            self.add_step(step, self.results, owners)
            self.step += 1
        self._finish()
        self._check_maxima()
        if self.reasons:
            raise CompileError(self.reasons)
        return net

    def _check_maxima(self) -> None:
        """Find the sizes that tests can have, and the maxima of what is not computed."""
        bounds, dims = self.bounds, self.net.size_names
        self.net.valid_sizes = [
            sizes for sizes, valid in zip(bounds.sizes, bounds.valid, strict=True) if valid
        ] or bounds.sizes[:1]
        numbers = {name: number for number, name in self.names.items()}
        for name in self.net.maxima.names:
            number = numbers.get(name)
            if name in dims or name in self.bounded or number is None or number in self.known:
                continue
            if number not in self.lost and not self.reasons:
                self.reasons.append(f"value {shown(name)} is computed by no node of its own")

    def _read_open(self, numbers: Sequence[int]) -> bool:
        """Return whether one of the values has an open shape."""
        return any(n in self.values and self.values[n].is_open for n in numbers)

    @property
    def position(self) -> int:
        """The position of the next statement."""
        return len(self.net.statements)

    def new_open(self) -> int:
        """The position of a value whose shape is known when the network runs."""
        self.net.open_values += 1
        return self.net.open_values - 1

    def new_number(self) -> int:
        """A number for a value of a branch or loop."""
        self.numbers += 1
        return self.numbers - 1

    def add(self, statement: Call | Statement) -> None:
        """Add a statement, until which the values live that it uses."""
        self.net.statements.append(statement)
        uses = statement.uses
        for number in uses:
            value = self.values[number]
            if value.kind == "arena":
                size, first, _ = self.net.buffers[value.slot]
                self.net.buffers[value.slot] = (size, first, self.position - 1)

    def extend(self, start: int) -> None:
        """Let what was in memory at the start of a loop live until its end, the last statement."""
        for slot, (size, first, last) in enumerate(self.net.buffers):
            if first <= start <= last:
                self.net.buffers[slot] = (size, first, self.position - 1)

    def finish_block(self, step: Step, outputs: Sequence[int]) -> None:
        """End a node that runs graphs."""
        node, numbers = step.node, tuple(outputs)
        position = self.step if self.depth == 1 else -1
        self.add(Statement((), numbers, "", node.location, node.label, numbers, position))

    def add_step(self, step: Step, results: set[int], owners: Mapping[int, Value]) -> None:
        """Add the statements of a step, or a constant, or a view, or a reason."""
        try:
            done = self._take_step(step, results, owners)
            if done and not self.depth:
                for number in step.outputs:
                    add_maximum(self, number)
        except Error as error:
            location = "" if getattr(error, "location", "") else f"{step.node.location}: "
            self.reasons.append(f"{location}{error}{advice(self, step, error)}")
            done = False
        if not done:
            self.lost |= {number for number in step.outputs if number not in self.known}

    def _take_step(self, step: Step, results: set[int], owners: Mapping[int, Value]) -> bool:
        node, operator, limits = step.node, step.node.operator, None
        behind = ""
        if isinstance(operator, Control):
            if self.lost.intersection(node.inputs):
                return False
            if self._read_open(node.inputs):
                return self.refuse(step, "reads a value whose shape is open, expected a fixed one")
            self.depth += 1
            try:
                return add_control(self, step, operator, owners)
            finally:
                self.depth -= 1
        if isinstance(operator, Limited):
            behind, limits = operator.behind.label, operator.limits
            operator = operator.operator
        if not isinstance(operator, Operator):
            return self.refuse(step, "runs in another runtime, expected a kernel in C")
        entry = kernel_entry(operator.schema)
        kernel = operator.native_kernel
        if entry is None or kernel is None:
            return self.refuse(step, without_kernel(self.graph, node))
        if not node.is_pure and limits is None:
            return self.refuse(step, "depends on random numbers, expected a deterministic node")
        if self.lost.intersection(node.inputs):
            return False
        given = [self.argument(number) for number in node.inputs]
        if self.bounds.depend(node.inputs) and (not self.depth or self._read_open(node.inputs)):
            return add_open(self, step, operator, entry, given, behind, limits)
        types, plan = operator.planned(unpacked(given), step.attributes, node.count)
        if self._fold(step, operator, given, types, limits is not None):
            return True
        if entry.get("bounded") or any(None in type_.shape for type_ in types):
            return add_open(self, step, operator, entry, given, behind, limits)
        if not self.has_kernel(step, entry, [one.type for one in types]):
            return False
        shapes = list(map(_dims, types))
        one = Planned(step, operator, entry, types, plan, self.step)
        if self.fusion is not None and limits is None and self.fusion.take(one):
            return True
        if self._view(step, operator, types, results):
            return True
        for c_type, name in plan_members(entry["plan"]):
            if name not in plan or is_constant_tensor(c_type, plan[name]):
                continue
            if member_text(c_type, plan[name]) is None:
                return self.refuse(step, f"has the attribute {name}, which C cannot fold")
        if self.net.compact:
            direct = direct_call(entry, list(unpacked(given)), types, plan)
            if direct is not None:
                return self._add_direct(step, operator, direct, types, owners, behind, limits)
        inputs = tuple(self.number(n) if n != ABSENT else None for n in node.inputs)
        arrays = [stand_in(value) for value in given]
        if not self.pack:
            arrays = list(unpacked(arrays))
        attributes = dict(step.attributes)
        workspace = kernel.workspace(tuple(arrays), attributes, len(types))
        choice = kernel.explain(tuple(arrays), attributes, len(types))
        if workspace is None or choice is None:
            return self.refuse(step, "has no kernel in C for these types")
        words = [word for word in choice[:2] if word]
        if self.net.compact:
            sources = [None if n is None else self.values[n] for n in inputs]
            targets = [
                Value(one.type, shape, "arena", 0) for one, shape in zip(types, shapes, strict=True)
            ]
            compact = compact_entry(entry, sources, targets, plan)
            if compact is not None:
                entry, workspace, words = compact, 0, ["compact"]
        packs = tuple(
            Pack(position, array.block) for position, array in enumerate(arrays) if is_packed(array)
        )
        position = self.position
        outputs = []
        for number, type_, shape in zip(step.outputs, types, shapes, strict=True):
            outputs.append(self.output(number, type_.type, shape, owners, position))
        buffer = -1
        if workspace:
            buffer = len(self.net.buffers)
            self.net.buffers.append((workspace, position, position))
        call = Call(
            node.location, operator.schema.label, behind, entry, inputs, tuple(outputs), plan,
            limits, workspace, buffer, packs, " ".join(words), -1 if self.depth else self.step,
        )  # fmt: skip
        self.add(call)
        return True

    def _add_direct(
        self,
        step: Step,
        operator: Operator,
        direct: Direct,
        types: Sequence[TensorType],
        owners: Mapping[int, Value],
        behind: str,
        limits: tuple[float, float] | None,
    ) -> bool:
        """Add a call of a compact kernel that takes addresses."""
        inputs = tuple(self._operand(step.node.inputs, one) for one in direct.inputs)
        outputs = [
            self.output(number, one.type, _dims(one), owners, self.position)
            for number, one in zip(step.outputs, types, strict=True)
        ]
        call = Call(
            step.node.location, operator.schema.label, behind, direct.entry, inputs,
            tuple(outputs), direct.plan, limits, 0, -1, (), "compact",
            -1 if self.depth else self.step,
        )  # fmt: skip
        self.add(call)
        return True

    def _operand(self, numbers: Sequence[int], one: Any) -> int | None:
        """The number of an input of a call: by its position, or of a constant."""
        if one is None:
            return None
        if isinstance(one, int):
            return self.number(numbers[one])
        number = self.new_number()
        self.known[number] = one
        return self.number(number)

    def has_kernel(self, step: Step, entry: Mapping[str, Any], types: Sequence[str]) -> bool:
        """Return whether outputs have types that kernels compute; add a reason if not."""
        for type_ in types:
            if not is_supported(type_):
                return self.refuse(step, f"computes {type_}, expected numbers of whole bytes")
            if type_ in entry.get("gaps", ()):
                return self.refuse(step, f"has no kernel in C for {type_}")
        return True

    def refuse(self, step: Step, why: str) -> bool:
        """Add a reason; ``False``."""
        self.reasons.append(f"{step.node.location}: {step.node.label} {why}")
        return False

    def argument(self, number: int) -> Any:
        """A constant, or the type of what a run computes; ``None`` of an absent input."""
        if number == ABSENT:
            return None
        if self.fusion is not None and number in self.fusion.waiting:
            return self.fusion.waiting[number].types[0]
        if number in self.known:
            return self.known[number]
        value = self.net.values[number]
        return TensorType(value.type, value.shape)

    def _fold(
        self,
        step: Step,
        operator: Operator,
        given: Sequence[Any],
        types: Sequence[TensorType],
        limited: bool,
    ) -> bool:
        """Compute a node whose outputs are constants."""
        of_shapes = operator.schema.domain == "ai.onnx" and operator.schema.name in READING_SHAPES
        known = not any(isinstance(value, TensorType) for value in given)
        bound = sum(
            prod(type_.bound or [dim or 0 for dim in type_.shape]) * dtype_of(type_.type).itemsize
            for type_ in types
        )
        if limited or not (known or of_shapes) or bound > _MAX_FOLDED:
            return False
        arrays = [stand_in(value) for value in given]
        found = operator.results(arrays, step.attributes, None, step.node.count)
        self.known.update((n, one) for n, one in zip(step.outputs, found, strict=True) if n)
        return True

    def _view(
        self, step: Step, operator: Operator, types: Sequence[TensorType], results: set[int]
    ) -> bool:
        """Give an output the memory of the input, where its elements are these."""
        number = step.outputs[0]
        if not passes_elements(operator) or len(types) != 1 or number in results:
            return False
        root = self.net.values[self.number(step.node.inputs[0])]
        self.net.values[number] = root._replace(shape=_dims(types[0]))
        return True

    def _add_waiting(self, fusion: Fusion, number: int) -> None:
        """Add the node that computes a value and that was put off."""
        one = fusion.waiting.pop(number)
        position, self.step = self.step, one.position
        try:
            if not self._take_step(one.step, self.results, self.owners):
                raise ModelError("an input cannot be computed")
        finally:
            self.step = position

    def number(self, number: int) -> int:
        """The number of a value, which is a constant of the network from now on if it is known."""
        if self.fusion is not None and number in self.fusion.waiting:
            self._add_waiting(self.fusion, number)
        if number in self.known and number not in self.net.values:
            (array,) = unpacked([self.known[number]])
            word = _word(array)
            key = word, array.shape, hashlib.sha256(array.tobytes()).digest()
            index = self.constant_of.setdefault(key, len(self.net.constants))
            if index == len(self.net.constants):
                self.net.constants.append(array)
            if not is_supported(word):
                raise ModelError(f"a constant has type {word}, expected numbers of whole bytes")
            self.net.values[number] = Value(word, array.shape, "constant", index)
        return number

    def output(
        self,
        number: int,
        type_: str,
        shape: tuple[int, ...],
        owners: Mapping[int, Value],
        position: int,
        place: int = -1,
        capacity: int = 0,
    ) -> int:
        """The number of an output, with its memory from a position on.

        Of an open value, its place among these and its capacity.
        """
        if number == ABSENT:  # the kernel computes it, and nothing reads it
            number = self.new_number()
        if number in owners:
            self.values[number] = owners[number]._replace(
                type=type_, shape=shape, position=place, capacity=capacity
            )
            return number
        value = Value(type_, shape, "arena", len(self.net.buffers), place, capacity)
        self.values[number] = value
        self.net.buffers.append((value.bytes, position, position))
        return number

    def _finish(self) -> None:
        """Find the outputs that are copied at the end, and keep them until then."""
        copied = []
        for position, port in enumerate(self.net.outputs):
            if port.number in self.lost:
                continue
            try:
                value = self.values.get(self.number(port.number))
            except Error as error:
                self.reasons.append(f"output {shown(port.name)}: {error}")
                continue
            if value is None:
                self.reasons.append(f"output {shown(port.name)} is not computed")
            elif (value.kind, value.slot) != ("output", position):
                self.net.outputs[position] = port._replace(copied=True)
                copied.append(port.number)
        self.add(Statement((), tuple(copied)))
        if self.net.open_values:
            self.net.table = len(self.net.buffers)
            size = self.net.open_values * open_value_bytes(self.net.open_rank)
            self.net.buffers.append((size, 0, self.position - 1))


def _word(array: Any) -> str:
    return element_word(array.dtype) or str(array.dtype)


def _dims(type_: TensorType) -> tuple[int, ...]:
    return tuple(dim for dim in type_.shape if dim is not None)
