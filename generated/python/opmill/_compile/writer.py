"""The calls of a network as C, and the constants that they read."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from opmill._compile.attributes import attribute_lines
from opmill._compile.kernels import plan_members
from opmill._compile.literals import (
    c_type,
    comment_text,
    dims_text,
    element_lines,
    float_text,
    member_text,
    parts_of,
    plain_elements,
    type_constant,
    wrapped,
)
from opmill._compile.memory import ALIGNMENT, Buffer, plan_arena
from opmill._compile.names import identifiers
from opmill._compile.network import Call, Network, OpenCall, Port, Statement, Value
from opmill._runtime.types import Array, dtype_of, element_word

_MARK = b"opmill-1"
"""The first bytes of a file of weights, as a number in the byte order of the target."""


@dataclass(slots=True)
class _Data:
    """The constants: arrays of C, or parts of a file."""

    prefix: str
    in_file: bool
    arrays: list[dict[str, Any]] = field(default_factory=list)
    content: bytearray = field(default_factory=lambda: bytearray(ALIGNMENT))

    def add(self, array: Array, comment: str, *, aligned: bool = False) -> str:
        """Add an array; return the expression of its address."""
        word = element_word(array.dtype) or "uint8"
        if self.in_file:
            offset = len(self.content)
            raw = plain_elements(array, word)
            self.content += raw.astype(raw.dtype.newbyteorder("<")).tobytes()
            self.content += bytes(-len(self.content) % ALIGNMENT)
            return f"(void *)((const char *)weights + {offset})"
        return self.add_array(array, word, comment, aligned=aligned)

    def add_array(self, array: Array, word: str, comment: str, *, aligned: bool = False) -> str:
        """Add an array of C; return the expression of its address, which is constant."""
        name = f"{self.prefix}_weights_{len(self.arrays)}"
        self.arrays.append(
            {
                "name": name,
                "type": c_type(word),
                "count": max(array.size * parts_of(word), 1),
                "comment": comment,
                "aligned": aligned,
                "lines": element_lines(array, word),
            }
        )
        return f"(void *){name}"

    def whole(self) -> tuple[bytes, str]:
        """The content of the file, and the two numbers with which it begins, as C."""
        body = bytes(self.content[ALIGNMENT:])
        head = _MARK + hashlib.sha256(body).digest()[:8]
        numbers = np.frombuffer(head, "<u8").tolist()
        return head + bytes(ALIGNMENT - len(head)) + body, ", ".join(f"{n:#x}u" for n in numbers)


class Writer:
    """Writes the calls of a network as C."""

    def __init__(self, net: Network, prefix: str, weights: str | None) -> None:
        self.net = net
        self.prefix = prefix
        self.weights = weights
        self.data = _Data(prefix, weights is not None)
        self.dims: dict[tuple[int, ...], str] = {}
        names = identifiers([*(port.name for port in net.inputs), *net.size_names])
        self.input_names, sizes = names[: len(net.inputs)], names[len(net.inputs) :]
        self.size_names = dict(zip(net.size_names, sizes, strict=True))
        outputs = [port.name for port in net.outputs]
        names = identifiers([*outputs, *(f"{name}_shape" for name in outputs)])
        self.output_names, self.shape_names = names[: len(outputs)], names[len(outputs) :]
        self.buffers = [Buffer(*one) for one in net.buffers]
        self.arena = plan_arena(self.buffers)
        users = self._users()
        self.addresses = [
            self.data.add(array, comment_text(f"{users.get(k, 'an output')}: {_text(array)}"))
            for k, array in enumerate(net.constants)
        ]
        self.constants: dict[int, str] = {}
        self.plans: dict[tuple[str, str], str] = {}
        self.limits: dict[str, str] = {}
        self.operators: set[str] = set()
        self.blocks = 0

    def _users(self) -> dict[int, str]:
        """The first call that reads each constant."""
        found: dict[int, str] = {}
        for call in self.net.calls:
            for number in filter(None, call.inputs):
                value = self.net.values[number]
                if value.kind == "constant":
                    found.setdefault(value.slot, f"{call.location}, {call.label}")
        return found

    def address(self, value: Value) -> str:
        """The expression of the address of a value's elements."""
        if value.kind == "input":
            return f"(void *)inputs->{self.input_names[value.slot]}"
        if value.kind == "output":
            return f"outputs->{self.output_names[value.slot]}"
        if value.kind == "constant":
            return self.addresses[value.slot]
        return f"memory + {self.buffers[value.slot].offset}"

    def tensor(self, value: Value) -> str:
        """The initializer of a tensor."""
        dims, rank = self._dims(value.shape), len(value.shape)
        return f"{{{self.address(value)}, {dims}, {rank}, {type_constant(value.type)}}}"

    def statements(self, *, observed: bool) -> Iterator[dict[str, Any]]:
        """The contexts of the statements: a comment and lines, indented.

        Args:
            observed: whether each node reports its outputs.
        """
        depth = 0
        checked = {one.step: k for k, one in enumerate(self.net.checked)}
        for one in self.net.statements:
            context = self.call(one) if isinstance(one, Call) else self._statement(one)
            reports: list[str] = []
            if observed and one.step >= 0:
                for k, number in enumerate(one.outputs):
                    value = self.net.values[number]
                    arguments = f"{checked[one.step]}, {k}, {self.address(value)}"
                    reports.append(f"OBSERVE({arguments}, {self.size(value)});")
            comment = context["comment"] and f"{'    ' * (depth + 1)}/* {context['comment']} */"
            lines = []
            for line in (*context["lines"], *reports):
                depth -= line.startswith("}")
                lines.append(f"{'    ' * (depth + 1)}{line}")
                depth += line.endswith("{")
            yield {"comment": comment, "lines": lines}

    def _statement(self, statement: Statement) -> dict[str, Any]:
        def address(match: re.Match[str]) -> str:
            value = self.net.values[int(match[1])]
            return f"({self.address(value)})"

        lines = [re.sub(r"@(\d+)@", address, line) for line in statement.lines]
        return {"comment": comment_text(statement.comment), "lines": lines}

    def call(self, call: Call) -> dict[str, Any]:
        """The context of a call."""
        lines: list[str] = []
        if "members" in call.entry:
            return {"comment": self._comment(call), "lines": self._direct_call(call)}
        inputs = self._inputs(call, lines)
        if isinstance(call, OpenCall):
            lines += self._open_call(call, inputs)
        else:
            lines += self._plain_call(call, inputs)
        lines = ["{", *lines, "}", "if (code != OPMILL_OK) {", "return code;", "}"]
        return {"comment": self._comment(call), "lines": lines}

    def _inputs(self, call: Call, lines: list[str]) -> list[str]:
        """The addresses of the tensors that a call reads; adds the lines that declare them."""
        inputs: list[str] = []
        for k, number in enumerate(call.inputs):
            if number is None:
                inputs.append("NULL")
                continue
            value = self.net.values[number]
            if value.is_open:
                inputs.append(f"&opened[{value.position}].tensor")
                continue
            if value.kind == "constant" and self.weights is None:
                name = self.constants.setdefault(value.slot, f"constant_{value.slot}")
                inputs.append(f"&{name}")
                continue
            lines.append(f"const opmill_tensor i{k} = {self.tensor(value)};")
            inputs.append(f"&i{k}")
        return inputs

    def _direct_call(self, call: Call) -> list[str]:
        """A call of a kernel that takes addresses of elements and has a plan with all else."""
        values = [None if n is None else self.net.values[n] for n in (*call.inputs, *call.outputs)]
        arguments = ["NULL" if one is None else self.elements(one) for one in values]
        arguments.append(f"&{self._plan(call)}")
        if call.entry["limits"]:
            arguments.append("NULL" if call.limits is None else f"&{self._limits(call.limits)}")
        return wrapped(f"{call.entry['function']}({', '.join(arguments)});")

    def elements(self, value: Value) -> str:
        """The address of a value's elements, of which those of inputs and constants are const."""
        return self.address(value).removeprefix("(void *)")

    def _limits(self, limits: tuple[float, float]) -> str:
        """The name of limits, which calls share."""
        low, high = (float_text(one, single=True) for one in limits)
        return self.limits.setdefault(f"{low}, {high}", f"limits_{len(self.limits)}")

    def _plain_call(self, call: Call, inputs: Sequence[str]) -> Iterator[str]:
        """A call of a kernel with a constant plan."""
        plan = self._plan(call)
        lines: list[str] = []
        outputs: list[str] = []
        for k, number in enumerate(call.outputs):
            value = self.net.values[number]
            lines.append(f"opmill_tensor o{k} = {self.tensor(value)};")
            outputs.append(f"&o{k}")
        arguments = list(self._arguments(call, inputs, outputs, lines))
        before, after = self._context(call)
        lines += before
        called = ", ".join([*arguments, f"&{plan}", "&context"])
        lines += wrapped(f"code = {call.entry['function']}({called});")
        yield from (*lines, *after)

    def _open_call(self, call: OpenCall, inputs: Sequence[str]) -> Iterator[str]:
        """A call by the rules of the operator."""
        name = call.entry["files"]
        self.operators.add(f"opmill_operator_{name}")
        lines, values = attribute_lines(call)
        if values is not None:
            yield from lines
            yield from wrapped(
                f"const opmill_{name}_attributes attributes = {{{', '.join(values)}}};"
            )
        given = "NULL"
        if inputs:
            given = "given"
            text = ", ".join(inputs)
            yield from wrapped(f"const opmill_tensor *const given[] = {{{text}}};")
        results = []
        for number in call.outputs:
            value = self.net.values[number]
            place = f"{self.address(value)}, {value.capacity}, {len(value.shape)}"
            results.append(f"{{&opened[{value.position}], {place}}}")
        yield from wrapped(f"const place places[] = {{{', '.join(results)}}};")
        before, after = self._context(call)
        if call.buffer < 0:
            before.append("context.workspace_size = 0;")
        yield from before
        function = "view" if call.view else "compute"
        attributes = "NULL" if values is None else "&attributes"
        arguments = [f"&opmill_operator_{name}", given, str(len(inputs)), attributes, "places"]
        arguments += ["&context"] if call.view else [str(len(results)), "&context"]
        yield from wrapped(f"code = {function}({', '.join(arguments)});")
        yield from after

    def size(self, value: Value) -> str:
        """The expression of the bytes of a value."""
        return f"bytes_of(&opened[{value.position}].tensor)" if value.is_open else str(value.bytes)

    def open_values(self) -> dict[str, Any] | None:
        """The context of the values whose shapes are known when the network runs."""
        net = self.net
        if not net.open_values:
            return None
        inputs = []
        for position, port in enumerate(net.inputs):
            value = net.values[port.number]
            if not value.is_open:
                continue
            dims = [
                f"inputs->{self.size_names[one]}" if isinstance(one, str) else str(one)
                for one in net.open_dims[port.number]
            ]
            inputs.append(
                {
                    "index": value.position,
                    "address": self.address(net.values[port.number]),
                    "dims": dims,
                    "rank": len(dims),
                    "type": type_constant(value.type),
                    "position": position,
                }
            )
        calls = [one for one in net.calls if isinstance(one, OpenCall)]
        return {
            "count": net.open_values,
            "rank": max(net.open_rank, 1),
            "table": self.buffers[net.table].offset,
            "table_bytes": self.buffers[net.table].bytes,
            "inputs": inputs,
            "operators": sorted(self.operators),
            "outputs": max((len(one.outputs) for one in calls if not one.view), default=0),
            "views": any(one.view for one in calls),
            "shapes": [
                {"name": self.shape_names[k], "index": net.values[port.number].position}
                for k, port in enumerate(net.outputs)
                if net.values[port.number].is_open
            ],
        }

    def _plan(self, call: Call) -> str:
        """The name of a plan, which calls with equal plans share."""
        members = [
            f".{name} = {self._attribute(call, name) or member_text(type_, call.plan[name])}"
            for type_, name in call.entry.get("members") or plan_members(call.entry["plan"])
            if name in call.plan
        ]
        text = ", ".join(members) or "0"
        key = call.entry["plan"], text
        return self.plans.setdefault(key, f"plan_{len(self.plans)}")

    def _attribute(self, call: Call, name: str) -> str | None:
        """The initializer of a plan's member that is a tensor; ``None`` for any other."""
        array = call.plan[name]
        if not isinstance(array, np.ndarray):
            return None
        dims = self._dims(array.shape)
        word = element_word(array.dtype) or ""
        comment = comment_text(f"{call.location}, {call.label}: {name}: {_text(array)}")
        address = self.data.add_array(array, word, comment)
        return f"{{{address}, {dims}, {array.ndim}, {type_constant(word)}}}"

    def _dims(self, shape: tuple[int, ...]) -> str:
        """The name of dims, which tensors share."""
        return self.dims.setdefault(shape, f"dims_{len(self.dims)}") if shape else "NULL"

    def _arguments(
        self, call: Call, inputs: Sequence[str], outputs: Sequence[str], lines: list[str]
    ) -> Iterator[str]:
        for one in call.entry["arguments"]:
            if isinstance(one, int):
                some = inputs[one:] if one >= 0 else outputs[-1 - one :]
                if not some:
                    yield "NULL"
                else:
                    name = "values" if one >= 0 else "results"
                    const = "const opmill_tensor" if one >= 0 else "opmill_tensor"
                    lines += wrapped(f"{const} *const {name}[] = {{{', '.join(some)}}};")
                    yield name
                yield str(len(some))
            elif one is None:
                yield "NULL"
            elif one[0] in "io":
                some, k = (inputs if one[0] == "i" else outputs), int(one[1:])
                yield some[k] if k < len(some) else "NULL"
            else:
                yield one

    def _context(self, call: Call) -> tuple[list[str], list[str]]:
        """Statements before and after a call, which set its context."""
        before: list[str] = []
        after: list[str] = []
        if call.limits is not None:
            low, high = (float_text(one, single=True) for one in call.limits)
            before.append(f"static const opmill_limits limits = {{{low}, {high}}};")
        blocks = [
            f"{{{pack.position}, {self._block(call, pack.block)}, {len(pack.block)}}}"
            for pack in call.packs
        ]
        if blocks:
            static = "static " if self.weights is None else ""
            text = ", ".join(blocks)
            before += wrapped(f"{static}const opmill_prepared prepared[] = {{{text}}};")
        if call.limits is not None:
            before.append("context.limits = &limits;")
            after.append("context.limits = NULL;")
        if blocks:
            before += ["context.prepared = prepared;", f"context.prepared_count = {len(blocks)};"]
            after += ["context.prepared = NULL;", "context.prepared_count = 0;"]
        if call.buffer >= 0:
            before.append(f"context.workspace = memory + {self.buffers[call.buffer].offset};")
            before.append(f"context.workspace_size = {call.workspace};")
        return before, after

    def _block(self, call: Call, block: bytes) -> str:
        array = np.frombuffer(block, np.uint8)
        comment = comment_text(f"{call.location}, {call.label}: packed for {self.net.isa}")
        return self.data.add(array, comment, aligned=True)

    def _comment(self, call: Call) -> str:
        named = self.net.values
        inputs = ", ".join("-" if n is None else named[n].text for n in call.inputs)
        outputs = ", ".join(named[n].text for n in call.outputs)
        label = f"{call.label}, {call.behind}" if call.behind else call.label
        return comment_text(f"{call.location}: {label}: {inputs} -> {outputs}")

    def copies(self) -> Iterator[str]:
        """The statements for outputs that no call computes."""
        for position, port in enumerate(self.net.outputs):
            value = self.net.values[port.number]
            if port.copied and value.bytes:
                target = f"outputs->{self.output_names[position]}"
                if value.is_open:
                    yield f"copy({target}, &opened[{value.position}].tensor);"
                    continue
                yield f"memcpy({target}, {self.address(value)}, {value.bytes});"

    def ports(self, ports: Sequence[Port], names: Sequence[str]) -> list[dict[str, Any]]:
        """The contexts of inputs or outputs."""
        found = []
        for port, name in zip(ports, names, strict=True):
            value = self.net.values[port.number]
            count = value.bytes // dtype_of(value.type).itemsize * parts_of(value.type)
            found.append(
                {
                    "name": name,
                    "open": value.is_open,
                    "rank": len(value.shape),
                    "dims": dims_text(value.shape),
                    "type": c_type(value.type),
                    "count": count,
                    "memory": max(count, 1),
                    "floating": c_type(value.type) in ("float", "double"),
                    "comment": comment_text(f"{port.name}: {value.text}"),
                }
            )
        return found


def _text(array: Array) -> str:
    return f"{element_word(array.dtype)}[{', '.join(map(str, array.shape))}]"
