"""torch on the CPU. Its convolutions, its pooling and ``repeat`` return a new tensor each time."""

from __future__ import annotations

from collections.abc import Sequence

import torch

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
from benchmarks.contenders import Array
from benchmarks.contenders.torch_functions import MAKERS

_CONV_TRANSPOSE = {
    1: torch.nn.functional.conv_transpose1d,
    2: torch.nn.functional.conv_transpose2d,
    3: torch.nn.functional.conv_transpose3d,
}
_MAX_POOL = {
    1: torch.nn.functional.max_pool1d,
    2: torch.nn.functional.max_pool2d,
    3: torch.nn.functional.max_pool3d,
}
_REDUCTIONS = {
    "ReduceL2": torch.linalg.vector_norm,
    "ReduceLogSumExp": torch.logsumexp,
    "ReduceMax": torch.amax,
    "ReduceMean": torch.mean,
}
_FOREIGN = {"bfloat16": torch.bfloat16, "float8_e4m3fn": torch.float8_e4m3fn}
"""The types that NumPy has from elsewhere, which torch does not take from it."""


class Library:
    """torch without autograd. It pads both ends of an axis alike, and nothing else."""

    name = "torch"
    version: str = torch.__version__

    def __init__(self) -> None:
        torch.set_grad_enabled(False)

    def set_threads(self, threads: int) -> None:
        torch.set_num_threads(threads)

    def conv_transpose(
        self, case: ConvTransposeCase, x: Array, w: Array, out: Array
    ) -> Call | None:
        rank = len(case.strides)
        if not case.symmetric:
            return None
        function = _CONV_TRANSPOSE[rank]
        tensor, weights = torch.from_numpy(x), torch.from_numpy(w)
        pads = case.pads[:rank]
        return lambda: function(
            tensor, weights, None, case.strides, pads, case.output_padding, case.group,
            case.dilations,
        )  # fmt: skip

    def copy(self, case: CopyCase, x: Array, out: Array) -> Call:
        tensor, target = torch.from_numpy(x), torch.from_numpy(out)
        if case.operator == "Tile":
            return lambda: tensor.repeat(case.argument)
        return lambda: target.copy_(tensor.expand(case.output))

    def elementwise(self, case: ElementwiseCase, inputs: Sequence[Array], out: Array) -> Call:
        tensors, target = [torch.from_numpy(array) for array in inputs], torch.from_numpy(out)
        first = tensors[0]
        if case.operator == "Add":
            return lambda: torch.add(first, tensors[1], out=target)
        if case.operator == "Relu":
            return lambda: torch.clamp_min(first, 0, out=target)
        return lambda: target.copy_(first)

    def cast(self, case: CastCase, x: Array, out: Array) -> Call:
        tensor, target = _tensor(x), _tensor(out)

        def call() -> None:
            target.copy_(tensor)

        return call

    def max_pool(self, case: PoolCase, x: Array, out: Array, indices: Array | None) -> Call | None:
        rank = len(case.kernel)
        if case.type not in ("float32", "float64", "float16"):
            return None
        function, tensor, both = _MAX_POOL[rank], torch.from_numpy(x), indices is not None
        kernel, strides, pads = case.kernel, case.strides, case.pads
        if both:
            return lambda: function(tensor, kernel, strides, pads, return_indices=True)[0]
        return lambda: function(tensor, kernel, strides, pads)

    def non_zero(self, case: NonZeroCase, x: Array, out: Array) -> Call:
        tensor = torch.from_numpy(x)
        return lambda: torch.nonzero(tensor).t()

    def join(self, case: JoinCase, parts: Sequence[Array], whole: Array) -> Call:
        tensors, joined = [torch.from_numpy(part) for part in parts], torch.from_numpy(whole)
        size = case.part[case.axis]

        def concatenate() -> None:
            torch.cat(tensors, case.axis, out=joined)

        def split() -> None:
            for part, found in zip(tensors, torch.split(joined, size, case.axis), strict=True):
                part.copy_(found)

        return concatenate if case.operator == "Concat" else split

    def move(self, case: MoveCase, x: Array, out: Array) -> Call:
        tensor, target = torch.from_numpy(x), torch.from_numpy(out)
        if case.operator == "Pad":
            pads, rank = case.argument("pads"), x.ndim
            pairs = [pads[axis + end] for axis in reversed(range(rank)) for end in (0, rank)]
            return lambda: torch.nn.functional.pad(tensor, pairs)
        if case.operator == "DepthToSpace":
            (block,) = case.argument("blocksize")
            batch, depth, height, width = x.shape
            pieces = tensor.reshape(batch, block, block, depth // block**2, height, width)
            source = pieces.permute(0, 3, 4, 1, 5, 2)
            target = target.reshape(source.shape)
        else:
            moved = case.operator == "Transpose"
            source = tensor.permute(case.argument("perm")) if moved else tensor[case.slices()]

        def call() -> None:
            target.copy_(source)

        return call

    def reduction(self, case: ReductionCase, x: Array, out: Array) -> Call:
        tensor, target, axes = torch.from_numpy(x), torch.from_numpy(out), case.axes
        if case.operator == "ReduceSum":
            return lambda: torch.sum(tensor, axes, case.keepdims, dtype=tensor.dtype, out=target)
        function = _REDUCTIONS[case.operator]
        return lambda: function(tensor, dim=axes, keepdim=case.keepdims, out=target)

    def operator(
        self, case: OperatorCase, inputs: Sequence[Array | None], outs: Sequence[Array]
    ) -> Call | None:
        make = MAKERS.get(case.operator)
        tensors = [None if array is None else torch.from_numpy(array) for array in inputs]
        return make and make(tensors, case.attribute, torch.from_numpy(outs[0]))

    def matrix_product(self, size: int) -> Call:
        """The product of two square float32 matrices, into a third."""
        left, right, out = (torch.rand(size, size) for _ in range(3))
        return lambda: torch.mm(left, right, out=out)


def _tensor(array: Array) -> torch.Tensor:
    """The same memory; NumPy's further types by their bits."""
    dtype = _FOREIGN.get(array.dtype.name)
    if dtype is None:
        return torch.from_numpy(array)
    return torch.from_numpy(array.view(f"uint{array.itemsize * 8}")).view(dtype)


def libraries() -> list[Library]:
    return [Library()]
