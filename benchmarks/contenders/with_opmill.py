"""opmill, called from Python with ``out=``, as a user would."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version

import opmill
from benchmarks.cases import ConvTransposeCase, CopyCase, ElementwiseCase
from benchmarks.clock import Call
from benchmarks.contenders import Array
from opmill.add import v14 as add_v14
from opmill.conv_transpose import v22
from opmill.expand import v13 as expand_v13
from opmill.identity import v25 as identity_v25
from opmill.relu import v14 as relu_v14
from opmill.tile import v13 as tile_v13


class Library:
    """The newest version of each operator, on the backend that is the default here."""

    name = "opmill"
    version = version("opmill")

    def set_threads(self, threads: int) -> None:
        opmill.set_threads(threads)

    def conv_transpose(self, case: ConvTransposeCase, x: Array, w: Array, out: Array) -> Call:
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

    def copy(self, case: CopyCase, x: Array, out: Array) -> Call:
        argument = list(case.argument)
        if case.operator == "Tile":
            return lambda: tile_v13.tile(x, argument, out=out)
        return lambda: expand_v13.expand(x, argument, out=out)

    def elementwise(self, case: ElementwiseCase, inputs: Sequence[Array], out: Array) -> Call:
        if case.operator == "Add":
            return lambda: add_v14.add(*inputs, out=out)
        function = relu_v14.relu if case.operator == "Relu" else identity_v25.identity
        return lambda: function(*inputs, out=out)


def libraries() -> list[Library]:
    return [Library()]
