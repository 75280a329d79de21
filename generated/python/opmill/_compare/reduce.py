"""The smallest reproduction of a difference: a call whose inputs are reduced."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from opmill._compare.comparison import call_lines
from opmill._compare.judge import FAILED, Judge
from opmill._compare.reproduction import write_call
from opmill._compare.shrink import shrunk
from opmill._compare.walk import Call
from opmill._model.model import Model
from opmill._runtime.errors import Error


@dataclass(frozen=True, slots=True)
class Reduced:
    """A reduced call.

    Args:
        call: the call, with its outputs as opmill computes them.
        lines: its inputs and attributes.
        text: how the other runtime differs.
    """

    call: Call
    lines: list[str]
    text: str


def reduced(call: Call, judge: Judge) -> Reduced:
    """Reduce a call that differs; initializers become inputs if it then still does."""
    free = replace(call, constants=frozenset())
    start = free if _text(free, judge, free.inputs) else call
    inputs = shrunk(start.inputs, lambda given: bool(_text(start, judge, given)))
    small = _with(start, judge, inputs)
    assert small is not None
    return Reduced(small, call_lines(small), _text(small, judge, small.inputs))


def write_reduced(folder: Path, found: Reduced, judge: Judge) -> None:
    """Write a reduced call; see ``write_call``."""
    call = found.call
    model = judge.walk.model_of(call.node, call.inputs, call.constants, call.outputs)
    write_call(folder, model, call.inputs, call.outputs)


def _with(call: Call, judge: Judge, inputs: Mapping[str, Any]) -> Call | None:
    """A call with other inputs, computed by opmill; ``None`` if they are not legal."""
    model = judge.walk.model_of(call.node, inputs, call.constants)
    try:
        results = Model(model, fallback=judge.walk.fallback).run(
            {name: value for name, value in inputs.items() if name not in call.constants}
        )
    except Error:
        return None
    outputs = {name: results[name] for name in results.keys()}  # noqa: SIM118 - no mapping
    return replace(call, inputs=dict(inputs), outputs=outputs)


def _text(call: Call, judge: Judge, inputs: Mapping[str, Any]) -> str:
    """Differences of the other runtime for these inputs; empty if there are none."""
    changed = _with(call, judge, inputs)
    if changed is None or _empties(changed) - _empties(call):
        return ""  # outputs without elements show nothing
    found = judge.result(changed)
    return f"{found.outcome}: {found.text}" if found.outcome in FAILED else ""


def _empties(call: Call) -> set[str]:
    """The outputs without elements."""
    return {name for name, one in call.outputs.items() if getattr(one, "size", 1) == 0}
