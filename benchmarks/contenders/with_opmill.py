"""opmill, called from Python with ``out=``, as a user would."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from importlib.metadata import version
from typing import Any

import numpy as np

import opmill
from benchmarks.cases import (
    CastCase,
    ConvTransposeCase,
    CopyCase,
    ElementwiseCase,
    JoinCase,
    MoveCase,
    NonZeroCase,
    PoolCase,
    ReductionCase,
)
from benchmarks.cases_operators import OperatorCase
from benchmarks.clock import Call
from benchmarks.contenders import NUMBERS, PREPARED, Array
from opmill.add import v14 as add_v14
from opmill.cast import v25 as cast_v25
from opmill.concat import v13 as concat_v13
from opmill.conv_transpose import v22
from opmill.depth_to_space import v13 as depth_to_space_v13
from opmill.expand import v13 as expand_v13
from opmill.identity import v25 as identity_v25
from opmill.max_pool import v22 as max_pool_v22
from opmill.non_zero import v13 as non_zero_v13
from opmill.pad import v25 as pad_v25
from opmill.reduce_l2 import v18 as reduce_l2_v18
from opmill.reduce_log_sum_exp import v28 as reduce_log_sum_exp_v28
from opmill.reduce_max import v20 as reduce_max_v20
from opmill.reduce_mean import v18 as reduce_mean_v18
from opmill.reduce_sum import v13 as reduce_sum_v13
from opmill.relu import v14 as relu_v14
from opmill.slice import v13 as slice_v13
from opmill.split import v18 as split_v18
from opmill.tile import v13 as tile_v13
from opmill.transpose import v25 as transpose_v25

_REDUCTIONS = {
    "ReduceL2": reduce_l2_v18.reduce_l2,
    "ReduceLogSumExp": reduce_log_sum_exp_v28.reduce_log_sum_exp,
    "ReduceMax": reduce_max_v20.reduce_max,
    "ReduceMean": reduce_mean_v18.reduce_mean,
    "ReduceSum": reduce_sum_v13.reduce_sum,
}


class Library:
    """The newest version of each operator, on the backend that is the default here."""

    name = "opmill"
    version = version("opmill")

    def set_threads(self, threads: int) -> None:
        opmill.set_threads(threads)

    def conv_transpose(
        self, case: ConvTransposeCase, x: Array, w: Array, out: Array
    ) -> Call | None:
        strides, pads = list(case.strides), list(case.pads)
        padding, dilations, group = list(case.output_padding), list(case.dilations), case.group
        return lambda: v22.conv_transpose(
            x,
            w,
            strides=strides,
            pads=pads,
            output_padding=padding,
            dilations=dilations,
            group=group,
            out=out,
        )

    def copy(self, case: CopyCase, x: Array, out: Array) -> Call | None:
        argument = list(case.argument)
        if case.operator == "Tile":
            return lambda: tile_v13.tile(x, argument, out=out)
        return lambda: expand_v13.expand(x, argument, out=out)

    def elementwise(
        self, case: ElementwiseCase, inputs: Sequence[Array], out: Array
    ) -> Call | None:
        first = inputs[0]
        if case.operator == "Add":
            return lambda: add_v14.add(first, inputs[1], out=out)
        function = relu_v14.relu if case.operator == "Relu" else identity_v25.identity
        return lambda: function(first, out=out)

    def cast(self, case: CastCase, x: Array, out: Array) -> Call | None:
        to = NUMBERS[case.target]
        return lambda: cast_v25.cast(x, to=to, out=out)

    def max_pool(self, case: PoolCase, x: Array, out: Array, indices: Array | None) -> Call | None:
        kernel, strides, pads = case.kernel, case.strides, case.pads * 2
        out_both = [out] if indices is None else [out, indices]
        outputs = len(out_both)

        def call() -> None:
            max_pool_v22.max_pool(
                x, kernel_shape=kernel, strides=strides, pads=pads, outputs=outputs, out=out_both
            )

        return call

    def non_zero(self, case: NonZeroCase, x: Array, out: Array) -> Call | None:
        return lambda: non_zero_v13.non_zero(x, out=out)

    def join(self, case: JoinCase, parts: Sequence[Array], whole: Array) -> Call | None:
        axis, sizes, count = case.axis, [case.part[case.axis]] * case.count, case.count

        def concatenate() -> None:
            concat_v13.concat(*parts, axis=axis, out=whole)

        def split() -> None:
            split_v18.split(whole, sizes, axis=axis, outputs=count, out=parts)

        return concatenate if case.operator == "Concat" else split

    def move(self, case: MoveCase, x: Array, out: Array) -> Call | None:
        values = {name: list(given) for name, given in case.arguments}
        if case.operator == "Transpose":
            perm = values["perm"]
            return lambda: transpose_v25.transpose(x, perm=perm, out=out)
        if case.operator == "Slice":
            starts, ends, steps = (np.array(values[name]) for name in ("starts", "ends", "steps"))
            return lambda: slice_v13.slice(x, starts, ends, None, steps, out=out)
        if case.operator == "Pad":
            pads = np.array(values["pads"])
            return lambda: pad_v25.pad(x, pads, out=out)
        (block,) = values["blocksize"]
        return lambda: depth_to_space_v13.depth_to_space(x, blocksize=block, out=out)

    def reduction(self, case: ReductionCase, x: Array, out: Array) -> Call | None:
        axes, kept = list(case.axes), int(case.keepdims)
        function = _REDUCTIONS[case.operator]
        return lambda: function(x, axes, keepdims=kept, out=out)

    def operator(
        self, case: OperatorCase, inputs: Sequence[Array | None], outs: Sequence[Array]
    ) -> Call | None:
        function = _function_of(case)
        if len(outs) == 1:
            return partial(function, *inputs, **case.attribute, out=outs[0])
        if any(one.option != "single" for one in operator_of(case).schema.outputs):
            function = partial(function, outputs=len(outs))
        call = partial(function, *inputs, **case.attribute, out=outs)
        return lambda: call()[0]


class PreparedWeights(Library):
    """Weights that are packed once, before the calls, with ``Operator.prepare``."""

    name = PREPARED

    def conv_transpose(self, case: ConvTransposeCase, x: Array, w: Array, out: Array) -> None:
        """Nothing to prepare."""

    def copy(self, case: CopyCase, x: Array, out: Array) -> None:
        """Nothing to prepare."""

    def elementwise(self, case: ElementwiseCase, inputs: Sequence[Array], out: Array) -> None:
        """Nothing to prepare."""

    def cast(self, case: CastCase, x: Array, out: Array) -> None:
        """Nothing to prepare."""

    def max_pool(self, case: PoolCase, x: Array, out: Array, indices: Array | None) -> None:
        """Nothing to prepare."""

    def non_zero(self, case: NonZeroCase, x: Array, out: Array) -> None:
        """Nothing to prepare."""

    def join(self, case: JoinCase, parts: Sequence[Array], whole: Array) -> None:
        """Nothing to prepare."""

    def move(self, case: MoveCase, x: Array, out: Array) -> None:
        """Nothing to prepare."""

    def reduction(self, case: ReductionCase, x: Array, out: Array) -> None:
        """Nothing to prepare."""

    def operator(
        self, case: OperatorCase, inputs: Sequence[Array | None], outs: Sequence[Array]
    ) -> Call | None:
        """Prepare an operator with packed weights; each call is given the other inputs."""
        operator = operator_of(case)
        names = [parameter.name for parameter in operator.schema.inputs]
        fixed = {
            name: array
            for name, given, array in zip(names, case.inputs, inputs, strict=False)
            if given is not None and given.role in ("weight", "constant")
        }
        if len(outs) != 1 or not any(names[k] in fixed for k in operator.preparable):
            return None
        prepared = operator.prepare(fixed, case.attribute)
        named = zip(names, inputs, strict=False)
        rest = [array for name, array in named if name not in fixed]
        out = outs[0]
        return lambda: _none(prepared(*rest, out=out))


def _none(result: object) -> None:
    """Return nothing: the result was written to ``out``."""


def _function_of(case: OperatorCase) -> Callable[..., Any]:
    """The Python function of a case's operator."""
    package = case.domain.replace(".", "_") or f"opset{case.opset}"
    names = import_module(f"opmill.{package}")
    name = {name.replace("_", ""): name for name in dir(names)}[case.operator.lower()]
    if case.domain:
        names = import_module(f"opmill.{package}.{name}.v{operator_of(case).schema.since_version}")
    function: Callable[..., Any] = getattr(names, name)
    return function


def operator_of(case: OperatorCase) -> opmill.Operator:
    """The version of a case's operator that its opset uses."""
    domain = case.domain or "ai.onnx"
    versions = [v for of, name, v in opmill.operators() if (of, name) == (domain, case.operator)]
    used = max(v for v in versions if v <= case.opset or case.domain)
    return opmill.operator(case.operator, used, domain)


def libraries() -> list[Library]:
    return [Library(), PreparedWeights()]
