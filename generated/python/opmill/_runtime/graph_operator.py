"""Operator versions that run graphs: only a call knows what they return.

A graph is any function from the graph's inputs to a tuple or list of its outputs: arrays, lists of
arrays for sequences, and ``None`` for an optional without contents. Its attribute
``output_types``, where it has one, declares the type and shape of each output, as a list of
``TensorType`` or ``None``; what stacks no results takes them from there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import numpy as np

from opmill._runtime.call_checks import Rules
from opmill._runtime.computation import Kernel
from opmill._runtime.containers import TensorSequence
from opmill._runtime.errors import ContentsError, OpError, ShapeError, TypeConstraintError
from opmill._runtime.explanation import Explanation
from opmill._runtime.graphs import GraphShapeError, GraphTypeError, type_problem
from opmill._runtime.operator import NO_ATTRIBUTES, Operator
from opmill._runtime.public import public
from opmill._runtime.schema import Schema, value_name
from opmill._runtime.types import Array, TensorType


@public
class GraphOperator(Operator):
    """One version of an operator that runs graphs; see ``Operator``.

    It runs on every backend: what its graphs call decides what computes.
    """

    def __init__(self, schema: Schema, rules: Rules, compute: Callable[..., Sequence[Any]]) -> None:
        """Collect what computes the version.

        Args:
            schema: what the operator version is.
            rules: the rule of its family; checks a call.
            compute: the NumPy kernel of its family; returns the outputs.
        """
        super().__init__(schema, rules, cast("Kernel", compute))
        self._run = compute

    def infer(
        self,
        inputs: Sequence[Any],
        attributes: Mapping[str, Any] = NO_ATTRIBUTES,
        outputs: int | None = None,
    ) -> tuple[TensorType, ...]:
        """Check a call, and refuse to infer.

        Raises:
            OpError: always: the call is not legal, or only its graphs know what they return.
        """
        self._checked(inputs, attributes, outputs, allow_types=True)
        raise OpError(
            self._label, "types of the outputs are unknown, expected a call (graphs decide them)"
        )

    def explain(
        self,
        inputs: Sequence[Any],
        attributes: Mapping[str, Any] = NO_ATTRIBUTES,
        outputs: int | None = None,
    ) -> Explanation:
        """Return that NumPy computes; see ``Operator.explain``. The graphs are not run."""
        self._checked(inputs, attributes, outputs, allow_types=False)
        return Explanation("numpy", None, None, 1)

    def _results(
        self,
        inputs: Sequence[Any],
        attributes: Mapping[str, Any],
        out: Array | Sequence[Array] | None,
        outputs: int | None,
    ) -> tuple[Any, ...]:
        arguments, values = self._checked(inputs, attributes, outputs, allow_types=False)
        if out is not None:
            raise OpError(self._label, "out is given, expected none (graphs make the outputs)")
        try:
            results = self._run(*arguments, outputs=outputs, **values)
        except GraphShapeError as refused:
            raise ShapeError(self._label, str(refused)) from None
        except GraphTypeError as refused:
            raise TypeConstraintError(self._label, str(refused)) from None
        except ContentsError as refused:
            raise OpError(self._label, str(refused)) from None
        return self.owned(arguments, results)

    def _checked(
        self,
        inputs: Sequence[Any],
        attributes: Mapping[str, Any],
        outputs: int | None,
        *,
        allow_types: bool,
    ) -> tuple[list[Any], dict[str, Any]]:
        """Return the kernel's arguments: the inputs, and by keyword the attributes and the plan."""
        call = self._checker.check_untyped(inputs, attributes, outputs, allow_types=allow_types)
        named = {a.alias or a.name: call.attributes[a.name] for a in self.schema.attributes}
        return call.arguments, {**named, **call.plan}

    def owned(self, arguments: Sequence[Any], results: Sequence[Any]) -> tuple[Any, ...]:
        """The results, of types that the schema allows, apart from the inputs and each other.

        Raises:
            TypeConstraintError: a result has a type that the schema does not allow.
        """
        formals = self.schema.outputs
        taken = list(_arrays(arguments))
        owned: list[Any] = []
        for position, result in enumerate(results):
            formal = formals[min(position, len(formals) - 1)]
            allowed = self.schema.type_constraints.get(formal.type, (formal.type,))
            problem = type_problem(value_name(formals, position), result, allowed)
            if problem is not None:
                raise TypeConstraintError(self._label, problem)
            if isinstance(result, list):
                dtype = getattr(result, "dtype", None)
                owned.append(TensorSequence([_apart(one, taken) for one in result], dtype))
            else:
                owned.append(None if result is None else _apart(result, taken))
        return tuple(owned)


def _arrays(value: Any) -> Any:
    """Every array of a value or of a list of values."""
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from _arrays(one)


def _apart(array: Array, taken: list[Array]) -> Array:
    """A contiguous array that may be written to and shares no memory with those that are taken."""
    shared = any(np.may_share_memory(array, one) for one in taken)
    if shared or not (array.flags.c_contiguous and array.flags.writeable):
        array = np.array(array, order="C")
    taken.append(array)
    return array
