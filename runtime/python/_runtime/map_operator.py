"""Operator versions that take or return maps, which no rule sees: NumPy computes them.

A map is a dict with keys of type ``str`` or ``int``. Its values are strings or numbers of one type:
NumPy's scalars, or Python's, of which an int is an int64, and a float a double where the operator
takes that, else a float32. A sequence of maps is a list of dicts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from opmill._runtime.call_checks import Rules
from opmill._runtime.computation import Kernel
from opmill._runtime.errors import ContentsError, OpError
from opmill._runtime.explanation import Explanation
from opmill._runtime.operator import NO_ATTRIBUTES, Operator
from opmill._runtime.public import public
from opmill._runtime.schema import Schema
from opmill._runtime.types import Array, TensorType


@public
class MapOperator(Operator):
    """One version of an operator with maps; see ``Operator``.

    NumPy computes it on every backend: the C library takes keys and values as two arrays, and to
    convert a dict to these, or them to a dict, is most of the work of a call.
    """

    def __init__(
        self,
        schema: Schema,
        rules: Rules,
        compute: Callable[..., Sequence[Any]],
        *,
        tensors: tuple[str, ...] = (),
    ) -> None:
        """Collect what computes the version.

        Args:
            schema: what the operator version is.
            rules: the rule of its family; checks the attributes, and inputs that are tensors.
            compute: the NumPy kernel of its family; returns the outputs.
            tensors: as for an ``Operator``.
        """
        super().__init__(schema, rules, cast("Kernel", compute), tensors=tensors)
        self._run = compute

    def infer(
        self,
        inputs: Sequence[Any],
        attributes: Mapping[str, Any] = NO_ATTRIBUTES,
        outputs: int | None = None,
    ) -> tuple[TensorType, ...]:
        """Check a call, and refuse to infer.

        Raises:
            OpError: always: the call is not legal, or what it returns depends on a map.
        """
        self._checked(inputs, attributes, outputs, allow_types=True)
        raise OpError(
            self._label, "types of the outputs are unknown, expected a call (maps decide them)"
        )

    def explain(
        self,
        inputs: Sequence[Any],
        attributes: Mapping[str, Any] = NO_ATTRIBUTES,
        outputs: int | None = None,
    ) -> Explanation:
        """Return that NumPy computes; see ``Operator.explain``."""
        self._checked(inputs, attributes, outputs, allow_types=False)
        return Explanation("numpy", None, None, 1)

    def _results(
        self,
        inputs: Sequence[Any],
        attributes: Mapping[str, Any],
        out: Array | Sequence[Array] | None,
        outputs: int | None,
    ) -> tuple[Any, ...]:
        arguments, named = self._checked(inputs, attributes, outputs, allow_types=False)
        if out is not None:
            raise OpError(self._label, "out is given, expected none (the operator has maps)")
        try:
            return tuple(self._run(*arguments, **named))
        except ContentsError as refused:
            raise OpError(self._label, str(refused)) from None

    def _checked(
        self,
        inputs: Sequence[Any],
        attributes: Mapping[str, Any],
        outputs: int | None,
        *,
        allow_types: bool,
    ) -> tuple[list[Any], dict[str, Any]]:
        """Return the kernel's arguments: the inputs, and the plan by keyword."""
        call = self._checker.check_untyped(inputs, attributes, outputs, allow_types=allow_types)
        return call.arguments, call.plan
