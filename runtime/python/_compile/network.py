"""A model as calls of kernels: what ``front`` finds and the back end writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any, NamedTuple

from opmill._compile.bounds import Dims
from opmill._compile.maxima import Maxima
from opmill._runtime.schema import Schema
from opmill._runtime.types import Array, dtype_of


class Value(NamedTuple):
    """A tensor.

    Args:
        type: ONNX's name of the element type.
        shape: the dims; of an open value the largest size of each axis.
        kind: where its elements are: ``input``, ``output``, ``constant`` or ``arena``.
        slot: the index of the input, output, constant or buffer.
        position: of an open value, whose shape is known when the network runs: its place among
            these; -1 for a value with a fixed shape.
        capacity: of an open value, the bytes that it has at most.
    """

    type: str
    shape: tuple[int, ...]
    kind: str
    slot: int
    position: int = -1
    capacity: int = 0

    @property
    def is_open(self) -> bool:
        """True if the shape is known when the network runs."""
        return self.position >= 0

    @property
    def bytes(self) -> int:
        """The size of its elements; of an open value the largest one."""
        return self.capacity if self.is_open else prod(self.shape) * dtype_of(self.type).itemsize

    @property
    def text(self) -> str:
        """Its type and shape, as ``float[1, 3]``."""
        most = "at most " if self.is_open else ""
        return f"{self.type}[{most}{', '.join(map(str, self.shape))}]"


def open_value_bytes(rank: int) -> int:
    """Bytes of an open value's tensor and dims in C, where pointers have at most 64 bits."""
    return 24 + 8 * max(rank, 1)


class Pack(NamedTuple):
    """An input in the packed form of an instruction set."""

    position: int
    block: bytes


@dataclass(slots=True)
class Call:
    """A call of a kernel.

    Args:
        location: the node, for people.
        label: the operator version, as ``Conv-11``.
        behind: the node whose limits the kernel applies, as ``Relu-14``; or nothing.
        entry: how the kernel is called; see ``kernels``.
        inputs: the numbers of the values, ``None`` for an absent one.
        outputs: the numbers of the values.
        plan: what the rule derives, by name.
        limits: of the elements of the output; or ``None``.
        workspace: the bytes of scratch memory.
        buffer: the index of the buffer of the workspace; -1 for none.
        packs: the inputs in packed form.
        variant: the algorithm and the instruction set.
        step: the position of the step of the program; -1 in a branch or loop.
    """

    location: str
    label: str
    behind: str
    entry: Mapping[str, Any]
    inputs: tuple[int | None, ...]
    outputs: tuple[int, ...]
    plan: Mapping[str, Any]
    limits: tuple[float, float] | None
    workspace: int
    buffer: int
    packs: tuple[Pack, ...]
    variant: str
    step: int

    @property
    def uses(self) -> tuple[int, ...]:
        """The numbers of the values that it reads or writes."""
        return (*(number for number in self.inputs if number is not None), *self.outputs)


@dataclass(slots=True)
class OpenCall(Call):
    """A call by the rules of the operator, since shapes are known when the network runs.

    Args:
        schema: of the operator version.
        attributes: by name, those that the node has.
        view: whether the output has the memory of the first input.
    """

    schema: Schema
    attributes: Mapping[str, Any]
    view: bool


@dataclass(slots=True)
class Statement:
    """C between calls: the frame of a branch or loop, or a copy.

    Args:
        lines: the text, with ``@n@`` for the address of value n.
        uses: the numbers of the values that it reads or writes.
        comment: what it begins, for people.
        location: the node that ends here, for people.
        label: its operator version.
        outputs: the numbers of its outputs.
        step: the position of its step of the program; -1 for none.
    """

    lines: Sequence[str]
    uses: tuple[int, ...]
    comment: str = ""
    location: str = ""
    label: str = ""
    outputs: tuple[int, ...] = ()
    step: int = -1


class Port(NamedTuple):
    """An input or output of the network: its name in the model and its value's number.

    ``copied`` says that nothing computes the output into its own memory: the value is another one.
    """

    name: str
    number: int
    copied: bool = False


@dataclass(slots=True)
class Network:
    """A model with all shapes, ready to be written.

    Args:
        name: the model's name.
        isa: the instruction set.
        inputs: in the model's order.
        outputs: in the model's order.
        values: by number.
        constants: the arrays of constants, by index.
        statements: in order.
        buffers: by index: bytes, position of the first and of the last statement that uses it.
        compact: whether compact kernels are preferred.
        maxima: of the sizes that the caller chooses at run time, and of values.
        bounded_inputs: the numbers of the inputs whose values have maxima.
        valid_sizes: some sizes at which all shapes can be derived.
        open_dims: the dims of inputs that have such sizes, by number.
        open_values: the number of values whose shapes are known when the network runs.
        table: the index of the buffer that holds the shapes of these; -1 for none.
    """

    name: str
    isa: str
    inputs: list[Port]
    outputs: list[Port]
    values: dict[int, Value]
    constants: list[Array]
    statements: list[Call | Statement]
    buffers: list[tuple[int, int, int]]
    compact: bool = False
    maxima: Maxima = field(default_factory=lambda: Maxima({}))
    bounded_inputs: set[int] = field(default_factory=set)
    valid_sizes: Sequence[Mapping[str, int]] = ()
    open_dims: dict[int, Dims] = field(default_factory=dict)
    open_values: int = 0
    table: int = -1

    @property
    def size_names(self) -> list[str]:
        """The names of the sizes that the caller chooses at run time."""
        return sorted(
            {dim for dims in self.open_dims.values() for dim in dims if isinstance(dim, str)}
        )

    @property
    def open_rank(self) -> int:
        """The highest rank of the values whose shapes are known when the network runs."""
        return max((len(one.shape) for one in self.values.values() if one.is_open), default=0)

    @property
    def calls(self) -> list[Call]:
        """The calls of kernels, in order."""
        return [one for one in self.statements if isinstance(one, Call)]

    @property
    def checked(self) -> list[Call | Statement]:
        """The statements that end a node of the model itself, in the model's order.

        What a branch or loop repeats is none.
        """
        ends = [one for one in self.statements if one.step >= 0]
        return sorted(ends, key=lambda one: one.step)
