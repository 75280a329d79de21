"""Calls of a rule for families that have none of their own: those of the tables, with changes.

Every example and reject of the operator versions that a rule serves is put to the version, and
what reaches its rule is kept. A drawn call mixes some of these, and often has a hostile number,
length or word in it.
"""

from __future__ import annotations

import contextlib
import copy
import random
from collections.abc import Iterable, Mapping
from typing import Any

import opmill
from operator_tables import tables_of
from opmill._runtime.rule_support import SparseTensor, Tensor
from opmill_checks.case import Example, Reject
from opmill_checks.interface import arguments, array_of, positional
from rules_values import Given

HOSTILE = (-(2**63), -(2**62), -2, -1, 0, 1, 2, 3, 64, 2**31, 2**32, 2**62, 2**63 - 2, 2**63 - 1)
FLOATS = (0.5, -0.0, -1.0, float("nan"), float("inf"), 2.0**62, 2.0**63, -(2.0**63), 1e300)
WORDS = ("", "NOTSET", "VALID", "same", "\n'\\", "é" * 30)
MAX_SIZE = 200
"""The elements of a tensor whose contents are kept."""

Call = tuple[list[Any], dict[str, Any]]


class _ReachedError(Exception):
    """Ends a call where its rule would begin."""


def table_calls(modules: Iterable[str]) -> list[Call]:
    """The calls of the rules of operator versions, by the modules of the versions."""
    found: list[Call] = []
    for module in modules:
        tables = tables_of(module)
        operator: Any = tables.version.operator

        def keep(label: str, *tensors: Any, **attributes: Any) -> None:
            given = {
                name: _given(one) if isinstance(one, Tensor) else _shape_of(name, one)
                for name, one in attributes.items()
            }
            found.append(([_given(tensor) for tensor in tensors], given))
            raise _ReachedError

        recorder = opmill.Operator.__new__(opmill.Operator)
        recorder.__dict__.update(operator.__dict__)
        recorder._checker = copy.copy(operator._checker)
        recorder._checker.rules = keep
        for case in (*tables.examples, *tables.rejects):
            with contextlib.suppress(_ReachedError, opmill.OpError):
                recorder.infer(_arrays(operator, case), arguments(case.attributes), _asked(case))
    assert found, "no example of the tables reaches the rule"
    return found


def _asked(case: Example | Reject) -> int | None:
    """Number of outputs a case asks for; several of a variadic one are a list."""
    if isinstance(case, Reject):
        return case.outputs
    given = list(case.outputs.values())
    return sum(len(one) if isinstance(one, list) else 1 for one in given)


def _arrays(operator: Any, case: Example | Reject) -> list[Any]:
    inputs: Any = case.inputs
    if isinstance(inputs, Mapping):
        inputs = positional(operator.schema.inputs, inputs)
    return [array_of(value) for value in inputs]


def _shape_of(name: str, value: Any) -> Any:
    """An attribute as the executors take it; of a sparse tensor rules know the shape."""
    return Given(name, "float", value.shape) if isinstance(value, SparseTensor) else value


def _given(tensor: Any) -> Any:
    """A tensor of the runtime as the executors of rules take it."""
    if tensor is None or isinstance(tensor, list):
        return tensor and [_given(one) for one in tensor]
    contents: tuple[Any, ...] | None = None
    small = max((*tensor.shape, tensor.array.size if tensor.array is not None else 0)) <= MAX_SIZE
    if tensor.array is not None and small and tensor.array.dtype.kind in "biuf":
        plain = tensor.array.ravel().tolist()
        floating = tensor.array.dtype.kind == "f"
        contents = tuple(float(item) if floating else int(item) for item in plain)
    return Given(tensor.name, tensor.type, tuple(tensor.shape), contents)


def mixed(rng: random.Random, calls: list[Call]) -> Call:
    """A call of the tables as it is, or with attributes of others and changes."""
    inputs, attributes = rng.choice(calls)
    if rng.random() < 0.4:
        return inputs, dict(attributes)
    changed = {
        name: rng.choice(calls)[1].get(name, value) if rng.random() < 0.2 else value
        for name, value in attributes.items()
    }
    if changed and rng.random() < 0.4:
        name = rng.choice(sorted(changed))
        changed[name] = rng.randint(1, 4) if name == "outputs" else other(rng, changed[name])
    return [spoiled(rng, one) if rng.random() < 0.4 else one for one in inputs], changed


def other(rng: random.Random, value: Any) -> Any:
    """Another value of the same kind."""
    if isinstance(value, Given):
        return value
    if isinstance(value, str):
        return rng.choice(WORDS)
    if isinstance(value, float):
        return rng.choice(FLOATS)
    if isinstance(value, int):
        return rng.choice(HOSTILE)
    if isinstance(value, (list, tuple)) and value:
        items = list(value)
        place = rng.randrange(len(items))
        items[place : place + 1] = rng.choice(([other(rng, items[place])], [], [items[place]] * 2))
        return type(value)(items)
    return value


def spoiled(rng: random.Random, one: Any) -> Any:
    """A tensor with another dim, rank or content, or with contents that are not known."""
    if one is None:
        return None
    if isinstance(one, list):
        return [spoiled(rng, part) if rng.random() < 0.5 else part for part in one]
    way = rng.randrange(4)
    if way == 0 and one.contents:
        narrow = one.type not in ("int64", "float", "double")
        contents = tuple(rng.choices((0, 1, 2), k=len(one.contents)))
        if not narrow:
            contents = tuple(other(rng, list(one.contents)))
        shape = one.shape if len(contents) == len(one.contents) else (len(contents),)
        return one._replace(contents=contents, shape=shape)
    if way == 1 and one.contents is not None:
        return one._replace(contents=None)
    shape = list(one.shape)
    if shape and way == 2:
        shape[rng.randrange(len(shape))] = rng.choice([number for number in HOSTILE if number >= 0])
    elif shape:
        del shape[-1]
    kept = one.contents if tuple(shape) == one.shape else None
    return one._replace(shape=tuple(shape), contents=kept)
